"""What is timed, on a leased core: the cross-check of counts, and pairs where counts are missing or contradicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qualityscore.core.costs import PAIRS_FIRST, counters_disagree, median_ratio
from qualityscore.model.measure import Fault
from qualityscore.runtime.leases import Lease, lease_core
from qualityscore.suites.calibration import Steps, host_calibration
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Bench, Workload
from qualityscore.suites.cost_launch import BUDGET, Trouble
from qualityscore.suites.cost_measures import body_ratio
from qualityscore.suites.cost_pinned import PinnedCosts, kept_times
from qualityscore.suites.pairs import (
    CHECK_PAIRS,
    GROWTH_RUNS,
    Calibration,
    bounded,
    measure_growth,
    measure_import_alone,
    measure_import_pairs,
    measure_pairs,
    take_alone,
    take_pairs,
)
from qualityscore.suites.timed import ImportPairs, Pairs, Timed

LEASE_DEADLINE_S = 900.0
NOT_LIVE = "there is no live reference to pair it with"


@dataclass(slots=True, kw_only=True)
class Timing:
    """The timings of one measurement, filled by one of its three methods, each within the suite's total time.

    `counted` says that counts decide where nothing contradicts them. `pairs` holds the workloads whose cost the times
    decide, `checks` the pairs that counts were checked by, `kept` the reference's own times for a snapshot, `growth`
    the exponents where nothing was counted.
    `gate_problem` says why times cannot decide.
    """

    counted: bool
    steps: Steps
    root: Path
    scratch: Path
    pairs: dict[str, Pairs] = field(default_factory=dict)
    checks: dict[str, Pairs] = field(default_factory=dict)
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    growth: dict[str, float | None] = field(default_factory=dict)
    reference_growth: dict[str, float | None] = field(default_factory=dict)
    import_pairs: ImportPairs | None = None
    gate_problem: str | None = None
    calibration: Calibration | None = None

    def live(self, mine: Bench, theirs: Bench, subject: Facts, reference: Facts, right: Sequence[Workload]) -> None:
        """Subject and reference in turn; the `same` side twice where a reference is timed against itself."""
        same = mine.root == theirs.root
        if not mine.left_s:
            self.gate_problem = BUDGET
            return
        with lease_core(deadline_s=min(LEASE_DEADLINE_S, mine.left_s)) as lease:
            mine, theirs = bounded(mine), bounded(theirs)
            doubtful = list(right)
            if self.counted:
                doubtful = self.doubtful(
                    mine=mine, theirs=theirs, subject=subject, reference=reference, right=right, lease=lease
                )
            if self.counted and not doubtful:
                return
            if not self.calibrated(theirs, lease):
                return
            self.steps.plan(PAIRS_FIRST)
            self.pairs = measure_pairs(mine, theirs, doubtful, lease, self.steps.step)
            if self.counted:
                return
            self.steps.plan(PAIRS_FIRST + GROWTH_RUNS * (1 if same else 2))
            self.import_pairs = measure_import_pairs(mine, theirs, lease, self.steps.step)
            if not doubtful:
                return
            self.reference_growth = measure_growth(theirs, doubtful, lease, self.steps.step)
            self.growth = self.reference_growth if same else measure_growth(mine, doubtful, lease, self.steps.step)

    def alone(self, bench: Bench, right: Sequence[Workload]) -> None:
        """A counted reference by itself, for its snapshot: what a second is worth here, and how long it takes."""
        with lease_core(deadline_s=min(LEASE_DEADLINE_S, bench.left_s)) as lease:
            bench = bounded(bench)
            if not self.calibrated(bench, lease):
                return
            self.steps.plan(CHECK_PAIRS)
            taken = take_alone(bench, right, lease, runs=CHECK_PAIRS, step=self.steps.step)
            self.kept = kept_times({id_: t for id_, t in taken.items() if isinstance(t, Timed)})

    def pinned(self, mine: Bench, costs: PinnedCosts, right: Sequence[Workload]) -> None:
        """A subject beside its reference's kept times, turned into this host's by the calibration workload."""
        if not mine.left_s:
            self.gate_problem = BUDGET
            return
        runs = CHECK_PAIRS if self.counted else PAIRS_FIRST
        with lease_core(deadline_s=min(LEASE_DEADLINE_S, mine.left_s)) as lease:
            mine = bounded(mine)
            if not self.calibrated(mine, lease):
                return  # counts stand by themselves then: nothing here can check them
            assert self.calibration is not None
            self.steps.plan(runs)
            taken = take_alone(mine, right, lease, runs=runs, step=self.steps.step)
            seconds = self.calibration.seconds
            kept = costs.timed(seconds)
            found = {id_: _beside(id_, one, kept.get(id_)) for id_, one in taken.items()}
            if self.counted:
                self.checks = {id_: pairs for id_, pairs in found.items() if id_ in kept}
                self.gate_problem = NOT_LIVE
                return
            self.pairs = found
            self.steps.plan(runs)
            imports = measure_import_alone(mine, lease, runs=runs, step=self.steps.step)
            self.import_pairs = _imports_beside(imports, costs.import_seconds(seconds))

    def calibrated(self, bench: Bench, lease: Lease) -> bool:
        """Whether times can tell a difference on this host; the gate's problem is noted."""
        self.calibration = host_calibration(bench, self.scratch / "calibration", lease, self.root, self.steps)
        self.gate_problem = self.calibration.gate.problem if bench.left_s else BUDGET
        return self.gate_problem is None

    def doubtful(
        self,
        *,
        mine: Bench,
        theirs: Bench,
        subject: Facts,
        reference: Facts,
        right: Sequence[Workload],
        lease: Lease,
    ) -> list[Workload]:
        """The workloads whose counts are missing or contradicted by six pairs, and then by twelve."""
        self.steps.plan(CHECK_PAIRS)
        self.checks = take_pairs(mine, theirs, right, lease, pairs=CHECK_PAIRS, step=self.steps.step)
        open_ = [w for w in right if _blameless(self.checks[w.id])]
        doubted = [w for w in open_ if contradicted(w, subject, reference, self.checks[w.id])]
        if doubted:  # before the host is calibrated and forty are taken
            self.steps.plan(CHECK_PAIRS)
            more = take_pairs(mine, theirs, doubted, lease, pairs=CHECK_PAIRS, step=self.steps.step, before=self.checks)
            self.checks = {**self.checks, **more}
            doubted = [w for w in doubted if contradicted(w, subject, reference, self.checks[w.id])]
        return doubted


