"""Intervals against other implementations, by hand, and their coverage by simulation."""

import math
import tracemalloc

import numpy as np
import pytest
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from qualityscore.core.intervals import (
    bootstrap_means,
    bootstrap_medians,
    cluster_interval,
    median_interval,
    percentiles,
    wilson,
)
from qualityscore.core.paired import mcnemar
from qualityscore.core.parts import BOOTSTRAP_DRAWS


def within_monte_carlo_error(covered, trials, nominal, slack=0.0):
    """Whether a share differs from the nominal by less than 3.5 standard errors and the slack given."""
    error = math.sqrt(nominal * (1 - nominal) / trials)
    return abs(covered / trials - nominal) < 3.5 * error + slack


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 17), (50, 200)])
def test_wilsons_interval_agrees_with_statsmodels(successes, trials):
    expected = proportion_confint(successes, trials, method="wilson")
    assert wilson(successes, trials) == pytest.approx(expected)


def test_nothing_tried_has_no_interval():
    assert wilson(0, 0) is None
    assert median_interval([]) is None
    assert cluster_interval([0.5], np.random.default_rng(1)) is None


@pytest.mark.parametrize(("n", "rank"), [(6, 1), (9, 2), (20, 6), (40, 14)])
def test_the_medians_interval_uses_the_tabulated_ranks(n, rank):
    # Ranks of the 95 % sign-test interval as printed in textbooks (e.g. Conover, table A3).
    assert median_interval([float(i) for i in range(1, n + 1)]) == (rank, n + 1 - rank)


@pytest.mark.parametrize("n", range(6))
def test_fewer_than_six_samples_cannot_give_95_per_cent(n):
    assert median_interval([1.0] * n) is None


@pytest.mark.parametrize("n", range(6, 60))
def test_the_medians_interval_is_as_short_as_its_confidence_allows(n):
    k = int(median_interval([float(i) for i in range(1, n + 1)])[0])
    assert 1 - 2 * binom.cdf(k - 1, n, 0.5) >= 0.95
    assert 1 - 2 * binom.cdf(k, n, 0.5) < 0.95


@pytest.mark.parametrize(
    ("n", "draw"),
    [
        (10, lambda r, shape: r.normal(0.5, 0.1, shape)),
        (38, lambda r, shape: r.normal(0.5, 0.1, shape)),
        (38, lambda r, shape: r.beta(2, 2, shape)),
        (38, lambda r, shape: r.binomial(1, 0.5, shape).astype(float)),
    ],
    ids=["normal of 10", "normal of 38", "beta of 38", "binary of 38"],
)
def test_the_interval_over_tasks_covers_the_mean_at_95_per_cent(n, draw):
    random = np.random.default_rng(5)
    trials = 1500
    covered = 0
    for values in draw(random, (trials, n)):
        low, high = cluster_interval(values.tolist(), random, draws=1000)
        covered += low <= 0.5 <= high
    # Means of few binary values are discrete: up to one atom of the distribution, a sixteenth here, cannot be split.
    assert within_monte_carlo_error(covered, trials, 0.95, slack=0.01)


def test_the_bootstrap_of_a_median_of_pairs_covers_at_95_per_cent():
    random = np.random.default_rng(6)
    trials, n = 1200, 20
    covered = 0
    for logs in random.laplace(0.1, 0.05, (trials, n)):
        low, high = percentiles(bootstrap_medians(logs.tolist(), BOOTSTRAP_DRAWS, random))
        covered += low <= 0.1 <= high
    # The interval ends on order statistics: 95.9 % and 88.5 % are the two that 20 pairs can give around 95 %.
    assert within_monte_carlo_error(covered, trials, 0.95, slack=0.015)


def test_the_median_interval_covers_at_least_95_per_cent():
    random = np.random.default_rng(7)
    samples = random.exponential(1, (2000, 20))
    covered = sum(low <= math.log(2) <= high for low, high in map(median_interval, samples.tolist()))
    # Exactly 1 - 2 P(Binomial(20, 1/2) < 6) = 0.9586.
    assert within_monte_carlo_error(covered, 2000, 1 - 2 * binom.cdf(5, 20, 0.5))


def test_the_difference_of_paired_proportions_is_covered_at_95_per_cent():
    random = np.random.default_rng(8)
    trials = 2000
    covered = 0
    for kinds in random.multinomial(38, [0.3, 0.2, 0.1, 0.4], trials):
        first = np.repeat([True, True, False, False], kinds)
        second = np.repeat([True, False, True, False], kinds)
        result = mcnemar(first.tolist(), second.tolist())
        # Only the first: 0.2; only the second: 0.1. The difference is the second less the first.
        covered += result.low <= -0.1 <= result.high
    # Newcombe found method 10 between 0.94 and 0.96 on average.
    assert within_monte_carlo_error(covered, trials, 0.95, slack=0.01)


@pytest.mark.parametrize("kind", ["few distinct", "all distinct"])
def test_means_of_very_many_values_are_resampled_in_bounded_memory(kind):
    n = 60_000
    values = np.arange(n) % 3 / 2.0 if kind == "few distinct" else np.random.default_rng(2).uniform(0, 1, n)
    tracemalloc.start()
    low, high = cluster_interval(values.tolist(), np.random.default_rng(1))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300e6
    # By the central limit theorem the interval is the mean and 1.96 standard errors.
    error = 1.96 * values.std() / math.sqrt(n)
    assert (low, high) == pytest.approx((values.mean() - error, values.mean() + error), abs=0.1 * error)


def test_blocks_do_not_change_what_is_drawn():
    values = np.random.default_rng(3).uniform(0, 1, 900)
    picks = np.random.default_rng(1).integers(0, 900, size=(10_000, 900))
    assert bootstrap_means(values, 10_000, np.random.default_rng(1)) == pytest.approx(values[picks].mean(axis=1))
