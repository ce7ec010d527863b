"""The shared pass: what the cache answers is what the tools would say, and what changed is looked at again."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from qualityscore.collectors.context import StaticContext, StaticFacts, StaticOutcome
from qualityscore.collectors.one_pass import observe
from qualityscore.collectors.static import context_for, measure
from qualityscore.languages.python_production import scan_tree
from qualityscore.model.measure import Fault, Unavailable

Repository = Callable[..., Path]

# hub <- middle <- user; leaf alone. `user` gets a wrong number of arguments from `hub` by way of `middle`.
FILES = {
    "pkg/__init__.py": "",
    "pkg/hub.py": "def make(a):\n    return a\n",
    "pkg/middle.py": "from pkg.hub import make\n__all__ = ['make']\n",
    "pkg/user.py": "from .middle import make\nprint(make(1, 2))\n",
    "pkg/leaf.py": "import os\n",
    "notes.txt": "def hidden():\n    pass\n",
}


class Counter:
    """How many answers the tools were asked for."""

    def __init__(self) -> None:
        self.total = 0

    def __call__(self, done: int, total: int) -> None:
        del done
        self.total = max(self.total, total)


def context(root: Path, cache: Path | None) -> StaticContext:
    return context_for(scan_tree(root), judged=None, cache=cache, workers=1)


def look(root: Path, cache: Path | None) -> tuple[StaticFacts, int]:
    """Facts, and how many jobs were done for them (a job to load each tool included)."""
    counter = Counter()
    return observe(context(root, cache), counter), counter.total


def codes(facts: StaticFacts) -> dict[str, list[str]]:
    return {file.path: [m.id for m in file.messages] for file in facts.files}


def test_an_unchanged_repository_needs_no_tool(repository: Repository, tmp_path: Path) -> None:
    root = repository(FILES)
    cold, asked = look(root, tmp_path / "c")
    assert codes(cold)["pkg/user.py"] == ["E1121"]
    assert codes(cold)["pkg/leaf.py"] == ["W0611"]
    assert cold.hidden_code == (("notes.txt", "Python code in a data file"),)
    assert asked == 3 + 5 + 5 + 1
    warm, asked = look(root, tmp_path / "c")
    assert warm == cold
    assert asked == 0


def test_what_kind_of_code_a_data_file_keeps_is_told_by_its_name_in_the_repository(
    repository: Repository, tmp_path: Path
) -> None:
    unchecked = b"\0" * 4 + b"\1" + b"\0" * 11  # PEP 552: the second word's bit 0 without bit 1
    root = repository({"m.py": ""})
    (root / "__pycache__").mkdir()
    (root / "lone.pyc").write_bytes(b"anything")
    (root / "__pycache__" / "m.cpython-311.pyc").write_bytes(unchecked)
    (root / "__pycache__" / "n.cpython-311.pyc").write_bytes(b"\0" * 16)
    for _ in ("looked at", "from the cache"):
        assert look(root, tmp_path / "c")[0].hidden_code == (
            ("__pycache__/m.cpython-311.pyc", "compiled code that is not checked against its source"),
            ("lone.pyc", "compiled code without its source"),
        )


@pytest.mark.parametrize(
    ("path", "text", "relinted"),
    [
        ("pkg/leaf.py", "import sys\n", ["pkg/leaf.py"]),
        ("pkg/hub.py", "def make(a, b):\n    return a, b\n", ["pkg/hub.py", "pkg/middle.py", "pkg/user.py"]),
        ("pkg/__init__.py", "x = 1\n", ["pkg/__init__.py", "pkg/hub.py", "pkg/middle.py", "pkg/user.py"]),
        ("pkg/middle.py", FILES["pkg/middle.py"], []),
    ],
)
def test_a_change_costs_the_file_and_what_imports_it(
    repository: Repository, tmp_path: Path, path: str, text: str, relinted: list[str]
) -> None:
    root = repository(FILES)
    look(root, tmp_path / "c")
    (root / path).write_text(text)
    warm, asked = look(root, tmp_path / "c")
    changed = FILES[path] != text
    rounds = 0 if not changed else 1 if len(relinted) == 1 else 2
    assert asked <= (1 + len(relinted)) + 2 + (rounds == 2) if changed else asked == 0
    cold, _ = look(root, None)
    assert warm == cold
    assert (codes(warm)["pkg/user.py"] == []) is (path == "pkg/hub.py")


def test_a_new_file_that_an_import_finds_is_a_change(repository: Repository, tmp_path: Path) -> None:
    root = repository({"a.py": "from b import make\nprint(make(1, 2))\n"})
    assert codes(look(root, tmp_path / "c")[0]) == {"a.py": []}
    repository({"b.py": "def make(a):\n    return a\n"})
    assert codes(look(root, tmp_path / "c")[0]) == {"a.py": ["E1121"], "b.py": []}


def test_a_renamed_file_keeps_its_facts_under_its_new_name(repository: Repository, tmp_path: Path) -> None:
    root = repository({"a.py": "import os  # noqa\n"})
    look(root, tmp_path / "c")
    (root / "a.py").rename(root / "b.py")
    facts, _ = look(root, tmp_path / "c")
    (file,) = facts.files
    assert (file.path, [s.path for s in file.suppressions], file.messages[0].id) == ("b.py", ["b.py"], "W0611")


def test_the_environments_packages_are_resolved_and_not_ours(repository: Repository, tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    (site / "thing").mkdir(parents=True)
    (site / "thing" / "__init__.py").write_text("def make(a):\n    return a\n")
    root = repository({"a.py": "import thing\nimport radon.raw\nthing.make(1, 2)\nradon.raw.analyze(1, 2, 3)\n"})

    def found(site_packages: Path | None) -> list[int]:
        facts = observe(context_for(scan_tree(root), judged=None, site_packages=site_packages, workers=1))
        return [message.line for message in facts.files[0].messages if message.id == "E1121"]

    assert found(site) == [3]
    assert found(None) == []


def test_the_number_of_workers_changes_nothing(repository: Repository) -> None:
    root = repository(FILES)
    one, three = (observe(context_for(scan_tree(root), judged=None, workers=n)) for n in (1, 3))
    assert one == three


def test_every_tool_reports_over_the_same_files_with_or_without_init(repository: Repository) -> None:
    bad = "import pickle\ndef f(a=[]):\n    return a\n"
    root = repository({"pkg/__init__.py": "", "pkg/fine.py": "x = 1\n", "pkg/sub/worst.py": bad, "top.py": ""})
    facts = observe(context(root, None))
    assert [file.path for file in facts.files] == ["pkg/__init__.py", "pkg/fine.py", "pkg/sub/worst.py", "top.py"]
    worst = facts.files[2]
    assert [issue.id for issue in worst.issues] == ["B403"]
    assert sorted(message.id for message in worst.messages) == ["W0102", "W0611"]
    assert [unit.qualname for unit in worst.units] == ["<module>", "f"]
    assert all(file.unparsable is None and file.units for file in facts.files)


def test_relative_imports_resolve_in_a_folder_without_init(repository: Repository) -> None:
    root = repository({"ns/a.py": "def make(a):\n    return a\n", "ns/b.py": "from .a import make\nmake(1, 2)\n"})
    assert codes(observe(context(root, None))) == {"ns/a.py": [], "ns/b.py": ["E1121"]}


def test_tools_that_do_not_finish_are_the_harnesss_fault(repository: Repository) -> None:
    from dataclasses import replace

    outcome: StaticOutcome = measure(replace(context(repository(FILES), None), wall_s=0.01))
    assert {type(m) for m in outcome.measures.values()} == {Unavailable}
    assert {m.fault for m in outcome.measures.values() if isinstance(m, Unavailable)} == {Fault.HARNESS}
    (fault,) = outcome.faults
    assert (fault.fault, fault.stage, fault.code) == (Fault.HARNESS, "static", "QS-340")


@pytest.mark.parametrize("kills", [1, 1000])
def test_what_kills_the_tools_from_outside_is_never_the_codes_fault(repository: Repository, kills: int) -> None:
    """One kill changes nothing, and where every worker dies the host is at fault."""
    root = repository(FILES)
    asked = context(root, None)
    done, killed = threading.Event(), []

    def kill_workers() -> None:
        while not done.is_set() and len(killed) < kills:
            for process in _workers():
                if process not in killed and len(killed) < kills:
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
            time.sleep(0.01)

    killer = threading.Thread(target=kill_workers)
    killer.start()
    try:
        outcome = measure(asked)
    finally:
        done.set()
        killer.join()
    if kills == 1:
        assert len(killed) == 1
        assert outcome == measure(asked)
        assert outcome.faults == ()
    else:
        assert {m.fault for m in outcome.measures.values() if isinstance(m, Unavailable)} == {Fault.HARNESS}
        assert [(f.fault, f.code) for f in outcome.faults] == [(Fault.HARNESS, "QS-340")]


def _workers() -> list[int]:
    """The worker processes of this one."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and b"worker_main" in (process / "cmdline").read_bytes():
                parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                found += [int(process.name)] if parent == os.getpid() else []
    return found
