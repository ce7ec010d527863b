"""JUnit of a branch: what failed the gate is red there too."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from qualityscore.model.branch import (
    BaselineState,
    BranchReport,
    FindingChanges,
    GateReport,
    TestChange,
    TestChanges,
)
from qualityscore.model.outcome import TestOutcome, TestResult
from qualityscore.reports import junit
from sample_reports import report


def change(name, reason, **more):
    return TestChange(id=f"tests/t.py::test_{name}", reason=reason, **more)


def branch(*, accepted=False, **functional):
    """Five tests that passed before; as they stood, all pass. Four were touched, and a new one fails."""
    names = ("kept", "removed", "skipped", "weaker", "moved")
    tests = tuple(
        TestResult(
            id=f"tests/t.py::test_{name}",
            outcome=TestOutcome.PASSED,
            duration_s=None if name in ("removed", "skipped") else 0.25,
        )
        for name in names
    )
    changes = TestChanges(
        expected=5,
        passed=5,
        removed=(change("removed", "it is gone, and would pass"),),
        skipped=(change("skipped", "skipped: too slow"),),
        weakened=(
            change("weaker", "1 assertion, 2 before"),
            change("moved", "0 assertions, 2 before", to="t::test_n"),
        ),
        failing=(change("new", "assert 1 == 2", duration_s=0.5), TestChange(id="tests/bad.py", reason="SyntaxError")),
    )
    plain = report()
    return replace(
        plain,
        functional=replace(plain.functional, tests=tests, **functional),
        branch=BranchReport(
            baseline=BaselineState(kind="git", name="main"), tests=changes, names=None, findings=FindingChanges()
        ),
        gate=GateReport(source="default", passed=False, conditions=(), accept_removed=accepted),
    )


def cases(document):
    """(name, what is said, message, time) of every case, and the counts of the suite."""
    suite = ElementTree.fromstring(junit.render(document)).find("testsuite")
    found = {
        case.get("name"): (
            case[0].tag if len(case) else None,
            case[0].get("message") if len(case) else "",
            case.get("time"),
        )
        for case in suite
    }
    return found, {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")}


def test_what_a_branch_lost_fails_and_what_it_adds_and_fails_is_there():
    found, counts = cases(branch())
    assert found == {
        "test_kept": (None, "", "0.250"),
        "test_removed": ("failure", "removed: it is gone, and would pass", None),
        "test_skipped": ("failure", "newly skipped: skipped: too slow", None),
        "test_weaker": ("failure", "weakened: 1 assertion, 2 before", "0.250"),
        "test_moved": ("failure", "weakened (now t::test_n): 0 assertions, 2 before", "0.250"),
        "test_new": ("failure", "new and failing: assert 1 == 2", "0.500"),
        "tests/bad.py": ("failure", "new and failing: SyntaxError", None),
    }
    assert counts == {"tests": "7", "failures": "6", "errors": "0", "skipped": "0", "time": "1.250"}


def test_what_was_accepted_is_skipped_or_passes():
    found, counts = cases(branch(accepted=True))
    assert {name: said for name, (said, _, _) in found.items()} == {
        "test_kept": None,
        "test_removed": "skipped",
        "test_skipped": "skipped",
        "test_weaker": None,
        "test_moved": None,
        "test_new": "failure",
        "tests/bad.py": "failure",
    }
    assert (counts["failures"], counts["skipped"]) == ("2", "2")


@pytest.mark.parametrize("kind", ["broken", "undermined"])
def test_a_test_that_fails_says_why_by_its_own_failure(kind):
    failed = report().functional.tests[1]
    changed = branch()
    tests = TestChanges(expected=1, passed=0, **{kind: (TestChange(id=failed.id, reason="a shorter reason"),)})
    changed = replace(
        changed,
        functional=replace(changed.functional, tests=(failed,)),
        branch=replace(changed.branch, tests=tests),
    )
    assert cases(changed)[0] == {"test_two": ("failure", "assert f(1) == 2: got 3", None)}


def test_tests_that_were_not_asked_for_are_not_there():
    unasked = branch(left_out=True)
    assert cases(replace(unasked, functional=replace(unasked.functional, tests=())))[0] == {}
