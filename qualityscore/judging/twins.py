"""Twins of tests whose assertions stayed beside the subject: the same test with one condition that must not hold.

A literal that an equality compares with is perturbed; otherwise the condition is negated. Whatever a deterministic
subject gives, it cannot satisfy a condition and its twin; code that passes both has not been tested but has passed. A
tripwire only: code that reads its caller can recognise a twin.
"""

from __future__ import annotations

import ast
import random
import string
from collections.abc import Collection
from dataclasses import dataclass

from qualityscore.judging.lowered import DerivedSuite
from qualityscore.judging.names import Module
from qualityscore.judging.sites import TestFunction, test_functions
from qualityscore.judging.source import Edit, Source

_LETTERS = 6  # of 26: 28 bits, above the 20 that make passing decisive at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Twinned:
    """A derived file in which some functions are twins. `strong` are those whose perturbed text cannot be guessed."""

    source: str
    strong: frozenset[str]


def twin_keys(suite: DerivedSuite) -> dict[str, str]:
    """By test function, the key of the assertion that its twin would turn; functions without one are left out.

    So are functions whose name is read in the file: as twins they might fail whatever else runs them.
    """
    keys = {(kept.test, kept.line): kept.key for kept in suite.kept}
    found = {}
    tree = Source(suite.source).tree
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    read |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for function in test_functions(Module(tree)):
        target = _target(function) if function.node.name not in read else None
        key = keys.get((function.name, target.lineno)) if target is not None else None
        if key is not None:
            found[function.name] = key
    return found


def twinned(suite: DerivedSuite, functions: Collection[str], rng: random.Random) -> Twinned:
    """The derived file with these functions turned into their twins."""
    text = Source(suite.source)
    edits, strong = [], set()
    for function in test_functions(Module(text.tree)):
        target = _target(function)
        if function.name not in functions or target is None:
            continue
        edit, is_strong = _turned(target.test, text, rng)
        edits.append(edit)
        if is_strong:
            strong.add(function.name)
    return Twinned(source=text.edited(edits), strong=frozenset(strong))


def _target(function: TestFunction) -> ast.Assert | None:
    """The first unconditional assertion that is left in the test function."""
    for site in function.sites:
        if site.obstacle is None and isinstance(site.node, ast.Assert) and not isinstance(site.node.test, ast.Constant):
            return site.node
    return None


def _turned(condition: ast.expr, text: Source, rng: random.Random) -> tuple[Edit, bool]:
    if isinstance(condition, ast.Compare) and len(condition.ops) == 1 and isinstance(condition.ops[0], ast.Eq):
        for side in (condition.left, condition.comparators[0]):
            if isinstance(side, ast.Constant) and type(side.value) is str and side.lineno == side.end_lineno:
                letters = "".join(rng.choices(string.ascii_lowercase, k=max(_LETTERS, len(side.value))))
                return text.replace(side, f"({letters!r})"), True
            if isinstance(side, ast.Constant) and type(side.value) is int:
                return text.replace(side, f"({side.value + rng.randint(1, 9)})"), False
    return text.replace(condition, f"(not ({text.segment(condition)}))"), False
