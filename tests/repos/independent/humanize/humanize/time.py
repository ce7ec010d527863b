"""Spans of time, moments and days."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ._numeric import apply_format, number_in, parse
from .lists import natural_list
from .number import intcomma

_DAY = 24 * 60 * 60 * 1_000_000
_MICROSECONDS = {
    "years": 365 * _DAY,
    "months": 61 * _DAY // 2,
    "days": _DAY,
    "hours": 3_600_000_000,
    "minutes": 60_000_000,
    "seconds": 1_000_000,
    "milliseconds": 1000,
    "microseconds": 1,
}
_FIVE_MONTHS = Fraction(5 * 365, 12)


def _span(value: Any) -> dt.timedelta | None:
    """Return a span of time or a number of seconds as a `timedelta`, otherwise None."""
    if isinstance(value, dt.timedelta):
        return value
    if isinstance(value, str):
        return None
    number = parse(value)
    if number is None:
        return None
    if isinstance(number, (Decimal, Fraction)):
        number = float(number)
    if math.isnan(number):
        return None
    return dt.timedelta(seconds=number)


def _count(number: int, unit: str, one: str = "1") -> str:
    """Write a number of units, which are named in the singular."""
    return f"{one} {unit}" if number == 1 else f"{intcomma(number)} {unit}s"


def _months(days: int) -> int:
    """Return days as months of 30.5 days, rounded."""
    return round(days / 30.5)


def naturaldelta(
    value: dt.timedelta | float, months: bool = True, minimum_unit: str = "seconds"
) -> str:
    """Write a span of time, without its sign, in one unit.

    :param value: a `timedelta` or a number of seconds
    :param months: use months, too
    :param minimum_unit: `seconds`, `milliseconds` or `microseconds`
    """
    if minimum_unit not in ("seconds", "milliseconds", "microseconds"):
        raise ValueError(f"minimum unit {minimum_unit!r} is not supported")
    span = _span(value)
    if span is None:
        return str(value)
    span = abs(span)
    if span.days == 0:
        if span.seconds == 0:
            return _below_a_second(span.microseconds, minimum_unit)
        return _below_a_day(span.seconds)
    return _days(span.days, months)


def _below_a_second(microseconds: int, minimum_unit: str) -> str:
    if minimum_unit == "seconds":
        return "a moment"
    if minimum_unit == "microseconds" and microseconds < 1000:
        return _count(microseconds, "microsecond")
    return _count(microseconds // 1000, "millisecond")


def _below_a_day(seconds: int) -> str:
    if seconds < 60:
        return _count(seconds, "second", "a")
    minutes = round(seconds / 60)
    if minutes < 60:
        return _count(minutes, "minute", "a")
    hours = round(seconds / 3600) if seconds >= 3600 else 1
    return "a day" if hours == 24 else _count(hours, "hour", "an")


def _days(days: int, months: bool) -> str:
    years, rest = divmod(days, 365)
    if years >= 2:
        return _count(round(days / 365), "year")
    number = _months(rest) if months else 0
    if years == 0:
        if number == 12:
            return "a year"
        return _count(number, "month", "a") if number else _count(days, "day", "a")
    if rest == 0:
        return "a year"
    if number == 12:
        return "2 years"
    return "1 year, " + (_count(number, "month") if number else _count(rest, "day"))


def _difference(later: dt.datetime, earlier: dt.datetime) -> dt.timedelta:
    """Return the span between two moments; without a time zone it is the local one."""
    if later.utcoffset() is None and earlier.utcoffset() is None:
        return later.replace(tzinfo=None) - earlier.replace(tzinfo=None)
    if later.utcoffset() is None:
        later = later.replace(tzinfo=None).astimezone()
    if earlier.utcoffset() is None:
        earlier = earlier.replace(tzinfo=None).astimezone()
    # Subtracting datetimes of one and the same zone would ignore changes of its offset.
    clocks = later.replace(tzinfo=None) - earlier.replace(tzinfo=None)
    return clocks - (later.utcoffset() - earlier.utcoffset())  # type: ignore[operator]


def naturaltime(
    value: dt.datetime | dt.timedelta | float,
    future: bool = False,
    months: bool = True,
    minimum_unit: str = "seconds",
    when: dt.datetime | None = None,
) -> str:
    """Write a moment as seen from another, as `2 hours ago`.

    :param value: a moment, a `timedelta` (positive ones lie in the past) or a number of
        seconds
    :param future: a number of seconds lies in the future
    :param months: use months, too
    :param minimum_unit: as for `naturaldelta`
    :param when: the present, by default the clock's
    """
    span: dt.timedelta | None
    if isinstance(value, dt.datetime):
        if when is None:
            when = dt.datetime.now(None if value.utcoffset() is None else dt.timezone.utc)
        span = _difference(when, value)
        future = span < dt.timedelta(0)
    else:
        span = _span(value)
        if isinstance(value, dt.timedelta):
            future = value < dt.timedelta(0)
    if span is None:
        return str(value)
    text = naturaldelta(span, months, minimum_unit)
    if text == "a moment":
        return "now"
    return text + (" from now" if future else " ago")


def precisedelta(
    value: dt.timedelta | float,
    minimum_unit: str = "seconds",
    suppress: Iterable[str] = (),
    format: str = "%0.2f",
) -> str:
    """Write a span of time, without its sign, in all its units.

    :param value: a `timedelta` or a number of seconds
    :param minimum_unit: the smallest unit, from `years` to `microseconds`
    :param suppress: units that are left out
    :param format: a `%` format for the smallest unit where it is not whole
    """
    names = list(_MICROSECONDS)
    suppressed = set(suppress)
    for name in (minimum_unit, *suppressed):
        if name not in _MICROSECONDS:
            raise KeyError(name)
    units = [
        name for name in names[: names.index(minimum_unit) + 1] if name not in suppressed
    ]
    if not units:
        raise ValueError("all units are suppressed")
    span = _span(value)
    if span is None:
        return str(value)
    total = abs(span) // dt.timedelta(microseconds=1)

    *larger, smallest = units
    numbers, rest = _split(total, larger)
    text, shown = _smallest(Fraction(rest, _MICROSECONDS[smallest]), format)
    if larger and shown * _MICROSECONDS[smallest] >= _MICROSECONDS[larger[-1]]:
        # It was rounded up to one more of the next larger unit.
        numbers, rest = _split(total - rest + _MICROSECONDS[larger[-1]], larger)
        text, shown = _smallest(Fraction(rest, _MICROSECONDS[smallest]), format)

    parts = [
        f"{intcomma(number) if name == 'years' else number} {name[:-1] if number == 1 else name}"
        for name, number in zip(larger, numbers)
        if number
    ]
    if shown or not parts:
        if smallest == "years" and shown.denominator == 1:
            text = intcomma(text)
        parts.append(f"{text} {smallest[:-1] if shown == 1 else smallest}")
    return natural_list(parts)


def _split(microseconds: int, units: list[str]) -> tuple[list[int], int]:
    """Return the whole numbers of the units, and what is left."""
    numbers = []
    for name in units:
        number, microseconds = divmod(microseconds, _MICROSECONDS[name])
        numbers.append(number)
    return numbers, microseconds


def _smallest(number: Fraction, format: str) -> tuple[str, Fraction]:
    """Return the text for a number of the smallest unit, and the number it shows."""
    if number.denominator == 1:
        return str(number), number
    text = apply_format(format, number)
    shown = number_in(text)
    if shown is None:
        return text, number
    return (str(shown) if shown.denominator == 1 else text), shown


def _days_away(value: Any) -> tuple[dt.date, int] | None:
    """Return the day of a value, and how many days after today it is."""
    if isinstance(value, dt.datetime):
        today = dt.datetime.now(value.tzinfo).date()
        day = value.date()
    elif isinstance(value, dt.date):
        today = dt.date.today()
        day = value
    else:
        return None
    return day, day.toordinal() - today.toordinal()


def naturalday(value: dt.date, format: str = "%b %d") -> str:
    """Write `today`, `tomorrow`, `yesterday`, or otherwise the date by the format."""
    found = _days_away(value)
    if found is None:
        return str(value)
    _, away = found
    words = {0: "today", 1: "tomorrow", -1: "yesterday"}
    return words[away] if away in words else value.strftime(format)


def naturaldate(value: dt.date) -> str:
    """Write a day as `naturalday`, with the year if it is over five months away."""
    found = _days_away(value)
    if found is not None and abs(found[1]) > _FIVE_MONTHS:
        return naturalday(value, "%b %d %Y")
    return naturalday(value)
