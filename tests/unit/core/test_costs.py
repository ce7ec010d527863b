"""Expected values are worked out by hand from scoring.md section 5."""

from __future__ import annotations

import math

import pytest

from qualityscore.core.costs import (
    Start,
    capped_score,
    counters_disagree,
    departure,
    growth_exponent,
    half_width,
    judge_gate,
    log_ratios,
    net_cost,
    repeat,
    settled,
    spread,
)


def test_a_lighter_start_earns_nothing_and_a_heavier_one_is_charged():
    # T_R(1) = 100; the body costs 1000 in all three subjects
    plain, light, heavy = (Start(subject=s, reference=100) for s in (100, 40, 160))
    assert net_cost(1100, 0, plain.taken_off) == 1000
    assert net_cost(1040, 0, light.taken_off) == 1000
    assert net_cost(1160, 0, heavy.taken_off) == 1060


def test_lazy_and_eager_imports_cost_the_same():
    eager = net_cost(30 + 20 + 500, 0, Start(subject=30 + 20 + 1, reference=51).taken_off)
    lazy = net_cost(30 + (20 + 500), 0, Start(subject=30 + (20 + 1), reference=51).taken_off)
    assert eager == lazy == 499


def test_loading_is_taken_off_and_a_negative_difference_counts_as_zero():
    assert net_cost(1000, 150, 100) == 750
    assert net_cost(90, 0, 100) == 0


@pytest.mark.parametrize(("power", "expected"), [(1, 1.0), (2, 2.0), (0.5, 0.5)])
def test_growth_exponent_of_a_pure_power_is_the_power_whatever_the_fixed_cost(power, expected):
    times = [7 + 3 * (k * 100) ** power for k in (1, 2, 4)]
    assert growth_exponent(*times) == pytest.approx(expected, abs=1e-9)


def test_growth_exponent_is_unavailable_where_a_difference_is_not_positive():
    assert growth_exponent(5, 5, 9) is None
    assert growth_exponent(1, 9, 9) is None


def test_log_ratios_are_of_reference_over_subject_and_skip_what_has_none():
    assert log_ratios([2, 1, 1], [1, 1, 0]) == (math.log(2), 0.0)


def test_half_width_of_six_samples_spans_all_of_them():
    # order statistics: at n = 6 the 95 % interval of the median is [x(1), x(6)] (coverage 1 - 2/64 = 0.969)
    assert half_width([0.0, 0.1, 0.2, 0.3, 0.4, 0.5]) == pytest.approx(0.25)
    assert half_width([0.0] * 5) is None


def test_pairs_are_not_settled_before_twenty_nor_while_they_scatter():
    assert not settled([0.0] * 19)
    assert settled([0.0] * 20)
    assert not settled([0.0, 0.2] * 10)  # interval [0, 0.2], half-width 0.1


def test_the_gate_names_noise_and_bias():
    assert judge_gate([0.001, -0.001] * 10).problem is None
    assert "differ by ±10.0%" in (judge_gate([-0.1, 0.1] * 10).problem or "")
    assert "biased by 2.0%" in (judge_gate([0.02] * 20).problem or "")
    assert "too few" in (judge_gate([0.0] * 3).problem or "")


def test_a_repeat_takes_the_smaller_count_and_tells_how_it_agrees():
    assert repeat(1000, 1000).exact
    close = repeat(1_000_500, 1_000_000)
    assert (close.value, close.exact, close.acceptable) == (1_000_000, False, True)
    assert not repeat(1000, 1002).acceptable


def test_spread_is_relative_to_the_median():
    assert spread([99, 100, 101]) == pytest.approx(0.02)
    assert spread([0, 0, 0]) == 0
    assert spread([0, 0, 1]) == math.inf


def test_counters_disagree_only_beyond_five_hundredths_of_score():
    assert capped_score(0.97) == 1
    assert not counters_disagree(1.0, 3.0)  # both capped
    assert counters_disagree(0.9, 0.8)  # 0.928 against 0.825
    assert not counters_disagree(0.9, 0.87)  # 0.928 against 0.897
    assert departure(0.5, 0.75) == pytest.approx(0.5)
