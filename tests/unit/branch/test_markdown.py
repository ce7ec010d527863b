"""A comparison as a pull request's comment: the verdict first, the rest folded, short enough whatever happens."""

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from qualityscore.catalog import RENDERERS
from qualityscore.model.branch import (
    BaselineState,
    BranchReport,
    Condition,
    FindingChanges,
    GateReport,
    NameChange,
    NameChanges,
    TestChange,
    TestChanges,
)
from qualityscore.model.finding import Finding, Severity
from qualityscore.reports import console, markdown
from sample_reports import HOSTILE, report


def finding(number, severity=Severity.LOW, message="found"):
    return Finding(
        code=f"C{number}", tool="t", message=f"{message} {number}", severity=severity, path="a.py", line=number + 1
    )


def compared(**changes):
    """A report of a branch that broke one test and has five new findings."""
    new = (finding(0, Severity.HIGH), *(finding(n) for n in range(1, 5)))
    branch = BranchReport(
        baseline=BaselineState(kind="git", name="main", commit="c" * 40),
        tests=TestChanges(expected=10, passed=9, broken=(TestChange(id="t.py::test_a", reason="AssertionError"),)),
        names=NameChanges(
            expected=4,
            defined=3,
            lost=(NameChange(name="m.f", state="renamed", reason="m.py has g", to="g", similarity=0.9),),
        ),
        findings=FindingChanges(new=new, fixed=(finding(9),), unchanged=7, new_by_severity={"high": 1, "low": 4}),
        notes=("main has moved on since",),
    )
    conditions = (
        Condition(name="what passed still passes", passed=False, numbers="1, at most 0 is allowed", examples=("t.py",)),
        Condition(name="new tests pass", passed=True, numbers="0, at most 0 is allowed"),
    )
    gate = GateReport(source="default", passed=False, conditions=conditions)
    return replace(report(), branch=replace(branch, **changes), gate=gate)


def seen(text):
    """What a person sees without opening anything."""
    closed = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", MarkdownIt("commonmark").enable("table").render(closed))


def test_the_verdict_what_changed_and_three_findings_are_seen_at_once():
    text = seen(markdown.render(compared()))
    assert text.split()[0] == "Failed:"
    for shown in (
        "what passed still passes",
        "9 of 10 that passed before still run and pass, 0 new",
        "5 new (1 high, 4 low), 1 fixed, 7 unchanged",
        "3 of 4 still defined",
        "found 0",
        "found 2",
    ):
        assert shown in text
    assert "found 3" not in text
    assert "new tests pass" not in text


def test_everything_else_is_folded():
    text = markdown.render(compared())
    for summary in (
        "1 test passing before, failing now",
        "1 public name not defined any more",
        "5 new findings",
        "1 fixed finding",
        "1 note",
        "Scores",
    ):
        assert f"<summary>{summary}</summary>" in text
    assert "found 3" in text


def test_a_passed_gate_is_said_in_one_word():
    passed = replace(compared(), gate=GateReport(source="default", passed=True, conditions=()))
    assert seen(markdown.render(passed)).split()[0] == "Passed:"


@pytest.mark.parametrize("render", [markdown.render, console.render])
def test_tests_that_were_removed_do_not_count_as_passing(render):
    """Seven passed before; five are gone and would pass, one is skipped, one is left."""
    gone = tuple(TestChange(id=f"t.py::test_{n}", reason="it is gone, and would pass") for n in range(5))
    tests = TestChanges(
        expected=7, passed=7, removed=gone, skipped=(TestChange(id="t.py::test_5", reason="skipped"),), added=2
    )
    plain = compared(tests=tests)
    gate = GateReport(source="default", passed=True, conditions=(), accept_removed=True)
    strict, accepting = (" ".join(render(r).split()) for r in (plain, replace(plain, gate=gate)))
    assert "1 of 7 that passed before still run and pass, 5 removed, 1 skipped, 2 new" in strict
    assert (
        "1 of 7 that passed before still run and pass, 5 removed (accepted), 1 skipped (accepted), 2 new" in accepting
    )
    assert "5 tests removed (accepted)" in accepting
    assert "--accept-removed" in accepting
    assert "--accept-removed" not in strict


@pytest.mark.parametrize("render", [markdown.render, console.render])
def test_public_names_that_cannot_be_called_as_before_are_shown(render):
    changed = NameChange(name="m.total", state="incompatible", reason="parameter 'rate' is new and required")
    text = render(compared(names=NameChanges(expected=4, defined=4, incompatible=(changed,))))
    assert "1 public name whose signature changed incompatibly" in text
    assert "m.total" in text
    assert "parameter 'rate' is new and required" in text


