"""What is read of the results that people hand in: nothing twice, nothing lost without a word, one name per task."""

import csv
import io
import json
import os
import shutil
import tracemalloc
from pathlib import Path

import pytest

import qualityscore
from qualityscore.commands.result_sets import load_label, load_results
from qualityscore.errors import IncomparableError, ReportError
from qualityscore.model.report import DIMENSIONS
from qualityscore.runtime import folders
from qualityscore.runtime.folders import files_under

PROFILES = Path(qualityscore.__file__).parent / "profiles"


@pytest.fixture
def few(published_rows, write_results, tmp_path):
    """The results of two models on two tasks."""
    rows = [r for r in published_rows if r["model"] in ("o3", "gpt-5.2") and r["task"] in ("Slugify", "Astral")]
    assert len(rows) == 4
    return write_results(tmp_path / "artifact", rows)


def test_ones_own_report_stands_beside_the_published_results(command, few, write_ral_report, tmp_path):
    """Costs were measured on another host, so efficiency and resource are left out, and NF with them."""
    mine = write_ral_report(tmp_path / "mine.json", "mine", "slugify")
    for order in ([few, mine], [mine, few]):
        ran = command("leaderboard", *order, "--json", "-")
        assert ran.code == 0, ran.err
        models = {m["label"]: m for m in ran.document["models"]}
        assert (models["mine"]["evaluated"], models["mine"]["expected"]) == (1, 2)
        assert models["mine"]["functional"] == pytest.approx(0.5 / 2)
        assert {m["dimensions"]["efficiency"] for m in models.values()} == {None}
        assert {m["non_functional"] for m in models.values()} == {None}
        assert models["o3"]["dimensions"]["security"] is not None
        assert ran.document["provenance"]["refused"] == {"efficiency": "host", "resource": "host"}
        assert "resource and NF are left out, since host differs" in ran.err


def test_a_task_is_one_however_its_name_is_spelled(command, few, write_ral_report, tmp_path):
    mine = write_ral_report(tmp_path / "mine.json", "mine", "slugify")
    for one, other in ((f"{few}::o3", mine), (mine, f"{few}::o3")):
        found = command("compare", one, other, "--json", "-").document
        assert found["tasks"] == 2
        assert [*found["only_first"], *found["only_second"]] == ["Astral"]


def test_a_task_that_only_other_labels_have_is_one_too(command, few, write_results, published_rows, tmp_path):
    """Both sides know Astral, in two spellings, from a model that is not compared: two tasks, not three."""
    rows = [r for r in published_rows if r["model"] == "gpt-3.5-turbo" and r["task"] in ("Slugify", "Astral")]
    other = write_results(tmp_path / "other", rows)
    for folder, model, name in ((few, "o3", "Astral"), (other, "gpt-3.5-turbo", "astral")):
        result = folder / model / "results" / "Astral_results.yaml"
        (folder / "third" / "results").mkdir(parents=True)
        shutil.move(result, folder / "third" / "results" / f"{name}_results.yaml")
    found = command("compare", f"{few}::o3", f"{other}::gpt-3.5-turbo", "--json", "-").document
    assert found["tasks"] == 2


def test_reports_of_a_task_of_ours_keep_its_name_as_it_is(command, write_report, tmp_path):
    for task in ("t-1", "t1"):
        write_report(tmp_path, "m", task)
    assert {result.task for result in load_results([str(tmp_path)]).results} == {"t-1", "t1"}


def test_two_results_of_one_task_are_refused_by_name(few):
    folder = few / "o3" / "results"
    shutil.copy(folder / "Astral_results.yaml", folder / "astral_results.yaml")
    with pytest.raises(ReportError, match=r"Astral_results\.yaml and .*astral_results\.yaml are both .* of o3 on"):
        load_results([str(few)])


def test_a_report_of_a_published_result_is_refused_by_name(few, write_ral_report, tmp_path):
    mine = write_ral_report(tmp_path / "mine.json", "o3", "slugify")
    with pytest.raises(ReportError, match=r"mine\.json and .*Slugify_results\.yaml are both sample 0 of o3 on Slugify"):
        load_results([str(mine), str(few)])


def test_a_result_that_is_there_twice_is_refused_and_samples_are_not(command, write_report, tmp_path):
    first = write_report(tmp_path / "gpt", "repo", "t1", passed=9)
    second = write_report(tmp_path / "o3", "repo", "t1", passed=1)
    for name in ("leaderboard", "compare", "stability"):
        arguments = [tmp_path, tmp_path] if name != "leaderboard" else [tmp_path]
        ran = command(name, *arguments)
        assert ran.code == 2
        assert f"{first} and {second} are both sample 0 of repo on t1; evaluate with --sample or --label" in ran.err
    write_report(tmp_path / "gpt", "repo", "t1", passed=5, sample=1)
    second.unlink()
    [model] = command("leaderboard", tmp_path, "--json", "-").document["models"]
    assert model["functional"] == pytest.approx((0.9 + 0.5) / 2)


