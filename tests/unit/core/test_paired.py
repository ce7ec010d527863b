"""Paired tests against other implementations and against counting all possibilities."""

import csv
import itertools
import math
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from qualityscore.core.paired import flips_for, holm, mcnemar, sign_flip, signed_rank


def rng():
    return np.random.default_rng(20)


def pairs(both, only_first, only_second, neither):
    first = [True] * (both + only_first) + [False] * (only_second + neither)
    second = [True] * both + [False] * only_first + [True] * only_second + [False] * neither
    return first, second


@pytest.mark.parametrize("discordant", [(0, 0), (5, 5)])
def test_mcnemar_without_an_imbalance_is_certain_of_nothing(discordant):
    assert mcnemar(*pairs(3, *discordant, 4)).p == 1


@pytest.mark.parametrize("n", range(8))
def test_mcnemar_equals_counting_all_assignments(n):
    for b in range(n + 1):
        # Every discordant pair is as likely of either kind; as extreme is what lies as far from n/2, or further.
        extreme = sum(abs(sum(flips) - n / 2) >= abs(b - n / 2) for flips in itertools.product((0, 1), repeat=n))
        assert mcnemar(*pairs(2, b, n - b, 1)).p == pytest.approx(extreme / 2**n)


@pytest.mark.parametrize(("b", "c"), [(1, 0), (3, 9), (12, 2), (20, 7), (0, 6), (40, 41)])
def test_mcnemar_agrees_with_statsmodels(b, c):
    expected = min(1.0, statsmodels_mcnemar([[10, b], [c, 10]], exact=True).pvalue)
    assert mcnemar(*pairs(10, b, c, 10)).p == pytest.approx(expected)


def test_mcnemar_counts_the_four_kinds():
    result = mcnemar(*pairs(1, 2, 3, 4))
    assert (result.n, result.both, result.only_first, result.only_second, result.neither) == (10, 1, 2, 3, 4)
    # 4 of 10 for the second less 3 of 10 for the first.
    assert result.difference == pytest.approx(0.1)


def test_newcombes_interval_is_that_of_his_paper():
    # Newcombe (1998, Statistics in Medicine 17, table II), method 10: 36, 12, 2, 0 of 50 gives 0.0569 to 0.3404.
    result = mcnemar(*pairs(36, 2, 12, 0))
    assert (round(result.low, 4), round(result.high, 4)) == (0.0569, 0.3404)


def test_no_pairs_say_nothing():
    result = mcnemar([], [])
    assert (result.n, result.p, result.difference, result.low) == (0, 1, None, None)
    ranks = signed_rank([], [], rng())
    assert (ranks.n, ranks.p, ranks.mean_difference, ranks.rank_biserial) == (0, 1, None, None)


def brute_force_signed_rank(differences):
    differing = [d for d in differences if d != 0]
    ranks = scipy.stats.rankdata(np.abs(differing)) if differing else []
    plus = sum(r for r, d in zip(ranks, differing, strict=True) if d > 0)
    smaller = min(plus, sum(ranks) - plus)
    sums = [
        sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in itertools.product((0, 1), repeat=len(ranks))
    ]
    return min(1.0, 2 * sum(s <= smaller + 1e-9 for s in sums) / len(sums))


@pytest.mark.parametrize(
    "differences",
    [
        [1.0],
        [1.0, 2.0, 3.0],
        [1.0, -2.0, 3.0, -4.0, 5.0],
        [1.0, 1.0, -1.0, 2.0],
        [0.0, 0.0, 1.0, -1.0],
        [0.0, 0.0],
        [2.0, 2.0, 2.0, 2.0, 2.0, 2.0],
        [-1.0, 1.0, -1.0, 1.0, 3.0, 3.0, -3.0, 0.0, 5.0],
        [0.5, 0.5, 1.5, -2.5, 2.5, 2.5, 0.0, 4.0, -4.0, 6.0, 7.0],
    ],
)
def test_the_signed_rank_test_equals_counting_all_signs(differences):
    result = signed_rank(differences, [0.0] * len(differences), rng())
    assert result.p == pytest.approx(brute_force_signed_rank(differences))
    assert result.differing == sum(d != 0 for d in differences)


