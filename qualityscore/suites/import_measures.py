"""From facts and pairs to import.cost of subject and reference. Nothing here is run."""

from __future__ import annotations

import statistics
from dataclasses import replace
from typing import Any

from qualityscore.core.costs import median_ratio
from qualityscore.model.measure import Fault, Measured, Outcome, Part, Unavailable
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.cost_sides import Sides
from qualityscore.suites.counter_check import import_compared, undecided
from qualityscore.suites.timed import ImportPairs


def import_outcomes(sides: Sides) -> tuple[Outcome, Outcome]:
    """import.cost of subject and reference: what the import costs beyond an empty interpreter."""
    for facts, fault in ((sides.reference, Fault.REFERENCE), (sides.subject, Fault.SUBJECT)):
        problem = facts.native.import_trouble
        if problem is not None:
            gone = Unavailable(reason=problem.reason, fault=problem.fault)
            if fault is Fault.REFERENCE:
                return gone, gone
            return gone, _reference_import(sides)
    theirs = _import_measured(sides, sides.reference)
    pairs = sides.import_pairs
    if pairs is not None and pairs.trouble is not None:
        gone = Unavailable(reason=pairs.trouble.reason, fault=pairs.trouble.fault)
        return gone, _reference_import(sides) if pairs.trouble.fault is Fault.SUBJECT else gone
    if pairs is not None:
        return _import_paired(pairs, theirs, _import_check(sides, "pairs"))
    mine = _import_measured(sides, sides.subject)
    if sides.alone or not isinstance(mine, Measured) or not isinstance(theirs, Measured):
        return mine, theirs
    problem = _unchecked_import(sides)
    if problem is not None:
        return Unavailable(reason=problem.reason, fault=problem.fault, details=_import_check(sides, None)), theirs
    return replace(mine, details=mine.details | _import_check(sides, "count")), theirs


def _unchecked_import(sides: Sides) -> Trouble | None:
    """Why the count of the import cannot stand; None where CPU time bears it out."""
    check = sides.import_check
    if check is None:
        return Trouble(reason=sides.gate_problem or "nothing checks its count", fault=Fault.HARNESS)
    if check.trouble is not None:
        return check.trouble
    found = import_compared(sides.subject, sides.reference, check)
    if found.contradicted:
        return Trouble(reason=undecided("count of the import", sides.gate_problem), fault=Fault.HARNESS)
    return None


def _import_check(sides: Sides, decided_by: str | None) -> dict[str, Any]:
    """Details of the import's check, where it was checked."""
    check = sides.import_check
    if check is None or check.trouble is not None:
        return {}
    found = import_compared(sides.subject, sides.reference, check)
    return {"check": {"import": found.details(decided_by)}}


def _import_paired(pairs: ImportPairs, counted: Outcome, check: dict[str, Any]) -> tuple[Outcome, Outcome]:
    """By pairs: in instructions of the reference where these are `counted`, else in seconds."""
    if not isinstance(counted, Measured):
        unit = {"unit": "seconds"}
        sides = []
        for seconds, logs, widening in ((pairs.subject, pairs.logs, pairs.widening), (pairs.reference, (), 0.0)):
            value = statistics.median(seconds)
            part = Part(id="import", value=value, samples=seconds, log_ratios=logs, widening=widening)
            sides.append(Measured(value=value, parts=(part,), details=unit))
        return replace(sides[0], details=unit | check), sides[1]
    ratio = median_ratio(pairs.logs)
    if ratio is None:
        return Unavailable(reason="pairs of the import give no ratio", fault=Fault.HARNESS, details=check), counted
    value = counted.value / ratio
    how = f"by {len(pairs.logs)} pairs of CPU seconds, in instructions of the reference"
    part = Part(id="import", value=value, log_ratios=pairs.logs, widening=pairs.widening, note=how)
    return Measured(value=value, parts=(part,), details=check), counted


def _reference_import(sides: Sides) -> Outcome:
    """The reference's import.cost where the subject has none by its own fault: nothing is compared with it."""
    if sides.reference.counts is not None:
        return _import_measured(sides, sides.reference)
    value = sides.reference.native.import_cpu_s
    part = Part(id="import", value=value, note="CPU seconds of one plain run")
    return Measured(value=value, parts=(part,), details={"unit": "seconds"})


def _import_measured(sides: Sides, facts: Facts) -> Outcome:
    counts, overheads = facts.counts, sides.reference.overheads
    if counts is None or overheads is None or counts.imported is None:
        why = counts.import_trouble if counts is not None and counts.import_trouble else None
        return Unavailable(
            reason=why.reason if why else sides.gate_problem or "the import was not counted",
            fault=why.fault if why else Fault.HARNESS,
        )
    value = max(0.0, counts.imported.value - overheads.empty)
    part = Part(id="import", value=value)
    return Measured(value=value, parts=(part,), details={"empty_interpreter": overheads.empty})
