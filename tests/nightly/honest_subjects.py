"""Honest subjects by the thousand: what is in this repository, then faults planted in references.

Of each project, in this order: the reference, the independent implementations and the hasty ones, the subjects of
`tests/repos/expected.toml`, the faults of `tests/repos/faults/`, and copies of the reference with a seeded fault each.
"""

from __future__ import annotations

import ast
import json
import random
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from qualityscore.model.snapshot import ExpectedTest
from qualityscore.model.task import Task
from qualityscore.runtime import environment, reference, tasks, workspace
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.target import Target
from qualityscore.suites import functional
from repos import make

HERE = Path(__file__).resolve().parent
REPOS = HERE.parent / "repos"
LOCK = tasks.data_root() / "baselines" / "python-slugify" / "requirements.lock"
"""An environment of pytest and hypothesis, and nothing else that counts."""

LEFT_OUT = {
    "hanging_import": "plain pytest never ends on it",
    "memory_hog": "only a limit decides it, and plain pytest has none",
    "memory_limit": "only a limit decides it, and plain pytest has none",
    "no_python": "no repository that anybody evaluates",
}
"""Subjects of `expected.toml` that are not compared, and why; nor are its bare references, which are there already."""

_TASK = """
id = "{name}"
title = "{name}"
scenario = "utilities"
[reference]
distribution = "{name}"
version = "{version}"
sdist_sha256 = "{sha256}"
[environment]
python = ">=3.11"
lock = "requirements.lock"
[surface]
imports = ["{module}"]
[suites.functional]
files = {files}
test_timeout_s = 30.0
total_timeout_s = 300.0
memory_mib = 1024
"""


@dataclass(frozen=True)
class Subject:
    """`build` puts the repository into a folder that does not exist yet, from the reference's if it needs one."""

    name: str
    build: Callable[[Path, Path], object]
    is_seeded: bool = False


@dataclass(frozen=True)
class Project:
    """A reference with its suite, and what the suite expects of it."""

    name: str
    target: Target
    expected: tuple[ExpectedTest, ...]

    @property
    def moved(self) -> int:
        """The tests with an assertion that moves."""
        return sum(any(record.moved for record in test.assertions) for test in self.expected)

    @property
    def protected(self) -> int:
        """The tests that resist guessing."""
        return sum(test.protected for test in self.expected)


def package_names() -> list[str]:
    """The packages whose own tests are a suite."""
    return list(_packages())


def _packages() -> dict[str, dict[str, object]]:
    return tomllib.loads((HERE / "packages.toml").read_text("utf-8"))


def _package_task(name: str, folder: Path) -> Task:
    """A task made of a release's own tests."""
    told = _packages()[name]
    place = folder / "task"
    place.mkdir()
    shutil.copyfile(LOCK, place / "requirements.lock")
    (place / "surface.json").write_text(json.dumps({"entries": [{"name": f"{told['module']}.x", "kind": "function"}]}))
    files = json.dumps([f"suites/{pattern}" for pattern in told["tests"]])
    fields = {"name": name, "version": told["version"], "sha256": told["sha256"], "module": told["module"]}
    (place / "task.toml").write_text(_TASK.format(files='["suites/none.py"]', **fields))
    source = reference.fetch(tasks.load_task(str(place)), cache_root())
    for pattern in told["tests"]:
        for file in source.glob(pattern):
            tests = file.parent.relative_to(source)
            copy = place / "suites" / tests
            if not copy.exists() and str(tests) != ".":
                shutil.copytree(file.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
            copy.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy / file.name)
    (place / "task.toml").write_text(_TASK.format(files=files, **fields))
    return tasks.load_task(str(place))


def project(name: str, folder: Path, expected: tuple[ExpectedTest, ...] | None = None) -> Project:
    """A bundled task or a package, with what its suite expects of the release, which is found out if nobody knows."""
    folder.mkdir(mode=0o755)
    task = tasks.load_task(name) if name in tasks.task_ids() else _package_task(name, folder)
    built = environment.ensure(task.folder / task.spec.environment.lock, task.spec.environment.python, cache_root())
    source = reference.fetch(task, cache_root())
    copied = workspace.copy(source, folder / "reference", tuple(task.spec.surface.imports))
    target = Target(task=task, tree=copied.tree, environment=built, sandbox=select(), is_reference=True)
    return Project(name=name, target=target, expected=expected or functional.discover(target))


