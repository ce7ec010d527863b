"""What a ranking owes to its weights, where it can be worked out by hand."""

import math
import tracemalloc

import numpy as np
import pytest

from qualityscore.core.aggregate import applicable_weights
from qualityscore.core.ahp import SAATY_SCALE, consistent, principal, weigh, with_judgement
from qualityscore.core.leaderboard import Result
from qualityscore.core.sensitivity import analyse, cells_of, step

TWO = ("x", "y")


def run(ratios, cells, dimensions=TWO, draws=20_000):
    return analyse(consistent(ratios), dimensions, cells, draws=draws, rng=np.random.default_rng(2))


def test_a_step_is_the_next_value_of_the_scale():
    assert step(3, 1) == 4
    assert step(3, -1) == 2
    assert step(1, -1) == pytest.approx(1 / 2)
    assert step(1 / 3, 1) == pytest.approx(1 / 2)
    assert step(9, 1) == 9
    assert step(1 / 9, -1) == pytest.approx(1 / 9)
    assert (step(1.5, 1), step(1.5, -1)) == (2, 1)
    assert len(SAATY_SCALE) == 17


def test_scores_are_the_weighted_means():
    found = run((3, 1), {"a": [[1.0, 0.0]], "b": [[0.0, 1.0], [0.4, 0.2]]})
    assert found.scores == pytest.approx({"a": 0.75, "b": (0.25 + 0.35) / 2})


def test_under_all_weights_two_opposites_each_win_half():
    found = run((1, 1), {"a": [[1.0, 0.0]], "b": [[0.0, 1.0]]})
    # The share of the weight on x is uniform on [0, 1]; a wins above a half.
    assert found.all_weights.shares["a"][0] == pytest.approx(0.5, abs=0.02)


def test_under_all_weights_a_wins_where_its_weight_allows():
    # a beats b where 0.8 w > 0.2 (1 - w) + ..., here 0.9 w + 0.1 (1 - w) > 0.6: w > 0.625.
    found = run((1, 1), {"a": [[0.9, 0.1]], "b": [[0.6, 0.6]]})
    assert found.all_weights.shares["a"][0] == pytest.approx(1 - 0.625, abs=0.02)


def test_a_dominating_label_is_always_first():
    found = run((1, 2, 3), {"a": [[0.5, 0.5, 0.5]], "b": [[0.6, 0.6, 0.6]]}, dimensions=("x", "y", "z"))
    for acceptability in (found.within_a_step, found.all_weights):
        assert acceptability.shares == {"b": (1.0, 0.0), "a": (0.0, 1.0)}
    assert found.flip is None


def test_ties_share_the_better_rank():
    found = run((1, 1), {"a": [[0.5, 0.5]], "b": [[0.5, 0.5]]})
    assert found.all_weights.shares == {"a": (1.0, 0.0), "b": (1.0, 0.0)}


def test_within_a_step_each_of_three_values_is_as_likely():
    # Judgement 1 becomes 1/2, 1 or 2; a (x only) is ahead at 2, level at 1, behind at 1/2.
    found = run((1, 1), {"a": [[1.0, 0.0]], "b": [[0.0, 1.0]]})
    assert found.within_a_step.shares["a"][0] == pytest.approx(2 / 3, abs=0.02)
    assert found.within_a_step.draws + found.rejected == 20_000


def test_inconsistent_variations_are_left_out_and_counted():
    cells = {"a": [[1.0, 0.0, 0.5]], "b": [[0.0, 1.0, 0.5]]}
    found = run((1, 1, 1), cells, dimensions=("x", "y", "z"))
    # Each judgement is 1/2, 1 or 2. For n = 3, lambda = 1 + c + 1/c with c the cube root of the contradiction, and
    # CR < 0.1 up to a contradiction of 2.76; of 27 combinations those with contradiction 4 or 8 are rejected.
    exponents = [p - q + r for p in (-1, 0, 1) for q in (-1, 0, 1) for r in (-1, 0, 1)]
    share = sum(abs(e) >= 2 for e in exponents) / 27
    assert found.rejected / 20_000 == pytest.approx(share, abs=0.015)