def test_a_page_of_two_evaluations_of_one_subject_is_still_made(command, write_report, tmp_path):
    first = write_report(tmp_path / "before", "repo", "t1", passed=5)
    second = write_report(tmp_path / "after", "repo", "t1", passed=9)
    assert command("report", first, second, "-o", tmp_path / "page.html").code == 0
    assert "test_5" in (tmp_path / "page.html").read_text()
    third = write_report(tmp_path / "later", "repo", "t1", passed=10)
    assert command("report", first, second, third, "-o", tmp_path / "page.html").code == 2


def test_a_folder_of_both_kinds_is_read_as_two_paths_are(command, few, write_ral_report, write_report, tmp_path):
    write_ral_report(few / "reports" / "mine.json", "mine", "slugify")
    (few / "o3" / "generation").mkdir()
    (few / "o3" / "generation" / "broken.json").write_text('{"data": of a repository')
    labels = {m["label"] for m in command("leaderboard", few, "--json", "-").document["models"]}
    assert labels == {"o3", "gpt-5.2", "mine"}
    (few / "half.json").write_text('{"schema_version": "1.0", "non')
    assert "half.json is truncated" in command("leaderboard", few).err
    (few / "half.json").unlink()
    other = write_report(tmp_path / "others", "theirs", "t")
    shutil.copy(other, few)
    for arguments in ([few], [few, other]):
        ran = command("leaderboard", *arguments)
        assert ran.code == 2
        assert "cannot be compared" in ran.err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"score_model": "0.0"}, "score_model differs; give qualityscore rescore the report, with --profile ral-bench"),
        ({"profile_digest": "x"}, "profile_digest differs; give qualityscore rescore the report, with --profile"),
    ],
)
def test_a_report_that_does_not_stand_beside_an_artifact_says_what_differs(few, write_ral_report, changes, said):
    mine = write_ral_report(few.parent / "mine.json", "mine", "slugify", **changes)
    with pytest.raises(IncomparableError, match=said):
        load_results([str(few), str(mine)])


def test_a_report_of_a_task_of_ours_beside_an_artifact_names_both_profiles_and_the_way(few, write_report, command):
    mine = write_report(few.parent / "mine", "mine", "t")
    said = command("leaderboard", few, mine).err
    assert "profile_digest differs; evaluate the subject against one of RAL-Bench's task files" in said
    said = command("compare", f"{few}::o3", mine).err
    assert "profile_digest differs (ral-bench and reference); they hold other measures" in said


def test_links_to_folders_and_files_are_read(few, tmp_path):
    shutil.move(few / "o3", tmp_path / "elsewhere")
    (few / "o3").symlink_to(tmp_path / "elsewhere")
    result = few / "gpt-5.2" / "results" / "Astral_results.yaml"
    shutil.move(result, tmp_path / "a.yaml")
    result.symlink_to(tmp_path / "a.yaml")
    (few / "again").symlink_to(few)
    found = sorted((r.label, r.task) for r in load_results([str(few)]).results)
    assert found == [(model, task) for model in ("gpt-5.2", "o3") for task in ("Astral", "Slugify")]


@pytest.mark.parametrize("target", ["nowhere", "m3"])
def test_a_link_that_leads_nowhere_is_refused_by_name(few, target):
    (few / "m3").symlink_to(target)
    (few / ".#lock").symlink_to("user@host.1")
    with pytest.raises(ReportError, match="m3 is a link that leads nowhere"):
        load_results([str(few)])


def test_links_of_generated_repositories_that_lead_nowhere_are_no_results(few):
    binaries = few / "o3" / "generation" / "repo" / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").symlink_to("/usr/bin/python3.99")
    assert len(load_results([str(few)]).results) == 4
    (few / "o3" / "results" / "Third_results.yaml").symlink_to("nowhere.yaml")
    with pytest.raises(ReportError, match=r"Third_results\.yaml is a link that leads nowhere"):
        load_results([str(few)])


