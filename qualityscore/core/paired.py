"""Tests and effect sizes for two results on the same tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, norm, rankdata

from qualityscore.core.intervals import BLOCK, cluster_interval, wilson

EXACT_LIMIT = 400
"""Pairs up to which the signed-rank distribution is computed exactly; the normal approximation is used beyond."""
EXACT_FLIPS = 14
"""Rows up to which every flip of signs is counted."""
LEAST_DRAWS = 20_000
_MOST_SUMS = 1_000_000_000
ROUNDING = 1e-9
"""Two numbers are equal when they differ by at most this share of the larger: 0.1 + 0.2 and 0.3 are not two values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """Two binary outcomes on the same tasks.

    `difference` is the share of the second less that of the first, with Newcombe's hybrid score interval for paired
    proportions (1998, method 10); `p` is exact and two-sided.
    """

    n: int
    both: int
    only_first: int
    only_second: int
    neither: int
    difference: float | None
    low: float | None
    high: float | None
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRank:
    """Wilcoxon's signed-rank test of paired numbers, zero differences dropped, ties sharing their mean rank.

    What differs by rounding alone does not differ, and differences that do so are tied (see `ROUNDING`). `p` is exact
    and two-sided (normal approximation beyond 400 pairs), 1 where nothing differs. `rank_biserial` is (W+ - W-)/(W+ +
    W-), from -1 to 1, None where nothing differs. `mean_difference` (second less first) has a bootstrap interval over
    the pairs, zero differences included.
    """

    n: int
    differing: int
    w_plus: float
    w_minus: float
    p: float
    rank_biserial: float | None
    mean_difference: float | None
    low: float | None
    high: float | None


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Exact McNemar test. Without discordant pairs, or with as many of either kind, p is 1."""
    pairs = list(zip(first, second, strict=True))
    both = sum(a and b for a, b in pairs)
    only_first = sum(a and not b for a, b in pairs)
    only_second = sum(b and not a for a, b in pairs)
    neither = len(pairs) - both - only_first - only_second
    discordant = only_first + only_second
    interval = _newcombe(both, only_second, only_first, neither) if pairs else None
    return McNemar(
        n=len(pairs),
        both=both,
        only_first=only_first,
        only_second=only_second,
        neither=neither,
        difference=(only_second - only_first) / len(pairs) if pairs else None,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        p=float(binomtest(only_first, discordant, 0.5).pvalue) if discordant else 1.0,
    )


def signed_rank(first: Sequence[float], second: Sequence[float], rng: np.random.Generator) -> SignedRank:
    """Wilcoxon's test of the differences, second less first. `rng` draws the interval of the mean difference."""
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    differences = paired_differences(other, one)
    differs = differences != 0
    differing, slack = differences[differs], _slack(one, other)[differs]
    ranks = _ranks(np.abs(differing), slack)
    w_plus, w_minus = float(ranks[differing > 0].sum()), float(ranks[differing < 0].sum())
    interval = cluster_interval(differences.tolist(), rng)
    return SignedRank(
        n=len(differences),
        differing=len(differing),
        w_plus=w_plus,
        w_minus=w_minus,
        p=_signed_rank_p(ranks, min(w_plus, w_minus)),
        rank_biserial=(w_plus - w_minus) / (w_plus + w_minus) if len(differing) else None,
        mean_difference=float(differences.mean()) if len(differences) else None,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
    )


