"""From facts and pairs to workload.cost of subject and reference. Nothing here is run."""

from __future__ import annotations

import math
import statistics
from typing import Any

from qualityscore.core.costs import growth_exponent
from qualityscore.model.measure import Fault, Part
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Workload
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.cost_sides import Sides, by_id, missing, verdict_on_result
from qualityscore.suites.counter_check import compared, undecided
from qualityscore.suites.counting import LEFT_BEHIND, Counted, Overheads, counted_costs
from qualityscore.suites.timed import Pairs


def growth(workload: Workload, side: Counted, overheads: Overheads) -> float | None:
    """The growth exponent of one side's counts; None where they are of something else than the workload."""
    if side.trouble is not None:
        return None
    values = []
    for size in (workload.n, 2 * workload.n, workload.full):
        counted = side.by_size.get(size)
        if counted is None:
            return None
        values.append(counted.value - overheads.loading[workload.id][size])
    return growth_exponent(*values)


def growths(workload: Workload, sides: Sides) -> tuple[float | None, float | None]:
    """The growth exponents of subject and reference, by counts or else by CPU seconds."""
    overheads = sides.reference.overheads
    if overheads is None:
        return sides.timed_growth.get(workload.id), sides.timed_reference_growth.get(workload.id)
    found = [
        next((c for c in facts.counts.workloads if c.id == workload.id), None) if facts.counts else None
        for facts in (sides.subject, sides.reference)
    ]
    mine, theirs = (growth(workload, counted, overheads) if counted is not None else None for counted in found)
    return mine, theirs


def net_counts(workload: Workload, side: Counted, overheads: Overheads) -> dict[str, float]:
    """The counts of one side by size, without loading the inputs."""
    loading = overheads.loading[workload.id]
    return {str(size): counted.value - loading[size] for size, counted in sorted(side.by_size.items())}


def cost_parts(sides: Sides) -> tuple[tuple[Part, ...], tuple[Part, ...], dict[str, Any]]:
    """Parts of workload.cost for subject and reference, and the details of both."""
    subject, reference = by_id(sides.subject), by_id(sides.reference)
    mine: list[Part] = []
    theirs: list[Part] = []
    details: dict[str, Any] = {"start": {}, "growth": {}, "reference_growth": {}, "counts": {}, "check": {}}
    overheads = sides.reference.overheads
    for workload in sides.kit.workloads:
        id_ = workload.id
        if id_ in sides.troubles:
            theirs.append(missing(id_, sides.troubles[id_]))
            mine.append(missing(id_, sides.troubles[id_]))
            continue
        wrong = verdict_on_result(subject[id_][0], sides.expected.get(id_))
        counts = (subject[id_][1], reference[id_][1])
        if overheads is not None and counts[1] is not None and counts[1].trouble is None:
            alone = counted_costs(workload, counts[1], counts[1], overheads)
            assert alone is not None
            theirs.append(Part(id=id_, value=alone.reference, samples=_both(counts[1], workload)))
            details["start"][id_] = alone.start.reference
            details["counts"][id_] = net_counts(workload, counts[1], overheads)
            details["reference_growth"][id_] = growth(workload, counts[1], overheads)
            mine.append(_counted_part(workload, wrong, sides, counts, alone.reference))
            found = compared(workload, *counts, overheads, sides.checks.get(id_))
            if found is not None:
                part = mine[-1]
                by = None if part.value is None else "pairs" if part.log_ratios else "count"
                details["check"][id_] = found.details(by)
            if counts[0] is not None and wrong is None:
                details["growth"][id_] = growth(workload, counts[0], overheads)
            continue
        mine_, theirs_ = _paired_parts(workload, wrong, sides)
        if id_ in sides.timed_growth:
            details["growth"][id_] = sides.timed_growth[id_]
            details["reference_growth"][id_] = sides.timed_reference_growth.get(id_)
        mine.append(mine_)
        theirs.append(theirs_)
    return tuple(mine), tuple(theirs), details


