"""JUnit XML of the functional tests, as test dashboards read it."""

from __future__ import annotations

from xml.etree import ElementTree

from qualityscore.model.measure import Fault
from qualityscore.model.outcome import TestOutcome, TestResult
from qualityscore.model.report import Report
from qualityscore.reports.plain_text import inert


def render(report: Report) -> str:
    """Well-formed for any message: what XML 1.0 cannot hold is shown as its escape."""
    tests = report.functional.tests
    errors = sum(_is_error(t) for t in tests)
    failures = sum(t.outcome is not TestOutcome.PASSED for t in tests) - errors
    counts = {"tests": str(len(tests)), "failures": str(failures), "errors": str(errors), "skipped": "0"}
    time = f"{sum(t.duration_s or 0.0 for t in tests):.3f}"
    root = ElementTree.Element("testsuites", {"name": "qualityscore", **counts, "time": time})
    suite = ElementTree.SubElement(root, "testsuite", {"name": _text(report.task.id), **counts, "time": time})
    for test in tests:
        file, _, name = test.id.partition("::")
        attributes = {"classname": _text(file), "name": _text(name or file), "time": f"{test.duration_s or 0.0:.3f}"}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if test.outcome is TestOutcome.PASSED:
            continue
        message = test.failure.message if test.failure else test.outcome.value
        kind = f"{test.failure.class_name.value}.{test.failure.subclass}" if test.failure else test.outcome.value
        tag = "error" if _is_error(test) else "failure"
        node = ElementTree.SubElement(case, tag, {"type": _text(kind), "message": _text(message)})
        if test.failure and test.failure.location:
            place = test.failure.location
            node.text = _text(f"{place.path}:{place.line or ''} {place.function or ''}".strip())
        if test.output:
            ElementTree.SubElement(case, "system-out").text = _text(test.output)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _is_error(test: TestResult) -> bool:
    """Not judged, by the harness's or the reference's fault."""
    return test.outcome is not TestOutcome.PASSED and test.fault in (Fault.HARNESS, Fault.REFERENCE)


def _text(value: str) -> str:
    """Without control characters and surrogates (`inert`), and without the two non-characters that XML forbids."""
    return inert(value, limit=2000).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
