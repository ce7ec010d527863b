"""RAL-Bench's raw measures as outcomes, and its scores from them (arXiv 2602.03462; scoring.md section 7).

The arithmetic is in the profile `ral-bench`. Here stands what decides whether there is a number at all: a suite that
failed, and a value that is missing or not above nought, are worth 0 there whoever caused it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from qualityscore.core.profile import Profile
from qualityscore.core.score import Scored, score
from qualityscore.errors import ProfileError
from qualityscore.model.measure import Fault, Measured, NotApplicable, Outcome, Unavailable
from qualityscore.model.report import DIMENSIONS

SUITES = ("functional", "performance", "resource", "robustness", "security", "maintainability")
ROUNDING = 4
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """One pytest run of a suite as RAL-Bench records it. A collection error is 1 failed of 1."""

    returncode: int | None = None
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    total: int = 0
    timed_out: bool = False
    elapsed_s: float | None = None

    @property
    def succeeded(self) -> bool:
        """No failure, and return code 0."""
        return self.failed == 0 and self.returncode == 0

    @property
    def pass_rate(self) -> float:
        """passed / total, 0 when nothing was collected."""
        return self.passed / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RawMeasures:
    """The five raw measures of a reference or a subject, None where there is no value: MiB, seconds, points."""

    performance_s: float | None = None
    memory_mib: float | None = None
    cpu_percent: float | None = None
    high_risk_count: float | None = None
    mi_min: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawResult:
    """One generated repository on one task, as measured, with the baseline that applied."""

    model: str
    task: str
    baseline: RawMeasures
    measures: RawMeasures
    suites: Mapping[str, SuiteRun] = field(default_factory=dict)

    def suite(self, name: str) -> SuiteRun:
        """The run of a suite; one that never ran has no test and no return code."""
        return self.suites.get(name, SuiteRun())


@dataclass(frozen=True, slots=True, kw_only=True)
class RalScores:
    """F, NF and the five dimensions of one result, not rounded, with the scored measures behind them."""

    model: str
    task: str
    functional: float
    non_functional: float
    dimensions: dict[str, float]
    scored: Scored


def score_result(raw: RawResult, profile: Profile) -> RalScores:
    """Score one result under the `ral-bench` profile, or one with other judgements over the same measures.

    Every dimension has a score: nothing is ever unmeasured there. Raises ProfileError for a profile of other measures.
    """
    baseline, subject = outcomes(raw)
    if set(profile.measure_ids) != baseline.keys() or [d.id for d in profile.dimensions] != list(DIMENSIONS):
        raise ProfileError(
            f'Profile "{profile.name}" has other dimensions or measures than RAL-Bench, whose raw measures these are; '
            "use ral-bench or a copy of it with other judgements."
        )
    # Nothing in this profile is drawn at random.
    scored = score(
        profile, baseline=baseline, subject=subject, credibility=None, tampered=False, rng=np.random.default_rng(0)
    )
    return RalScores(
        model=raw.model,
        task=raw.task,
        functional=raw.suite("functional").pass_rate,
        non_functional=scored.non_functional.score or 0.0,
        dimensions={name: report.score or 0.0 for name, report in scored.dimensions.items()},
        scored=scored,
    )


def rounded(scores: RalScores) -> dict[str, str | float]:
    """The row as RAL-Bench publishes it, four decimals; its performance is our efficiency."""
    dimensions = {name: round(value, ROUNDING) for name, value in scores.dimensions.items()}
    return {
        "model": scores.model,
        "task": scores.task,
        "functional": round(scores.functional, ROUNDING),
        "non_functional": round(scores.non_functional, ROUNDING),
        "maintainability": dimensions["maintainability"],
        "security": dimensions["security"],
        "robustness": dimensions["robustness"],
        "performance": dimensions["efficiency"],
        "resource": dimensions["resource"],
    }


def outcomes(raw: RawResult) -> tuple[dict[str, Outcome], dict[str, Outcome]]:
    """The baseline's and the subject's outcomes by measure id of the `ral-bench` profile."""
    base, own = raw.baseline, raw.measures
    performance, resource = raw.suite("performance"), raw.suite("resource")
    pairs: dict[str, tuple[Outcome, Outcome]] = {
        "mi.min": _known(base.mi_min, own.mi_min, "maintainability index"),
        "high_risk.count": _known(base.high_risk_count, own.high_risk_count, "count of high-risk calls"),
        "robustness.passed": (Measured(value=1.0), Measured(value=raw.suite("robustness").pass_rate)),
        "performance.time": _cost(performance, base.performance_s, own.performance_s, "performance", "time"),
        "memory.mean": _cost(resource, _bytes(base.memory_mib), _bytes(own.memory_mib), "resource", "memory"),
        "cpu.mean": _cpu(resource, base, own),
    }
    return {name: pair[0] for name, pair in pairs.items()}, {name: pair[1] for name, pair in pairs.items()}


def _known(base: float | None, own: float | None, what: str) -> tuple[Outcome, Outcome]:
    if base is None:
        return _worthless(f"the baseline has no {what}")
    if own is None:
        return _worthless(f"there is no {what}")
    return Measured(value=base), Measured(value=own)


def _cost(suite: SuiteRun, base: float | None, own: float | None, name: str, what: str) -> tuple[Outcome, Outcome]:
    if not suite.succeeded:
        return _worthless(f"the {name} suite failed")
    if base is None or own is None or base <= 0 or own <= 0:
        return _worthless(f"there is no {what} above 0")
    return Measured(value=base), Measured(value=own)


def _cpu(resource: SuiteRun, base: RawMeasures, own: RawMeasures) -> tuple[Outcome, Outcome]:
    """Worthless with the memory; where only the CPU use is missing, memory stands alone."""
    memory = _cost(resource, base.memory_mib, own.memory_mib, "resource", "memory")
    if isinstance(memory[1], Unavailable):
        return memory
    if base.cpu_percent is None or own.cpu_percent is None or base.cpu_percent <= 0 or own.cpu_percent <= 0:
        absent = NotApplicable(reason="there is no CPU use above 0, so memory stands alone")
        return absent, absent
    return Measured(value=base.cpu_percent), Measured(value=own.cpu_percent)


def _worthless(reason: str) -> tuple[Outcome, Outcome]:
    return Measured(value=0.0), Unavailable(reason=reason, fault=Fault.SUBJECT)


def _bytes(mebibytes: float | None) -> float | None:
    return None if mebibytes is None else mebibytes * _MIB
