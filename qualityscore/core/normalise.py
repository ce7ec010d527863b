"""One measure of a subject against the baseline's, as a score between 0 and 1 (scoring.md sections 1, 3 and 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, assert_never

import numpy as np

from qualityscore.core.intervals import Draws, percentiles
from qualityscore.core.parts import score_parts
from qualityscore.core.ratio import capped, ratio_to_baseline, smoothing, verdict
from qualityscore.model.measure import (
    Direction,
    Fault,
    Measured,
    MetricSpec,
    NotApplicable,
    Outcome,
    Scoring,
    Unavailable,
)
from qualityscore.model.report import FaultReport, MeasureReport


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Normalised:
    """A scored measure. `report.weight` is still 0: the matrix gives it.

    `floor` and `ceiling` are bootstrap draws of the least and the most that the score can be: one draw for a
    deterministic score, equal to each other where everything was measured, apart where something is missing.
    """

    report: MeasureReport
    floor: Draws
    ceiling: Draws
    left_out: bool = False
    faults: tuple[FaultReport, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scored:
    """A score before credibility; None where it, or a part of it, is unmeasured."""

    score: float | None
    floor: Draws
    ceiling: Draws
    ratio: float | None = None
    verdict: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    faults: tuple[tuple[Fault, str], ...] = ()


def normalise(
    spec: MetricSpec,
    subject: Outcome | None,
    baseline: Outcome | None,
    *,
    credibility: float | None,
    tampered: bool = False,
    left_out: bool = False,
    rng: np.random.Generator,
) -> Normalised:
    """Score one measure.

    `baseline` None means that the baseline does not define the measure: not applicable. `subject` None where the
    baseline defines it is the harness's omission, and so unmeasured. `credibility` None means that it was not measured:
    a score that it multiplies is then unknown between 0 and the uncredited score. A tampered subject scores 0 whatever
    else holds.
    """
    if isinstance(baseline, NotApplicable) or (baseline is None and spec.scoring is not Scoring.SHARE):
        reason = baseline.reason if isinstance(baseline, NotApplicable) else "the baseline does not define it"
        report = _report(spec, subject, baseline, details={"not_applicable": reason}, applicable=False)
        return Normalised(report=report, floor=np.zeros(1), ceiling=np.zeros(1))
    if tampered:
        return _finish(spec, subject, baseline, _constant(0.0, ratio=0.0, details={"tampered": True}), 1.0)
    if left_out:
        report = _report(spec, subject, baseline, details={"left_out": True})
        return Normalised(report=report, floor=np.zeros(1), ceiling=np.ones(1), left_out=True)
    return _finish(spec, subject, baseline, _score(spec, subject, baseline, rng), credibility)


def _score(spec: MetricSpec, subject: Outcome | None, baseline: Outcome | None, rng: np.random.Generator) -> _Scored:
    if isinstance(baseline, Unavailable):
        return _unmeasured(baseline.fault, f"the baseline has no value: {baseline.reason}", baseline.details)
    assert not isinstance(baseline, NotApplicable)
    match subject:
        case None:
            return _unmeasured(Fault.HARNESS, "nothing measured it")
        case NotApplicable(reason=reason):
            return _unmeasured(Fault.HARNESS, f"not applicable to the subject, though the baseline has it: {reason}")
        case Unavailable(reason=reason, fault=Fault.SUBJECT, details=details):
            return _constant(0.0, details=_why(Fault.SUBJECT, reason, details), faults=((Fault.SUBJECT, reason),))
        case Unavailable(reason=reason, fault=fault, details=details):
            return _unmeasured(fault, reason, details)
        case Measured():
            return _score_measured(spec, subject, baseline, rng)
        case _:
            assert_never(subject)


def _score_measured(
    spec: MetricSpec, subject: Measured, baseline: Measured | None, rng: np.random.Generator
) -> _Scored:
    reference = 1.0 if baseline is None else baseline.value
    if not math.isfinite(reference) or reference < 0:
        return _unmeasured(Fault.REFERENCE, f"the baseline's value {reference} is not a finite number of at least 0")
    if not math.isfinite(subject.value) or subject.value < 0:
        return _unmeasured(Fault.HARNESS, f"the value {subject.value} is not a finite number of at least 0")
    details = subject.details
    match spec.scoring:
        case Scoring.PARTS:
            assert baseline is not None
            return _score_by_parts(spec, subject, baseline, rng)
        case Scoring.SHARE:
            return _constant(min(1.0, subject.value), ratio=subject.value, details=details)
        case Scoring.SATURATING:
            if reference == 0:
                return _constant(0.0, ratio=None, details=details)
            # r / (1 + r) with r = g / b, written so that a tiny b cannot overflow.
            score, ratio = subject.value / (subject.value + reference), subject.value / reference
            return _constant(score, ratio=ratio if math.isfinite(ratio) else None, details=details)
        case Scoring.VALUE:
            if spec.better is Direction.HIGHER and reference + smoothing(spec, reference) == 0:
                return _unmeasured(Fault.REFERENCE, "the baseline's value is 0, and higher is better")
            better = ratio_to_baseline(spec, subject.value, reference)
            said = verdict(better, better, spec.tolerance) if spec.tolerance and better is not None else None
            return _constant(capped(spec, better), ratio=better, details=details, said=said)
        case _:
            assert_never(spec.scoring)


def _score_by_parts(spec: MetricSpec, subject: Measured, baseline: Measured, rng: np.random.Generator) -> _Scored:
    parts = score_parts(spec, subject, baseline, rng)
    return _Scored(
        score=parts.score,
        floor=parts.floor,
        ceiling=parts.ceiling,
        ratio=parts.ratio,
        verdict=parts.verdict,
        details={
            **subject.details,
            "parts": list(parts.rows),
            "right_share": parts.right_share,
            "mean_over_right": parts.mean_over_right,
        },
        faults=parts.faults,
    )


def _constant(
    score: float,
    *,
    ratio: float | None = None,
    details: dict[str, Any],
    said: str | None = None,
    faults: tuple[tuple[Fault, str], ...] = (),
) -> _Scored:
    draws = np.array([score])
    return _Scored(
        score=score, floor=draws, ceiling=draws, ratio=ratio, verdict=said, details=dict(details), faults=faults
    )


def _unmeasured(fault: Fault, reason: str, details: dict[str, Any] | None = None) -> _Scored:
    return _Scored(
        score=None,
        floor=np.zeros(1),
        ceiling=np.ones(1),
        details=_why(fault, reason, details or {}),
        faults=((fault, reason),),
    )


def _why(fault: Fault, reason: str, details: dict[str, Any]) -> dict[str, Any]:
    return {**details, "unavailable": {"reason": reason, "fault": fault.value}}


def _finish(
    spec: MetricSpec, subject: Outcome | None, baseline: Outcome | None, scored: _Scored, credibility: float | None
) -> Normalised:
    score, floor, ceiling = scored.score, scored.floor, scored.ceiling
    faults = [FaultReport(stage=spec.id, fault=fault, reason=reason) for fault, reason in scored.faults]
    details = scored.details
    if spec.credible and credibility is not None:
        score = None if score is None else credibility * score
        floor, ceiling = credibility * floor, credibility * ceiling
    elif spec.credible and score != 0:
        score, floor = None, np.zeros(1)
        details = {**details, "uncredited": scored.score}
    low, high = bounds(score, floor, ceiling)
    report = _report(
        spec,
        subject,
        baseline,
        details=details,
        ratio=scored.ratio,
        score=score,
        low=low,
        high=high,
        said=scored.verdict,
        credibility=credibility if spec.credible else None,
    )
    return Normalised(report=report, floor=floor, ceiling=ceiling, faults=tuple(faults))


def bounds(score: float | None, floor: Draws, ceiling: Draws) -> tuple[float, float]:
    """The 95 % interval over the draws: from the low end of the least to the high end of the most, around the score."""
    low, high = percentiles(floor)[0], percentiles(ceiling)[1]
    return (low, high) if score is None else (min(low, score), max(high, score))


def _report(
    spec: MetricSpec,
    subject: Outcome | None,
    baseline: Outcome | None,
    *,
    details: dict[str, Any],
    ratio: float | None = None,
    score: float | None = None,
    low: float | None = None,
    high: float | None = None,
    said: str | None = None,
    credibility: float | None = None,
    applicable: bool = True,
) -> MeasureReport:
    expected = baseline if spec.scoring is Scoring.PARTS else None
    reference = _finite(baseline, expected)
    return MeasureReport(
        id=spec.id,
        title=spec.title,
        value=_finite(subject, expected),
        unit=spec.unit,
        better=spec.better,
        baseline=reference,
        ratio=ratio,
        score=score,
        low=low,
        high=high,
        weight=0.0,
        verdict=said,
        epsilon=spec.epsilon if reference is None else smoothing(spec, reference),
        credibility=credibility,
        applicable=applicable,
        details=details,
    )


def _finite(outcome: Outcome | None, expected: Outcome | None) -> float | None:
    """The value as the report may hold it: JSON has no NaN, and a sum lacking one of the `expected` parts is none."""
    if not isinstance(outcome, Measured) or not math.isfinite(outcome.value):
        return None
    given = {part.id for part in outcome.parts if part.value is not None}
    lacking = isinstance(expected, Measured) and any(part.id not in given for part in expected.parts)
    return None if lacking else outcome.value
