"""Numbers of bytes."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from ._numeric import parse, scale, understand

_LETTERS = "KMGTPEZYRQ"
_DECIMAL_UNITS = ["kB", *(letter + "B" for letter in _LETTERS[1:])]
_BINARY_UNITS = [letter + "iB" for letter in _LETTERS]
_THOUSANDS = [1000**power for power in range(1, 11)]
_POWERS_OF_1024 = [1024**power for power in range(1, 11)]


def naturalsize(
    value: Any, binary: bool = False, gnu: bool = False, format: str = "%.1f"
) -> str:
    """Write a number of bytes, as `3.0 MB`, `2.9 MiB` or `2.9M`.

    :param value: the number of bytes
    :param binary: use `KiB` and so on, by 1024
    :param gnu: use `K` and so on, by 1024
    :param format: a `%` format for the number
    :raises ValueError: for what is no number and no text that holds one
    """
    if parse(value) is None:
        raise ValueError(f"{value!r} is no number of bytes")
    number, text = understand(value)
    if number is None:
        return text
    exact = Fraction(number) if isinstance(number, Decimal) else number
    sizes = _POWERS_OF_1024 if binary or gnu else _THOUSANDS
    if abs(exact) < sizes[0]:
        whole = int(exact)
        if gnu:
            return f"{whole}B"
        return f"{whole} Byte" if abs(whole) == 1 else f"{whole} Bytes"
    text, index = scale(exact, sizes, format)
    if gnu:
        return text + _LETTERS[index]
    return f"{text} {(_BINARY_UNITS if binary else _DECIMAL_UNITS)[index]}"