def _counted_part(
    workload: Workload,
    wrong: Trouble | None,
    sides: Sides,
    counts: tuple[Counted | None, Counted | None],
    reference_cost: float,
) -> Part:
    id_ = workload.id
    if wrong is not None:
        return missing(id_, wrong)
    pairs, check = sides.pairs.get(id_), sides.checks.get(id_)
    mine, theirs = counts
    if check is not None and check.trouble is not None:
        return missing(id_, check.trouble)  # a count that nothing checked is a guess
    left = mine.trouble if mine is not None and mine.trouble and mine.trouble.reason == LEFT_BEHIND else None
    if pairs is not None and pairs.trouble is not None:
        return missing(id_, left or pairs.trouble)
    if pairs is not None and pairs.cost_logs:
        ratio = math.exp(statistics.median(pairs.cost_logs))
        how = f"by {len(pairs.cost_logs)} pairs of CPU seconds, in instructions of the reference"
        value = reference_cost / ratio
        said = "; ".join((how, *_said_of(pairs)))
        return Part(id=id_, value=value, log_ratios=pairs.cost_logs, widening=pairs.widening, note=said)
    overheads = sides.reference.overheads
    assert overheads is not None
    assert theirs is not None
    costs = counted_costs(workload, mine, theirs, overheads) if mine is not None else None
    if costs is None:
        why = sides.gate_problem or (mine.trouble.reason if mine is not None and mine.trouble else "it was not counted")
        return missing(id_, left or Trouble(reason=why, fault=Fault.HARNESS))
    if check is None and not sides.alone:
        return missing(id_, Trouble(reason=sides.gate_problem or "nothing checks its count", fault=Fault.HARNESS))
    found = compared(workload, mine, theirs, overheads, check)
    if found is not None and found.contradicted:
        return missing(id_, Trouble(reason=undecided("count", sides.gate_problem), fault=Fault.HARNESS))
    value, note = costs.subject, None
    if check is not None and check.idles:
        value += check.idle_share * costs.reference
        note = "; ".join(_said_of(check))
    assert mine is not None
    return Part(id=id_, value=value, samples=_both(mine, workload), note=note)


def _paired_parts(workload: Workload, wrong: Trouble | None, sides: Sides) -> tuple[Part, Part]:
    id_ = workload.id
    plain = Part(id=id_, value=_plain_cpu_s(sides.reference, id_), note="CPU seconds of one plain run")
    if wrong is not None:
        return missing(id_, wrong), plain
    pairs = sides.pairs.get(id_)
    if pairs is None or pairs.trouble is not None or not pairs.cost_logs:
        why = (pairs.trouble if pairs else None) or Trouble(
            reason=sides.gate_problem or "it was not timed", fault=Fault.HARNESS
        )
        gone = missing(id_, why)
        return gone, gone if why.fault is Fault.REFERENCE else plain
    reference_s, subject_s = (statistics.median(values) for values in pairs.costs)
    reference = Part(id=id_, value=reference_s, samples=pairs.costs[0])
    note = "; ".join(_said_of(pairs)) or None
    return (
        Part(
            id=id_,
            value=subject_s,
            samples=pairs.costs[1],
            log_ratios=pairs.cost_logs,
            widening=pairs.widening,
            note=note,
        ),
        reference,
    )


def _said_of(pairs: Pairs) -> list[str]:
    """What a reader must know of times that enter a cost."""
    said = []
    if pairs.idles:
        said.append(f"costed at wall time: it idles {pairs.idle_excess_s:.3f} s more than the reference")
    if pairs.widening:
        said.append("beside the snapshot's times, by way of the calibration workload")
    return said


def _plain_cpu_s(facts: Facts, id_: str) -> float:
    return next((native.cpu_s for native in facts.native.workloads if native.id == id_), 0.0)


def _both(counted: Counted, workload: Workload) -> tuple[float, ...]:
    scored = counted.by_size[workload.full]
    return (scored.value,) if scored.exact else (scored.value, scored.value * (1 + scored.relative))


def runs_seen(facts: Facts) -> dict[str, Any]:
    """What plain runs at 4n took and left, by workload: for the reader, in no score."""
    return {
        native.id: {
            "cpu_s": native.cpu_s,
            "wall_s": native.wall_s,
            "idle_s": native.idle_s,
            "written_bytes": native.written_bytes,
            "temp_bytes": native.temp_bytes,
            "threads_left": native.threads_left,
            "processes_left": native.processes_left,
            "descriptors_left": native.descriptors_left,
        }
        for native in facts.native.workloads
        if native.trouble is None
    }


def allocated(facts: Facts) -> dict[str, int | None]:
    """Bytes that the body of each workload asked for in all, freed or not: for the reader, in no score."""
    return {heap.id: heap.allocated_bytes for heap in facts.heaps if heap.trouble is None}


def curves(sides: Sides) -> dict[str, dict[str, Any]]:
    """For the reader, in no score: net counts over size (`by_size` of workload.cost) and bytes of heap over seconds
    (`over_time` of peak_heap), by workload and side.
    """
    by_size: dict[str, dict[str, list[tuple[float, float]]]] = {}
    over_time: dict[str, dict[str, list[tuple[float, float]]]] = {}
    overheads = sides.reference.overheads
    workloads = {workload.id: workload for workload in sides.kit.workloads}
    for side, facts in (("subject", sides.subject), ("reference", sides.reference)):
        for counted in facts.counts.workloads if facts.counts and overheads else ():
            workload = workloads.get(counted.id)  # kept counts of a reference may be of more workloads
            if workload is not None and counted.trouble is None and overheads is not None:
                net = net_counts(workload, counted, overheads)
                points = [(float(size), count) for size, count in net.items() if int(size) > 1]
                by_size.setdefault(counted.id, {})[side] = sorted(points)
        for heap in facts.heaps:
            if heap.timeline:
                over_time.setdefault(heap.id, {})[side] = [(seconds, float(size)) for seconds, size in heap.timeline]
    return {"workload.cost": {"by_size": by_size}, "peak_heap": {"over_time": over_time}}
