"""Two labels, and two reports, compared."""

from dataclasses import replace

import pytest

from qualityscore.core.comparability import Comparability, require_comparable
from qualityscore.core.comparison import compare_reports, compare_sets, conclusions
from qualityscore.core.leaderboard import Result
from qualityscore.errors import IncomparableError
from qualityscore.model.finding import Finding
from qualityscore.model.measure import Direction, Unit
from qualityscore.model.outcome import TestOutcome, TestResult
from qualityscore.model.report import (
    CredibilityReport,
    DimensionReport,
    FunctionalReport,
    MeasureReport,
    NonFunctionalReport,
    Report,
    Status,
    SubjectInfo,
    TaskInfo,
)


def result(label, task, functional, *, build=1.0, full=0.0, sample=0, **values):
    return Result(label=label, task=task, functional=functional, build=build, full=full, sample=sample, **values)


def compared(first, second, **options):
    return compare_sets(first, second, seed=1, **options)


def ratio(comparison, quantity, condition):
    [test] = [t for t in comparison.ratios if (t.quantity, t.condition) == (quantity, condition)]
    return test


def test_binary_outcomes_are_paired_by_task():
    first = [result("a", f"t{i}", 1.0, full=1.0) for i in range(8)]
    second = [result("b", f"t{i}", 0.5, full=float(i < 2)) for i in range(8)]
    comparison = compared(first, second)
    [build, full] = comparison.binary
    assert (build.test.both, build.test.p) == (8, 1)
    # Six discordant tasks, all of one kind: 2 / 2^6.
    assert (full.test.only_first, full.test.only_second, full.test.p) == (6, 0, pytest.approx(2 / 64))


def test_a_task_that_one_side_lacks_is_not_built_there():
    comparison = compared([result("a", "t1", 1.0), result("a", "t2", 1.0)], [result("b", "t1", 1.0)])
    assert comparison.only_first == ("t2",)
    assert comparison.binary[0].test.only_first == 1
    assert ratio(comparison, "functional", "built_by_both").test.n == 1
    assert ratio(comparison, "functional", "unbuilt_as_0").test.n == 2


def test_numbers_are_compared_where_both_build_and_with_unbuilt_as_nought():
    first = [result("a", "t1", 0.5), result("a", "t2", 0.0, build=0.0), result("a", "t3", 0.4)]
    second = [result("b", "t1", 0.4), result("b", "t2", 0.9), result("b", "t3", 0.4)]
    comparison = compared(first, second)
    both = ratio(comparison, "functional", "built_by_both").test
    assert (both.n, both.differing, both.mean_difference) == (2, 1, pytest.approx(-0.05))
    everything = ratio(comparison, "functional", "unbuilt_as_0").test
    assert (everything.n, everything.mean_difference) == (3, pytest.approx((0.9 - 0.1) / 3))


def test_what_was_not_measured_is_left_out_and_counted():
    first = [result("a", "t1", 0.5, non_functional=None), result("a", "t2", 0.5, non_functional=0.5)]
    second = [result("b", "t1", 0.5, non_functional=0.9), result("b", "t2", 0.5, non_functional=0.7)]
    test = ratio(compared(first, second), "non_functional", "unbuilt_as_0")
    assert (test.test.n, test.left_out) == (1, 1)


def test_samples_are_averaged_for_numbers_and_the_first_decides_for_outcomes():
    first = [result("a", "t", 0.0, full=0.0, sample=2), result("a", "t", 1.0, full=1.0, sample=1)]
    comparison = compared(first, [result("b", "t", 0.5, full=0.0)])
    assert ratio(comparison, "functional", "unbuilt_as_0").test.mean_difference == 0
    assert comparison.binary[1].test.only_first == 1


