"""Arithmetic of measured costs: what is subtracted, what repeats must show, when pairs suffice (scoring.md, 5)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from qualityscore.core.intervals import median_interval

PAIRS_FIRST = 20
PAIRS_MOST = 40
PAIR_HALF_WIDTH = 0.03
GATE_HALF_WIDTH = 0.025
GATE_BIAS = 0.015
REPEAT_TOLERANCE = 0.001
MEMORY_SPREAD = 0.01
DEPARTURE_SCORE = 0.05
DEPARTURE_FINDING = 0.25
DEPARTURE_BODY_S = 0.02
GROWTH_EXCESS = 0.1
INPUT_SHARE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """T(1) of subject and reference in one unit, loading taken off."""

    subject: float
    reference: float

    @property
    def taken_off(self) -> float:
        """What the subject's run is lowered by: a lighter start of its own earns nothing, a heavier one is charged."""
        return min(self.subject, self.reference)


def net_cost(full: float, loading: float, start: float) -> float:
    """T(4n) without loading and start, at least 0."""
    return max(0.0, full - loading - start)


def growth_exponent(at_n: float, at_2n: float, at_4n: float) -> float | None:
    """p = log2((T(4n) - T(2n)) / (T(2n) - T(n))); None where a difference is not positive."""
    upper, lower = at_4n - at_2n, at_2n - at_n
    if not (upper > 0 and lower > 0):
        return None
    return math.log2(upper / lower)


def log_ratios(reference: Sequence[float], subject: Sequence[float]) -> tuple[float, ...]:
    """log(reference / subject) pair by pair; a pair in which either is not positive is left out."""
    return tuple(math.log(r / s) for r, s in zip(reference, subject, strict=True) if r > 0 and s > 0)


def median_ratio(logs: Sequence[float]) -> float | None:
    """exp of the median log-ratio; None of none."""
    return math.exp(statistics.median(logs)) if logs else None


def half_width(logs: Sequence[float]) -> float | None:
    """Half of the distribution-free 95 % interval of the median; None below 6 samples."""
    interval = median_interval(logs)
    return None if interval is None else (interval[1] - interval[0]) / 2


def settled(logs: Sequence[float]) -> bool:
    """Whether the pairs locate the median log-ratio well enough to stop."""
    width = half_width(logs)
    return len(logs) >= PAIRS_FIRST and width is not None and width <= PAIR_HALF_WIDTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The verdict of A/A pairs: whether times on this host can tell a difference. Shares, such as 0.02."""

    half_width: float | None
    bias: float | None

    @property
    def noise(self) -> float | None:
        """How far equal runs may lie apart, as a logarithm; None where that is not known."""
        return None if self.half_width is None or self.bias is None else self.half_width + self.bias

    @property
    def problem(self) -> str | None:
        """Why times cannot be used, or None."""
        if self.half_width is None or self.bias is None:
            return "host too noisy: too few pairs could be timed"
        if self.half_width >= GATE_HALF_WIDTH:
            return (
                f"host too noisy: equal runs differ by ±{self.half_width:.1%}, at most {GATE_HALF_WIDTH:.1%} is usable"
            )
        if self.bias >= GATE_BIAS:
            return f"host too noisy: equal runs are biased by {self.bias:.1%}, at most {GATE_BIAS:.1%} is usable"
        return None


def judge_gate(logs: Sequence[float]) -> Gate:
    """Judge the log-ratios of equal code against itself."""
    width = half_width(logs)
    return Gate(half_width=width, bias=None if width is None else abs(statistics.median(logs)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """Two counts of the same thing: the value that counts, and how the repeat agrees."""

    value: float
    relative: float

    @property
    def exact(self) -> bool:
        """Not one instruction apart."""
        return self.relative == 0

    @property
    def acceptable(self) -> bool:
        """Within a thousandth."""
        return self.relative <= REPEAT_TOLERANCE


def repeat(first: float, second: float) -> Repeat:
    """The smaller of two counts from separate sandboxes, since what disturbs a count adds to it, and their distance."""
    smaller = min(first, second)
    return Repeat(value=smaller, relative=abs(first - second) / smaller if smaller > 0 else 0.0)


def spread(samples: Sequence[float]) -> float:
    """(max - min) / median; infinite where the median is 0 and the samples differ."""
    width = max(samples) - min(samples)
    if width == 0:
        return 0.0
    middle = statistics.median(samples)
    return width / middle if middle > 0 else math.inf


def departure(count_ratio: float, cpu_ratio: float) -> float:
    """How far the CPU ratio lies from the ratio by counts, as a share of the latter."""
    return abs(cpu_ratio / count_ratio - 1) if count_ratio > 0 else math.inf


def capped_score(ratio: float, tolerance: float = 0.03) -> float:
    """min(1, r / (1 - delta)) of scoring.md section 3, for comparing what two counters would give."""
    return min(1.0, max(0.0, ratio) / (1 - tolerance))


def counters_disagree(count_ratio: float, cpu_ratio: float) -> bool:
    """Whether the capped scores by count and by CPU differ so much that pairs must decide."""
    return abs(capped_score(count_ratio) - capped_score(cpu_ratio)) > DEPARTURE_SCORE


def charge_start(bodies: Sequence[float], one: float, start: Start) -> tuple[float, ...]:
    """T(4n) without loading and start, run by run, from the body's times and T(1).

    `bodies` and `one` are the body's cost at 4n and at one item. Written over bodies so that the scatter of starting up
    does not enter each run: a start at most as heavy as the reference's cancels, the excess of a heavier one is added.
    """
    excess = max(0.0, start.subject - start.reference)
    return tuple(max(0.0, body - one + excess) for body in bodies)
