"""Numbers in words, with commas, prefixes or fractions, and between limits."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ._numeric import parse, scale, to_decimal, understand

_WORDS = (
    "thousand million billion trillion quadrillion quintillion sextillion septillion "
    "octillion nonillion decillion googol"
).split()
_POWERS = [10**exponent for exponent in (*range(3, 34, 3), 100)]
_DIGIT_WORDS = "zero one two three four five six seven eight nine".split()
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "+")
_PREFIXES = dict(zip(range(-10, 11), [*"qryzafpnμm", "", *"kMGTPEZYRQ"]))
_PLAIN_NUMBER = re.compile(r"([-+]?)(\d*)((?:\.\d*)?)")


def ordinal(value: Any, gender: str = "male") -> str:
    """Write the whole part as `1st`, `2nd`, `3rd`; `gender` makes no difference."""
    number, text = understand(value)
    if number is None:
        return text
    whole = int(number)
    if abs(whole) % 100 in (11, 12, 13):
        suffix = "th"
    else:
        suffix = {1: "st", 2: "nd", 3: "rd"}.get(abs(whole) % 10, "th")
    return f"{whole}{suffix}"


def intcomma(value: Any, ndigits: int | None = None) -> str:
    """Write a number with commas between the thousands.

    :param value: a number, or a text that holds one, with commas or without
    :param ndigits: round to so many decimal places
    """
    plain = value.replace(",", "").strip() if isinstance(value, str) else value
    number, text = understand(plain)
    if number is None:
        return str(value) if parse(plain) is None else text
    if ndigits is not None:
        if isinstance(number, int):
            number = Decimal(round(number, min(ndigits, 0)))
        return format(to_decimal(number), f",.{max(ndigits, 0)}f")
    if isinstance(number, int):
        return f"{number:,}"
    if isinstance(number, Fraction):
        number = float(number)
    digits = _PLAIN_NUMBER.fullmatch(plain if isinstance(plain, str) else str(number))
    if digits is None:  # with an exponent
        digits = _PLAIN_NUMBER.fullmatch(format(Decimal(str(number)), "f"))
        assert digits is not None
    sign, whole, rest = digits.groups()
    return f"{sign}{int(whole or '0'):,}{rest}"


def intword(value: Any, format: str = "%.1f") -> str:
    """Write a large number in words, as `1.2 million`; below 1000 the whole part."""
    number, text = understand(value)
    if number is None:
        return text
    whole = int(number)
    if abs(whole) < 1000:
        return str(whole)
    text, index = scale(whole, _POWERS, format)
    return f"{text} {_WORDS[index]}"


def apnumber(value: Any) -> str:
    """Write `zero` to `nine` as words, other numbers as whole numbers in digits."""
    number, text = understand(value)
    if number is None:
        return text
    whole = int(number)
    return _DIGIT_WORDS[whole] if 0 <= whole <= 9 else str(whole)


def fractional(value: Any) -> str:
    """Write a number as a whole number, a fraction or both, as `1 3/10`."""
    number, text = understand(value)
    if number is None:
        return text
    fraction = Fraction(number).limit_denominator(1000)
    sign = "-" if fraction < 0 else ""
    whole, rest = divmod(abs(fraction.numerator), fraction.denominator)
    if rest == 0:
        return f"{sign}{whole}"
    part = f"{rest}/{fraction.denominator}"
    return f"{sign}{whole} {part}" if whole else f"{sign}{part}"


def scientific(value: Any, precision: int = 2) -> str:
    """Write a number times a power of ten, as `5.00 x 10²`."""
    number, text = understand(value)
    if number is None:
        return text
    mantissa, exponent = _mantissa_and_exponent(to_decimal(number), precision)
    return f"{mantissa} x 10{str(exponent).translate(_SUPERSCRIPTS)}"


def metric(value: Any, unit: str = "", precision: int = 3) -> str:
    """Write a number with an SI prefix, as `1.50 kV`.

    :param value: the number
    :param unit: its unit
    :param precision: the number of significant digits
    """
    number, text = understand(value)
    if number is None:
        return text
    exact = to_decimal(number)
    precision = max(precision, 1)
    mantissa, exponent = _mantissa_and_exponent(exact, precision - 1)
    if exponent >= 33 or (exact and abs(exact) < Decimal("1e-30")):
        return scientific(number, precision - 1) + unit

    thousands, leading = divmod(exponent, 3)
    leading += 1  # digits before the point
    sign = "-" if mantissa.startswith("-") else ""
    digits = mantissa.lstrip("-").replace(".", "").ljust(leading, "0")
    shown = sign + digits[:leading] + ("." if digits[leading:] else "") + digits[leading:]
    prefix = _PREFIXES[thousands]
    blank = "" if unit in ("°", "′", "″") or not (prefix or unit) else " "
    return f"{shown}{blank}{prefix}{unit}"


def _mantissa_and_exponent(number: Decimal, places: int) -> tuple[str, int]:
    """Return the rounded mantissa, with so many decimal places, and the exponent of ten."""
    # Decimals write the exponent of zero according to its digits, floats do not.
    text = format(number if number else 0.0, f".{places}e")
    mantissa, _, exponent = text.partition("e")
    return mantissa, int(exponent)


def clamp(
    value: Any,
    format: str | Callable[[Any], str] = "{:}",
    floor: float | None = None,
    ceil: float | None = None,
    floor_token: str = "<",
    ceil_token: str = ">",
) -> str | None:
    """Write a number that is kept between limits.

    :param value: the number; None gives None
    :param format: a format text, or a function from the number to its text
    :param floor: the lower limit
    :param ceil: the upper limit
    :param floor_token: stands in front of the lower limit when the value is below it
    :param ceil_token: stands in front of the upper limit when the value is above it
    """
    if value is None:
        return None
    if isinstance(format, str):
        write: Callable[[Any], str] = format.format
    elif callable(format):
        write = format
    else:
        raise ValueError("the format must be a text or a function")
    number, text = understand(value)
    if number is None:
        return text
    if floor is not None and number < floor:
        return floor_token + write(floor)
    if ceil is not None and number > ceil:
        return ceil_token + write(ceil)
    return write(number)
