"""The report document: everything that one evaluation found, and nothing that it did not."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from qualityscore.model.bounds import LineNumber, RelativePath
from qualityscore.model.branch import BranchReport, GateReport
from qualityscore.model.finding import Finding, Suppression
from qualityscore.model.measure import Direction, Fault, Unit
from qualityscore.model.outcome import EntryOutcome, Evidence, FreshOutcome, ModuleState, PropertyOutcome, TestResult

SCHEMA_VERSION = "1.0"
SCORE_MODEL = "0.3"
CONTAINMENT = ("container", "namespace", "landlock", "none")
"""The levels of containment, strongest first; with `none` the subject ran as its caller."""
DIMENSIONS = ("maintainability", "security", "robustness", "efficiency", "resource")

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
TaskId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


def _began(provenance: dict[str, Any]) -> dict[str, Any]:
    """Refuse a beginning that is no moment: everything else in there is free-form."""
    began = provenance.get("started")
    try:
        if began is not None:
            datetime.fromisoformat(began)
    except (TypeError, ValueError):
        raise ValueError(f"started {began!r} is no date and time such as 2026-01-31T12:00:00+00:00") from None
    return provenance


Provenance = Annotated[dict[str, Any], AfterValidator(_began)]


class Status(StrEnum):
    """`complete`: all measured. `partial`: something left out or missing. `failed`: nothing measured."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    TAMPERED = "tampered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectInfo:
    """Who was evaluated."""

    path: str
    digest: str | None
    label: str | None = None
    sample: Count | None = None
    files: Count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskInfo:
    """Against what."""

    id: TaskId
    title: str
    digest: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionalReport:
    """Build, Test and Full are those of PolyCodeEval; `test` is null when the build failed.

    `passed` is null where no test was run to be counted. `left_out` says that the caller did not ask for the score.
    """

    score: Share | None
    passed: Count | None
    expected: Count
    build: bool | None
    test: Share | None
    full: bool | None
    tests: tuple[TestResult, ...] = ()
    modules: tuple[ModuleState, ...] = ()
    protected: Count | None = None
    left_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceCoverage:
    """How much of the surface the subject defines, read statically; diagnosis, not a score."""

    entries: Count
    defined: Count
    stub: Count
    missing: tuple[str, ...] = ()
    incompatible: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CredibilityReport:
    """The weighted share of the surface that is shown to do something right (scoring.md section 4)."""

    score: Share | None
    credible: tuple[str, ...] = ()
    not_credible: tuple[str, ...] = ()
    surface: SurfaceCoverage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureReport:
    """One measure with everything that `explain` needs to show how the score came about."""

    id: str
    title: str
    value: float | None
    unit: Unit
    better: Direction
    baseline: float | None
    ratio: float | None
    score: Share | None
    low: Share | None
    high: Share | None
    weight: Share
    verdict: str | None = None
    epsilon: Annotated[float, Field(ge=0)] = 0.0
    credibility: Share | None = None
    applicable: bool = True
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionReport:
    """One dimension; null scores where it was not measured, with bounds over what it could have been.

    `left_out` says that the caller did not ask for it: null then is no fault.
    """

    score: Share | None
    low: Share | None
    high: Share | None
    weight: Share
    measures: tuple[MeasureReport, ...] = ()
    applicable: bool = True
    left_out: bool = False
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NonFunctionalReport:
    """The AHP-weighted sum of the dimensions, with a 95 % interval or the bounds over what is missing."""

    score: Share | None
    low: Share | None
    high: Share | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultReport:
    """Something that went wrong, where, and whose doing it was."""

    stage: str
    fault: Fault
    reason: str
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustnessReport:
    """Probe entries and properties as replayed."""

    survived: Count
    total: Count
    wilson_low: Share | None
    wilson_high: Share | None
    entries: tuple[EntryOutcome, ...] = ()
    properties: tuple[PropertyOutcome, ...] = ()
    fresh: FreshOutcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One evaluation. `sources` holds lines of the subject around its findings, by path and line number (from 1)."""

    schema_version: str
    score_model: str
    status: Status
    subject: SubjectInfo
    task: TaskInfo
    functional: FunctionalReport
    credibility: CredibilityReport
    non_functional: NonFunctionalReport
    dimensions: dict[str, DimensionReport]
    effective: Share | None
    findings: tuple[Finding, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    faults: tuple[FaultReport, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    robustness: RobustnessReport | None = None
    branch: BranchReport | None = None
    gate: GateReport | None = None
    sources: dict[RelativePath, dict[LineNumber, str]] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=dict)

    @property
    def containment(self) -> str | None:
        """The level under which the subject ran, one of CONTAINMENT; None where the document does not say."""
        level = self.provenance.get("sandbox")
        return level if level in CONTAINMENT else None
