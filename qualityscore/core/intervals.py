"""Confidence intervals: exact ones where they exist, bootstrap ones otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Draws = NDArray[np.float64]
CONFIDENCE = 0.95
BLOCK = 4_000_000
"""Numbers that a resampling holds at once."""
FEW_TASKS = 8
"""Below so many tasks `cluster_interval` is said to be too narrow (docs/adr/0007 has its coverage)."""
TOO_NARROW = f"95 % intervals over fewer than {FEW_TASKS} tasks are too narrow"
_MOST_PICKS = 200_000_000
_MANY = 1_000
_FEWEST_DRAWS = 1_000


def median_interval(samples: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """The distribution-free interval of the median from order statistics, at least `confidence` for every distribution.

    None below the number of samples that can give it (6 for 95 %).
    """
    from scipy.stats import binom  # noqa: PLC0415  (scipy.stats takes most of a second to load, and few need it)

    n = len(samples)
    tail = (1 - confidence) / 2
    # The interval [x_(k), x_(n+1-k)] misses the median with probability 2 P(Binomial(n, 1/2) < k).
    k = int(binom.ppf(tail, n, 0.5)) if n else 0
    if k and binom.cdf(k - 1, n, 0.5) > tail:
        k -= 1
    if n == 0 or k == 0:
        return None
    ordered = sorted(samples)
    return ordered[k - 1], ordered[n - k]


def wilson(successes: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Wilson's score interval of a proportion; None without trials."""
    if trials == 0:
        return None
    z = NormalDist().inv_cdf(1 - (1 - confidence) / 2)
    p = successes / trials
    centre = p + z * z / (2 * trials)
    spread = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def sign_test(worse: int, better: int) -> float:
    """P(X >= worse) for X of Binomial(worse + better, 1/2): the one-sided exact sign test (McNemar's for pairs)."""
    trials = worse + better
    return float(sum(math.comb(trials, k) for k in range(worse, trials + 1)) / 2**trials)


def bootstrap_medians(samples: Sequence[float], draws: int, rng: np.random.Generator) -> Draws:
    """Medians of resamples with replacement, each as large as the sample."""
    values = np.asarray(samples, dtype=np.float64)
    picks = rng.integers(0, len(values), size=(draws, len(values)))
    return np.asarray(np.median(values[picks], axis=1), dtype=np.float64)


def bootstrap_means(values: Sequence[float], draws: int, rng: np.random.Generator) -> Draws:
    """Means of resamples with replacement. With one value per cluster (a task) this is the cluster bootstrap.

    Beyond 1,000 values of which at most 1,000 are distinct, how often each occurs is drawn, which is the same
    distribution. Otherwise there are fewer draws, at least 1,000, beyond 200 million picks.
    """
    data = np.asarray(values, dtype=np.float64)
    n = len(data)
    distinct, counts = np.unique(data, return_counts=True) if n > _MANY else (data, np.empty(0))
    few = n > _MANY >= len(distinct)
    if not few:
        draws = max(min(draws, _FEWEST_DRAWS), min(draws, _MOST_PICKS // n))
    means = np.empty(draws)
    rows = max(1, BLOCK // (len(distinct) if few else n))
    for start in range(0, draws, rows):
        block = means[start : start + rows]
        if few:
            block[:] = rng.multinomial(n, counts / n, size=len(block)) @ distinct / n
        else:
            block[:] = data[rng.integers(0, n, size=(len(block), n))].mean(axis=1)
    return means


def percentiles(draws: Draws, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The two percentiles that hold the middle `confidence` of the draws; a single draw is both."""
    if draws.size == 1:
        return float(draws[0]), float(draws[0])
    tail = 100 * (1 - confidence) / 2
    low, high = np.percentile(draws, [tail, 100 - tail])
    return float(low), float(high)


def cluster_interval(
    values: Sequence[float], rng: np.random.Generator, *, draws: int = 10_000, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """The bootstrap interval of the mean of one value per cluster (a task); None below two clusters.

    Percentiles of resampled means are too narrow for few clusters, by the factor sqrt((n - 1)/n) and by the normal in
    place of Student's quantile; the tails are widened by both (Hesterberg 2015, the expanded percentile interval).
    """
    from scipy.stats import t as student  # noqa: PLC0415  (as above)

    n = len(values)
    if n < 2:
        return None
    quantile = float(student.ppf((1 - confidence) / 2, n - 1)) * math.sqrt(n / (n - 1))
    widened = 1 - 2 * NormalDist().cdf(quantile)
    return percentiles(bootstrap_means(values, draws, rng), widened)