@pytest.mark.parametrize("n", [5, 12, 25, 40])
def test_the_signed_rank_test_agrees_with_scipy_where_nothing_is_tied(n):
    random = np.random.default_rng(n)
    first, second = random.normal(0.3, 1, n), random.normal(0, 1, n)
    expected = scipy.stats.wilcoxon(first, second, method="exact")
    result = signed_rank(first.tolist(), second.tolist(), rng())
    assert result.p == pytest.approx(expected.pvalue)
    assert min(result.w_plus, result.w_minus) == expected.statistic


def test_many_pairs_use_an_approximation_that_meets_scipys():
    random = np.random.default_rng(3)
    first, second = random.normal(0.1, 1, 500).round(1), random.normal(0, 1, 500).round(1)
    # scipy ties only what is equal in every bit: it gets differences of one decimal.
    tenths = (first - second).round(1)
    expected = scipy.stats.wilcoxon(tenths, method="asymptotic", correction=True, zero_method="wilcox")
    result = signed_rank(first.tolist(), second.tolist(), rng())
    assert result.p == pytest.approx(expected.pvalue, rel=0.01)


def test_the_rank_biserial_correlation_by_hand():
    # Ranks of |1|, |-2|, |3| are 1, 2, 3: (4 - 2) / 6.
    result = signed_rank([0.0, 0.0, 0.0], [1.0, -2.0, 3.0], rng())
    assert result.rank_biserial == pytest.approx(1 / 3)
    assert result.mean_difference == pytest.approx(2 / 3)


def test_differences_that_only_rounding_tells_apart_are_tied():
    # One of ten tests or fewer each time: all |d| are 1/10, each of rank 3.5, four up and two down.
    second, first = [3, 7, 9, 4, 6, 8], [2, 6, 8, 3, 7, 9]
    result = signed_rank([x / 10 for x in first], [x / 10 for x in second], rng())
    assert (result.w_plus, result.w_minus) == (14, 7)
    assert result.rank_biserial == pytest.approx(1 / 3)
    # With equal ranks W counts signs: at most two of six are of the rarer kind in 22 of 64 cases, on either side.
    assert result.p == pytest.approx(44 / 64)


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_what_differs_by_rounding_alone_does_not_differ(scale):
    result = signed_rank([(0.1 + 0.2) * scale] * 6, [0.3 * scale] * 6, rng())
    assert (result.differing, result.p, result.mean_difference, result.low) == (0, 1, 0, 0)
    assert signed_rank([0.3 * scale] * 6, [0.299999 * scale] * 6, rng()).differing == 6


def test_large_values_beside_small_ones_do_not_hide_their_differences():
    assert signed_rank([1e9, 1e-3, 2e-3], [1e9, 2e-3, 4e-3], rng()).differing == 2


def test_the_published_shares_give_the_ranks_of_exact_fractions():
    folder = Path(__file__).resolve().parents[2] / "data" / "ral_bench"
    shares = defaultdict(dict)
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            total = int(row["functional_total"] or 0)
            shares[row["model"]][row["task"]] = Fraction(int(row["functional_passed"]), total) if total else Fraction(0)
    tasks = sorted({task for known in shares.values() for task in known})
    for one, other in itertools.combinations(sorted(shares), 2):
        first, second = ([shares[label].get(task, Fraction(0)) for task in tasks] for label in (one, other))
        differing = [b - a for a, b in zip(first, second, strict=True) if a != b]
        # Fractions compare exactly: a mean rank is half of all smaller ones and of all that are no larger, plus 1.
        sizes = [abs(d) for d in differing]
        doubled = [sum(s < x for s in sizes) + sum(s <= x for s in sizes) + 1 for x in sizes]
        plus = sum(r for r, d in zip(doubled, differing, strict=True) if d > 0)
        ways = {0: 1}
        for rank in doubled:
            ways = {w: ways.get(w, 0) + ways.get(w - rank, 0) for w in {*ways, *(w + rank for w in ways)}}
        smaller = min(plus, sum(doubled) - plus)
        tail = Fraction(2 * sum(count for w, count in ways.items() if w <= smaller), 2 ** len(doubled))
        result = signed_rank([float(a) for a in first], [float(b) for b in second], rng())
        assert (result.differing, 2 * result.w_plus) == (len(differing), plus)
        assert result.p == pytest.approx(min(1.0, float(tail)))


