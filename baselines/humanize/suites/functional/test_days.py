"""Days: by name when they are near, otherwise as dates."""

import datetime as dt

import humanize


def test_far_days_are_dates():
    days = [dt.date(1999, 12, 31), dt.datetime(2001, 2, 3, 4, 5), dt.date(2150, 7, 9)]
    assert [humanize.naturalday(day) for day in days] == ["Dec 31", "Feb 03", "Jul 09"]
    assert [humanize.naturaldate(day) for day in days] == ["Dec 31 1999", "Feb 03 2001", "Jul 09 2150"]


def test_far_days_in_other_formats():
    assert [
        humanize.naturalday(dt.date(1999, 12, 31), "%Y-%m-%d"),
        humanize.naturalday(dt.datetime(2001, 2, 3), format="%d.%m.%y"),
        humanize.naturalday(dt.date(2150, 7, 9), "day %j of %Y"),
    ] == ["1999-12-31", "03.02.01", "day 190 of 2150"]


def test_near_days_have_names():
    today = dt.date.today()
    names = [humanize.naturalday(today + dt.timedelta(days=days)) for days in (-1, 0, 1)]
    again = [humanize.naturaldate(today + dt.timedelta(days=days)) for days in (-1, 0, 1)]
    assert [names, again] == [["yesterday", "today", "tomorrow"], ["yesterday", "today", "tomorrow"]]


def test_the_year_stands_with_days_more_than_five_months_away():
    today = dt.date.today()
    lengths = [len(humanize.naturaldate(today + dt.timedelta(days=days))) for days in (-200, -153, -151, -100, 100, 151, 153, 200)]
    assert lengths == [11, 11, 6, 6, 6, 6, 11, 11]


def test_today_is_that_of_the_time_zone():
    east, west = dt.timezone(dt.timedelta(hours=14)), dt.timezone(dt.timedelta(hours=-12))
    names = [humanize.naturalday(dt.datetime.now(zone) + dt.timedelta(days=days)) for zone in (east, west) for days in (-1, 0, 1)]
    assert names == ["yesterday", "today", "tomorrow", "yesterday", "today", "tomorrow"]
    assert humanize.naturaldate(dt.datetime(2150, 7, 9, 23, tzinfo=east)) == "Jul 09 2150"
