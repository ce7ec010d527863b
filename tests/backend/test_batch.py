"""Batches for real: the command in a process of its own, on subjects in the sandbox."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import tarfile
import time
import zipfile
from pathlib import Path

import psutil
import pytest

from backend.tiny import HALF, SOURCE, command, environment, results, run, write_manifest, write_subject
from qualityscore.model.codec import load_report
from qualityscore.reports import console, markdown
from qualityscore.runtime.documents import read_report
from qualityscore.runtime.sandbox.container import Container

FUNCTIONAL = ("--only", "functional")


def attempts(folder: Path) -> list[tuple[str, str | None]]:
    with sqlite3.connect(folder / "store.sqlite") as database:
        return list(database.execute("SELECT key, state FROM attempts ORDER BY number"))


def without_times(folder: Path) -> dict[str, object]:
    """All that a batch left, less what differs from run to run: times."""
    found: dict[str, object] = {"results": results(folder)}
    for file in sorted((folder / "reports").iterdir()):
        document = json.loads(file.read_text())
        assert load_report(file.read_text())
        for name in ("started", "ended"):
            del document["provenance"][name]
        for test in document["functional"]["tests"]:
            del test["duration_s"]
        found[file.name] = document
    return found


@pytest.fixture(scope="module")
def mixed(tiny_task, tmp_path_factory):
    """A batch over one subject of each kind: (its finished process, its output, its manifest)."""
    base = tmp_path_factory.mktemp("mixed")
    write_subject(base / "good", "good")
    write_subject(base / "same", "good")
    write_subject(base / "half", source=HALF)
    with tarfile.open(base / "good.tar.gz", "w:gz") as tar:
        tar.add(base / "good", "good-1.0")
    (base / "broken.zip").write_bytes(b"PK\x05\x06 and no more")
    (base / "empty").mkdir()
    origin = write_subject(base / "origin", "from git")
    git = ["git", "-C", str(origin), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *arguments], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    manifest = write_manifest(
        base / "m.jsonl",
        [
            {"label": "a", "sample": 0, "repository": "good"},
            {"label": "b", "sample": 0, "repository": "same"},
            {"label": "c", "sample": 0, "repository": "good.tar.gz"},
            {"label": "a", "sample": 1, "repository": "half"},
            {"repository": "nowhere"},
            {"repository": "broken.zip"},
            {"repository": "empty"},
            {"label": "git", "git": f"file://{origin}", "commit": commit},
            {"label": "git", "sample": 1, "git": f"file://{origin}", "commit": "0" * 40},
            {"git": "http://127.0.0.1:9/r.git", "commit": "0" * 40},
        ],
    )
    done = run("batch", manifest, "-o", base / "out", "--task", tiny_task, *FUNCTIONAL)
    return done, base / "out", manifest


def test_every_row_has_a_result_and_none_stops_the_batch(mixed):
    done, out, _ = mixed
    found = results(out)
    assert [r["row"] for r in found] == list(range(1, 11))
    assert [r["state"] for r in found] == ["done"] * 4 + ["refused"] * 3 + ["done", "refused", "harness"]
    assert [r["components"]["F"] for r in found if r["state"] == "done"] == [1.0, 1.0, 1.0, 0.5, 1.0]
    assert [r["code"] for r in (*found[4:7], *found[8:])] == ["QS-112", "QS-111", "QS-110", "QS-112", "QS-360"]
    assert all(r["reason"] for r in found)
    assert done.returncode == 3, done.stderr
    assert "10 rows: 5 evaluated, 4 refused, 1 not fully measured" in done.stdout


def test_identical_subjects_are_evaluated_once_and_reported_for_each_row(mixed):
    _, out, _ = mixed
    found = results(out)
    assert found[0]["key"] == found[1]["key"] == found[2]["key"]
    assert len(attempts(out)) == 3  # good, half, and the commit
    subjects = [read_report(str(out / r["report"])).subject for r in found[:3]]
    assert [(s.label, s.sample, s.path) for s in subjects] == [
        ("a", 0, "good"),
        ("b", 0, "same"),
        ("c", 0, "good.tar.gz"),
    ]


def test_a_report_of_a_batch_is_the_report_of_evaluate(mixed, tiny_task):
    _, out, manifest = mixed
    alone = out.parent / "alone.json"
    arguments = ("evaluate", manifest.parent / "half", "--task", tiny_task, *FUNCTIONAL, "--json", alone)
    assert run(*arguments, "--label", "a", "--sample", "1").returncode == 0
    ours = json.loads((out / "reports" / "000004-a-1.json").read_text())
    theirs = json.loads(alone.read_text())
    for document in (ours, theirs):
        del document["subject"]["path"]
        for name in ("started", "ended"):
            del document["provenance"][name]
        for test in document["functional"]["tests"]:
            del test["duration_s"]
    assert ours == theirs


def test_reports_of_a_batch_go_straight_into_a_leaderboard(mixed):
    _, out, _ = mixed
    made = run("leaderboard", out, "--json", "-")
    assert made.returncode == 0, made.stderr
    models = {row["label"]: (row["functional"], row["marked"]) for row in json.loads(made.stdout)["models"]}
    nowhere = f"r.git@{'0' * 40}"
    assert models == {
        "a": (0.75, {}),  # samples of 1 and 0.5
        "b": (1.0, {}),
        "c": (1.0, {}),
        "git": (1.0, {"missing": 1}),
        "broken.zip": (0.0, {"refused": 1}),
        "empty": (0.0, {"refused": 1}),
        "nowhere": (None, {"missing": 1}),
        nowhere: (None, {"missing": 1}),
    }


def test_a_subject_that_cannot_be_taken_counts_0_in_every_table(tiny_task, tmp_path):
    """It must not lift the mean by being absent; what is not there is the manifest's mistake, and counts nowhere."""
    write_subject(tmp_path / "good")
    write_subject(tmp_path / "half", source=HALF)
    (tmp_path / "broken.zip").write_bytes(b"PK\x05\x06 and no more")
    samples = {"first": ("broken.zip", "nowhere"), "second": ("good", "nowhere")}
    for name, (of_a, of_b) in samples.items():
        rows = [("a", 0, "good"), ("a", 1, of_a), ("b", 0, "half"), ("b", 1, of_b)]
        manifest = write_manifest(
            tmp_path / f"{name}.jsonl",
            [{"label": label, "sample": sample, "repository": where} for label, sample, where in rows],
        )
        done = run("batch", manifest, "-o", tmp_path / name, "--task", tiny_task, *FUNCTIONAL)
        assert done.returncode == 2, done.stderr
    first, second = tmp_path / "first", tmp_path / "second"
    for folders in ([first], [first / "reports"], [first, first / "reports"]):
        board = run("leaderboard", *folders, "--json", "-")
        assert board.returncode == 0, board.stderr
        document = json.loads(board.stdout)
        a, b = (next(m for m in document["models"] if m["label"] == label) for label in ("a", "b"))
        assert (a["functional"], a["build"], a["full"]) == (0.5, 0.5, 0.5)  # (1 + 0) / 2 of each
        assert (b["functional"], b["build"], b["full"]) == (0.5, 1.0, 0.0)  # of one sample
        assert (a["non_functional"], a["effective"], a["dimensions"]["security"]) == (None, None, None)
        assert (a["marked"], b["marked"]) == ({"refused": 1}, {"missing": 1})
        assert document["tasks"] == ["tiny"]
        (note,) = [note for note in document["notes"] if note.startswith("*")]
        assert note.endswith(
            "which counts 0, or are missing, not by the subject's fault, and left out: "
            "a has 1 refused; b has 1 missing."
        )
        (contained,) = [note for note in document["notes"] if note.startswith("Contained by: ")]
        assert contained.endswith(" 2.")  # what was refused never ran
    compared = run("compare", f"{first}::a", f"{first}::b", "--json", "-")
    assert compared.returncode == 0, compared.stderr
    (f,) = [
        r
        for r in json.loads(compared.stdout)["ratios"]
        if (r["quantity"], r["condition"]) == ("functional", "unbuilt_as_0")
    ]
    assert (f["test"]["n"], f["test"]["differing"]) == (1, 0)  # 0.5 and 0.5
    assert "note: rows of a: 1 refused for what they hold, which counts 0" in compared.stderr
    assert "note: rows of b: 1 missing and left out" in compared.stderr
    stable = run("stability", first, second, "--json", "-")
    assert stable.returncode == 0, stable.stderr
    (spread,) = [q for q in json.loads(stable.stdout)["quantities"] if q["quantity"] == "functional"]
    # a has 0.5 and 1, of SD 0.25; b has 0.5 twice, of SD 0: the median lies between
    assert (spread["pairs"], spread["sd_median"]) == (2, 0.125)


