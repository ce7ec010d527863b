"""Spans of time in all their units."""

import datetime as dt

import humanize


def test_all_units_that_are_not_zero():
    span = dt.timedelta(days=2, seconds=3633, microseconds=123000)
    assert [humanize.precisedelta(span), humanize.precisedelta(-span), humanize.precisedelta(3633)] == [
        "2 days, 1 hour and 33.12 seconds",
        "2 days, 1 hour and 33.12 seconds",
        "1 hour and 33 seconds",
    ]
    assert humanize.precisedelta(dt.timedelta(days=365 + 61 + 1, hours=1, minutes=1, seconds=1)) == (
        "1 year, 2 months, 1 day, 1 hour, 1 minute and 1 second"
    )


def test_larger_smallest_units():
    span = dt.timedelta(days=2, seconds=3633, microseconds=123000)
    units = ["microseconds", "milliseconds", "minutes", "hours", "days", "months", "years"]
    assert [humanize.precisedelta(span, minimum_unit=unit) for unit in units] == [
        "2 days, 1 hour, 33 seconds and 123 milliseconds",
        "2 days, 1 hour, 33 seconds and 123 milliseconds",
        "2 days, 1 hour and 0.55 minutes",
        "2 days and 1.01 hours",
        "2.04 days",
        "0.07 months",
        "0.01 years",
    ]


def test_suppressed_units():
    span = dt.timedelta(days=2, seconds=3633, microseconds=123000)
    assert [
        humanize.precisedelta(span, suppress=["days"]),
        humanize.precisedelta(span, suppress=["days", "hours"]),
        humanize.precisedelta(span, suppress=("hours", "minutes")),
        humanize.precisedelta(span, suppress=["seconds", "milliseconds", "microseconds"]),
    ] == ["49 hours and 33.12 seconds", "2940 minutes and 33.12 seconds", "2 days and 3633.12 seconds", "2 days, 1 hour and 0.55 minutes"]


def test_formats_of_the_smallest_unit():
    span = dt.timedelta(seconds=3633, microseconds=123456)
    assert [
        humanize.precisedelta(span, format="%0.4f"),
        humanize.precisedelta(span, format="%d"),
        humanize.precisedelta(span, minimum_unit="minutes", format="%0.1f"),
        humanize.precisedelta(span, minimum_unit="hours", format="%0.3f"),
    ] == ["1 hour and 33.1235 seconds", "1 hour and 33 seconds", "1 hour and 0.6 minutes", "1.009 hours"]


def test_nothing_and_one():
    assert [
        humanize.precisedelta(0),
        humanize.precisedelta(dt.timedelta(0), minimum_unit="hours"),
        humanize.precisedelta(1),
        humanize.precisedelta(dt.timedelta(microseconds=1), minimum_unit="microseconds"),
        humanize.precisedelta(dt.timedelta(days=1)),
        humanize.precisedelta(1.5),
        humanize.precisedelta(0.001, minimum_unit="milliseconds"),
    ] == ["0 seconds", "0 hours", "1 second", "1 microsecond", "1 day", "1.50 seconds", "1 millisecond"]


def test_long_spans():
    assert [
        humanize.precisedelta(dt.timedelta(days=365 * 2 + 61)),
        humanize.precisedelta(dt.timedelta(days=365 * 1200)),
        humanize.precisedelta(dt.timedelta(days=400), suppress=["months"]),
        humanize.precisedelta(dt.timedelta(days=500), minimum_unit="years"),
    ] == ["2 years and 2 months", "1,200 years", "1 year and 35 days", "1.37 years"]


def test_rounding_moves_on_to_the_next_unit():
    assert [
        humanize.precisedelta(59.999, format="%0.1f"),
        humanize.precisedelta(3599.999, format="%0.2f"),
        humanize.precisedelta(dt.timedelta(hours=1, minutes=59, seconds=59), minimum_unit="minutes", format="%d"),
    ] == ["1 minute", "1 hour", "1 hour and 59 minutes"]
