"""What is timed, on a leased core: the cross-check of counts, and pairs where counts are missing or contradicted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qualityscore.core.costs import PAIRS_FIRST
from qualityscore.errors import HarnessError
from qualityscore.model.measure import Fault
from qualityscore.runtime.leases import Lease, lease_core
from qualityscore.suites.calibration import Steps, host_calibration
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Bench, Workload
from qualityscore.suites.cost_launch import BUDGET, Trouble
from qualityscore.suites.cost_pinned import PinnedCosts, kept_times
from qualityscore.suites.counter_check import compared, import_compared
from qualityscore.suites.pairs import (
    CHECK_PAIRS,
    GROWTH_RUNS,
    Calibration,
    bounded,
    left_out,
    measure_growth,
    measure_import_alone,
    measure_import_pairs,
    measure_pairs,
    take_alone,
    take_pairs,
)
from qualityscore.suites.timed import CALIBRATED_WIDENING, ImportPairs, Pairs, Timed

LEASE_DEADLINE_S = 900.0
NO_TIMES = "the snapshot holds no times, since its host was too noisy, and nothing else checks a count"


@dataclass(slots=True, kw_only=True)
class Timing:
    """The timings of one measurement, filled by one of its three methods, each within the suite's total time.

    `counted` says that counts decide where nothing contradicts them. `pairs` holds the workloads whose cost the times
    decide, `checks` the pairs that counts were checked by, `kept` the reference's own times for a snapshot, `growth`
    the exponents where nothing was counted; `import_pairs`, `import_check` and `kept_imports` (seconds) are the same of
    the import. `gate_problem` says why times cannot decide, or could not be taken.
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
    kept_imports: tuple[float, ...] = ()
    import_pairs: ImportPairs | None = None
    import_check: ImportPairs | None = None
    gate_problem: str | None = None
    calibration: Calibration | None = None

    def live(self, mine: Bench, theirs: Bench, subject: Facts, reference: Facts, right: Sequence[Workload]) -> None:
        """Subject and reference in turn; the `same` side twice where a reference is timed against itself."""
        same = mine.root == theirs.root
        with self.leased(mine) as lease:
            if lease is None:
                return
            mine, theirs = bounded(mine), bounded(theirs)
            doubtful, import_doubted = list(right), True
            if self.counted:
                doubtful = self.doubtful(
                    mine=mine, theirs=theirs, subject=subject, reference=reference, right=right, lease=lease
                )
                import_doubted = self.import_doubted(mine, theirs, subject, reference, lease)
            if not (doubtful or import_doubted):
                return
            if not self.calibrated(theirs, lease):
                if not theirs.left_s and (why := left_out(mine, sum(theirs.timed_s))).fault is Fault.SUBJECT:
                    self.pairs = {w.id: Pairs(id=w.id, trouble=why) for w in doubtful}
                    if import_doubted:
                        self.import_pairs = ImportPairs(subject=(), reference=(), trouble=why)
                return
            if doubtful:
                self.steps.plan(PAIRS_FIRST)
                self.pairs = measure_pairs(mine, theirs, doubtful, lease, self.steps.step)
            if import_doubted:
                self.steps.plan(PAIRS_FIRST)
                self.import_pairs = measure_import_pairs(mine, theirs, lease, self.steps.step)
            if self.counted or not doubtful:
                return
            self.steps.plan(GROWTH_RUNS * (1 if same else 2))
            self.reference_growth = measure_growth(theirs, doubtful, lease, self.steps.step)
            self.growth = self.reference_growth if same else measure_growth(mine, doubtful, lease, self.steps.step)

    def alone(self, bench: Bench, right: Sequence[Workload]) -> None:
        """A counted reference by itself, for its snapshot: what a second is worth here, and how long it takes."""
        with self.leased(bench) as lease:
            if lease is None:
                return
            bench = bounded(bench)
            if not self.calibrated(bench, lease):
                return
            self.steps.plan(2 * CHECK_PAIRS)
            taken = take_alone(bench, right, lease, runs=CHECK_PAIRS, step=self.steps.step) if right else {}
            self.kept = kept_times({id_: t for id_, t in taken.items() if isinstance(t, Timed)})
            imports = measure_import_alone(bench, lease, runs=CHECK_PAIRS, step=self.steps.step)
            self.kept_imports = () if isinstance(imports, Trouble) else imports

    def pinned(
        self, mine: Bench, costs: PinnedCosts, subject: Facts, reference: Facts, right: Sequence[Workload]
    ) -> None:
        """A subject beside its reference's kept times, turned into this host's by the calibration workload.

        They check the counts and decide where they contradict one, on a noisy host, too: a blank there would be the
        subject's choice. What the calibration leaves open widens the interval.
        """
        if self.counted and not costs.holds_times:
            self.gate_problem = NO_TIMES
            return
        runs = CHECK_PAIRS if self.counted else PAIRS_FIRST
        with self.leased(mine) as lease:
            if lease is None:
                return
            mine = bounded(mine)
            calm = self.calibrated(mine, lease)
            assert self.calibration is not None
            noise = self.calibration.gate.noise
            if noise is None or not (calm or (self.counted and mine.left_s)):
                return
            self.gate_problem = None
            widening = max(CALIBRATED_WIDENING, noise)
            self.steps.plan(2 * runs)
            kept = costs.timed(self.calibration.seconds)
            kept_imports = costs.import_seconds(self.calibration.seconds)
            taken = take_alone(mine, right, lease, runs=runs, step=self.steps.step) if right else {}
            imports = measure_import_alone(mine, lease, runs=runs, step=self.steps.step)
            launch_s = math.fsum(kept[w.id].launch_s for w in right if w.id in kept)
            slow = left_out(mine, runs * (launch_s + max(kept_imports, default=0.0)))
            found = {
                id_: _beside(id_, slow if _is_left_out(one) else one, kept.get(id_), widening)
                for id_, one in taken.items()
            }
            import_pairs = _imports_beside(slow if _is_left_out(imports) else imports, kept_imports, widening)
            if not self.counted:
                self.pairs, self.import_pairs = found, import_pairs
                return
            self.checks, self.import_check = found, import_pairs
            self.pairs = {w.id: found[w.id] for w in right if contradicted(w, subject, reference, found[w.id])}
            if import_contradicted(subject, reference, import_pairs):
                self.import_pairs = import_pairs

    @contextmanager
    def leased(self, bench: Bench) -> Iterator[Lease | None]:
        """A core until the block ends; None, with the problem noted, where time is up or none can be had."""
        with ExitStack() as stack:
            lease = None
            try:
                if bench.left_s:
                    lease = stack.enter_context(lease_core(deadline_s=min(LEASE_DEADLINE_S, bench.left_s)))
            except HarnessError as error:
                self.gate_problem = str(error)
            if not bench.left_s:
                self.gate_problem = BUDGET
            yield lease

    def calibrated(self, bench: Bench, lease: Lease) -> bool:
        """Whether times can tell a difference on this host; the gate's problem is noted."""
        self.calibration = host_calibration(bench, self.scratch / "calibration", lease, self.root, self.steps)
        self.gate_problem = self.calibration.gate.problem if bench.left_s else BUDGET
        return self.gate_problem is None

    def import_doubted(self, mine: Bench, theirs: Bench, subject: Facts, reference: Facts, lease: Lease) -> bool:
        """Whether the count of the import is missing by nobody's fault, or contradicted by six pairs and by twelve."""
        self.import_check = self.six_imports(mine, theirs, lease)
        if not import_contradicted(subject, reference, self.import_check):
            return False
        more = self.six_imports(mine, theirs, lease)
        if more.trouble is None or more.trouble.fault is Fault.SUBJECT:
            self.import_check = self.import_check.joined(more)
        return import_contradicted(subject, reference, self.import_check)

    def six_imports(self, mine: Bench, theirs: Bench, lease: Lease) -> ImportPairs:
        """Pairs to check the count of the import by."""
        self.steps.plan(CHECK_PAIRS)
        return measure_import_pairs(mine, theirs, lease, self.steps.step, first=CHECK_PAIRS, most=CHECK_PAIRS)

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
        if not right:
            return []
        self.steps.plan(CHECK_PAIRS)
        self.checks = take_pairs(mine, theirs, right, lease, pairs=CHECK_PAIRS, step=self.steps.step)
        open_ = [w for w in right if self.checks[w.id].trouble is None]
        doubted = [w for w in open_ if contradicted(w, subject, reference, self.checks[w.id])]
        if doubted:  # before the host is calibrated and forty are taken
            self.steps.plan(CHECK_PAIRS)
            more = take_pairs(mine, theirs, doubted, lease, pairs=CHECK_PAIRS, step=self.steps.step, before=self.checks)
            self.checks = {**self.checks, **more}
            doubted = [w for w in doubted if contradicted(w, subject, reference, self.checks[w.id])]
        return doubted


