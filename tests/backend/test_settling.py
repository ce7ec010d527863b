"""How a batch settles rows of which nothing has to run."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from backend.tiny import HALF, SOURCE, environment, results, write_manifest, write_subject
from qualityscore.commands.batch import standing, summary
from qualityscore.errors import BatchError, ManifestError
from qualityscore.execution import digests
from qualityscore.execution.batch import Outcome, Settings, Tally, run_batch
from qualityscore.execution.digests import Digests
from qualityscore.execution.intake import identified
from qualityscore.execution.jobs import Job, content_key
from qualityscore.execution.local_engine import LocalEngine
from qualityscore.execution.manifest import Options, Row, Shard, parse_shard
from qualityscore.execution.merge import merge
from qualityscore.execution.output import report_text, result_line
from qualityscore.execution.store import State, Store, Stored
from qualityscore.model.codec import dump
from qualityscore.runtime.environment import python_minor
from qualityscore.runtime.tasks import data_root, load_task
from sample_reports import hostile

FUNCTIONAL = {"only": ["functional"]}


def batch(manifest: Path, out: Path, task: Path | str, engine: type[LocalEngine] = LocalEngine, **more) -> Outcome:
    """A batch in this process, on one warm worker that starts when there is something to evaluate."""
    settings = Settings(manifest=manifest, folder=out, defaults={"task": str(task), **FUNCTIONAL}, **more)
    return run_batch(settings, lambda scratch: engine(lanes=1, scratch=scratch, longest_s=60), lambda _: None)


def attempts(out: Path) -> int:
    with sqlite3.connect(out / "store.sqlite") as database:
        return database.execute("SELECT COUNT(*) FROM attempts").fetchone()[0]


def test_a_subject_that_the_hosts_memory_does_not_hold_stops_no_batch(tmp_path):
    (tmp_path / "large").mkdir()
    (tmp_path / "large" / "a.py").write_bytes(b"#" * (31 << 20))
    (tmp_path / "empty").mkdir()
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "large"}, {"repository": "empty"}])
    code = """
        import resource, sys
        from pathlib import Path
        from qualityscore.execution.batch import Settings, run_batch
        from qualityscore.execution.local_engine import LocalEngine

        def engine(scratch):  # made when all that is common to the rows has been read
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            limit = pages * resource.getpagesize() + (26 << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            return LocalEngine(lanes=1, scratch=scratch, longest_s=60)

        settings = Settings(manifest=Path(sys.argv[1]), folder=Path(sys.argv[2]), defaults={"task": "cachetools"})
        run_batch(settings, engine, lambda _: None)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), manifest, tmp_path / "out"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    large, empty = results(tmp_path / "out")
    assert (large["state"], large["score"], large["code"]) == ("harness", None, "QS-300")
    assert "memory" in large["reason"]
    assert (empty["state"], empty["code"]) == ("refused", "QS-110")


def test_a_name_that_no_file_can_have_is_refused_and_no_fault_of_the_host(tmp_path):
    names = ["n" * 300, "n" * 300 + ".zip", "nul\0"]
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": name} for name in names])
    batch(manifest, tmp_path / "out", "cachetools")
    assert [(line["state"], line["code"]) for line in results(tmp_path / "out")] == [("refused", "QS-112")] * 3


def test_the_basis_of_a_row_is_all_that_decides_beside_the_subject(tmp_path, monkeypatch):
    def basis(task: str = "cachetools", profile: str = "reference", *, unsafe: bool = False) -> str:
        return Digests().basis(task, Options(profile=profile), unsafe=unsafe)

    first = basis()
    assert basis() == first
    monkeypatch.setattr(digests, "SCORE_MODEL", "another")
    another_model = basis()
    monkeypatch.undo()
    monkeypatch.setattr(digests.environment, "python_minor", lambda: "9.9")
    monkeypatch.setattr(digests.tasks, "snapshot_path", lambda task, _: task.folder / f"baseline-{python_minor()}.json")
    another_python = basis()
    monkeypatch.undo()
    assert len({first, another_model, another_python, basis("xmltodict"), basis(unsafe=True)}) == 5
    assert basis(profile="ral-bench") != first