def test_a_result_counts_once_however_many_ways_lead_to_it(few, write_report, tmp_path):
    (few / "latest").symlink_to("o3")
    (few / "aa").symlink_to("o3")  # its name comes before that of the folder
    assert {r.label for r in load_results([str(few)]).results} == {"gpt-5.2", "o3"}
    report = write_report(tmp_path / "runs" / "run1", "a", "t")
    (tmp_path / "runs" / "latest").symlink_to("run1")
    for paths in ([tmp_path / "runs"], [tmp_path / "runs", report], [report, report]):
        assert len(load_results([str(path) for path in paths]).results) == 1


@pytest.mark.parametrize("first", ["a", "z"])
def test_a_result_without_a_dimension_does_not_take_it_from_the_others(write_report, tmp_path, first):
    """Of a functional-only result no static tool is known. It hides no difference between others, either."""
    static = ("maintainability", "security")
    for task in ("t1", "t2"):
        functional = write_report(tmp_path, first, task, left_out=DIMENSIONS, tools={})
        document = json.loads(functional.read_text("utf-8"))
        for name in DIMENSIONS:
            for measure in document["dimensions"][name]["measures"]:
                measure.update(value=None, ratio=None, score=None, low=None, high=None)
        functional.write_text(json.dumps(document), "utf-8")
    write_report(tmp_path, "m", "t1")
    found = load_results([str(tmp_path)])
    assert found.refused == {}
    [whole] = [one for one in found.results if one.label == "m"]
    assert [whole.dimensions[name] for name in static] == [pytest.approx(0.5)] * 2
    write_report(tmp_path, "n", "t2", tools={"pylint": "4.2"})  # of another task: only the first of all would be met
    assert load_results([str(tmp_path)]).refused == dict.fromkeys(static, "tools.pylint")


def test_a_label_that_is_not_picked_takes_nothing_from_those_that_are(write_report, tmp_path):
    for task in ("t1", "t2"):
        write_report(tmp_path, "a", task, host={"machine": "one"})
        write_report(tmp_path, "b", task, host={"machine": "one"})
    write_report(tmp_path, "c", "t1", host={"machine": "another"})
    shutil.copy(write_report(tmp_path, "c", "t2", host={"machine": "another"}), tmp_path / "copy.json")
    for label in ("a", "b"):
        found = load_label(f"{tmp_path}::{label}")
        assert found.refused == {}
        assert [result.non_functional is None for result in found.results] == [False, False]
    with pytest.raises(ReportError, match="are both sample 0 of c on t2"):
        load_label(f"{tmp_path}::c")


def test_a_list_that_holds_itself_is_refused_before_it_fills_the_memory(few):
    bomb = "&a [" + "a, " * 2000 + "*a]"
    (few / "o3" / "results" / "Astral_results.yaml").write_text(bomb)
    tracemalloc.start()
    try:
        with pytest.raises(ReportError, match="aliases expanded"):
            load_results([str(few)])
        assert tracemalloc.get_traced_memory()[1] < 64 << 20  # 200,000 references take 1.6 MB
    finally:
        tracemalloc.stop()


def test_a_folder_that_cannot_be_read_is_refused_by_name(few, monkeypatch):
    listed = Path.iterdir

    def refusing(self):
        if self.name == "o3":
            raise PermissionError(13, "Permission denied")
        return listed(self)

    monkeypatch.setattr(Path, "iterdir", refusing)
    with pytest.raises(ReportError, match=r"The folder .*o3 cannot be read: Permission denied"):
        load_results([str(few)])


def test_a_pipe_among_the_reports_is_refused_by_name(write_report, tmp_path):
    write_report(tmp_path, "a", "t")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(ReportError, match=r"pipe\.json cannot be read: it is no regular file"):
        load_results([str(tmp_path)])


def test_depth_and_number_of_files_are_bounded(tmp_path, monkeypatch):
    deep = tmp_path.joinpath(*["d"] * folders.MAX_DEPTH)
    deep.mkdir(parents=True)
    with pytest.raises(ReportError, match="folders deep"):
        list(files_under(tmp_path))
    deep.rmdir()
    (deep.parent / "x").touch()
    assert list(files_under(tmp_path)) == [deep.parent / "x"]
    monkeypatch.setattr(folders, "MAX_ENTRIES", folders.MAX_DEPTH - 1)
    with pytest.raises(ReportError, match="holds more than"):
        list(files_under(tmp_path))


