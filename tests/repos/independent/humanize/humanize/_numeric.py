"""Helpers to understand values as numbers and to format them."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

Number = int | float | Decimal | Fraction

_NUMBER_IN_TEXT = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def parse(value: Any) -> Number | None:
    """Return the number that a value is or, being a text, holds; otherwise None."""
    if isinstance(value, (int, float, Decimal, Fraction)):
        return value
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            pass
        try:
            return Decimal(value.strip())
        except InvalidOperation:
            return None
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Rational):
        return Fraction(value.numerator, value.denominator)
    if isinstance(value, Real):
        return float(value)
    return None


def not_finite(number: Number) -> str | None:
    """Return the text for NaN and infinities, None for other numbers."""
    if isinstance(number, (int, Fraction)):
        return None
    if isinstance(number, Decimal):
        if number.is_finite():
            return None
        nan = number.is_nan()
    else:
        if math.isfinite(number):
            return None
        nan = math.isnan(number)
    if nan:
        return "NaN"
    return "+Inf" if number > 0 else "-Inf"


def understand(value: Any) -> tuple[Number, None] | tuple[None, str]:
    """Return the finite number that a value is, or else the text to return for it."""
    number = parse(value)
    if number is None:
        return None, str(value)
    text = not_finite(number)
    if text is not None:
        return None, text
    return number, None


def to_decimal(number: Number) -> Decimal:
    """Return the number as a decimal, exactly where that is possible."""
    if isinstance(number, Fraction):
        return Decimal(number.numerator) / Decimal(number.denominator)
    return Decimal(number)


def apply_format(format: str, number: int | float | Fraction) -> str:
    """Put a number into a `%` format; one too large for a float is written whole."""
    try:
        return format % float(number)
    except OverflowError:
        return str(int(number))


def number_in(text: str) -> Fraction | None:
    """Return the first number in a formatted text."""
    match = _NUMBER_IN_TEXT.search(text)
    return None if match is None else Fraction(match.group())


def scale(number: int | float | Fraction, sizes: list[int], format: str) -> tuple[str, int]:
    """Write a number in the largest of the sizes (ascending) that is not above it.

    What rounds up to the next size is 1 of that. The number is at least the first size.
    Return the text and the index of the size.
    """
    index = bisect_right(sizes, abs(number)) - 1
    try:
        text = format % (number / sizes[index])
    except OverflowError:
        text = str(int(number) // sizes[index])
    if index + 1 < len(sizes):
        try:
            shown: float | Fraction | None = float(text)
        except ValueError:
            shown = number_in(text)
        if shown is not None and abs(shown) >= float(sizes[index + 1] // sizes[index]):
            index += 1
            text = format % (1.0 if number > 0 else -1.0)
    return text, index