def test_rows_on_another_basis_are_pending_again_and_the_others_keep_their_results(tmp_path):
    rows = [Row(repository=name, task=name) for name in ("a", "b")]
    store = Store(tmp_path / "store.sqlite")
    first = store.load_rows(enumerate(rows, start=1), Shard(), lambda row: f"basis of {row.task}", base=tmp_path)
    for number in (1, 2):
        store.settle(number, state=State.DONE, key="k", line="{}", file=None, text="")
    same = store.load_rows(enumerate(rows, start=1), Shard(), lambda row: f"basis of {row.task}", base=tmp_path)
    assert list(store.pending()) == []
    assert same == first
    other = store.load_rows(enumerate(rows, start=1), Shard(), lambda row: f"casis of {row.task}", base=tmp_path)
    assert list(store.pending()) == [(1, rows[0]), (2, rows[1])]
    for number in (1, 2):
        store.settle(number, state=State.DONE, key="k", line="{}", file=None, text="")
    mixed = store.load_rows(
        enumerate(rows, start=1),
        Shard(),
        lambda row: f"{'new' if row.task == 'a' else 'casis'} of {row.task}",
        base=tmp_path,
    )
    assert list(store.pending()) == [(1, rows[0])]
    assert len({first.bases_digest, other.bases_digest, mixed.bases_digest}) == 3
    assert first.rows_digest == other.rows_digest
    store.close()


def test_a_store_of_an_earlier_version_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "s").mkdir()
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    (tmp_path / "out").mkdir()
    with sqlite3.connect(tmp_path / "out" / "store.sqlite") as database:
        database.executescript("CREATE TABLE rows (number INTEGER); PRAGMA user_version = 1;")
    with pytest.raises(BatchError, match="has schema 1, this version reads 3; use another output folder"):
        batch(manifest, tmp_path / "out", "cachetools")


def test_a_batch_goes_on_with_what_was_evaluated_against_the_same_snapshot_only(tiny_task, tmp_path):
    task = tmp_path / "task"
    shutil.copytree(tiny_task, task)
    write_subject(tmp_path / "s", source=HALF)
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    out = tmp_path / "out"
    keys = []
    for expected in (1, 1, 2):
        if expected == 2:
            with next(task.glob("baseline-*.json")).open("a") as snapshot:
                snapshot.write("\n")
        assert batch(manifest, out, task).exit_code == 0
        assert attempts(out) == expected
        (line,) = results(out)
        assert line["components"]["F"] == 0.5
        keys.append(line["key"])
    assert keys[0] == keys[1] != keys[2]


class Meddling(LocalEngine):
    """Between intake and evaluation somebody writes into the subject."""

    def evaluate(self, job: Job, progress=None):
        (job.folder / "tiny.py").write_text(SOURCE)
        return super().evaluate(job, progress)


def test_a_subject_that_changes_before_it_is_evaluated_has_no_result_and_is_tried_again(tiny_task, tmp_path):
    subject = write_subject(tmp_path / "s", source=HALF)
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    out = tmp_path / "out"
    assert batch(manifest, out, tiny_task, Meddling).exit_code == 3
    (line,) = results(out)
    assert (line["state"], line["score"], line["report"]) == ("harness", None, None)
    assert "changed" in line["reason"]
    (subject / "tiny.py").write_text(HALF)  # as it was: what was evaluated must not stand for it
    assert batch(manifest, out, tiny_task).exit_code == 0
    assert results(out)[0]["components"]["F"] == 0.5


class Removing(LocalEngine):
    """Between intake and evaluation somebody moves the subject away."""

    def evaluate(self, job: Job, progress=None):
        job.folder.rename(job.folder.with_name("away"))
        return super().evaluate(job, progress)


