"""The baseline: what one reference measured under one version of the suites, and when it may be compared with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from qualityscore.model.measure import Outcome

SNAPSHOT_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionRecord:
    """One assertion of a functional test.

    `key` names its recording in the derived suite, `line` is where it stands in the original. `moved` says that the
    judge evaluates it outside; otherwise `reason` says why it stayed in the child. `twin` says that a run in which it
    is turned into its contrary fails on the reference, as it must.
    """

    key: str
    line: int
    moved: bool
    reason: str | None = None
    twin: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedTest:
    """One test that the validated reference passes.

    `file` is relative to the task folder. `touches` are the surface entries that it entered on the reference.
    `protected` is False when guessed observations satisfy it. `item` is its name in the derived suite, where that
    differs from `id` (expected values in ids are hidden from the child).
    """

    id: str
    file: str
    touches: tuple[str, ...] = ()
    assertions: tuple[AssertionRecord, ...] = ()
    protected: bool = True
    duration_s: float = 0.0
    item: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryWeight:
    """A surface entry's weight in credibility and survival: w = sqrt(1 + touching tests)."""

    name: str
    weight: float
    tests: tuple[str, ...] = ()
    value_probes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedFunction:
    """A function that the functional suite entered after import; `path` is relative to the root, `line` its first."""

    path: str
    line: int
    qualname: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The committed baseline of one task and one Python minor version."""

    schema_version: int
    score_model: str
    task_id: str
    task_digest: str
    python: str
    tests: tuple[ExpectedTest, ...]
    entries: tuple[EntryWeight, ...]
    judged: tuple[JudgedFunction, ...]
    measures: dict[str, Outcome]
    allowances: dict[str, float] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
