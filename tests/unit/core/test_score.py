"""Outcomes into scores: each rule of the specification on numbers that can be checked by hand."""

import math

import numpy as np
import pytest

from qualityscore.core.score import effective, score
from qualityscore.model.measure import Fault, Measured, NotApplicable, Part, Unavailable


def parts(*values, right=True):
    return Measured(
        value=sum(values), parts=tuple(Part(id=f"w{i}", value=v, right=right) for i, v in enumerate(values))
    )


BASELINE = {"low": Measured(value=5), "high": Measured(value=0.8), "cost": parts(100.0, 200.0)}
SUBJECT = {"low": Measured(value=15), "high": Measured(value=0.4), "cost": parts(200.0, 194.0)}


def run(profile, subject=None, baseline=None, *, credibility=1.0, tampered=False, left_out=(), seed=1):
    return score(
        profile,
        baseline=BASELINE | (baseline or {}),
        subject=SUBJECT | (subject or {}),
        credibility=credibility,
        tampered=tampered,
        left_out=frozenset(left_out),
        rng=np.random.default_rng(seed),
    )


def measure(scored, name):
    return next(m for d in scored.dimensions.values() for m in d.measures if m.id == name)


def test_values_are_smoothed_capped_and_weighed(profile):
    scored = run(profile)
    # low: (5 + 5) / (15 + 5) = 0.5; high: 0.4 / 0.8 = 0.5; cost: 100/200/0.97 and 200/194 capped.
    assert measure(scored, "low").score == pytest.approx(0.5)
    assert measure(scored, "high").score == pytest.approx(0.5)
    assert measure(scored, "cost").score == pytest.approx((0.5 / 0.97 + 1) / 2)
    assert scored.dimensions["a"].score == pytest.approx(0.5)
    assert scored.non_functional.score == pytest.approx(0.75 * 0.5 + 0.25 * (0.5 / 0.97 + 1) / 2)
    assert scored.dimensions["a"].weight == pytest.approx(0.75)
    assert measure(scored, "low").weight == pytest.approx(2 / 3)


def test_what_beats_the_baseline_is_capped_and_its_ratio_is_kept(profile):
    scored = run(profile, {"low": Measured(value=0)})
    assert measure(scored, "low").score == 1
    assert measure(scored, "low").ratio == pytest.approx(2)


def test_the_geometric_mean_of_uncapped_ratios_stands_beside_the_dimension(profile):
    scored = run(profile, {"low": Measured(value=0), "high": Measured(value=1.6)})
    # sqrt(10/5 * 1.6/0.8) = 2
    assert scored.dimensions["a"].details["geometric_mean_ratio"] == pytest.approx(2)


def test_deterministic_scores_have_no_width(profile):
    scored = run(profile)
    for report in (*scored.dimensions.values(), scored.non_functional, measure(scored, "cost")):
        assert report.low == report.score == report.high


def test_credibility_multiplies_only_what_it_should(profile):
    scored = run(profile, credibility=0.25)
    assert measure(scored, "low").score == pytest.approx(0.5 * 0.25)
    assert measure(scored, "low").credibility == 0.25
    assert measure(scored, "high").score == pytest.approx(0.5)
    assert measure(scored, "high").credibility is None


def test_unmeasured_credibility_leaves_the_score_open_below_the_uncredited_one(profile):
    low = measure(run(profile, credibility=None), "low")
    assert (low.score, low.low, low.high) == (None, 0, pytest.approx(0.5))


def test_a_subject_fault_scores_nought_with_the_reason(profile):
    scored = run(profile, {"low": Unavailable(reason="it hung", fault=Fault.SUBJECT)})
    assert measure(scored, "low").score == 0
    assert measure(scored, "low").value is None
    assert measure(scored, "low").details["unavailable"] == {"reason": "it hung", "fault": "subject"}
    assert scored.dimensions["a"].score == pytest.approx(1 / 3 * 0.5)
    assert [(f.stage, f.fault, f.reason) for f in scored.faults] == [("low", Fault.SUBJECT, "it hung")]


@pytest.mark.parametrize("fault", [Fault.HARNESS, Fault.REFERENCE])
def test_a_harness_or_reference_fault_leaves_bounds(profile, fault):
    scored = run(profile, {"low": Unavailable(reason="disk full", fault=fault)})
    a = scored.dimensions["a"]
    assert (a.score, a.low, a.high) == (None, pytest.approx(1 / 6), pytest.approx(2 / 3 + 1 / 6))
    b = scored.dimensions["b"].score
    nf = scored.non_functional
    assert nf.score is None
    assert nf.low == pytest.approx(0.75 / 6 + 0.25 * b)
    assert nf.high == pytest.approx(0.75 * 5 / 6 + 0.25 * b)


