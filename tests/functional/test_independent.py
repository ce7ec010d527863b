"""Implementations by somebody who saw neither suite nor reference: what follows the requirement passes.

What each of them failed at first, and who was at fault, is in `tests/repos/independent/outcomes.toml`. A property that
is at fault and frozen fails until it is mended: exactly those that are marked open there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from qualityscore.model.outcome import TestOutcome
from qualityscore.runtime import tasks, workspace
from qualityscore.runtime.target import Target
from qualityscore.snapshots import reference_target
from qualityscore.suites import functional, manifest, properties, robustness
from qualityscore.suites.cost_kit import prepare_bench, prepare_kit
from qualityscore.suites.cost_launch import Mode, run_units, unit_of
from qualityscore.suites.expectation import discover
from qualityscore.suites.manifest import Manifest, Property

INDEPENDENT = Path(__file__).parents[1] / "repos" / "independent"
TASKS = sorted(folder.name for folder in INDEPENDENT.iterdir() if folder.is_dir())
OUTCOMES = tomllib.loads((INDEPENDENT / "outcomes.toml").read_text(encoding="utf-8"))["outcome"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=TASKS)
def sides(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Target, Target]]:
    """The task's reference and the independent implementation, in the real sandbox."""
    task = tasks.load_task(request.param)
    folder = tmp_path_factory.mktemp("independent") / "subject"
    tree = workspace.copy(INDEPENDENT / request.param, folder, tuple(task.spec.surface.imports)).tree
    with reference_target(task, None, unsafe=False) as reference:
        yield reference, replace(reference, tree=tree, is_reference=False)


def test_it_passes_the_whole_functional_suite(sides: tuple[Target, Target]) -> None:
    reference, subject = sides
    expected = discover(reference)
    assert len(expected) >= 15
    failed = {test.id: test.failure for test in functional.run(subject, expected).tests if not _passed(test.outcome)}
    assert failed == {}


def _passed(outcome: TestOutcome) -> bool:
    return outcome is TestOutcome.PASSED


def test_the_properties_hold_on_it(sides: tuple[Target, Target]) -> None:
    _, subject = sides
    names = properties.names(subject.task.probes_folder / properties.FILE_NAME)
    wanted = [Property(id=name, entries=[], limit_s=30.0, memory_bytes=1 << 30) for name in names]
    manifest = Manifest(
        schema_version=1,
        task_id=subject.task.id,
        reference="",
        seed=0,
        hash_seeds=[0],
        float_tolerance=0.0,
        entries=[],
        properties=wanted,
    )
    assert len(names) >= 6
    held = properties.run(subject, manifest, total_s=300.0)
    failed = {outcome.id: (outcome.message, outcome.snippet) for outcome in held if not outcome.passed}
    assert set(failed) == set(names) & _open(subject.task.id), failed


def test_it_survives_the_probes_and_gives_every_right_value(sides: tuple[Target, Target]) -> None:
    _, subject = sides
    if not (subject.task.probes_folder / manifest.FILE_NAME).is_file():
        pytest.skip("its probes are not frozen yet")
    outcome = robustness.run(subject, manifest.load(subject.task.probes_folder))
    lost = {e.entry for e in outcome.entries if e.survived < e.total or e.right_values < e.value_probes}
    shown = [failure for entry in outcome.entries for failure in (*entry.failures, *entry.differences)]
    assert sum(entry.value_probes for entry in outcome.entries) >= 10
    assert lost == {name.removeprefix("probe ").partition("#")[0] for name in _open(subject.task.id) if "#" in name}, (
        shown
    )


def _open(task: str) -> set[str]:
    return {outcome["test"] for outcome in OUTCOMES if outcome["task"] == task and outcome.get("open")}


def test_its_workloads_give_what_the_reference_gives(sides: tuple[Target, Target], tmp_path: Path) -> None:
    reference, subject = sides
    kit = prepare_kit(reference, tmp_path / "kit")
    units = [unit_of(workload, size) for workload in kit.workloads for size in (1, workload.n)]
    theirs, own = (
        run_units(prepare_bench(target, kit, tmp_path / name), Mode.SINGLE, units)
        for name, target in (("reference", reference), ("subject", subject))
    )
    assert len(kit.workloads) >= 4
    assert all(theirs[unit.id].digest for unit in units)
    assert {unit.id: own[unit.id].digest for unit in units} == {unit.id: theirs[unit.id].digest for unit in units}
