"""What is no number, no span and no date."""

import datetime as dt

import humanize
import pytest


def test_what_is_no_number_is_returned_as_text():
    functions = [humanize.ordinal, humanize.intcomma, humanize.intword, humanize.apnumber, humanize.fractional, humanize.scientific]
    texts = [[function(value) for function in functions] for value in ("ten", None, [1, 2], "")]
    assert texts == [["ten"] * 6, ["None"] * 6, ["[1, 2]"] * 6, [""] * 6]
    assert [humanize.intcomma("1.2.3"), humanize.ordinal("3rd")] == ["1.2.3", "3rd"]


def test_numbers_that_are_not_finite():
    functions = [
        humanize.ordinal,
        humanize.intcomma,
        humanize.intword,
        humanize.apnumber,
        humanize.fractional,
        humanize.scientific,
        humanize.metric,
        humanize.clamp,
    ]
    texts = [[function(float(value)) for function in functions] for value in ("nan", "inf", "-inf")]
    assert texts == [["NaN"] * 8, ["+Inf"] * 8, ["-Inf"] * 8]
    assert [humanize.intcomma("inf"), humanize.intword("-inf"), humanize.apnumber("nan")] == ["+Inf", "-Inf", "NaN"]


def test_formats_of_other_types_are_refused():
    with pytest.raises(ValueError):
        humanize.clamp(5, format=7)
    with pytest.raises(ValueError):
        humanize.clamp(5, format=None, floor=9)
    assert [humanize.clamp(None), humanize.clamp(5, format=lambda value: f"<{value:03d}>")] == [None, "<005>"]


def test_sizes_that_are_no_numbers_are_refused():
    refused = []
    for value in ("ten", None, [1]):
        try:
            humanize.naturalsize(value)
        except (TypeError, ValueError):
            refused.append(str(value))
    assert refused == ["ten", "None", "[1]"]
    assert humanize.naturalsize("2500") == "2.5 kB"


def test_unknown_units_are_refused():
    refused = []
    for unit in ("minutes", "hours", "days", "years"):
        try:
            humanize.naturaldelta(100, minimum_unit=unit)
        except ValueError:
            refused.append(unit)
    assert refused == ["minutes", "hours", "days", "years"]
    with pytest.raises(KeyError):
        humanize.precisedelta(100, minimum_unit="fortnights")
    with pytest.raises(KeyError):
        humanize.precisedelta(100, suppress=["weeks"])
    assert humanize.precisedelta(100, minimum_unit="minutes") == "1.67 minutes"


def test_no_unit_left_is_refused():
    with pytest.raises(ValueError):
        humanize.precisedelta(100, minimum_unit="years", suppress=["years"])
    with pytest.raises(ValueError):
        humanize.precisedelta(100, minimum_unit="days", suppress=["days", "months", "years"])
    assert humanize.precisedelta(dt.timedelta(days=100), minimum_unit="days", suppress=["days", "months"]) == "0.27 years"


def test_spans_that_are_none_are_returned_as_text():
    when = dt.datetime(2021, 6, 15)
    assert [humanize.naturaldelta("soon"), humanize.naturaldelta([7]), humanize.naturaltime("later", when=when)] == ["soon", "[7]", "later"]
    assert [humanize.precisedelta("soon"), humanize.naturaltime([7], when=when), humanize.precisedelta([8, 9])] == ["soon", "[7]", "[8, 9]"]


def test_numbers_of_seconds_beyond_all_spans_are_refused():
    with pytest.raises(OverflowError):
        humanize.naturaldelta(1e20)
    assert humanize.naturaldelta(1e13) == "317,098 years"


def test_dates_that_are_none_are_returned_as_text():
    values = [None, "tomorrow", 20210615, [2021, 6, 15]]
    assert [humanize.naturalday(value) for value in values] == ["None", "tomorrow", "20210615", "[2021, 6, 15]"]
    assert [humanize.naturaldate(value) for value in values] == ["None", "tomorrow", "20210615", "[2021, 6, 15]"]
