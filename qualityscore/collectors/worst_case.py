"""Judging a subject that hid from the tracer what its tests enter: by the worst set of functions that it may be.

Beside the functions that were seen, code that would lower a measure is not judged: adding such code (trivial functions,
say) changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from qualityscore.collectors.context import CollectorResult, StaticCollector, StaticContext, StaticFacts
from qualityscore.collectors.judged import JudgedCode, JudgedFile, judge
from qualityscore.languages.python_source import printable
from qualityscore.languages.python_units import Unit
from qualityscore.model.finding import Finding
from qualityscore.model.measure import Measured, Outcome

_Key = tuple[str, int]


def worst_case(collector: StaticCollector, facts: StaticFacts, context: StaticContext) -> CollectorResult:
    """Each measure of a collector at its worst, over the functions that were seen to be entered and any others.

    Where none was seen, the functions that bear the surface's names stand in for them, of each name the smallest.
    """
    code = judge(facts, context)
    seen = {_key(file, unit) for file, unit in judge(facts, replace(context, entered_unknown=False)).functions()}
    seen = seen or _named(code, context.public_names)
    whole = collector.parse(facts, context)
    if not seen:
        return whole
    plain = collector.parse(facts, _judging(context, seen))
    measures: dict[str, Outcome] = {}
    findings: list[Finding] = []
    for measure in collector.measures:
        costs = [finding for finding in whole.findings if finding.measure == measure and finding.points > 0]
        worst = collector.parse(facts, _judging(context, _worst_set(code, seen, costs)))
        result = max((worst, plain, whole), key=lambda found: _value(found.measures[measure]))
        measures[measure] = result.measures[measure]
        findings += [finding for finding in result.findings if finding.measure == measure]
    return CollectorResult(measures=measures, findings=tuple(findings))


def _worst_set(code: JudgedCode, seen: set[_Key], costs: Iterable[Finding]) -> set[_Key]:
    """The functions seen, and those that raise (cost of all) / (size of all): the costliest per size first."""
    files = {printable(file.facts.path): file for file in code.files}
    sizes = {_key(file, unit): unit.size for file, unit in code.functions()}
    cost: defaultdict[_Key, float] = defaultdict(float)
    total = 0.0  # of what is judged in any case: module-level code and the functions seen
    for finding in costs:
        file = files.get(finding.path or "")
        unit = file.unit_at(finding.line or 1) if file is not None else None
        key = _key(file, unit) if file is not None and unit is not None else None
        if key in sizes and key is not None:
            cost[key] += finding.points
        if key is None or key not in sizes or key in seen:
            total += finding.points
    size = sum(sizes[key] for key in seen)
    chosen = set(seen)
    for key in sorted(cost.keys() - seen, key=lambda key: (-cost[key] / sizes[key], key)):
        if cost[key] / sizes[key] <= total / size:
            break
        chosen.add(key)
        total += cost[key]
        size += sizes[key]
    return chosen


def _named(code: JudgedCode, names: Iterable[str]) -> set[_Key]:
    wanted = {name.rpartition(".")[2] for name in names}
    smallest: dict[str, tuple[float, _Key]] = {}
    for file, unit in code.functions():
        name = unit.qualname.rpartition(".")[2]
        if name in wanted:
            entry = (unit.size, _key(file, unit))
            smallest[name] = min(smallest.get(name, entry), entry)
    return {key for _, key in smallest.values()}


def _judging(context: StaticContext, functions: Iterable[_Key]) -> StaticContext:
    judged = frozenset((path, line, "") for path, line in functions)
    return replace(context, entered_unknown=False, repeats_of_all=True, judged=judged)


def _key(file: JudgedFile, unit: Unit) -> _Key:
    return file.facts.path, unit.line


def _value(outcome: Outcome) -> float:
    return outcome.value if isinstance(outcome, Measured) else -1.0
