"""A report gives the same scores again from what it holds, others under another profile, or says what is missing."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qualityscore.core.profile import parse_profile
from qualityscore.core.rescore import rescore
from qualityscore.core.score import effective, score
from qualityscore.errors import ReportError
from qualityscore.model.codec import dump, load_report
from qualityscore.model.measure import Fault, Measured, NotApplicable, Part, Unavailable
from qualityscore.model.outcome import TestOutcome, TestResult
from qualityscore.model.report import (
    CredibilityReport,
    FunctionalReport,
    Report,
    Status,
    SubjectInfo,
    TaskInfo,
)
from small_profile import PROFILE

LOGS = (0.1, -0.2, 0.3, 0.05, 0.12, -0.1, 0.2)
BASELINE = {
    "low": Measured(value=5),
    "high": Measured(value=0.8),
    "cost": Measured(value=300, parts=tuple(Part(id=f"w{i}", value=100.0) for i in range(5))),
}
SUBJECT = {
    "low": Measured(value=15, details={"files": 3}),
    "high": Measured(value=0.4),
    "cost": Measured(
        value=300,
        parts=(
            Part(id="w0", value=200.0, samples=(199.0, 201.0)),
            Part(id="w1", value=1.0, right=False, note="differs"),
            Part(id="w2", value=100.0, log_ratios=LOGS),
            Part(id="w3", value=None, fault=Fault.HARNESS, note="too noisy"),
        ),
    ),
}

NINE_OF_TEN = tuple(TestResult(id=f"t{i}", outcome=TestOutcome.PASSED if i else TestOutcome.FAILED) for i in range(10))


def report(profile, subject=None, baseline=None, *, credibility=0.5, tampered=False, left_out=frozenset(), model="0.1"):
    scored = score(
        profile,
        baseline=BASELINE | (baseline or {}),
        subject=SUBJECT | (subject or {}),
        credibility=credibility,
        tampered=tampered,
        left_out=left_out,
        rng=np.random.default_rng(1),
    )
    complete = scored.non_functional.score is not None
    return Report(
        schema_version="1.0",
        score_model=model,
        status=Status.TAMPERED if tampered else Status.COMPLETE if complete else Status.PARTIAL,
        subject=SubjectInfo(path="x", digest=None),
        task=TaskInfo(id="t", title="", digest="", reference=""),
        functional=FunctionalReport(
            score=0.9, passed=9, expected=10, build=True, test=0.9, full=False, tests=NINE_OF_TEN
        ),
        credibility=CredibilityReport(score=credibility),
        non_functional=scored.non_functional,
        dimensions=scored.dimensions,
        effective=effective(0.9, scored.non_functional.score),
        provenance={"profile": profile.name, "profile_digest": profile.digest},
    )


def again(given_report, profile, **options):
    through_json = load_report(dump(given_report))
    return rescore(through_json, profile, np.random.default_rng(1), score_model="0.1", **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"subject": {"cost": Measured(value=1, parts=tuple(Part(id=f"w{i}", value=90.0 + i) for i in range(5)))}},
        {"subject": {"low": Unavailable(reason="it hung", fault=Fault.SUBJECT)}},
        {"subject": {"low": Unavailable(reason="disk full", fault=Fault.HARNESS)}},
        {"subject": {"cost": Unavailable(reason="no valgrind", fault=Fault.HARNESS)}},
        {"baseline": {"low": Unavailable(reason="reference broke", fault=Fault.REFERENCE)}},
        {"baseline": {"cost": NotApplicable(reason="no workloads")}},
        {"baseline": {"cost": Measured(value=100.0)}, "subject": {"cost": Measured(value=150.0)}},
        {"credibility": None},
        {"left_out": frozenset({"b"})},
        {"tampered": True},
    ],
    ids=lambda options: ",".join(options) or "as it is",
)
def test_a_report_gives_the_same_scores_again(profile, options):
    first = report(profile, **options)
    second = again(first, profile)
    assert second.non_functional == first.non_functional
    assert second.effective == first.effective
    for name, dimension in first.dimensions.items():
        found = second.dimensions[name]
        assert (found.score, found.low, found.high, found.weight) == (
            dimension.score,
            dimension.low,
            dimension.high,
            dimension.weight,
        )
        for measure, other in zip(dimension.measures, found.measures, strict=True):
            assert (other.score, other.low, other.high) == (measure.score, measure.low, measure.high)
            assert (other.value, other.baseline, other.ratio) == (measure.value, measure.baseline, measure.ratio)


@settings(max_examples=50, deadline=None)
@given(
    st.floats(0, 100),
    st.floats(0.01, 1),
    st.lists(st.tuples(st.floats(0, 1e6), st.booleans()), min_size=5, max_size=5),
    st.floats(0, 1),
)
def test_any_report_gives_the_same_scores_again(low, high, parts, credibility):
    profile = parse_profile(PROFILE, "test")
    cost = Measured(value=1, parts=tuple(Part(id=f"w{i}", value=v, right=r) for i, (v, r) in enumerate(parts)))
    subject = {"low": Measured(value=low), "high": Measured(value=high), "cost": cost}
    first = report(profile, subject, credibility=credibility)
    assert again(first, profile).non_functional == first.non_functional


def test_parts_without_a_value_on_either_side_are_scored_again_alike(profile):
    parts = (Part(id="w0", value=100.0), Part(id="w1", value=None, fault=Fault.REFERENCE, note="it crashed"))
    cost = {"cost": Measured(value=100.0, parts=parts)}
    first = report(profile, cost, cost)
    assert again(first, profile).dimensions == first.dimensions


def test_another_profile_gives_its_own_scores_and_is_named(profile):
    other = parse_profile(
        PROFILE.replace("{ a = 3, b = 1 }", "{ a = 1, b = 1 }").replace("epsilon = 5", "epsilon = 15"), "x"
    )
    complete = {"cost": Measured(value=1, parts=tuple(Part(id=f"w{i}", value=100.0) for i in range(5)))}
    first = report(profile, complete)
    second = again(first, other)
    # low: (5 + 15) / (15 + 15) x 0.5 = 1/3; a = 2/3 x 1/3 + 1/3 x 0.5; b = 1; equal weights.
    a = 2 / 3 / 3 + 0.5 / 3
    assert second.non_functional.score == pytest.approx((a + 1) / 2)
    assert second.effective == pytest.approx(0.9 * (a + 1) / 2)
    assert second.provenance["profile_digest"] == other.digest
    assert second.provenance["rescored_from"]["profile_digest"] == profile.digest
    assert second.dimensions["a"].measures[0].details["files"] == 3


def test_what_the_report_does_not_hold_has_to_be_measured_again(profile):
    other = parse_profile(PROFILE.replace('id = "high"', 'id = "higher"').replace("high = 1", "higher = 1"), "x")
    with pytest.raises(ReportError, match="higher has to be measured again"):
        again(report(profile), other)


def test_a_measure_in_another_unit_has_to_be_measured_again(profile):
    other = parse_profile(PROFILE.replace('unit = "instructions"', 'unit = "seconds"'), "x")
    with pytest.raises(ReportError, match="cost has to be measured again"):
        again(report(profile), other)


def test_a_measure_that_changed_since_has_to_be_measured_again(profile):
    changes = (("0.2", frozenset({"low"})), ("0.10", frozenset({"cost"})))
    with pytest.raises(ReportError, match=r"cost, low have to be measured again"):
        again(report(profile), profile, changes=changes)
    with pytest.raises(ReportError, match=r": cost has to be measured again"):
        again(report(profile, model="0.9"), profile, changes=changes)
    assert again(report(profile, model="0.10"), profile, changes=changes).score_model == "0.1"


def test_a_rescored_report_is_a_report(profile):
    document = json.loads(dump(again(report(profile), profile)))
    assert document["schema_version"] == "1.0"
    assert replace(again(report(profile), profile), status=Status.PARTIAL).status is Status.PARTIAL


def first_part(**changes):
    return lambda details: details["parts"][0].update(changes)


MALFORMED = {
    "a part that is text": (lambda details: details.update(parts=["x"]), "cost, 'parts.0'"),
    "parts that are no list": (lambda details: details.update(parts="x"), "cost, 'parts' is no list"),
    "a fault of nobody": (first_part(fault="junk"), "cost, 'parts.0': key 'fault'"),
    "a value that is text": (first_part(value="x"), "cost, 'parts.0': key 'value'"),
    "ratios of no numbers": (first_part(log_ratios=["x"]), "cost, 'parts.0': key 'log_ratios.0'"),
    "an id that is a list": (first_part(id=[]), "cost, 'parts.0': key 'id'"),
    "a key that is missing": (
        lambda details: details["parts"][1].pop("right"),
        "cost, 'parts.1': key 'right' is missing",
    ),
    "a loss without its reason": (lambda details: details.update(unavailable={}), "cost, 'unavailable': key 'reason'"),
}


def with_details(profile, change):
    document = json.loads(dump(report(profile)))
    (details,) = [m["details"] for d in document["dimensions"].values() for m in d["measures"] if m["id"] == "cost"]
    change(details)
    return load_report(json.dumps(document))


@pytest.mark.parametrize(("change", "said"), MALFORMED.values(), ids=MALFORMED)
def test_details_that_hold_something_else_are_refused_by_their_place(profile, change, said):
    with pytest.raises(ReportError) as caught:
        rescore(with_details(profile, change), profile, np.random.default_rng(1), score_model="0.1")
    assert str(caught.value).startswith(f"The report does not hold what its profile scores: {said}")
    assert "\n" not in str(caught.value)


def test_values_that_cannot_be_computed_with_are_refused(profile):
    document = json.loads(dump(report(profile)))
    (cost,) = [m for d in document["dimensions"].values() for m in d["measures"] if m["id"] == "cost"]
    cost["value"] = None
    for part in cost["details"]["parts"][:2]:
        part["value"] = 1.7e308  # their sum is beyond the largest float
    with pytest.raises(ReportError, match="beyond computing with"):
        rescore(load_report(json.dumps(document)), profile, np.random.default_rng(1), score_model="0.1")
