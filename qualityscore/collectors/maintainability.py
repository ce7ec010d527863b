"""`index.deficit` and `complexity.excess` (scoring.md section 4): lower is better, 0 for code without bad corners."""

from __future__ import annotations

from dataclasses import dataclass

from qualityscore.collectors.context import CollectorResult, StaticContext, StaticFacts
from qualityscore.collectors.judged import JudgedCode, JudgedFile, judge, nothing_judged
from qualityscore.languages.python_source import Unparsable, printable
from qualityscore.languages.python_units import Unit
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Measured

GOOD_INDEX = 60
GOOD_COMPLEXITY = 10
ALARMING_COMPLEXITY = 30  # radon's ranks E ("very complex, alarming") and F begin above
DIMENSION = "maintainability"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A judged unit, or an unparsable file in its place."""

    path: str
    line: int
    name: str | None
    size: float
    index: float
    excess: float
    complexity: int | None = None
    unparsable: Unparsable | None = None

    @property
    def deficit(self) -> float:
        return max(0.0, GOOD_INDEX - self.index)


class Maintainability:
    """Sums over judged units, weighted by size, per L. A file that cannot be parsed has index 0 and excess 1."""

    id = "maintainability"
    measures = ("index.deficit", "complexity.excess")

    def parse(self, facts: StaticFacts, context: StaticContext) -> CollectorResult:
        """Compute both measures, and a finding for every unit that costs something."""
        code = judge(facts, context)
        if code.size <= 0:
            return nothing_judged(self.measures, context)
        parts = [part for file in code.files for part in _parts(file)]
        size = _size(code) + sum(part.size for part in parts if part.unparsable is not None)
        findings: list[Finding] = []
        totals = dict.fromkeys(self.measures, 0.0)
        for part in parts:
            for measure, value in (("index.deficit", part.deficit), ("complexity.excess", part.excess)):
                points = part.size * value / size
                totals[measure] += points
                if points > 0:
                    findings.append(_finding(part, measure, points))
        details = {"judged_size": size, "judged_functions": sum(1 for _ in code.functions())}
        measures = {measure: Measured(value=totals[measure], details=details) for measure in self.measures}
        return CollectorResult(measures=dict(measures), findings=tuple(findings))


def _size(code: JudgedCode) -> float:
    return sum(unit.size for file, unit in code.functions() if file.facts.unparsable is None)


def _parts(file: JudgedFile) -> list[_Part]:
    path, lost = printable(file.facts.path), file.facts.unparsable
    if lost is None:
        return [_part(path, unit) for unit in file.units]
    return [_Part(path=path, line=lost.line or 1, name=None, size=lost.code_lines, index=0, excess=1, unparsable=lost)]


def _part(path: str, unit: Unit) -> _Part:
    return _Part(
        path=path,
        line=unit.line,
        name=unit.qualname,
        size=unit.size,
        index=unit.index,
        excess=max(0.0, 1 - GOOD_COMPLEXITY / unit.complexity),
        complexity=unit.complexity,
    )


def _finding(part: _Part, measure: str, points: float) -> Finding:
    if part.unparsable is not None:
        lost = part.unparsable
        code, severity = "unparsable", Severity.HIGH
        message = f"{lost.tool} cannot read this file: {lost.reason}"
        tool, column = lost.tool, lost.column
    else:
        tool, column, severity = "qualityscore", None, Severity.MEDIUM
        if measure == "index.deficit":
            code = "low-index"
            message = f"{part.name} has a maintainability index of {part.index:.0f}, below {GOOD_INDEX}"
        else:
            code = "high-complexity"
            if part.complexity is not None and part.complexity > ALARMING_COMPLEXITY:
                severity = Severity.HIGH
            message = f"{part.name} has a cyclomatic complexity of {part.complexity}, above {GOOD_COMPLEXITY}"
    return Finding(
        code=code,
        tool=tool,
        message=message,
        severity=severity,
        path=part.path,
        line=part.line,
        column=column,
        name=part.name,
        dimension=DIMENSION,
        measure=measure,
        points=points,
    )