def test_a_subject_that_vanishes_before_it_is_evaluated_is_tried_again_with_all_that_are_the_same(tiny_task, tmp_path):
    subject = write_subject(tmp_path / "s", source=HALF)
    write_subject(tmp_path / "same", source=HALF)
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    out = tmp_path / "out"
    assert batch(manifest, out, tiny_task, Removing).exit_code == 3
    (line,) = results(out)
    assert (line["state"], line["score"], line["code"], line["report"]) == ("harness", None, "QS-300", None)
    assert "at intake" in line["reason"]
    subject.with_name("away").rename(subject)
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}, {"repository": "same"}])
    assert batch(manifest, out, tiny_task).exit_code == 0
    assert [line["components"]["F"] for line in results(out)] == [0.5, 0.5]


def test_a_task_that_vanishes_before_a_subject_is_evaluated_refuses_no_subject(tiny_task, tmp_path):
    task = tmp_path / "task"
    shutil.copytree(tiny_task, task)

    class Taking(LocalEngine):
        def evaluate(self, job: Job, progress=None):
            task.rename(tmp_path / "away")
            return super().evaluate(job, progress)

    write_subject(tmp_path / "s", source=HALF)
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    out = tmp_path / "out"
    assert batch(manifest, out, task, Taking).exit_code == 3
    (line,) = results(out)
    assert (line["state"], line["score"], line["code"]) == ("harness", None, "QS-120")
    (tmp_path / "away").rename(task)
    assert batch(manifest, out, task).exit_code == 0
    assert results(out)[0]["components"]["F"] == 0.5


def test_a_subject_at_which_the_harness_itself_fails_stops_no_batch(tiny_task, tmp_path):
    class Failing(LocalEngine):
        def evaluate(self, job: Job, progress=None):
            if "bad" in (job.folder / "tiny.py").read_text():
                raise IndexError("string index out of range")
            return super().evaluate(job, progress)

    write_subject(tmp_path / "bad", "bad")
    write_subject(tmp_path / "good", source=HALF)
    rows = [{"repository": "bad"}, {"repository": "bad"}, {"repository": "good"}]
    manifest = write_manifest(tmp_path / "m.jsonl", rows)
    out = tmp_path / "out"
    assert batch(manifest, out, tiny_task, Failing).exit_code == 3
    first, second, good = results(out)
    assert {line["state"] for line in (first, second)} == {"harness"}
    assert "IndexError: string index out of range" in first["reason"]
    assert good["components"]["F"] == 0.5
    assert batch(manifest, out, tiny_task).exit_code == 0


@pytest.mark.parametrize("lose", [Path.unlink, lambda store: store.write_bytes(b"")])
def test_an_empty_or_missing_store_is_filled_again_from_the_reports(tiny_task, tmp_path, lose):
    write_subject(tmp_path / "s", source=HALF)
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    out = tmp_path / "out"
    assert batch(manifest, out, tiny_task).exit_code == 0
    before = results(out)
    for suffix in ("-wal", "-shm"):
        (out / f"store.sqlite{suffix}").unlink(missing_ok=True)
    lose(out / "store.sqlite")
    assert batch(manifest, out, tiny_task).exit_code == 0
    assert attempts(out) == 0
    assert results(out) == before


def another_snapshot(task: Path, _: Path) -> None:
    with next(task.glob("baseline-*.json")).open("a") as snapshot:
        snapshot.write("\n")


def another_task(task: Path, _: Path) -> None:
    """The suite with a remark more, and a snapshot that says that it is of it."""
    with (task / "suites" / "test_tiny.py").open("a") as suite:
        suite.write("# a remark\n")
    snapshot = next(task.glob("baseline-*.json"))
    of_it = {**json.loads(snapshot.read_text()), "task_digest": load_task(str(task)).digest}
    snapshot.write_text(json.dumps(of_it))


def another_profile(_: Path, profile: Path) -> None:
    profile.write_text(profile.read_text().replace("epsilon = 5", "epsilon = 6", 1))