def paired_differences(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """First less second, 0 where they differ by rounding alone, NaN where either is."""
    differences = first - second
    return np.where(np.abs(differences) <= _slack(first, second), 0.0, differences)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjustment, in the order given: the j-th smallest of m times m - j + 1, made monotone."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for position, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - position) * p_values[index]))
        adjusted[index] = highest
    return tuple(adjusted)


def sign_flip(
    differences: NDArray[np.float64], rng: np.random.Generator, draws: int = LEAST_DRAWS
) -> NDArray[np.float64]:
    """Two-sided p of the mean of each column being 0, when the sign of each row could as well have been the other.

    Up to 14 rows that differ anywhere every flip is counted. Beyond, a Monte Carlo test gives (1 + k)/(1 + draws), and
    where no draw reaches the observed mean (k = 0) the smaller of that and Chernoff's bound of the exact p: both stay
    valid, and no number of columns makes p too coarse. NaN cells (a task that a pair does not share) count nothing. One
    column per pair of labels, one row per task, the same flips for all columns.
    """
    cells = np.nan_to_num(differences)
    cells = cells[cells.any(axis=1)]
    n, columns = cells.shape
    exact = n <= EXACT_FLIPS
    draws = 2**n if exact else draws
    # Rounding must not make a flip that gives the same mean look smaller.
    observed = np.abs(cells.sum(axis=0)) - 1e-12 * np.abs(cells).sum(axis=0)
    reached = np.zeros(columns, dtype=np.int64)
    rows = max(1, BLOCK // max(n, columns, 1))
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        if exact:
            bits = np.arange(start, start + count)[:, None] >> np.arange(n) & 1
        else:
            bits = rng.integers(0, 2, size=(count, n))
        reached += (np.abs((bits * 2.0 - 1.0) @ cells) >= observed).sum(axis=0)
    if exact:
        return np.asarray(reached / draws, dtype=np.float64)
    p = (1 + reached) / (1 + draws)
    unreached = reached == 0
    p[unreached] = np.minimum(p[unreached], _chernoff(cells[:, unreached], observed[unreached]))
    return np.asarray(p, dtype=np.float64)


def flips_for(columns: int) -> int:
    """Draws for `sign_flip` of so many columns: 200 for each, since Holm divides by them, within bounds of work."""
    return max(LEAST_DRAWS, min(200 * columns, _MOST_SUMS // max(1, columns)))


def _chernoff(cells: NDArray[np.float64], observed: NDArray[np.float64]) -> NDArray[np.float64]:
    """2 min over x > 0 of prod cosh(x d) exp(-x observed) >= P(|sum of +-d| >= observed), by column of d."""
    scale = np.sqrt((cells**2).mean(axis=0))
    least = np.zeros(cells.shape[1])
    for x in np.geomspace(0.02, 500, 80):
        steep = x / scale
        least = np.minimum(
            least, (np.logaddexp(steep * cells, -steep * cells) - math.log(2)).sum(axis=0) - steep * observed
        )
    return np.asarray(np.minimum(1.0, 2 * np.exp(least)), dtype=np.float64)


def _slack(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return ROUNDING * np.maximum(np.abs(first), np.abs(second))


def _ranks(sizes: NDArray[np.float64], slack: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean ranks, where neighbours in size that rounding of either one's values can explain are tied."""
    order = np.argsort(sizes, kind="stable")
    apart = np.diff(sizes[order]) > np.maximum(slack[order][1:], slack[order][:-1])
    steps = np.concatenate(([0.0], np.cumsum(apart)))[: len(sizes)]
    found = np.empty_like(sizes)
    found[order] = rankdata(steps)
    return found


def _signed_rank_p(ranks: NDArray[np.float64], smaller: float) -> float:
    """P(min(W+, W-) <= smaller) over all signs; ties make ranks halves, so everything is counted in halves."""
    n = len(ranks)
    if n == 0:
        return 1.0
    if n > EXACT_LIMIT:
        mean, deviation = ranks.sum() / 2, math.sqrt(float((ranks**2).sum())) / 2
        return min(1.0, 2 * float(norm.cdf((smaller + 0.5 - mean) / deviation)))
    doubled = [round(2 * rank) for rank in ranks]
    shares = np.zeros(sum(doubled) + 1)
    shares[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(shares)
        shifted[rank:] = shares[: len(shares) - rank]
        shares = (shares + shifted) / 2
    return min(1.0, 2 * float(shares[: round(2 * smaller) + 1].sum()))


def _newcombe(both: int, only_first: int, only_second: int, neither: int) -> tuple[float, float]:
    """The interval of the share of the first less that of the second."""
    n = both + only_first + only_second + neither
    p1, p2 = (both + only_first) / n, (both + only_second) / n
    (l1, u1), (l2, u2) = (wilson(k, n) or (0.0, 1.0) for k in (both + only_first, both + only_second))
    product = (both + only_first) * (only_second + neither) * (both + only_second) * (only_first + neither)
    cross = float(both * neither - only_first * only_second)
    if cross > 0:
        cross = max(cross - n / 2, 0.0)
    phi = cross / math.sqrt(product) if product else 0.0
    below = (p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2
    above = (u1 - p1) ** 2 - 2 * phi * (u1 - p1) * (p2 - l2) + (p2 - l2) ** 2
    return p1 - p2 - math.sqrt(max(0.0, below)), p1 - p2 + math.sqrt(max(0.0, above))
