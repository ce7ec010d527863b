"""What tasks and profiles are at this moment, each read once, and whether a report is still of them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from qualityscore.execution.manifest import Options
from qualityscore.model.report import SCORE_MODEL
from qualityscore.runtime import environment, tasks
from qualityscore.runtime.documents import load_profile

_AGAIN = "start again"


class Digests:
    """Digests by name or path, as they were when first asked for."""

    def __init__(self) -> None:
        self._tasks: dict[str, tuple[str, str]] = {}
        self._snapshots: dict[str, Path] = {}
        self._profiles: dict[str, str] = {}

    def task(self, task: str) -> str:
        """Raises TaskError for a task that cannot be read, SnapshotError where it has no snapshot that fits."""
        return self._task(task)[0]

    def snapshot(self, task: str) -> str:
        """Of the task's snapshot for this Python. Raises as `task` does."""
        return self._task(task)[1]

    def _task(self, task: str) -> tuple[str, str]:
        if task not in self._tasks:
            loaded = tasks.load_task(task)
            file = tasks.snapshot_path(loaded, environment.python_minor())
            tasks.read_snapshot(file, loaded)
            self._tasks[task] = loaded.digest, hashlib.sha256(file.read_bytes()).hexdigest()
            self._snapshots[task] = file
        return self._tasks[task]

    def changed(self, report: dict[str, Any], *, task: str, profile: str, subject_digest: str) -> str | None:
        """Why a report is no result under the digests that were read first: subject, task, snapshot or profile changed.

        None where it is one. `report` is the document of an evaluation that was asked for after they were read.
        """
        provenance = report["provenance"]
        if report["subject"]["digest"] != subject_digest:
            return "the subject changed between being taken in and being evaluated; leave it alone and try again"
        if provenance["task_digest"] != self.task(task) or provenance["profile_digest"] != self.profile(profile):
            return f"the task {task} or the profile {profile} changed since it was read here; {_AGAIN}"
        try:
            snapshot = hashlib.sha256(self._snapshots[task].read_bytes()).hexdigest()
        except OSError as error:
            return f"the snapshot of {task} cannot be read any more: {error.strerror}; {_AGAIN}"
        if snapshot != self.snapshot(task):
            return f"the snapshot of {task} changed since it was read here; {_AGAIN}"
        return None

    def profile(self, profile: str) -> str:
        """Raises ProfileError for a profile that cannot be read."""
        if profile not in self._profiles:
            self._profiles[profile] = load_profile(profile).digest
        return self._profiles[profile]

    def basis(self, task: str, options: Options, *, unsafe: bool) -> str:
        """A digest over all that decides a result beside the subject and what was asked of it. Raises as the others do.

        Task, snapshot, profile, score model, Python minor version, and whether no sandbox was needed.
        """
        parts = {
            "task": self.task(task),
            "snapshot": self.snapshot(task),
            "profile": self.profile(options.profile),
            "score_model": SCORE_MODEL,
            "python": environment.python_minor(),
            "unsafe": unsafe,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def check(self, task: str, options: Options) -> None:
        """Raise InputError where nothing can ever be evaluated like this."""
        self.task(task)
        self.profile(options.profile)
