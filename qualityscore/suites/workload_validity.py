"""Whether a task's workloads measure the surface: inputs and digest must cost next to nothing beside the body."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from qualityscore.core.costs import INPUT_SHARE
from qualityscore.errors import ReferenceFaultError
from qualityscore.model.measure import Measured
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Target
from qualityscore.suites.cost_kit import Bench, Workload, prepare_bench, prepare_kit
from qualityscore.suites.cost_launch import Mode, Unit, UnitRun, run_units, trouble, unit_of, unit_timeout_s
from qualityscore.suites.counters import choose

_TIMED_RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """What a workload spends at 4n beside its body, as shares of the reference's cost T(4n) - T(1)."""

    id: str
    inputs: float
    digest: float


def unfit_workloads(measured: Iterable[Shares]) -> tuple[str, ...]:
    """The workloads whose inputs or digest cost 5 % of the reference or more, in words (scoring.md section 5)."""
    found = []
    for shares in measured:
        for what, share in (("loading its inputs", shares.inputs), ("its digest", shares.digest)):
            if share >= INPUT_SHARE:
                found.append(
                    f"workload {shares.id}: {what} costs {share:.1%} of the reference's cost, "
                    f"less than {INPUT_SHARE:.0%} is allowed; let the body do more, or the rest less"
                )
    return tuple(found)


def small_workloads(measured: Measured) -> tuple[str, ...]:
    """The workloads of a reference's `workload.cost` that have no cost, or none above that of a start, in words."""
    start = measured.details.get("start", {})
    found = []
    for part in measured.parts:
        if part.value is None:
            found.append(f"workload {part.id} has no cost ({part.note})")
        elif part.value <= (of_start := start.get(part.id, 0)):
            share = part.value / of_start if of_start else 0
            found.append(
                f"workload {part.id} costs {share:.0%} of its start, more than 100% is needed; make its n larger"
            )
    return tuple(found)


def measure_shares(target: Target, *, counter: str = "auto") -> tuple[Shares, ...]:
    """Both shares of every workload on a reference: by counted instructions, else by the median of five CPU times.

    Raises TaskError for workloads that break their contract, and ReferenceFaultError where the reference fails them.
    """
    counted = choose(counter).counter == "valgrind"
    with scratch_folder("qualityscore-cost-") as scratch:
        kit = prepare_kit(target, scratch / "kit")
        bench = prepare_bench(target, kit, scratch / "reference")
        if not kit.workloads:
            return ()
        launches = (
            [_launch(bench, Mode.COUNT)] if counted else [_launch(bench, Mode.SINGLE) for _ in range(_TIMED_RUNS)]
        )
    shares = _by_counts if counted else _by_times
    return tuple(shares(workload, launches) for workload in kit.workloads)


def _launch(bench: Bench, mode: Mode) -> Mapping[str, UnitRun]:
    units = [unit for workload in bench.kit.workloads for unit in _units(workload)]
    runs = run_units(bench, mode, units)
    for unit in units:
        problem = trouble(runs.get(unit.id), is_reference=True, timeout_s=unit_timeout_s(bench.target, mode))
        if problem is not None:
            raise ReferenceFaultError(f"The reference of {bench.target.task.id} fails {unit.id}: {problem.reason}.")
    return runs


def _units(workload: Workload) -> tuple[Unit, Unit, Unit, Unit, Unit]:
    """The whole run, the run without digest, one item, and the loading of both."""
    full, size = workload.full, workload.inputs
    bare = Unit(workload=workload.id, size=full, input=unit_of(workload, full).input, digest=False)
    loads = (unit_of(workload, full, loading=True), unit_of(workload, 1, loading=True))
    assert {1, full} <= size.keys()
    return (unit_of(workload, full), bare, unit_of(workload, 1), *loads)


def _by_counts(workload: Workload, launches: Sequence[Mapping[str, UnitRun]]) -> Shares:
    full, bare, one, load, load_one = (float(launches[0][u.id].instructions or 0) for u in _units(workload))
    return _shares(workload, inputs=load - load_one, digest=full - bare, cost=(full - load) - (one - load_one))


def _by_times(workload: Workload, launches: Sequence[Mapping[str, UnitRun]]) -> Shares:
    full, bare, one, *_ = _units(workload)

    def median(unit: Unit, clock: Callable[[UnitRun], float | None]) -> float:
        return statistics.median(clock(runs[unit.id]) or 0.0 for runs in launches)

    body = median(full, lambda run: run.body_cpu_s)
    return _shares(
        workload,
        inputs=median(full, lambda run: run.load_cpu_s),
        digest=body - median(bare, lambda run: run.body_cpu_s),
        cost=body - median(one, lambda run: run.body_cpu_s),
    )


def _shares(workload: Workload, *, inputs: float, digest: float, cost: float) -> Shares:
    if cost <= 0:
        raise ReferenceFaultError(f"The workload {workload.id} costs the reference nothing at its full size.")
    return Shares(id=workload.id, inputs=max(0.0, inputs) / cost, digest=max(0.0, digest) / cost)
