"""What static findings add to the class of a failure, and the labels that class-level benchmarks give it.

The class itself is decided where the failure is seen: from the exception, the frame that raised it, and how the process
ended (scoring.md section 8).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from qualityscore.model.finding import Finding
from qualityscore.model.outcome import Failure, FailureClass, TestResult

FIELD_CODES = "QSF"
CALL_CODES = ("QSF005", "QSN006")

_ATTRIBUTE = re.compile(r"^(?:builtins\.)?AttributeError\b")
_TYPE = re.compile(r"^(?:builtins\.)?TypeError\b")
_NAME = re.compile(r"has no attribute '([^']+)'")


def refine(tests: Sequence[TestResult], findings: Sequence[Finding]) -> tuple[TestResult, ...]:
    """The results with the subclass that a finding at the raising line decides.

    A `fields` finding at the line of an AttributeError makes it an inconsistent field; a call whose arguments cannot
    fit makes a TypeError at its line a wrong signature. The primary class stays a mismatch.
    """
    fields = {(f.path, f.line) for f in findings if f.code.startswith(FIELD_CODES)}
    calls = {(f.path, f.line) for f in findings if f.code in CALL_CODES}
    return tuple(_refined(test, fields, calls) for test in tests)


def class_level_label(failure: Failure, methods: Collection[str] = ()) -> str:
    """ClassEval-Pro's label of a failure: syntax, dependency (field, method, library), logic, integration or other.

    `methods` are the method names of the surface, which tell a missing method from a missing field.
    """
    match failure.subclass:
        case "syntax":
            return "syntax"
        case "missing_module":
            return "dependency: library"
        case "inconsistent_field":
            return "dependency: field"
        case "signature":
            return "dependency: method"
        case "missing_attribute" | "missing_name":
            named = _NAME.search(failure.message)
            return "dependency: method" if named and named.group(1) in methods else "dependency: field"
        case "wrong_value" | "wrong_exception" | "unexpected_exception":
            return "logic"
        case "broken_import" | "collection":
            return "integration"
        case _:
            return "other"


def _refined(
    test: TestResult, fields: set[tuple[str | None, int | None]], calls: set[tuple[str | None, int | None]]
) -> TestResult:
    failure = test.failure
    if failure is None or failure.location is None or failure.class_name is not FailureClass.MISMATCH:
        return test
    place = (failure.location.path, failure.location.line)
    if _ATTRIBUTE.match(failure.message) and place in fields:
        return replace(test, failure=replace(failure, subclass="inconsistent_field"))
    if _TYPE.match(failure.message) and place in calls:
        return replace(test, failure=replace(failure, subclass="signature"))
    return test