def test_a_model_of_which_nothing_can_be_taken_has_a_mean_of_0(tiny_task, tmp_path):
    (tmp_path / "empty").mkdir()
    manifest = write_manifest(tmp_path / "m.jsonl", [{"label": "a", "repository": "empty"}])
    assert run("batch", manifest, "-o", tmp_path / "out", "--task", tiny_task).returncode == 2
    board = run("leaderboard", tmp_path / "out", "--json", "-")
    assert board.returncode == 0, board.stderr
    (a,) = json.loads(board.stdout)["models"]
    assert (a["functional"], a["non_functional"], a["effective"], a["dimensions"]["security"]) == (0.0, 0.0, 0.0, 0.0)


def test_the_same_manifest_elsewhere_is_of_other_subjects(tiny_task, tmp_path):
    for name, source in (("one", SOURCE), ("two", HALF)):
        write_subject(tmp_path / name / "s", source=source)
        write_manifest(tmp_path / name / "m.jsonl", [{"repository": "s"}])
    arguments = ("-o", tmp_path / "out", "--task", tiny_task, *FUNCTIONAL)
    assert run("batch", tmp_path / "one" / "m.jsonl", *arguments).returncode == 0
    refused = run("batch", tmp_path / "two" / "m.jsonl", *arguments)
    assert refused.returncode == 2
    assert "or has otherwise or in another place; name another output folder, or give --replace" in refused.stderr
    assert [line["components"]["F"] for line in results(tmp_path / "out")] == [1.0]
    assert run("batch", tmp_path / "two" / "m.jsonl", *arguments, "--replace").returncode == 0
    assert [line["components"]["F"] for line in results(tmp_path / "out")] == [0.5]


