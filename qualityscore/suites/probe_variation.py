"""Other inputs of the same kind: the words, digits and numbers of a frozen probe replaced by random ones. Pure.

A word gets the same new word wherever it stands in one probe, so tags, keys and names still fit each other. Whether the
new input is accepted is the reference's to say.
"""

from __future__ import annotations

import ast
import random
import re
import string
from collections.abc import Collection

_PART = re.compile(r"[A-Za-z]+|[0-9]+")
_TRIES = 8
_LARGEST = 10**6


def vary(
    setup: list[str], call: str, rng: random.Random, *, fixed: Collection[str] = ()
) -> tuple[list[str], str] | None:
    """The same statements and call with other texts and numbers; None where there is nothing to replace.

    Texts in `fixed` (names of methods that are called by name) stay.
    """
    for _ in range(_TRIES):
        change = _Change(rng, frozenset(fixed))
        new = [ast.unparse(change.visit(ast.parse(line))) for line in setup]
        new_call = ast.unparse(change.visit(ast.parse(call, mode="eval")))
        if change.changed:
            return new, new_call
        if not change.open:
            return None
    return None


class _Change(ast.NodeTransformer):
    """One draw. `open`: there is something that could be replaced; `changed`: something was."""

    def __init__(self, rng: random.Random, fixed: frozenset[str]) -> None:
        self.rng, self.fixed = rng, fixed
        self.parts: dict[str, str] = {}
        self.numbers: dict[float, float] = {}
        self.open = self.changed = False

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        new = self._other(node.value)
        return node if new is None else ast.copy_location(ast.Constant(new), node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        return node

    def _other(self, value: object) -> str | bytes | int | float | None:
        match value:
            case bool():
                return None
            case str() if value not in self.fixed and not value.startswith("__"):
                return _PART.sub(lambda match: self._part(match.group()), value)
            case bytes() if value.isascii():
                return _PART.sub(lambda match: self._part(match.group()), value.decode("ascii")).encode("ascii")
            case int() if 1 < value <= _LARGEST:
                return int(self._number(value))
            case float() if 1e-3 < abs(value) < _LARGEST and value != 1:
                return self._number(value)
        return None

    def _part(self, old: str) -> str:
        """A word by a word of its length and case, digits by digits; the same one for the same, half of them stay."""
        key = old.lower()
        if key not in self.parts:
            self.open = True
            self.parts[key] = self._word(key) if self.rng.random() < 0.5 else key
        new = self.parts[key]
        self.changed |= new != key
        if old.isupper():
            return new.upper()
        return new.capitalize() if old.istitle() else new

    def _word(self, old: str) -> str:
        taken = set(self.parts.values()) | self.parts.keys()
        pool = string.digits if old.isdigit() else string.ascii_lowercase
        for _ in range(_TRIES):
            first = self.rng.choice(pool[1:])
            new = first + "".join(self.rng.choice(pool) for _ in old[1:])
            if new not in taken:
                return new
        return old

    def _number(self, old: float) -> float:
        if old not in self.numbers:
            self.open = True
            new: float = old
            if self.rng.random() < 0.5:
                low, high = max(2, old // 2), old * 2
                new = self.rng.randint(int(low), int(high)) if isinstance(old, int) else old * self.rng.uniform(0.5, 2)
            self.numbers[old] = round(new, 3)
        self.changed |= self.numbers[old] != old
        return self.numbers[old]
