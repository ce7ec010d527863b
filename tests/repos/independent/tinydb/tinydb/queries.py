"""Queries: conditions on documents that can be built, combined and compared.

`Query` describes *where* to look (a path into a document). Comparing it with
something, or calling one of its methods, gives a `Condition`, which is called with a
document and says whether it matches.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Container, Hashable, Iterable, Mapping
from typing import Any

Predicate = Callable[[Any], bool]

_MISSING = object()


class _Opaque:
    """Makes a value hashable that is not: by its type, and compared by `==`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash(type(self.value))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Opaque) or type(self.value) is not type(other.value):
            return False
        return self.value is other.value or bool(self.value == other.value)


def _freeze(value: Any) -> Hashable:
    """Return something hashable that is equal for equal values."""
    if isinstance(value, Query):
        return ("query", *_steps_key(value))
    if isinstance(value, Mapping):
        return ("map", frozenset((_freeze(k), _freeze(v)) for k, v in value.items()))
    if isinstance(value, list):
        return ("list", *map(_freeze, value))
    if isinstance(value, tuple):
        return ("tuple", *map(_freeze, value))
    if isinstance(value, (set, frozenset)):
        return ("set", frozenset(map(_freeze, value)))
    try:
        hash(value)
    except TypeError:
        return _Opaque(value)
    return value


def _listed(items: Iterable[Any]) -> Predicate:
    """Return a fast test for being equal to one of the items."""
    hashable: set[Any] = set()
    others: list[Any] = []
    for item in items:
        try:
            hashable.add(item)
        except TypeError:
            others.append(item)

    def test(value: Any) -> bool:
        try:
            if value in hashable:
                return True
        except TypeError:
            if any(value == item for item in hashable):
                return True
        return value in others

    return test


class Condition:
    """Says of a document whether it matches; can be combined with `&`, `|` and `~`.

    Conditions that were built alike are equal and have the same hash.
    """

    __slots__ = ("_test", "_key")

    def __init__(self, test: Predicate, key: Hashable) -> None:
        self._test = test
        self._key = key

    def __call__(self, document: Mapping[str, Any]) -> bool:
        """Say whether the document matches."""
        return self._test(document)

    def __and__(self, other: Condition) -> Condition:
        _reject_bare(other)
        if not isinstance(other, Condition):
            return NotImplemented
        first, second = self._test, other._test
        return Condition(
            lambda document: first(document) and second(document),
            ("and", self._parts("and") | other._parts("and")),
        )

    def __or__(self, other: Condition) -> Condition:
        _reject_bare(other)
        if not isinstance(other, Condition):
            return NotImplemented
        first, second = self._test, other._test
        return Condition(
            lambda document: first(document) or second(document),
            ("or", self._parts("or") | other._parts("or")),
        )

    def __invert__(self) -> Condition:
        test = self._test
        return Condition(lambda document: not test(document), ("not", self._key))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Condition):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._key!r})"

    def _parts(self, kind: str) -> frozenset[Any]:
        """Return the keys of the parts joined by this kind of combination."""
        if isinstance(self._key, tuple) and self._key[0] == kind:
            return self._key[1]
        return frozenset((self._key,))


class _Field:
    """A step of a path: the field of a mapping."""

    __slots__ = ("name",)

    def __init__(self, name: Any) -> None:
        self.name = name

    def __call__(self, value: Any) -> Any:
        if type(value) is dict or isinstance(value, Mapping):  # the first is quicker
            return value.get(self.name, _MISSING)
        return _MISSING

    def key(self) -> Hashable:
        return ("field", self.name)


