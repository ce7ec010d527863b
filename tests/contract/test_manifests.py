"""What the bundled manifests promise: enough inputs over enough of the surface, evidence where there can be some."""

from __future__ import annotations

import ast
import json
import tomllib
from pathlib import Path

import pytest

from qualityscore.runtime import tasks
from qualityscore.suites import manifest, probe_review

ROOT = Path(__file__).parents[2]
TASKS = tuple(sorted(path.parent.name for path in (ROOT / "probes").glob("*/manifest.json")))


MEASURED = tuple(name for name in TASKS if (ROOT / "baselines" / name / "baseline-3.11.json").is_file())
WITHOUT_A_SNAPSHOT = {"bottle", "click", "humanize", "markdown", "petl", "pyjwt", "stegano", "tinydb", "watchdog"}
"""Only a snapshot says which tests touch an entry. The rule that needs it holds for a task as soon as it has one."""
WITHOUT_A_RESULT = {
    "bottle.Bottle.run": "it serves until the process ends",
    "bottle.run": "it serves until the process ends",
}
"""No call of these returns, so none can be the sensible call that is repeated after each probe."""


def test_every_task_has_probes_and_a_snapshot_but_those_that_are_named() -> None:
    assert set(TASKS) == {path.parent.name for path in (ROOT / "baselines").glob("*/task.toml")}
    assert set(TASKS) - set(MEASURED) == WITHOUT_A_SNAPSHOT


def test_what_is_excluded_is_a_callable_of_the_surface_without_probes() -> None:
    for name in WITHOUT_A_RESULT:
        task = name.partition(".")[0]
        surface = json.loads((ROOT / "baselines" / task / "surface.json").read_text("utf-8"))["entries"]
        assert name in {entry["name"] for entry in surface}
        gaps = {gap.entry: gap.reason for gap in manifest.load(ROOT / "probes" / task).not_probed if not gap.parameter}
        assert gaps[name].startswith("no call of it")


@pytest.mark.parametrize("task", TASKS)
def test_no_probe_names_a_folder_of_the_machine_it_was_built_on(task: str) -> None:
    text = (ROOT / "probes" / task / "manifest.json").read_text("utf-8")
    assert [place for place in ("/tmp/pytest", "pytest-of-", "/tmp/tmp", "/qs/", str(ROOT)) if place in text] == []


@pytest.mark.parametrize("task", TASKS)
def test_at_least_200_inputs_over_nine_tenths_of_the_callables(task: str) -> None:
    frozen = manifest.load(ROOT / "probes" / task)
    entries = json.loads((ROOT / "baselines" / task / "surface.json").read_text("utf-8"))["entries"]
    callables = {e["name"] for e in entries if e["kind"] in ("function", "method", "class") and not e.get("bodiless")}
    probed = {entry.name for entry in frozen.entries}
    assert probed <= callables
    assert len(probed) >= 0.9 * len(callables - WITHOUT_A_RESULT.keys())
    assert sum(len(entry.probes) for entry in frozen.entries) >= 200
    inputs = {(*probe.setup, probe.call) for entry in frozen.entries for probe in entry.probes}
    assert len(inputs) >= 200


@pytest.mark.parametrize("task", TASKS)
def test_at_least_six_properties_each_with_its_claim(task: str) -> None:
    frozen = manifest.load(ROOT / "probes" / task)
    tree = ast.parse((ROOT / "probes" / task / "probes.py").read_bytes())
    written = {
        n.name: ast.get_docstring(n) for n in tree.body if isinstance(n, ast.FunctionDef) and n.name[:5] == "prop_"
    }
    assert [held.id for held in frozen.properties] == list(written)
    assert len(written) >= 6
    assert all(written.values())
    assert all(held.entries for held in frozen.properties)


@pytest.mark.parametrize("task", MEASURED)
def test_an_entry_without_two_telling_values_has_a_test_that_touches_it(task: str) -> None:
    frozen = manifest.load(ROOT / "probes" / task)
    loaded = tasks.load_task(task)
    snapshot = tasks.read_snapshot(tasks.snapshot_path(loaded, "3.11"), loaded)
    values = {entry.name: len({p.outcome.digest for p in entry.probes if p.value}) for entry in frozen.entries}
    assert {e.name: e.value_probes for e in snapshot.entries} == {
        e.name: values.get(e.name, 0) for e in snapshot.entries
    }
    assert [e.name for e in snapshot.entries if e.value_probes < 2 and not e.tests] == []


@pytest.mark.parametrize("task", TASKS)
def test_kinds_are_those_of_the_review(task: str) -> None:
    review = probe_review.load(ROOT / "probes" / task)
    frozen = manifest.load(ROOT / "probes" / task)
    wrong = [
        probe.id
        for entry in frozen.entries
        for probe in entry.probes
        if review.kind(entry.name, probe.inputs, probe.outcome) != probe.kind
    ]
    assert wrong == []


@pytest.mark.parametrize("task", TASKS)
def test_every_decision_has_its_reason(task: str) -> None:
    text = (ROOT / "probes" / task / "review.toml").read_text("utf-8")
    decisions = [line for lines in tomllib.loads(text).values() for line in lines]
    assert decisions
    assert all(len(line["reason"].split()) > 1 for line in decisions)


@pytest.mark.parametrize("task", TASKS)
def test_limits_come_from_the_reference(task: str) -> None:
    for entry in manifest.load(ROOT / "probes" / task).entries:
        assert entry.limit_s >= 2.0
        assert entry.memory_bytes > 256 << 20
