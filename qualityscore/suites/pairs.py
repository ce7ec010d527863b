"""CPU seconds in pairs: A B B A in fresh processes on one leased core, and the gate that says whether they can tell."""

from __future__ import annotations

import marshal
import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from qualityscore.core.costs import PAIRS_FIRST, PAIRS_MOST, Gate, growth_exponent, judge_gate, log_ratios, settled
from qualityscore.model.measure import Fault
from qualityscore.runtime.leases import Lease
from qualityscore.suites.cost_kit import INSIDE, Bench, Kit, Workload
from qualityscore.suites.cost_launch import (
    BUDGET,
    IMPORT,
    Mode,
    Trouble,
    Unit,
    UnitRun,
    flaky,
    other_result,
    run_units,
    trouble,
    unit_of,
    unit_timeout_s,
)
from qualityscore.suites.timed import ImportPairs, Pairs, Timed

CHECK_PAIRS = 6
LEAST_PAIRS = 6
ONE_ITEM_RUNS = 6
GROWTH_RUNS = 3
CALIBRATION_SIZE = 100
EMPTY_RUNS = 11
_LEFT_OUT = Trouble(reason=BUDGET, fault=Fault.HARNESS)


def take_pairs(
    subject: Bench,
    reference: Bench,
    workloads: Sequence[Workload],
    lease: Lease,
    *,
    pairs: int,
    step: Callable[[], None],
    before: dict[str, Pairs] | None = None,
    deadline: float | None = None,
) -> dict[str, Pairs]:
    """Time every workload `pairs` times on both sides, in the order A B B A, adding to `before`.

    No pair is begun after `deadline` (time.monotonic(); default: the suite's total time from now). What has fewer than
    six pairs then is in trouble.
    """
    deadline = _deadline(subject) if deadline is None else deadline
    fulls, ones = [unit_of(w, w.full) for w in workloads], [unit_of(w, 1) for w in workloads]
    runs: dict[bool, list[dict[str, UnitRun]]] = {True: [], False: []}
    for number in range(pairs):
        if time.monotonic() >= deadline:
            break
        units = [*fulls, *ones] if before is None and number < ONE_ITEM_RUNS else fulls
        order = (reference, subject) if number % 2 == 0 else (subject, reference)
        for bench in order:
            of_reference = bench is reference
            runs[of_reference].append(_timed(bench, units, lease))
        last = [run for side in runs.values() for run in side[-1].values()]
        if time.monotonic() >= deadline and any(run.state == "not_run" for run in last):
            runs = {of_reference: side[:-1] for of_reference, side in runs.items()}
            break  # the pair that the deadline cut is no pair
        step()
    if not runs[True]:
        why = left_out(subject, sum(reference.timed_s))
        return {w.id: before[w.id] if before else Pairs(id=w.id, trouble=why) for w in workloads}
    found = [_merge(before.get(w.id) if before else None, _pair(w, subject, reference, runs)) for w in workloads]
    few = left_out(subject, sum(reference.timed_s))
    return {p.id: p if p.trouble or p.runs >= LEAST_PAIRS else Pairs(id=p.id, trouble=few, runs=p.runs) for p in found}


def left_out(subject: Bench, reference_s: float) -> Trouble:
    """Why what is timed did not fit: the subject's fault where half of the suite's time went to what its launches took
    beyond the `reference_s` that the reference's take, nobody's otherwise."""
    excess_s = sum(subject.timed_s) - reference_s
    if excess_s <= _suite_s(subject) / 2:
        return _LEFT_OUT
    reason = f"no time was left for it: timed in turn, the subject took {excess_s:.0f} s more than the reference"
    return Trouble(reason=reason, fault=Fault.SUBJECT)


def bounded(bench: Bench) -> Bench:
    """The bench for everything that is timed from now on: all of it together has the suite's time, once."""
    return replace(bench, deadline=_deadline(bench), timed_s=[])


def _deadline(bench: Bench) -> float:
    """When a pair measurement that begins now is over: with the suite's time, or with the bench's."""
    return min(bench.deadline, time.monotonic() + _suite_s(bench))


def _suite_s(bench: Bench) -> float:
    spec = bench.target.task.spec.suites.get("cost")
    return spec.total_timeout_s if spec else 300.0


def _timed(bench: Bench, units: Sequence[Unit], lease: Lease) -> dict[str, UnitRun]:
    begun = time.monotonic()
    runs = run_units(bench, Mode.SINGLE, units, cpus=(lease.cpu,), keeper_cpus=lease.others)
    bench.timed_s.append(time.monotonic() - begun)
    return runs


