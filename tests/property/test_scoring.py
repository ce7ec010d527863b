"""What must hold for every profile and every outcome, not only for the examples."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qualityscore.core.ahp import SAATY_SCALE, consistent, principal, weigh
from qualityscore.core.profile import DimensionSpec, Profile
from qualityscore.core.score import score
from qualityscore.model.measure import (
    Direction,
    Fault,
    Measured,
    MetricSpec,
    NotApplicable,
    Part,
    Scoring,
    Unavailable,
    Unit,
)

ratios = st.lists(st.floats(0.1, 10), min_size=1, max_size=10)
amounts = st.floats(0, 1e9)


@st.composite
def reciprocal(draw):
    n = draw(st.integers(1, 8))
    rows = [[1.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            rows[i][j] = draw(st.sampled_from(SAATY_SCALE))
            rows[j][i] = 1 / rows[i][j]
    return rows


@given(ratios)
def test_weights_are_recovered_from_a_consistent_matrix(given_ratios):
    result = weigh(consistent(given_ratios))
    total = sum(given_ratios)
    assert result.weights == pytest.approx([r / total for r in given_ratios], rel=1e-9)
    assert result.cr == pytest.approx(0, abs=1e-9)


@given(reciprocal())
def test_weights_sum_to_one_and_are_positive(matrix):
    result = principal(matrix)
    assert sum(result.weights) == pytest.approx(1)
    assert min(result.weights) > 0
    assert result.lambda_max >= len(matrix)


@given(reciprocal(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_change_the_weights(matrix, random):
    order = list(range(len(matrix)))
    random.shuffle(order)
    turned = principal([[matrix[i][j] for j in order] for i in order])
    assert turned.weights == pytest.approx([principal(matrix).weights[i] for i in order], rel=1e-9)


@st.composite
def cases(draw):
    """A profile with a baseline and a subject for it; now and then something is missing."""
    dimensions, baseline, subject = [], {}, {}
    for d in range(draw(st.integers(1, 4))):
        metrics = []
        for m in range(draw(st.integers(1, 3))):
            metric = MetricSpec(
                id=f"m{d}.{m}",
                title="",
                unit=Unit.POINTS,
                better=draw(st.sampled_from(Direction)),
                epsilon=draw(st.floats(0.01, 100)),
                tolerance=draw(st.sampled_from([0.0, 0.03])),
                floor_share=draw(st.sampled_from([0.0, 0.01])),
                scoring=draw(st.sampled_from([Scoring.VALUE, Scoring.SATURATING, Scoring.PARTS])),
                credible=draw(st.booleans()),
            )
            if metric.scoring is Scoring.SATURATING:
                metric = replace(metric, better=Direction.HIGHER)
            if metric.scoring is Scoring.PARTS:
                metric = replace(metric, better=Direction.LOWER)
            metrics.append(metric)
            baseline[metric.id] = draw(outcomes(metric))
            subject[metric.id] = draw(outcomes(metric))
        weights = draw(st.lists(st.floats(0.2, 5), min_size=len(metrics), max_size=len(metrics)))
        dimensions.append(DimensionSpec(id=f"d{d}", title="", metrics=tuple(metrics), matrix=consistent(weights)))
    weights = draw(st.lists(st.floats(0.2, 5), min_size=len(dimensions), max_size=len(dimensions)))
    profile = Profile(name="p", title="", dimensions=tuple(dimensions), matrix=consistent(weights), digest="")
    return profile, baseline, subject


@st.composite
def outcomes(draw, metric, missing=True):
    kind = draw(st.integers(0, 9)) if missing else 9
    if kind == 0:
        return Unavailable(reason="x", fault=draw(st.sampled_from(Fault)))
    if kind == 1:
        return NotApplicable(reason="x")
    if metric.scoring is Scoring.PARTS:
        values = draw(st.lists(amounts, min_size=2, max_size=2))
        logs = draw(st.lists(st.floats(-3, 3), min_size=6, max_size=8)) if draw(st.booleans()) else []
        return Measured(
            value=sum(values),
            parts=tuple(Part(id=f"w{i}", value=v, log_ratios=tuple(logs) if i else ()) for i, v in enumerate(values)),
        )
    return Measured(value=draw(amounts))


def run(profile, baseline, subject, credibility=1.0, tampered=False):
    return score(
        profile,
        baseline=baseline,
        subject=subject,
        credibility=credibility,
        tampered=tampered,
        rng=np.random.default_rng(7),
    )


def intervals(scored):
    yield scored.non_functional
    for dimension in scored.dimensions.values():
        yield dimension
        yield from dimension.measures


@settings(max_examples=200, deadline=None)
@given(cases(), st.floats(0, 1))
def test_scores_and_bounds_stay_in_order_between_nought_and_one(case, credibility):
    for report in intervals(run(*case, credibility)):
        if report.low is None:
            assert report.score is None
            continue
        assert 0 <= report.low <= report.high <= 1
        if report.score is not None:
            assert report.low <= report.score <= report.high


@settings(max_examples=200, deadline=None)
@given(cases(), st.data(), st.floats(0, 1))
def test_improving_any_raw_measure_never_lowers_nf(case, data, credibility):
    profile, baseline, subject = case
    metric = data.draw(st.sampled_from([m for d in profile.dimensions for m in d.metrics]))
    worse, better = sorted(data.draw(st.lists(amounts, min_size=2, max_size=2)))
    if metric.better is Direction.LOWER:
        worse, better = better, worse

    def with_value(value):
        parts = (Part(id="w0", value=value), Part(id="w1", value=5.0)) if metric.scoring is Scoring.PARTS else ()
        return run(profile, baseline, subject | {metric.id: Measured(value=value, parts=parts)}, credibility)

    before, after = with_value(worse).non_functional, with_value(better).non_functional
    assert (before.score is None) == (after.score is None)
    for low, high in ((before.score, after.score), (before.low, after.low), (before.high, after.high)):
        if low is not None:
            assert high >= low - 1e-12


@settings(max_examples=200, deadline=None)
@given(cases(), st.data(), st.floats(0, 1), st.sampled_from(Fault))
def test_missing_is_never_better_than_any_measured_value(case, data, credibility, fault):
    profile, baseline, subject = case
    metric = data.draw(st.sampled_from([m for d in profile.dimensions for m in d.metrics]))
    measured = run(profile, baseline, subject | {metric.id: data.draw(outcomes(metric, missing=False))}, credibility)
    missing = run(profile, baseline, subject | {metric.id: Unavailable(reason="gone", fault=fault)}, credibility)
    if measured.non_functional.low is None:
        assert missing.non_functional.low is None
        return
    assert missing.non_functional.low <= measured.non_functional.low + 1e-12
    if missing.non_functional.score is not None:
        # Only the subject's own fault gives a score, and it is the least of all.
        assert missing.non_functional.high <= measured.non_functional.high + 1e-12
        assert measured.non_functional.score is None or (
            missing.non_functional.score <= measured.non_functional.score + 1e-12
        )


@settings(max_examples=200, deadline=None)
@given(cases(), st.data())
def test_the_bounds_of_a_missing_measure_hold_whatever_it_would_have_been(case, data):
    profile, baseline, subject = case
    metric = data.draw(st.sampled_from([m for d in profile.dimensions for m in d.metrics]))
    value = data.draw(outcomes(metric, missing=False))
    measured = run(profile, baseline, subject | {metric.id: value}).non_functional
    missing = run(
        profile, baseline, subject | {metric.id: Unavailable(reason="gone", fault=Fault.HARNESS)}
    ).non_functional
    if measured.low is not None:
        assert missing.low <= measured.low + 1e-12
        assert missing.high >= measured.high - 1e-12


@settings(max_examples=100, deadline=None)
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_dimensions_does_not_change_scores(case, random):
    profile, baseline, subject = case
    order = list(range(len(profile.dimensions)))
    random.shuffle(order)
    turned = replace(
        profile,
        dimensions=tuple(profile.dimensions[i] for i in order),
        matrix=tuple(tuple(profile.matrix[i][j] for j in order) for i in order),
    )
    before, after = run(profile, baseline, subject), run(turned, baseline, subject)
    assert after.non_functional.score == pytest.approx(before.non_functional.score)
    for name, report in before.dimensions.items():
        assert after.dimensions[name].score == pytest.approx(report.score)
        assert after.dimensions[name].weight == pytest.approx(report.weight)


@settings(max_examples=100, deadline=None)
@given(cases(), st.floats(0, 1), st.floats(0, 1))
def test_more_credibility_never_lowers_nf(case, first, second):
    less, more = sorted((first, second))
    before, after = run(*case, less).non_functional, run(*case, more).non_functional
    assert (before.score is None) == (after.score is None)
    if before.score is not None:
        assert after.score >= before.score - 1e-12


@settings(max_examples=50, deadline=None)
@given(cases())
def test_tampering_leaves_nothing(case):
    scored = run(*case, tampered=True)
    assert {d.score for d in scored.dimensions.values()} <= {0, None}
    assert scored.non_functional.score in (0, None)
    assert scored.non_functional.high in (0, None)


@settings(max_examples=100, deadline=None)
@given(cases())
def test_weights_of_what_applies_sum_to_one(case):
    scored = run(*case)
    applicable = [d for d in scored.dimensions.values() if d.applicable]
    if applicable:
        assert sum(d.weight for d in scored.dimensions.values()) == pytest.approx(1)
    for dimension in applicable:
        assert sum(m.weight for m in dimension.measures) == pytest.approx(1)
