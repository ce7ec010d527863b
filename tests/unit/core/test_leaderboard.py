"""Averages, missing values, ranks and groups, on results counted by hand."""

import itertools
import random
import re

import pytest

from qualityscore.core.leaderboard import Result, build_leaderboard, letters


def board(results, **options):
    found = build_leaderboard(results, seed=3, **options)
    return {row.label: row for row in found.rows}


def result(label, task, functional=None, **values):
    return Result(label=label, task=task, functional=functional, **values)


def test_a_task_without_a_result_counts_nought():
    rows = board([result("a", "t1", 0.8), result("b", "t1", 0.5), result("b", "t2", 0.5)])
    assert rows["a"].functional.value == pytest.approx(0.4)
    assert (rows["a"].evaluated, rows["a"].expected) == (1, 2)
    assert rows["b"].functional.value == pytest.approx(0.5)


def test_more_tasks_may_be_expected_than_anybody_has():
    rows = board([result("a", "t1", 0.8)], expected=4)
    assert rows["a"].functional.value == pytest.approx(0.2)
    assert rows["a"].expected == 4


def test_samples_of_a_task_are_averaged_first():
    rows = board([result("a", "t1", 1.0), result("a", "t1", 0.0), result("a", "t2", 1.0)])
    assert rows["a"].functional.value == pytest.approx((0.5 + 1) / 2)
    assert rows["a"].evaluated == 2


def test_what_was_not_measured_is_left_out_of_its_mean_and_counted():
    rows = board(
        [
            result("a", "t1", 1.0, non_functional=0.6),
            result("a", "t2", 0.0, non_functional=None),
            result("b", "t3", 1.0, non_functional=0.9),
        ]
    )
    # t2 has no NF; t3 has no result of a: (0.6 + 0) / 2.
    nf = rows["a"].non_functional
    assert (nf.value, nf.tasks, nf.missing) == (pytest.approx(0.3), 2, 1)
    assert rows["a"].functional.value == pytest.approx(1 / 3)


def test_a_score_that_nobody_measured_is_null_and_ranks_last():
    rows = board([result("a", "t1", non_functional=None), result("b", "t1", non_functional=0.0)], by="non_functional")
    assert rows["a"].non_functional.value is None
    assert (rows["b"].rank, rows["a"].rank) == (1, 2)


def test_test_is_the_mean_over_built_tasks_only():
    rows = board(
        [
            result("a", "t1", 0.5, build=1.0, test=0.5),
            result("a", "t2", 0.0, build=0.0, test=None),
            result("b", "t3", 0.0, build=1.0, test=0.0),
        ]
    )
    assert rows["a"].test.value == pytest.approx(0.5)
    assert rows["a"].build.value == pytest.approx(1 / 3)


def test_equal_means_share_the_better_rank():
    rows = board([result("a", "t", 0.5), result("b", "t", 0.5), result("c", "t", 0.1)])
    assert [rows[label].rank for label in "abc"] == [1, 1, 3]


def test_labels_that_differ_on_every_task_are_told_apart_and_others_not():
    results = []
    for task in range(20):
        results += [
            result("good", f"t{task}", 0.9),
            result("same", f"t{task}", 0.9 + (0.01 if task % 2 else -0.01)),
            result("bad", f"t{task}", 0.2),
        ]
    rows = board(results)
    assert rows["good"].rank_group == rows["same"].rank_group
    assert rows["bad"].rank_group != rows["good"].rank_group


def test_three_tasks_cannot_tell_anybody_apart():
    # Of the 8 ways to flip three signs 2 are as extreme: p is at least 1/4.
    results = [result(label, f"t{t}", f) for t in range(3) for label, f in (("a", 1.0), ("b", 0.0))]
    rows = board(results)
    assert rows["a"].rank_group == rows["b"].rank_group == "a"


def test_removing_a_label_does_not_change_anothers_mean():
    results = [result(label, f"t{t}", (t + 1) / 10) for t in range(5) for label in "abc"]
    everyone, two = board(results), board([r for r in results if r.label != "c"])
    assert everyone["a"].functional.value == two["a"].functional.value


def test_failures_are_added_up_and_costs_passed_through():
    rows = board(
        [
            result("a", "t1", 0, failures={"mismatch": 2}),
            result("a", "t2", 0, failures={"mismatch": 1, "executability": 4}),
        ],
        costs={"a": {"usd": 1.5}, "z": {"usd": 9}},
    )
    assert rows["a"].failures == {"mismatch": 3, "executability": 4}
    assert rows["a"].costs == {"usd": 1.5}


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_letters_are_shared_exactly_by_those_not_told_apart(count):
    order = "abcdefgh"[:count]
    pairs = [frozenset(p) for p in itertools.combinations(order, 2)]
    for chosen in itertools.product((False, True), repeat=len(pairs)):
        apart = {pair for pair, is_apart in zip(pairs, chosen, strict=True) if is_apart}
        given = letters(order, apart)
        for pair in pairs:
            one, other = pair
            assert bool(set(given[one]) & set(given[other])) == (pair not in apart)


def test_the_first_letter_belongs_to_the_first_label():
    assert letters("xyz", {frozenset("xz"), frozenset("yz")}) == {"x": "a", "y": "a", "z": "b"}