def test_a_second_run_evaluates_nothing_but_what_the_harness_failed(mixed, tiny_task):
    _, out, manifest = mixed
    before, tried = without_times(out), len(attempts(out))
    again = run("batch", manifest, "-o", out, "--task", tiny_task, *FUNCTIONAL)
    assert again.returncode == 3
    assert "10 rows: 5 known from before, 4 refused, 1 not fully measured" in again.stdout
    assert len(attempts(out)) == tried
    assert without_times(out) == before


def test_reports_that_were_lost_or_damaged_are_written_again_from_the_store(mixed, tiny_task):
    _, out, manifest = mixed
    before = without_times(out)
    reports = sorted((out / "reports").iterdir())
    reports[0].unlink()
    reports[1].write_text(reports[1].read_text()[:-100])
    (out / "results.jsonl").write_text((out / "results.jsonl").read_text()[:-30])
    (out / "reports" / ".part-abc").write_text("half a rep")
    run("batch", manifest, "-o", out, "--task", tiny_task, *FUNCTIONAL)
    assert without_times(out) == before


def test_a_torn_store_is_filled_again_from_the_reports(mixed, tiny_task):
    _, out, manifest = mixed
    before = without_times(out)
    store = out / "store.sqlite"
    store.write_bytes(store.read_bytes()[:5000] + b"\xff" * 3000)
    run("batch", manifest, "-o", out, "--task", tiny_task, *FUNCTIONAL)
    assert attempts(out) == []  # nothing was evaluated again
    assert without_times(out) == before


def test_a_harness_fault_is_tried_again_by_the_next_run(tiny_task, tmp_path):
    write_subject(tmp_path / "s", "harness")
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    arguments = ("batch", manifest, "-o", tmp_path / "out", "--task", tiny_task, *FUNCTIONAL)
    nothing = {"UV_OFFLINE": "1", "UV_CACHE_DIR": str(tmp_path / "uv"), "QUALITYSCORE_CACHE": str(tmp_path / "qs")}
    broken = run(*arguments, env=nothing)
    assert broken.returncode == 3, broken.stderr
    (line,) = results(tmp_path / "out")
    assert (line["state"], line["score"], line["code"]) == ("harness", None, "QS-320")
    mended = run(*arguments)
    assert mended.returncode == 0, mended.stderr
    (line,) = results(tmp_path / "out")
    assert (line["state"], line["components"]["F"]) == ("done", 1.0)
    assert [state for _, state in attempts(tmp_path / "out")] == ["harness", "done"]


