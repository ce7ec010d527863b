"""Measures into dimensions and dimensions into NF, both by weights from judgements (scoring.md sections 1, 2 and 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from qualityscore.core.ahp import Matrix, principal, submatrix
from qualityscore.core.intervals import Draws
from qualityscore.core.normalise import Normalised, bounds
from qualityscore.core.parts import geometric_mean
from qualityscore.core.profile import DimensionSpec
from qualityscore.model.report import DimensionReport, NonFunctionalReport


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Combined:
    """A weighted dimension. `report.weight` is still 0: the top matrix gives it. `left_out` as asked by the caller."""

    report: DimensionReport
    floor: Draws
    ceiling: Draws
    left_out: bool = False


def applicable_weights(matrix: Matrix, applicable: Sequence[bool]) -> tuple[float, ...]:
    """Weights over the rows that apply, from the judgements among them alone; 0 for the others."""
    keep = [index for index, applies in enumerate(applicable) if applies]
    weights = [0.0] * len(applicable)
    if keep:
        for index, weight in zip(keep, _principal_weights(submatrix(matrix, keep)), strict=True):
            weights[index] = weight
    return tuple(weights)


@lru_cache(maxsize=256)
def _principal_weights(matrix: Matrix) -> tuple[float, ...]:
    """Cached: a folder of results is scored under the same few matrices."""
    return principal(matrix).weights


def combine_measures(spec: DimensionSpec, measures: Sequence[Normalised]) -> Combined:
    """One dimension. Not applicable when none of its measures is; null without bounds when something was left out."""
    weights = applicable_weights(spec.matrix, [m.report.applicable for m in measures])
    reports = tuple(replace(m.report, weight=w) for m, w in zip(measures, weights, strict=True))
    present = [m for m in measures if m.report.applicable]
    left_out = any(m.left_out for m in present)
    score, floor, ceiling = _sum(
        [w for w, m in zip(weights, measures, strict=True) if m.report.applicable],
        [m.report.score for m in present],
        [(m.floor, m.ceiling) for m in present],
    )
    hidden = left_out or not present
    low, high = (None, None) if hidden else bounds(score, floor, ceiling)
    report = DimensionReport(
        score=None if hidden else score,
        low=low,
        high=high,
        weight=0.0,
        measures=reports,
        applicable=bool(present),
        left_out=left_out,
        details=_details(present),
    )
    return Combined(report=report, floor=floor, ceiling=ceiling, left_out=left_out)


def combine_dimensions(
    matrix: Matrix, dimensions: Sequence[Combined]
) -> tuple[tuple[DimensionReport, ...], NonFunctionalReport]:
    """The dimensions with their weights, and NF.

    NF is null without bounds where a dimension was left out or none applies, and null with the bounds over what it
    could have been where a dimension is unmeasured.
    """
    weights = applicable_weights(matrix, [d.report.applicable for d in dimensions])
    reports = tuple(replace(d.report, weight=w) for d, w in zip(dimensions, weights, strict=True))
    present = [d for d in dimensions if d.report.applicable]
    if not present or any(d.left_out for d in present):
        return reports, NonFunctionalReport(score=None, low=None, high=None)
    score, floor, ceiling = _sum(
        [w for w, d in zip(weights, dimensions, strict=True) if d.report.applicable],
        [d.report.score for d in present],
        [(d.floor, d.ceiling) for d in present],
    )
    low, high = bounds(score, floor, ceiling)
    return reports, NonFunctionalReport(score=score, low=low, high=high)


def _sum(
    weights: Sequence[float], scores: Sequence[float | None], draws: Sequence[tuple[Draws, Draws]]
) -> tuple[float | None, Draws, Draws]:
    floor, ceiling = np.zeros(1), np.zeros(1)
    score: float | None = 0.0
    for weight, one, (least, most) in zip(weights, scores, draws, strict=True):
        score = None if score is None or one is None else score + weight * one
        floor, ceiling = floor + weight * least, ceiling + weight * most
    # Weights sum to 1 up to rounding; a score must not leave [0, 1] for that.
    return None if score is None else min(1.0, score), np.minimum(1.0, floor), np.minimum(1.0, ceiling)


def _details(measures: Sequence[Normalised]) -> dict[str, Any]:
    ratios = [m.report.ratio for m in measures]
    finite = [r for r in ratios if r is not None and math.isfinite(r)]
    mean = geometric_mean(finite) if len(finite) == len(ratios) else None
    return {"geometric_mean_ratio": mean}
