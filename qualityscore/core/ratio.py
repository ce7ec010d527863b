"""The ratio of a value to its baseline, and what it is worth (scoring.md section 3)."""

from __future__ import annotations

import math

from qualityscore.model.measure import Direction, MetricSpec


def smoothing(spec: MetricSpec, baseline: float) -> float:
    """The smoothing that applies, in the measure's unit."""
    return max(spec.epsilon, spec.epsilon_share * baseline)


def ratio_to_baseline(spec: MetricSpec, value: float, baseline: float) -> float | None:
    """How many times better than the baseline, smoothed and uncapped; None where that is not finite.

    Both nought without smoothing are equal: 1.
    """
    epsilon = smoothing(spec, baseline)
    floored = max(value, spec.floor_share * baseline)
    better, worse = (
        (baseline + epsilon, floored + epsilon)
        if spec.better is Direction.LOWER
        else (floored + epsilon, baseline + epsilon)
    )
    if worse == 0:
        return 1.0 if better == 0 else None
    ratio = better / worse
    return ratio if math.isfinite(ratio) else None


def capped(spec: MetricSpec, ratio: float | None) -> float:
    """The score of a ratio: full marks from 1 less the tolerance on, and for a ratio beyond all numbers."""
    return 1.0 if ratio is None else min(1.0, ratio / (1 - spec.tolerance))


def verdict(low: float, high: float, tolerance: float) -> str:
    """What an interval of a cost ratio (reference / subject) allows to be said (scoring.md section 3)."""
    if 1 - tolerance <= low and high <= 1 / (1 - tolerance):
        return "equivalent"
    if low > 1:
        return "faster"
    if high < 1:
        return "slower"
    return "inconclusive"
