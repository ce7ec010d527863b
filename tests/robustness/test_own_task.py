"""From nothing to a validated manifest in one command, twice the same; and the nightly proofs on the bundled tasks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from qualityscore.cli import main
from qualityscore.runtime import tasks
from qualityscore.snapshots import reference_target
from qualityscore.suites import manifest, probe_build, robustness
from qualityscore.suites.probe_limits import limits_of
from robustness.test_building import REFERENCE, REVIEW, SUITE

ROOT = Path(__file__).parents[2]
BUNDLED = ("cachetools", "python-slugify", "xmltodict")
TASK = """id = "thing"
title = "A thing"
scenario = "utilities"
documented_exceptions = ["ValueError"]

[reference]
path = "reference"

[environment]
python = ">=3.11"
lock = "requirements.lock"

[surface]
imports = ["thing"]

[suites.functional]
files = ["suites/functional/test_*.py"]

[suites.robustness]
files = ["probes.py"]
total_timeout_s = 60.0
"""
ENTRIES = (
    ("swap", "(pair, times=1)"),
    ("same", "(*args, **kwargs)"),
    ("quiet", "(call=None)"),
    ("fixed", "(number=0)"),
)


@pytest.fixture
def own_task(tmp_path: Path) -> Path:
    """A task's folder without probes; its environment is that of a bundled task."""
    folder = tmp_path / "tasks" / "thing"
    for name, text in {
        "task.toml": TASK,
        "reference/thing.py": REFERENCE,
        "suites/functional/test_thing.py": SUITE,
        "probes/review.toml": REVIEW,
        "surface.json": json.dumps(
            {"entries": [{"name": f"thing.{n}", "kind": "function", "signature": s} for n, s in ENTRIES]}
        ),
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    shutil.copy(ROOT / "baselines" / "cachetools" / "requirements.lock", folder)
    return folder


@pytest.mark.slow
def test_one_command_gives_a_manifest_and_again_the_same_bytes(
    own_task: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probes", "build", str(own_task)]) == 0
    said = capsys.readouterr().err
    assert "without two values that no stub gives: thing.same, thing.quiet, thing.fixed" in said
    first = (own_task / "probes" / "manifest.json").read_bytes()
    assert main(["probes", "build", str(own_task), "-o", str(own_task / "again.json")]) == 0
    assert (own_task / "again.json").read_bytes() == first
    capsys.readouterr()
    assert main(["probes", "review", str(own_task)]) == 0
    listed = capsys.readouterr().out
    assert "raise site: thing.py swap: raise ValueError" in listed
    assert "accepted input: as the suite calls it" in listed


def test_a_reference_that_cannot_be_imported_is_refused_and_nothing_written(
    own_task: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own_task / "reference" / "thing.py").write_text("import no_such_module\n", "utf-8")
    assert main(["probes", "build", str(own_task)]) != 0
    assert "no_such_module" in capsys.readouterr().err
    assert not (own_task / "probes" / "manifest.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("task", BUNDLED)
def test_building_again_gives_the_committed_manifest(task: str) -> None:
    loaded = tasks.load_task(task)
    with reference_target(loaded, None, unsafe=False) as target:
        built = probe_build.build(target, 0)
    assert manifest.dump(built) == (ROOT / "probes" / task / manifest.FILE_NAME).read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("task", BUNDLED)
def test_the_reference_survives_everything_ten_times_in_a_row(task: str) -> None:
    loaded = tasks.load_task(task)
    frozen = manifest.load(loaded.probes_folder)
    lost = []
    with reference_target(loaded, None, unsafe=False) as target:
        for _ in range(10):
            outcome = robustness.run(target, frozen)
            lost += [e.entry for e in outcome.entries if e.survived < e.total or e.hard_fault or e.different]
            lost += [held.id for held in outcome.properties if not held.passed]
    assert lost == []


@pytest.mark.slow
@pytest.mark.parametrize("task", BUNDLED)
@pytest.mark.parametrize("hash_seed", ["17", "random"])
def test_the_reference_survives_everything_under_another_hash_seed(task: str, hash_seed: str) -> None:
    loaded = tasks.load_task(task)
    frozen = manifest.load(loaded.probes_folder)
    limits = limits_of(loaded)
    with reference_target(loaded, None, unsafe=False) as target:
        seen = robustness.answers(
            target, frozen, limits, progress=lambda _done: None, env={"PYTHONHASHSEED": hash_seed}
        )
        judged = [robustness.judge_entry(target, frozen, entry, seen[entry.name]) for entry in frozen.entries]
    assert [e.entry for e in judged if e.survived < e.total or e.hard_fault or e.different] == []


@pytest.mark.slow
@pytest.mark.parametrize("task", ["python-slugify"])
def test_a_table_of_a_bundled_manifest_is_exposed(task: str, tmp_path: Path) -> None:
    from dataclasses import replace

    from qualityscore.runtime import workspace
    from qualityscore.suites import fresh
    from robustness.memorising import memoriser

    loaded = tasks.load_task(task)
    frozen = manifest.load(loaded.probes_folder)
    (tmp_path / "source" / "slugify").mkdir(parents=True)
    (tmp_path / "source" / "slugify" / "__init__.py").write_text(memoriser(frozen, "slugify"), "utf-8")
    with reference_target(loaded, None, unsafe=False) as target:
        tree = workspace.copy(tmp_path / "source", tmp_path / "copy", ("slugify",)).tree
        subject = replace(target, tree=tree, is_reference=False)
        learnt = fresh.run(subject, target, frozen, 99, progress=lambda done, total: None)
        honest = fresh.run(replace(target, is_reference=False), target, frozen, 99, progress=lambda done, total: None)
    assert honest.agrees
    assert honest.fresh_right.count == honest.fresh_right.total
    assert not learnt.agrees
    assert learnt.frozen_right.low > learnt.fresh_right.high
