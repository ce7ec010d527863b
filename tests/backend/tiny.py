"""A task that one evaluation of takes a second or two, and subjects for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from qualityscore.model.codec import dump
from qualityscore.runtime.cache import locked
from qualityscore.runtime.environment import python_minor
from qualityscore.runtime.tasks import data_root
from qualityscore.snapshots import take_snapshot

ROOT = Path(__file__).resolve().parents[2]

SOURCE = '''"""Two small functions."""


def add(first, second):
    """The sum."""
    return first + second


def words(text):
    """The words of a text, in order."""
    return text.split()
'''
_SUITE = """import tiny


def test_add():
    assert tiny.add(20, 22) == 42


def test_add_negative():
    assert tiny.add(-7, -35) == -42


def test_words():
    assert tiny.words("one two") == ["one", "two"]


def test_no_words():
    assert tiny.words(" ") == []
"""
_TASK = """
id = "tiny"
title = "Two small functions"
scenario = "text"
[reference]
path = "reference"
[environment]
python = ">=3.11"
lock = "requirements.lock"
[surface]
imports = ["tiny"]
[suites.functional]
files = ["suites/test_*.py"]
test_timeout_s = 5.0
total_timeout_s = 60.0
memory_mib = 256
"""
_MANIFEST = {
    "schema_version": 1,
    "task_id": "tiny",
    "reference": "tiny",
    "seed": 1,
    "hash_seeds": [0],
    "float_tolerance": 0.0,
    "entries": [],
}


def write_task(folder: Path) -> Path:
    """Write the task with its snapshot into `folder`; made once, whoever asks at the same time."""
    with locked(folder.with_name(folder.name + ".lock")):
        if not folder.is_dir():
            part = folder.with_name(folder.name + ".part")
            shutil.rmtree(part, ignore_errors=True)
            for name in ("suites", "probes", "reference"):
                (part / name).mkdir(parents=True)
            (part / "task.toml").write_text(_TASK)
            entries = [{"name": f"tiny.{name}", "kind": "function"} for name in ("add", "words")]
            (part / "surface.json").write_text(json.dumps({"entries": entries}))
            (part / "suites" / "test_tiny.py").write_text(_SUITE)
            (part / "reference" / "tiny.py").write_text(SOURCE)
            (part / "probes" / "manifest.json").write_text(json.dumps(_MANIFEST))
            shutil.copy(data_root() / "baselines" / "cachetools" / "requirements.lock", part)
            (part / f"baseline-{python_minor()}.json").write_text(dump(take_snapshot(str(part))))
            part.rename(folder)
    return folder


def write_subject(folder: Path, remark: str = "", *, source: str = SOURCE) -> Path:
    """A subject like the reference; `remark` makes its content, and so its digest, its own."""
    folder.mkdir(parents=True)
    (folder / "tiny.py").write_text(source + (f"\n# {remark}\n" if remark else ""))
    return folder


HALF = SOURCE.replace("first + second", "first - second")
"""A subject that passes two of the four tests: those on words."""


def run(*arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    return subprocess.run(command(*arguments), env=environment(env), capture_output=True, text=True, timeout=300)


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "qualityscore.cli", *map(str, arguments)]


def environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **(extra or {})}


def write_manifest(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def results(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
