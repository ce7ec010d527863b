"""Verdicts of the functional stage against plain pytest on honest code, and false alarms among them.

Run as `python tests/nightly/verdict_equality.py [--evaluations N] [--seed S] [--shard K/M] [PROJECT ...]`. Projects are
the bundled tasks and the packages of `packages.toml`, whose own tests are the suite; without names, all of them. Each
reference and each re-implementation in the repository is evaluated, then references with a seeded fault, in turn, until
there are N evaluations (default 2,000; a small setting is 40). For each the original suite runs under plain pytest and
the derived one in the sandbox; every test must come to the same verdict, and nothing may be called tampered.

Prints the share of tests that move and that resist guessing, and exits with 1 on any difference or false alarm. A test
that fails differently from itself under plain pytest (run once more) is listed as unsteady and is no difference.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from qualityscore.model.outcome import TestOutcome
from qualityscore.model.snapshot import ExpectedTest
from qualityscore.model.task import Task
from qualityscore.runtime import environment, reference, tasks, workspace
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.target import Target, Tree
from qualityscore.suites import functional

HERE = Path(__file__).resolve().parent
LOCK = tasks.data_root() / "baselines" / "python-slugify" / "requirements.lock"
"""An environment of pytest and hypothesis, and nothing else that counts."""

_PLAIN_S = 90.0
_LISTING = """
import json, os

def pytest_runtest_logreport(report):
    with open(os.environ["LISTING"], "a") as file:
        file.write(json.dumps([report.nodeid, report.outcome]) + "\\n")