class _Mapped:
    """A step of a path: the value put through a function."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, value: Any) -> Any:
        return self.function(value)

    def key(self) -> Hashable:
        return ("function", _freeze(self.function))


class Query:
    """A document (`Query()`) or a field in it (`Query().a["b"]`), to be compared.

    A document without the field matches no comparison.
    """

    __slots__ = ("__steps",)

    __steps: tuple[_Field | _Mapped, ...]

    def __init__(self) -> None:
        self.__steps = ()

    # -- the path ----------------------------------------------------------------

    def __getattr__(self, name: str) -> Query:
        """Return the field of this name inside this one."""
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: Any) -> Query:
        """Return the field of this name inside this one."""
        return self.__longer(_Field(name))

    __iter__ = None  # else `__getitem__` would make it iterable without end

    def map(self, fn: Callable[[Any], Any]) -> Query:
        """Return the value put through a function, to be compared further."""
        return self.__longer(_Mapped(fn))

    def __longer(self, step: _Field | _Mapped) -> Query:
        query = Query()
        query.__steps = (*self.__steps, step)
        return query

    def __path_key(self) -> tuple[Hashable, ...]:
        return tuple(step.key() for step in self.__steps)

    # -- conditions --------------------------------------------------------------

    def __condition(self, test: Predicate, *key: Hashable, bare: bool = False) -> Condition:
        """Return the condition that the value is there and passes the test."""
        steps = self.__steps
        if not steps and not bare:
            raise ValueError("a query without a field cannot be compared")
        full_key = (key[0], self.__path_key(), *key[1:])

        if len(steps) == 1:  # by far the most common case
            (step,) = steps

            def check(document: Any) -> bool:
                value = step(document)
                return value is not _MISSING and test(value)

        else:

            def check(document: Any) -> bool:
                value = document
                for step in steps:
                    value = step(value)
                    if value is _MISSING:
                        return False
                return test(value)

        return Condition(check, full_key)

    def __order(self, compare: Callable[[Any, Any], Any], symbol: str, other: Any) -> Condition:
        """Return an ordering condition; values that cannot be ordered do not match."""

        def test(value: Any) -> bool:
            try:
                return bool(compare(value, other))
            except TypeError:
                return False

        return self.__condition(test, symbol, _freeze(other))

    def __eq__(self, other: Any) -> Condition:  # type: ignore[override]
        return self.__condition(lambda value: bool(value == other), "==", _freeze(other))

    def __ne__(self, other: Any) -> Condition:  # type: ignore[override]
        return self.__condition(lambda value: bool(value != other), "!=", _freeze(other))

    def __lt__(self, other: Any) -> Condition:
        return self.__order(operator.lt, "<", other)

    def __le__(self, other: Any) -> Condition:
        return self.__order(operator.le, "<=", other)

    def __gt__(self, other: Any) -> Condition:
        return self.__order(operator.gt, ">", other)

    def __ge__(self, other: Any) -> Condition:
        return self.__order(operator.ge, ">=", other)

    def exists(self) -> Condition:
        """The field is there."""
        return self.__condition(lambda value: True, "exists")

    def one_of(self, items: Iterable[Any]) -> Condition:
        """The value is one of these."""
        items = list(items)
        return self.__condition(_listed(items), "one_of", _freeze(items))

    def test(self, func: Callable[..., Any], *args: Any) -> Condition:
        """The function, called with the value and the arguments, says so."""
        return self.__condition(
            lambda value: bool(func(value, *args)), "test", _freeze(func), _freeze(args)
        )

    def matches(self, regex: str | re.Pattern[str], flags: int = 0) -> Condition:
        """The value is a text that the expression matches from its beginning on."""
        match = re.compile(regex, flags).match
        return self.__condition(
            lambda value: isinstance(value, str) and match(value) is not None,
            "matches",
            regex,
            int(flags),
        )

    def search(self, regex: str | re.Pattern[str], flags: int = 0) -> Condition:
        """The value is a text that the expression matches anywhere."""
        find = re.compile(regex, flags).search
        return self.__condition(
            lambda value: isinstance(value, str) and find(value) is not None,
            "search",
            regex,
            int(flags),
        )

    def any(self, cond: Predicate | Iterable[Any]) -> Condition:
        """Some element of the value matches the condition, or is in the list."""
        _reject_bare(cond)
        if callable(cond):
            matches, key = cond, _freeze(cond)
        else:
            items = list(cond)
            matches, key = _listed(items), _freeze(items)

        def test(value: Any) -> bool:
            if not isinstance(value, Iterable):
                return False
            for element in value:
                if matches(element):
                    return True
            return False

        return self.__condition(test, "any", key)

    def all(self, cond: Predicate | Iterable[Any]) -> Condition:
        """All elements match the condition, or all of the list are in the value."""
        _reject_bare(cond)
        if callable(cond):
            matches = cond

            def test(value: Any) -> bool:
                if not isinstance(value, Iterable):
                    return False
                for element in value:
                    if not matches(element):
                        return False
                return True

            return self.__condition(test, "all", _freeze(cond))

        items = list(cond)

        def test_items(value: Any) -> bool:
            if not isinstance(value, Iterable):
                return False
            if isinstance(value, (str, bytes)) or not isinstance(value, Container):
                value = list(value)
            for item in items:
                try:
                    if item not in value:
                        return False
                except TypeError:  # an unhashable item and a set or a mapping
                    return False
            return True

        return self.__condition(test_items, "all", _freeze(items))

    def fragment(self, document: Mapping[str, Any]) -> Condition:
        """The value (or the document) has all these fields with equal values."""
        fields = dict(document)

        def test(value: Any) -> bool:
            if not isinstance(value, Mapping):
                return False
            for name, wanted in fields.items():
                found = value.get(name, _MISSING)
                if found is _MISSING or found != wanted:
                    return False
            return True

        return self.__condition(test, "fragment", _freeze(fields), bare=True)

    def noop(self) -> Condition:
        """Every document matches."""
        return Condition(lambda document: True, ("noop",))

    # -- what it is not ----------------------------------------------------------

    def __call__(self, document: Any) -> bool:
        """Raise `RuntimeError`: without a comparison this is no condition."""
        raise RuntimeError("a query without a comparison cannot be used as a condition")

    def __and__(self, other: Any) -> Condition:
        return self(other)  # type: ignore[return-value]

    __or__ = __and__

    def __invert__(self) -> Condition:
        return self(None)  # type: ignore[return-value]

    def __hash__(self) -> int:
        return hash(self.__path_key())

    def __repr__(self) -> str:
        return f"Query{list(self.__path_key())!r}"


def _steps_key(query: Query) -> tuple[Hashable, ...]:
    return query._Query__path_key()  # type: ignore[attr-defined]


def _reject_bare(cond: Any) -> None:
    """Raise `RuntimeError` if a query without a comparison is used as a condition."""
    if isinstance(cond, Query):
        cond(None)


def where(key: str) -> Query:
    """Return the field of a name; the same as `Query()[key]`."""
    return Query()[key]