def _pair(workload: Workload, subject: Bench, reference: Bench, runs: dict[bool, list[dict[str, UnitRun]]]) -> Pairs:
    sides: dict[bool, Timed] = {}
    count = len(runs[True])
    for of_reference, bench in ((True, reference), (False, subject)):
        fulls = [r.get(unit_of(workload, workload.full).id) for r in runs[of_reference]]
        ones = [r[id_] for r in runs[of_reference] if (id_ := unit_of(workload, 1).id) in r]
        timeout_s = unit_timeout_s(bench.target, Mode.SINGLE)
        for series in (fulls, ones):
            found = [
                trouble(run, is_reference=bench.target.is_reference, timeout_s=timeout_s)
                or (other_result(run, bench, workload) if series is fulls else None)
                for run in series
            ]
            problems = [problem for problem in found if problem is not None]
            if problems:
                why = flaky(problems, len(series)) if len(problems) < len(series) else problems[0]
                return Pairs(id=workload.id, trouble=why, failed=len(problems), runs=count)
        sides[of_reference] = _side([r for r in fulls if r], [r for r in ones if r])
    return Pairs(id=workload.id, reference=sides[True], subject=sides[False], runs=count)


def take_alone(
    bench: Bench, workloads: Sequence[Workload], lease: Lease, *, runs: int, step: Callable[[], None]
) -> dict[str, Timed | Trouble]:
    """Time every workload of one side `runs` times, at least six of them before time is up."""
    deadline = _deadline(bench)
    units = [unit_of(w, size) for w in workloads for size in (w.full, 1)]
    taken: list[dict[str, UnitRun]] = []
    while len(taken) < runs and time.monotonic() < deadline:
        taken.append(_timed(bench, units, lease))
        step()
    if taken and any(run.state == "not_run" for run in taken[-1].values()):
        taken.pop()  # the deadline cut it
    if len(taken) < LEAST_PAIRS:
        return {w.id: _LEFT_OUT for w in workloads}
    return {w.id: _alone(bench, w, taken) for w in workloads}


def _alone(bench: Bench, workload: Workload, taken: list[dict[str, UnitRun]]) -> Timed | Trouble:
    found = _pair(workload, bench, bench, {True: taken, False: taken})
    if found.trouble is not None:
        return found.trouble
    assert found.subject is not None
    return found.subject


def _side(fulls: list[UnitRun], ones: list[UnitRun]) -> Timed:
    """Every run starts, so that all of them tell what starting costs; one item's body is short, and a few tell it."""
    one = statistics.median(run.body_cpu_s or 0.0 for run in ones) if ones else 0.0
    start = statistics.median(run.start_cpu_s or 0.0 for run in (*fulls, *ones))
    return Timed(
        full=tuple(run.body_cpu_s or 0.0 for run in fulls),
        idle=tuple(run.idle_s or 0.0 for run in fulls),
        wall=tuple(run.body_wall_s or 0.0 for run in fulls),
        one=one,
        start=start + one,
        load=tuple(run.load_cpu_s or 0.0 for run in fulls),
        peaks=tuple(run.peak_bytes for run in fulls if run.peak_bytes is not None),
    )


def _merge(before: Pairs | None, after: Pairs) -> Pairs:
    if before is None:
        return after
    if (
        before.trouble
        or after.trouble
        or not (before.subject and before.reference and after.subject and after.reference)
    ):
        return replace(
            after,
            subject=None,
            reference=None,
            trouble=after.trouble or before.trouble,
            failed=before.failed + after.failed,
            runs=before.runs + after.runs,
        )
    return Pairs(
        id=after.id,
        subject=_joined(before.subject, after.subject),
        reference=_joined(before.reference, after.reference),
        runs=before.runs + after.runs,
    )


def _joined(a: Timed, b: Timed) -> Timed:
    # what starting and one item cost only shifts all pairs alike, and only the first series runs one item
    return Timed(
        full=a.full + b.full,
        idle=a.idle + b.idle,
        wall=a.wall + b.wall,
        one=a.one,
        start=a.start,
        load=a.load + b.load,
        peaks=a.peaks + b.peaks,
    )


def measure_pairs(
    subject: Bench, reference: Bench, workloads: Sequence[Workload], lease: Lease, step: Callable[[], None]
) -> dict[str, Pairs]:
    """Twenty pairs of each workload, more until its median log-ratio is located, there are forty, or time is up.

    The workloads of a pair share a launch, and all of them the suite's time.
    """
    deadline = _deadline(subject)
    taken = take_pairs(subject, reference, workloads, lease, pairs=PAIRS_FIRST, step=step, deadline=deadline)
    while time.monotonic() < deadline:
        open_ = [w for w in workloads if not _enough(taken[w.id])]
        if not open_:
            break
        more = take_pairs(subject, reference, open_, lease, pairs=5, step=step, before=taken, deadline=deadline)
        taken = {**taken, **more}
    return taken


def _enough(pairs: Pairs) -> bool:
    return pairs.trouble is not None or settled(pairs.cost_logs) or pairs.runs >= PAIRS_MOST


def measure_growth(
    bench: Bench, workloads: Sequence[Workload], lease: Lease, step: Callable[[], None]
) -> dict[str, float | None]:
    """The growth exponent of each workload by the medians of its body's CPU seconds at n, 2n and 4n."""
    taken = []
    for _ in range(GROWTH_RUNS):
        units = [unit_of(w, size) for w in workloads for size in (w.n, 2 * w.n, w.full)]
        taken.append(_timed(bench, units, lease))
        step()
    return {w.id: _growth(w, taken) for w in workloads}