def test_the_smallest_flip_is_where_both_are_level():
    # a leads with w = 3/4: 0.9 w + 0.1 (1 - w) = 0.7 against 0.6; level at w = 0.625, a judgement of 0.625/0.375.
    found = run((3, 1), {"a": [[0.9, 0.1]], "b": [[0.6, 0.6]]})
    assert (found.flip.leader, found.flip.new_leader) == ("a", "b")
    assert found.flip.changed == pytest.approx(0.625 / 0.375, rel=1e-6)
    weights = weigh(with_judgement(consistent((3, 1)), 0, 1, found.flip.changed * 0.999)).weights
    assert 0.9 * weights[0] + 0.1 * weights[1] < 0.6


def test_the_flip_takes_the_judgement_that_needs_the_least():
    cells = {"a": [[0.9, 0.1, 0.5]], "b": [[0.6, 0.6, 0.5]]}
    found = run((3, 1, 1), cells, dimensions=("x", "y", "z"))
    changes = {}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        for value in np.exp(np.linspace(math.log(1 / 9), math.log(9), 4001)):
            w = principal(with_judgement(consistent((3, 1, 1)), i, j, float(value))).weights
            if 0.9 * w[0] + 0.1 * w[1] < 0.6 * (w[0] + w[1]):
                distance = abs(math.log(value / consistent((3, 1, 1))[i][j]))
                changes[i, j] = min(changes.get((i, j), 99), distance)
    best = min(changes, key=changes.get)
    assert (found.flip.first, found.flip.second) == ("xyz"[best[0]], "xyz"[best[1]])
    assert abs(math.log(found.flip.changed / found.flip.judgement)) == pytest.approx(changes[best], abs=0.002)


def test_the_effect_of_a_step_by_hand():
    found = run((1, 1), {"a": [[1.0, 0.0]], "b": [[0.5, 0.5]]})
    [effect] = found.effects
    # Up: weights 2/3, 1/3: a moves from 1/2 to 2/3, b stays. Down: to 1/3.
    assert (effect.up, effect.down) == (2, pytest.approx(1 / 2))
    assert effect.largest_change_up == pytest.approx(1 / 6)
    assert effect.largest_change_down == pytest.approx(1 / 6)
    assert abs(effect.margin_change_up) == pytest.approx(1 / 6)


def test_a_dimension_that_does_not_apply_gives_its_weight_to_the_others():
    found = run((3, 1), {"a": [[0.4, None], [0.4, 0.8]]})
    assert found.scores["a"] == pytest.approx((0.4 + (0.75 * 0.4 + 0.25 * 0.8)) / 2)


def result(label, task, x, y):
    return Result(label=label, task=task, dimensions={"x": x, "y": y})


def test_cells_hold_a_row_per_task_with_nought_for_what_is_absent():
    results = [result("a", "t1", 0.2, 0.4), result("a", "t1", 0.4, 0.8), result("b", "t2", 0.5, 0.5)]
    cells, left_out = cells_of(results, TWO, ("t1", "t2"))
    assert cells == {"a": [pytest.approx([0.3, 0.6]), [0, 0]], "b": [[0, 0], pytest.approx([0.5, 0.5])]}
    assert left_out == ()


def test_cells_leave_out_what_was_not_measured():
    cells, left_out = cells_of([result("a", "t1", 0.2, None), result("a", "t2", 0.2, 0.2)], TWO, ("t1", "t2"))
    assert cells == {"a": [pytest.approx([0.2, 0.2])]}
    assert [result.task for result in left_out] == ["t1"]


def test_what_the_profile_does_not_weigh_may_be_unmeasured():
    cells, left_out = cells_of([Result(label="a", task="t", dimensions={"x": 0.3, "z": None})], ("x",), ("t",))
    assert (cells, left_out) == ({"a": [[0.3]]}, ())


def test_a_result_to_which_no_dimension_applies_is_left_out_and_its_label_with_it():
    cells, left_out = cells_of([Result(label="a", task="t", dimensions={})], TWO, ("t",))
    assert (cells, [result.label for result in left_out]) == ({}, ["a"])