def test_an_evaluation_past_its_time_is_ended_and_tried_twice(tiny_task, tmp_path):
    write_subject(tmp_path / "s", source="import time\ntime.sleep(60)\n")
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    arguments = ("batch", manifest, "-o", tmp_path / "out", "--task", tiny_task, *FUNCTIONAL, "--timeout", "1.5")
    assert run(*arguments).returncode == 3
    (line,) = results(tmp_path / "out")
    assert "time limit" in line["reason"]
    assert len(attempts(tmp_path / "out")) == 2


def test_archives_that_climb_or_burst_are_refused_and_leave_nothing(tiny_task, tmp_path):
    """The bomb is a file of 640 MiB in a megabyte; 512 MiB is what may come out of an archive."""
    base = tmp_path / "in" / "put"
    base.mkdir(parents=True)
    with tarfile.open(base / "slip-1.0.tar.gz", "w:gz") as tar:
        for name in ("slip-1.0/tiny.py", "slip-1.0/../../../slipped.py"):
            tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    large = tarfile.TarInfo("bomb-1.0/tiny.py")
    large.size = 640 << 20
    zeros = gzip.compress(bytes(64 << 20))
    (base / "bomb-1.0.tar.gz").write_bytes(gzip.compress(large.tobuf()) + 10 * zeros + gzip.compress(bytes(1024)))
    assert (base / "bomb-1.0.tar.gz").stat().st_size < 1 << 20
    rows = [{"repository": "slip-1.0.tar.gz"}, {"repository": "bomb-1.0.tar.gz"}]
    manifest = write_manifest(base / "m.jsonl", rows)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = run(
        "batch", manifest, "-o", tmp_path / "out", "--task", tiny_task, *FUNCTIONAL, env={"TMPDIR": str(scratch)}
    )
    assert done.returncode == 2, done.stderr
    found = results(tmp_path / "out")
    assert [(row["state"], row["code"]) for row in found] == [("refused", "QS-111")] * 2
    assert "leads outside" in found[0]["reason"]
    assert f"more than {512 << 20} bytes" in found[1]["reason"]
    assert list(tmp_path.rglob("*.py")) == []
    assert list(scratch.iterdir()) == []


@pytest.mark.slow
def test_shards_together_give_what_the_whole_gives(mixed, tiny_task):
    _, out, manifest = mixed
    base = out.parent
    for index in (1, 2):
        shard = ("--shard", f"{index}/2")
        run("batch", manifest, "-o", base / f"shard{index}", "--task", tiny_task, *FUNCTIONAL, *shard)
    assert [r["row"] for r in results(base / "shard2")] == [2, 4, 6, 8, 10]
    half = run("merge", base / "shard1", "-o", base / "incomplete")
    assert half.returncode == 3
    assert "5 rows have no result" in half.stderr
    merged = run("merge", base / "shard1", base / "shard2", "-o", base / "merged")
    assert merged.returncode == 3  # the server that does not answer
    assert without_times(base / "merged") == without_times(out)
    again = run("merge", base / "shard1", base / "shard2", "-o", base / "merged")
    assert again.returncode == 3
    assert without_times(base / "merged") == without_times(out)
    other = run("batch", manifest, "-o", base / "shard1", "--task", tiny_task, *FUNCTIONAL, "--shard", "2/2")
    assert (other.returncode, other.stderr.startswith("error QS-210: ")) == (2, True)
    assert "holds results of 2 rows" in other.stderr  # of good and good.tar.gz; 5, 7 and 9 were refused
    assert [r["row"] for r in results(base / "shard1")] == [1, 3, 5, 7, 9]


