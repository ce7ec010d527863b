"""A report lists a bounded number of findings; what is left out is counted, and no score changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from qualityscore.collectors import listing
from qualityscore.collectors.context import StaticOutcome
from qualityscore.collectors.listing import listed, listed_suppressions
from qualityscore.core.failures import refine
from qualityscore.model.finding import Finding, Severity, Suppression
from qualityscore.model.measure import Measured
from qualityscore.model.outcome import Failure, FailureClass, Location, TestOutcome, TestResult

Measure = Callable[..., StaticOutcome]


def found(code: str, path: str, line: int, points: float = 1.0) -> Finding:
    return Finding(
        code=code,
        tool="bandit",
        message="m",
        severity=Severity.HIGH,
        path=path,
        line=line,
        dimension="security",
        measure="bandit.risk",
        points=points,
    )


def test_within_the_bounds_nothing_changes():
    findings = tuple(found("A", f"f{n % 20}.py", n) for n in range(listing.PER_CODE))
    assert listed(findings) == findings


def test_one_file_lists_so_many_of_a_code_and_counts_the_rest():
    shown = listed([found("A", "a.py", n, points=2.0) for n in range(listing.PER_FILE + 7)] + [found("B", "a.py", 1)])
    *first, rest = shown
    assert [f.line for f in first if f.code == "A"] == list(range(listing.PER_FILE))
    assert sum(f.code == "B" for f in first) == 1
    assert (rest.code, rest.measure, rest.dimension, rest.tool) == ("A", "bandit.risk", "security", "bandit")
    assert (rest.severity, rest.path, rest.line, rest.points) == (Severity.INFO, "a.py", None, 14.0)
    assert rest.message.startswith("7 more")
    assert rest.details == {"more": 7}


def test_a_code_is_listed_so_often_over_all_files_and_all_codes_together_too():
    many = [found("A", f"{n}.py", 1) for n in range(listing.PER_CODE + 1)]
    assert [f.details.get("more") for f in listed(many)[listing.PER_CODE :]] == [1]
    codes = [found(f"C{n % 50}", f"{n}.py", 1) for n in range(listing.MOST + 100)]
    shown = listed(codes)
    assert sum(f.severity is not Severity.INFO for f in shown) == listing.MOST
    assert sum(f.details.get("more", 0) for f in shown) == 100
    assert sum(f.points for f in shown) == listing.MOST + 100
    assert {f.path for f in shown if f.severity is Severity.INFO} == {None}


def test_long_texts_are_cut():
    long = replace(found("A", "a.py", 1), message="x" * 5000, name="y" * 5000)
    (shown,) = listed([long])
    assert (len(shown.message), len(shown.name or "")) == (listing.LONGEST_TEXT, listing.LONGEST_TEXT)
    (text,) = listed_suppressions([Suppression(path="a.py", line=1, text="#" * 5000)])
    assert len(text.text) == listing.LONGEST_TEXT


def test_suppressions_are_counted_beyond_the_first():
    many = [Suppression(path="a.py", line=n, text="# nosec") for n in range(1, listing.MOST_SUPPRESSIONS + 4)]
    *first, rest = listed_suppressions(many)
    assert first == many[:-3]
    assert (rest.path, rest.text) == (".", "3 more")
    assert listed_suppressions(many[:5]) == tuple(many[:5])


def test_unreadable_files_are_counted_beyond_the_first(measured: Measure):
    outcome = measured({f"f{n:03}.py": "(" for n in range(listing.MOST_UNREADABLE + 5)}, judged=[])
    reasons = [fault.reason for fault in outcome.faults]
    assert len(reasons) == listing.MOST_UNREADABLE + 1
    assert reasons[-1] == "5 more files cannot be read by a tool"


@pytest.fixture
def flood(measured: Measure) -> StaticOutcome:
    """Four thousand calls of eval in two files."""
    line = "eval(x)  # nosec\n"
    return measured({"a.py": "x = 1\n" + line * 2_000, "b.py": "x = 1\n" + line * 2_000}, judged=[])


def test_a_flood_of_eval_costs_every_point_and_fills_no_report(flood: StaticOutcome):
    risk = flood.measures["bandit.risk"]
    assert isinstance(risk, Measured)
    assert risk.value == 4_000 * 12  # each high, with full confidence
    dynamic = [f for f in flood.every_finding if f.measure == "bandit.risk"]
    assert len(dynamic) == 4_000
    shown = [f for f in flood.findings if f.measure == "bandit.risk"]
    assert len(shown) == 2 * listing.PER_FILE + 1
    assert sum(f.points for f in shown) == risk.value
    assert len(flood.findings) < 1000
    assert len(flood.suppressions) == listing.MOST_SUPPRESSIONS + 1


def test_a_failure_meets_its_finding_also_where_that_is_not_listed(measured: Measure):
    methods = "".join(f"    def m{n}(self):\n        return self.absent{n}\n" for n in range(listing.PER_FILE + 20))
    text = f"class A:\n    def __init__(self):\n        self.a = 1\n{methods}"
    fields = [
        Finding(code="QSF001", tool="fields", message="m", path="a.py", line=5 + 2 * n, measure="structure.defects")
        for n in range(listing.PER_FILE + 20)
    ]
    judged = [("a.py", 4 + 2 * n) for n in range(listing.PER_FILE + 20)]
    outcome = measured({"a.py": text}, judged=judged, analysed=fields)
    last = 5 + 2 * (listing.PER_FILE + 19)
    assert last not in {f.line for f in outcome.findings if f.code == "QSF001"}
    test = TestResult(
        id="t",
        outcome=TestOutcome.FAILED,
        failure=Failure(
            class_name=FailureClass.MISMATCH,
            subclass="unexpected_exception",
            message="AttributeError: 'A' object has no attribute 'absent119'",
            location=Location(path="a.py", line=last),
        ),
    )
    (refined,) = refine([test], outcome.every_finding)
    assert refined.failure is not None
    assert refined.failure.subclass == "inconsistent_field"
