"""`lint.penalty`: (5 E + W + R) per 100 of L, over the shipped pylint messages in judged code."""

from __future__ import annotations

from collections import Counter

from qualityscore.collectors.context import CollectorResult, LintMessage, StaticContext, StaticFacts
from qualityscore.collectors.judged import judge, nothing_judged
from qualityscore.collectors.maintainability import DIMENSION
from qualityscore.collectors.structure import STRUCTURE_MESSAGES
from qualityscore.languages.python_source import printable
from qualityscore.languages.python_units import Unit
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Measured

WEIGHTS = {"E": 5, "W": 1, "R": 1}
PER_LINES = 100
_SEVERITIES = {"E": Severity.MEDIUM, "W": Severity.LOW, "R": Severity.INFO}


class PylintLint:
    """Weighted messages. Those in functions that are not judged are listed and cost nothing."""

    id = "pylint"
    measures = ("lint.penalty",)

    def parse(self, facts: StaticFacts, context: StaticContext) -> CollectorResult:
        """Compute the penalty, and a finding for every message."""
        code = judge(facts, context)
        if code.size <= 0:
            return nothing_judged(self.measures, context)
        findings = []
        counts: Counter[str] = Counter()
        for file in code.files:
            for message in file.facts.messages:
                if message.id not in STRUCTURE_MESSAGES:
                    unit = file.unit_at(message.line)
                    counts[message.id[0]] += unit is not None
                    findings.append(_finding(printable(file.facts.path), message, unit, code.size))
        penalty = sum(WEIGHTS[kind] * count for kind, count in counts.items())
        value = Measured(
            value=PER_LINES * penalty / code.size,
            details={"counts": {kind: counts[kind] for kind in WEIGHTS}, "judged_size": code.size},
        )
        return CollectorResult(measures={"lint.penalty": value}, findings=tuple(findings))


def _finding(path: str, message: LintMessage, unit: Unit | None, size: float) -> Finding:
    kind = message.id[0]
    return Finding(
        code=message.id,
        tool="pylint",
        message=f"{message.text} ({message.symbol})",
        severity=_SEVERITIES[kind],
        path=path,
        line=message.line,
        column=message.column,
        name=unit.qualname if unit is not None else None,
        dimension=DIMENSION,
        measure="lint.penalty",
        points=PER_LINES * WEIGHTS[kind] / size if unit is not None else 0.0,
    )
