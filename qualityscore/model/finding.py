"""A place in the subject that somebody should look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from qualityscore.model.bounds import LineNumber, RelativePath

NOT_COPIED = "not-copied"
"""The code of findings on files that were left out of an evaluation."""


class Severity(StrEnum):
    """How much a finding matters; the words of bandit and of SARIF consumers."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding of one tool.

    `path` is relative to the subject's root, with forward slashes; None for a finding of the whole project.
    `line` and `column` start at 1. `dimension` is the dimension that it costs, `points` what it adds to the raw
    measure named in `measure` (0 where it costs nothing). Of very many with one code, one of severity info and without
    a line stands for those that are not listed; its points are their sum, `details["more"]` their number.
    """

    code: Annotated[str, Field(min_length=1)]
    tool: str
    message: str
    severity: Severity = Severity.LOW
    confidence: Severity | None = None
    path: RelativePath | None = None
    line: LineNumber | None = None
    column: LineNumber | None = None
    end_line: LineNumber | None = None
    class_name: Annotated[str | None, Field(alias="class")] = None
    name: str | None = None
    suggestion: str | None = None
    dimension: str | None = None
    measure: str | None = None
    points: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)


def by_place(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in the order in which reports list them."""
    return tuple(sorted(findings, key=lambda f: (f.path or "", f.line or 0, f.column or 0, f.code, f.message)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """An inline suppression in the subject: not honoured, counted and reported.

    Of very many the last one has the path `.` and tells the number of the rest.
    """

    path: RelativePath
    line: LineNumber
    text: str
