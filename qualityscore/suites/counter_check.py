"""Whether CPU time bears out what was counted (scoring.md section 5). Nothing here is run."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from qualityscore.core.costs import counters_disagree, median_ratio
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Workload
from qualityscore.suites.counting import Counted, Overheads
from qualityscore.suites.timed import ImportPairs, Pairs

IMPORT_RESOLUTION_S = 0.001
"""What the CPU clock of one short process cannot tell: imports that differ by less contradict no count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Reference to subject by counts and by the median of `pairs` pairs of CPU seconds.

    `leeway`: how far the CPU ratio may be off, as a logarithm.
    """

    by_count: float | None
    by_cpu: float | None
    pairs: int
    leeway: float = 0.0
    indistinct: bool = False

    @property
    def contradicted(self) -> bool:
        """Whether there is no count, or one whose capped score lies too far from that of any CPU ratio in the leeway.

        CPU time that tells nothing contradicts nothing.
        """
        if self.by_count is None:
            return True
        if self.by_cpu is None or self.indistinct:
            return False
        least, most = self.by_cpu * math.exp(-self.leeway), self.by_cpu * math.exp(self.leeway)
        return counters_disagree(self.by_count, min(max(self.by_count, least), most))


def body_ratio(workload: Workload, subject: Counted, reference: Counted, overheads: Overheads) -> float | None:
    """Reference to subject by counts of the body alone, for the cross-check."""
    if subject.trouble or reference.trouble:
        return None
    of = overheads.loading[workload.id]
    bodies = [
        side.by_size[workload.full].value - of[workload.full] - (side.by_size[1].value - of[1])
        for side in (reference, subject)
    ]
    return bodies[0] / bodies[1] if min(bodies) > 0 else None


def compared(
    workload: Workload,
    subject: Counted | None,
    reference: Counted | None,
    overheads: Overheads | None,
    check: Pairs | None,
) -> Compared | None:
    """The body of a workload by both counters; None where no pair was timed to its end."""
    if check is None or check.trouble is not None:
        return None
    by_count = None
    if subject is not None and reference is not None and overheads is not None:
        by_count = body_ratio(workload, subject, reference, overheads)
    return Compared(by_count=by_count, by_cpu=median_ratio(check.body_logs), pairs=check.runs, leeway=check.widening)


def import_compared(subject: Facts, reference: Facts, check: ImportPairs) -> Compared:
    """The import by both counters. They differ only where they tell times of the subject apart that a clock can."""
    counts = [
        facts.counts.imported.value - reference.overheads.empty
        if facts.counts is not None and facts.counts.imported is not None and reference.overheads is not None
        else None
        for facts in (subject, reference)
    ]
    mine_s, theirs_s = statistics.median(check.subject), statistics.median(check.reference)
    by_cpu = theirs_s / mine_s if mine_s > 0 else None
    mine, theirs = counts
    if mine is None or theirs is None or theirs <= 0:
        return Compared(by_count=None, by_cpu=by_cpu, pairs=len(check.subject), leeway=check.widening)
    foreseen_s = theirs_s * max(0.0, mine) / theirs
    return Compared(
        by_count=theirs / mine if mine > 0 else None,
        by_cpu=by_cpu,
        pairs=len(check.subject),
        leeway=check.widening,
        indistinct=abs(mine_s - foreseen_s) <= IMPORT_RESOLUTION_S,
    )