def test_shards_of_different_manifests_are_not_joined(mixed, tiny_task, tmp_path):
    _, out, _ = mixed
    write_subject(tmp_path / "s", "other")
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    run("batch", manifest, "-o", tmp_path / "out", "--task", tiny_task, *FUNCTIONAL)
    refused = run("merge", out, tmp_path / "out", "-o", tmp_path / "merged")
    assert refused.returncode == 2
    assert "was made with 1 rows in its manifest" in refused.stderr
    assert run("merge", tmp_path, "-o", tmp_path / "merged").returncode == 2


def test_bad_input_is_refused_before_anything_runs(tiny_task, tmp_path):
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s", "task": "cachetool"}])
    refused = run("batch", manifest, "-o", tmp_path / "out")
    assert refused.returncode == 2
    assert "did you mean 'cachetools'" in refused.stderr
    assert "Traceback" not in refused.stderr
    for arguments in (
        *(("--jobs", "0"), ("--timeout", "0"), ("--timeout", "nan"), ("--timeout", "inf"), ("--timeout", "3e6")),
        ("--shard", "3/2"),
    ):
        assert run("batch", manifest, "-o", tmp_path / "out", "--task", tiny_task, *arguments).returncode == 2
    for arguments in (("--only", "speed"), ("--counter", "abacus"), ("--only", "")):
        refused = run("batch", manifest, "-o", tmp_path / "out", *arguments)
        assert (refused.returncode, refused.stderr.startswith("error QS-101: ")) == (2, True)
        assert f"{arguments[0]} '{arguments[1]}' is not among " in refused.stderr
    assert not (tmp_path / "out").exists()


def test_a_file_too_large_to_take_is_named_in_the_report_or_the_refusal(tiny_task, tmp_path):
    """32 MiB is what one file may have; the files here have a byte more, and are full of zeros."""
    imports = SOURCE + "\nfrom big import big\n"
    write_subject(tmp_path / "half-taken", source=imports)
    for folder in ("half-taken", "alone"):
        (tmp_path / folder).mkdir(exist_ok=True)
        with (tmp_path / folder / "big.py").open("wb") as file:
            file.truncate((32 << 20) + 1)
    with zipfile.ZipFile(tmp_path / "alone.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.write(tmp_path / "alone" / "big.py", "big.py")
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "half-taken"}, {"repository": "alone.zip"}])
    done = run("batch", manifest, "-o", tmp_path / "out", "--task", tiny_task, *FUNCTIONAL)
    assert done.returncode == 2, done.stderr
    taken, refused = results(tmp_path / "out")
    assert (taken["state"], taken["components"]["F"]) == ("done", 0.0)
    report = read_report(str(tmp_path / "out" / taken["report"]))
    (finding,) = (finding for finding in report.findings if finding.code == "not-copied")
    assert (finding.path, finding.points) == ("big.py", 0.0)
    assert finding.message == "left out of the evaluation: larger than 33554432 bytes"
    assert "Not all of the subject was taken\n  big.py: left out of the evaluation: larger" in console.render(report)
    assert "- `big.py`: `left out of the evaluation: larger than 33554432 bytes`" in markdown.render(report)
    assert (refused["state"], refused["score"]) == ("refused", 0.0)
    assert refused["reason"] == (
        "alone.zip holds no Python file that can be taken: 'big.py' is left out (larger than 33554432 bytes); "
        "give a repository with Python code."
    )


class Running:
    """A batch in the background."""

    def __init__(self, *arguments: str | Path) -> None:
        self.process = subprocess.Popen(
            command(*arguments), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def wait_for_results(self, folder: Path, number: int) -> None:
        give_up = time.monotonic() + 60
        file = folder / "results.jsonl"
        while not file.exists() or file.read_text().count("\n") < number:
            assert time.monotonic() < give_up
            assert self.process.poll() is None
            time.sleep(0.05)

    def tree(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)


def all_gone(processes: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=10)
    return not alive


@pytest.fixture
def six(tiny_task, tmp_path):
    for number in range(6):
        write_subject(tmp_path / f"s{number}", f"number {number}", source=HALF)
    manifest = write_manifest(tmp_path / "m.jsonl", [{"sample": n, "repository": f"s{n}"} for n in range(6)])
    return ("batch", manifest, "--task", tiny_task, *FUNCTIONAL, "-o")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "sigterm"])