def contradicted(workload: Workload, subject: Facts, reference: Facts, check: Pairs) -> bool:
    """Whether a workload has no counts, or counts that its CPU time contradicts. A check in trouble tells neither."""
    mine, theirs = (
        next((c for c in facts.counts.workloads if c.id == workload.id), None) if facts.counts else None
        for facts in (subject, reference)
    )
    found = compared(workload, mine, theirs, reference.overheads, check)
    return found is not None and found.contradicted


def import_contradicted(subject: Facts, reference: Facts, check: ImportPairs) -> bool:
    """Whether the count of the import is missing by nobody's fault, or its CPU time contradicts it. A check in trouble
    tells neither.
    """
    failed = subject.counts.import_trouble if subject.counts is not None else None
    if check.trouble is not None or (failed is not None and failed.fault is not Fault.HARNESS):
        return False
    return import_compared(subject, reference, check).contradicted


def _is_left_out(found: object) -> bool:
    return isinstance(found, Trouble) and found.reason == BUDGET


def _beside(id_: str, mine: Timed | Trouble, theirs: Timed | None, widening: float) -> Pairs:
    if isinstance(mine, Trouble):
        return Pairs(id=id_, trouble=mine)
    if theirs is None:
        return Pairs(id=id_, trouble=Trouble(reason="the snapshot holds no times of it", fault=Fault.HARNESS))
    runs = min(len(mine.full), len(theirs.full))
    return Pairs(id=id_, subject=mine.first(runs), reference=theirs.first(runs), runs=runs, widening=widening)


def _imports_beside(mine: tuple[float, ...] | Trouble, theirs: tuple[float, ...], widening: float) -> ImportPairs:
    if isinstance(mine, Trouble):
        return ImportPairs(subject=(), reference=(), trouble=mine)
    if not theirs:
        why = Trouble(reason="the snapshot holds no times of the import", fault=Fault.HARNESS)
        return ImportPairs(subject=(), reference=(), trouble=why)
    runs = min(len(mine), len(theirs))
    return ImportPairs(subject=mine[:runs], reference=theirs[:runs], widening=widening)
