"""Memory of the workloads: the tree's peak as the kernel keeps it, and the body's high-water mark under memray."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from qualityscore.core.costs import MEMORY_SPREAD, spread
from qualityscore.model.measure import Fault
from qualityscore.suites.cost_kit import Bench, Workload
from qualityscore.suites.cost_launch import (
    IMPORT,
    Mode,
    Trouble,
    UnitRun,
    flaky,
    other_result,
    run_units,
    trouble,
    unit_of,
    unit_timeout_s,
)

RUNS = 3
RUNS_WHEN_APART = 7
FAILURES = frozenset({"failed", "exited", "flooded", "nonsense"})
"""States of a run that may go well another time, and took no time that others need."""
TRACKER_THREADS = 1  # memray's own
STANDARD_DESCRIPTORS = 5  # standard input, output and error, and the two pipes of the protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """What plain runs of one workload showed. Bytes; `full` at 4n, `one` at one item.

    `digests` has one entry per run at 4n, None for a run without a result. `sampled` says that the peak of the tree
    was sampled rather than kept by the kernel, since there were several processes.
    """

    id: str
    digests: tuple[str | None, ...]
    full: tuple[int, ...]
    one: tuple[int, ...]
    trouble: Trouble | None = None
    sampled: bool = False
    cpu_s: float = 0.0
    wall_s: float = 0.0
    idle_s: float = 0.0
    temp_bytes: int = 0
    written_bytes: int = 0
    threads_left: int = 0
    processes_left: int = 0
    descriptors_left: int = 0

    @property
    def digest(self) -> str | None:
        """The result, where all runs agree on one."""
        return self.digests[0] if len(set(self.digests)) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heap:
    """memray's high-water marks of one workload's body at 4n, in bytes.

    Peaks of forked children are added to it, so several of them make it an upper bound. `unseen` is the number of
    threads and of processes that were started otherwise; the latter's heap is not in it. `allocated_bytes` is all that
    the body asked for, whether it was freed or not, without children. `timeline` is the heap of one run over time:
    seconds under memray since the start, and bytes. `lost`: the body ended well and left no record that can be read.
    """

    id: str
    samples: tuple[int, ...] = ()
    digests: tuple[str | None, ...] = ()
    trouble: Trouble | None = None
    unseen: int = 0
    allocated_bytes: int | None = None
    timeline: tuple[tuple[float, int], ...] = ()
    lost: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeRuns:
    """One side's plain runs; `import_trouble` says why nothing else was run, `import_cpu_s` what the import took."""

    workloads: tuple[Native, ...] = ()
    import_cpu_s: float = 0.0
    import_trouble: Trouble | None = None


@dataclass(slots=True)
class _Seen:
    full: list[int] = field(default_factory=list)
    one: list[int] = field(default_factory=list)
    digests: list[str | None] = field(default_factory=list)
    first: UnitRun | None = None
    trouble: Trouble | None = None
    ended: bool = False
    rounds: int = 0
    at_one_item: list[Trouble] = field(default_factory=list)
    sampled: bool = False


def run_native(bench: Bench, step: Callable[[], None]) -> NativeRuns:
    """Import alone first, then every workload at 4n and at one item, three times (seven when the peaks differ).

    A workload that failed is run three times like any other, which tells how often it does; one that took too long, or
    was not run, is not run again. The collector is on, as a user has it.
    """
    is_reference = bench.target.is_reference
    timeout_s = unit_timeout_s(bench.target, Mode.SINGLE)
    imported = run_units(bench, Mode.SINGLE, [IMPORT])[IMPORT.id]
    step()
    problem = trouble(imported, is_reference=is_reference, timeout_s=timeout_s)
    if problem is not None:
        return NativeRuns(import_trouble=problem)
    seen: dict[str, _Seen] = defaultdict(_Seen)
    workloads = bench.kit.workloads
    for round_ in range(RUNS_WHEN_APART):
        wanted = [w for w in workloads if not seen[w.id].ended and (round_ < RUNS or _apart(seen[w.id]))]
        if not wanted:
            break
        units = [unit_of(w, size) for w in wanted for size in (w.full, 1)]
        runs = run_units(bench, Mode.SINGLE, units, gc=True, sample=True)
        for workload in wanted:
            _note(seen[workload.id], workload, runs, is_reference=is_reference, timeout_s=timeout_s)
        step()
    return NativeRuns(
        workloads=tuple(_native(w, seen[w.id]) for w in workloads), import_cpu_s=imported.import_cpu_s or 0.0
    )


def _apart(seen: _Seen) -> bool:
    """Whether the peaks of a workload without trouble differ so much that three runs are too few."""
    if seen.trouble is not None or seen.at_one_item:
        return False
    return spread(seen.full) > MEMORY_SPREAD or spread(seen.one) > MEMORY_SPREAD