def test_an_interrupt_leaves_no_process_and_no_folder_and_the_next_run_goes_on(six, tmp_path, number, code):
    out = tmp_path / "out"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    os.environ["TMPDIR"] = str(temporary)
    try:
        batch = Running(*six, out)
        batch.wait_for_results(out, 2)
        tree = batch.tree()
        batch.process.send_signal(number)
        assert batch.process.wait(timeout=30) == code
    finally:
        del os.environ["TMPDIR"]
    assert all_gone(tree)
    assert list(temporary.iterdir()) == []
    kept = [key for key, state in attempts(out) if state == "done"]
    assert run(*six, out).returncode == 0
    assert [r["components"]["F"] for r in results(out)] == [0.5] * 6
    assert all(sum(1 for k, _ in attempts(out) if k == key) == 1 for key in kept)


@pytest.mark.slow
def test_a_batch_runs_no_row_in_a_weaker_sandbox_than_is_required(tiny_task, tmp_path):
    write_subject(tmp_path / "s")
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    batch = ("batch", manifest, "--task", tiny_task, *FUNCTIONAL, "-o")
    if not Container().probe().works:
        refused = run(*batch, tmp_path / "strict", "--require-sandbox", "container")
        (row,) = results(tmp_path / "strict")
        assert (refused.returncode, row["state"], row["code"], row["score"]) == (3, "harness", "QS-310", None)
        assert "no sandbox of level container or stronger works on this host" in row["reason"]
    assert run(*batch, tmp_path / "out").returncode == 0
    assert run(*batch, tmp_path / "out").returncode == 0
    mixed = run(*batch, tmp_path / "out", "--require-sandbox", "landlock")
    assert (mixed.returncode, mixed.stderr.startswith("error QS-210: ")) == (2, True)
    assert "holds results that were made without --require-sandbox landlock" in mixed.stderr
    for _ in range(2):
        assert run(*batch, tmp_path / "weak", "--require-sandbox", "landlock").returncode == 0
    (done,) = results(tmp_path / "weak")
    assert done["state"] == "done"
    assert done["key"] != results(tmp_path / "out")[0]["key"]


def test_a_second_batch_in_the_same_folder_is_refused(six, tmp_path):
    batch = Running(*six, tmp_path / "out")
    try:
        batch.wait_for_results(tmp_path / "out", 1)
        refused = run(*six, tmp_path / "out")
        assert refused.returncode == 2
        assert "Another batch is running" in refused.stderr
    finally:
        batch.process.kill()
        batch.process.wait()


def test_a_worker_that_is_killed_costs_a_second_attempt_and_no_result(six, tmp_path):
    out = tmp_path / "out"
    batch = Running(*six, out)
    batch.wait_for_results(out, 1)
    victim = next(p for p in batch.tree() if any("worker_main" in argument for argument in p.cmdline()))
    victim.kill()
    assert batch.process.wait(timeout=60) == 0
    assert [r["components"]["F"] for r in results(out)] == [0.5] * 6
    assert [state for _, state in attempts(out)].count("done") == 6


def truncate_last_lines(folder: Path) -> None:
    """Cut the last line of every text file in the middle, as a lost write-back would."""
    for file in (folder / "results.jsonl", *(folder / "reports").iterdir()):
        if file.exists() and (data := file.read_bytes()):
            last = data.rstrip(b"\n").rfind(b"\n") + 1
            file.write_bytes(data[: last + (len(data) - last) // 2])


def test_killed_outright_again_and_again_it_ends_as_if_undisturbed(six, tmp_path):
    assert run(*six, tmp_path / "undisturbed").returncode == 0
    out = tmp_path / "out"
    chance = random.Random(9)
    for _ in range(4):
        batch = Running(*six, out)
        time.sleep(chance.uniform(0.5, 3.0))
        tree = batch.tree() if batch.process.poll() is None else []
        batch.process.kill()
        batch.process.wait()
        assert all_gone(tree)
        if (out / "reports").is_dir():
            truncate_last_lines(out)
    assert run(*six, out).returncode == 0
    assert without_times(out) == without_times(tmp_path / "undisturbed")
    finished = [key for key, state in attempts(out) if state == "done"]
    assert len(finished) == len(set(finished)) == 6
