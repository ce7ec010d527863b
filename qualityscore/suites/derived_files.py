"""The functional suite as a folder for the sandbox, original or derived, and the plan that runs it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qualityscore.errors import TaskError
from qualityscore.judging.derive import derive
from qualityscore.judging.lowered import DerivedSuite
from qualityscore.model.task import SuiteSpec, Task
from qualityscore.runtime.sandbox.base import INSIDE_DIR, SUBJECT_DIR, SUITE_DIR, WORK_DIR
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.supervision import Group, Plan, Unit
from qualityscore.runtime.target import Target

ZYGOTE = "pytest_zygote"
START_S = 30.0
_BESIDE_CAP = 8 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One unit to run: the file that holds it and its name inside."""

    file: str
    name: str


def suite_spec(task: Task) -> SuiteSpec:
    """The functional suite's limits. Raises TaskError when the task has none."""
    spec = task.spec.suites.get("functional")
    if spec is None:
        raise TaskError(f"The task {task.id} has no functional suite; add [suites.functional] to its task.toml.")
    return spec


def check_environment(target: Target) -> None:
    """Raise TaskError when the task's environment lacks pytest: a fault that must not become the subject's."""
    if not any(target.environment.prefix.glob("lib/python3*/site-packages/pytest/__init__.py")):
        raise TaskError(
            f"The lock of task {target.task.id} does not hold pytest, which runs its functional suite; add it."
        )


def suite_names(task: Task) -> tuple[str, ...]:
    """The functional suite's files, relative to the task's folder, with forward slashes."""
    return tuple(path.relative_to(task.folder).as_posix() for path in task.suite_files("functional"))


def original(task: Task, name: str) -> str:
    """The text of a suite file. Raises TaskError when it cannot be read."""
    try:
        return (task.folder / name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"The suite file {task.folder / name} cannot be read: {error}.") from error


def derive_files(
    task: Task, names: Sequence[str], excluded: Mapping[str, frozenset[str]] | None = None
) -> dict[str, DerivedSuite]:
    """Derived suites by file name; `excluded` holds the keys that stay in the child. Raises TaskError."""
    derived = {}
    for name in names:
        try:
            derived[name] = derive(original(task, name), name, (excluded or {}).get(name, frozenset()))
        except SyntaxError as error:
            raise TaskError(f"The suite file {task.folder / name} is not Python: {error}.") from error
    return derived


@contextmanager
def laid_out(task: Task, texts: Mapping[str, str]) -> Iterator[Path]:
    """A folder with these suite files, and what lies beside them in the task, for as long as the block lasts."""
    with scratch_folder("qs-suite-") as root:
        root.chmod(0o755)
        suites = {path.resolve() for path in task.suite_files("functional")}
        for name in texts:
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            for beside in sorted((task.folder / name).parent.rglob("*")):
                _copy_beside(beside, suites, task.folder, root)
        for name, text in texts.items():
            (root / name).write_text(text, "utf-8")
        for path in root.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield root


def _copy_beside(source: Path, suites: set[Path], folder: Path, root: Path) -> None:
    if not source.is_file() or source.is_symlink() or source.resolve() in suites or "__pycache__" in source.parts:
        return
    target = root / source.relative_to(folder)
    if not target.exists() and source.stat().st_size <= _BESIDE_CAP:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def plan(
    target: Target,
    items: Sequence[Item],
    *,
    first: tuple[Group, ...] = (),
    trace: bool = False,
    slowdown: float = 1.0,
    contention: float = 1.0,
) -> Plan:
    """One group per suite file, in the order in which the items name them, after those `first`.

    Unit ids are the items' numbers.

    `slowdown` multiplies the limits of the tests, which tracing slows; imports are not traced. `contention` multiplies
    all limits in wall time, for a busy host.
    """
    spec = suite_spec(target.task)
    numbers: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        numbers.setdefault(item.file, []).append(number)
    groups = tuple(
        Group(
            id=file,
            zygote=ZYGOTE,
            args=zygote_arguments(target, (file,), trace=trace),
            start_timeout_s=start_timeout_s(spec) * contention,
            units=tuple(
                Unit(
                    id=str(number),
                    args={"item": items[number].name},
                    timeout_s=spec.test_timeout_s * slowdown * contention,
                    cpu_s=spec.test_timeout_s * slowdown,
                    memory_bytes=spec.memory_mib << 20,
                )
                for number in of_file
            ),
        )
        for file, of_file in numbers.items()
    )
    total_s = spec.total_timeout_s * slowdown * contention
    return Plan(groups=first + groups, total_timeout_s=total_s, output_bytes=spec.output_kib << 10)


def collection_plan(target: Target, files: Sequence[str], *, contention: float = 1.0) -> Plan:
    """One group that collects all files and runs nothing."""
    spec = suite_spec(target.task)
    arguments = zygote_arguments(target, files, trace=False)
    start = start_timeout_s(spec) * len(files) * contention
    group = Group(id="collection", zygote=ZYGOTE, args=arguments, units=(), start_timeout_s=start)
    return Plan(groups=(group,), total_timeout_s=start, message_bytes=16 << 20)


def start_timeout_s(spec: SuiteSpec) -> float:
    """What importing the surface, or collecting one suite file, may take on an idle host."""
    return max(START_S, spec.test_timeout_s)


def zygote_arguments(target: Target, files: Sequence[str], *, trace: bool) -> dict[str, Any]:
    """What `inside/pytest_zygote.py` needs to know."""
    later = [name for name in suite_names(target.task) if files and name > max(files)]
    roots = [SUBJECT_DIR if root == "." else f"{SUBJECT_DIR}/{root}" for root in target.tree.import_roots]
    arguments: dict[str, Any] = {
        "suite": SUITE_DIR,
        "work": WORK_DIR,
        "inside": INSIDE_DIR,
        "files": list(files),
        "following": min(later, default=None),
        "subject": SUBJECT_DIR,
        "roots": roots,
        "imports": list(target.task.spec.surface.imports),
        "stopped": dict(target.stopped),
    }
    if trace:
        entries = [entry.name for entry in target.task.surface.entries if entry.kind != "constant"]
        arguments["trace"] = {"subject": SUBJECT_DIR, "entries": entries, "log": f"{WORK_DIR}/entered"}
    return arguments


Progress = Callable[[int, int], None]
"""Called with (done, total) as tests end."""


def silent(done: int, total: int) -> None:
    """No progress display."""
    del done, total