def _note(seen: _Seen, workload: Workload, runs: dict[str, UnitRun], *, is_reference: bool, timeout_s: float) -> None:
    full, one = (runs.get(unit_of(workload, size).id) for size in (workload.full, 1))
    if full is not None and full.state != "not_run":
        seen.digests.append(full.digest if full.ok else None)
    seen.rounds += 1
    for run, samples in ((full, seen.full), (one, seen.one)):
        problem = trouble(run, is_reference=is_reference, timeout_s=timeout_s)
        if problem is not None or run is None:
            seen.ended = seen.ended or run is None or run.state not in FAILURES
            if run is one and problem is not None:
                seen.at_one_item.append(problem)
            else:
                seen.trouble = seen.trouble or problem
            return
        peak = run.peak_bytes
        if peak is None:
            seen.trouble = Trouble(reason="the kernel tells no peak of resident memory", fault=Fault.HARNESS)
            seen.ended = True
            return
        samples.append(peak)
        seen.sampled = seen.sampled or run.tree_peak_bytes is not None
    seen.first = seen.first or full


def _native(workload: Workload, seen: _Seen) -> Native:
    first = seen.first
    found = seen.trouble
    if found is None and seen.at_one_item:
        ours = next((t for t in seen.at_one_item if t.fault is Fault.HARNESS), None)
        sometimes = len(seen.at_one_item) < seen.rounds
        found = ours or (flaky(seen.at_one_item, seen.rounds) if sometimes else seen.at_one_item[0])
    return Native(
        id=workload.id,
        digests=tuple(seen.digests),
        full=tuple(seen.full),
        one=tuple(seen.one),
        trouble=found,
        sampled=seen.sampled,
        cpu_s=(first.body_cpu_s or 0.0) if first else 0.0,
        wall_s=(first.body_wall_s or 0.0) if first else 0.0,
        idle_s=(first.idle_s or 0.0) if first else 0.0,
        temp_bytes=(first.temp_bytes or 0) if first else 0,
        written_bytes=(first.written_bytes or 0) if first else 0,
        threads_left=(first.threads_left or 0) if first else 0,
        processes_left=(first.processes_left or 0) if first else 0,
        descriptors_left=max(0, (first.descriptors_left or 0) - STANDARD_DESCRIPTORS) if first else 0,
    )


def run_heap(bench: Bench, workloads: Sequence[Workload], step: Callable[[], None]) -> tuple[Heap, ...]:
    """memray runs of the workloads at 4n: the median of three, seven when they differ by more than a hundredth.

    Two equal samples decide a median of three, so a third is only taken when the first two differ.
    """
    timeout_s = unit_timeout_s(bench.target, Mode.HEAP)
    is_reference = bench.target.is_reference
    samples: dict[str, list[int]] = {w.id: [] for w in workloads}
    digests: dict[str, list[str | None]] = {w.id: [] for w in workloads}
    troubles: dict[str, Trouble] = {}
    lost: set[str] = set()
    unseen: dict[str, int] = {}
    allocated: dict[str, int | None] = {}
    timelines: dict[str, tuple[tuple[float, int], ...]] = {}
    for round_ in range(RUNS_WHEN_APART):
        wanted = [w for w in workloads if w.id not in troubles and not _enough(samples[w.id])]
        if not wanted:
            break
        runs = run_units(bench, Mode.HEAP, [unit_of(w, w.full) for w in wanted], gc=True, statistics=round_ == 0)
        for workload in wanted:
            run = runs.get(unit_of(workload, workload.full).id)
            problem = trouble(run, is_reference=is_reference, timeout_s=timeout_s)
            if problem is None and (other := other_result(run, bench, workload)) is not None:
                problem = Trouble(reason=f"under memray {other.reason}", fault=other.fault)
            if run is not None and problem is None and run.heap is None:
                lost.add(workload.id)
                problem = Trouble(reason=f"memray: {run.heap_error or 'no record'}"[:300], fault=Fault.HARNESS)
            digests[workload.id].append(run.digest if run is not None and run.ok else None)
            if problem is not None or run is None or run.heap is None:
                troubles[workload.id] = problem or Trouble(reason="no record", fault=Fault.HARNESS)
                continue
            samples[workload.id].append(run.heap.peak_bytes + run.heap.children_peak_bytes)
            allocated.setdefault(workload.id, run.heap.allocated_bytes)
            timelines.setdefault(workload.id, tuple(run.heap.timeline))
            unseen[workload.id] = max(0, (run.tasks_started or 0) - TRACKER_THREADS - run.heap.children)
        step()
    return tuple(
        Heap(
            id=w.id,
            samples=tuple(samples[w.id]),
            digests=tuple(digests[w.id]),
            trouble=troubles.get(w.id),
            unseen=unseen.get(w.id, 0),
            allocated_bytes=allocated.get(w.id),
            timeline=timelines.get(w.id, ()),
            lost=w.id in lost,
        )
        for w in workloads
    )


def _enough(samples: Sequence[int]) -> bool:
    if len(samples) == RUNS - 1:
        return samples[0] == samples[1]
    return len(samples) >= RUNS and (spread(samples) <= MEMORY_SPREAD or len(samples) >= RUNS_WHEN_APART)


def median_bytes(samples: Sequence[int]) -> int:
    """The median, in whole bytes."""
    return int(statistics.median(samples))
