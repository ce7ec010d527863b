"""Reading tasks and snapshots: what is accepted, and what one sentence says about the rest."""

import json
import shutil

import pytest

from qualityscore.errors import SnapshotError, TaskError, UsageError
from qualityscore.model.codec import dump
from qualityscore.model.report import SCORE_MODEL
from qualityscore.model.snapshot import SNAPSHOT_SCHEMA_VERSION, ExpectedTest, Snapshot
from qualityscore.runtime.tasks import data_root, load_task, read_snapshot, task_ids
from qualityscore.snapshots import is_repository, take_snapshot


@pytest.fixture
def own_task(tmp_path):
    folder = tmp_path / "mine"
    shutil.copytree(data_root() / "baselines" / "cachetools", folder)
    return folder


def snapshot_of(task, **changes):
    fields = {
        "schema_version": SNAPSHOT_SCHEMA_VERSION,
        "score_model": SCORE_MODEL,
        "task_id": task.id,
        "task_digest": task.digest,
        "python": "3.11",
        "tests": (ExpectedTest(id="suites/functional/test_a.py::test_one", file="suites/functional/test_a.py"),),
        "entries": (),
        "judged": (),
        "measures": {},
    }
    return Snapshot(**(fields | changes))


def test_the_bundled_tasks_load():
    assert "cachetools" in task_ids()
    for name in task_ids():
        task = load_task(name)
        assert task.id == name
        assert task.suite_files("functional")


def test_a_folder_or_its_task_file_is_a_task(own_task):
    assert load_task(str(own_task)).id == load_task(str(own_task / "task.toml")).id == "cachetools"


def test_an_unknown_task_gets_a_suggestion():
    with pytest.raises(TaskError, match="did you mean 'cachetools'"):
        load_task("cachetool")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("scenario =", "scenarios = 'x'\nscenario =", r"key 'scenarios' is unknown \(did you mean 'scenario'\?\)"),
        ("[environment]", "[environment]\npyton = 3", r"key .environment.pyton. is unknown \(did you mean .python"),
        ("title =", "title = 5 #", "key 'title': input should be a valid string"),
        ("[environment]", "[environment", "is not TOML"),
        ("title =", "title = " + "[" * 5000 + "#", "is not TOML: it is nested too deeply"),
        ("title =", "title = " + "1" * 5000 + "#", "is not TOML: a number in it has too many digits"),
        ("title =", "titel =", r"key 'titel' is unknown \(did you mean 'title'\?\)"),
        ("[environment]", "[enviroment]", r"key 'enviroment' is unknown \(did you mean 'environment'\?\)"),
        ("lock =", "locks =", r"key 'environment.locks' is unknown \(did you mean 'lock'\?\)"),
        ("sdist_sha256 =", "sdist_sha265 =", r"key 'reference.sdist_sha265' is unknown \(did you mean 'sdist_sha256'"),
        ("[suites.functional]", "[suites.functionl]", "key 'suites.functionl': input should be 'functional', 'rob"),
        ("lock =", "# lock =", "key 'environment.lock' is missing"),
    ],
    ids=[
        "unknown",
        "nested",
        "ill-typed",
        "broken",
        "deep",
        "digits",
        "required",
        "table",
        "nested-required",
        "optional",
        "suite",
        "missing",
    ],
)
def test_a_bad_task_file_is_explained(own_task, old, new, sentence):
    file = own_task / "task.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(TaskError, match=sentence):
        load_task(str(own_task))


def test_the_digest_covers_suites_and_lock_but_not_the_snapshot(own_task):
    before = load_task(str(own_task)).digest
    (own_task / "baseline-3.11.json").write_text("{}")
    assert load_task(str(own_task)).digest == before
    with next((own_task / "suites" / "functional").glob("test_*.py")).open("a") as file:
        file.write("\n")
    changed = load_task(str(own_task)).digest
    assert changed != before
    with (own_task / "requirements.lock").open("a") as file:
        file.write("\n")
    assert load_task(str(own_task)).digest not in (before, changed)


def test_the_digest_does_not_depend_on_where_the_task_and_its_probes_lie(tmp_path):
    together = tmp_path / "somewhere"
    shutil.copytree(data_root() / "baselines" / "xmltodict", together)
    shutil.copytree(data_root() / "probes" / "xmltodict", together / "probes")
    assert load_task(str(together)).digest == load_task("xmltodict").digest


def test_a_lock_outside_the_task_is_refused(own_task):
    (own_task.parent / "requirements.lock").write_text("")
    file = own_task / "task.toml"
    file.write_text(file.read_text().replace('lock = "', 'lock = "../'))
    with pytest.raises(TaskError, match="lies outside the task's folder"):
        load_task(str(own_task))


def test_a_snapshot_of_this_task_is_read(own_task, tmp_path):
    task = load_task(str(own_task))
    file = tmp_path / "s.json"
    file.write_text(dump(snapshot_of(task)))
    assert read_snapshot(file, task) == snapshot_of(task)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda text: text[: len(text) // 2], "truncated or not JSON"),
        (lambda text: json.dumps(json.loads(text) | {"schema_version": 99}), "has schema version 99"),
        (lambda text: json.dumps(json.loads(text) | {"task_digest": "0" * 64}), "of other suites"),
        (lambda text: json.dumps(json.loads(text) | {"task_id": "other"}), "is of task 'other'"),
        (lambda text: json.dumps(json.loads(text) | {"score_model": "0.0"}), "score model 0.0"),
        (lambda text: json.dumps(json.loads(text) | {"extra": 1}), "key 'extra' is unknown"),
        (lambda text: json.dumps(json.loads(text) | {"tests": []}), "holds no tests; write it again with"),
        (lambda text: "[]", "schema version None"),
        (lambda text: "[" * 200_000, "truncated or not JSON"),
    ],
    ids=["truncated", "schema", "suites", "task", "model", "key", "tests", "list", "deep"],
)
def test_a_snapshot_that_does_not_fit_is_explained(own_task, tmp_path, spoil, sentence):
    task = load_task(str(own_task))
    file = tmp_path / "s.json"
    file.write_text(spoil(dump(snapshot_of(task))))
    with pytest.raises(SnapshotError, match=sentence):
        read_snapshot(file, task)


def test_a_missing_snapshot_says_how_to_write_it(own_task, tmp_path):
    with pytest.raises(SnapshotError, match=f"write it with: qualityscore baseline {own_task} -o {tmp_path}/none.json"):
        read_snapshot(tmp_path / "none.json", load_task(str(own_task)))


def test_a_bundled_task_comes_before_a_folder_of_its_name_and_a_repository_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("cachetools", "mine"):
        (tmp_path / name).mkdir()
    assert [is_repository(name) for name in ("cachetools", "mine", "x" * 300)] == [False, True, False]
    with pytest.raises(UsageError, match="mine is a repository, not a task"):
        take_snapshot("mine")
