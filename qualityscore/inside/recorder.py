"""What a derived suite calls in place of its assertions: operands go out as plain data, and nothing is judged here.

Standard library and pytest only; runs inside the sandbox, in reach of the subject. What is recorded here proves
nothing until the judge's predicates hold over it.
"""

from collections import UserList, UserString, abc
from types import MappingProxyType

import encode
import naming
import pytest
import wire
from _pytest.outcomes import OutcomeException

_CAP = 900_000  # bytes of all records of a test; the unit's messages are capped at about a mebibyte
_TEXT = 20_000
# ids of types whose reduction to plain data compares like the value itself
_COMPARABLE = frozenset(
    id(kind)
    for kind in {*(list, tuple, dict, set, frozenset, str, bytes, bytearray, int, float, complex, BaseException, type)}
    | {abc.Mapping, abc.Set, UserList, UserString, MappingProxyType, type({}.keys()), type({}.items())}
)


class Recorder:
    """Records of one test: JSON texts of [key, number of the first operand, [encoded operands]]."""

    def __init__(self):
        self.records = []
        self._left = _CAP

    def values(self, key, first, *operands):
        """Record operands whose evaluation belongs together."""
        self._put(key, first, [_encoded(operand) for operand in operands])

    def truth(self, key, first, operand):
        """Record what `assert operand` would have asked."""
        self._put(key, first, [True if operand else False])  # noqa: SIM210 - bool() may be shadowed in a suite

    def identity(self, key, first, operand):
        """Record which of the constants that `is` makes sense for the operand is."""
        for name, constant in (("None", None), ("True", True), ("False", False), ("Ellipsis", ...)):
            if operand is constant:
                self._put(key, first, [name])
                return
        self._put(key, first, ["other"])

    def raises(self, key, expected):
        """In place of `pytest.raises(...)`; `expected` is None where only the judge knows it."""
        return _Raises(self, key, expected, pytest.ExceptionInfo.for_later())

    def case_raises(self, key, expected):
        """In place of `self.assertRaises(...)`."""
        return _Raises(self, key, expected, None)

    def raises_call(self, key, expected, function, *args, **kwargs):
        """In place of `pytest.raises(X, function, ...)` and `self.assertRaises(X, function, ...)`."""
        context = self.raises(key, expected)
        with context as info:
            function(*args, **kwargs)
        return info

    def raised(self, key, error, expected):
        """Record an exception (or None): its classes by name, its text, whether it is an `expected` one."""
        if error is None:
            self._put(key, 0, [encode.encode((None, "", False))])
            return
        classes = naming.mro(type(error))
        names = tuple(naming.type_name(kind) for kind in classes)
        self._put(key, 0, [encode.encode((names, _text(error), _is_any(classes, expected)))])

    def _put(self, key, first, encoded):
        text = wire.dumps([key, first, encoded])
        if len(text) > self._left:
            text = wire.dumps([key, first, [{"cut": "message"}] * len(encoded)])
        self._left -= len(text)
        self.records.append(text)


def _is_any(classes, expected):
    """Whether one of the classes is the expected one, or one of a tuple, as `except` finds it; asks no metaclass."""
    if type(expected) is tuple:
        return any(_is_any(classes, one) for one in expected)
    return any(kind is expected for kind in classes)


def _encoded(operand):
    """Canonical data; what only resembles a list (a deque, another sequence) is marked so, as it equals none."""
    encoded = encode.encode(operand)
    if type(encoded) is dict and "as" in encoded and _COMPARABLE.isdisjoint(map(id, naming.mro(type(operand)))):
        return {"like": [encoded["as"], encoded["v"]]}
    return encoded


class _Raises:
    """Swallows whatever the block raises, and records it; outcomes of pytest itself (skip, fail) pass through."""

    def __init__(self, recorder, key, expected, info):
        self._recorder, self._key, self._expected, self._info = recorder, key, expected, info
        self.exception = None

    def __enter__(self):
        return self if self._info is None else self._info

    def __exit__(self, kind, error, trace):
        if kind is not None and issubclass(kind, OutcomeException) and self._expected is None:
            return False
        self._recorder.raised(self._key, error, self._expected)
        if kind is None:
            return False
        if self._info is None:
            self.exception = error.with_traceback(None)
        else:
            self._info.fill_unfilled((kind, error, trace))
        return True


def _text(error):
    """The text that `match` is searched in: str() and the notes, line by line."""
    try:
        notes = getattr(error, "__notes__", ())
        return "\n".join([str(error), *map(str, notes)])[:_TEXT]
    except Exception:
        return ""