def test_ratios_behind_capped_scores_are_compared_where_they_exist():
    values = {"dimensions": {"efficiency": 1.0}}
    first = [result("a", f"t{i}", 1.0, ratios={"efficiency": 2.0}, **values) for i in range(6)]
    second = [result("b", f"t{i}", 1.0, ratios={"efficiency": 1.5}, **values) for i in range(6)]
    comparison = compared(first, second)
    assert ratio(comparison, "efficiency", "built_by_both").test.p == 1
    assert ratio(comparison, "efficiency.ratio", "built_by_both").test.p == pytest.approx(2 / 64)


def test_p_values_are_adjusted_over_all_tests_and_the_words_follow_them():
    first = [result("a", f"t{i}", 0.9, full=1.0) for i in range(20)]
    second = [result("b", f"t{i}", 0.1 + i / 1000) for i in range(20)]
    comparison = compared(first, second)
    tests = [*comparison.binary, *comparison.ratios]
    raw = [t.test.p for t in tests]
    # Build and the two of NF, which has no value on either side, say nothing; full and the two of F differ everywhere.
    assert sorted(raw) == pytest.approx([2 / 2**20] * 3 + [1] * 3)
    # Everything is built, so that both tests of F are one, and both of NF: four different tests.
    assert [t.p_holm for t in tests if t.test.p < 0.5] == pytest.approx([4 * 2 / 2**20] * 3)
    assert "a passes every test more often than b" in comparison.binary[1].says
    assert "Nothing is shown" in comparison.binary[0].says
    assert "a is higher than b where both build" in ratio(comparison, "functional", "built_by_both").says
    assert "no task can be compared" in ratio(comparison, "non_functional", "built_by_both").says


def test_tasks_that_neither_side_has_count_for_both():
    first = [result("a", f"t{i}", 0.9, full=1.0) for i in range(6)]
    second = [result("b", f"t{i}", 0.1) for i in range(5)]
    comparison = compared(first, second, known_tasks=["t0", "t6"], expected=9)
    # t0 to t5, t6 that is known, and two more that are expected.
    assert (comparison.tasks, comparison.neither, comparison.only_first) == (9, 3, ("t5",))
    assert [(b.test.n, b.test.both, b.test.only_first, b.test.neither) for b in comparison.binary] == [
        (9, 5, 1, 3),
        (9, 0, 6, 3),
    ]
    everything = ratio(comparison, "functional", "unbuilt_as_0").test
    # Five tasks from 0.9 to 0.1 and one from 0.9 to 0, over nine.
    assert (everything.n, everything.differing, everything.mean_difference) == (9, 6, pytest.approx(-4.9 / 9))
    assert ratio(comparison, "functional", "built_by_both").test.n == 5


def test_differences_are_second_less_first_and_name_who_is_ahead():
    first = [result("a", f"t{i}", 0.1) for i in range(12)]
    second = [result("b", f"t{i}", 0.9, full=1.0) for i in range(12)]
    comparison = compared(first, second)
    f = ratio(comparison, "functional", "built_by_both")
    assert (f.test.mean_difference, f.test.rank_biserial) == (pytest.approx(0.8), 1)
    assert f.test.low == pytest.approx(0.8)
    full = comparison.binary[1]
    assert (full.test.difference, full.test.only_second, full.test.low > 0) == (1, 12, True)
    assert "b is higher than a" in f.says
    assert "b passes every test more often than a" in full.says


def test_a_test_that_both_conditions_share_is_counted_once():
    # Both build all ten tasks: a test of build, one of full, one of F, one of NF (of which nothing is measured).
    first = [result("a", f"t{i}", 0.9) for i in range(10)]
    second = [result("b", f"t{i}", 0.1) for i in range(10)]
    same = compared(first, second)
    assert [ratio(same, "functional", c).p_holm for c in ("built_by_both", "unbuilt_as_0")] == pytest.approx(
        [4 * 2 / 2**10] * 2
    )
    # One more task that b does not build: the tests of F differ, over ten tasks and eleven: 2/2^11 x 5, 2/2^10 x 4.
    other = compared([*first, result("a", "u", 0.5)], [*second, result("b", "u", 0.0, build=0.0)])
    assert [ratio(other, "functional", c).p_holm for c in ("unbuilt_as_0", "built_by_both")] == pytest.approx(
        [5 * 2 / 2**11, 4 * 2 / 2**10]
    )


