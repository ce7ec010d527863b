"""JUnit XML of the functional tests, as test dashboards read it.

Of a branch it shows what its tests lost as well: a test that was removed, is newly skipped or asks for less fails
although it passes as it stood before, and a new test that fails is a case. A condition of the gate that could not be
decided is an error, so that a suite of which nothing was measured does not look like one without failures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from qualityscore.model.branch import TestChange, TestChanges
from qualityscore.model.measure import Fault
from qualityscore.model.outcome import TestOutcome, TestResult
from qualityscore.model.report import Report
from qualityscore.reports.plain_text import inert

_LOST = (
    ("removed", "removed"),
    ("skipped", "newly_skipped"),
    ("weakened", "weakened"),
    ("undermined", "undermined"),
    ("broken", "broken"),
    ("failing", "new_and_failing"),
)
"""The lists of a branch's tests that fail the default gate, with the type of their failure here."""
_ACCEPTED = frozenset({"removed", "newly_skipped"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One case. `tag` is None where it passed; `duration_s` None where nobody knows it."""

    id: str
    tag: Literal["failure", "error", "skipped"] | None = None
    kind: str = ""
    message: str = ""
    place: str = ""
    output: str | None = None
    duration_s: float | None = None


def render(report: Report) -> str:
    """Well-formed for any message: what XML 1.0 cannot hold is shown as its escape."""
    cases = tuple(_cases(report))
    tags = [case.tag for case in cases]
    counts = {
        "tests": str(len(cases)),
        "failures": str(tags.count("failure")),
        "errors": str(tags.count("error")),
        "skipped": str(tags.count("skipped")),
    }
    time = f"{sum(case.duration_s or 0.0 for case in cases):.3f}"
    root = ElementTree.Element("testsuites", {"name": "qualityscore", **counts, "time": time})
    suite = ElementTree.SubElement(root, "testsuite", {"name": _text(report.task.id), **counts, "time": time})
    for case in cases:
        _add(suite, case)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add(suite: ElementTree.Element, case: _Case) -> None:
    file, _, name = case.id.partition("::")
    attributes = {"classname": _text(file), "name": _text(name or file)}
    if case.duration_s is not None:
        attributes["time"] = f"{case.duration_s:.3f}"
    element = ElementTree.SubElement(suite, "testcase", attributes)
    if case.tag is None:
        return
    kind = {} if case.tag == "skipped" else {"type": _text(case.kind)}
    node = ElementTree.SubElement(element, case.tag, {**kind, "message": _text(case.message)})
    if case.place:
        node.text = _text(case.place)
    if case.output:
        ElementTree.SubElement(element, "system-out").text = _text(case.output)


def _cases(report: Report) -> Iterator[_Case]:
    """Every expected test in order, then the branch's tests that are none of them, then what a gate left open."""
    changes = {} if report.branch is None or report.functional.left_out else _changes(report.branch.tests)
    accepted = report.gate is not None and report.gate.accept_removed
    for test in report.functional.tests:
        change = changes.pop(test.id, None)
        yield _of_result(test) if change is None else _of_change(*change, test, accepted=accepted)
    for change in changes.values():
        yield _of_change(*change, None, accepted=accepted)
    for condition in report.gate.undecided if report.gate is not None else ():
        yield _Case(id=f"gate::{condition.name}", tag="error", kind="not_decided", message=condition.numbers)


def _changes(tests: TestChanges | None) -> dict[str, tuple[str, TestChange]]:
    """What became of tests for the worse, with its kind, by id."""
    found: dict[str, tuple[str, TestChange]] = {}
    for name, kind in _LOST if tests is not None else ():
        for change in getattr(tests, name):
            found.setdefault(change.id, (kind, change))
    return found


def _of_change(kind: str, change: TestChange, test: TestResult | None, *, accepted: bool) -> _Case:
    """A test that was lost, or a new one that fails."""
    if test is not None and (kind in ("broken", "undermined") or (kind == "weakened" and accepted)):
        return _of_result(test)
    moved = f" (now {change.to})" if change.to else ""
    return _Case(
        id=change.id,
        tag="skipped" if accepted and kind in _ACCEPTED else "failure",
        kind=kind,
        message=f"{kind.replace('_', ' ')}{moved}: {change.reason}",
        duration_s=test.duration_s if test is not None else change.duration_s,
    )


def _of_result(test: TestResult) -> _Case:
    if test.outcome is TestOutcome.PASSED:
        return _Case(id=test.id, duration_s=test.duration_s)
    failure = test.failure
    place = failure.location if failure else None
    return _Case(
        id=test.id,
        tag="error" if test.fault in (Fault.HARNESS, Fault.REFERENCE) else "failure",
        kind=f"{failure.class_name.value}.{failure.subclass}" if failure else test.outcome.value,
        message=failure.message if failure else test.outcome.value,
        place=f"{place.path}:{place.line or ''} {place.function or ''}".strip() if place else "",
        output=test.output,
        duration_s=test.duration_s,
    )


def _text(value: str) -> str:
    """Without control characters and surrogates (`inert`), and without the two non-characters that XML forbids."""
    return inert(value, limit=2000).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