PUBLISHED = ((1, 1, 2, 4, 4), (1, 1, 1, 2, 2), (1 / 2, 1, 1, 1, 1), (1 / 4, 1 / 2, 1, 1, 1), (1 / 4, 1 / 2, 1, 1, 1))
"""Not consistent: the weights among some of the rows are not in proportion to those of the whole."""


def test_nf_where_a_dimension_does_not_apply_is_that_of_scoring():
    """Against the weights that scoring takes, by task; in proportion the first place would be a's."""
    a, b = [None, 0.9, 0.1, 0.5, 0.5], [None, 0.4, 0.5, 0.71, 0.71]
    found = analyse(PUBLISHED, "vwxyz", {"a": [a], "b": [b]}, draws=300, rng=np.random.default_rng(2))
    weights = applicable_weights(PUBLISHED, [False, True, True, True, True])
    by_scoring = {
        label: sum(w * v for w, v in zip(weights[1:], row[1:], strict=True)) for label, row in (("a", a), ("b", b))
    }
    assert found.scores == pytest.approx(by_scoring, abs=1e-12)
    whole = principal(PUBLISHED).weights
    in_proportion = {k: sum(w * v for w, v in zip(whole[1:], r[1:], strict=True)) for k, r in (("a", a), ("b", b))}
    assert by_scoring["b"] > by_scoring["a"]
    assert in_proportion["a"] > in_proportion["b"]
    # One step of the judgement of w over x, by hand of the same rule.
    stepped = with_judgement(PUBLISHED, 1, 2, 2.0)
    moved = applicable_weights(stepped, [False, True, True, True, True])
    change = [abs(sum((m - w) * v for m, w, v in zip(moved[1:], weights[1:], r[1:], strict=True))) for r in (a, b)]
    [effect] = [e for e in found.effects if (e.first, e.second) == ("w", "x")]
    assert effect.largest_change_up == pytest.approx(max(change), abs=1e-12)


def test_under_all_weights_only_the_ratios_of_those_that_apply_count():
    # With x out, a wins where the weight of y among y and z is above a half: the ratio of two of three is symmetric.
    cells = {"a": [[None, 1.0, 0.0]], "b": [[None, 0.0, 1.0]]}
    found = run((5, 1, 1), cells, dimensions=("x", "y", "z"))
    assert found.all_weights.shares["a"][0] == pytest.approx(0.5, abs=0.02)


def test_draws_that_all_contradict_themselves_are_not_a_number():
    """CR of the matrix itself is below 0.1, that of its one variation under this seed is not."""
    matrix = ((1, 2, 5), (1 / 2, 1, 1), (1 / 5, 1, 1))
    found = analyse(matrix, "xyz", {"a": [[1, 0, 0]], "b": [[0, 1, 0]]}, draws=1, rng=np.random.default_rng(5))
    assert (found.rejected, found.within_a_step.draws, found.within_a_step.shares) == (1, 0, None)
    assert "every draw contradicted itself" in found.within_a_step.reason
    assert found.all_weights.draws == 1


def test_pieces_of_the_draws_are_all_counted():
    found = run((1, 1), {"a": [[1.0, 0.0]], "b": [[0.0, 1.0]]}, draws=25_001)
    assert found.within_a_step.draws + found.rejected == found.all_weights.draws == 25_001
    for acceptability in (found.within_a_step, found.all_weights):
        assert acceptability.shares["b"][0] >= acceptability.shares["a"][1]
        assert all(sum(shares) == pytest.approx(1) for shares in acceptability.shares.values())


def test_many_draws_need_no_more_memory():
    """Each draw holds two matrices of 5 x 5 complex numbers at least, 800 bytes; 50,000 at once would be 40 MB."""
    tracemalloc.start()
    try:
        analyse(PUBLISHED, "vwxyz", {"a": [[0.5] * 5], "b": [[0.4] * 5]}, draws=50_000, rng=np.random.default_rng(2))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000


def test_a_single_label_has_no_lead():
    [effect] = run((1, 1), {"a": [[1.0, 0.0]]}, draws=10).effects
    assert (effect.margin_change_up, effect.margin_change_down) == (None, None)
    assert effect.largest_change_up == pytest.approx(1 / 6)