def test_credibility_bounds_what_a_missing_measure_could_have_been(profile):
    low = measure(run(profile, {"low": Unavailable(reason="x", fault=Fault.HARNESS)}, credibility=0.3), "low")
    assert (low.low, low.high) == (0, pytest.approx(0.3))


def test_an_unavailable_baseline_is_unmeasured_even_when_the_subject_failed(profile):
    gone = {"low": Unavailable(reason="host too noisy", fault=Fault.REFERENCE)}
    scored = run(profile, {"low": Unavailable(reason="it hung", fault=Fault.SUBJECT)}, gone)
    assert measure(scored, "low").score is None
    assert scored.faults[0].fault is Fault.REFERENCE


def test_a_measure_that_nobody_delivered_is_a_harness_fault(profile):
    scored = score(
        profile, baseline=BASELINE, subject={}, credibility=1.0, tampered=False, rng=np.random.default_rng(1)
    )
    assert scored.non_functional.score is None
    assert {f.fault for f in scored.faults} == {Fault.HARNESS}


@pytest.mark.parametrize("absent", [None, NotApplicable(reason="no tests")])
def test_what_the_baseline_does_not_define_leaves_the_matrix_for_both_sides(profile, absent):
    baseline = {k: v for k, v in BASELINE.items() if k != "low"} | ({} if absent is None else {"low": absent})
    scored = score(
        profile, baseline=baseline, subject=SUBJECT, credibility=1.0, tampered=False, rng=np.random.default_rng(1)
    )
    assert measure(scored, "low").applicable is False
    assert (measure(scored, "low").weight, measure(scored, "high").weight) == (0, 1)
    assert scored.dimensions["a"].score == pytest.approx(0.5)
    assert scored.faults == ()


def test_a_dimension_without_measures_leaves_the_top_matrix(profile):
    scored = run(profile, baseline={"cost": NotApplicable(reason="no workloads")})
    b = scored.dimensions["b"]
    assert (b.applicable, b.weight, b.score, b.low) == (False, 0, None, None)
    assert scored.dimensions["a"].weight == 1
    assert scored.non_functional.score == pytest.approx(0.5)


def test_nothing_applicable_gives_no_score(profile):
    scored = score(profile, baseline={}, subject={}, credibility=1.0, tampered=False, rng=np.random.default_rng(1))
    assert scored.non_functional.score is None
    assert scored.faults == ()


@pytest.mark.parametrize("left_out", [{"b"}, {"cost"}])
def test_what_is_left_out_is_null_without_a_fault(profile, left_out):
    scored = run(profile, {"cost": Unavailable(reason="not run", fault=Fault.HARNESS)}, left_out=left_out)
    b = scored.dimensions["b"]
    assert (b.score, b.low, b.high, b.weight) == (None, None, None, pytest.approx(0.25))
    nf = scored.non_functional
    assert (nf.score, nf.low, nf.high) == (None, None, None)
    assert scored.dimensions["a"].score == pytest.approx(0.5)
    assert scored.faults == ()


def test_tampering_is_nought_everywhere_even_where_something_is_missing(profile):
    missing = {"low": Unavailable(reason="x", fault=Fault.HARNESS)}
    scored = run(profile, missing, tampered=True, left_out={"b"})
    assert {d.score for d in scored.dimensions.values()} == {0}
    assert (scored.non_functional.score, scored.non_functional.high) == (0, 0)


def test_a_missing_or_wrong_part_scores_nought_alone(profile):
    lacking = Measured(value=100.0, parts=(Part(id="w0", value=100.0),))
    wrong = Measured(value=300.0, parts=(Part(id="w0", value=100.0), Part(id="w1", value=1.0, right=False)))
    for cost in (lacking, wrong):
        report = measure(run(profile, {"cost": cost}), "cost")
        assert report.score == pytest.approx(0.5)
        assert report.ratio == pytest.approx(1)
        assert report.details["right_share"] == 0.5
        assert report.details["mean_over_right"] == pytest.approx(1)


@pytest.mark.parametrize(
    "second",
    [
        (),
        (Part(id="w1", value=None, right=False, note="differs"),),
        (Part(id="w1", value=None, fault=Fault.HARNESS, note="host too noisy"),),
    ],
    ids=["absent", "wrong", "lost"],
)
def test_a_sum_that_lacks_a_part_is_no_value(profile, second):
    report = measure(run(profile, {"cost": Measured(value=100.0, parts=(Part(id="w0", value=100.0), *second))}), "cost")
    assert (report.value, report.baseline) == (None, 300)


def test_a_baseline_that_lacks_a_part_has_no_value_either(profile):
    lost = Part(id="w1", value=None, fault=Fault.REFERENCE, note="it crashed")
    partial = Measured(value=100.0, parts=(Part(id="w0", value=100.0), lost))
    report = measure(run(profile, {"cost": partial}, {"cost": partial}), "cost")
    assert (report.value, report.baseline, report.low) == (None, None, pytest.approx(0.5))


