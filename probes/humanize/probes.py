"""Properties of the humanize task: each docstring states the documented claim."""

import datetime
import fractions

import humanize
from hypothesis import assume, given
from hypothesis import strategies as st

WHOLE = st.integers(-(10**15), 10**15)
LARGE = st.integers(0, 10**36)
SPAN = st.timedeltas(datetime.timedelta(0), datetime.timedelta(days=50_000))
WORDS = ["thousand", "million", "billion", "trillion", "quadrillion", "quintillion", "sextillion", "septillion", "octillion"]
UNITS = {"year": 365 * 86400, "month": 30.5 * 86400, "day": 86400, "hour": 3600, "minute": 60, "second": 1}


@given(WHOLE, st.integers(0, 4))
def prop_commas_only_add_commas(number, places):
    """intcomma adds commas between thousands and nothing else, to numbers and to texts that hold one."""
    text = humanize.intcomma(number)
    assert text.replace(",", "") == str(number)
    groups = text.lstrip("-").split(",")
    assert 1 <= len(groups[0]) <= 3
    assert all(len(group) == 3 for group in groups[1:])
    assert humanize.intcomma(str(number)) == humanize.intcomma(text) == text
    assert humanize.intcomma(number, places) == text + ("." + "0" * places if places else "")


@given(WHOLE.map(abs))
def prop_ordinals_end_as_they_are_spoken(number):
    """An ordinal is the number with the ending of its last digit, th for the teens."""
    text = humanize.ordinal(number)
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    assert text == f"{number}{ending}"
    assert humanize.ordinal(str(number)) == humanize.ordinal(number, gender="female") == text


@given(st.integers(1000, 10**28))
def prop_words_are_within_their_rounding(number):
    """intword gives a number of the largest fitting unit, within half of its last place, and keeps the sign."""
    text = humanize.intword(number)
    amount, word = text.split(" ")
    unit = 1000 ** (WORDS.index(word) + 1)
    assert 1 <= float(amount) < 1000
    assert abs(fractions.Fraction(amount) * unit - number) <= fractions.Fraction(51, 1000) * unit
    assert humanize.intword(-number) == "-" + text
    assert humanize.intword(str(number)) == text


@given(st.floats(-1000, 1000, allow_nan=False))
def prop_fractions_are_near(number):
    """fractional gives a whole number, a fraction or both that lies near, with a denominator of at most 1000."""
    text = humanize.fractional(number)
    parts = text.lstrip("-").split(" ")
    value = sum(fractions.Fraction(part) for part in parts)
    assert abs((-value if text.startswith("-") else value) - fractions.Fraction(number)) <= fractions.Fraction(1, 1000)
    assert all(fractions.Fraction(part).denominator <= 1000 for part in parts)
    assert text.count("-") <= 1


@given(st.floats(1e-25, 1e25), st.integers(1, 6))
def prop_powers_of_ten_are_near(number, precision):
    """scientific gives one digit before the point, so many after it, and the power in superscript."""
    text = humanize.scientific(number, precision)
    amount, power = text.split(" x 10")
    exponent = int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")))
    assert len(amount) == precision + 2
    assert 1 <= float(amount) < 10
    assert abs(float(amount) * 10.0**exponent - number) <= 10.0 ** (exponent - precision)
    assert humanize.scientific(-number, precision) == "-" + text


@given(st.integers(0, 10**30))
def prop_sizes_are_near_and_short(number):
    """naturalsize gives a number below the base with its unit, near the size; the sign is kept."""
    for options, base in [({}, 1000), ({"binary": True}, 1024), ({"gnu": True}, 1024)]:
        text = humanize.naturalsize(number, **options)
        unit = text.lstrip("0123456789.").strip()
        power = 0 if unit in ("B", "Byte", "Bytes") else "KMGTPEZYRQ".index(unit[0].upper()) + 1
        amount = float(text[: len(text) - len(text.lstrip("0123456789."))])
        assert amount < base
        assert abs(amount * base**power - number) <= 0.0501 * base**power + number * 1e-12
        assert humanize.naturalsize(str(number), **options) == text
        if number:
            assert humanize.naturalsize(-number, **options) == "-" + text


@given(st.floats(-100, 100), st.floats(-50, 0), st.floats(0, 50))
def prop_limits_are_kept(number, floor, ceil):
    """clamp gives the number between the limits, and a limit with its token beyond them."""
    text = humanize.clamp(number, floor=floor, ceil=ceil)
    if number < floor:
        assert text == f"<{floor}"
    elif number > ceil:
        assert text == f">{ceil}"
    else:
        assert text == f"{number}"
    assert humanize.clamp(number) == f"{number}"


@given(st.lists(st.text("abc", min_size=1, max_size=3), max_size=6))
def prop_lists_have_one_and(items):
    """natural_list joins by commas, and by 'and' before the last."""
    text = humanize.natural_list(items)
    assert text.replace(" and ", ", ") == ", ".join(items)
    assert text.count(" and ") == (1 if len(items) > 1 else 0)


@given(SPAN)
def prop_spans_in_one_unit_are_near(span):
    """naturaldelta names the span within a unit of the kind that it uses, whatever the sign."""
    text = humanize.naturaldelta(span)
    assert humanize.naturaldelta(-span) == text
    assert humanize.naturaltime(span, when=datetime.datetime(2200, 1, 1)) == ("now" if text == "a moment" else text + " ago")
    assume(text != "a moment")
    total = 0.0
    for part in text.split(", ") if text.startswith("1 year, ") else [text]:
        amount, unit = part.replace("an ", "1 ").replace("a ", "1 ").split(" ")
        size = UNITS[unit.rstrip("s")]
        total += float(amount.replace(",", "")) * size
    assert abs(total - span.total_seconds()) <= max(size, span.total_seconds() * 0.02)


@given(st.timedeltas(datetime.timedelta(seconds=1), datetime.timedelta(days=30)), st.sampled_from(["seconds", "microseconds"]))
def prop_precise_spans_add_up(span, unit):
    """The parts that precisedelta names add up to the span, largest unit first, none of them zero."""
    text = humanize.precisedelta(span, minimum_unit=unit)
    sizes = {**UNITS, "millisecond": 1e-3, "microsecond": 1e-6}
    total, last = 0.0, float("inf")
    for part in text.replace(" and ", ", ").split(", "):
        amount, name = part.split(" ")
        size = sizes[name.removesuffix("s")]
        assert size < last
        assert float(amount) > 0
        assert name.endswith("s") == (float(amount) != 1)
        total, last = total + float(amount) * size, size
    assert abs(total - span.total_seconds()) <= (0.0051 if unit == "seconds" else 1e-6)