"""
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


@dataclass(frozen=True)
class Project:
    """A reference with its suite, and what the suite expects of it."""

    name: str
    target: Target
    expected: tuple[ExpectedTest, ...]
    folder: Path

    def describe(self) -> str:
        """The line with the two shares."""
        moved = sum(any(record.moved for record in test.assertions) for test in self.expected)
        protected = sum(test.protected for test in self.expected)
        return f"{self.name}: {len(self.expected)} tests, {moved} move, {protected} resist guessing"


@dataclass
class Figures:
    """What was counted over all evaluations."""

    evaluations: int = 0
    alarms: int = 0
    differences: int = 0
    unsteady: int = 0
    tests: int = 0
    moved: int = 0
    protected: int = 0
    projects: list[str] = field(default_factory=list)


def faults(root: Path, files: tuple[str, ...], imports: list[str], rng: random.Random) -> Iterator[Fault]:
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


def plain(target: Target, folder: Path, timeout_s: float) -> dict[str, str]:
    """Outcomes of the original suite under plain pytest, outside any sandbox; only for code that we trust."""
    listing = folder / "listing.jsonl"
    listing.unlink(missing_ok=True)
    (folder / "listing.py").write_text(_LISTING)
    roots = [str((target.tree.root / root).resolve()) for root in target.tree.import_roots]
    files = [str(path) for path in target.task.suite_files("functional")]
    options = ["-q", "-p", "listing", "-p", "no:cacheprovider", "-c", "/dev/null", f"--rootdir={target.task.folder}"]
    try:
        subprocess.run(
            [str(target.environment.prefix / "bin" / "python"), "-sB", "-m", "pytest", *options, *files],
            cwd=target.task.folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "PYTHONPATH": ":".join([*roots, str(folder)]),
                "PYTHONHASHSEED": "0",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "LISTING": str(listing),
            },
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {}  # a hanging fault: plain pytest has no limit per test, so there is nothing to compare with
    found: dict[str, str] = {}
    for line in listing.read_text().splitlines() if listing.exists() else ():
        name, outcome = json.loads(line)
        if found.get(name) in {None, "passed"}:
            found[name] = outcome
    return found


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


def project(name: str, folder: Path) -> Project:
    """A bundled task or a package, with what its suite expects of the release."""
    folder.mkdir(mode=0o755)
    task = tasks.load_task(name) if name in tasks.task_ids() else _package_task(name, folder)
    built = environment.ensure(task.folder / task.spec.environment.lock, task.spec.environment.python, cache_root())
    source = reference.fetch(task, cache_root())
    copied = workspace.copy(source, folder / "reference", tuple(task.spec.surface.imports))
    target = Target(task=task, tree=copied.tree, environment=built, sandbox=select(), is_reference=True)
    return Project(name=name, target=target, expected=functional.discover(target), folder=folder)


def subjects(one: Project, rng: random.Random) -> Iterator[tuple[str, Tree]]:
    """The reference, the re-implementations, then the reference with one fault after the other: (what it is, tree)."""
    yield "the reference", one.target.tree
    for name, root in _re_implementations(one):
        copied = workspace.copy(root, one.folder / f"{name}-copy", tuple(one.target.task.spec.surface.imports))
        yield name, copied.tree
    tree = one.target.tree
    for number, fault in enumerate(faults(tree.root, tree.files, one.target.task.spec.surface.imports, rng)):
        root = one.folder / f"fault{number}"
        shutil.copytree(tree.root, root)
        fault.plant(root)
        yield str(fault), replace(tree, root=root)
        shutil.rmtree(root)


def _re_implementations(one: Project) -> Iterator[tuple[str, Path]]:
    with contextlib.suppress(ImportError):
        from repos import make

        for subject in make.subjects():
            if subject.task == one.name and subject.recipe in ("files", "demo"):
                yield subject.name, make.build(subject, one.folder / subject.name)


def evaluate(one: Project, what: str, tree: Tree, figures: Figures) -> None:
    """Evaluate one subject both ways; print and count what differs."""
    subject = replace(one.target, tree=tree, is_reference=False)
    theirs = plain(subject, one.folder, _PLAIN_S)
    ours = functional.run(subject, one.expected)
    figures.evaluations += 1
    if ours.tampered:
        figures.alarms += 1
        print(f"  FALSE ALARM on {one.name}, {what}: {ours.evidence[0].message}", flush=True)
    apart = [t for t in ours.tests if theirs and (t.outcome is TestOutcome.PASSED) != (theirs.get(t.id) == "passed")]
    if not apart:
        return
    again = plain(subject, one.folder, _PLAIN_S)
    repeated = {t.id: t.outcome for t in functional.run(subject, one.expected).tests}
    for test in apart:
        steady = again.get(test.id) == theirs.get(test.id) and repeated[test.id] == test.outcome
        figures.differences += steady
        figures.unsteady += not steady
        reason = test.failure.message if test.failure else ""
        kind = "" if steady else "unsteady: "
        there = theirs.get(test.id)
        print(f"  {kind}{one.name}, {what}: {test.id} is {test.outcome} here ({reason}), {there} there", flush=True)


def measure(names: Sequence[str], evaluations: int, seed: int, shard: tuple[int, int] = (0, 1)) -> Figures:
    """Evaluate subjects of these projects in turn until there are enough; shard k of m takes every m-th."""
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="qs-verdicts-") as made:
        folder = Path(made)
        folder.chmod(0o755)
        queues = []
        for name in names:
            one = project(name, folder / name)
            print(one.describe(), flush=True)
            figures.projects.append(name)
            figures.tests += len(one.expected)
            figures.moved += sum(any(record.moved for record in test.assertions) for test in one.expected)
            figures.protected += sum(test.protected for test in one.expected)
            queues.append((one, subjects(one, random.Random(f"{seed} {name}"))))
        taken = 0
        while queues and taken < evaluations:
            for entry in list(queues):
                one, waiting = entry
                found = next(waiting, None)
                if found is None:
                    queues.remove(entry)
                    continue
                if taken % shard[1] == shard[0]:
                    evaluate(one, *found, figures)
                taken += 1
                if taken >= evaluations:
                    break
    return figures


def main() -> int:
    """Measure what was named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="*", default=[*tasks.task_ids(), *package_names()], metavar="PROJECT")
    parser.add_argument("--evaluations", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shard", default="0/1", metavar="K/M")
    options = parser.parse_args()
    first, _, count = options.shard.partition("/")
    figures = measure(options.projects, options.evaluations, options.seed, (int(first), int(count)))
    print(
        f"{figures.evaluations} evaluations of {len(figures.projects)} projects: {figures.alarms} false alarms, "
        f"{figures.differences} verdicts that differ from plain pytest's, {figures.unsteady} unsteady; "
        f"of {figures.tests} tests {figures.moved / max(1, figures.tests):.1%} move and "
        f"{figures.protected / max(1, figures.tests):.1%} resist guessing"
    )
    return int(figures.alarms > 0 or figures.differences > 0)


if __name__ == "__main__":
    sys.exit(main())
