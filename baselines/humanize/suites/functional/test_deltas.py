"""Spans of time in one unit, and moments seen from another."""

import datetime as dt

import humanize

NOW = dt.datetime(2021, 6, 15, 12, 0, 0)
DAY = 86400


def test_less_than_a_day():
    seconds = [0, 0.4, 1, 1.9, 2, 59, 60, 89, 91, 3599, 3600, 5399, 5401, 7200, 82800, 86000]
    assert [humanize.naturaldelta(value) for value in seconds] == [
        "a moment",
        "a moment",
        "a second",
        "a second",
        "2 seconds",
        "59 seconds",
        "a minute",
        "a minute",
        "2 minutes",
        "an hour",
        "an hour",
        "an hour",
        "2 hours",
        "2 hours",
        "23 hours",
        "a day",
    ]


def test_days_and_months():
    days = [1, 2, 15, 16, 30, 45, 46, 100, 200, 349, 355, 364]
    assert [humanize.naturaldelta(dt.timedelta(days=value)) for value in days] == [
        "a day",
        "2 days",
        "15 days",
        "a month",
        "a month",
        "a month",
        "2 months",
        "3 months",
        "7 months",
        "11 months",
        "a year",
        "a year",
    ]
    assert [humanize.naturaldelta(dt.timedelta(days=value), months=False) for value in days[3:8]] == [
        "16 days",
        "30 days",
        "45 days",
        "46 days",
        "100 days",
    ]


def test_years():
    days = [365, 366, 375, 380, 396, 427, 600, 729, 730, 1000, 1460, 36500, 365 * 1500]
    assert [humanize.naturaldelta(value * DAY) for value in days] == [
        "a year",
        "1 year, 1 day",
        "1 year, 10 days",
        "1 year, 15 days",
        "1 year, 1 month",
        "1 year, 2 months",
        "1 year, 8 months",
        "2 years",
        "2 years",
        "3 years",
        "4 years",
        "100 years",
        "1,500 years",
    ]
    assert [humanize.naturaldelta(dt.timedelta(days=value), months=False) for value in (365, 366, 427, 729)] == [
        "a year",
        "1 year, 1 day",
        "1 year, 62 days",
        "1 year, 364 days",
    ]


def test_smaller_units():
    values = [0.0000005 * 2, 0.000999, 0.001, 0.0042, 0.999, 1, 5]
    assert [humanize.naturaldelta(value, minimum_unit="microseconds") for value in values] == [
        "1 microsecond",
        "999 microseconds",
        "1 millisecond",
        "4 milliseconds",
        "999 milliseconds",
        "a second",
        "5 seconds",
    ]
    assert [humanize.naturaldelta(value, minimum_unit="milliseconds") for value in (0.0001, 0.001, 0.25, 61)] == [
        "0 milliseconds",
        "1 millisecond",
        "250 milliseconds",
        "a minute",
    ]


def test_signs_are_dropped():
    assert [humanize.naturaldelta(-7200), humanize.naturaldelta(dt.timedelta(days=-3)), humanize.naturaldelta(-90000.5)] == [
        "2 hours",
        "3 days",
        "a day",
    ]


def test_numbers_of_seconds_ago_and_from_now():
    assert [humanize.naturaltime(value, when=NOW) for value in (0, 1, 45, 3000, 400000)] == [
        "now",
        "a second ago",
        "45 seconds ago",
        "50 minutes ago",
        "4 days ago",
    ]
    assert [humanize.naturaltime(value, future=True, when=NOW) for value in (0, 1, 45, 40 * DAY)] == [
        "now",
        "a second from now",
        "45 seconds from now",
        "a month from now",
    ]


def test_moments_seen_from_another():
    moments = [
        dt.datetime(2021, 6, 15, 11, 58),
        dt.datetime(2021, 6, 15, 15, 0),
        dt.datetime(2021, 6, 17, 12, 0),
        dt.datetime(2020, 6, 14),
        dt.datetime(2031, 1, 1),
        NOW,
    ]
    assert [humanize.naturaltime(moment, when=NOW) for moment in moments] == [
        "2 minutes ago",
        "3 hours from now",
        "2 days from now",
        "1 year, 1 day ago",
        "10 years from now",
        "now",
    ]


def test_moments_seen_from_the_present():
    utc, span = dt.timezone.utc, dt.timedelta(days=3, hours=1)
    assert [
        humanize.naturaltime(dt.datetime.now() - span),
        humanize.naturaltime(dt.datetime.now() + span),
        humanize.naturaltime(dt.datetime.now(utc) - 9 * span),
    ] == ["3 days ago", "3 days from now", "a month ago"]


def test_spans_lie_in_the_past_unless_negative():
    spans = [dt.timedelta(hours=5), dt.timedelta(hours=-5), dt.timedelta(days=100), dt.timedelta(milliseconds=-70)]
    assert [humanize.naturaltime(span, when=NOW) for span in spans] == ["5 hours ago", "5 hours from now", "3 months ago", "now"]
    assert [humanize.naturaltime(span, months=False, minimum_unit="milliseconds", when=NOW) for span in spans[2:]] == [
        "100 days ago",
        "70 milliseconds from now",
    ]


def test_time_zones_are_taken_into_account():
    tokyo, lima = dt.timezone(dt.timedelta(hours=9)), dt.timezone(dt.timedelta(hours=-5))
    when = dt.datetime(2021, 6, 15, 12, 0, tzinfo=tokyo)
    moments = [dt.datetime(2021, 6, 14, 22, 0, tzinfo=lima), dt.datetime(2021, 6, 15, 12, 0, tzinfo=lima)]
    assert [humanize.naturaltime(moment, when=when) for moment in moments] == ["now", "14 hours from now"]
