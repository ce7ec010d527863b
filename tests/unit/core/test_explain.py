"""The explanation shows the arithmetic that gave the score."""

from dataclasses import replace

import numpy as np
import pytest

from qualityscore.core.explain import explain, lines
from qualityscore.core.score import effective, score
from qualityscore.errors import ReportError
from qualityscore.model.branch import BaselineState, BranchReport, FindingChanges
from qualityscore.model.measure import Fault, Measured, NotApplicable, Part, Unavailable
from qualityscore.model.outcome import (
    EntryOutcome,
    Failure,
    FailureClass,
    PropertyOutcome,
    TestOutcome,
    TestResult,
)
from qualityscore.model.report import (
    CredibilityReport,
    FunctionalReport,
    Report,
    RobustnessReport,
    Status,
    SubjectInfo,
    TaskInfo,
)
from qualityscore.runtime.documents import load_profile

BASELINE = {
    "low": Measured(value=5),
    "high": Measured(value=0.8),
    "cost": Measured(value=300, parts=(Part(id="w0", value=100.0), Part(id="w1", value=200.0))),
}
SUBJECT = {
    "low": Measured(value=15),
    "high": Measured(value=0.4),
    "cost": Measured(
        value=300, parts=(Part(id="w0", value=200.0), Part(id="w1", value=1.0, right=False, note="differs"))
    ),
}


def report(profile, subject=None, baseline=None, left_out=frozenset()):
    scored = score(
        profile,
        baseline=BASELINE | (baseline or {}),
        subject=SUBJECT | (subject or {}),
        credibility=0.5,
        tampered=False,
        left_out=left_out,
        rng=np.random.default_rng(1),
    )
    return Report(
        schema_version="1",
        score_model="0.1",
        status=Status.COMPLETE,
        subject=SubjectInfo(path="x", digest=None),
        task=TaskInfo(id="t", title="", digest="", reference=""),
        functional=FunctionalReport(score=0.9, passed=9, expected=10, build=True, test=0.9, full=False),
        credibility=CredibilityReport(score=0.5, credible=("f",), not_credible=("g",)),
        non_functional=scored.non_functional,
        dimensions=scored.dimensions,
        effective=effective(0.9, scored.non_functional.score),
    )


def text(profile, *args, name=None, **kwargs):
    return list(lines(explain(report(profile, *args, **kwargs), profile, name)))


def test_a_value_is_shown_with_its_formula_and_numbers(profile):
    shown = [line.strip() for line in text(profile, name="low")]
    # (5 + 5) / (15 + 5) = 0.5, times credibility 0.5
    assert shown[0].startswith("low = 0.2500")
    assert "s = min(1, (b + ε) / (g + ε)) = min(1, (5 + 5) / (15 + 5)) = 0.5000" in shown
    assert "0.5000 × credibility 0.5000 = 0.2500" in shown
    assert "weight 0.6667 in a, from the judgements over high 2" in shown


def test_higher_is_better_is_shown_the_other_way_round(profile):
    assert "s = min(1, g / b) = min(1, 0.4 / 0.8) = 0.5000" in " ".join(text(profile, name="high"))


def test_each_part_of_a_cost_is_shown(profile):
    shown = " | ".join(line.strip() for line in text(profile, name="cost"))
    assert "w0: 200 against 100, r = 0.5000, score 0.5155, slower" in shown
    assert "w1: 1 against 200, score 0: differs" in shown
    assert "50 % of them right" in shown


def test_a_cost_that_lacks_a_part_shows_no_sum(profile):
    lacking = Measured(value=200.0, parts=(Part(id="w0", value=200.0),))
    shown = " | ".join(line.strip() for line in text(profile, {"cost": lacking}, name="cost"))
    assert "value g = nothing, baseline b = 300" in shown
    assert "w0: 200 against 100" in shown


