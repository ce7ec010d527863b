"""What a static finding at the raising line decides, and what it does not."""

import pytest

from qualityscore.core.failures import class_level_label, refine
from qualityscore.model.finding import Finding
from qualityscore.model.outcome import Failure, FailureClass, Location, TestResult
from qualityscore.model.outcome import TestOutcome as Outcome


def failed(message, *, subclass="unexpected_exception", kind=FailureClass.MISMATCH, line=7, path="m.py"):
    place = None if line is None else Location(path=path, line=line)
    failure = Failure(class_name=kind, subclass=subclass, message=message, location=place)
    return TestResult(id="t", outcome=Outcome.FAILED, failure=failure)


def finding(code, line=7, path="m.py"):
    return Finding(code=code, tool="fields", message="x", path=path, line=line)


MISSING = "AttributeError: 'Cache' object has no attribute 'size'"


@pytest.mark.parametrize(
    ("test", "found", "subclass"),
    [
        (failed(MISSING), finding("QSF001"), "inconsistent_field"),
        (failed(MISSING, subclass="missing_attribute"), finding("QSF003"), "inconsistent_field"),
        (failed(MISSING), finding("QSF001", line=8), "unexpected_exception"),
        (failed(MISSING), finding("QSF001", path="n.py"), "unexpected_exception"),
        (failed(MISSING), finding("QSN001"), "unexpected_exception"),
        (failed(MISSING, line=None), finding("QSF001"), "unexpected_exception"),
        (failed("KeyError: 'size'"), finding("QSF001"), "unexpected_exception"),
        (failed("TypeError: f() takes 1 positional argument"), finding("QSN006"), "signature"),
        (failed("TypeError: f() takes 1 positional argument"), finding("QSF001"), "unexpected_exception"),
        (
            failed(MISSING, kind=FailureClass.EXECUTABILITY, subclass="broken_import"),
            finding("QSF001"),
            "broken_import",
        ),
    ],
)
def test_a_finding_at_the_raising_line_decides_the_subclass(test, found, subclass):
    [refined] = refine([test], [found])
    assert refined.failure.subclass == subclass
    assert refined.failure.class_name is test.failure.class_name


def test_a_passing_test_stays_as_it_is():
    passed = TestResult(id="t", outcome=Outcome.PASSED)
    assert refine([passed], [finding("QSF001")]) == (passed,)


@pytest.mark.parametrize(
    ("subclass", "message", "label"),
    [
        ("syntax", "", "syntax"),
        ("missing_module", "", "dependency: library"),
        ("inconsistent_field", "", "dependency: field"),
        ("missing_attribute", "AttributeError: 'C' object has no attribute 'push'", "dependency: method"),
        ("missing_attribute", "AttributeError: 'C' object has no attribute 'size'", "dependency: field"),
        ("signature", "", "dependency: method"),
        ("wrong_value", "", "logic"),
        ("wrong_exception", "", "logic"),
        ("broken_import", "", "integration"),
        ("hang", "", "other"),
    ],
)
def test_labels_of_class_level_benchmarks(subclass, message, label):
    failure = Failure(class_name=FailureClass.MISMATCH, subclass=subclass, message=message)
    assert class_level_label(failure, {"push", "pop"}) == label