@pytest.mark.parametrize(
    ("counts", "build", "full"),
    [
        ("passed: 12, total: 12", 1, 1),
        ("passed: 11, failed: 1, total: 12", 1, 0),
        ("failed: 1, total: 1", 0, 0),
        ("passed: 3, failed: 1, total: 4, returncode: 2", 1, 0),
        ("passed: 0, failed: 4, total: 4, returncode: 1", 1, 0),
        ("passed: 0, failed: 1, total: 1, returncode: 2", 0, 0),
    ],
)
def test_what_passed_was_built(tmp_path, counts, build, full):
    """Return code 0 or 1 says that pytest collected the tests, and so does a test that passed; F and Build agree."""
    file = tmp_path / "m" / "results" / "T_results.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(f"functional: {{{counts}}}\nbaseline_mi_min: 10\n")
    [result] = load_results([str(tmp_path)]).results
    assert (result.build, result.full) == (build, full)
    assert result.build == 1 or result.functional == 0


def test_a_label_may_hold_the_separator(command, write_report, tmp_path):
    for label in ("a::b", "c"):
        file = write_report(tmp_path, label.replace(":", ""), "t")
        document = json.loads(file.read_text())
        document["subject"]["label"] = label
        file.write_text(json.dumps(document))
    assert {r.label for r in load_label(f"{tmp_path}::a::b").results} == {"a::b"}
    said = command("compare", f"{tmp_path}::a", tmp_path).err
    assert "holds no label 'a'; it holds a::b, c" in said
    assert "no results at nowhere" in command("compare", "nowhere::a", tmp_path).err


def test_a_model_whose_folder_is_not_utf_8_is_named_in_words(few):
    os.rename(os.fsencode(few / "o3"), os.fsencode(few) + b"/o\xff")  # noqa: PTH104
    assert {r.label for r in load_results([str(few)]).results} == {"gpt-5.2", "o\\udcff"}
    assert {r.label for r in load_label(f"{few}::o\udcff").results} == {"o\\udcff"}


@pytest.mark.parametrize("name", ["results.csv", "task.yaml", "samples.jsonl"])
def test_a_file_of_another_kind_is_told_what_is_read(command, tmp_path, name):
    (tmp_path / name).write_text("a,b\n")
    ran = command("leaderboard", tmp_path / name)
    assert (ran.code, "is no report; give a report (JSON), a folder of reports, or a RAL" in ran.err) == (2, True)


def test_a_report_of_a_ral_bench_task_is_scored_by_that_benchmarks_profile_unless_another_is_given(
    command, write_ral_report, tmp_path
):
    file = write_ral_report(tmp_path / "mine.json", "mine", "slugify")
    ran = command("rescore", file, "--json", "-")
    assert ran.code == 0, ran.err
    assert ran.document["provenance"]["profile"] == "ral-bench"
    assert ran.document["non_functional"] == json.loads(file.read_text())["non_functional"]
    refused = command("rescore", file, "--profile", "reference")
    assert 'give a profile of these, such as "ral-bench"' in refused.err


def test_reports_under_other_judgements_are_sent_to_rescore_and_not_to_measure_again(command, write_report, tmp_path):
    first = write_report(tmp_path, "a", "t")
    mine = tmp_path / "mine.toml"
    second = tmp_path / "b" / "b.json"
    second.parent.mkdir()
    judged = (PROFILES / "reference.toml").read_text().replace("[1, 1, 2, 4, 4]", "[1, 1, 2, 4, 5]")
    mine.write_text(judged.replace('["1/4", "1/2", 1, 1, 1],\n]', '["1/5", "1/2", 1, 1, 1],\n]'))
    assert command("rescore", write_report(tmp_path, "b", "t"), "--profile", mine, "--json", second).code == 0
    said = command("compare", first, second).err
    assert "profile_digest differs" in said
    assert "give qualityscore rescore one of them, with the profile of the other" in said
    back = tmp_path / "back.json"
    assert command("rescore", second, "--profile", "reference", "--json", back).code == 0
    assert command("compare", first, back).code == 0  # the advice works
    document = json.loads(second.read_text())
    document["subject"]["sample"] = 1
    (tmp_path / "b" / "again.json").write_text(json.dumps(document))
    said = command("compare", tmp_path / "b", first).err
    assert "give qualityscore rescore the reports of one side" in said


def test_weights_says_why_a_dimension_is_left_out(command, few, write_ral_report, tmp_path):
    mine = write_ral_report(tmp_path / "mine.json", "mine", "slugify")
    ran = command("weights", "--sensitivity", mine, few)
    assert ran.code == 2
    assert "note: efficiency is left out, since host differs between the results" in ran.err
    assert "there is nothing to rank" in ran.err


