"""What the static stage is given, what it sees in each file, and what a collector makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from qualityscore.collectors.dynamic_code import DynamicCode
from qualityscore.languages.python_imports import Import
from qualityscore.languages.python_source import Unparsable
from qualityscore.languages.python_units import Unit
from qualityscore.model.finding import Finding, Suppression
from qualityscore.model.measure import Outcome
from qualityscore.model.outcome import ExecutedText
from qualityscore.model.report import FaultReport


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticContext:
    """One repository to look at, subject and reference alike.

    `files` are its production files, `support_files` the Python files that are none but may be imported, `data_files`
    all other files in production places, relative to `root`.
    `judged` are the functions that the functional tests entered (path, a line inside the function, qualified name);
    None without a task: then a function is judged when its name is referenced, a dunder, or in `public_names`.
    `entered_unknown`: the subject hid what it enters, and is judged by the worst functions that it may enter
    (`worst_case`); `public_names` stand in for those of `judged` where none was seen. `repeats_of_all`: judged code is
    compared with all other code when repeated tokens are looked for, not with judged code alone.
    `unread` is code that was run and that is in no file and no text, or not in the file that it names (path, line,
    qualified name). `texts` are the texts that the subject executed, by the path among `files` at which each lies.
    `import_roots` are the folders on the import path, relative to `root`; `site_packages` is the task environment's.
    `cache` is the file of cached results (None for no cache); `workers` the number of processes, `file_cpu_s` what one
    tool may spend on one file, `wall_s` what the whole pass may take.
    """

    root: Path
    files: tuple[str, ...]
    judged: frozenset[tuple[str, int, str]] | None
    entered_unknown: bool = False
    repeats_of_all: bool = False
    unread: tuple[tuple[str, int, str], ...] = ()
    texts: Mapping[str, ExecutedText] = field(default_factory=dict)
    site_packages: Path | None = None
    import_roots: tuple[str, ...] = (".",)
    support_files: tuple[str, ...] = ()
    data_files: tuple[str, ...] = ()
    public_names: frozenset[str] = frozenset()
    is_reference: bool = False
    cache: Path | None = None
    workers: int = 2
    file_cpu_s: float = 60.0
    wall_s: float = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LintMessage:
    """A message of pylint's; `line` and `column` start at 1."""

    id: str
    symbol: str
    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityIssue:
    """An issue of bandit's; severity and confidence in bandit's words."""

    id: str
    check: str
    severity: str
    confidence: str
    line: int
    column: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """What the tools say about one production file.

    `unparsable` is set when any of them gave up on it; `units` and the rest hold what the others found all the same.
    `references` are, per unit, the names that it reads.
    """

    path: str
    digest: str
    unparsable: Unparsable | None = None
    units: tuple[Unit, ...] = ()
    references: tuple[frozenset[str], ...] = ()
    imports: tuple[Import, ...] = ()
    dynamic: tuple[DynamicCode, ...] = ()
    issues: tuple[SecurityIssue, ...] = ()
    messages: tuple[LintMessage, ...] = ()
    suppressions: tuple[Suppression, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFacts:
    """One pass over a repository: every production file, and the data files that keep code (path, what kind)."""

    files: tuple[FileFacts, ...]
    hidden_code: tuple[tuple[str, str], ...] = ()
    tool_versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorResult:
    """What one collector makes of the facts."""

    measures: dict[str, Outcome]
    findings: tuple[Finding, ...] = ()


class StaticCollector(Protocol):
    """From facts to measures; pure. `id` names it in the catalog and in faults, `measures` what it gives."""

    @property
    def id(self) -> str:
        """The collector's name."""
        ...

    @property
    def measures(self) -> tuple[str, ...]:
        """The ids of the measures that it gives, always all of them."""
        ...

    def parse(self, facts: StaticFacts, context: StaticContext) -> CollectorResult:
        """Compute the measures."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticOutcome:
    """All that the static stage gives.

    `findings` are those that a report lists (`listing.listed`), `every_finding` all of them, the costliest first.
    `family_points` are bandit's points per family: the allowances that a reference's snapshot keeps, and what a
    subject's findings are held against.
    """

    measures: dict[str, Outcome]
    findings: tuple[Finding, ...] = ()
    every_finding: tuple[Finding, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    faults: tuple[FaultReport, ...] = ()
    family_points: dict[str, float] = field(default_factory=dict)
    tool_versions: dict[str, str] = field(default_factory=dict)
