"""Functions that a predicate may call: constructors of plain values, and the comparisons of pytest and unittest.

Imported by the process that evaluates predicates, so standard library only.
"""

from __future__ import annotations

import builtins
import collections
import datetime
import decimal
import fractions
import math
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

CONSTRUCTORS: dict[str, Any] = {
    **{
        f"builtins.{name}": getattr(builtins, name)
        for name in (
            *("bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "range"),
            *("set", "str", "tuple", "chr", "len", "sorted"),
        )
    },
    "collections.OrderedDict": collections.OrderedDict,
    "collections.Counter": collections.Counter,
    "datetime.date": datetime.date,
    "datetime.datetime": datetime.datetime,
    "datetime.time": datetime.time,
    "datetime.timedelta": datetime.timedelta,
    "datetime.timezone": datetime.timezone,
    "decimal.Decimal": decimal.Decimal,
    "fractions.Fraction": fractions.Fraction,
    "uuid.UUID": uuid.UUID,
}
IMMUTABLE_CONSTRUCTORS = frozenset(
    {f"builtins.{n}" for n in ("bool", "bytes", "complex", "float", "int", "range", "str", "chr", "len")}
    | {f"datetime.{n}" for n in ("date", "datetime", "time", "timedelta", "timezone")}
    | {"decimal.Decimal", "fractions.Fraction", "uuid.UUID"}
)
CONSTANTS: dict[str, Any] = {
    "datetime.timezone.utc": datetime.UTC,
    "datetime.UTC": datetime.UTC,
    "math.inf": math.inf,
    "math.nan": math.nan,
    "math.pi": math.pi,
    "math.e": math.e,
}
TEXT_METHODS = frozenset({"encode", "decode", "upper", "lower", "title", "strip", "join", "replace", "center"})


def flat(dotted: str) -> str:
    """The name under which a dotted function is known to predicates."""
    return dotted.replace(".", "__")


class Approx:
    """`pytest.approx`: |actual - expected| <= max(rel * |expected|, abs), over numbers, sequences and mappings.

    Defaults rel = 1e-6, abs = 1e-12; an explicit abs without rel switches rel off. Source: pytest's documentation.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expected: Any, rel: Any = None, abs: Any = None, nan_ok: bool = False) -> None:
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs, nan_ok

    def __eq__(self, actual: object) -> bool:
        return self._close(actual, self.expected)

    def __ne__(self, actual: object) -> bool:
        return not self == actual

    def _close(self, actual: Any, expected: Any) -> bool:
        if isinstance(expected, Mapping):
            return (
                isinstance(actual, Mapping)
                and actual.keys() == expected.keys()
                and all(self._close(actual[key], value) for key, value in expected.items())
            )
        if isinstance(expected, list | tuple):
            return (
                isinstance(actual, list | tuple)
                and len(actual) == len(expected)
                and all(self._close(a, e) for a, e in zip(actual, expected, strict=True))
            )
        return self._near(actual, expected)

    def _near(self, actual: Any, expected: Any) -> bool:
        numeric = (int, float, complex, decimal.Decimal, fractions.Fraction)
        plain = any(isinstance(v, bool) or not isinstance(v, numeric) for v in (actual, expected))
        if plain or actual == expected:
            return bool(actual == expected)
        if _nan(expected):
            return bool(self.nan_ok and _nan(actual))
        if _infinite(expected) or _infinite(actual) or _nan(actual):
            return False
        exact = isinstance(expected, decimal.Decimal)
        number: Callable[[Any], Any] = (lambda v: decimal.Decimal(str(v))) if exact else (lambda v: v)
        absolute = number(1e-12 if self.abs is None else self.abs)
        relative = number(0) if self.rel is None and self.abs is not None else number(1e-6)
        if self.rel is not None:
            relative = number(self.rel)
        return bool(abs(expected - actual) <= max(relative * abs(expected), absolute))


def _nan(value: Any) -> bool:
    return bool(value != value)  # noqa: PLR0124  (the definition of not-a-number)


def _infinite(value: Any) -> bool:
    return bool(abs(value) == math.inf)


def almost_equal(first: Any, second: Any, places: Any = None, delta: Any = None) -> bool:
    """`unittest.TestCase.assertAlmostEqual`: equal, or within `delta`, or a difference that rounds to 0."""
    if first == second:
        return True
    if delta is not None:
        return bool(abs(first - second) <= delta)
    return bool(round(abs(first - second), 7 if places is None else places) == 0)


def count_equal(first: Any, second: Any) -> bool:
    """`assertCountEqual`: the same elements the same number of times, hashable or not."""
    rest = list(second)
    for element in first:
        if element not in rest:
            return False
        rest.remove(element)
    return not rest


def raised(observed: Any, names: tuple[str, ...] | None, match: str | None = None) -> bool:
    """Whether the recorded exception is of an expected class and its text matches.

    `observed` is (names of the classes in resolution order or None for no exception, text, whether the child found it
    an instance of the class that only the child knows). `names` are full names, None where only the child knows.
    """
    classes, text, instance = observed
    if classes is None:
        return False
    fits = instance is True if names is None else any(name in classes for name in names)
    return fits and (match is None or re.search(match, text) is not None)


def matches(pattern: Any, text: Any) -> bool:
    """`re.search`, as assertRegex uses it."""
    return re.search(pattern, text) is not None


FUNCTIONS: dict[str, Any] = {
    **{flat(name): value for name, value in {**CONSTRUCTORS, **CONSTANTS}.items()},
    "approx": Approx,
    "almost_equal": almost_equal,
    "count_equal": count_equal,
    "raised": raised,
    "matches": matches,
}