def test_the_whole_runs_from_effective_to_raw_values(profile):
    shown = "\n".join(text(profile))
    # a = 2/3 * 0.25 + 1/3 * 0.5 = 1/3; b = 0.5 * 0.5 / 0.97 = 0.2577; NF = 0.75 a + 0.25 b = 0.3144
    assert "NF = 0.3144 = 0.7500 × a 0.3333 + 0.2500 × b 0.2577" in shown
    assert "effective: F × NF = 0.9000 × 0.3144 = 0.2830" in shown
    assert "F = 9 of 10 expected tests passed = 0.9000" in shown
    assert 'the judgements in profile "test" (λmax 2.0000, CI 0.0000, CR 0.0000)' in shown
    assert "weight 0.7500 in NF, from the judgements over b 3" in shown
    assert "value g = 0.4, baseline b = 0.8" in shown


def test_what_is_missing_is_named_with_its_bounds(profile):
    shown = "\n".join(text(profile, {"low": Unavailable(reason="pylint hung", fault=Fault.HARNESS)}))
    assert "low = not measured, between 0.0000 and 0.5000" in shown
    assert "no value, by the harness's fault: pylint hung" in shown
    assert "a = not measured, between 0.1667 and 0.5000 = 0.6667 × low ? + 0.3333 × high 0.5000" in shown
    assert "effective: not scored" in shown


def test_what_does_not_apply_or_was_left_out_is_said(profile):
    shown = "\n".join(text(profile, baseline={"cost": NotApplicable(reason="no workloads")}))
    assert "b: not applicable" in shown
    assert "re-weighed without b" in shown
    assert "cost: not applicable, no workloads" in "\n".join(
        text(profile, name="cost", baseline={"cost": NotApplicable(reason="no workloads")})
    )
    assert "left out on request" in "\n".join(text(profile, name="cost", left_out=frozenset({"b"})))
    assert "NF: not scored, b left out on request" in "\n".join(text(profile, left_out=frozenset({"b"})))


def test_a_report_that_lacks_what_its_profile_scores_is_refused_by_name(profile):
    whole = report(profile)
    lacking = replace(whole, dimensions={"a": whole.dimensions["a"]})
    with pytest.raises(ReportError, match='lacks the dimension b of its profile "test"'):
        explain(lacking, profile)
    thin = replace(whole.dimensions["a"], measures=whole.dimensions["a"].measures[:1])
    with pytest.raises(ReportError, match="the measures low in a, where its profile .test. has low, high"):
        explain(replace(whole, dimensions=whole.dimensions | {"a": thin}), profile)
    with pytest.raises(ReportError, match="holds a dimension c that its profile"):
        explain(replace(whole, dimensions=whole.dimensions | {"c": thin}), profile)


def test_a_functional_score_that_was_not_measured_is_not_called_zero(profile):
    none = FunctionalReport(score=None, passed=None, expected=10, build=None, test=None, full=None)
    shown = "\n".join(lines(explain(replace(report(profile), functional=none, effective=None), profile)))
    assert "F: not measured" in shown
    left = replace(none, left_out=True)
    shown = "\n".join(lines(explain(replace(report(profile), functional=left, effective=None), profile)))
    assert "F: left out on request" in shown


def test_f_is_explained_by_what_failed(profile):
    """Two of five pass; two are wrong values, one is a hang."""
    failures = [("mismatch", "wrong_value"), ("mismatch", "wrong_value"), ("non_functional", "hang")]
    tests = tuple(
        TestResult(
            id=f"t::{n}",
            outcome=TestOutcome.FAILED,
            failure=Failure(class_name=FailureClass(kind), subclass=subclass, message="m"),
        )
        for n, (kind, subclass) in enumerate(failures)
    )
    passed = tuple(TestResult(id=f"t::p{n}", outcome=TestOutcome.PASSED) for n in range(2))
    functional = FunctionalReport(
        score=0.4, passed=2, expected=5, build=True, test=0.4, full=False, tests=(*passed, *tests)
    )
    said = list(lines(explain(replace(report(profile), functional=functional), profile, "functional")))
    assert said == [
        "F = 2 of 5 expected tests passed = 0.4000",
        "  2 failed by mismatch, wrong_value",
        "  1 failed by non_functional, hang",
    ]


