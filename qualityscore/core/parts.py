"""A measure of several parts, one per workload: the mean of the parts' capped scores (scoring.md section 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from qualityscore.core.intervals import Draws, bootstrap_medians, median_interval, percentiles
from qualityscore.core.ratio import capped, ratio_to_baseline, verdict
from qualityscore.model.measure import Fault, Measured, MetricSpec, Part

BOOTSTRAP_DRAWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoredParts:
    """The mean over the baseline's parts.

    `ratio` is the geometric mean of the uncapped ratios of the right parts, None without one. `floor` and `ceiling` are
    draws of the least and the most that `score` can be; `rows` show each part; `faults` are those of unmeasured parts,
    for which `score` is None.
    """

    score: float | None
    floor: Draws
    ceiling: Draws
    ratio: float | None
    verdict: str | None
    right_share: float
    mean_over_right: float | None
    rows: tuple[dict[str, Any], ...]
    faults: tuple[tuple[Fault, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scored:
    score: float | None
    floor: Draws
    ceiling: Draws
    right: bool = False
    ratio: float | None = None
    log_ratios: Draws | None = None
    verdict: str | None = None
    fault: Fault | None = None
    note: str | None = None


def score_parts(spec: MetricSpec, subject: Measured, baseline: Measured, rng: np.random.Generator) -> ScoredParts:
    """Score every part of the baseline. A part that the subject lacks, or has wrong, scores 0.

    A measure without parts is its own single part.
    """
    expected = baseline.parts or (Part(id="all", value=baseline.value),)
    given = {part.id: part for part in subject.parts}
    if not baseline.parts:
        only = subject.parts[0] if len(subject.parts) == 1 else Part(id="all", value=subject.value)
        given = {"all": only}
    scored = [_score_part(spec, given.get(reference.id), reference, rng) for reference in expected]
    # One order of summing for the score and its draws, so that a deterministic score equals its draw to the last bit.
    share = 1 / len(expected)
    floor = np.asarray(sum(share * part.floor for part in scored), dtype=np.float64)
    ceiling = np.asarray(sum(share * part.ceiling for part in scored), dtype=np.float64)
    scores = [part.score for part in scored]
    total = sum(share * s for s in scores if s is not None)
    right = [part for part in scored if part.right]
    logs = [part.log_ratios for part in right if part.log_ratios is not None]
    mean_log = np.asarray(sum(logs), dtype=np.float64) / len(logs) if logs else None
    ratios = [part.ratio for part in right if part.ratio is not None]
    right_scores = [part.score for part in right if part.score is not None]
    return ScoredParts(
        score=None if None in scores else total,
        floor=floor,
        ceiling=ceiling,
        ratio=geometric_mean(ratios),
        verdict=_verdict(mean_log, spec.tolerance),
        right_share=len(right) / len(expected),
        mean_over_right=math.fsum(right_scores) / len(right_scores) if right_scores else None,
        rows=tuple(
            _row(part, given.get(reference.id), reference) for part, reference in zip(scored, expected, strict=True)
        ),
        faults=tuple(
            (part.fault, f"{reference.id}: {part.note}")
            for part, reference in zip(scored, expected, strict=True)
            if part.fault is not None
        ),
    )


def geometric_mean(ratios: list[float]) -> float | None:
    """The geometric mean of numbers of at least 0, 0 where one of them is 0; None of none."""
    if not ratios:
        return None
    if min(ratios) == 0:
        return 0.0
    return math.exp(math.fsum(math.log(r) for r in ratios) / len(ratios))


def _score_part(spec: MetricSpec, part: Part | None, reference: Part, rng: np.random.Generator) -> _Scored:
    if reference.value is None or not math.isfinite(reference.value) or not reference.right:
        return _unmeasured(reference.fault or Fault.REFERENCE, reference.note or "the reference has no value")
    if part is None:
        return _worthless("the subject has no such part")
    if part.fault in (Fault.HARNESS, Fault.REFERENCE):
        return _unmeasured(part.fault, part.note or "not measured")
    if not part.right:
        return _worthless(part.note or "the result differs from the reference's")
    if part.log_ratios:
        return _paired(spec, part, rng)
    if part.value is None or not math.isfinite(part.value):
        return _worthless(part.note or "no value")
    ratio = ratio_to_baseline(spec, max(0.0, part.value), max(0.0, reference.value))
    score = capped(spec, ratio)
    return _Scored(
        score=score,
        floor=np.array([score]),
        ceiling=np.array([score]),
        right=True,
        ratio=ratio,
        log_ratios=np.log([ratio]) if ratio else None,
        verdict=verdict(ratio, ratio, spec.tolerance) if spec.tolerance and ratio is not None else None,
        note=part.note,
    )


def _paired(spec: MetricSpec, part: Part, rng: np.random.Generator) -> _Scored:
    """A part measured in pairs: the median of log(reference / subject), with a bootstrap of the pairs.

    A widening stands at its worst in every draw, in turn up and down; all parts of a measure are off alike.
    """
    most = -math.log(spec.floor_share) if spec.floor_share else math.inf
    logs = np.minimum(part.log_ratios, most)
    ratio = float(np.exp(np.median(logs)))
    drawn = bootstrap_medians(logs.tolist(), BOOTSTRAP_DRAWS, rng)
    drawn += np.resize([part.widening, -part.widening], len(drawn))
    draws = np.minimum(1.0, np.exp(drawn) / (1 - spec.tolerance))
    interval = median_interval(logs.tolist())
    said = None
    if spec.tolerance:
        said = "inconclusive"
        if interval is not None:
            low, high = interval[0] - part.widening, interval[1] + part.widening
            said = verdict(math.exp(low), math.exp(high), spec.tolerance)
    return _Scored(
        score=capped(spec, ratio),
        floor=draws,
        ceiling=draws,
        right=True,
        ratio=ratio,
        log_ratios=drawn,
        verdict=said,
        note=part.note,
    )


def _worthless(note: str) -> _Scored:
    return _Scored(score=0.0, floor=np.zeros(1), ceiling=np.zeros(1), note=note)


def _unmeasured(fault: Fault, note: str) -> _Scored:
    return _Scored(score=None, floor=np.zeros(1), ceiling=np.ones(1), fault=fault, note=note)


def _verdict(mean_log: Draws | None, tolerance: float) -> str | None:
    if mean_log is None or not tolerance:
        return None
    low, high = percentiles(np.exp(mean_log))
    return verdict(low, high, tolerance)


def _row(scored: _Scored, part: Part | None, reference: Part) -> dict[str, Any]:
    low, high = percentiles(scored.floor)[0], percentiles(scored.ceiling)[1]
    row: dict[str, Any] = {
        "id": reference.id,
        "value": None if part is None else part.value,
        "baseline": reference.value,
        "ratio": scored.ratio,
        "score": scored.score,
        "low": low if scored.score is None else min(low, scored.score),
        "high": high if scored.score is None else max(high, scored.score),
        "right": scored.right,
        "verdict": scored.verdict,
        "note": scored.note,
        "fault": None if scored.fault is None else scored.fault.value,
        "present": part is not None,
    }
    if part is not None:
        row["samples"] = list(part.samples)
        row["log_ratios"] = list(part.log_ratios)
        if part.widening:
            row["widening"] = part.widening
    return row


class _Row(BaseModel):
    """What scoring needs of a row of a report's details, which are free-form; the rest of a row is for the reader."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    id: str
    value: float | None
    baseline: float | None
    right: bool
    note: str | None
    fault: Literal["subject", "harness", "reference"] | None
    present: bool
    samples: list[float] = []
    log_ratios: list[float] = []
    widening: float = 0.0


def part_of_row(row: Any) -> tuple[Part | None, Part]:
    """The subject's part (None where it had none) and the reference's, from a row of a report's details.

    Raises pydantic.ValidationError for what is no such row.
    """
    read = _Row.model_validate(row)
    fault = None if read.fault is None else Fault(read.fault)
    reference_fault = fault if read.baseline is None else None
    reference = Part(
        id=read.id, value=read.baseline, fault=reference_fault, note=read.note if reference_fault else None
    )
    if not read.present:
        return None, reference
    subject = Part(
        id=read.id,
        value=read.value,
        right=read.right or fault is not None,
        samples=tuple(read.samples),
        log_ratios=tuple(read.log_ratios),
        widening=read.widening,
        note=read.note,
        fault=None if reference_fault else fault,
    )
    return subject, reference