def test_every_form_of_the_table_says_what_contained_its_results(command, few, write_ral_report, tmp_path):
    """Two labels of ours, one run without a sandbox, beside four results of an artifact that tells nothing."""
    contained = write_ral_report(tmp_path / "mine.json", "boxed", "slugify", sandbox="namespace")
    bare = write_ral_report(tmp_path / "bare.json", "bare", "slugify", sandbox="none")
    invented = write_ral_report(tmp_path / "odd.json", "odd", "slugify", sandbox="a fortress")
    paths = (few, contained, bare, invented)
    note = "Contained by: namespace 1, none 1, unknown 5. Results without a sandbox: bare."
    document = command("leaderboard", *paths, "--json", "-").document
    assert note in document["notes"]
    assert {m["label"]: m["contained"] for m in document["models"]} == {
        "boxed": {"namespace": 1},
        "bare": {"none": 1},
        "odd": {"unknown": 1},
        "o3": {"unknown": 2},
        "gpt-5.2": {"unknown": 2},
    }
    assert note in command("leaderboard", *paths).out
    assert note.replace("-", r"\-") in command("leaderboard", *paths, "--markdown", "-").out.replace(r"\.", ".")
    lines = list(csv.DictReader(io.StringIO(command("leaderboard", *paths, "--csv", "-").out)))
    assert [row["contained_none"] for row in lines if row["label"] == "bare"] == ["1"]
    page = tmp_path / "page.html"
    command("report", *paths, "-o", page)
    assert note in page.read_text("utf-8")


def batch_line(**changes):
    """A line of results.jsonl of a row that was refused for what it holds, as `execution.output.result_line` has it."""
    zeros = dict.fromkeys(("F", "NF", *DIMENSIONS, "credibility"), 0.0)
    line = {"row": 1, "label": "m", "sample": 1, "repository": "x", "task": "t", "state": "refused", "status": None}
    line |= {"score": 0.0, "components": zeros, "code": "QS-110", "reason": "r", "key": None, "report": None}
    return json.dumps(line | changes) + "\n"


def test_a_refused_row_has_0_in_what_applies_to_its_task(write_report, tmp_path):
    """The row of another task is taken for 0 in everything, as a task without a result is."""
    report = write_report(tmp_path / "reports", "m", "t", never=("robustness",))
    done = batch_line(row=3, sample=0, state="done", report=f"reports/{report.name}")
    lines = [batch_line(), batch_line(row=2, task="u"), done]
    (tmp_path / "results.jsonl").write_text("".join(lines))
    found = {(one.task, one.sample): one for one in load_results([str(tmp_path)]).results}
    assert found["t", 1].dimensions == dict.fromkeys(set(DIMENSIONS) - {"robustness"}, 0.0)
    assert found["u", 1].dimensions == dict.fromkeys(DIMENSIONS, 0.0)
    assert set(found) == {("t", 0), ("t", 1), ("u", 1)}


def test_the_last_line_of_a_row_counts(tmp_path):
    """A batch that is running appends what became of a row that it tries again."""
    (tmp_path / "reports").mkdir()
    lines = [batch_line(state="harness", components=None, score=None), batch_line()]
    (tmp_path / "results.jsonl").write_text("".join(lines))
    assert [one.functional for one in load_results([str(tmp_path)]).results] == [0.0]


@pytest.mark.parametrize("text", ["{", "[1]\n", batch_line(components={"F": 2.0}), batch_line(state="lost")])
def test_a_damaged_line_of_a_batch_is_refused_and_does_not_lift_a_mean(write_report, tmp_path, text):
    write_report(tmp_path / "reports", "m", "t")
    (tmp_path / "results.jsonl").write_text(batch_line() + text)
    with pytest.raises(ReportError, match=r"results\.jsonl, line 2, is "):
        load_results([str(tmp_path)])


def test_a_row_that_was_missing_gives_way_to_its_result_in_another_batch(write_report, tmp_path):
    """A path that was mistyped in one manifest and put right in the next; a refusal contradicts another result."""
    write_report(tmp_path / "second" / "reports", "m", "t", sample=1)
    (tmp_path / "first" / "reports").mkdir(parents=True)
    lines = tmp_path / "first" / "results.jsonl"
    absent = {"components": None, "score": None, "code": "QS-112"}
    lines.write_text(
        batch_line(**absent) + batch_line(row=2, sample=2, **absent) + batch_line(row=3, sample=2, **absent)
    )
    for order in (["first", "second"], ["second", "first"]):
        found = load_results([str(tmp_path / name) for name in order]).results
        assert sorted((one.sample, one.status, one.functional) for one in found) == [
            (1, "complete", 0.5),
            (2, "missing", None),
        ]
    lines.write_text(batch_line())
    with pytest.raises(ReportError, match="are both sample 1 of m on t"):
        load_results([str(tmp_path)])
