"""Instructions by valgrind: of every workload at every size, of the import, of loading the inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

from qualityscore.core.costs import REPEAT_TOLERANCE, Repeat, Start, net_cost, repeat
from qualityscore.model.measure import Fault
from qualityscore.suites.cost_kit import Bench, Workload
from qualityscore.suites.cost_launch import (
    IMPORT,
    Mode,
    Trouble,
    Unit,
    UnitRun,
    run_units,
    trouble,
    unit_of,
    unit_timeout_s,
)

LEFT_BEHIND = "under valgrind it left processes behind"
OTHER_RESULT = "under valgrind the result is another one than without"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Instructions of one workload by size, each counted twice where it scores; `trouble` says why one is missing."""

    id: str
    by_size: dict[int, Repeat] = field(default_factory=dict)
    digests: tuple[str | None, ...] = ()
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """One side's counts. `imported` is a process that imports the surface and ends."""

    workloads: tuple[Counted, ...] = ()
    imported: Repeat | None = None
    import_trouble: Trouble | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheads:
    """What neither side is charged for: an interpreter that imports nothing, and loading the inputs, by size."""

    empty: int
    loading: dict[str, dict[int, int]]


def count_side(bench: Bench, workloads: Sequence[Workload], pool: Executor, step: Callable[[], None]) -> Counts:
    """Two launches at once: both count what scores, and each half of what only tells how cost grows."""
    scoring = [IMPORT, *(unit_of(w, size) for w in workloads for size in (w.full, 1))]
    growth = [[unit_of(w, size) for w in workloads[half::2] for size in (2 * w.n, w.n)] for half in (0, 1)]

    def launch(more: list[Unit]) -> dict[str, UnitRun]:
        runs = run_units(bench, Mode.COUNT, [*scoring, *more])
        step()
        return runs

    first, second = pool.map(launch, growth)
    timeout_s = unit_timeout_s(bench.target, Mode.COUNT)
    is_reference = bench.target.is_reference

    def problem(runs: dict[str, UnitRun], unit_id: str) -> Trouble | None:
        run = runs.get(unit_id)
        found = trouble(run, is_reference=is_reference, timeout_s=timeout_s)
        if found is None and run is not None and run.instructions is None:
            if run.orphans:
                return Trouble(reason=LEFT_BEHIND, fault=Fault.REFERENCE if is_reference else Fault.SUBJECT)
            return Trouble(reason="under valgrind it ended without its count", fault=Fault.HARNESS)
        return found

    def both(unit_id: str) -> Repeat | None:
        values = [runs[unit_id].instructions for runs in (first, second) if unit_id in runs]
        known = [v for v in values if v is not None]
        return repeat(known[0], known[-1]) if known and len(known) == len(values) else None

    found = [_counted(w, first, second, problem, both) for w in workloads]
    return Counts(
        workloads=tuple(_with_right_result(counted, bench) for counted in found),
        imported=both(IMPORT.id),
        import_trouble=problem(first, IMPORT.id) or problem(second, IMPORT.id),
    )


def _counted(
    workload: Workload,
    first: dict[str, UnitRun],
    second: dict[str, UnitRun],
    problem: Callable[[dict[str, UnitRun], str], Trouble | None],
    both: Callable[[str], Repeat | None],
) -> Counted:
    full, one = unit_of(workload, workload.full).id, unit_of(workload, 1).id
    troubles = [t for unit_id in (full, one) for runs in (first, second) if (t := problem(runs, unit_id))]
    by_size = {
        size: counted
        for size in (1, workload.n, 2 * workload.n, workload.full)
        if (counted := both(unit_of(workload, size).id)) is not None
    }
    scored = by_size.get(workload.full)
    if not troubles and scored is not None and not scored.acceptable:
        troubles.append(
            Trouble(
                reason=f"two counts of the same run differ by {scored.relative:.2%}, "
                f"at most {REPEAT_TOLERANCE:.1%} is acceptable",
                fault=Fault.HARNESS,
            )
        )
    return Counted(
        id=workload.id,
        by_size=by_size,
        digests=tuple(runs[full].digest for runs in (first, second) if full in runs),
        trouble=troubles[0] if troubles else None,
    )


def _with_right_result(counted: Counted, bench: Bench) -> Counted:
    """A count of another result is the count of something else: nobody's fault by itself, and worth nothing."""
    wanted = bench.right.get(counted.id)
    if counted.trouble is not None or wanted is None or all(digest == wanted for digest in counted.digests):
        return counted
    return replace(counted, trouble=Trouble(reason=OTHER_RESULT, fault=Fault.HARNESS))


def count_overheads(bench: Bench) -> Overheads | None:
    """The counts that are subtracted from both sides; None where valgrind does not work in the sandbox.

    Nothing of either side is imported. The zygote's own work grows a little with each fork, so an empty run at either
    end gives the line that the loadings stand on.
    """
    last = Unit(loading=True)
    sizes = [(w, size) for w in bench.kit.workloads for size in w.inputs]
    units = [IMPORT, *(unit_of(w, size, loading=True) for w, size in sizes), last]
    runs = run_units(bench, Mode.COUNT, units, with_subject=False)
    counted = [runs[unit.id].instructions for unit in units if unit.id in runs]
    known = [value for value in counted if value is not None]
    if len(known) != len(units):
        return None
    slope = (known[-1] - known[0]) / (len(units) - 1)
    loading: dict[str, dict[int, int]] = {w.id: {} for w in bench.kit.workloads}
    for position, (workload, size) in enumerate(sizes, start=1):
        loading[workload.id][size] = max(0, round(known[position] - known[0] - slope * position))
    return Overheads(empty=known[0], loading=loading)


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
