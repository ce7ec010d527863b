"""Weights from judgements: the published matrix, hand-computed cases, and every refusal."""

import math

import pytest

from qualityscore.core.ahp import combine_experts, consistent, principal, weigh, with_judgement, worst_triad
from qualityscore.errors import ProfileError

PUBLISHED = (
    (1, 1, 2, 4, 4),
    (1, 1, 1, 2, 2),
    (1 / 2, 1, 1, 1, 1),
    (1 / 4, 1 / 2, 1, 1, 1),
    (1 / 4, 1 / 2, 1, 1, 1),
)
NAMES = ("maintainability", "security", "robustness", "efficiency", "resource")


def test_the_published_matrix_gives_the_published_weights_and_consistency():
    # RAL-Bench's derivation prints these figures, rounded to four decimals.
    result = weigh(PUBLISHED, NAMES)
    assert [round(w, 4) for w in result.weights] == [0.3637, 0.2407, 0.1593, 0.1182, 0.1182]
    assert round(result.lambda_max, 4) == 5.1364
    assert round(result.ci, 4) == 0.0341
    assert round(result.cr, 4) == 0.0304


def test_four_rows_use_the_random_index_0_90():
    matrix = ((1, 3, 3, 7), (1 / 3, 1, 2, 4), (1 / 3, 1 / 2, 1, 7), (1 / 7, 1 / 4, 1 / 7, 1))
    result = weigh(matrix)
    assert round(result.lambda_max, 3) == 4.227
    assert round(result.cr, 3) == 0.084
    assert result.cr == pytest.approx(result.ci / 0.90)


@pytest.mark.parametrize("matrix", [((1,),), ((1, 9), (1 / 9, 1))])
def test_one_and_two_rows_are_always_consistent(matrix):
    result = weigh(matrix)
    assert result.cr == 0
    assert result.weights == pytest.approx([1.0] if len(matrix) == 1 else [0.9, 0.1])


def test_a_three_row_matrix_agrees_with_the_row_geometric_means():
    # For n = 3 the principal eigenvector is exactly the normalised geometric mean of the rows (Saaty and Vargas 1984).
    matrix = ((1, 2, 5), (1 / 2, 1, 3), (1 / 5, 1 / 3, 1))
    means = [math.prod(row) ** (1 / 3) for row in matrix]
    assert weigh(matrix).weights == pytest.approx([m / sum(means) for m in means], abs=1e-12)


def test_ratios_one_two_two_one_one_give_sevenths():
    assert weigh(consistent((1, 2, 2, 1, 1))).weights == pytest.approx([1 / 7, 2 / 7, 2 / 7, 1 / 7, 1 / 7])


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ((), "at least one row"),
        (((1, 2), (1 / 2,)), "row of b has 1 entries instead of 2"),
        (((1, 0), (1, 1)), "a over b is 0; it must be above 0"),
        (((1, -2), (-1 / 2, 1)), "a over b is -2"),
        (((1, math.nan), (1, 1)), "a over b is nan"),
        (((1, math.inf), (0.5, 1)), "a over b is inf; it must lie between 1e-09 and 1e.09"),
        (((2, 1), (1, 1)), "a compared with itself is 2"),
        (((1, 3), (1 / 2, 1)), "not reciprocal: a over b is 3, but b over a is 1/2 instead of 1/3"),
    ],
)
def test_a_matrix_that_is_none_is_refused_with_the_pair_named(matrix, said):
    with pytest.raises(ProfileError, match=said):
        weigh(matrix, ("a", "b")[: max(1, len(matrix))])


def test_more_than_ten_rows_have_no_random_index():
    with pytest.raises(ProfileError, match="at most 10 rows"):
        weigh(consistent([1.0] * 11))


def test_contradicting_judgements_are_refused_with_the_triad_and_a_mend():
    # a over b = 3 and b over c = 3 imply 9, the matrix says 1: CR of this triad is far above 0.1.
    matrix = ((1, 3, 1), (1 / 3, 1, 3), (1, 1 / 3, 1))
    assert principal(matrix).cr > 0.1
    with pytest.raises(ProfileError) as refusal:
        weigh(matrix, ("a", "b", "c"))
    message = str(refusal.value)
    assert "a over b = 3, b over c = 3, but a over c = 1 (the first two imply 9)" in message
    # Brute force over the scale by hand of the closed form: for n = 3, lambda = 1 + x + 1/x with x the cube root of
    # a_ij a_jk / a_ik, so CR < 0.1 needs x + 1/x < 2.116, hence a contradiction below 2.78; 9 / 4 is the first such.
    assert "a over c = 4 would mend it" in message


def test_the_mend_really_mends():
    assert weigh(with_judgement(((1, 3, 1), (1 / 3, 1, 3), (1, 1 / 3, 1)), 0, 2, 4.0)).cr < 0.1


def test_the_worst_triad_is_found_among_consistent_ones():
    matrix = with_judgement(consistent((1, 2, 4, 8)), 1, 3, 1.0)
    assert worst_triad(matrix) in {(0, 1, 3), (1, 2, 3)}


def test_experts_are_combined_by_the_geometric_mean():
    combined = combine_experts([((1, 2), (1 / 2, 1)), ((1, 8), (1 / 8, 1))])
    assert combined[0][1] == pytest.approx(4)
    assert combined[1][0] == pytest.approx(1 / 4)


def test_opposite_experts_cancel_out():
    combined = combine_experts([((1, 5), (1 / 5, 1)), ((1, 1 / 5), (5, 1))])
    assert weigh(combined).weights == pytest.approx([0.5, 0.5])
