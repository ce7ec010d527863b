"""Times of both sides in seconds, pair by pair, and the costs that follow from them. Nothing here is run."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from qualityscore.core.costs import Start, charge_start, log_ratios
from qualityscore.suites.cost_launch import Trouble

IDLE_FLOOR_S = 0.01
IDLE_SHARE = 0.1
CALIBRATED_WIDENING = 0.1
"""What a ratio may be off by at least, as a logarithm, where the calibration workload stands for the reference's own
host: how much two processors differ depends on the work."""
LEAST_SHARE = 0.01
"""What a cost of nothing counts as, as a share of the reference's (scoring.md section 4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One side of a workload in several fresh processes: CPU seconds of the body at 4n and of T(1), and idle seconds.

    `full` and `idle` have one entry per pair; `one` is the body's median at one item, `start` the median T(1). `peaks`
    are the process's high-water marks of resident memory in bytes; empty where a snapshot holds none.
    """

    full: tuple[float, ...]
    idle: tuple[float, ...]
    wall: tuple[float, ...]
    one: float
    start: float
    load: tuple[float, ...] = ()
    peaks: tuple[int, ...] = ()

    def scaled(self, factor: float) -> Timed:
        """The same on a host on which everything takes `factor` times as long."""
        return Timed(
            full=tuple(factor * value for value in self.full),
            idle=tuple(factor * value for value in self.idle),
            wall=tuple(factor * value for value in self.wall),
            one=factor * self.one,
            start=factor * self.start,
            load=tuple(factor * value for value in self.load),
            peaks=self.peaks,
        )

    @property
    def launch_s(self) -> float:
        """Wall seconds that a run at 4n and one of one item take, about: starting up twice, loading, the body."""
        return 2 * self.start + (statistics.median(self.load) if self.load else 0.0) + statistics.median(self.wall)

    def first(self, runs: int) -> Timed:
        """With the first `runs` runs only."""
        return replace(self, full=self.full[:runs], idle=self.idle[:runs], wall=self.wall[:runs], load=self.load[:runs])

    def charged(self, loading_s: float) -> tuple[float, ...]:
        """The body's seconds with what loading the inputs cost beyond `loading_s`: code can move work there."""
        loads = self.load or (loading_s,) * len(self.full)
        return tuple(max(0.0, body + load - loading_s) for body, load in zip(self.full, loads, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """A workload of both sides, timed in turn. `trouble` says why there are no pairs; `failed` of `runs` runs failed.

    `widening` is what a ratio may be off by beyond its scatter, as a logarithm: not 0 where the reference's times are a
    snapshot's, turned into this host's by the calibration workload.
    """

    id: str
    subject: Timed | None = None
    reference: Timed | None = None
    trouble: Trouble | None = None
    failed: int = 0
    runs: int = 0
    widening: float = 0.0

    @property
    def loading_s(self) -> float:
        """Median CPU seconds in which the reference loads the inputs at 4n: no work of either side."""
        return statistics.median(self.reference.load) if self.reference is not None and self.reference.load else 0.0

    @property
    def cpu_costs(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The costs of reference and subject in CPU seconds, pair by pair: an excess of start is charged, no idling."""
        if self.subject is None or self.reference is None:
            return (), ()
        start = Start(subject=self.subject.start, reference=self.reference.start)
        same = Start(subject=self.reference.start, reference=self.reference.start)
        return (
            charge_start(self.reference.charged(self.loading_s), self.reference.one, same),
            charge_start(self.subject.charged(self.loading_s), self.subject.one, start),
        )

    @property
    def costs(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The costs in seconds, pair by pair: at wall time where the subject idles, less what the reference idles."""
        theirs, own = self.cpu_costs
        if self.subject is None or self.reference is None or not self.idles:
            return theirs, own
        usual = statistics.median(self.reference.idle)
        return theirs, tuple(cost + max(0.0, idle - usual) for cost, idle in zip(own, self.subject.idle, strict=True))

    @property
    def cpu_logs(self) -> tuple[float, ...]:
        """log(reference / subject) of the costs in CPU seconds, for comparison with counts."""
        return _cost_logs(*self.cpu_costs)

    @property
    def cost_logs(self) -> tuple[float, ...]:
        """log(reference / subject) of the costs."""
        return _cost_logs(*self.costs)

    @property
    def idle_share(self) -> float:
        """What the subject's idling adds to its cost, in costs of the reference; 0 where that takes no time."""
        theirs, _ = self.cpu_costs
        cost_s = statistics.median(theirs) if theirs else 0.0
        return self.idle_excess_s / cost_s if self.idles and cost_s > 0 else 0.0

    @property
    def idle_excess_s(self) -> float:
        """Median idle seconds of the subject's body beyond the reference's."""
        if self.subject is None or self.reference is None:
            return 0.0
        return statistics.median(self.subject.idle) - statistics.median(self.reference.idle)

    @property
    def idles(self) -> bool:
        """Whether the body sleeps, waits or offloads so much more than the reference's that wall time is its cost."""
        if self.subject is None:
            return False
        return self.idle_excess_s > max(IDLE_FLOOR_S, IDLE_SHARE * statistics.median(self.subject.full))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPairs:
    """CPU seconds of importing the surface, less an empty interpreter's, pair by pair; `widening` as in `Pairs`."""

    subject: tuple[float, ...]
    reference: tuple[float, ...]
    trouble: Trouble | None = None
    widening: float = 0.0

    @property
    def logs(self) -> tuple[float, ...]:
        """log(reference / subject)."""
        return _cost_logs(self.reference, self.subject)

    def joined(self, more: ImportPairs) -> ImportPairs:
        """These pairs and more of them; what is in trouble stands for all."""
        if more.trouble is not None:
            return more
        return replace(self, subject=self.subject + more.subject, reference=self.reference + more.reference)


def _cost_logs(reference: Sequence[float], subject: Sequence[float]) -> tuple[float, ...]:
    """log(reference / subject) pair by pair. A subject's cost of nothing tells a ratio, the reference's tells none."""
    least = (s if s > 0 else LEAST_SHARE * r for r, s in zip(reference, subject, strict=True))
    return log_ratios(reference, tuple(least))