@pytest.mark.parametrize("p_values", [[], [0.04], [0.01, 0.04, 0.03, 0.005], [0.5, 0.5, 0.5], [0.0, 1.0, 0.02, 0.02]])
def test_holm_agrees_with_statsmodels(p_values):
    expected = multipletests(p_values, method="holm")[1] if p_values else []
    assert list(holm(p_values)) == pytest.approx(list(expected))


def test_holm_by_hand():
    # Sorted: 0.01 x 3 = 0.03, 0.02 x 2 = 0.04, 0.03 x 1 = 0.03 raised to 0.04.
    assert holm([0.03, 0.01, 0.02]) == pytest.approx((0.04, 0.03, 0.04))


@pytest.mark.parametrize("differences", [[1, 2, 3], [1, -1, 2, 0, 5], [0, 0, 0], [3, 3, 3, -1, 2, 2]])
def test_sign_flips_approach_counting_all_of_them(differences):
    observed = abs(sum(differences))
    flips = itertools.product((-1, 1), repeat=len(differences))
    sums = [abs(sum(f * d for f, d in zip(signs, differences, strict=True))) for signs in flips]
    exact = sum(s >= observed for s in sums) / len(sums)
    [found] = sign_flip(np.array(differences, dtype=float)[:, None], rng(), draws=40_000)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40_000) + 1e-4)


def test_a_task_that_a_pair_does_not_share_counts_nothing():
    with_gap = np.array([[1.0, 1.0], [2.0, np.nan], [3.0, 3.0]])
    without = np.array([[1.0], [3.0]])
    assert sign_flip(with_gap, rng())[1] == pytest.approx(sign_flip(without, rng())[0], abs=0.02)


def test_what_no_draw_reaches_is_bounded_by_the_exact_share():
    # All of one sign, and one of 18 of the other sign: 1 of 2^17, and 1 + 18 (any single sign may flip) of 2^17.
    cells = np.ones((18, 2))
    cells[0, 1] = -1
    first, second = sign_flip(cells, rng(), draws=200)
    assert first == pytest.approx(1 / 2**17, rel=1e-6)
    assert 19 / 2**17 <= second < 1 / 201


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_is_never_below_counting_all_flips(seed):
    differences = np.random.default_rng(seed).exponential(1, 16) + 0.2
    differences[0] *= -1
    signs = np.array(list(itertools.product((-1, 1), repeat=16)))
    exact = (np.abs(signs @ differences) >= differences.sum() - 1e-9).mean()
    [found] = sign_flip(differences[:, None], rng(), draws=10)
    assert exact <= found <= 1 / 11


def test_few_rows_that_differ_are_counted_exactly_among_many():
    # Rows of zeros are no flips: five signs, 2 of 32 as extreme.
    cells = np.zeros((5000, 1))
    cells[:5] = 1
    assert sign_flip(cells, rng())[0] == 2 / 32


@pytest.mark.parametrize(("columns", "draws"), [(1, 20_000), (100, 20_000), (1035, 207_000), (31_125, 32_128)])
def test_draws_grow_with_the_columns_until_the_work_is_too_much(columns, draws):
    assert flips_for(columns) == draws
