"""What became of a test, a probe entry and a subject's modules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import Field

from qualityscore.model.bounds import LineNumber, RelativePath, Seconds
from qualityscore.model.measure import Fault


class TestOutcome(StrEnum):
    """The verdict over one expected functional test."""

    __test__ = False  # pytest takes the name for a test class

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # by the subject's doing: counts as failed
    NOT_RUN = "not_run"  # did not report; counts as failed unless the fault is the harness's
    TAMPERED = "tampered"


class FailureClass(StrEnum):
    """Primary classes of scoring.md section 8."""

    EXECUTABILITY = "executability"
    MISMATCH = "mismatch"
    NON_FUNCTIONAL = "non_functional"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place in the subject; `line` starts at 1."""

    path: RelativePath
    line: LineNumber | None = None
    function: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a test or probe failed, with the evidence that decided its class.

    `subclass` is one of: syntax, missing_module, missing_name, broken_import, collection (executability);
    wrong_value, wrong_exception, unexpected_exception, signature, missing_attribute, inconsistent_field (mismatch);
    crash, hang, memory, exit, recursion (non_functional).
    """

    class_name: Annotated[FailureClass, Field(alias="class")]
    subclass: str
    message: str
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """One expected test.

    `stable` is False when an import failure, crash, hang or memory limit kept it from a verdict. `output` is the end of
    what it wrote to standard output and error when it did not pass, as it came: foreign text.
    """

    __test__ = False

    id: str
    outcome: TestOutcome
    duration_s: Seconds | None = None
    failure: Failure | None = None
    stable: bool = True
    fault: Fault | None = None
    output: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Something seen during a run that an honest subject has no reason to do. Judges nothing alone."""

    kind: str
    message: str
    location: Location | None = None
    decisive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleState:
    """Executability of one module of the surface."""

    module: str
    state: Literal["importable", "missing", "broken"]
    message: str | None = None
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionalOutcome:
    """All that the functional suite gives: one result per expected id, in the order of the snapshot."""

    tests: tuple[TestResult, ...]
    modules: tuple[ModuleState, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    duration_s: float = 0.0

    @property
    def tampered(self) -> bool:
        """Whether any decisive evidence was seen."""
        return any(e.decisive for e in self.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFailure:
    """One probe that was not survived, as a snippet that a person can run."""

    id: str
    kind: Literal["valid", "guarded", "hostile"]
    snippet: str
    expected: str
    seen: str
    hard: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryOutcome:
    """The probes of one surface entry on one subject.

    `total` is the manifest's number, never the subject's. `right_values` counts value probes whose result is
    non-trivial, equal to the reference's, and distinct from each other (credibility needs two). `settled` are the valid
    and guarded probes that were survived, `different` those of them that gave another value or another type of
    exception than the reference: no loss here, but what a memorised or careless answer shows in; `unsettled_different`
    counts the same among hostile probes, of which nothing settles who is right. `failures` and `differences` are the
    smallest few.
    """

    entry: str
    survived: int
    total: int
    hard_fault: bool
    absent: bool = False
    right_values: int = 0
    value_probes: int = 0
    failures: tuple[ProbeFailure, ...] = ()
    settled: int = 0
    different: int = 0
    unsettled_different: int = 0
    differences: tuple[ProbeFailure, ...] = ()
    details: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyOutcome:
    """One hand-written hypothesis property; `entries` are the surface entries that it calls on the reference."""

    id: str
    passed: bool
    entries: tuple[str, ...] = ()
    message: str | None = None
    snippet: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`count` of `total`, with Wilson's 95 % interval of the share; no interval of nothing."""

    count: int
    total: int
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshOutcome:
    """Frozen probes beside fresh ones that were drawn from them with `seed`, on one subject and the live reference.

    `*_survived` are over all pairs, `*_right` over those whose both members are valid or guarded: the reference's
    value, or its type of exception, came back. `worse` counts pairs that are right on the frozen member alone,
    `better` those that are right on the fresh one alone; `chance` is the probability of so many worse ones, or more,
    if both are equally likely. `agrees` is False where that is no chance. `properties` are those that hold on the
    reference with this seed.
    """

    seed: int
    frozen_survived: Share
    fresh_survived: Share
    frozen_right: Share
    fresh_right: Share
    worse: int
    better: int
    chance: float
    agrees: bool
    differences: tuple[ProbeFailure, ...] = ()
    properties: tuple[PropertyOutcome, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustnessOutcome:
    """All that the robustness stage gives."""

    entries: tuple[EntryOutcome, ...]
    properties: tuple[PropertyOutcome, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutedText:
    """Source that the subject compiled and ran; `path` and `line` say where, in the subject."""

    path: str
    line: int
    source: bytes

    @property
    def name(self) -> str:
        """What stands for it where a function's file is named, as `inside/executed_texts.py` says it."""
        return f"<text {sha256(self.source).hexdigest()[:32]}>"