@pytest.mark.parametrize("change", [another_snapshot, another_task, another_profile])
def test_what_is_evaluated_against_other_things_than_were_read_has_no_result_and_is_tried_again(
    tiny_task, tmp_path, change
):
    task = tmp_path / "task"
    shutil.copytree(tiny_task, task)
    profile = tmp_path / "own.toml"
    shutil.copy(data_root() / "qualityscore" / "profiles" / "reference.toml", profile)
    changes = [change]

    class Editing(LocalEngine):
        def evaluate(self, job: Job, progress=None):
            if changes:
                changes.pop()(task, profile)
            return super().evaluate(job, progress)

    write_subject(tmp_path / "s", source=HALF)
    row = {"repository": "s", "options": {**FUNCTIONAL, "profile": str(profile)}}
    manifest = write_manifest(tmp_path / "m.jsonl", [row])
    out = tmp_path / "out"
    assert batch(manifest, out, task, Editing).exit_code == 3
    (line,) = results(out)
    assert (line["state"], line["score"], line["report"]) == ("harness", None, None)
    assert "changed since it was read" in line["reason"]
    assert batch(manifest, out, task).exit_code == 0
    assert results(out)[0]["components"]["F"] == 0.5


def shard(base: Path, name: str, rows: list[str], index: int, **more) -> Path:
    """The output of one of two shards over rows of which none is there to evaluate."""
    manifest = write_manifest(base / f"{name}.jsonl", [{"repository": row} for row in rows])
    batch(manifest, base / name, "cachetools", shard=parse_shard(f"{index}/2"), **more)
    return base / name


def test_shards_of_other_rows_or_on_another_basis_are_not_joined(tmp_path):
    first = shard(tmp_path, "first", ["x", "y"], 1)
    second = shard(tmp_path, "second", ["x", "y"], 2)
    other = shard(tmp_path, "other", ["x", "z"], 2)
    unsafe = shard(tmp_path, "unsafe", ["x", "y"], 2, unsafe=True)
    with pytest.raises(BatchError, match=f"{other} was made with other rows in its manifest than {first};"):
        merge([first, other], tmp_path / "merged")
    with pytest.raises(BatchError, match=f"{unsafe} was made with other tasks, .* or another --unsafe, than {first};"):
        merge([first, unsafe], tmp_path / "merged2")
    for _ in range(2):
        merged = merge([first, second], tmp_path / "whole")
        assert (merged.rows, merged.missing) == (2, 0)
    with pytest.raises(BatchError, match=f"{other} was made with other rows"):
        merge([other], tmp_path / "whole")
    assert [line["repository"] for line in results(tmp_path / "whole")] == ["x", "y"]


def test_a_report_goes_before_a_refusal_whatever_the_order_of_the_inputs(tmp_path):
    rows = [(1, Row(repository="s", task="t"))]
    facts = {"rows": "1", "rows_digest": "r", "bases_digest": "b"}
    done = Stored(state=State.DONE, report=dump(hostile()))
    inputs = {}
    for name, state, key in (
        ("refused", State.REFUSED, None),
        ("done", State.DONE, "k"),
        ("fault", State.HARNESS, "k"),
    ):
        (tmp_path / name).mkdir()
        store = Store(tmp_path / name / "store.sqlite")
        store.load_rows(rows, Shard(), lambda _: "basis", base=tmp_path)
        store.note(**facts)
        if state is State.DONE:
            store.adopt("k", done)
        line = json.dumps({"state": state, "status": None})
        store.settle(1, state=state, key=key, line=line, file=None, text="")
        store.close()
        inputs[name] = tmp_path / name
    for number, order in enumerate(permutations(inputs)):
        merge([inputs[name] for name in order], tmp_path / f"merged{number}")
        assert [line["state"] for line in results(tmp_path / f"merged{number}")] == ["done"]


def test_a_stored_report_of_a_row_has_the_bytes_of_evaluate():
    plain = hostile()
    row = Row(label="modèle \x9b31m \u202e", sample=3, repository="s\u2066", task="t")
    subject = replace(plain.subject, path="s\u2066", label=row.label, sample=3)
    alone = dump(replace(plain, subject=subject, provenance={**plain.provenance, "sample": 3}))
    assert report_text(dump(plain), row) == alone
    assert alone.isascii()


