"""What a campaign says about the suites of a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from qualityscore.defects.campaign import HELD_OUT_NAMES, Verdict
from qualityscore.defects.equivalents import MOST_OF_A_TASK, Equivalents

DETECTION_WANTED = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Detected of those that could be; `share` is None of none."""

    detected: int
    detectable: int

    @property
    def share(self) -> float | None:
        """Detected / detectable."""
        return self.detected / self.detectable if self.detectable else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Counts of one campaign. Detectable is what is covered and not marked equivalent."""

    covered: int
    not_covered: int
    equivalent: tuple[tuple[Verdict, str], ...]
    survivors: tuple[Verdict, ...]
    stages: dict[str, int]
    everything: Rate
    held_out: Rate
    operators: dict[str, Rate]

    @property
    def sound(self) -> bool:
        """At least 90 % of the detectable mutants are detected, and at most 15 % of the covered are equivalent."""
        share = self.everything.share
        few = len(self.equivalent) <= MOST_OF_A_TASK * self.covered
        return share is not None and share >= DETECTION_WANTED and few


def summarise(verdicts: Sequence[Verdict], equivalents: Equivalents) -> Summary:
    """Count. A mutant that was marked equivalent and is detected all the same counts as detected."""
    covered = [v for v in verdicts if v.status != "not_covered"]
    survived = [v for v in covered if v.status == "survived"]
    reasons = {v.id: equivalents.reasons.get((v.id, v.replacement)) for v in survived}
    equivalent = tuple((v, reason) for v in survived if (reason := reasons[v.id]) is not None)
    detectable = [v for v in covered if reasons.get(v.id) is None]
    return Summary(
        covered=len(covered),
        not_covered=len(verdicts) - len(covered),
        equivalent=equivalent,
        survivors=tuple(v for v in survived if reasons[v.id] is None),
        stages=dict(Counter(v.stage for v in covered if v.stage is not None)),
        everything=_rate(detectable),
        held_out=_rate([v for v in detectable if v.operator in HELD_OUT_NAMES]),
        operators={
            name: _rate([v for v in detectable if v.operator == name])
            for name in sorted({v.operator for v in detectable})
        },
    )


def document(summary: Summary, *, task: str, seed: int) -> dict[str, Any]:
    """Plain JSON data."""
    return {
        "schema_version": "1.0",
        "kind": "defects",
        "task": task,
        "seed": seed,
        "covered": summary.covered,
        "not_covered": summary.not_covered,
        "detected_by": summary.stages,
        "detection": _plain(summary.everything),
        "held_out": _plain(summary.held_out),
        "operators": {name: _plain(rate) for name, rate in summary.operators.items()},
        "equivalent": [{**asdict(verdict), "reason": reason} for verdict, reason in summary.equivalent],
        "survivors": [asdict(verdict) for verdict in summary.survivors],
        "sound": summary.sound,
    }


def _rate(verdicts: Sequence[Verdict]) -> Rate:
    return Rate(detected=sum(v.status == "detected" for v in verdicts), detectable=len(verdicts))


def _plain(rate: Rate) -> dict[str, float | int | None]:
    return {"detected": rate.detected, "detectable": rate.detectable, "share": rate.share}
