"""Faults planted in copies of each reference: nearly all are noticed, and none makes a subject look better.

`tests/repos/faults/<task>.toml` is by someone who knows the probes, `<task>-unseen.toml` by someone who does not.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qualityscore.core.credibility import survival
from qualityscore.model.measure import Measured
from qualityscore.model.outcome import RobustnessOutcome
from qualityscore.runtime import tasks, workspace
from qualityscore.runtime.target import Target
from qualityscore.snapshots import reference_target
from qualityscore.suites import manifest, robustness
from repos.make import append
from repos.make import replace as replace_text

FAULTS = Path(__file__).parents[1] / "repos" / "faults"
TASKS = ("cachetools", "python-slugify", "xmltodict")


def faults(task: str) -> list[dict[str, str]]:
    files = [FAULTS / f"{task}.toml", FAULTS / f"{task}-unseen.toml"]
    return [fault for file in files if file.is_file() for fault in tomllib.loads(file.read_text("utf-8"))["fault"]]


def score(outcome: RobustnessOutcome) -> float:
    """probes.survival where every entry is credible and weighs the same."""
    names = {entry.entry for entry in outcome.entries}
    measured = survival((), outcome.entries, outcome.properties, names)
    assert isinstance(measured, Measured)
    return measured.value


def planted(target: Target, fault: dict[str, str], folder: Path) -> Target:
    """A copy of the reference with one fault."""
    imports = tuple(target.task.spec.surface.imports)
    source = workspace.copy(target.tree.root, folder / "source", imports).tree.root
    replace_text(source / fault["file"], fault["old"], fault["new"])
    append(source / fault["file"], fault.get("append", ""))
    return replace(target, tree=workspace.copy(source, folder / "subject", imports).tree, is_reference=False)


@pytest.mark.parametrize("task", TASKS)
def test_every_planted_fault_finds_its_place(task: str, tmp_path: Path) -> None:
    with reference_target(tasks.load_task(task), None, unsafe=False) as target:
        for number, fault in enumerate(faults(task)):
            planted(target, fault, tmp_path / str(number))


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_planted_faults_are_noticed(task: str, tmp_path: Path) -> None:
    loaded = tasks.load_task(task)
    frozen = manifest.load(loaded.probes_folder)
    seen: dict[str, Any] = {}
    with reference_target(loaded, None, unsafe=False) as target:
        assert score(robustness.run(target, frozen)) == 1.0
        for number, fault in enumerate(faults(task)):
            outcome = robustness.run(planted(target, fault, tmp_path / str(number)), frozen)
            different = sum(entry.different + entry.unsettled_different for entry in outcome.entries)
            seen[f"{number} {fault['kind']}"] = (round(score(outcome), 4), different)
    assert all(value <= 1.0 for value, _ in seen.values()), seen
    unnoticed = [name for name, (value, different) in seen.items() if value == 1.0 and not different]
    assert len(unnoticed) <= 1, (unnoticed, seen)
