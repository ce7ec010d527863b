"""Rules for paths, and the choice among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any
from urllib.parse import quote, urlencode

from bottle._structures import BottleException

_SAFE = "/:@!$&'()*+,;=~"
_WILDCARD = re.compile(r"<([A-Za-z_][A-Za-z0-9_]*)(?::([a-z]+))?(>|:)")
_FILTERS: dict[str, tuple[str, Callable[[str], Any] | None]] = {
    "": (r"[^/]+", None),
    "int": (r"[+-]?[0-9]+", int),
    "float": (r"[+-]?[0-9]+(?:\.[0-9]+)?", float),
    "path": (r".+?", None),
}
#: What does not work in a part of a larger expression
_NOT_EMBEDDABLE = re.compile(r"\\[1-9]|\(\?P|\(\?\(")
#: What a ``>`` belongs to that does not end the wildcard: ``(?P<name>``, ``(?>``
_GROUP_START = re.compile(r"\(\?(?:P<\w+)?\Z")
_CHUNK = 100


def _closing(rule: str, start: int) -> int:
    """The place of the ``>`` that ends the expression which begins at *start*."""
    index, in_set = start, False
    while index < len(rule):
        char = rule[index]
        if char == "\\":
            index += 1
        elif in_set:
            in_set = char != "]"
        elif char == "[":
            in_set = True
            index += rule[index + 1 : index + 2] == "^"
            index += rule[index + 1 : index + 2] == "]"
        elif char == ">" and not _GROUP_START.search(rule[start:index]):
            return index
        index += 1
    raise ValueError(f"the expression in {rule!r} is not closed")


class Rule:
    """A path with wildcards."""

    def __init__(self, rule: str) -> None:
        self.text = rule
        #: Literal texts (str) and wildcards (name, filter)
        self._parts: list[str | tuple[str, str]] = []
        self._converters: list[tuple[str, Callable[[str], Any] | None]] = []
        self.embeddable = True
        pattern = ""
        position = 0
        while match := _WILDCARD.search(rule, position):
            self._add_text(rule[position : match.start()])
            pattern += re.escape(rule[position : match.start()])
            name, kind, end = match[1], match[2] or "", match[3]
            position = match.end()
            if end == ":":
                if kind != "re":
                    raise ValueError(f"{kind or name!r} takes no argument: {rule!r}")
                closing = _closing(rule, position)
                expression = rule[position:closing]
                position = closing + 1
                re.compile(expression)
                self.embeddable &= _NOT_EMBEDDABLE.search(expression) is None
                converter = None
            elif kind in _FILTERS:
                expression, converter = _FILTERS[kind]
            else:
                raise ValueError(f"unknown filter {kind!r} in {rule!r}")
            if any(name == known for known, _ in self._converters):
                raise ValueError(f"{name!r} is twice in {rule!r}")
            self._parts.append((name, kind))
            self._converters.append((name, converter))
            pattern += f"(?P<{name}>{expression})"
        self._add_text(rule[position:])
        pattern += re.escape(rule[position:])
        self.pattern = pattern
        self._regex = re.compile(pattern, re.DOTALL)

    def _add_text(self, text: str) -> None:
        if text:
            self._parts.append(text)

    @property
    def is_static(self) -> bool:
        """Whether there are no wildcards."""
        return not self._converters

    @property
    def anonymous_pattern(self) -> str:
        """The expression without names of groups."""
        return reduce(
            lambda pattern, item: pattern.replace(f"(?P<{item[0]}>", "(?:", 1),
            self._converters,
            self.pattern,
        )

    def match(self, path: str) -> dict[str, Any] | None:
        """The values of the wildcards, or None if the path does not match."""
        match = self._regex.fullmatch(path)
        if match is None:
            return None
        try:
            return {
                name: converter(match[name]) if converter is not None else match[name]
                for name, converter in self._converters
            }
        except ValueError:  # a number that is too long
            return None

    def build(self, values: dict[str, Any]) -> str:
        """The path with values for the wildcards; others become the query string."""
        rest = dict(values)
        path = ""
        for part in self._parts:
            if isinstance(part, str):
                path += quote(part, safe=_SAFE)
                continue
            name, kind = part
            if name not in rest:
                raise BottleException(f"no value for {name!r} in {self.text!r}")
            path += quote(str(rest.pop(name)), safe="/" if kind in ("path", "re") else "")
        return path + (f"?{urlencode(rest, doseq=True)}" if rest else "")


class _MethodRoutes:
    """The routes for one method."""

    def __init__(self) -> None:
        self._static: dict[str, Any] = {}
        self._dynamic: list[tuple[Rule, Any]] = []
        self._chunks: list[tuple[re.Pattern[str] | None, list[tuple[Rule, Any]]]] | None = []

    def add(self, rule: Rule, target: Any) -> None:
        if rule.is_static:
            self._static.setdefault(rule.text, target)
        else:
            self._dynamic.append((rule, target))
            self._chunks = None

    def _compile(self) -> list[tuple[re.Pattern[str] | None, list[tuple[Rule, Any]]]]:
        """Join many rules into few expressions.

        Each alternative ends with an empty named group, which tells the rule
        that matched.
        """
        groups: list[list[tuple[Rule, Any]]] = []
        for entry in self._dynamic:
            fits = groups and len(groups[-1]) < _CHUNK
            if fits and entry[0].embeddable and groups[-1][0][0].embeddable:
                groups[-1].append(entry)
            else:
                groups.append([entry])
        chunks: list[tuple[re.Pattern[str] | None, list[tuple[Rule, Any]]]] = []
        for group in groups:
            regex = None
            if len(group) > 1:
                alternatives = (
                    rf"(?:{rule.anonymous_pattern})\Z(?P<r{index}>)"
                    for index, (rule, _) in enumerate(group)
                )
                regex = re.compile("|".join(alternatives), re.DOTALL)
            chunks.append((regex, group))
        return chunks

    def find(self, path: str) -> tuple[Any, dict[str, Any]] | None:
        """The target for the path, with the values of its wildcards."""
        if path in self._static:
            return self._static[path], {}
        chunks = self._chunks
        if chunks is None:
            chunks = self._chunks = self._compile()
        for regex, group in chunks:
            first = 0
            if regex is not None:
                match = regex.match(path)
                if match is None or match.lastgroup is None:
                    continue
                first = int(match.lastgroup[1:])
            for rule, target in group[first:]:
                values = rule.match(path)
                if values is not None:
                    return target, values
        return None


class Router:
    """All routes."""

    def __init__(self) -> None:
        self._methods: dict[str, _MethodRoutes] = {}

    def add(self, rule: Rule, method: str, target: Any) -> None:
        """Bind a target."""
        self._methods.setdefault(method, _MethodRoutes()).add(rule, target)

    def find(self, path: str, methods: Iterable[str]) -> tuple[Any, dict[str, Any]] | None:
        """The target for the path by the first of the methods that has one."""
        for method in methods:
            routes = self._methods.get(method)
            found = routes.find(path) if routes is not None else None
            if found is not None:
                return found
        return None

    def allowed(self, path: str) -> list[str]:
        """The methods that have a route for the path, sorted."""
        return sorted(name for name, routes in self._methods.items() if routes.find(path))
