"""What both sides of a cost measurement share: the workloads, their inputs, and trees with compiled bytecode."""

from __future__ import annotations

import base64
import json
import math
import shutil
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from qualityscore.errors import TaskError, ToolError
from qualityscore.model.task import Task
from qualityscore.runtime.leases import spare_cpus
from qualityscore.runtime.process import Exited, Limits
from qualityscore.runtime.sandbox.base import ENV_DIR, INSIDE_DIR, SUBJECT_DIR, SUITE_DIR, Launch, Mount
from qualityscore.runtime.supervision import INSIDE_SOURCES, standard_hidden, standard_mounts
from qualityscore.runtime.target import Environment, Target

INPUTS_DIR = "/qs/inputs"
INSIDE = INSIDE_SOURCES
SETUP_WALL_S = 120.0
COMPILE_WALL_S = 120.0
_PREPARE_LIMITS = Limits(
    wall_s=SETUP_WALL_S,
    cpu_s=SETUP_WALL_S,
    memory_bytes=4 << 30,
    processes=16,
    file_size_bytes=1 << 20,
    open_files=256,
    output_bytes=512 << 20,
)


class _SetUp(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    n: int
    holds_mib: float
    inputs: list[list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One workload; `inputs` are the files of its inputs by size, relative to the inputs folder."""

    id: str
    n: int
    holds_mib: float
    inputs: dict[int, str]

    @property
    def full(self) -> int:
        """The size that scores."""
        return 4 * self.n


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """The workloads of a task with their inputs on disk; `suite` and `inputs` are mounted read-only."""

    workloads: tuple[Workload, ...]
    suite: Path
    inputs: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One side, ready to be measured: `root` is a copy of its tree with bytecode.

    `right` are the digests by workload that every further run must give, once they are known. No run goes on after
    `deadline` (time.monotonic()). `timed_s` collects how long each launch took that timed it.
    """

    target: Target
    root: Path
    kit: Kit
    right: Mapping[str, str] = field(default_factory=dict)
    deadline: float = math.inf
    timed_s: list[float] = field(default_factory=list, compare=False)

    @property
    def left_s(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """The same paths for either side."""
        shown = replace(self.target, tree=replace(self.target.tree, root=self.root))
        return (*standard_mounts(shown, self.kit.suite), Mount(source=self.kit.inputs, target=INPUTS_DIR))


def _bare_mounts(target: Target, *more: Mount) -> tuple[Mount, ...]:
    """The standard mounts without the subject."""
    return (*(m for m in standard_mounts(target) if m.target != SUBJECT_DIR), *more)


def python_words(environment: Environment, script: str) -> tuple[str, ...]:
    """The command line of an inside script. The flags keep the hash seed in force and load no site module."""
    return (environment.python, "-sP", "-S", "-B", f"{INSIDE_DIR}/{script}")


def site_packages(environment: Environment) -> str:
    """The environment's packages, as seen inside."""
    return f"{ENV_DIR}/lib/python{environment.minor}/site-packages"


def has_workloads(task: Task) -> bool:
    """Whether the task defines a cost suite."""
    return bool(task.suite_files("cost"))


def prepare_kit(target: Target, folder: Path) -> Kit:
    """Run every setup without the subject, and keep the inputs under `folder`.

    Raises TaskError when the workloads do not follow their contract, ToolError when the sandbox gives nothing usable.
    """
    files = target.task.suite_files("cost")
    suite, inputs = folder / "suite", folder / "inputs"
    for place in (suite, inputs):
        place.mkdir(parents=True, mode=0o755)
    if not files:
        return Kit(workloads=(), suite=suite, inputs=inputs)
    if "workloads.py" not in [file.name for file in files]:
        raise TaskError(
            f"The cost suite of task {target.task.id} has no workloads.py; check [suites.cost] in task.toml."
        )
    for file in files:
        shutil.copyfile(file, suite / file.name)
        (suite / file.name).chmod(0o644)
    outcome = target.sandbox.run(
        Launch(
            argv=(*python_words(target.environment, "workload_setup.py"), SUITE_DIR),
            mounts=_bare_mounts(target, Mount(source=suite, target=SUITE_DIR)),
            env={},
            limits=_PREPARE_LIMITS,
            scratch_bytes=64 << 20,
            cpus=spare_cpus(),
            hidden=standard_hidden(target),
        )
    )
    where = f"The workloads of task {target.task.id}"
    if not isinstance(outcome, Exited):
        raise TaskError(f"{where} take more than {SETUP_WALL_S:g} s or too much space to set up; make them smaller.")
    if outcome.code != 0:
        said = " ".join(outcome.stderr.decode("utf-8", "replace").split())[-400:]
        raise TaskError(f"{where} cannot be set up: {said or f'status {outcome.code}'}.")
    workloads = _unpack(outcome.stdout, inputs, where)
    compile_into(target, suite, SUITE_DIR, [file.name for file in files])
    return Kit(workloads=workloads, suite=suite, inputs=inputs)


def _unpack(data: bytes, inputs: Path, where: str) -> tuple[Workload, ...]:
    head, _, body = data.partition(b"\n")
    try:
        described = TypeAdapter(list[_SetUp]).validate_json(head)
    except ValidationError as error:
        raise TaskError(f"{where} do not describe themselves well: {error.errors()[0]['msg']}.") from error
    workloads = []
    position = 0
    for index, item in enumerate(described):
        names = {}
        for size, length in item.inputs:
            names[size] = f"{index}-{size}"
            (inputs / names[size]).write_bytes(body[position : position + length])
            (inputs / names[size]).chmod(0o644)
            position += length
        workloads.append(Workload(id=item.id, n=item.n, holds_mib=item.holds_mib, inputs=names))
    if position != len(body):
        raise ToolError(f"{where} gave {len(body)} bytes of inputs instead of {position}.")
    names_seen = [w.id for w in workloads]
    if len(set(names_seen)) != len(names_seen) or any(w.n < 1 for w in workloads):
        raise TaskError(f"{where} need distinct ids and sizes of at least 1.")
    return tuple(workloads)


def prepare_bench(target: Target, kit: Kit, folder: Path) -> Bench:
    """A copy of the target's tree under `folder`, compiled."""
    root = folder
    shutil.copytree(target.tree.root, root, ignore=shutil.ignore_patterns("__pycache__"), symlinks=True)
    root.chmod(0o755)
    compile_into(target, root, SUBJECT_DIR, [f for f in target.tree.files if f.endswith(".py")])
    return Bench(target=target, root=root, kit=kit)


def compile_into(target: Target, root: Path, mounted: str, files: Iterable[str]) -> None:
    """Write bytecode beside the sources of `root`, which is seen as `mounted` inside. What does not compile is left."""
    names = {f"{mounted}/{name}": name for name in files}
    outcome = target.sandbox.run(
        Launch(
            argv=python_words(target.environment, "workload_compile.py"),
            mounts=_bare_mounts(target, Mount(source=root, target=mounted)),
            env={},
            limits=_PREPARE_LIMITS,
            scratch_bytes=64 << 20,
            cpus=spare_cpus(),
            stdin=json.dumps(list(names)).encode(),
            hidden=standard_hidden(target),
        )
    )
    tag = f"cpython-{target.environment.minor.replace('.', '')}"
    for line in outcome.stdout.splitlines():
        try:
            path, encoded = json.loads(line)
            name = PurePosixPath(names[path])
            data = base64.b64decode(encoded, validate=True)
        except (ValueError, KeyError, TypeError):
            continue  # a line cut by a limit
        folder = root / name.parent / "__pycache__"
        folder.mkdir(mode=0o755, exist_ok=True)
        compiled = folder / f"{name.stem}.{tag}.pyc"
        compiled.write_bytes(data)
        compiled.chmod(0o644)