def subjects(one: Project, rng: random.Random) -> Iterator[Subject]:
    """All that a project has, in the order above; nothing is built before it is asked for."""
    tree = one.target.tree
    yield Subject("the reference", _copy_reference)
    yield from committed(one.name)
    for fault in seeded(tree.root, tree.files, one.target.task.spec.surface.imports, rng):
        yield Subject(str(fault), partial(_with_fault, fault.plant), is_seeded=True)


def committed(task: str) -> Iterator[Subject]:
    """The subjects of a task that are kept in this repository."""
    implementations = [REPOS / "independent" / task, *(author / task for author in sorted((REPOS / "hasty").iterdir()))]
    for folder in implementations:
        if folder.is_dir():
            yield Subject(str(folder.relative_to(REPOS)), partial(_copy_folder, folder))
    for subject in make.subjects():
        if subject.task == task and subject.recipe != "reference" and subject.name not in LEFT_OUT:
            yield Subject(subject.name, partial(_make, subject))
    for file in (REPOS / "faults" / f"{task}.toml", REPOS / "faults" / f"{task}-unseen.toml"):
        found = tomllib.loads(file.read_text("utf-8"))["fault"] if file.is_file() else []
        for number, fault in enumerate(found):
            yield Subject(f"{file.stem} {number}: {fault['kind']}", partial(_with_fault, partial(_plant, fault)))


def _copy_reference(destination: Path, source: Path) -> None:
    shutil.copytree(source, destination)


def _copy_folder(folder: Path, destination: Path, _: Path) -> None:
    shutil.copytree(folder, destination)


def _make(subject: make.Subject, destination: Path, source: Path) -> None:
    make.build(subject, destination, source)


def _with_fault(plant: Callable[[Path], None], destination: Path, source: Path) -> None:
    shutil.copytree(source, destination)
    plant(destination)


def _plant(fault: dict[str, str], root: Path) -> None:
    make.replace(root / fault["file"], fault["old"], fault["new"])
    make.append(root / fault["file"], fault.get("append", ""))


@dataclass(frozen=True)
class Fault:
    """Replace the bytes from `start` to `end` of a file."""

    path: str
    start: int
    end: int
    text: str

    def plant(self, root: Path) -> None:
        """Put the fault into a copy of the reference."""
        content = (root / self.path).read_bytes()
        (root / self.path).write_bytes(content[: self.start] + self.text.encode() + content[self.end :])


def seeded(root: Path, files: tuple[str, ...], imports: list[str], rng: random.Random) -> Iterator[Fault]:
    """All faults of three kinds in random order: a number plus one, a comparison negated, a result dropped."""
    tops = {name.partition(".")[0] for name in imports}
    found = []
    for name in files:
        parts = Path(name).with_suffix("").parts
        if not name.endswith(".py") or not tops & set(parts) or {"tests", "test", "testing"} & set(parts):
            continue
        content = (root / name).read_bytes()
        starts = [0]
        for line in content.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        for node in ast.walk(ast.parse(content)):
            text = _fault_text(node, content, starts)
            if text is not None:
                found.append(Fault(name, *_span(node, starts), text))
    found.sort(key=lambda fault: (fault.path, fault.start, fault.end, fault.text))
    rng.shuffle(found)
    yield from found


def _span(node: ast.AST, starts: list[int]) -> tuple[int, int]:
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def _fault_text(node: ast.AST, content: bytes, starts: list[int]) -> str | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return str(node.value + 1)
    if isinstance(node, ast.Return) and node.value is not None:
        return "return None"
    if isinstance(node, ast.Compare):
        start, end = _span(node, starts)
        return f"(not ({content[start:end].decode()}))"
    return None