def _growth(workload: Workload, taken: list[dict[str, UnitRun]]) -> float | None:
    medians = []
    for size in (workload.n, 2 * workload.n, workload.full):
        runs = [run for r in taken if (run := r.get(unit_of(workload, size).id)) is not None and run.ok]
        if len(runs) < len(taken):
            return None
        medians.append(statistics.median(run.body_cpu_s or 0.0 for run in runs))
    return growth_exponent(*medians)


def measure_import_pairs(
    subject: Bench,
    reference: Bench,
    lease: Lease,
    step: Callable[[], None],
    *,
    first: int = PAIRS_FIRST,
    most: int = PAIRS_MOST,
) -> ImportPairs:
    """`first` pairs of fresh imports, up to `most` until they settle, fewer when time is up; in trouble below six."""
    deadline = _deadline(subject)
    empty_s = _empty_import_s(reference, lease)
    costs: dict[bool, list[float]] = {True: [], False: []}
    number = 0
    while number < first or (number < most and not settled(log_ratios(costs[True], costs[False]))):
        if time.monotonic() >= deadline:
            break
        order = (reference, subject) if number % 2 == 0 else (subject, reference)
        for bench in order:
            run = _timed(bench, [IMPORT], lease)[IMPORT.id]
            problem = trouble(run, is_reference=bench is reference, timeout_s=unit_timeout_s(bench.target, Mode.SINGLE))
            if problem is not None and problem.reason == BUDGET:  # the deadline cut it
                problem = left_out(subject, sum(reference.timed_s))
            if problem is not None:
                return ImportPairs(subject=(), reference=(), trouble=problem)
            costs[bench is reference].append(max(0.0, (run.import_cpu_s or 0.0) - empty_s))
        number += 1
        step()
    if number < LEAST_PAIRS:
        return ImportPairs(subject=(), reference=(), trouble=left_out(subject, sum(reference.timed_s)))
    return ImportPairs(subject=tuple(costs[False]), reference=tuple(costs[True]))


def measure_import_alone(
    bench: Bench, lease: Lease, *, runs: int, step: Callable[[], None]
) -> tuple[float, ...] | Trouble:
    """CPU seconds of `runs` fresh imports of one side, less an empty interpreter's."""
    deadline = _deadline(bench)
    empty_s = _empty_import_s(bench, lease)
    costs: list[float] = []
    while len(costs) < runs:
        if time.monotonic() >= deadline:
            return _LEFT_OUT
        run = _timed(bench, [IMPORT], lease)[IMPORT.id]
        problem = trouble(
            run, is_reference=bench.target.is_reference, timeout_s=unit_timeout_s(bench.target, Mode.SINGLE)
        )
        if problem is not None:
            return problem
        costs.append(max(0.0, (run.import_cpu_s or 0.0) - empty_s))
        step()
    return tuple(costs)


def _empty_import_s(bench: Bench, lease: Lease) -> float:
    empties = [Unit(size=k) for k in range(EMPTY_RUNS)]
    bare = run_units(bench, Mode.SINGLE, empties, with_subject=False, cpus=(lease.cpu,), keeper_cpus=lease.others)
    return statistics.median(run.import_cpu_s or 0.0 for run in bare.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A/A pairs of the calibration workload: what they say about the host, and its median CPU seconds."""

    gate: Gate
    seconds: float


def calibrate(bench: Bench, folder: Path, lease: Lease, step: Callable[[], None]) -> Calibration:
    """Time equal code against itself, twenty pairs. `folder` is scratch space; nothing of the subject is run."""
    suite, inputs = folder / "suite", folder / "inputs"
    for place in (suite, inputs):
        place.mkdir(parents=True, mode=0o755)
    shutil.copyfile(INSIDE / "workload_calibration.py", suite / "workloads.py")
    (inputs / "full").write_bytes(marshal.dumps(CALIBRATION_SIZE))
    workload = Workload(id="calibration", n=CALIBRATION_SIZE // 4, holds_mib=0, inputs={CALIBRATION_SIZE: "full"})
    still = replace(bench, kit=Kit(workloads=(workload,), suite=suite, inputs=inputs))
    unit = unit_of(workload, CALIBRATION_SIZE)
    times: dict[bool, list[float]] = {True: [], False: []}
    for number in range(PAIRS_FIRST):
        for first in (True, False) if number % 2 == 0 else (False, True):
            run = run_units(
                still, Mode.SINGLE, [unit], with_subject=False, cpus=(lease.cpu,), keeper_cpus=lease.others
            )[unit.id]
            times[first].append(run.body_cpu_s or 0.0)
        step()
    return Calibration(
        gate=judge_gate(log_ratios(times[True], times[False])), seconds=statistics.median(times[True] + times[False])
    )
