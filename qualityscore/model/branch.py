"""What became of a repository since an earlier state of itself, and what a gate says about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from qualityscore.model.bounds import Seconds
from qualityscore.model.finding import Finding, Severity

BaselineKind = Literal["git", "path", "snapshot", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineState:
    """The earlier state: `name` as the caller gave it, `commit` where it is one of a git repository.

    `kept` says that its measurement was taken from the cache or a snapshot rather than made now.
    """

    kind: BaselineKind
    name: str
    commit: str | None = None
    digest: str | None = None
    kept: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TestChange:
    """One test whose meaning changed. `to` is its id now, where it has another; `duration_s` what its run now took."""

    __test__ = False  # pytest takes the name for a test class

    id: str
    reason: str
    to: str | None = None
    duration_s: Seconds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestChanges:
    """The repository's own tests, before and after. `expected` are those that passed before.

    Of the expected ones: `broken` fail now; `removed` are gone; `skipped` are skipped, or expected to fail, now;
    `weakened` have fewer assertions; `undermined` pass though their text is the same and the baseline's test files
    fail on this code, so something beside them was changed; `rewritten` were edited, and as they stood before they
    fail on this code (listed, no loss: that is how behaviour is changed on purpose); `moved` have another id.
    Of the others: `fixed` failed before and pass now, `failing` are new and fail; `flaky` gave different verdicts in
    two runs of the same code and count as passed; `added` counts the new ones.
    """

    __test__ = False

    expected: int
    passed: int
    broken: tuple[TestChange, ...] = ()
    removed: tuple[TestChange, ...] = ()
    skipped: tuple[TestChange, ...] = ()
    weakened: tuple[TestChange, ...] = ()
    undermined: tuple[TestChange, ...] = ()
    rewritten: tuple[TestChange, ...] = ()
    moved: tuple[TestChange, ...] = ()
    fixed: tuple[TestChange, ...] = ()
    failing: tuple[TestChange, ...] = ()
    flaky: tuple[TestChange, ...] = ()
    failing_before: int = 0
    added: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NameChange:
    """A public name that is not what it was.

    `state`: `missing`; `renamed` (missing, and `to` is new and alike by signature and body, to the share
    `similarity`); `emptied` (defined, without a body now); `incompatible` (defined, and cannot be called as before).
    The first three are not defined any more.
    """

    name: str
    state: Literal["missing", "renamed", "emptied", "incompatible"]
    reason: str
    to: str | None = None
    similarity: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NameChanges:
    """The baseline's public names: how many there are, how many are still defined, and which changed.

    `lost` are not defined any more; `incompatible` are, and cannot be called as before. `moved` counts those that are
    defined elsewhere under the name they had; `moved_names` are they.
    """

    expected: int
    defined: int
    lost: tuple[NameChange, ...] = ()
    incompatible: tuple[NameChange, ...] = ()
    moved: int = 0
    moved_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingChanges:
    """Findings matched across the two states. `new_by_severity` counts the new ones."""

    new: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    unchanged: int = 0
    new_by_severity: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentile:
    """A raw measure and its place among the pinned references: the share of them that are no better, in percent."""

    measure: str
    value: float
    percentile: float
    references: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchReport:
    """The comparison with an earlier state.

    `tests` is None where no tests were run, with the reason in `notes`; `findings` where those of either state were
    not asked for or could not be read.
    `environment` and `baseline_environment` name the files that say what the environments of the tests hold: a lock
    alone, where there is one.
    """

    baseline: BaselineState
    tests: TestChanges | None
    names: NameChanges | None
    findings: FindingChanges | None
    percentiles: tuple[Percentile, ...] = ()
    cost_source: Literal["workloads", "own tests"] | None = None
    environment: tuple[str, ...] = ()
    baseline_environment: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


NOT_ASKED = "not asked for"
"""The numbers of a condition on what the caller left out: it is met."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition of a gate, as it was met or not. `numbers` are what decided, in words.

    `undecided` says that what it is about was asked for and not measured, by an interrupt or a fault that is not the
    subject's: it is then neither met nor failed, and `passed` is false.
    """

    name: str
    passed: bool
    numbers: str
    examples: tuple[str, ...] = ()
    undecided: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """What a gate said; `source` is the file, or `default`. It passed where every condition is met.

    `accept_removed`: the caller accepted removed, newly skipped and weakened tests, and no condition on them counted.
    """

    source: str
    passed: bool
    conditions: tuple[Condition, ...]
    accept_removed: bool = False

    @property
    def failed(self) -> tuple[Condition, ...]:
        """The conditions that were not met."""
        return tuple(condition for condition in self.conditions if not (condition.passed or condition.undecided))

    @property
    def undecided(self) -> tuple[Condition, ...]:
        """The conditions on what should have been measured and was not."""
        return tuple(condition for condition in self.conditions if condition.undecided)

    @property
    def verdict(self) -> Literal["passed", "failed", "not decided"]:
        """A condition that failed decides; without one, a condition that could not be decided keeps it open."""
        return "failed" if self.failed else "passed" if self.passed else "not decided"

    @property
    def words(self) -> str:
        """How many conditions were decided, and how many were on what was not asked for."""
        beside = sum(condition.numbers == NOT_ASKED for condition in self.conditions)
        decided = len(self.conditions) - beside
        plural = "" if decided == 1 else "s"
        return f"{decided} condition{plural}" + (f", {beside} {NOT_ASKED}" if beside else "")


SEVERITIES = (Severity.HIGH, Severity.MEDIUM, Severity.LOW, Severity.INFO)
"""From what matters most."""