@pytest.mark.parametrize("seed", range(200))
def test_letters_are_the_largest_sets_that_are_not_told_apart(seed):
    draw = random.Random(seed)
    order = "abcdefgh"[: draw.randint(2, 8)]
    share = draw.random()
    apart = {frozenset(p) for p in itertools.combinations(order, 2) if draw.random() < share}
    alike = [
        frozenset(c)
        for size in range(1, len(order) + 1)
        for c in itertools.combinations(order, size)
        if not any(frozenset(p) in apart for p in itertools.combinations(c, 2))
    ]
    largest = sorted(sorted(c) for c in alike if not any(c < other for other in alike))
    expected = {
        label: "".join("abcdefghijklmnopqrst"[i] for i, c in enumerate(largest) if label in c) for label in order
    }
    assert letters(order, apart) == expected


@pytest.mark.parametrize("shape", ["twins", "chain", "random"])
def test_letters_of_many_labels_are_bounded(shape):
    order = [f"m{i:02}" for i in range(80)]
    draw = random.Random(1)
    pairs = list(itertools.combinations(range(80), 2))
    apart = {
        "twins": lambda i, j: i // 2 == j // 2,  # 2^40 largest sets
        "chain": lambda i, j: j - i > 9,
        "random": lambda i, j: draw.random() < 0.3,
    }[shape]
    told = {frozenset((order[i], order[j])) for i, j in pairs if apart(i, j)}
    given = {label: set(re.findall(r"[a-z]|\(\d+\)", text)) for label, text in letters(order, told).items()}
    for i, j in pairs:
        one, other = order[i], order[j]
        assert bool(given[one] & given[other]) == (frozenset((one, other)) not in told)
    # A chain has one set for each window of ten labels; twins need far fewer than labels; one for each pair would do.
    most = {"chain": 71, "twins": 27, "random": len(pairs)}[shape]
    assert len(set().union(*given.values())) <= most


def test_a_label_told_apart_from_all_has_a_letter_of_its_own_among_many():
    order = [f"m{i}" for i in range(61)]
    told = {frozenset((order[2 * i], order[2 * i + 1])) for i in range(30)} | {
        frozenset((order[60], other)) for other in order[:60]
    }
    given = letters(order, told)
    assert given[order[60]]
    assert not set(re.findall(r"[a-z]|\(\d+\)", given[order[60]])) & set(
        re.findall(r"[a-z]|\(\d+\)", "".join(given[other] for other in order[:60]))
    )


def test_many_labels_leave_the_best_and_the_worst_told_apart():
    # Every flip that is as extreme has all signs equal: p is 2/2^20, far below 0.05 by the 1,035 pairs of 46 labels.
    rows = board([result(f"m{i:02}", f"t{t}", i / 45) for i in range(46) for t in range(20)])
    assert not set(rows["m45"].rank_group) & set(rows["m00"].rank_group)


def test_an_interval_depends_on_the_labels_own_values_alone():
    mine = [result("a", f"t{t}", t / 9, non_functional=(t % 4) / 4, effective=t / 12) for t in range(10)]
    others = [result(label, f"t{t}", 0.5, effective=0.1) for label in ("0", "z") for t in range(10)]
    expected = board(mine)["a"]
    renamed = [result("zz", r.task, r.functional, effective=r.effective) for r in mine]
    for rows in (board(mine[::-1] + others), board(others + mine, by="effective")):
        assert rows["a"].functional == expected.functional
        assert rows["a"].non_functional == expected.non_functional
    assert board(others + renamed)["zz"].functional == expected.functional


def test_a_label_of_which_nothing_was_measured_ranks_last_beside_absent_tasks():
    # c has 0 everywhere, which was measured; a has a result on one task of two, and no score.
    results = [result("a", "t1", None), *(result("c", t, 0.0) for t in ("t1", "t2"))]
    results += [result("b", "t2", 0.5)]
    rows = board(results)
    assert [rows[label].rank for label in "bca"] == [1, 2, 3]
    a = rows["a"].functional
    assert (a.value, a.low, a.tasks, a.missing) == (None, None, 0, 1)


def test_means_that_only_rounding_tells_apart_share_their_rank_and_group():
    rows = board(
        [result("a", f"t{t}", 0.3) for t in range(30)]
        + [result("b", f"t{t}", 0.1 + 0.2) for t in range(30)]
        + [result("c", f"t{t}", 0.2999) for t in range(30)]
    )
    assert [rows[label].rank for label in "abc"] == [1, 1, 3]
    assert rows["a"].rank_group == rows["b"].rank_group != rows["c"].rank_group


def test_results_that_were_tampered_with_or_failed_are_counted():
    results = [
        result("a", "t1", 0.9, status="tampered"),
        result("a", "t2", None, status="failed"),
        result("a", "t3", 0.9, status="partial"),
        result("b", "t1", 0.9),
    ]
    rows = board(results)
    assert (rows["a"].marked, rows["b"].marked) == ({"tampered": 1, "failed": 1}, {})


def test_results_are_counted_by_what_contained_them():
    """Samples count each for itself; a result of which nothing is known is not taken for contained."""
    rows = board(
        [
            result("a", "t1", containment="namespace"),
            result("a", "t2", containment="none"),
            result("a", "t2", containment="none"),
            result("b", "t1"),
        ]
    )
    assert rows["a"].contained == {"namespace": 1, "none": 2}
    assert rows["b"].contained == {"unknown": 1}
