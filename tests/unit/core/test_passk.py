"""pass@k against exact fractions and the case of too few samples."""

import itertools
from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest

from qualityscore.core.passk import Sample, pass_at_k, summarise


@pytest.mark.parametrize("n", range(1, 9))
def test_the_estimator_is_the_definition(n):
    for c, k in itertools.product(range(n + 1), range(1, n + 1)):
        assert pass_at_k(n, c, k) == pytest.approx(float(1 - Fraction(comb(n - c, k), comb(n, k))))


@pytest.mark.parametrize("n", range(1, 7))
def test_the_estimator_equals_drawing_all_subsets(n):
    for c, k in itertools.product(range(n + 1), range(1, n + 1)):
        subsets = list(itertools.combinations([True] * c + [False] * (n - c), k))
        assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_large_numbers_do_not_overflow():
    exact = 1 - Fraction(comb(99_000, 500), comb(100_000, 500))
    assert pass_at_k(100_000, 1_000, 500) == pytest.approx(float(exact))


def test_fewer_samples_than_k_are_not_an_answer():
    assert pass_at_k(2, 0, 5) is None
    assert pass_at_k(2, 2, 5) is None


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_impossible_counts_are_refused(n, c, k):
    with pytest.raises(ValueError, match="pass@"):
        pass_at_k(n, c, k)


def sample(task, unit, number, *passed, level="class"):
    return Sample(label="m", task=task, unit=unit, level=level, sample=number, passed=passed)


def summary(samples, *ks):
    return {(s.level, s.success, s.k): s for s in summarise(samples, ks, 1)}


def test_full_needs_every_test_and_partial_one():
    samples = [sample("t", "A", 1, True, True), sample("t", "A", 2, True, False), sample("t", "A", 3, False, False)]
    found = summary([*samples, sample("t", "A", 4)], 1)
    assert found["class", "full", 1].value == pytest.approx(1 / 4)
    assert found["class", "partial", 1].value == pytest.approx(2 / 4)


def test_units_are_averaged_within_a_task_and_tasks_among_themselves():
    samples = [sample("t1", "A", 1, True), sample("t1", "B", 1, False), sample("t2", "C", 1, True)]
    found = summary(samples, 1)["class", "full", 1]
    assert found.value == pytest.approx((0.5 + 1) / 2)
    assert (found.tasks, found.units) == (2, 3)
    assert found.low <= found.value <= found.high


def test_levels_are_kept_apart():
    samples = [sample("t", "A", 1, True), sample("t", "A.f", 1, False, level="method")]
    found = summary(samples, 1)
    assert (found["class", "full", 1].value, found["method", "full", 1].value) == (1, 0)


def test_one_unit_with_too_few_samples_makes_k_not_available():
    samples = [sample("t", "A", i, True) for i in range(5)] + [sample("t", "B", 1, True), sample("t", "B", 2, False)]
    found = summary(samples, 1, 5)
    assert found["class", "full", 1].value == pytest.approx((1 + 0.5) / 2)
    assert found["class", "full", 5].value is None
    assert found["class", "full", 5].reason == "B of t has 2 samples, fewer than 5"


def test_an_interval_depends_on_its_own_values_alone():
    mine = [sample(f"t{t}", "A", i, i <= t % 4) for t in range(10) for i in range(4)]
    others = [replace(s, label="a") for s in mine[:8]]
    alone, beside = summarise(mine, [1, 2], 1), summarise([*others, *mine[::-1]], [2], 1)
    expected = next(s for s in alone if (s.success, s.k) == ("full", 2))
    assert next(s for s in beside if (s.label, s.success) == ("m", "full")) == expected


def test_a_label_does_not_gain_by_what_it_does_not_hand_in():
    """`whole` passes 5 of 10 tasks, `picked` hands in these alone: both pass half of what is expected."""
    whole = [replace(sample(f"t{t}", "A", i, t < 5), label="whole") for t in range(10) for i in range(2)]
    picked = [replace(s, label="picked") for s in whole if s.passed[0]]
    found = {(s.label, s.success, s.k): s for s in summarise([*whole, *picked], [1, 2, 3], 1)}
    for success in ("full", "partial"):
        for k in (1, 2):
            assert found["whole", success, k].value == found["picked", success, k].value == pytest.approx(0.5)
    one = found["picked", "full", 1]
    assert (one.tasks, one.expected_tasks, one.units, one.expected_units) == (5, 10, 5, 10)
    assert found["picked", "full", 3].value is None


def test_an_absent_unit_of_a_task_counts_nought_within_the_task():
    both = [sample("t", "A", 0, True), sample("t", "B", 0, True), sample("u", "C", 0, True)]
    lacking = [replace(s, label="n") for s in both if s.unit != "B"]
    found = {s.label: s for s in summarise([*both, *lacking], [1], 1) if s.success == "full"}
    # Task t: A 1, B 0; task u: 1.
    assert (found["m"].value, found["n"].value) == (1, pytest.approx((0.5 + 1) / 2))


def test_a_level_of_which_a_label_has_nothing_is_not_available():
    samples = [sample("t", "A", 0, True), replace(sample("t", "A.f", 0, True, level="method"), label="n")]
    found = {(s.label, s.level): s for s in summarise(samples, [1], 1) if s.success == "full"}
    assert (found["m", "method"].value, found["m", "method"].reason) == (None, "no sample at this level")
    assert found["n", "method"].value == 1


def test_one_sample_is_said_in_the_singular():
    assert summary([sample("t", "A", 0, True)], 3)["class", "full", 3].reason == "A of t has 1 sample, fewer than 3"
