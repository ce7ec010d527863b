"""`structure.defects`: code that does not fit together, per 1,000 of L (scoring.md section 4).

Unresolved names, redefinitions, calls whose arguments cannot fit, inconsistent fields and import cycles; one defect per
place, whether pylint or an analyser finds it. A group of modules that import each other is one defect, at the first
import of a short cycle in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from qualityscore.collectors.context import CollectorResult, StaticContext, StaticFacts
from qualityscore.collectors.judged import JudgedCode, judge, nothing_judged
from qualityscore.collectors.maintainability import DIMENSION
from qualityscore.languages.python_imports import Modules, module_name, short_cycle, strongly_connected
from qualityscore.languages.python_source import printable
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Measured, Unavailable

# function-redefined, no-value-for-parameter, too-many-function-args, undefined-all-variable, undefined-variable,
# unexpected-keyword-arg, used-before-assignment; cyclic-import (R0401) is found here, over all files at once.
STRUCTURE_MESSAGES = frozenset({"E0102", "E1120", "E1121", "E0603", "E0602", "E1123", "E0601"})
CYCLE = "R0401"
PER_LINES = 1000
MEASURE = "structure.defects"


class Structure:
    """Counts places. `analysed` are the findings of the analysers, of which those of this measure join in; or why they
    are missing, and with them the measure.
    """

    id = "structure"
    measures = (MEASURE,)

    def __init__(self, analysed: Iterable[Finding] | Unavailable = ()) -> None:
        self._lost = analysed if isinstance(analysed, Unavailable) else None
        known = () if isinstance(analysed, Unavailable) else analysed
        # Import cycles are looked for here, over the same files; an analyser's QSL001 would count them twice.
        self._analysed = tuple(f for f in known if f.measure == MEASURE and f.code != "QSL001")

    def parse(self, facts: StaticFacts, context: StaticContext) -> CollectorResult:
        """Compute the rate, and a finding for every place; further findings at a place cost nothing."""
        code = judge(facts, context)
        if code.size <= 0:
            return nothing_judged(self.measures, context)
        files = {printable(file.facts.path): file for file in code.files}
        seen: set[tuple[str | None, int | None]] = set()
        findings = []
        for finding in sorted((*_messages(code), *_cycles(facts, context), *self._analysed), key=_order):
            place = (finding.path, finding.line)
            file = files.get(finding.path or "")
            unit = file.unit_at(finding.line or 1) if file is not None else None
            counts = self._lost is None and unit is not None and place not in seen
            seen.add(place)
            findings.append(
                replace(
                    finding,
                    name=finding.name or (unit.qualname if unit is not None else None),
                    dimension=DIMENSION,
                    measure=MEASURE,
                    points=PER_LINES / code.size if counts else 0.0,
                )
            )
        if self._lost is not None:
            return CollectorResult(measures={MEASURE: self._lost}, findings=tuple(findings))
        defects = sum(finding.points > 0 for finding in findings)
        value = Measured(value=PER_LINES * defects / code.size, details={"defects": defects, "judged_size": code.size})
        return CollectorResult(measures={MEASURE: value}, findings=tuple(findings))


def _order(finding: Finding) -> tuple[str, int, int, str]:
    return (finding.path or "", finding.line or 0, finding.column or 0, finding.code)


def _messages(code: JudgedCode) -> Iterable[Finding]:
    for file in code.files:
        for message in file.facts.messages:
            if message.id in STRUCTURE_MESSAGES:
                yield Finding(
                    code=message.id,
                    tool="pylint",
                    message=f"{message.text} ({message.symbol})",
                    severity=Severity.MEDIUM,
                    path=printable(file.facts.path),
                    line=message.line,
                    column=message.column,
                )


def _cycles(facts: StaticFacts, context: StaticContext) -> Iterable[Finding]:
    """One finding per group of modules that import each other; imports for type checking do not count."""
    modules = Modules.of((file.path for file in facts.files), context.import_roots)
    lines: dict[tuple[str, str], int] = {}
    edges: dict[str, set[str]] = {file.path: set() for file in facts.files}
    for file in facts.files:
        for imported in file.imports:
            # The module itself, not the packages above it: their `__init__` runs first whoever imports.
            target = next(iter(modules.targets(file.path, imported)), file.path)
            if target != file.path and not imported.typing_only:
                edges[file.path].add(target)
                lines.setdefault((file.path, target), imported.line)
    for component in strongly_connected(edges):
        if len(component) > 1:
            cycle = short_cycle(edges, component)
            names = [module_name(path, context.import_roots) for path in cycle]
            yield Finding(
                code=CYCLE,
                tool="qualityscore",
                message=f"Import cycle: {' -> '.join([*names, names[0]])}",
                severity=Severity.MEDIUM,
                path=printable(cycle[0]),
                line=lines[cycle[0], cycle[1]],
                column=1,
                details={"modules": len(component)},
            )
