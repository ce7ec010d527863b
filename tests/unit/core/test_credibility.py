"""Credibility and survival on small surfaces counted by hand."""

import math

import pytest

from qualityscore.core.credibility import credibility, entry_weight, stability, survival, undecided
from qualityscore.model.measure import Fault, Measured, NotApplicable, Unavailable
from qualityscore.model.outcome import EntryOutcome, PropertyOutcome, TestOutcome, TestResult
from qualityscore.model.report import SurfaceCoverage
from qualityscore.model.snapshot import EntryWeight


def entry(name, *tests, value_probes=0):
    return EntryWeight(name=name, weight=math.sqrt(1 + len(tests)), tests=tests, value_probes=value_probes)


def result(name, passed, fault=None, stable=True):
    outcome = TestOutcome.PASSED if passed else TestOutcome.FAILED
    return TestResult(id=name, outcome=outcome, fault=fault, stable=stable)


def probed(name, survived, total, *, hard=False, right=0, absent=False):
    return EntryOutcome(
        entry=name, survived=survived, total=total, hard_fault=hard, right_values=right, value_probes=2, absent=absent
    )


def test_weight_is_the_root_of_one_more_than_the_touching_tests():
    assert [entry_weight(n) for n in (0, 3, 8)] == [1, 2, 3]


@pytest.mark.parametrize(
    ("passed", "credible"),
    [((1, 1), True), ((1, 0), True), ((0, 0), False), ((1, 0, 0), False), ((1,), True), ((0,), False)],
)
def test_half_of_the_touching_tests_make_an_entry_credible(passed, credible):
    names = [f"t{i}" for i in range(len(passed))]
    report = credibility([entry("f", *names)], [result(n, p) for n, p in zip(names, passed, strict=True)], [])
    assert report.score == float(credible)


def test_an_entry_that_no_test_touches_needs_two_right_values():
    entries = [entry("f", value_probes=2)]
    assert credibility(entries, [], [probed("f", 5, 5, right=2)]).score == 1
    assert credibility(entries, [], [probed("f", 5, 5, right=1)]).score == 0


def test_right_values_do_not_count_for_an_entry_without_two_value_probes():
    assert credibility([entry("f", value_probes=1)], [], [probed("f", 5, 5, right=2)]).score == 0


def test_a_missing_entry_is_never_credible():
    surface = SurfaceCoverage(entries=1, defined=0, stub=0, missing=("f",))
    assert credibility([entry("f", "t")], [result("t", True)], [], surface=surface).score == 0


def test_credibility_is_the_weighted_share():
    entries = [entry("f", "t1", "t2", "t3"), entry("g", value_probes=2)]
    tests = [result("t1", True), result("t2", True), result("t3", False)]
    report = credibility(entries, tests, [probed("g", 1, 1)])
    # f weighs sqrt(4) = 2, g weighs 1.
    assert report.score == pytest.approx(2 / 3)
    assert (report.credible, report.not_credible) == (("f",), ("g",))


def test_a_harness_fault_that_decides_leaves_credibility_open():
    lost = result("t", False, fault=Fault.HARNESS)
    report = credibility([entry("f", "t")], [lost], [])
    assert (report.score, report.credible, report.not_credible) == (None, (), ())


def test_a_harness_fault_that_decides_nothing_does_not():
    tests = [result("a", True), result("b", True), result("c", False, fault=Fault.HARNESS)]
    assert credibility([entry("f", "a", "b", "c")], tests, []).score == 1
    failed = [result(n, False) for n in "abc"] + [result("d", False, fault=Fault.HARNESS)]
    assert credibility([entry("f", *"abcd")], failed, []).score == 0


def test_probes_that_were_not_run_leave_credibility_open_where_they_decide():
    assert credibility([entry("f", value_probes=2)], [], []).score is None
    assert credibility([entry("f", "t", value_probes=2)], [result("t", True)], []).score == 1


def test_survival_counts_credible_entries_only_and_halves_after_a_hard_fault():
    entries = [entry("f", "1", "2", "3"), entry("g"), entry("h")]
    probes = [probed("f", 8, 10), probed("g", 10, 10, hard=True), probed("h", 10, 10)]
    outcome = survival(entries, probes, [], {"f", "g"})
    # (2 * 0.8 + 1 * 1.0 / 2) / (2 + 1 + 1)
    assert isinstance(outcome, Measured)
    assert outcome.value == pytest.approx(2.1 / 4)


def test_an_absent_entry_survives_nothing():
    outcome = survival([entry("f")], [probed("f", 3, 3, absent=True)], [], {"f"})
    assert outcome == Measured(value=0)


def test_a_property_weighs_one_and_is_credible_with_all_its_entries():
    held = PropertyOutcome(id="p", passed=True, entries=("f", "g"))
    probes = [probed("f", 1, 1)]
    assert survival([entry("f")], probes, [held], {"f", "g"}) == Measured(value=1)
    assert survival([entry("f")], probes, [held], {"f"}) == Measured(value=0.5)


def test_a_manifest_without_probes_is_not_applicable():
    assert isinstance(survival([entry("f")], [], [], {"f"}), NotApplicable)


def test_stability_is_the_share_with_a_verdict():
    tests = [result("a", True), result("b", False), result("c", False, stable=False)]
    assert stability(tests) == Measured(value=2 / 3)
    assert isinstance(stability([]), NotApplicable)
    lost = stability([*tests, result("d", False, fault=Fault.HARNESS)])
    assert isinstance(lost, Unavailable)
    assert lost.fault is Fault.HARNESS


def test_survival_is_unavailable_where_an_entrys_credibility_is_open():
    entries = [entry("f", "t"), entry("g", "u")]
    tests = [result("t", False, fault=Fault.HARNESS), result("u", True)]
    report = credibility(entries, tests, [])
    assert undecided(entries, report) == ("f",)
    outcome = survival(entries, [probed("f", 1, 1)], [], report.credible, undecided(entries, report))
    assert isinstance(outcome, Unavailable)
    assert outcome.fault is Fault.HARNESS
    assert survival(entries, [probed("g", 1, 1)], [], report.credible, undecided(entries, report)) == Measured(value=1)
