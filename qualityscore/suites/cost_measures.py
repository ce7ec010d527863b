"""From facts and pairs to the four measures of subject and reference. Nothing here is run."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from qualityscore.core.costs import Start, growth_exponent, median_ratio, net_cost
from qualityscore.model.measure import Fault, Measured, Outcome, Part, Unavailable
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Kit, Workload
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.counter_check import Compared, compared, import_compared
from qualityscore.suites.counting import LEFT_BEHIND, Counted, Overheads
from qualityscore.suites.memory import Heap, Native, median_bytes
from qualityscore.suites.memory_check import CollectorCheck, HeapCheck
from qualityscore.suites.timed import ImportPairs, Pairs

IMPORT_ALLOWANCE_BYTES = 4 << 20
"""What an import may hold beyond the reference's without being charged to the heap as well: ordinary modules of the
standard library take so much (`dataclasses` 2.5 MiB), and `peak_rss` has it anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """All that two sides have shown. `pairs` holds the workloads whose cost was decided by pairs.

    `alone` says that a reference stands on both sides: nothing is scored by its counts, and nothing checks them.
    `gate_problem` says why times could not decide, or could not even check.
    """

    kit: Kit
    subject: Facts
    reference: Facts
    expected: Mapping[str, str]
    troubles: Mapping[str, Trouble]
    pairs: Mapping[str, Pairs]
    checks: Mapping[str, Pairs]
    import_pairs: ImportPairs | None = None
    import_check: ImportPairs | None = None
    gate_problem: str | None = None
    alone: bool = False
    timed_growth: Mapping[str, float | None] = field(default_factory=dict)
    timed_reference_growth: Mapping[str, float | None] = field(default_factory=dict)


def verdict_on_result(native: Native | None, expected: str | None) -> Trouble | None:
    """Why a workload's result does not count; None where it is right in every run."""
    if native is None:
        return Trouble(reason="it was not run", fault=Fault.HARNESS)
    wrong = [d for d in native.digests if d != expected]
    if wrong and len(wrong) < len(native.digests):
        return Trouble(
            reason=f"flaky: {len(wrong)} of {len(native.digests)} runs without the right result"
            + (f" ({native.trouble.reason})" if native.trouble else ""),
            fault=Fault.SUBJECT,
        )
    if native.trouble is not None:
        return native.trouble
    if wrong:
        kinds = len(set(wrong))
        varies = f", and from run to run: {kinds} different ones in {len(wrong)} runs" if kinds > 1 else ""
        return Trouble(reason=f"the result differs from the reference's{varies}", fault=Fault.SUBJECT)
    return None


def expected_digests(reference: Facts, pinned: Mapping[str, str] | None) -> tuple[dict[str, str], dict[str, Trouble]]:
    """The right result of each workload, and for each that has none why: a fault of the reference."""
    digests: dict[str, str] = {}
    troubles: dict[str, Trouble] = {}
    for native in reference.native.workloads:
        wanted = pinned.get(native.id) if pinned else None
        if native.trouble is not None:
            troubles[native.id] = native.trouble
        elif native.digest is None:
            kinds = Counter(native.digests).most_common()
            troubles[native.id] = Trouble(
                reason="the reference's result is not deterministic: "
                f"{len(kinds)} different ones in {len(native.digests)} runs",
                fault=Fault.REFERENCE,
            )
        elif wanted is not None and native.digest != wanted:
            troubles[native.id] = Trouble(
                reason="the reference gives another result on this host than in the snapshot", fault=Fault.REFERENCE
            )
        else:
            digests[native.id] = native.digest
    return digests, troubles


def nothing(reason: Trouble) -> Unavailable:
    """A measure of which no part could be had."""
    return Unavailable(reason=reason.reason, fault=reason.fault)


def missing(id_: str, why: Trouble) -> Part:
    """A part without a value: worth 0 by the subject's fault, unmeasured by anybody else's."""
    fault = None if why.fault is Fault.SUBJECT else why.fault
    return Part(id=id_, value=None, right=fault is not None, note=why.reason, fault=fault)


