"""Findings of two states of one repository, matched although lines move, files are renamed and functions are moved.

Findings are paired in rounds, from the most certain likeness to the least: what is alike in everything but the line
first, what shares only its kind and its statement last. Every finding is paired at most once, and a finding that has
become more severe is not the old one.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from qualityscore.model.branch import SEVERITIES
from qualityscore.model.finding import Finding, Severity

_RANK = {severity: rank for rank, severity in enumerate(reversed(SEVERITIES))}
_PLACE = re.compile(r"\(?[\w./\\-]+\.pyw?(:\d+)*\)?")
_NUMBER = re.compile(r"\d+(\.\d+)?")
UNPARSABLE = "unparsable"
_IMPORTER = re.compile(r"Cannot import '([^']+)' due to")
"""What pylint says of a sound file that imports one which cannot be read."""
OF_ONE_FUNCTION = frozenset({"low-index", "high-complexity", "duplicated-code"})
"""Findings about a function as a whole, whatever its statements are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A finding with what surrounds it.

    `scope` is the qualified name of the innermost definition ("" for a module), `statement` a digest of the innermost
    statement, `body` a digest of the innermost function's body ("" outside functions); digests ignore layout.
    """

    finding: Finding
    scope: str
    statement: str
    body: str

    @property
    def said(self) -> str:
        """The message without numbers and places, which change when nothing else does."""
        return _NUMBER.sub("#", _PLACE.sub("", self.finding.message))


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """`new` are findings of the second state, `fixed` those of the first, that have no counterpart."""

    new: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    unchanged: int


def match(
    before: Sequence[Located],
    after: Sequence[Located],
    bodies: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {}),
) -> Matched:
    """Pair the findings of two states. `bodies` counts the functions of each state by the digest of their body."""
    old, new = list(before), list(after)
    unchanged = 0
    for key in _ROUNDS:
        old, new, paired = _round(old, new, key)
        unchanged += paired
    # A function whose code is what it was has not become complex, nor a copy, by being moved; one that there are more
    # of now is another matter.
    kept = {body for body, count in bodies[1].items() if count <= bodies[0].get(body, 0)}
    arisen = [item for item in new if not (item.finding.code in OF_ONE_FUNCTION and item.body in kept)]
    return Matched(
        new=tuple(item.finding for item in arisen),
        fixed=tuple(item.finding for item in old),
        unchanged=unchanged + len(new) - len(arisen),
    )


def _whole(item: Located) -> Hashable:
    return item.finding.code, item.finding.path, item.scope, item.statement, item.body, item.said


def _in_place(item: Located) -> Hashable:
    return item.finding.code, item.finding.path, item.scope, item.statement, item.said


def _edited(item: Located) -> Hashable:
    return item.finding.code, item.finding.path, item.scope, item.said


def _moved_file(item: Located) -> Hashable:
    return item.finding.code, item.scope, item.statement, item.said


def _moved_function(item: Located) -> Hashable:
    return item.finding.code, item.scope.rpartition(".")[2], item.statement


def _same_body(item: Located) -> Hashable:
    return (item.finding.code, item.body, item.statement) if item.body else None


def _same_statement(item: Located) -> Hashable:
    return (item.finding.code, item.statement) if item.statement else None


def _whole_project(item: Located) -> Hashable:
    """An import cycle names its modules, which a renamed file changes: the number of its words is what stays."""
    return (item.finding.code, len(item.finding.message.split())) if "ycle" in item.finding.message else None


_ROUNDS: tuple[Callable[[Located], Hashable], ...] = (
    _whole,
    _in_place,
    _edited,
    _moved_file,
    _moved_function,
    _same_body,
    _same_statement,
    _whole_project,
)


def _round(
    old: Sequence[Located], new: Sequence[Located], key: Callable[[Located], Hashable]
) -> tuple[list[Located], list[Located], int]:
    waiting: dict[Hashable, deque[Located]] = defaultdict(deque)
    for item in old:
        waiting[key(item)].append(item)
    left: list[Located] = []
    taken: set[int] = set()
    for item in new:
        mark = key(item)
        candidates = waiting.get(mark) if mark is not None else None
        found = next((c for c in candidates or () if _rank(item.finding) <= _rank(c.finding)), None)
        if candidates is None or found is None:
            left.append(item)
        else:
            candidates.remove(found)
            taken.add(id(found))
    return [item for item in old if id(item) not in taken], left, len(taken)


def _rank(finding: Finding) -> int:
    return _RANK[Severity(finding.severity)]


def one_per_cause(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, with one for each file that cannot be read where several measures say so at one place, and none for
    a sound file that only imports such a file.

    Every measure keeps its own finding in a report's list, with its points; whoever counts what is new counts causes.
    """
    listed = tuple(findings)
    broken = {_module(one.path) for one in listed if one.code == UNPARSABLE and not _IMPORTER.search(one.message)}
    seen: set[tuple[str | None, int | None]] = set()
    kept = []
    for one in listed:
        if one.code == UNPARSABLE:
            importer = _IMPORTER.search(one.message)
            blamed = importer is not None and any(f".{module}".endswith(f".{importer[1]}") for module in broken)
            if blamed or (one.path, one.line) in seen:
                continue
            seen.add((one.path, one.line))
        kept.append(one)
    return tuple(kept)


def _module(path: str | None) -> str:
    """The dotted name of a file, from the root of the repository."""
    return (path or "").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