def test_a_line_of_results_holds_nothing_that_a_terminal_obeys():
    row = Row(label="modèle \x9b31m \u202e", repository="s\u2066", task="t")
    reason = "surrogate \udcff, bell \x07"
    line = result_line(1, row, None, Stored(state=State.REFUSED, report=None, code="QS-110", reason=reason), None)
    assert line.isascii()
    assert line.isprintable()
    document = json.loads(line)
    assert (document["label"], document["repository"]) == (row.label, row.repository)
    assert document["reason"] == "surrogate \\udcff, bell \x07"


def tally(**changes) -> Tally:
    plain = {"rows": 100, "done": 34, "refused": 4, "harness": 2, "begun_done": 10, "elapsed_s": 60.0}
    return Tally(**{**plain, **changes})


def test_rate_and_remaining_time_are_this_runs():
    # 40 rows are settled, 30 of them in this run's 60 s: one in 2 s, and 60 are left.
    assert tally().rate_per_s == pytest.approx(0.5)
    assert tally().remaining_s == pytest.approx(120)
    said = "40 of 100 rows, 30.0 a minute, about 2 min left, 4 refused, 2 not fully measured"
    assert standing(tally()) == said
    assert tally(done=94).remaining_s == 0  # 90 in 60 s, and none is left
    assert standing(tally(done=94)) == "100 of 100 rows, 90.0 a minute, 4 refused, 2 not fully measured"


@pytest.mark.parametrize("changes", [{"begun_done": 40}, {"begun_done": 36}, {"elapsed_s": 0.0}])
def test_without_a_row_in_this_run_that_was_not_just_refused_there_is_no_rate(changes):
    assert (tally(**changes).rate_per_s, tally(**changes).remaining_s) == (None, None)
    assert standing(tally(**changes)) == "40 of 100 rows, 4 refused, 2 not fully measured"


def test_what_was_known_before_is_not_said_to_be_evaluated(tmp_path):
    resumed = summary(tally(), tampered=0, folder=tmp_path)
    assert resumed.startswith("100 rows: 24 evaluated, 10 known from before, 4 refused, 2 not fully measured (")
    idle = summary(tally(rows=10, done=10, refused=0, harness=0), tampered=0, folder=tmp_path)
    assert idle.startswith("10 rows: 10 known from before\n")
    nothing = summary(tally(rows=4, done=0, harness=0, begun_done=0), tampered=0, folder=tmp_path)
    assert nothing.startswith("4 rows: 0 evaluated, 4 refused\n")


@pytest.mark.parametrize(
    ("counts", "tampered", "code"),
    [
        ({"refused": 1, "harness": 1}, 1, 3),
        ({"refused": 1, "harness": 0}, 1, 2),
        ({"refused": 0, "harness": 0}, 1, 4),
        ({"refused": 0, "harness": 0}, 0, 0),
    ],
)
def test_the_exit_code_says_first_that_another_run_may_help(counts, tampered, code):
    assert Outcome(tally=tally(**counts), tampered=tampered).exit_code == code


def test_results_of_rows_that_a_manifest_has_no_more_are_dropped_only_where_that_is_meant(tmp_path):
    def load(names: list[str], shard: Shard | None = None, *, replace: bool = False) -> list[int]:
        rows = enumerate((Row(repository=name, task="t") for name in names), start=1)
        store.load_rows(rows, shard or Shard(), lambda row: basis, base=place, replace=replace)
        return [number for number, _ in store.pending()]

    basis, place = "first", tmp_path
    store = Store(tmp_path / "store.sqlite")
    assert load(["a", "b", "c"]) == [1, 2, 3]
    for number in (1, 2):
        store.settle(number, state=State.DONE, key="k", line="{}", file=None, text="")
    assert load(["a", "b", "c", "d"]) == [3, 4]  # one more
    assert load(["a", "b", "x"]) == [3]  # another in place of one without a result
    assert load(["x", "b", "a"]) == [1, 3]  # moved: its evaluation is found again by its content
    store.settle(3, state=State.DONE, key="k", line="{}", file=None, text="")
    for other, shard in ((["x", "b"], None), (["x", "b", "y"], None), (["x", "b", "a"], Shard(index=1, of=2))):
        with pytest.raises(BatchError, match=f"{tmp_path} holds results of 1 rows .* --replace"):
            load(other, shard)
    assert store.counts()[State.DONE] == 2  # the refused runs have changed nothing
    basis = "second"
    assert load(["x", "b", "a"]) == [1, 2, 3]
    store.settle(2, state=State.DONE, key="k", line="{}", file=None, text="")
    assert load(["x", "y"], replace=True) == [1, 2]
    store.close()


