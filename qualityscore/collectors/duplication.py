"""`duplication.share`: tokens of judged functions inside a 50-token window that occurred earlier.

Literals are normalised, names kept. A window lies within one function; earlier is by path, then by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qualityscore.collectors.context import CollectorResult, StaticContext, StaticFacts
from qualityscore.collectors.judged import judge, nothing_judged
from qualityscore.collectors.maintainability import DIMENSION
from qualityscore.languages.python_source import printable
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Measured

WINDOW = 50
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplication modulo 2**64 loses nothing


class Duplication:
    """Share of repeated tokens among those of the judged functions."""

    id = "duplication"
    measures = ("duplication.share",)

    def parse(self, facts: StaticFacts, context: StaticContext) -> CollectorResult:
        """Compute the share, and a finding for every function that repeats an earlier one."""
        code = judge(facts, context)
        if code.size <= 0:
            return nothing_judged(self.measures, context)
        compared = judge(facts, replace(context, entered_unknown=True)) if context.repeats_of_all else code
        owners = sorted(compared.functions(), key=lambda owner: (owner[0].facts.path, owner[1].line))
        repeats = repeated_tokens([unit.codes for _, unit in owners])
        judged = {(file.facts.path, unit.line) for file, unit in code.functions()}
        total = sum(unit.tokens for _, unit in code.functions())
        repeated = 0
        findings = []
        for (file, unit), (count, source) in zip(owners, repeats, strict=True):
            if count and (file.facts.path, unit.line) in judged:
                repeated += count
                original_file, original = owners[source]
                findings.append(
                    Finding(
                        code="duplicated-code",
                        tool="qualityscore",
                        message=(
                            f"{count} of {unit.tokens} tokens of {unit.qualname} repeat {original.qualname} "
                            f"({printable(original_file.facts.path)}:{original.line})"
                        ),
                        severity=Severity.MEDIUM,
                        path=printable(file.facts.path),
                        line=unit.line,
                        end_line=unit.end_line,
                        name=unit.qualname,
                        dimension=DIMENSION,
                        measure="duplication.share",
                        points=count / total,
                    )
                )
        value = Measured(value=repeated / total, details={"tokens": total})
        return CollectorResult(measures={"duplication.share": value}, findings=tuple(findings))


def repeated_tokens(functions: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Per token sequence: how many of its tokens a repeated window covers, and where its first one occurred earlier.

    Linear in the number of tokens: windows are compared by a 64-bit rolling hash.
    """
    lengths = np.array([len(codes) for codes in functions], dtype=np.int64)
    tokens = np.fromiter((code for codes in functions for code in codes), dtype=np.uint64, count=int(lengths.sum()))
    owner = np.repeat(np.arange(len(functions)), lengths)
    windows = len(tokens) - WINDOW + 1
    if windows <= 0:
        return [(0, 0)] * len(functions)
    hashes = np.zeros(windows, dtype=np.uint64)
    for offset in range(WINDOW):
        hashes = hashes * _BASE + _mixed(tokens[offset : offset + windows])
    places = np.flatnonzero(owner[:windows] == owner[WINDOW - 1 :])  # windows within one function
    _, first, which = np.unique(hashes[places], return_index=True, return_inverse=True)
    originals = places[first[which]]
    repeated = originals != places

    edges = np.zeros(len(tokens) + 1, dtype=np.int64)
    np.add.at(edges, places[repeated], 1)
    np.add.at(edges, places[repeated] + WINDOW, -1)
    covered = np.cumsum(edges[:-1]) > 0
    counts = np.bincount(owner[covered], minlength=len(functions))
    sources = np.zeros(len(functions), dtype=np.int64)
    repeating, position = np.unique(owner[places[repeated]], return_index=True)
    sources[repeating] = owner[originals[repeated][position]]
    return [(int(count), int(source)) for count, source in zip(counts, sources, strict=True)]


def _mixed(tokens: np.ndarray) -> np.ndarray:
    """Spread 32-bit token numbers over 64 bits (the finaliser of splitmix64), so that sums do not meet by accident."""
    mixed: np.ndarray = (tokens ^ (tokens >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