def total(parts: tuple[Part, ...]) -> float:
    """The sum over the parts that have a value."""
    return math.fsum(part.value for part in parts if part.value is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The costs of one workload by counts, on both sides, with what was taken off."""

    subject: float
    reference: float
    start: Start
    full: tuple[float, float]
    repeat: float


def counted_costs(workload: Workload, subject: Counted, reference: Counted, overheads: Overheads) -> Costs | None:
    """Section 5: T_R(4n) - T_R(1) and T_S(4n) - min(T_S(1), T_R(1)), loading off both; None without all four counts."""
    if subject.trouble or reference.trouble:
        return None
    of = overheads.loading[workload.id]
    loading, loading_one = of[workload.full], of[1]
    mine, theirs = subject.by_size, reference.by_size
    start = Start(subject=mine[1].value - loading_one, reference=theirs[1].value - loading_one)
    return Costs(
        subject=net_cost(mine[workload.full].value, loading, start.taken_off),
        reference=net_cost(theirs[workload.full].value, loading, start.reference),
        start=start,
        full=(mine[workload.full].value, theirs[workload.full].value),
        repeat=max(mine[workload.full].relative, theirs[workload.full].relative),
    )


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
    subject, reference = _by_id(sides.subject), _by_id(sides.reference)
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
                details["check"][id_] = _check_details(found, by)
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
        return Part(id=id_, value=value, log_ratios=pairs.cost_logs, widening=pairs.widening, note=how)
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
        return missing(id_, Trouble(reason=_undecided("count", sides), fault=Fault.HARNESS))
    value, note = costs.subject, None
    if check is not None and check.idles and check.subject is not None:
        cpu_s = statistics.median(check.subject.full)
        value *= 1 + check.idle_excess_s / max(cpu_s, 1e-6)
        note = f"costed at wall time: it idles {check.idle_excess_s:.3f} s more than the reference"
    assert mine is not None
    return Part(id=id_, value=value, samples=_both(mine, workload), note=note)


def _undecided(what: str, sides: Sides) -> str:
    return f"CPU time contradicts the {what}, and pairs cannot decide: {sides.gate_problem or 'they give no ratio'}"


def _check_details(found: Compared, decided_by: str | None) -> dict[str, Any]:
    """What CPU time said of a count, and which of the two decided; None where neither did."""
    return {"by_count": found.by_count, "by_cpu": found.by_cpu, "pairs": found.pairs, "decided_by": decided_by}


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
    said = ["costed at wall time: it idles more than the reference"] if pairs.idles else []
    said += ["beside the snapshot's times, by way of the calibration workload"] if pairs.calibrated else []
    note = "; ".join(said) or None
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


def _plain_cpu_s(facts: Facts, id_: str) -> float:
    return next((native.cpu_s for native in facts.native.workloads if native.id == id_), 0.0)


def _both(counted: Counted, workload: Workload) -> tuple[float, ...]:
    scored = counted.by_size[workload.full]
    return (scored.value,) if scored.exact else (scored.value, scored.value * (1 + scored.relative))


def _by_id(facts: Facts) -> dict[str, tuple[Native | None, Counted | None]]:
    natives = {n.id: n for n in facts.native.workloads}
    counts = {c.id: c for c in facts.counts.workloads} if facts.counts else {}
    return _Defaulted({id_: (natives.get(id_), counts.get(id_)) for id_ in natives | counts})


class _Defaulted(dict[str, tuple[Native | None, Counted | None]]):
    def __missing__(self, key: str) -> tuple[None, None]:
        return None, None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Parts of peak_heap and peak_rss, subject first; `replaced` are the heaps that resident memory contradicts."""

    heap: tuple[tuple[Part, ...], tuple[Part, ...]]
    rss: tuple[tuple[Part, ...], tuple[Part, ...]]
    replaced: Mapping[str, HeapCheck]


def taken_memory(sides: Sides) -> Memory:
    """The memory of both sides."""
    heap_s, heap_r = ({h.id: h for h in side.heaps} for side in (sides.subject, sides.reference))
    subject, reference = _by_id(sides.subject), _by_id(sides.reference)
    heaps: tuple[list[Part], list[Part]] = ([], [])
    peaks: tuple[list[Part], list[Part]] = ([], [])
    replaced: dict[str, HeapCheck] = {}
    for workload in sides.kit.workloads:
        id_ = workload.id
        native, own = subject[id_][0], reference[id_][0]
        if id_ in sides.troubles or own is None:
            why = sides.troubles.get(id_) or Trouble(reason="it was not run", fault=Fault.HARNESS)
            for column in (*heaps, *peaks):
                column.append(missing(id_, why))
            continue
        wrong = verdict_on_result(native, sides.expected.get(id_))
        base = median_bytes(own.one)
        peaks[1].append(_peak_part(own, base))
        heaps[1].append(_heap_part(id_, heap_r.get(id_), own, peaks[1][-1]))
        if wrong is not None or native is None:
            gone = missing(id_, wrong or Trouble(reason="it was not run", fault=Fault.HARNESS))
            peaks[0].append(gone)
            heaps[0].append(gone)
        else:
            peaks[0].append(_peak_part(native, min(base, median_bytes(native.one))))
            seen = heap_s.get(id_)
            part = _heap_part(id_, seen, native, peaks[0][-1])
            start = median_bytes(native.one)
            lost = seen is not None and seen.lost
            heap = 0.0 if lost else part.value
            check = _heap_check(heap, _peak_part(native, start), heaps[1][-1], peaks[1][-1])
            if check is not None and lost:
                part = _unrecorded_part(id_, check)
            elif check is not None and check.contradicted:
                replaced[id_] = check
                part = _resident_part(part, native, check)
            heaps[0].append(_with_import(part, peaks[0][-1], held=start - base))
    return Memory(heap=(tuple(heaps[0]), tuple(heaps[1])), rss=(tuple(peaks[0]), tuple(peaks[1])), replaced=replaced)


def _heap_check(heap: float | None, resident: Part, reference_heap: Part, reference_rss: Part) -> HeapCheck | None:
    """The subject's heap beside its resident memory; None where one of the four is missing."""
    if heap is None or resident.value is None or reference_heap.value is None or reference_rss.value is None:
        return None
    return HeapCheck(
        heap=heap,
        resident=resident.value,
        reference_heap=reference_heap.value,
        reference_resident=reference_rss.value,
    )


def _unrecorded_part(id_: str, check: HeapCheck) -> Part:
    """The heap of a body that ended well and left no record of it, where the reference's can be read.

    Whoever is in the process can remove the record, so it is no reason to leave the heap out: what was resident
    counts, and no less than the reference's heap.
    """
    value = max(check.foreseen, check.reference_heap)
    return Part(
        id=id_,
        value=value,
        samples=(value,),
        note="by resident memory, and no less than the reference's heap: memray's record was gone",
    )


def _resident_part(part: Part, native: Native, check: HeapCheck) -> Part:
    """The heap by what was resident in plain runs, which nothing in the process could see memray in."""
    off = median_bytes(native.full) - check.foreseen
    note = (
        f"by resident memory of runs without memray, {check.resident / 2**20:.1f} MiB above idle: the heap that memray "
        f"saw, {check.heap / 2**20:.1f} MiB, does not explain it"
    )
    samples = tuple(max(0.0, sample - off) for sample in native.full)
    return replace(part, value=check.foreseen, samples=samples, note=f"{note}; {part.note}" if part.note else note)


def collector_check(workload: Workload, sides: Sides) -> CollectorCheck | None:
    """What the peaks of timed runs say beside those of plain ones; None where either is missing."""
    id_ = workload.id
    native, own = _by_id(sides.subject)[id_][0], _by_id(sides.reference)[id_][0]
    timed = next(
        (p for p in (sides.pairs.get(id_), sides.checks.get(id_)) if p and p.subject and p.subject.peaks), None
    )
    if native is None or own is None or timed is None or timed.subject is None:
        return None
    if not (native.full and native.one and own.full and own.one):
        return None
    base = median_bytes(own.one)
    idle = min(base, median_bytes(native.one))
    theirs = timed.reference.peaks if timed.reference is not None else ()
    return CollectorCheck(
        plain=median_bytes(native.full) - idle,
        timed=median_bytes(timed.subject.peaks) - idle,
        reference_plain=median_bytes(own.full) - base,
        reference_timed=median_bytes(theirs) - base if theirs else None,
    )


def _heap_part(id_: str, heap: Heap | None, native: Native, peak: Part) -> Part:
    """The heap; of several processes the `peak` of their resident memory where it is more, since memray may see one."""
    if heap is None or heap.trouble is not None or not heap.samples:
        why = heap.trouble if heap is not None and heap.trouble else None
        return missing(id_, why or Trouble(reason="memray was not run", fault=Fault.HARNESS))
    value = float(median_bytes(heap.samples))
    if native.sampled and peak.value is not None and peak.value > value:
        idle = median_bytes(native.full) - peak.value
        note = f"resident memory of several processes above idle; the heap that memray saw is {value / 2**20:.1f} MiB"
        return Part(id=id_, value=peak.value, samples=tuple(max(0.0, s - idle) for s in peak.samples), note=note)
    note = f"{heap.unseen} threads or processes were started; the heap of processes not forked is not in it"
    return Part(
        id=id_,
        value=value,
        samples=tuple(float(sample) for sample in heap.samples),
        note=note if heap.unseen else None,
    )


def _with_import(part: Part, peak: Part, *, held: int) -> Part:
    """The heap with what the import has ready, charged as its work is: memray sees the body alone.

    `held` bytes are resident in a run of one item beyond the reference's. What of them is beyond the allowance is
    added, up to the `peak`.
    """
    if part.value is None or peak.value is None:
        return part
    added = min(float(held - IMPORT_ALLOWANCE_BYTES), peak.value - part.value)
    if added <= 0:
        return part
    said = (
        f"{added / 2**20:.1f} MiB of it were held before the body began, beyond the reference's start and "
        f"{IMPORT_ALLOWANCE_BYTES >> 20} MiB"
    )
    return replace(
        part,
        value=part.value + added,
        samples=tuple(sample + added for sample in part.samples),
        note=f"{said}; {part.note}" if part.note else said,
    )


def _peak_part(native: Native, base: int) -> Part:
    return Part(
        id=native.id,
        value=float(max(0, median_bytes(native.full) - base)),
        samples=tuple(float(s) for s in native.full),
        note="sampled, since it had several processes" if native.sampled else None,
    )


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
        return Trouble(reason=_undecided("count of the import", sides), fault=Fault.HARNESS)
    return None


def _import_check(sides: Sides, decided_by: str | None) -> dict[str, Any]:
    """Details of the import's check, where it was checked."""
    check = sides.import_check
    if check is None or check.trouble is not None:
        return {}
    found = import_compared(sides.subject, sides.reference, check)
    return {"check": {"import": _check_details(found, decided_by)}}


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
