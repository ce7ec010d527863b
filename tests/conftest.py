"""A functional stage in small: a task, a reference and subjects written by the test, run in the real sandbox."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from qualityscore.errors import SandboxUnavailableError
from qualityscore.languages.python_layout import import_roots
from qualityscore.model.outcome import FunctionalOutcome
from qualityscore.model.snapshot import ExpectedTest
from qualityscore.model.task import Task
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.target import Environment, Target, Tree
from qualityscore.runtime.tasks import load_task
from qualityscore.suites import functional

Files = Mapping[str, str | bytes]

_TASK = """
id = "small"
title = "Small"
scenario = "utilities"
[reference]
path = "reference"
[environment]
python = ">=3.11"
lock = "requirements.lock"
[surface]
imports = {imports}
[suites.functional]
files = ["suites/test_*.py"]
test_timeout_s = {test_timeout_s}
total_timeout_s = {total_timeout_s}
memory_mib = 512
"""


_LISTING = """
import json, os

def pytest_runtest_logreport(report):
    with open(os.environ["LISTING"], "a") as file:
        file.write(json.dumps([report.nodeid, report.outcome]) + "\\n")
"""


def write(folder: Path, files: Files) -> None:
    """Write dedented files below a folder that the sandbox can read."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(textwrap.dedent(content), "utf-8")


@dataclass(frozen=True)
class Stage:
    """One task with its suite; subjects are given as files."""

    folder: Path
    task: Task
    imports: tuple[str, ...]
    numbers: itertools.count

    def target(self, files: Files, *, is_reference: bool = False) -> Target:
        """A subject in the environment that runs these tests, under the best sandbox of this host."""
        root = self.folder / f"subject{next(self.numbers)}"
        write(root, files)
        names = tuple(sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()))
        return Target(
            task=self.task,
            tree=Tree(root=root, import_roots=import_roots(names, self.imports), files=names, digest=""),
            environment=Environment(
                prefix=Path(sys.prefix),
                base_prefix=Path(sys.base_prefix).resolve(),
                python="/qs/env/bin/python",
                version=sys.version.split()[0],
                lock_digest="",
            ),
            sandbox=select(),
            is_reference=is_reference,
        )

    def discover(self, files: Files) -> tuple[ExpectedTest, ...]:
        """What is expected, proven on these files as the reference."""
        return functional.discover(self.target(files, is_reference=True))

    def run(self, files: Files, expected: tuple[ExpectedTest, ...]) -> FunctionalOutcome:
        """The stage on a subject."""
        return functional.run(self.target(files), expected)

    def plain(self, files: Files) -> dict[str, str]:
        """Outcomes of the original suite under plain pytest in this environment, outside any sandbox."""
        target = self.target(files)
        roots = [str((target.tree.root / root).resolve()) for root in target.tree.import_roots]
        plugins = self.folder / "plugins"
        write(plugins, {"listing.py": _LISTING})
        listing = self.folder / f"plain{next(self.numbers)}.jsonl"
        options = ["-q", "-p", "listing", "-p", "no:cacheprovider", "-c", "/dev/null", f"--rootdir={self.task.folder}"]
        subprocess.run(
            [sys.executable, "-sB", "-m", "pytest", *options, "suites"],
            cwd=self.task.folder,
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(self.folder),
                "PYTHONPATH": ":".join([*roots, str(plugins)]),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "LISTING": str(listing),
            },
            capture_output=True,
            timeout=120,
            check=False,
        )
        found: dict[str, str] = {}
        for line in listing.read_text().splitlines():
            name, outcome = json.loads(line)
            if found.get(name) in {None, "passed"}:
                found[name] = outcome
        return found


@pytest.fixture(scope="session")
def make_stage(tmp_path_factory):
    """A function (suite files, import names, limits) -> Stage."""
    try:
        select()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))

    def make(
        suite: Files, imports: tuple[str, ...] = ("m",), *, test_timeout_s: float = 10.0, total_timeout_s: float = 60.0
    ) -> Stage:
        folder = tmp_path_factory.mktemp("stage")
        folder.chmod(0o755)
        task = folder / "task"
        header = _TASK.format(
            imports=json.dumps(imports), test_timeout_s=float(test_timeout_s), total_timeout_s=float(total_timeout_s)
        )
        entries = [{"name": f"{name}.entry", "kind": "function"} for name in imports]
        write(task, {"task.toml": header, "surface.json": json.dumps({"entries": entries}), "requirements.lock": ""})
        write(task / "suites", suite)
        return Stage(folder=folder, task=load_task(str(task)), imports=imports, numbers=itertools.count())

    return make


def outcomes(found: FunctionalOutcome) -> dict[str, str]:
    """Test id to outcome."""
    return {test.id: str(test.outcome) for test in found.tests}
