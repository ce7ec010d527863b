"""`qualityscore report`: what is given decides the kind of page, and the page holds the given numbers."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from qualityscore.model.branch import BaselineState, BranchReport, FindingChanges
from qualityscore.model.codec import dump, load_report


@pytest.fixture
def pages(command, tmp_path):
    """Runs the command and returns its page's visible text."""

    def page(*paths):
        file = tmp_path / "page.html"
        ran = command("report", *paths, "-o", file)
        assert (ran.code, ran.err) == (0, "")
        text = file.read_text("utf-8")
        return re.sub(r"\s+", " ", re.sub(r"<(style|script|svg).*?</\1>|<[^>]+>", " ", text, flags=re.S))

    return page


def test_one_report_becomes_its_page(pages, write_report, tmp_path):
    text = pages(write_report(tmp_path / "r", "a-model", "t1", passed=7))
    assert "7 of 10 tests passed" in text
    assert "What lost points" in text


def test_two_reports_on_one_task_become_a_comparison(pages, write_report, tmp_path):
    first = write_report(tmp_path / "a", "a-model", "t1", passed=7)
    second = write_report(tmp_path / "b", "b-model", "t1", passed=9)
    text = pages(first, second)
    assert "a-model and b-model" in text
    assert "functional 0.7000 0.9000 +0.2000" in text
    assert "0 new, 2 gone, 1 in both" in text  # tests 7 and 8 failed in the first only, test 9 in both


def test_two_labels_over_tasks_become_a_leaderboard_with_their_paired_comparison(pages, write_report, tmp_path):
    for label, passed in (("a-model", 4), ("b-model", 8)):
        for task in ("t1", "t2", "t3"):
            write_report(tmp_path / "r", label, task, passed=passed)
    text = pages(tmp_path / "r")
    assert "2 labels over 3 tasks" in text
    assert text.index("b-model 1") < text.index("a-model 2")  # by rank
    assert "What may be concluded" in text
    assert "How often each label takes each rank" in text


@pytest.mark.slow
def test_published_results_become_the_published_leaderboard(pages, artifact):
    """F and NF in per cent as the benchmark's figures give them: 41.81 and 57.05 for gpt-5.2."""
    text = pages(artifact)
    assert "8 labels over 38 tasks" in text
    assert re.search(r"gpt-5\.2 1 \w+ 41\.81 [\d.]+ to [\d.]+ 57\.05", text)


def test_what_is_no_report_is_refused_in_one_sentence(command, tmp_path):
    (tmp_path / "x.json").write_text("{}")
    ran = command("report", tmp_path / "x.json", "-o", tmp_path / "page.html")
    assert ran.code == 2
    assert not (tmp_path / "page.html").exists()
    ran = command("report", tmp_path / "nowhere", "-o", tmp_path / "missing" / "page.html")
    assert ran.code == 2
    assert "missing" in ran.err


@pytest.mark.parametrize("words", [("leaderboard",), ("report", "-o", "-"), ("compare",)])
def test_a_branch_is_no_task_and_goes_into_no_table_with_one(command, write_report, tmp_path, words):
    task = write_report(tmp_path, "a", "t")
    branch = tmp_path / "branch.json"
    loaded = load_report(Path(task).read_text("utf-8"))
    compared = BranchReport(
        baseline=BaselineState(kind="git", name="main"), tests=None, names=None, findings=FindingChanges()
    )
    branch.write_text(dump(replace(loaded, branch=compared, task=replace(loaded.task, id="own-tests"))), "utf-8")
    name, *options = words
    refused = command(name, task, branch, *options)
    assert (refused.code, len(refused.err.splitlines())) == (2, 1)
    assert "task.id differs (t and own-tests of a branch)" in refused.err
    if name != "leaderboard":
        assert command(name, branch, branch, *options).code == 0


def test_two_reports_in_a_folder_are_two_reports(command, write_report, tmp_path):
    """How many reports there are decides, not how they are given."""
    folder = tmp_path / "results"
    folder.mkdir()
    paths = [write_report(folder, label, "t") for label in ("a", "b")]
    assert command("report", folder, "-o", "-").out == command("report", *paths, "-o", "-").out
