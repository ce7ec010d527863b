"""What the cost stage gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from qualityscore.model.finding import Finding
from qualityscore.model.measure import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CostOutcome:
    """Costs and memory of subject and reference, by measure id.

    `digests` are the results that count as right, by workload. `counter` is the one that was used (`instructions`,
    `valgrind` or `cpu`). `details` is plain JSON for provenance: why that counter, sandbox level, calibration.
    """

    subject: dict[str, Outcome]
    reference: dict[str, Outcome]
    digests: dict[str, str]
    counter: str
    findings: tuple[Finding, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
