"""What tasks and profiles are at this moment, each read once."""

from __future__ import annotations

from qualityscore.execution.manifest import Options
from qualityscore.runtime import environment, tasks
from qualityscore.runtime.documents import load_profile


class Digests:
    """Digests by name or path, as they were when first asked for."""

    def __init__(self) -> None:
        self._tasks: dict[str, str] = {}
        self._profiles: dict[str, str] = {}

    def task(self, task: str) -> str:
        """Raises TaskError for a task that cannot be read, SnapshotError where it has no snapshot that fits."""
        if task not in self._tasks:
            loaded = tasks.load_task(task)
            tasks.read_snapshot(tasks.snapshot_path(loaded, environment.python_minor()), loaded)
            self._tasks[task] = loaded.digest
        return self._tasks[task]

    def profile(self, profile: str) -> str:
        """Raises ProfileError for a profile that cannot be read."""
        if profile not in self._profiles:
            self._profiles[profile] = load_profile(profile).digest
        return self._profiles[profile]

    def check(self, task: str, options: Options) -> None:
        """Raise InputError where nothing can ever be evaluated like this."""
        self.task(task)
        self.profile(options.profile)