def test_what_is_not_shown_is_one_sentence():
    values = {"dimensions": {"security": 0.5, "resource": 0.5}}
    first = [result("a", f"t{i}", 0.9, **values) for i in range(12)]
    second = [result("b", f"t{i}", 0.1, **values) for i in range(12)]
    said = conclusions(compared(first, second))
    assert said[-2:] == (
        "No difference is shown in build, full, security, resource (Holm-adjusted p = 1.0000 or more).",
        "No task can be compared in non_functional.",
    )
    assert [s.split(":")[0] for s in said[:-2]] == ["functional", "functional"]


def test_what_was_nowhere_measured_is_not_compared_where_tasks_are_absent():
    first = [result("a", "t1", 0.5, non_functional=None)]
    second = [result("b", "t1", 0.5, non_functional=0.9)]
    test = ratio(compared(first, second, expected=5), "non_functional", "unbuilt_as_0")
    assert (test.test.n, test.left_out, test.test.mean_difference) == (0, 5, None)
    # What builds nowhere is 0 everywhere: that was measured.
    broken = [result("a", "t1", 0.0, build=0.0, non_functional=None)]
    assert ratio(compared(broken, second), "non_functional", "unbuilt_as_0").test.mean_difference == pytest.approx(0.9)


def test_a_set_compared_with_itself_says_so_and_sides_of_one_label_are_told_apart():
    first = [result("a", f"t{i}", 0.9) for i in range(9)]
    itself = compared(first, list(first))
    assert itself.notes == ("Both sides are the same results: nothing can differ.",)
    later = compared(first, [result("a", f"t{i}", 0.1) for i in range(9)])
    assert (later.first, later.second, later.notes) == ("a (first)", "a (second)", ())
    assert "a (first) is higher than a (second)" in ratio(later, "functional", "built_by_both").says


@pytest.mark.parametrize(("tasks", "noted"), [(1, False), (7, True), (8, False)])
def test_intervals_over_few_tasks_are_said_to_be_too_narrow(tasks, noted):
    first = [result("a", f"t{i}", i / 9) for i in range(tasks)]
    second = [result("b", f"t{i}", 0.1) for i in range(tasks)]
    assert any("too narrow" in note for note in compared(first, second).notes) == noted


def measure(name, value=4.0):
    return MeasureReport(
        id=f"{name}.measure",
        title="",
        value=value,
        unit=Unit.COUNT,
        better=Direction.LOWER,
        baseline=5.0,
        ratio=None,
        score=None,
        low=None,
        high=None,
        weight=1.0,
    )


def report(**changes):
    base = Report(
        schema_version="1.0",
        score_model="0.1",
        status=Status.COMPLETE,
        subject=SubjectInfo(path="x", digest="d"),
        task=TaskInfo(id="t", title="", digest="td", reference=""),
        functional=FunctionalReport(score=0.5, passed=1, expected=2, build=True, test=0.5, full=False),
        credibility=CredibilityReport(score=1.0),
        non_functional=NonFunctionalReport(score=0.8, low=0.8, high=0.8),
        dimensions={
            name: DimensionReport(score=0.8, low=0.8, high=0.8, weight=0.2, measures=(measure(name),))
            for name in ("maintainability", "security", "robustness", "efficiency", "resource")
        },
        effective=0.4,
        provenance={
            "profile_digest": "p",
            "tools": {"pylint": "4.1", "memray": "1.20"},
            "host": {"cpu": "a", "fingerprint": "f"},
            "sandbox": "namespace",
            "counter": "valgrind",
        },
    )
    return replace(base, **changes)


