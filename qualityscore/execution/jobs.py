"""What an engine is given and what it gives back, and the protocol of engines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from qualityscore.errors import ArchiveError, HarnessError, MissingSubjectError, SubjectError

Progress = Callable[[str, int, int], None]
"""(stage, done, total) as an evaluation advances; called from the thread that waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One evaluation of the folder `folder`, which errors call `name`. `timeout_s` bounds all of it; past that its
    process is killed.

    `require_sandbox` is the weakest level of containment that is allowed, None for whatever works.
    """

    id: str
    folder: Path
    name: str
    task: str
    only: tuple[str, ...] | None
    profile: str
    counter: str
    unsafe: bool
    timeout_s: float
    require_sandbox: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """There is a report: its JSON text. What it says of faults stands in it."""

    report: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """What the caller gave cannot be evaluated: the code and sentence of an InputError."""

    code: str
    reason: str

    @property
    def of_subject(self) -> bool:
        """Whether it is the subject that cannot be taken, rather than the task, the snapshot or the profile."""
        return self.code in (SubjectError.code, ArchiveError.code)

    def after_intake(self) -> Broken:
        """What it means of a subject whose digest was read by the rules that it is copied by, for a task that was read.

        Nobody's verdict: the subject or the task has changed, or vanished, since.
        """
        ours = self.of_subject or self.code == MissingSubjectError.code
        code = HarnessError.code if ours else self.code
        return Broken(code=code, reason=f"what could be read at intake cannot be evaluated any more: {self.reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The harness failed before there was a report. `lost`: the process that evaluated died, or was killed."""

    code: str
    reason: str
    lost: bool = False


Answer = Evaluated | Refused | Broken


class Engine(Protocol):
    """Evaluates jobs somewhere. `evaluate` blocks, and is called from up to `lanes` threads at a time."""

    @property
    def lanes(self) -> int: ...

    def evaluate(self, job: Job, progress: Progress | None = None) -> Answer: ...

    def close(self) -> None: ...


def content_key(
    *,
    subject_digest: str,
    basis: str,
    only: tuple[str, ...] | None,
    counter: str,
    require_sandbox: str | None = None,
    left_out: Sequence[tuple[str, str]] = (),
) -> str:
    """What an evaluation is stored under: everything that decides its report, and nothing of who asked for it.

    `basis` is `Digests.basis`; `left_out` is what of the subject no evaluation takes, which the report names.
    """
    parts: dict[str, Any] = {
        "subject": subject_digest,
        "basis": basis,
        "only": sorted(set(only)) if only is not None else None,
        "counter": counter,
    }
    if require_sandbox is not None:  # what was evaluated without it may have run in a weaker one
        parts["require_sandbox"] = require_sandbox
    if left_out:
        parts["left_out"] = left_out
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
