"""Mutants of a Python source: one small change each, described well enough to be applied, shown and judged.

Pure: text in, mutants out. The operators are in `operators`.
"""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst
import numpy as np
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

from qualityscore.defects.operators import OPERATORS, Operator, Site

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of one file: `replacement` takes the place of the characters from offset `start` to before `end`.

    `id` is stable as long as the file does not change. `line` starts at 1.
    """

    id: str
    path: str
    operator: str
    line: int
    start: int
    end: int
    replacement: str

    def apply(self, source: str) -> str:
        """The source with the change."""
        return source[: self.start] + self.replacement + source[self.end :]

    def diff(self, source: str) -> str:
        """The change as a unified diff."""
        lines = difflib.unified_diff(
            source.splitlines(), self.apply(source).splitlines(), f"a/{self.path}", f"b/{self.path}", lineterm="", n=2
        )
        return "\n".join(lines) + "\n"


def find_mutants(
    path: str, source: str, *, lines: frozenset[int] | None = None, operators: Sequence[Operator] = OPERATORS
) -> tuple[Mutant, ...]:
    """Every mutant of a file whose change starts on one of `lines` (on any line when None), in the order of the text.

    A change that several operators make is there once. Whether a mutant compiles, and differs in its syntax tree, is
    looked at when it is chosen. Raises libcst.ParserSyntaxError for a source that cannot be parsed.
    """
    wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    positions = wrapper.resolve(PositionProvider)
    finder = _Finder(operators, Site(module=wrapper.module, parents=wrapper.resolve(ParentNodeProvider)))
    wrapper.module.visit(finder)
    starts = [0, *(end.end() for end in _LINE_END.finditer(source))]
    changes: dict[tuple[int, int, str], tuple[str, int]] = {}
    for operator, node, replacement in finder.sites:
        place = positions[node]
        if lines is None or place.start.line in lines:
            start = starts[place.start.line - 1] + place.start.column
            end = starts[place.end.line - 1] + place.end.column
            changes.setdefault((start, end, replacement), (operator, place.start.line))
    mutants: list[Mutant] = []
    seen: Counter[str] = Counter()
    for (start, end, replacement), (operator, line) in sorted(changes.items()):
        name = f"{path}:{line}:{operator}"
        seen[name] += 1
        mutants.append(
            Mutant(
                id=f"{name}:{seen[name]}",
                path=path,
                operator=operator,
                line=line,
                start=start,
                end=end,
                replacement=replacement,
            )
        )
    return tuple(mutants)


def choose(
    mutants: Sequence[Mutant], count: int, sources: Mapping[str, str], rng: np.random.Generator
) -> tuple[Mutant, ...]:
    """A sample in which operators, and within an operator lines, are as evenly represented as they can be.

    It is in the order of choosing: its beginning is the sample that a smaller `count` gives. `sources` are the texts by
    path. Passed over: what does not compile, what leaves the syntax tree as it is, and what makes the same tree as a
    mutant chosen before.
    """
    waiting: dict[str, list[Mutant]] = defaultdict(list)
    for index in rng.permutation(len(mutants)):
        waiting[mutants[index].operator].append(mutants[index])
    turns = {operator: _lines_in_turn(group) for operator, group in waiting.items()}
    trees: dict[str, set[str]] = {path: {ast.dump(ast.parse(text))} for path, text in sources.items()}
    chosen: list[Mutant] = []
    while len(chosen) < count and any(turns.values()):
        for operator in sorted(turns):
            mutant = _next_new(turns[operator], sources, trees)
            if mutant is not None and len(chosen) < count:
                chosen.append(mutant)
    return tuple(chosen)


def _next_new(group: list[Mutant], sources: Mapping[str, str], trees: Mapping[str, set[str]]) -> Mutant | None:
    while group:
        mutant = group.pop(0)
        tree = _compiled(mutant.apply(sources[mutant.path]))
        if tree is not None and tree not in trees[mutant.path]:
            trees[mutant.path].add(tree)
            return mutant
    return None


class _Finder(cst.CSTVisitor):
    """Asks every operator about every node. Annotations, decorators and imports are not mutated."""

    def __init__(self, operators: Sequence[Operator], site: Site) -> None:
        super().__init__()
        self._operators = operators
        self._site = site
        self.sites: list[tuple[str, cst.CSTNode, str]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Collect the replacements for a node."""
        if isinstance(node, cst.Annotation | cst.Decorator | cst.Import | cst.ImportFrom):
            return False
        for operator in self._operators:
            for target, text in operator.replacements(node, self._site):
                self.sites.append((operator.name, target, text))
        return True


def _compiled(source: str) -> str | None:
    """The syntax tree as text; None for what does not compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            compile(tree, "<mutant>", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return None
    return ast.dump(tree)


def _lines_in_turn(group: Sequence[Mutant]) -> list[Mutant]:
    by_line: dict[tuple[str, int], list[Mutant]] = defaultdict(list)
    for mutant in group:
        by_line[mutant.path, mutant.line].append(mutant)
    turns: list[Mutant] = []
    while any(by_line.values()):
        turns += [waiting.pop(0) for waiting in by_line.values() if waiting]
    return turns