def test_credibility_is_explained_by_what_it_counts(profile):
    c = CredibilityReport(score=0.75, credible=("a", "b", "c"), not_credible=("d",))
    plain = replace(report(profile), credibility=c)
    branch = BranchReport(
        baseline=BaselineState(kind="git", name="main"), tests=None, names=None, findings=FindingChanges()
    )
    assert explain(plain, profile, "credibility").text == "credibility c = 0.7500: 3 entries credible, 1 not"
    assert explain(replace(plain, branch=branch), profile, "credibility").text == (
        "credibility c = 0.7500: 3 of 4 public names still defined"
    )
    unmeasured = replace(plain, credibility=CredibilityReport(score=None))
    assert explain(unmeasured, profile, "credibility").text == "credibility c: not measured"
    unasked = replace(
        unmeasured, dimensions={name: replace(d, left_out=True) for name, d in unmeasured.dimensions.items()}
    )
    assert explain(unasked, profile, "credibility").text == "credibility c: left out on request"


def test_an_unknown_name_is_refused_with_a_suggestion(profile):
    with pytest.raises(ReportError, match=r'no dimension or measure "costs"; did you mean cost\?'):
        explain(report(profile), profile, "costs")


def test_survival_names_every_share_that_is_not_whole(profile):
    reference = load_profile("reference")
    one = {"probes.survival": Measured(value=1), "suite.stability": Measured(value=1)}
    scored = score(
        reference,
        baseline=one,
        subject=one | {"probes.survival": Measured(value=0.4)},
        credibility=0.5,
        tampered=False,
        rng=np.random.default_rng(1),
    )
    robustness = RobustnessReport(
        survived=35,
        total=40,
        wilson_low=0.7,
        wilson_high=0.95,
        entries=(
            EntryOutcome(entry="whole", survived=10, total=10, hard_fault=False),
            EntryOutcome(entry="part", survived=9, total=10, hard_fault=False),
            EntryOutcome(entry="crash", survived=6, total=10, hard_fault=True),
            EntryOutcome(entry="hollow", survived=10, total=10, hard_fault=False),
            EntryOutcome(entry="gone", survived=0, total=10, hard_fault=False, absent=True),
        ),
        properties=(
            PropertyOutcome(id="prop_fails", passed=False),
            PropertyOutcome(id="prop_hollow", passed=True, entries=("hollow",)),
            PropertyOutcome(id="prop_holds", passed=True, entries=("whole",)),
        ),
    )
    whole = replace(
        report(profile),
        dimensions=scored.dimensions,
        non_functional=scored.non_functional,
        credibility=CredibilityReport(score=0.5, credible=("whole", "part", "crash"), not_credible=("hollow", "gone")),
        robustness=robustness,
    )
    shown = [line.strip() for line in lines(explain(whole, reference, "probes.survival"))]
    start = next(place for place, line in enumerate(shown) if line.startswith("g = Σ w×s / Σ w over 5 entries"))
    assert shown[start + 1 : start + 7] == [
        "part: s = 9/10",
        "crash: s = 6/10 / 2, after a hard fault",
        "hollow: s = 0, not credible",
        "gone: s = 0, not defined",
        "prop_fails: s = 0, it does not hold",
        "prop_hollow: s = 0, hollow is not credible",
    ]
    assert not any("whole:" in line or "prop_holds" in line for line in shown)


@pytest.mark.parametrize(
    ("letter", "start"),
    [("F", "F = 9 of 10"), ("c", "credibility c = 0.5000"), ("NF", "NF = 0.3144"), ("effective", "eff")],
)
def test_the_letters_of_the_table_are_names_too(profile, letter, start):
    assert text(profile, name=letter)[0].startswith(start)