@pytest.mark.parametrize("render", [markdown.render, console.render])
def test_public_names_that_moved_are_named(render):
    names = NameChanges(expected=4, defined=4, moved=2, moved_names=("m.total", "m.mean"))
    text = render(compared(names=names))
    assert "2 public names moved, and still defined" in text
    assert "m.total" in text
    assert "m.mean" in text


@pytest.mark.parametrize("render", [markdown.render, console.render])
def test_a_cause_that_breaks_many_tests_is_said_once(render):
    broken = tuple(TestChange(id=f"t.py::test_{n}", reason="no environment: nosuchthing") for n in range(4))
    text = render(compared(tests=TestChanges(expected=4, passed=0, broken=broken)))
    assert (text.count("nosuchthing"), text.count("the same as above")) == (1, 3)


@pytest.mark.parametrize("render", [markdown.render, console.render])
def test_a_measure_that_credibility_lowered_says_so(render):
    """A value as good as the baseline's scores 0.857 only because a seventh of the public names is gone."""
    plain = compared()
    security = plain.dimensions["security"]
    lowered = replace(security.measures[0], value=0.0, baseline=0.0, score=0.857, credibility=0.857)
    shown = replace(plain, dimensions={**plain.dimensions, "security": replace(security, measures=(lowered,))})
    assert "0, reference 0, × credibility 0.857" in " ".join(render(shown).split())
    assert "× credibility" not in render(plain)


def test_one_condition_is_a_singular():
    one = Condition(name="c", passed=True, numbers="0")
    assert GateReport(source="s", passed=True, conditions=(one,)).words == "1 condition"
    assert GateReport(source="s", passed=True, conditions=(one, one)).words == "2 conditions"


@pytest.mark.parametrize("name", ["html", "markdown", "console"])
def test_every_page_says_of_credibility_what_it_counts(name):
    """A branch's c counts names that are defined; a task's, entries that were shown to do something right."""
    words = {"entries do something right", "public names are still defined"}
    assert {word for word in words if f"1 of 1 {word}" in RENDERERS[name](compared())} == {
        "public names are still defined"
    }
    assert {word for word in words if f"1 of 1 {word}" in RENDERERS[name](report())} == {"entries do something right"}


def test_the_console_shows_a_failing_test_once_under_its_full_name():
    """It is in the list of what became of tests, and neither in the gate's examples nor among failed tests again."""
    plain = compared()
    ids = ("tests/t.py::test_a", "tests/t.py::test_b")
    broken = TestChange(id=ids[0], reason="AssertionError")
    results = tuple(replace(plain.functional.tests[1], id=id_) for id_ in ids)
    gate = GateReport(
        source="default",
        passed=False,
        conditions=(
            Condition(
                name="what passed still passes",
                passed=False,
                numbers="branch.tests.broken.count is 1, at most 0 is allowed",
                examples=(f"{ids[0]}: AssertionError", "something else"),
            ),
        ),
    )
    shown = console.render(
        replace(
            plain,
            functional=replace(plain.functional, tests=results),
            branch=replace(plain.branch, tests=replace(plain.branch.tests, broken=(broken,))),
            gate=gate,
        )
    )
    assert (shown.count("test_a"), shown.count("tests/t.py::test_a")) == (1, 1)
    assert "1 test passing before, failing now" in shown
    assert "something else" in shown, "an example that no list shows stays"
    assert "1 failed test" in shown, "and so does a test that no list is about"


def test_it_stays_under_60000_characters_whatever_happens():
    long = (HOSTILE + "|`\\<" * 100) * 3
    tests = tuple(TestChange(id=f"{n}{long}", reason=long, to=long) for n in range(500))
    lists = dict.fromkeys(("broken", "removed", "skipped", "weakened", "undermined", "rewritten", "moved"), tests)
    findings = tuple(finding(n, Severity.HIGH, long) for n in range(500))
    huge = compared(
        tests=TestChanges(expected=500, passed=0, **lists),
        names=NameChanges(
            expected=500,
            defined=0,
            lost=tuple(NameChange(name=long, state="missing", reason=long) for _ in range(500)),
        ),
        findings=FindingChanges(new=findings, fixed=findings, unchanged=0, new_by_severity={"high": 500}),
        notes=(long,) * 500,
    )
    conditions = (Condition(name=long, passed=False, numbers=long, examples=(long,) * 5),) * 50
    huge = replace(huge, gate=GateReport(source=long, passed=False, conditions=conditions))
    text = markdown.render(huge)
    assert len(text) < 60_000
    assert "left out for length; the JSON report has all" in text
    assert text.count("<details>") == text.count("</details>")
    assert text.startswith("## Failed: ")