def with_provenance(**changes):
    return report(provenance={**report().provenance, **changes})


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (report(score_model="0.2"), "score_model"),
        (with_provenance(profile_digest="q"), "profile_digest"),
        (report(task=TaskInfo(id="u", title="", digest="td", reference="")), "task.id"),
        (report(task=TaskInfo(id="t", title="", digest="other", reference="")), "task.digest"),
    ],
)
def test_what_makes_nothing_comparable_is_refused_by_name(other, name):
    with pytest.raises(IncomparableError, match=f"{name} differs"):
        require_comparable(report(), other)


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        (
            {"tools": {"pylint": "4.2", "memray": "1.20"}},
            {"maintainability": "tools.pylint", "security": "tools.pylint"},
        ),
        ({"tools": {"pylint": "4.1", "memray": "1.21"}}, {"efficiency": "tools.memray", "resource": "tools.memray"}),
        ({"host": {"cpu": "b", "fingerprint": "g"}}, {"efficiency": "host.cpu", "resource": "host.cpu"}),
        ({"sandbox": "landlock"}, {"efficiency": "sandbox", "resource": "sandbox"}),
        ({"counter": "cpu"}, {"efficiency": "counter", "resource": "counter"}),
        ({"started": "later"}, {}),
        # The task's environment brings what runs its suites; its lock is part of the task's digest.
        ({"tools": {"pylint": "4.1", "memray": "1.20", "pytest": "9.0", "hypothesis": "6.1"}}, {}),
    ],
)
def test_what_makes_single_dimensions_incomparable_is_named(changes, refused):
    found = require_comparable(report(), with_provenance(**changes))
    assert found.refused == refused
    assert found.non_functional == next(iter(refused.values()), None)


@pytest.mark.parametrize(
    ("unmeasured", "refused"),
    [
        (("maintainability", "security"), {"resource": "tools.memray"}),
        (("security", "resource"), {"maintainability": "tools.pylint"}),
    ],
)
def test_what_one_side_did_not_measure_has_no_tools_that_could_differ(unmeasured, refused):
    """`efficiency` is measured by the one side alone, the dimensions of each case by the other alone."""
    other = with_provenance(tools={})
    other = replace(other, dimensions={**other.dimensions, **{n: without_value(n) for n in unmeasured}})
    one = report()
    one = replace(one, dimensions={**one.dimensions, "efficiency": without_value("efficiency")})
    assert require_comparable(one, other).refused == refused
    assert require_comparable(other, one).refused == refused


def without_value(name):
    return DimensionReport(score=None, low=0.0, high=1.0, weight=0.2, measures=(measure(name, None),))


def test_a_refused_dimension_has_no_difference_and_neither_has_nf():
    compared_reports = compare_reports(report(), report(), Comparability(refused={"efficiency": "counter"}))
    assert compared_reports.dimensions["efficiency"].difference is None
    assert compared_reports.dimensions["efficiency"].refused == "counter"
    assert compared_reports.scores["non_functional"].refused == "counter"
    assert compared_reports.dimensions["security"].difference == 0
    assert compared_reports.scores["functional"].difference == 0


def finding(message, line=1, **more):
    return Finding(code="X1", tool="x", message=message, path="m.py", line=line, **more)


def functional_with(**outcomes):
    tests = tuple(TestResult(id=name, outcome=TestOutcome(outcome)) for name, outcome in outcomes.items())
    return replace(report().functional, tests=tests)


def test_tests_and_findings_are_new_fixed_or_unchanged():
    first = report(
        functional=functional_with(a="passed", b="failed", c="failed"),
        findings=(finding("one"), finding("two", 5), finding("twice", 7), finding("twice", 9)),
    )
    second = report(
        functional=functional_with(a="failed", b="passed", c="skipped"),
        findings=(finding("two", 50), finding("three"), finding("twice", 8)),
    )
    found = compare_reports(first, second, Comparability())
    assert (found.tests.new, found.tests.fixed, found.tests.unchanged) == (("a",), ("b",), 1)
    assert found.findings.new == ("X1 m.py: three",)
    assert found.findings.fixed == ("X1 m.py: one", "X1 m.py: twice")
    assert found.findings.unchanged == 2


def test_a_score_that_one_report_lacks_has_no_difference():
    found = compare_reports(report(), report(effective=None), Comparability())
    assert found.scores["effective"].difference is None
