"""Finding tasks: the bundled ones by their id, a person's own by the path of its folder."""

from __future__ import annotations

import difflib
import hashlib
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ValidationError

from qualityscore.errors import SnapshotError, TaskError
from qualityscore.model.codec import load_snapshot
from qualityscore.model.foreign import first_problem, non_finite, read_toml
from qualityscore.model.report import SCORE_MODEL
from qualityscore.model.snapshot import SNAPSHOT_SCHEMA_VERSION, Snapshot
from qualityscore.model.task import Surface, Task, TaskSpec
from qualityscore.runtime.documents import MAX_REPORT_BYTES, is_file, read_at_most

_PACKAGE = Path(__file__).resolve().parent.parent
_NOT_SUITES = ("__pycache__",)


def data_root() -> Path:
    """The folder that holds `baselines/` and `probes/`: inside an installed wheel, or the source checkout."""
    bundled = _PACKAGE / "_data"
    return bundled if bundled.is_dir() else _PACKAGE.parent


def task_ids() -> tuple[str, ...]:
    """The ids of the bundled tasks, sorted."""
    folder = data_root() / "baselines"
    return tuple(sorted(p.parent.name for p in folder.glob("*/task.toml")))


def is_task_file(path: Path) -> bool:
    """Whether a path is given as a task file of RAL-Bench rather than as a task folder of ours."""
    return path.suffix in (".yaml", ".yml")


def load_task(id_or_path: str) -> Task:
    """Read a task strictly. Raises TaskError with one sentence when there is none or it cannot be read."""
    if id_or_path in task_ids():
        return _read(data_root() / "baselines" / id_or_path, data_root() / "probes" / id_or_path)
    path = Path(id_or_path)
    folder = path.parent if path.name == "task.toml" else path
    if id_or_path and is_file(folder / "task.toml"):
        folder = folder.resolve()
        beside = folder.parent.parent / "probes" / folder.name
        return _read(folder, beside if beside.is_dir() else folder / "probes")
    near = difflib.get_close_matches(id_or_path, task_ids(), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the bundled ones are {', '.join(task_ids())}."
    raise TaskError(f"There is no task {id_or_path!r}, neither bundled nor a folder with a task.toml; {hint}")


def name_or_path(task: Task) -> str:
    """What a person gives to name the task on the command line."""
    return task.id if task.folder == data_root() / "baselines" / task.id else str(task.folder)


def _read(folder: Path, probes: Path) -> Task:
    file = folder / "task.toml"
    try:
        spec = TaskSpec.model_validate(read_toml(file.read_text("utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"The task file {file} cannot be read: {error}.") from error
    except tomllib.TOMLDecodeError as error:
        raise TaskError(f"The task file {file} is not TOML: {error}.") from error
    except ValidationError as error:
        raise TaskError(f"The task file {file} is not valid: {first_problem(error, _all_keys(TaskSpec))}.") from error
    surface_file = folder / "surface.json"
    try:
        surface = Surface.model_validate_json(surface_file.read_bytes())
    except OSError as error:
        raise TaskError(f"The surface {surface_file} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        raise TaskError(f"The surface {surface_file} is not valid: {first_problem(error)}.") from error
    lock = folder / spec.environment.lock
    if not lock.resolve().is_relative_to(folder.resolve()):
        raise TaskError(
            f"The lock {spec.environment.lock} that {file} names lies outside the task's folder; move it there."
        )
    if not is_file(lock):
        raise TaskError(f"The lock {lock} that {file} names does not exist; make it with uv pip compile.")
    task = Task(spec=spec, surface=surface, folder=folder, probes_folder=probes, digest="")
    return task.model_copy(update={"digest": _digest(task, lock)})


def _all_keys(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield name
        kinds = [field.annotation, *getattr(field.annotation, "__args__", ())]
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _all_keys(kind)


def _digest(task: Task, lock: Path) -> str:
    """Over everything that decides a score: specification, surface, suites, probes, workloads, lock."""
    digest = hashlib.sha256()
    own = {lock, task.folder / "task.toml", task.folder / "surface.json", *_files(task.folder / "suites")}
    for base, files in ((task.folder, own), (task.probes_folder, _files(task.probes_folder))):
        for file in sorted(files):
            digest.update(file.relative_to(base).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(folder: Path) -> set[Path]:
    return {p for p in folder.rglob("*") if p.is_file() and not set(p.parts) & set(_NOT_SUITES)}


def snapshot_path(task: Task, python_minor: str) -> Path:
    """Where a task's committed snapshot for one Python minor version lies."""
    return task.folder / f"baseline-{python_minor}.json"


def read_snapshot(file: Path, task: Task) -> Snapshot:
    """Read a snapshot and check that it is of this task, these suites and this score model.

    Raises SnapshotError with one sentence otherwise.
    """
    command = f"qualityscore baseline {name_or_path(task)} -o {file}"
    again = f"write it again with: {command}"
    try:
        data = read_at_most(file, MAX_REPORT_BYTES)
    except FileNotFoundError as error:
        raise SnapshotError(
            f"Task {task.id} has no baseline snapshot {file.name}; write it with: {command}."
        ) from error
    except OSError as error:
        raise SnapshotError(f"The baseline snapshot {file} cannot be read: {error.strerror}; {again}.") from error
    if data is None:
        raise SnapshotError(f"The baseline snapshot {file} is larger than {MAX_REPORT_BYTES} bytes; {again}.")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"The baseline snapshot {file} is truncated or not JSON ({error}); {again}.") from error
    schema = document.get("schema_version") if isinstance(document, dict) else None
    if schema != SNAPSHOT_SCHEMA_VERSION:
        raise SnapshotError(
            f"The baseline snapshot {file} has schema version {schema!r}, "
            f"this version reads {SNAPSHOT_SCHEMA_VERSION}; {again}."
        )
    if problem := non_finite(document):
        raise SnapshotError(f"The baseline snapshot {file} is not valid: {problem}; {again}.")
    try:
        snapshot = load_snapshot(data)
    except ValidationError as error:
        raise SnapshotError(f"The baseline snapshot {file} is not valid: {first_problem(error)}; {again}.") from error
    if not snapshot.tests:
        raise SnapshotError(f"The baseline snapshot {file} holds no tests; {again}.")
    if snapshot.task_id != task.id:
        raise SnapshotError(f"The baseline snapshot {file} is of task {snapshot.task_id!r}, not of {task.id!r}.")
    if snapshot.task_digest != task.digest:
        raise SnapshotError(f"The baseline snapshot {file} is of other suites than task {task.id} has now; {again}.")
    if snapshot.score_model != SCORE_MODEL:
        raise SnapshotError(
            f"The baseline snapshot {file} is of score model {snapshot.score_model}, this is {SCORE_MODEL}; {again}."
        )
    return snapshot


def reference_name(task: Task) -> str:
    """The pinned reference in words, such as `cachetools 5.5.0`."""
    spec = task.spec.reference
    if spec.distribution:
        return f"{spec.distribution} {spec.version}"
    return spec.path or f"{spec.git}@{spec.commit}"
