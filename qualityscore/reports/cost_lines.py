"""What stands out among the costs, in sentences. It has no points of its own: the score lies in the measures."""

from __future__ import annotations

from qualityscore.model.finding import Severity
from qualityscore.model.report import Report

CODES = "cost-"


def cost_lines(report: Report) -> list[str]:
    """Workloads of a worse order of growth, costed at wall time, unlike under the counter, flaky or wrong, each once.

    Text of the subject's is not inert.
    """
    grave = (f for f in report.findings if f.code.startswith(CODES) and f.severity is Severity.HIGH)
    return list(dict.fromkeys(f"{finding.code}: {finding.message}" for finding in grave))
