"""Many functions that do next to nothing, which pull the means over judged code up: listed, without points.

A function is trivial when it decides nothing, computes nothing (no operator) and has at most `BODY_TOKENS` tokens below
its signature: `return value`, `return self._name`, `pass`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from qualityscore.collectors.context import StaticContext, StaticFacts
from qualityscore.collectors.judged import judge
from qualityscore.collectors.maintainability import DIMENSION
from qualityscore.languages.python_source import printable
from qualityscore.languages.python_units import Unit
from qualityscore.model.finding import Finding, Severity

CODE = "trivial-functions"
BODY_TOKENS = 6
LEAST = 50
"""Trivial functions below this number are none too many: a small library may well be made of accessors."""
SHARE = 0.5
"""The share of judged functions from which on trivial ones are listed; 0.24 is the most in any of the references."""

_DEF, _COLON = (zlib.crc32(token) for token in (b"def", b":"))
_OPENS = frozenset(zlib.crc32(token) for token in (b"(", b"[", b"{"))
_CLOSES = frozenset(zlib.crc32(token) for token in (b")", b"]", b"}"))


def padding(facts: StaticFacts, context: StaticContext) -> Iterator[Finding]:
    """One finding where `LEAST` or more of the judged functions, and `SHARE` or more, are trivial."""
    code = judge(facts, replace(context, entered_unknown=False))
    functions = list(code.functions())
    trivial = [(file, unit) for file, unit in functions if is_trivial(unit)]
    if len(trivial) < LEAST or len(trivial) < SHARE * len(functions):
        return
    file, unit = trivial[0]
    yield Finding(
        code=CODE,
        tool="qualityscore",
        message=f"{len(trivial)} of {len(functions)} judged functions do next to nothing, {unit.qualname} the first: "
        "they lift the measures of the rest",
        severity=Severity.INFO,
        path=printable(file.facts.path),
        line=unit.line,
        name=unit.qualname,
        dimension=DIMENSION,
        details={"functions": len(trivial), "judged": len(functions)},
    )


def is_trivial(unit: Unit) -> bool:
    """Whether a function decides nothing, computes nothing and is short."""
    return unit.complexity == 1 and unit.volume == 0 and _body_tokens(unit.codes) <= BODY_TOKENS


def _body_tokens(codes: Sequence[int]) -> int:
    """Tokens after the colon that ends the signature."""
    depth = 0
    for place in range(codes.index(_DEF) if _DEF in codes else 0, len(codes)):
        depth += (codes[place] in _OPENS) - (codes[place] in _CLOSES)
        if depth == 0 and codes[place] == _COLON:
            return len(codes) - place - 1
    return len(codes)
