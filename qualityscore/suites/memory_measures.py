"""From facts to peak_heap and peak_rss of subject and reference, each checked by the other. Nothing here is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from qualityscore.model.measure import Fault, Part
from qualityscore.suites.cost_kit import Workload
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.cost_sides import Sides, by_id, missing, verdict_on_result
from qualityscore.suites.memory import Heap, Native, median_bytes
from qualityscore.suites.memory_check import CollectorCheck, HeapCheck

IMPORT_ALLOWANCE_BYTES = 4 << 20
"""What an import may hold beyond the reference's without being charged to the heap as well: ordinary modules of the
standard library take so much (`dataclasses` 2.5 MiB), and `peak_rss` has it anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Parts of peak_heap and peak_rss, subject first; `replaced` are the heaps that resident memory contradicts."""

    heap: tuple[tuple[Part, ...], tuple[Part, ...]]
    rss: tuple[tuple[Part, ...], tuple[Part, ...]]
    replaced: Mapping[str, HeapCheck]


def taken_memory(sides: Sides) -> Memory:
    """The memory of both sides."""
    heap_s, heap_r = ({h.id: h for h in side.heaps} for side in (sides.subject, sides.reference))
    subject, reference = by_id(sides.subject), by_id(sides.reference)
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
    native, own = by_id(sides.subject)[id_][0], by_id(sides.reference)[id_][0]
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
