"""From a request to a folder that can be evaluated, and the key that its result is stored under."""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qualityscore.errors import MissingSubjectError, ProfileError, TaskError, UsageError
from qualityscore.execution.digests import Digests
from qualityscore.execution.intake import identified
from qualityscore.execution.jobs import content_key
from qualityscore.execution.manifest import Options
from qualityscore.runtime import archives, tasks
from qualityscore.runtime.documents import profile_names
from qualityscore.server.queue import New
from qualityscore.server.schemas import Asked, Subject, TaskEntry
from qualityscore.server.settings import Settings

UPLOAD_PREFIX = "upload-"
"""Of the names in the data folder under which uploads come in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An archive that came with a request: what the caller calls it, for people only, and where it was put."""

    name: str
    file: Path


class Tasks:
    """The tasks that the service was started with, read at that time."""

    def __init__(self, names: tuple[str, ...]) -> None:
        """Raises TaskError or SnapshotError for a task that cannot be used, UsageError for two of one id."""
        self.digests = Digests()
        self.paths: dict[str, str] = {}
        self.entries: list[TaskEntry] = []
        loaded = {tasks.name_or_path(task): task for task in map(tasks.load_task, names or self._bundled())}
        for path, task in loaded.items():
            if task.id in self.paths:
                raise UsageError(
                    f"The tasks {self.paths[task.id]} and {path} are both called {task.id!r}, and requests name them "
                    "by that; serve one of them, or give the other another id."
                )
            self.digests.task(path)
            self.paths[task.id] = path
            self.entries.append(
                TaskEntry(
                    id=task.id,
                    title=task.spec.title,
                    language=task.spec.language,
                    level=task.spec.level,
                    reference=tasks.reference_name(task),
                    digest=task.digest,
                )
            )

    @staticmethod
    def _bundled() -> tuple[str, ...]:
        from qualityscore.runtime import environment  # noqa: PLC0415

        minor = environment.python_minor()
        return tuple(id_ for id_ in tasks.task_ids() if tasks.snapshot_path(tasks.load_task(id_), minor).is_file())

    def path(self, id_: str) -> str:
        """What `evaluate` knows a task by. Raises TaskError for one that the service does not have."""
        if id_ not in self.paths:
            raise TaskError(f"This service has no task {id_[:64]!r}; it has {', '.join(self.paths)}.")
        return self.paths[id_]


class Intake:
    """Puts subjects where they can be evaluated, below the service's data folder."""

    def __init__(self, settings: Settings, known: Tasks) -> None:
        self._settings = settings
        self._tasks = known
        self._uploads = settings.data / "subjects"
        self._uploads.mkdir(mode=0o755, parents=True, exist_ok=True)

    def accept(self, asked: Asked, subject: Subject, upload: Upload | None, idempotency: str | None) -> New:
        """Unpack, check and digest one subject. Raises InputError, and leaves nothing, where it cannot be evaluated."""
        task = self._tasks.path(asked.task)
        if asked.profile not in profile_names():  # a profile may be a file, but not one that a request names
            raise ProfileError(f"There is no profile {asked.profile[:64]!r}; there are {', '.join(profile_names())}.")
        options = Options(only=asked.only, profile=asked.profile, counter=asked.counter)
        self._tasks.digests.check(task, options)
        folder = self._uploads / uuid.uuid4().hex
        try:
            taken = identified(self._place(subject, upload, folder), _name(subject, upload))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        spec = {
            **asked.model_dump(mode="json", include={"task", "only", "profile", "counter"}),
            "path": subject.path or (upload.name if upload else "files"),
            "label": subject.label,
            "sample": subject.sample,
            "digest": taken.digest,
        }
        if taken.left_out:
            spec["left_out"] = taken.left_out
        text = json.dumps(spec, sort_keys=True)
        request = hashlib.sha256(text.encode()).hexdigest()
        return New(spec=text, folder=str(taken.folder), key=self.key(spec), request=request, idempotency=idempotency)

    def key(self, spec: dict[str, Any]) -> str:
        """What the evaluation of what was asked for is stored under, with the tasks as the service knows them."""
        options = Options(only=spec["only"], profile=spec["profile"], counter=spec["counter"])
        return content_key(
            subject_digest=spec["digest"],
            basis=self._tasks.digests.basis(self._tasks.path(spec["task"]), options, unsafe=self._settings.unsafe),
            only=options.only,
            counter=options.counter,
            require_sandbox=self._settings.require_sandbox,
            left_out=spec.get("left_out", ()),
        )

    def changed(self, report: dict[str, Any], spec: dict[str, Any]) -> str | None:
        """Why a report is no result of what was asked for (`Digests.changed`); None where it is one."""
        return self._tasks.digests.changed(
            report, task=self._tasks.path(spec["task"]), profile=spec["profile"], subject_digest=spec["digest"]
        )

    def drop(self, folder: str) -> None:
        """Remove a subject's files, where they are the service's own copy."""
        path = Path(folder)
        if path.is_relative_to(self._uploads):
            shutil.rmtree(self._uploads / path.relative_to(self._uploads).parts[0], ignore_errors=True)

    def sweep(self, kept: set[str]) -> None:
        """Remove what an earlier service left that nothing waits for, uploads on their way among it."""
        ours = {Path(f).relative_to(self._uploads).parts[0] for f in kept if Path(f).is_relative_to(self._uploads)}
        for left in (*self._uploads.iterdir(), *self._settings.data.glob(f"{UPLOAD_PREFIX}*")):
            if left.name in ours:
                continue
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)

    def _place(self, subject: Subject, upload: Upload | None, folder: Path) -> Path:
        limits = self._settings.limits.archive
        if upload is not None:
            archive = folder.with_name(f"{folder.name}.archive")
            upload.file.rename(archive)
            try:
                return archives.unpack(archive, folder, limits, name=upload.name)
            finally:
                archive.unlink(missing_ok=True)
        if subject.files is not None:
            return archives.write_files(subject.files, folder, limits)
        assert subject.path is not None
        path = self._allowed(subject.path)
        if path.is_file():
            return archives.unpack(path, folder, limits)
        return path

    def _allowed(self, text: str) -> Path:
        """The path below one of the roots that a request names. Raises MissingSubjectError for every other."""
        for root in self._settings.roots:
            try:
                path = (root / text).resolve(strict=True)
            except (OSError, ValueError, RuntimeError):
                continue
            if path.is_relative_to(root.resolve()):
                return path
        where = "below the roots that this service was started with" if self._settings.roots else "by path here"
        raise MissingSubjectError(f"There is no subject {text[:200]!r} {where}; send its files or an archive.")


def _name(subject: Subject, upload: Upload | None) -> str:
    """What the caller calls a subject."""
    if upload is not None:
        return f"The archive {upload.name}"
    return subject.path if subject.path is not None else "The map of files"