def contradicted(workload: Workload, subject: Facts, reference: Facts, check: Pairs) -> bool:
    """Whether a workload has no counts, or counts that its CPU time contradicts."""
    counts = [
        next((c for c in facts.counts.workloads if c.id == workload.id), None) if facts.counts else None
        for facts in (subject, reference)
    ]
    if counts[0] is None or counts[1] is None or reference.overheads is None:
        return True
    counted = body_ratio(workload, counts[0], counts[1], reference.overheads)
    timed = median_ratio(check.body_logs)
    return counted is None or (timed is not None and counters_disagree(counted, timed))


def _blameless(check: Pairs) -> bool:
    """Whether nobody's code failed in the pairs: what did is settled without more of them."""
    return check.trouble is None or check.trouble.fault is Fault.HARNESS


def _beside(id_: str, mine: Timed | Trouble, theirs: Timed | None) -> Pairs:
    if isinstance(mine, Trouble):
        return Pairs(id=id_, trouble=mine)
    if theirs is None:
        return Pairs(id=id_, trouble=Trouble(reason="the snapshot holds no times of it", fault=Fault.REFERENCE))
    runs = min(len(mine.full), len(theirs.full))
    return Pairs(id=id_, subject=mine.first(runs), reference=theirs.first(runs), runs=runs, calibrated=True)


def _imports_beside(mine: tuple[float, ...] | Trouble, theirs: tuple[float, ...]) -> ImportPairs:
    if isinstance(mine, Trouble):
        return ImportPairs(subject=(), reference=(), trouble=mine)
    if not theirs:
        why = Trouble(reason="the snapshot holds no times of the import", fault=Fault.REFERENCE)
        return ImportPairs(subject=(), reference=(), trouble=why)
    runs = min(len(mine), len(theirs))
    return ImportPairs(subject=mine[:runs], reference=theirs[:runs], calibrated=True)