def test_a_row_is_the_same_only_where_its_repository_is_the_same_place(tmp_path):
    rows = [
        Row(repository="a", task="t"),
        Row(repository="../shared/b", task="t"),
        Row(repository=str(tmp_path / "c"), task="t"),
        Row(git="https://git.example/d.git", commit="0" * 40, task="t"),
    ]
    store = Store(tmp_path / "store.sqlite")

    def load(place: Path, *, replace: bool = False) -> list[int]:
        store.load_rows(enumerate(rows, 1), Shard(), lambda row: "basis", base=place, replace=replace)
        return [number for number, _ in store.pending()]

    assert load(tmp_path / "one") == [1, 2, 3, 4]
    for number in (2, 3, 4):
        store.settle(number, state=State.DONE, key="k", line="{}", file=None, text="")
    assert load(tmp_path / "other") == [1]  # all three are the same from beside it
    store.settle(1, state=State.DONE, key="k", line="{}", file=None, text="")
    with pytest.raises(BatchError, match=r"1 rows .* in another place; .* --replace"):
        load(tmp_path / "one")
    with pytest.raises(BatchError, match=r"2 rows .* in another place; .* --replace"):
        load(tmp_path / "deep" / "er")
    assert load(tmp_path / "deep" / "er", replace=True) == [1, 2]
    store.close()


def test_what_cannot_be_taken_scores_nothing_and_what_is_not_there_has_no_score(tmp_path):
    """Functional alone is asked for, so that only F is 0; scores are null where the manifest is at fault."""
    (tmp_path / "empty").mkdir()
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "empty"}, {"repository": "none"}])
    batch(manifest, tmp_path / "out", "cachetools")
    empty, none = results(tmp_path / "out")
    others = ("NF", "maintainability", "security", "robustness", "efficiency", "resource", "credibility")
    assert (empty["code"], empty["score"]) == ("QS-110", 0.0)
    assert empty["components"] == {"F": 0.0, **dict.fromkeys(others)}
    assert empty["reason"] == "empty is empty; give a repository with Python code."
    assert (none["code"], none["score"], none["components"]) == ("QS-112", None, None)


def test_a_manifest_that_cannot_be_read_leaves_no_folder_behind_and_takes_none_away(tmp_path):
    with pytest.raises(ManifestError):
        batch(tmp_path / "none.jsonl", tmp_path / "out", "cachetools")
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    with pytest.raises(ManifestError):
        batch(tmp_path / "none.jsonl", tmp_path / "out", "cachetools")
    assert (tmp_path / "out" / "mine").read_text() == "mine"


def test_a_folder_that_is_named_twice_is_not_joined_with_itself(tmp_path):
    (tmp_path / "empty").mkdir()
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "empty"}])
    batch(manifest, tmp_path / "one", "cachetools")
    (tmp_path / "again").symlink_to("one")
    with pytest.raises(BatchError, match="again is named twice"):
        merge([tmp_path / "one", tmp_path / "again"], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_subjects_that_differ_in_what_no_evaluation_takes_have_reports_of_their_own(tmp_path):
    for name in ("one", "two"):
        write_subject(tmp_path / name)
    with (tmp_path / "two" / "big.py").open("wb") as file:
        file.truncate((32 << 20) + 1)
    one, two = (identified(tmp_path / name, name) for name in ("one", "two"))
    assert one.digest == two.digest
    assert two.left_out == (("big.py", f"larger than {32 << 20} bytes"),)
    keys = {
        content_key(subject_digest=s.digest, basis="b", only=None, counter="auto", left_out=s.left_out)
        for s in (one, two)
    }
    assert len(keys) == 2
