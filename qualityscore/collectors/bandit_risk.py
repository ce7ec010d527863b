"""`bandit.risk`: points of security findings over all production code (scoring.md section 4, Security)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from qualityscore.collectors.context import CollectorResult, FileFacts, StaticContext, StaticFacts
from qualityscore.collectors.dynamic_code import MAKERS, DynamicCode
from qualityscore.languages.python_source import printable
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Measured

MEASURE = "bandit.risk"
DIMENSION = "security"
DYNAMIC_CODE = "dynamic-code"
HIDDEN_CODE = "hidden-code"
UNREAD_CODE = "unread-code"
UNPARSABLE = "unparsable"

SEVERITY_POINTS = {Severity.HIGH: 12.0, Severity.MEDIUM: 4.0, Severity.LOW: 1.0}
CONFIDENCE_FACTORS = {Severity.HIGH: 1.0, Severity.MEDIUM: 0.6, Severity.LOW: 0.3}

_REPLACED = frozenset({"B102", "B307"})


def _range(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"B{number}" for number in range(first, last + 1))


FAMILIES: Mapping[str, tuple[str, ...]] = {
    "shell": ("B602", "B604", "B605", "B609"),
    "process": ("B404", "B603", "B606", "B607"),
    "pickle": ("B301", "B302", "B403"),
    "xml": (*_range(313, 320), *_range(405, 411)),
    "dynamic code": (DYNAMIC_CODE, "B102", "B307"),
    "password": _range(105, 107),
    "swallowed exception": ("B110", "B112"),
    "hash": ("B303", "B324"),
    "sql": ("B608", "B610", "B611"),
}
_FAMILY_OF = {code: family for family, codes in FAMILIES.items() for code in codes}


def family_of(code: str) -> str:
    """The family within which a reference's points are an allowance; a code without one is its own."""
    return _FAMILY_OF.get(code, code)


def family_points(findings: Iterable[Finding]) -> dict[str, float]:
    """Points of the security findings by family, sorted."""
    points: dict[str, float] = {}
    for finding in findings:
        if finding.measure == MEASURE:
            family = family_of(finding.code)
            points[family] = points.get(family, 0.0) + finding.points
    return dict(sorted(points.items()))


def allowed_points(subject: Mapping[str, float], allowances: Mapping[str, float]) -> float:
    """The baseline of `bandit.risk`: per family, the reference's points as far as the subject uses them."""
    return sum(min(points, allowances.get(family, 0.0)) for family, points in subject.items())


class BanditRisk:
    """A finding weighs 12, 4 or 1 by severity, times 1, 0.6 or 0.3 by confidence."""

    id = "bandit"
    measures = (MEASURE,)

    def parse(self, facts: StaticFacts, context: StaticContext) -> CollectorResult:
        """Sum the points; counts per severity and points per family are in the details."""
        findings = (
            *(finding for file in facts.files for finding in _of_file(file)),
            *(_hidden(path, kind) for path, kind in facts.hidden_code),
            *(_unread(path, line, name) for path, line, name in context.unread),
        )
        counts = Counter(finding.severity for finding in findings)
        details: dict[str, Any] = {
            "counts": {severity.value: counts[severity] for severity in SEVERITY_POINTS},
            "families": family_points(findings),
        }
        value = Measured(value=sum((finding.points for finding in findings), 0.0), details=details)
        return CollectorResult(measures={MEASURE: value}, findings=findings)


def _of_file(file: FileFacts) -> Iterator[Finding]:
    path = printable(file.path)
    lost = file.unparsable
    if lost is not None:
        yield _finding(
            code=UNPARSABLE,
            tool=lost.tool,
            message=f"{lost.tool} cannot read this file, so nobody knows what it does: {lost.reason}",
            severity=Severity.HIGH,
            path=path,
            line=lost.line or 1,
            column=lost.column,
        )
    for place in file.dynamic:
        yield _dynamic(path, place)
    replaced = {place.line for place in file.dynamic}
    for issue in file.issues:
        if not (issue.id in _REPLACED and issue.line in replaced):
            yield _finding(
                code=issue.id,
                tool="bandit",
                message=f"{issue.text} ({issue.check})",
                severity=_level(issue.severity),
                confidence=_level(issue.confidence),
                path=path,
                line=issue.line,
                column=issue.column,
                end_line=issue.end_line,
            )


def _level(word: str) -> Severity:
    return {"HIGH": Severity.HIGH, "MEDIUM": Severity.MEDIUM}.get(word, Severity.LOW)


def _dynamic(path: str, place: DynamicCode) -> Finding:
    if place.builtin in MAKERS:
        what = f"{place.builtin} puts code in place"
    elif place.literal:
        what = f"{place.builtin} is called on a text that is longer than a few lines or defines functions or classes"
    elif place.called:
        what = f"{place.builtin} is called on what is not a literal"
    else:
        what = f"{place.builtin} is passed on"
    return _finding(
        code=DYNAMIC_CODE,
        tool="qualityscore",
        message=f"{what}: the code that runs is in no file",
        severity=Severity.HIGH,
        path=path,
        line=place.line,
        column=place.column,
        end_line=place.end_line,
    )


def _hidden(path: str, kind: str) -> Finding:
    return _finding(
        code=HIDDEN_CODE,
        tool="qualityscore",
        message=f"This file keeps {kind}, where no tool reads it",
        severity=Severity.HIGH,
        path=printable(path),
        line=1,
    )


def _unread(path: str, line: int, name: str) -> Finding:
    return _finding(
        code=UNREAD_CODE,
        tool="qualityscore",
        message=printable(
            f"{name} ran from here, and its code is in no file and no text, so nobody knows what it does"
        ),
        severity=Severity.HIGH,
        path=printable(path),
        line=max(1, line),
    )


def _finding(
    *,
    code: str,
    tool: str,
    message: str,
    severity: Severity,
    path: str,
    line: int,
    column: int | None = None,
    end_line: int | None = None,
    confidence: Severity = Severity.HIGH,
) -> Finding:
    return Finding(
        code=code,
        tool=tool,
        message=message,
        severity=severity,
        confidence=confidence,
        path=path,
        line=line,
        column=column,
        end_line=end_line,
        dimension=DIMENSION,
        measure=MEASURE,
        points=SEVERITY_POINTS[severity] * CONFIDENCE_FACTORS[confidence],
        details={"family": family_of(code)},
    )
