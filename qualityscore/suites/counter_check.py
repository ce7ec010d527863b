"""Whether CPU time bears out what was counted (scoring.md section 5). Nothing here is run."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import Any

from qualityscore.core.costs import counters_disagree, median_ratio
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Workload
from qualityscore.suites.counting import Counted, Overheads, counted_costs
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

    def details(self, decided_by: str | None) -> dict[str, Any]:
        """For the report: what either says, and which of them decided; None where neither did."""
        return {"by_count": self.by_count, "by_cpu": self.by_cpu, "pairs": self.pairs, "decided_by": decided_by}


def undecided(what: str, gate_problem: str | None) -> str:
    """Why a cost is missing whose count CPU time contradicts."""
    return f"CPU time contradicts the {what}, and pairs cannot decide: {gate_problem or 'they give no ratio'}"


def compared(
    workload: Workload,
    subject: Counted | None,
    reference: Counted | None,
    overheads: Overheads | None,
    check: Pairs | None,
) -> Compared | None:
    """The cost of a workload by both counters, as it is scored; None where no pair was timed to its end.

    By either counter that is T_R(4n) - T_R(1) and T_S(4n) - min(T_S(1), T_R(1)): were the subject's own T(1) taken off,
    it could choose how much that is. Idling is no CPU time, and apart.
    """
    if check is None or check.trouble is not None:
        return None
    costs = None
    if subject is not None and reference is not None and overheads is not None:
        costs = counted_costs(workload, subject, reference, overheads)
    by_count = costs.reference / costs.subject if costs and min(costs.reference, costs.subject) > 0 else None
    return Compared(by_count=by_count, by_cpu=median_ratio(check.cpu_logs), pairs=check.runs, leeway=check.widening)


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