def test_a_part_that_the_baseline_does_not_have_earns_nothing(profile):
    more = Measured(value=1.0, parts=(*parts(100.0, 200.0).parts, Part(id="w2", value=0.001)))
    assert measure(run(profile, {"cost": more}), "cost").ratio == pytest.approx(1)


def test_a_part_that_the_harness_lost_leaves_bounds(profile):
    lost = Measured(
        value=100.0,
        parts=(Part(id="w0", value=100.0), Part(id="w1", value=None, fault=Fault.HARNESS, note="host too noisy")),
    )
    scored = run(profile, {"cost": lost})
    report = measure(scored, "cost")
    assert (report.score, report.low, report.high) == (None, pytest.approx(0.5), pytest.approx(1))
    assert scored.faults[0].reason == "w1: host too noisy"


def test_a_cost_below_one_per_cent_counts_as_one_per_cent(profile):
    report = measure(run(profile, {"cost": parts(0.001, 200.0)}), "cost")
    assert report.details["parts"][0]["ratio"] == pytest.approx(100)
    assert report.ratio == pytest.approx(math.sqrt(100 * 1))


@pytest.mark.parametrize(
    ("cost", "said"),
    [(100.0, "equivalent"), (103.0, "equivalent"), (97.0, "equivalent"), (96.9, "faster"), (103.2, "slower")],
)
def test_a_deterministic_cost_has_a_verdict_by_the_band(profile, cost, said):
    # The band is 0.97 <= 100/cost <= 1/0.97, so costs from 97 to 103.09.
    scored = run(profile, {"cost": Measured(value=cost)}, {"cost": Measured(value=100.0)})
    assert measure(scored, "cost").verdict == said


def paired(median, spread, n=20):
    logs = tuple(math.log(median) + spread * (i - (n - 1) / 2) / n for i in range(n))
    return Measured(value=1.0, parts=(Part(id="w0", value=1.0, log_ratios=logs), Part(id="w1", value=200.0)))


def test_pairs_give_the_median_ratio_and_an_interval_up_to_nf(profile):
    scored = run(profile, {"cost": paired(0.5, 0.2)})
    report = measure(scored, "cost")
    assert report.score == pytest.approx((0.5 / 0.97 + 1) / 2)
    assert report.low < report.score < report.high
    b, nf = scored.dimensions["b"], scored.non_functional
    assert (b.low, b.high) == (report.low, report.high)
    # NF = 0.375 + 0.25 b, and both percentiles go through the same weighted sum.
    assert nf.low == pytest.approx(0.375 + 0.25 * b.low)
    assert nf.high == pytest.approx(0.375 + 0.25 * b.high)


def test_the_same_seed_gives_the_same_interval(profile):
    first, again, other = (run(profile, {"cost": paired(0.5, 0.5)}, seed=s).non_functional for s in (1, 1, 2))
    assert first == again
    assert first.score == other.score


@pytest.mark.parametrize(
    ("median", "spread", "said"),
    [(1.0, 0.01, "equivalent"), (2.0, 0.1, "faster"), (0.5, 0.1, "slower"), (1.0, 2.0, "inconclusive")],
)
def test_a_paired_part_has_a_verdict_by_its_interval(profile, median, spread, said):
    rows = measure(run(profile, {"cost": paired(median, spread)}), "cost").details["parts"]
    assert rows[0]["verdict"] == said


def test_five_pairs_cannot_exclude_anything(profile):
    rows = measure(run(profile, {"cost": paired(0.5, 0.1, n=5)}), "cost").details["parts"]
    assert rows[0]["verdict"] == "inconclusive"


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_a_number_that_is_none_is_unmeasured_and_never_reported(profile, value):
    scored = run(profile, {"high": Measured(value=value)})
    assert measure(scored, "high").score is None
    assert measure(scored, "high").value is None or math.isfinite(measure(scored, "high").value)
    assert scored.faults[0].fault is Fault.HARNESS


def test_a_zero_baseline_of_a_higher_is_better_measure_is_a_reference_fault(profile):
    scored = run(profile, baseline={"high": Measured(value=0)})
    assert measure(scored, "high").score is None
    assert scored.faults[0].fault is Fault.REFERENCE


def test_the_reference_against_itself_is_full_marks(profile):
    scored = run(profile, BASELINE)
    assert scored.non_functional.score == pytest.approx(1, abs=1e-15)
    assert scored.non_functional.score <= 1


def test_effective_is_the_product_and_null_when_either_is():
    assert effective(0.5, 0.8) == pytest.approx(0.4)
    assert effective(None, 0.8) is None
    assert effective(0.5, None) is None
