"""The commands over many results, from files to documents, tables and refusals."""

import csv
import io
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import qualityscore
from qualityscore.core.aggregate import applicable_weights
from qualityscore.core.leaderboard import Result, build_leaderboard
from qualityscore.model.codec import dump
from qualityscore.model.finding import Finding
from qualityscore.model.report import NonFunctionalReport
from qualityscore.reports.leaderboard import notes
from qualityscore.reports.tables import comma_separated
from qualityscore.runtime.documents import load_profile, read_report

PROFILES = Path(qualityscore.__file__).parent / "profiles"

AVERAGES = {
    "claude-3.7-sonnet-20250219-thinking": (27.34, 52.94),
    "claude-4.5-haiku": (34.74, 56.40),
    "deepseek-v3.2": (29.92, 51.26),
    "gemini-2.5-pro": (27.63, 35.15),
    "gpt-3.5-turbo": (29.76, 55.08),
    "gpt-4o-2024-11-20": (27.48, 57.59),
    "gpt-5.2": (41.81, 57.05),
    "o3": (30.27, 55.44),
}
"""F and NF in per cent over 38 tasks, as published with the data."""


def test_rescore_writes_every_published_score(command, artifact, published_rows):
    rows = {(r["model"], r["task"]): r for r in command("rescore", artifact, "--json", "-").document["rows"]}
    assert len(rows) == len(published_rows)
    for row in published_rows:
        assert rows[row["model"], row["task"]] == {
            "model": row["model"],
            "task": row["task"],
            "functional": float(row["functional_score"]),
            "non_functional": float(row["non_functional_score"]),
            "maintainability": float(row["score_maintainability"]),
            "security": float(row["score_security"]),
            "robustness": float(row["score_robustness"]),
            "performance": float(row["score_performance"]),
            "resource": float(row["score_resource"]),
        }


def test_rescore_prints_a_table_and_writes_a_file(command, artifact, tmp_path):
    ran = command("rescore", artifact, "--json", tmp_path / "out.json")
    assert ran.code == 0
    assert "Xmltodict" in ran.out
    assert len(json.loads((tmp_path / "out.json").read_text())["rows"]) == 279


def test_rescore_takes_other_judgements_over_the_same_measures(command, artifact, tmp_path):
    text = (PROFILES / "ral-bench.toml").read_text().replace("maintainability = 0.36", "maintainability = 0.60")
    text = text.replace("security = 0.24", "security = 0.00000001")
    (tmp_path / "mine.toml").write_text(text)
    [row] = [
        r
        for r in command("rescore", artifact, "--profile", tmp_path / "mine.toml", "--json", "-").document["rows"]
        if (r["model"], r["task"]) == ("o3", "Cachetools")
    ]
    mine = 0.6 * row["maintainability"] + 0.16 * row["robustness"] + 0.12 * (row["performance"] + row["resource"])
    assert row["non_functional"] == pytest.approx(mine, abs=2e-4)
    refused = command("rescore", artifact, "--profile", "reference")
    assert (refused.code, "other dimensions or measures than RAL-Bench" in refused.err) == (2, True)


def test_rescore_gives_a_report_its_scores_again(command, write_report, tmp_path):
    file = write_report(tmp_path, "m", "t", score=0.5)
    ran = command("rescore", file, "--json", "-")
    assert ran.document["non_functional"]["score"] == pytest.approx(0.5)
    refused = command("rescore", file, "--profile", "ral-bench")
    assert refused.code == 2
    assert 'profile "ral-bench", which scores none of its measures (bandit.risk, ' in refused.err
    assert 'give a profile of these, such as "reference"' in refused.err
    assert "evaluate --profile ral-bench" not in refused.err  # which refuses this task


def test_leaderboard_gives_the_published_averages(command, artifact):
    models = command("leaderboard", artifact, "--json", "-").document["models"]
    found = {m["label"]: (round(100 * m["functional"], 2), round(100 * m["non_functional"], 2)) for m in models}
    assert found == AVERAGES
    assert {m["expected"] for m in models} == {38}
    evaluated = {m["label"]: m["evaluated"] for m in models}
    assert (evaluated["gemini-2.5-pro"], evaluated["o3"]) == (21, 38)
    for model in models:
        low, high = model["intervals"]["functional"]
        assert low < model["functional"] < high
        assert set(model["dimensions"]) == {"maintainability", "security", "robustness", "efficiency", "resource"}
    assert [m["rank"] for m in models] == list(range(1, 9))


def test_leaderboard_is_the_same_twice_and_ranks_by_what_is_asked(command, artifact):
    first, second = (command("leaderboard", artifact, "--by", "non_functional", "--json", "-").out for _ in range(2))
    assert first == second
    assert json.loads(first)["models"][0]["label"] == "gpt-4o-2024-11-20"


@pytest.mark.parametrize(
    ("by", "words"), [("functional", "F."), ("non_functional", "NF."), ("effective", "effective,")]
)
def test_leaderboard_shows_and_names_what_ranks(command, write_report, tmp_path, by, words):
    write_report(tmp_path, "a", "t", score=0.7, passed=9)
    ran = command("leaderboard", tmp_path, "--by", by, "--markdown", tmp_path / "b.md")
    markdown = (tmp_path / "b.md").read_text("utf-8")
    for text in (ran.out, markdown):
        assert f"Ranked by {words}" in text
    header, row = ([cell.strip() for cell in markdown.splitlines()[i].strip("|").split("|")] for i in (0, 2))
    shown = dict(zip(header, row, strict=True))
    expected = {"functional": ("F", "90.00"), "non_functional": ("NF", "70.00"), "effective": ("effective", "63.00")}
    assert shown[expected[by][0]] == expected[by][1]
    assert "F 95 %" in header


@pytest.mark.parametrize(("tasks", "noted"), [(1, False), (7, True), (8, False)])
def test_leaderboard_and_page_say_which_intervals_are_too_narrow(command, write_report, tmp_path, tasks, noted):
    for task in range(tasks):
        write_report(tmp_path / "in", "a_b", f"t{task}", passed=task)
    note = "95 % intervals over fewer than 8 tasks are too narrow: a_b."
    ran = command("leaderboard", tmp_path / "in", "--markdown", tmp_path / "b.md", "--json", tmp_path / "b.json")
    assert (note in ran.out) == noted
    assert (note.replace("_", "\\_") in (tmp_path / "b.md").read_text("utf-8")) == noted
    assert (note in json.loads((tmp_path / "b.json").read_text("utf-8"))["notes"]) == noted
    if tasks > 1:
        assert (note in command("report", tmp_path / "in", "-o", "-").out) == noted


def test_an_interval_that_no_table_shows_raises_no_note():
    # Test is over the three tasks that build; F and NF are over all twenty.
    shared = {"label": "a", "functional": 0.5, "non_functional": 0.5}
    results = [Result(task=f"t{n}", build=float(n < 3), test=0.5 if n < 3 else None, **shared) for n in range(20)]
    board = build_leaderboard(results, seed=1)
    assert board.rows[0].test.tasks == 3
    assert notes(board) == ["Contained by: unknown 20."]


def test_leaderboard_marks_labels_with_tampered_and_failed_results(command, write_report, tmp_path):
    for label, status in (("bad", "tampered"), ("good", "complete")):
        file = write_report(tmp_path / "in", label, "t", passed=9)
        file.write_text(json.dumps(json.loads(file.read_text()) | {"status": status}))
    ran = command("leaderboard", tmp_path / "in", "--json", tmp_path / "b.json", "--csv", tmp_path / "b.csv")
    assert "\nbad *  " in ran.out
    assert "\ngood    " in ran.out
    assert "* Results that were tampered with: bad has 1 tampered." in ran.out
    models = {m["label"]: m["marked"] for m in json.loads((tmp_path / "b.json").read_text())["models"]}
    assert models == {"bad": {"tampered": 1}, "good": {}}
    rows = {r["label"]: r for r in csv.DictReader(io.StringIO((tmp_path / "b.csv").read_text()))}
    assert (rows["bad"]["results_tampered"], rows["bad"]["results_failed"]) == ("1", "0")


def test_leaderboard_writes_csv_and_markdown(command, artifact, tmp_path):
    ran = command("leaderboard", artifact, "--csv", tmp_path / "b.csv", "--markdown", tmp_path / "b.md")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "b.csv").read_text())))
    assert [round(100 * float(r["functional"]), 2) for r in rows if r["label"] == "gpt-5.2"] == [41.81]
    lines = (tmp_path / "b.md").read_text().splitlines()
    assert lines[-4:-2] == ["", "A task without a result counts 0."]  # deepseek-v3.2 has 35 of 38
    assert lines[-1].startswith("Contained by: unknown ")
    assert len(lines) == 2 + 8 + 2 + 2 + 2
    assert lines[11].startswith("Ranked by F. Scores and shares are means over tasks in per cent")
    assert "| gpt-5.2 | 1 |" in lines[2]
    assert "41.81" in ran.out


@pytest.mark.parametrize(
    ("label", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1+1", "'+1+1"),
        ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\t=1", "' =1"),
        ("\r=1", "' =1"),
        ("  =1", "'  =1"),
        ("\uff1d1", "'\uff1d1"),
        ("a\x1b[31mred\x07", "a\\x1b[31mred\\x07"),
        ("two\nlines", "two lines"),
        ("-1.5e-05", "-1.5e-05"),
        ('a "b", c=d', 'a "b", c=d'),
        ("x" * 2000, "x" * 2000),
    ],
)
def test_foreign_text_in_csv_is_neither_formula_nor_control(label, cell):
    """What OWASP's page on CSV injection lists is escaped; numbers and plain text stay as they are."""
    text = comma_separated(["label", label], [[label, "-0.25"]])
    assert list(csv.reader(io.StringIO(text))) == [["label", cell], [cell, "-0.25"]]
    assert not any(ch < " " and ch != "\n" for ch in text)


def test_labels_from_reports_reach_no_terminal_or_spreadsheet_as_they_are(command, write_report, tmp_path):
    write_report(tmp_path, "evil", "t", left_out=["efficiency"])
    write_report(tmp_path, "other", "t")
    for file in tmp_path.glob("evil*.json"):
        document = json.loads(file.read_text())
        document["subject"]["label"] = "=cmd()\x1b]0;title\x07"
        file.write_text(json.dumps(document))
    ran = command("leaderboard", tmp_path, "--csv", tmp_path / "b.csv")
    assert "'=cmd()\\x1b]0;title\\x07,1," in (tmp_path / "b.csv").read_text()
    assert "\x1b" not in ran.out + (tmp_path / "b.csv").read_text()


def test_leaderboard_reads_reports_from_folders_and_averages_samples(command, write_report, tmp_path):
    write_report(tmp_path / "a", "good", "t1", score=0.8, passed=10)
    write_report(tmp_path / "a", "good", "t2", score=0.6, passed=8, sample=1)
    write_report(tmp_path / "a", "good", "t2", score=0.4, passed=6, sample=2)
    other = write_report(tmp_path / "b", "poor", "t1", score=0.2, passed=1)
    (tmp_path / "a" / "other.json").write_text('{"some": "thing"}')
    models = {m["label"]: m for m in command("leaderboard", tmp_path / "a", other, "--json", "-").document["models"]}
    assert models["good"]["functional"] == pytest.approx((1 + 0.7) / 2)
    assert models["good"]["non_functional"] == pytest.approx((0.8 + 0.5) / 2)
    assert models["good"]["dimensions"]["security"] == pytest.approx((0.8 + 0.5) / 2)
    assert models["good"]["full"] == pytest.approx(0.5)
    assert (models["poor"]["evaluated"], models["poor"]["expected"]) == (1, 2)
    assert models["poor"]["functional"] == pytest.approx(0.05)
    assert models["poor"]["failures"] == {"mismatch": 9}
    shown = command("leaderboard", tmp_path / "a", other, "--markdown", tmp_path / "board.md").out
    assert "A task without a result counts 0: poor has 1 of 2." in shown
    assert "A task without a result counts 0." in (tmp_path / "board.md").read_text("utf-8")
    assert "counts 0" not in command("leaderboard", other).out


def test_leaderboard_shows_costs_where_they_are_given(command, write_report, tmp_path):
    file = write_report(tmp_path, "m", "t")
    (tmp_path / "costs.csv").write_text("label,task,usd\nm,t1,1\nm,t2,2\nm,t3,\n")
    ran = command("leaderboard", file, "--costs", tmp_path / "costs.csv", "--json", "-")
    assert ran.document["models"][0]["costs"] == {"usd": 1.5}
    (tmp_path / "costs.csv").write_text("label,usd\nm,cheap\n")
    refused = command("leaderboard", file, "--costs", tmp_path / "costs.csv")
    assert (refused.code, '"cheap" in column usd is not a number' in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        ("2", "2.00"),
        ("1.5\nm,2.25", "1.88"),  # the mean of 1.5 and 2.25 is 1.875
        ("12345.678", "12,345.68"),
        ("0.00123456", "0.001235"),
        ("0", "0.00"),
        ("-3.14159", "-3.14"),
        ("1e30", "1e+30"),
    ],
)
def test_leaderboard_shows_a_mean_cost_with_its_decimals(command, write_report, tmp_path, usd, shown):
    (tmp_path / "costs.csv").write_text(f"label,usd\nm,{usd}\n")
    ran = command("leaderboard", write_report(tmp_path, "m", "t"), "--costs", tmp_path / "costs.csv")
    row, *_ = [line for line in ran.out.splitlines() if line.startswith("m ")]
    assert row.split()[-1] == shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("label,usd\nm,1,2\n", ":2: the row has 3 cells and the header 2"),
        ("label,usd\nm,1\n\nm\n", ":4: the row has 1 cells and the header 2"),
        ("label,usd\nm,1\nq,1\n", ":3: no result has the label 'q'"),
        ("label,usd\nm11,1\n", ":2: no result has the label 'm11'; did you mean 'm1'?"),
        ("label,usd\n,1\n", ":2: no result has the label ''"),
        ("label,usd,usd\nm,1,2\n", ":1: two columns are named usd"),
        ("label,\nm,1\n", ":1: column 2 has no name"),
        ('label,usd\nm,1\n"m,2\nm,3\n', ":3: the row that begins here is not CSV"),
        ('label,usd\n"m"x,2\n', ":2: the row that begins here is not CSV"),
        ("usd\n1\n", "have no column named label"),
        ("", "have no column named label"),
    ],
)
def test_a_cost_that_would_be_lost_is_refused_by_file_and_line(command, write_report, tmp_path, text, said):
    for label in ("m", "m1"):
        write_report(tmp_path, label, "t")
    (tmp_path / "costs.csv").write_text(text)
    ran = command("leaderboard", tmp_path, "--costs", tmp_path / "costs.csv")
    assert (ran.code, ran.out, str(tmp_path / "costs.csv") in ran.err) == (2, "", True)
    assert said in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("project,model,run,x\na,b,1,2,3\n", ":2: the row has 5 cells and the header 4"),
        ("project,model,run,x,x\na,b,1,2,3\n", ":1: two columns are named x"),
        ('project,model,run,x\na,b,1,"2\n', ":2: the row that begins here is not CSV"),
    ],
)
def test_a_rerun_that_would_be_lost_is_refused_by_file_and_line(command, tmp_path, text, said):
    (tmp_path / "reruns.csv").write_text(text)
    ran = command("stability", tmp_path / "reruns.csv")
    assert (ran.code, said in ran.err) == (2, True), ran.err


def test_costs_saved_by_a_spreadsheet_are_read(command, write_report, tmp_path):
    """With a byte order mark, CRLF, quotes and a name over two lines."""
    file = write_report(tmp_path, "m", "t")
    (tmp_path / "costs.csv").write_bytes('\ufefflabel,"us\ndollar"\r\n"m","2.5"\r\n'.encode())
    ran = command("leaderboard", file, "--costs", tmp_path / "costs.csv", "--json", "-")
    assert ran.document["models"][0]["costs"] == {"us\ndollar": 2.5}


@pytest.mark.parametrize(
    "options",
    [("--seed", "-1"), ("--seed", str(2**32)), ("--expected", "0"), ("--expected", "9" * 20)],
)
def test_numbers_that_an_option_cannot_mean_are_refused(command, write_report, tmp_path, options):
    file = write_report(tmp_path, "m", "t")
    argv = [sys.executable, "-m", "qualityscore.cli", "leaderboard", str(file), *options]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "no whole number from" in done.stderr, "Traceback" in done.stderr) == (2, True, False)


def test_columns_whose_sums_would_overflow_are_refused(command, write_report, tmp_path):
    (tmp_path / "costs.csv").write_text("label,usd\nm,1e308\nm,1e308\n")
    refused = command("leaderboard", write_report(tmp_path, "m", "t"), "--costs", tmp_path / "costs.csv")
    assert (refused.code, "not a number up to 1e+100" in refused.err) == (2, True)
    (tmp_path / "reruns.csv").write_text("project,model,run,x\na,b,1,1e308\na,b,2,-1e308\n")
    refused = command("stability", tmp_path / "reruns.csv")
    assert (refused.code, "not a number up to 1e+100" in refused.err) == (2, True)


def test_leaderboard_leaves_out_what_was_not_measured(command, write_report, tmp_path):
    write_report(tmp_path, "m", "t1", score=0.8)
    write_report(tmp_path, "m", "t2", score=0.8, left_out=["efficiency"])
    [model] = command("leaderboard", tmp_path, "--json", "-").document["models"]
    assert model["non_functional"] == pytest.approx(0.8)
    assert model["missing"] == {"non_functional": 1, "effective": 1, "dimensions.efficiency": 1}


@pytest.mark.parametrize("field", ["score_model", "profile_digest"])
def test_results_that_do_not_compare_are_refused_by_name(command, write_report, tmp_path, field):
    write_report(tmp_path, "a", "t1")
    write_report(tmp_path, "b", "t2", **{field: "9.9"})
    ran = command("leaderboard", tmp_path)
    assert ran.code == 2
    assert f"{field} differs" in ran.err
    assert "b-t2-0.json" in ran.err


def test_a_dimension_that_does_not_compare_is_left_out_with_a_note(command, write_report, tmp_path):
    write_report(tmp_path, "a", "t1")
    write_report(tmp_path, "b", "t1", tools={"pylint": "9.9"})
    ran = command("leaderboard", tmp_path, "--json", "-")
    assert "security and NF are left out, since tools.pylint differs" in ran.err
    assert {m["non_functional"] for m in ran.document["models"]} == {None}
    assert {m["dimensions"]["security"] for m in ran.document["models"]} == {None}
    assert [m["dimensions"]["robustness"] for m in ran.document["models"]] == pytest.approx([0.5, 0.5])


def test_reports_and_another_benchmarks_results_do_not_mix(command, write_report, artifact, tmp_path):
    ran = command("leaderboard", write_report(tmp_path, "a", "t1"), artifact)
    assert (ran.code, "profile_digest differs" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("content", "said"),
    [('{"schema_version": "1.0", "non', "truncated"), ('{"schema_version": "7", "non_functional": 1}', "schema")],
)
def test_a_damaged_report_in_a_folder_is_named_and_not_dropped(command, write_report, tmp_path, content, said):
    write_report(tmp_path, "a", "t1")
    (tmp_path / "broken.json").write_text(content)
    ran = command("leaderboard", tmp_path)
    assert (ran.code, said in ran.err, "broken.json" in ran.err) == (2, True, True)


@pytest.mark.parametrize("name", ["leaderboard", "rescore"])
def test_a_path_without_results_is_refused(command, tmp_path, name):
    assert command(name, tmp_path / "nothing").code == 2
    assert command(name, tmp_path).code == 2


def test_an_output_that_cannot_be_written_is_refused_first(command, tmp_path):
    ran = command("leaderboard", tmp_path / "nothing", "--csv", tmp_path)
    assert "is a folder" in ran.err


def test_compare_pairs_two_labels_of_an_artifact_by_task(command, artifact):
    found = command("compare", f"{artifact}::gpt-5.2", f"{artifact}::o3", "--json", "-").document
    assert (found["first"], found["second"], found["tasks"]) == ("gpt-5.2", "o3", 38)
    [functional] = [r for r in found["ratios"] if (r["quantity"], r["condition"]) == ("functional", "unbuilt_as_0")]
    # The means differ by 41.81 - 30.27 per cent, of which tasks built under neither rule are no part.
    assert functional["test"]["n"] == 38
    assert functional["p_holm"] >= functional["test"]["p"]


def test_compare_counts_the_tasks_that_the_leaderboard_counts(command, artifact):
    # The artifact has 38 tasks, some of which neither of these labels has a result for.
    sides = (f"{artifact}::gemini-2.5-pro", f"{artifact}::deepseek-v3.2")
    found = command("compare", *sides, "--json", "-").document
    assert found["tasks"] == 38
    [functional] = [r for r in found["ratios"] if (r["quantity"], r["condition"]) == ("functional", "unbuilt_as_0")]
    published = AVERAGES["deepseek-v3.2"][0] - AVERAGES["gemini-2.5-pro"][0]
    assert 100 * functional["test"]["mean_difference"] == pytest.approx(published, abs=0.01)
    more = command("compare", *sides, "--expected", 76).out
    assert "gemini-2.5-pro (results for 21) and deepseek-v3.2 (for 35) on 76 tasks" in more


def test_compare_prints_no_p_of_nought_and_few_conclusions(command, write_report, tmp_path):
    for task in range(20):
        write_report(tmp_path / "a", "a", f"t{task}", score=0.2, passed=1)
        write_report(tmp_path / "b", "b", f"t{task}", score=0.8, passed=9)
    shown = command("compare", tmp_path / "a", tmp_path / "b").out
    [line] = [line for line in shown.splitlines() if line.startswith("functional ") and "built by both" in line]
    # 2/2^20
    assert "< 0.0001" in line
    assert " 0.0000" not in shown
    assert "Differences and rank-biserial are the second less the first." in shown
    assert shown.count("o difference is shown") == 1


def test_compare_of_two_reports_names_them(command, write_report, tmp_path):
    first, second = write_report(tmp_path, "a", "t"), write_report(tmp_path, "b", "t")
    ran = command("compare", first, second)
    assert f"first:  a ({first})\nsecond: b ({second})\nDifferences are the second less the first." in ran.out
    assert command("compare", first, second, "--json", "-").document["second"] == f"b ({second})"
    assert "same report" not in ran.out
    assert "Both sides are the same report" in command("compare", first, first).out
    refused = command("compare", first, second, "--expected", 3)
    assert (refused.code, "--expected" in refused.err) == (2, True)


def test_compare_takes_the_two_folders_of_an_artifact(command, artifact):
    found = command("compare", artifact / "gpt-5.2", artifact / "o3", "--json", "-").document
    assert (found["first"], found["second"], len(found["only_second"])) == ("gpt-5.2", "o3", 3)


def test_compare_says_which_labels_there_are(command, artifact):
    several = command("compare", artifact, artifact / "o3")
    assert (several.code, "holds 8 labels" in several.err) == (2, True)
    unknown = command("compare", f"{artifact}::gpt-9", artifact / "o3")
    assert (unknown.code, "holds no label 'gpt-9'" in unknown.err) == (2, True)


def test_compare_of_two_reports_shows_differences_tests_and_findings(command, write_report, tmp_path):
    def finding(message):
        return Finding(code="X", tool="x", message=message, path="m.py", line=1)

    first = write_report(tmp_path, "a", "t", score=0.5, passed=5, findings=(finding("old"), finding("both")))
    second = write_report(tmp_path, "b", "t", score=0.75, passed=7, findings=(finding("both"), finding("new")))
    found = command("compare", first, second, "--json", "-").document
    assert found["scores"]["functional"]["difference"] == pytest.approx(0.2)
    assert found["dimensions"]["security"]["difference"] == pytest.approx(0.25)
    assert (found["tests"]["fixed"], found["tests"]["new"]) == (["test_5", "test_6"], [])
    assert found["findings"] == {"new": ["X m.py: new"], "fixed": ["X m.py: old"], "unchanged": 1}
    shown = command("compare", first, second).out
    assert "failing tests: 0 new, 2 fixed, 3 unchanged" in shown


def test_compare_of_reports_on_different_tasks_is_refused(command, write_report, tmp_path):
    ran = command("compare", write_report(tmp_path, "a", "t1"), write_report(tmp_path, "b", "t2"))
    assert (ran.code, "task.id differs" in ran.err) == (2, True)


def test_compare_of_reports_with_other_tools_names_the_tool(command, write_report, tmp_path):
    other = write_report(tmp_path, "b", "t", tools={"pylint": "9.9"})
    shown = command("compare", write_report(tmp_path, "a", "t"), other).out
    assert "not comparable: tools.pylint differs" in shown


SAMPLES = [
    {"label": "m", "task": "t", "unit": "A", "level": "class", "sample": i, "outcomes": outcomes}
    for i, outcomes in enumerate([[True, True], [True, False], [False, False], [False, False]])
]


OUTCOMES = "an outcome is true, false or one of the words passed, failed, skipped, not_run, tampered, error"


def lines(folder, samples):
    file = folder / "samples.jsonl"
    file.write_text("\n".join(json.dumps(s) for s in samples) + "\n\n")
    return file


def test_passk_reads_json_lines(command, tmp_path):
    found = command("passk", lines(tmp_path, SAMPLES), "--k", "1,2,5", "--json", "-").document["results"]
    by = {(r["success"], r["k"]): r for r in found}
    assert by["full", 1]["value"] == pytest.approx(1 / 4)
    assert by["partial", 1]["value"] == pytest.approx(1 / 2)
    # 1 - C(3, 2)/C(4, 2) and 1 - C(2, 2)/C(4, 2)
    assert by["full", 2]["value"] == pytest.approx(1 / 2)
    assert by["partial", 2]["value"] == pytest.approx(5 / 6)
    assert by["full", 5]["value"] is None
    assert (
        "not available: A of t has 4 samples, fewer than 5"
        in command("passk", tmp_path / "samples.jsonl", "--k", "5").out
    )


@pytest.mark.parametrize(("tasks", "noted"), [(1, False), (7, True), (8, False)])
def test_passk_says_which_intervals_are_too_narrow(command, tmp_path, tasks, noted):
    samples = [{**s, "task": f"t{t}"} for t in range(tasks) for s in SAMPLES]
    note = "95 % intervals over fewer than 8 tasks are too narrow: m class."
    assert (note in command("passk", lines(tmp_path, samples), "--k", "1").out) == noted
    document = command("passk", tmp_path / "samples.jsonl", "--k", "1", "--json", "-").document
    assert document["notes"] == ([note] if noted else [])


def test_passk_takes_outcomes_as_words(command, tmp_path):
    words = [{**SAMPLES[0], "outcomes": ["passed", "failed"]}]
    found = command("passk", lines(tmp_path, words), "--k", "1", "--json", "-").document["results"]
    assert [r["value"] for r in found] == [0, 1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"smaple": 1}, "samples.jsonl:1: key 'smaple' is unknown (did you mean 'sample'?)"),
        ({"sample": "one"}, "samples.jsonl:1: key 'sample'"),
        ({"sample": -1}, "samples.jsonl:1: key 'sample': input should be greater than or equal to 0"),
        ({"outcomes": []}, "samples.jsonl:1: key 'outcomes': the list is empty; give an outcome for each test"),
        ({"outcomes": [True, "pass"]}, f"samples.jsonl:1: key 'outcomes.1': {OUTCOMES}."),
        ({"outcomes": [1, 0]}, f"samples.jsonl:1: key 'outcomes.0': {OUTCOMES}."),
        ({"outcomes": [["passed"]]}, f"samples.jsonl:1: key 'outcomes.0': {OUTCOMES}."),
        ({"outcomes": [None]}, f"samples.jsonl:1: key 'outcomes.0': {OUTCOMES}."),
        ({"label": ""}, "samples.jsonl:1: key 'label'"),
    ],
)
def test_passk_refuses_a_bad_line_by_number(command, tmp_path, change, said):
    ran = command("passk", lines(tmp_path, [{**SAMPLES[0], **change}]))
    assert (ran.code, said in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("label", ["m", "other"])
def test_passk_refuses_a_unit_with_fewer_tests_than_before(command, tmp_path, label):
    other = {**SAMPLES[1], "label": label, "outcomes": [True]}
    ran = command("passk", lines(tmp_path, [SAMPLES[0], other]))
    assert (ran.code, "samples.jsonl:2: A of t has 1 outcomes here and 2 in line 1" in ran.err) == (2, True), ran.err


def test_passk_says_whose_units_are_absent(command, tmp_path):
    file = lines(tmp_path, [SAMPLES[0], {**SAMPLES[0], "unit": "B"}, {**SAMPLES[0], "label": "n"}])
    shown = command("passk", file, "--k", "1").out
    assert "A unit without a sample counts 0: n has 1 of 2 at level class." in shown
    assert "counts 0" not in command("passk", lines(tmp_path, SAMPLES), "--k", "1").out


def test_passk_reads_a_file_with_a_byte_order_mark(command, tmp_path):
    file = lines(tmp_path, SAMPLES)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert command("passk", file, "--k", "1", "--json", "-").document["results"][0]["value"] == pytest.approx(1 / 4)


def test_passk_refuses_repeated_samples_and_senseless_k(command, tmp_path):
    ran = command("passk", lines(tmp_path, [SAMPLES[0], SAMPLES[0]]))
    assert (ran.code, "samples.jsonl:2: sample 0 of A" in ran.err) == (2, True)
    for k in ("0", "x", "1,-1"):
        assert command("passk", lines(tmp_path, SAMPLES), "--k", k).code == 2


def test_stability_reproduces_the_published_figures(command):
    reruns = Path(__file__).resolve().parents[2] / "data" / "ral_bench" / "reruns.csv"
    ran = command("stability", reruns)
    shown = {line.split()[0]: line.split()[2:] for line in ran.out.splitlines()[1:] if line and line[0].islower()}
    assert shown["non_functional_score"] == ["0.000000", "0.001314", "0.000000", "0.001713"]
    assert shown["perf_elapsed_time_s"][2:] == ["0.020300", "0.046814"]
    assert shown["avg_memory_mb"][2:] == ["0.008371", "0.013755"]
    assert shown["avg_cpu_percent"][2:] == ["0.013551", "0.021369"]
    assert "Only one label" in ran.out


def test_stability_of_artifacts_names_the_order_that_changes(command, published_rows, write_results, tmp_path):
    rows = [r for r in published_rows if r["model"] in ("o3", "gpt-5.2")]
    first = write_results(tmp_path / "1", rows)
    swapped = [dict(r, model="o3" if r["model"] == "gpt-5.2" else "gpt-5.2") for r in rows]
    second = write_results(tmp_path / "2", swapped)
    same = command("stability", first, first)
    assert "The order of the labels is the same in all 2 runs." in same.out
    found = command("stability", first, second, "--json", "-").document
    change = next(c for c in found["order_changes"] if c["quantity"] == "functional")
    assert (change["first"], change["second"]) == ("gpt-5.2", "o3")
    assert [run[0] for run in change["first_ahead"]] == ["1"]


def test_stability_of_reports_covers_raw_measures(command, write_report, tmp_path):
    for run, score in (("1", 0.5), ("2", 0.4)):
        write_report(tmp_path / run, "m", "t", score=score)
    found = command("stability", tmp_path / "1", tmp_path / "2", "--json", "-").document["quantities"]
    by = {q["quantity"]: q for q in found}
    assert by["security"]["sd_median"] == pytest.approx(0.05)
    assert by["bandit.risk"]["cv_median"] > 0


def test_stability_needs_two_runs(command, artifact, tmp_path):
    assert command("stability", artifact).code == 2
    (tmp_path / "x.csv").write_text("project,model\na,b\n")
    ran = command("stability", tmp_path / "x.csv")
    assert (ran.code, "no column named run" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("project,model,run,x\nt,a,1,1\nt,b,1,1\n", "There is only one run in"),
        ("project,model,run,x\nt,a,1,1\nt,b,2,1\n", "Nothing was run again"),
        ("project,model,run,x\nt,a,1,1\nt,a,2,1\nt,a,1,2\n", ":4: run 1 of a on t is already in"),
        ("project,model,run,x\nt,a,1,1\n,,,\n", ":3: column project is empty"),
        ("project,model,run,x\nt,a,1,1\nt,a, ,2\n", ":3: column run is empty"),
        ("project,model,run\nt,a,1\nt,a,2\n", "no column besides project, model, run"),
        ("project,model,run,x\n", "have no line"),
        ("project,model,run,note\nt,a,1,hi\n", "every column besides project, model, run holds numbers"),
    ],
)
def test_stability_refuses_a_table_that_shows_no_rerun(command, tmp_path, rows, said):
    (tmp_path / "reruns.csv").write_text(rows)
    ran = command("stability", tmp_path / "reruns.csv")
    assert (ran.code, ran.out, said in ran.err) == (2, "", True), ran.err


@pytest.mark.parametrize("column", ["functional", "non_functional", "functional_score", "non_functional_score"])
def test_stability_ranks_by_the_columns_of_either_naming(command, tmp_path, column):
    (tmp_path / "r.csv").write_text(f"project,model,run,{column}\nt,x,1,0.1\nt,y,1,0.2\nt,x,2,0.3\nt,y,2,0.2\n")
    assert f"{column}: x is ahead in 2; y is ahead in 1." in command("stability", tmp_path / "r.csv").out


def test_stability_without_a_score_says_nothing_of_the_order(command, tmp_path):
    (tmp_path / "r.csv").write_text("project,model,run,time\nt,x,1,1\nt,y,1,2\nt,x,2,2\nt,y,2,1\n")
    ran = command("stability", tmp_path / "r.csv")
    assert ("nothing is said of the labels' order" in ran.out, "the same in all" in ran.out) == (True, False)
    assert command("stability", tmp_path / "r.csv", "--json", "-").document["ranked_by"] == []


def test_stability_does_not_take_an_empty_cell_for_a_zero(command, tmp_path):
    rows = "t,a,1,0.5\nt,b,1,0.1\nu,a,1,0.2\nu,b,1,0.1\nt,a,2,\nt,b,2,0.1\nu,a,2,0.2\nu,b,2,0.1\n"
    (tmp_path / "r.csv").write_text("project,model,run,functional\n" + rows)
    ran = command("stability", tmp_path / "r.csv")
    assert (
        "Tasks left out of the order, since a score is missing in one of the runs: functional of a and b 1 of 2."
        in (ran.out)
    )
    assert "The order of the labels is the same in all 2 runs." in ran.out
    found = command("stability", tmp_path / "r.csv", "--json", "-").document
    assert found["left_out"] == [{"quantity": "functional", "first": "a", "second": "b", "tasks": 1}]
    assert (found["order_changes"], found["not_compared"]) == ([], [])


@pytest.mark.parametrize("field", ["score_model", "profile_digest"])
def test_stability_refuses_runs_that_do_not_compare(command, write_report, tmp_path, field):
    write_report(tmp_path / "1", "m", "t")
    write_report(tmp_path / "2", "m", "t", **{field: "9.9"})
    ran = command("stability", tmp_path / "1", tmp_path / "2")
    assert (ran.code, f"{field} differs" in ran.err) == (2, True), ran.err


def test_stability_refuses_reports_beside_an_artifact(command, write_report, artifact, tmp_path):
    write_report(tmp_path / "1", "o3", "Cachetools")
    ran = command("stability", tmp_path / "1", artifact)
    assert (ran.code, ran.out) == (2, "")


def test_stability_leaves_out_what_another_tool_measured(command, write_report, tmp_path):
    for run, tools in (("1", {"pylint": "4.1"}), ("2", {"pylint": "9.9"}), ("3", {"pylint": "4.1"})):
        write_report(tmp_path / run, "m", "t", tools=tools)
    ran = command("stability", *(tmp_path / run for run in "123"), "--json", "-")
    found = {quantity["quantity"] for quantity in ran.document["quantities"]}
    assert {"functional", "robustness", "probes.survival"} <= found
    assert not {"non_functional", "security", "bandit.risk", "lint.penalty"} & found
    assert "security and NF are left out, since tools.pylint differs" in ran.err


def test_stability_of_artifacts_covers_time_memory_and_cpu(command, published_rows, write_results, tmp_path):
    """One result whose time doubles: mean 1.5 t, population SD 0.5 t, so the CV is 1/3."""
    row = next(r for r in published_rows if (r["model"], r["task"]) == ("o3", "Cachetools"))
    slower = dict(row, performance_elapsed_s=str(2 * float(row["performance_elapsed_s"])))
    runs = [write_results(tmp_path / str(i), [one]) for i, one in enumerate((row, slower))]
    found = {q["quantity"]: q for q in command("stability", *runs, "--json", "-").document["quantities"]}
    assert found["performance.time"]["cv_median"] == pytest.approx(1 / 3)
    for name in ("memory.mean", "cpu.mean", "mi.min", "high_risk.count", "robustness.passed"):
        assert (found[name]["pairs"], found[name]["sd_median"]) == (1, 0)


def test_stability_knows_a_task_of_an_artifact_by_any_spelling(command, published_rows, write_results, tmp_path):
    row = next(r for r in published_rows if (r["model"], r["task"]) == ("o3", "Cachetools"))
    runs = [write_results(tmp_path / t, [dict(row, task=t)]) for t in ("Cachetools", "CacheTools", "cachetools")]
    found = command("stability", *runs, "--json", "-").document["quantities"]
    assert {q["pairs"] for q in found} == {1}


def test_stability_takes_samples_for_no_reruns(command, write_report, tmp_path):
    for run in ("1", "2"):
        for sample, score in ((1, 0.2), (2, 0.8)):
            write_report(tmp_path / run, "m", "t", score=score, sample=sample)
    found = command("stability", tmp_path / "1", tmp_path / "2", "--json", "-").document["quantities"]
    # Both runs are the same: samples of 0.2 and 0.8 taken for runs would have an SD of 0.3.
    assert {quantity["quantity"]: quantity["sd_median"] for quantity in found}["security"] == 0


def test_weights_shows_every_matrix_with_its_consistency(command):
    ran = command("weights")
    assert "λmax 5.1364  CI 0.0341  CR 0.0304" in ran.out
    found = command("weights", "--json", "-").document
    assert round(found["dimensions"]["weights"]["maintainability"], 4) == 0.3637
    assert "maintainability over efficiency: 4" in found["dimensions"]["comparisons"]


def test_weights_prints_a_profile_to_begin_with(command, tmp_path):
    ran = command("weights", "--profile", "ral-bench", "--toml")
    assert ran.out == (PROFILES / "ral-bench.toml").read_text("utf-8")
    (tmp_path / "mine.toml").write_text(ran.out)
    assert load_profile(str(tmp_path / "mine.toml")).digest == load_profile("ral-bench").digest
    for other in ("--json", "--sensitivity"):
        assert command("weights", "--toml", other, tmp_path / "x").code == 2


def test_weights_refuses_contradicting_judgements_with_the_triad(command, tmp_path):
    text = (PROFILES / "reference.toml").read_text().replace("[1, 1, 2, 4, 4]", '[1, 1, 2, 4, "1/9"]')
    (tmp_path / "mine.toml").write_text(text.replace('["1/4", "1/2", 1, 1, 1],\n]', '[9, "1/2", 1, 1, 1],\n]'))
    ran = command("weights", "--profile", tmp_path / "mine.toml")
    assert ran.code == 2
    assert "contradict each other" in ran.err
    assert "maintainability over resource = 1/9" in ran.err


def test_sensitivity_of_the_published_results(command, artifact):
    found = command("weights", "--sensitivity", artifact, "--draws", 2000, "--json", "-").document
    assert found["profile"] == "ral-bench"
    analysis = found["sensitivity"]
    for label, (_, nf) in AVERAGES.items():
        assert round(100 * analysis["scores"][label], 2) == nf
        assert sum(analysis["all_weights"]["shares"][label]) == pytest.approx(1)
    assert analysis["flip"]["leader"] == "gpt-4o-2024-11-20"
    assert len(analysis["effects"]) == 10
    assert "first place goes from" in command("weights", "--sensitivity", artifact, "--draws", 200).out


ONE_MORE = """
name = "mine"
title = "Mine"
judgements.weights = { security = 1, foo = 2 }
[[dimensions]]
id = "security"
title = "S"
[[dimensions.measures]]
id = "security.x"
title = "x"
unit = "points"
better = "lower"
[[dimensions]]
id = "foo"
title = "F"
[[dimensions.measures]]
id = "foo.x"
title = "x"
unit = "points"
better = "lower"
"""


def test_sensitivity_refuses_a_profile_of_dimensions_that_nobody_measured(command, write_report, tmp_path):
    write_report(tmp_path, "m", "t")
    (tmp_path / "mine.toml").write_text(ONE_MORE)
    ran = command("weights", "--sensitivity", tmp_path, "--profile", tmp_path / "mine.toml")
    assert (ran.code, ran.out) == (2, "")
    assert 'Profile "mine" weighs foo, which the results do not hold' in ran.err


def test_sensitivity_names_who_is_left_out_and_what_is_missing(command, write_report, tmp_path):
    only = write_report(tmp_path / "only", "gone", "t", left_out=["robustness", "efficiency"])
    ran = command("weights", "--sensitivity", only, "--draws", "10")
    assert (ran.code, "Missing: gone lacks robustness, efficiency." in ran.err) == (2, True), ran.err
    write_report(tmp_path / "all", "m", "t")
    ran = command("weights", "--sensitivity", only, tmp_path / "all", "--draws", "10")
    assert (
        "note: results without a score in every dimension are left out (1 in all: gone lacks robustness, efficiency)"
        in ran.err
    )
    assert "nothing is left of gone" in ran.err
    assert "Only one label" in ran.out
    assert ("+0.0000" in ran.out, "No change of a single judgement" in ran.out) == (False, False)


def test_sensitivity_of_results_to_which_a_dimension_does_not_apply_ranks_as_the_leaderboard(
    command, write_report, tmp_path
):
    """Maintainability out of two reports; b is ahead by the weights of scoring, a by weights in proportion."""
    profile = load_profile("reference")
    names = [d.id for d in profile.dimensions]
    weights = applicable_weights(profile.matrix, [name != "maintainability" for name in names])
    for label, scores in (("a", (0, 0.9, 0.1, 0.5, 0.5)), ("b", (0, 0.4, 0.5, 0.71, 0.71))):
        file = write_report(tmp_path, label, "t")
        report = read_report(str(file))
        nf = sum(w * s for w, s in zip(weights, scores, strict=True))
        dimensions = {}
        for name, weight, value in zip(names, weights, scores, strict=True):
            held = report.dimensions[name]
            measures = tuple(replace(m, score=value, low=value, high=value) for m in held.measures)
            dimensions[name] = replace(held, score=value, low=value, high=value, weight=weight, measures=measures)
            if name == "maintainability":
                measures = tuple(
                    replace(m, score=None, low=None, high=None, value=None, weight=0.0, applicable=False)
                    for m in measures
                )
                dimensions[name] = replace(
                    held, score=None, low=None, high=None, weight=0.0, applicable=False, measures=measures
                )
        score = NonFunctionalReport(score=nf, low=nf, high=nf)
        changed = replace(report, dimensions=dimensions, non_functional=score, effective=report.functional.score * nf)
        file.write_text(dump(changed), encoding="utf-8")
    board = command("leaderboard", tmp_path, "--by", "non_functional", "--json", "-").document["models"]
    found = command("weights", "--sensitivity", tmp_path, "--draws", 200, "--json", "-").document["sensitivity"]
    assert [m["label"] for m in board] == ["b", "a"]
    assert found["scores"] == pytest.approx({m["label"]: m["non_functional"] for m in board})


def test_sensitivity_without_a_consistent_draw_says_so(command, write_report, tmp_path):
    for label, score in (("a", 0.5), ("b", 0.4)):
        write_report(tmp_path, label, "t", score=score)
    text = ONE_MORE.replace("judgements.weights = { security = 1, foo = 2 }", JUDGED).replace("foo", "robustness")
    (tmp_path / "mine.toml").write_text(text + THIRD)
    options = ("--profile", tmp_path / "mine.toml", "--draws", "1", "--seed", "5")
    ran = command("weights", "--sensitivity", tmp_path, *options)
    assert "not available, since every draw contradicted itself" in ran.out
    assert "nan" not in ran.out
    found = command("weights", "--sensitivity", tmp_path, *options, "--json", "-").document["sensitivity"]
    assert found["within_a_step"]["shares"] is None


JUDGED = 'judgements.matrix = [[1, 2, 5], ["1/2", 1, 1], ["1/5", 1, 1]]'
THIRD = """
[[dimensions]]
id = "maintainability"
title = "M"
[[dimensions.measures]]
id = "maintainability.x"
title = "x"
unit = "points"
better = "lower"
"""


def test_names_from_results_cannot_write_to_the_terminal(command, published_rows, write_results, tmp_path):
    folder = write_results(tmp_path, [dict(published_rows[0], model="evil")])
    shutil.move(folder / "evil", folder / "evil\x1b[31m")
    ran = command("leaderboard", folder)
    assert "\x1b" not in ran.out
    assert "\\x1b" in ran.out


def test_an_artifact_is_read_without_running_its_yaml(command, tmp_path):
    file = tmp_path / "m" / "results" / "T_results.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("!!python/object/apply:os.system ['true']\n")
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load(file.read_text())
    assert command("rescore", tmp_path).code == 2


def test_registering_the_commands_imports_nothing_heavy():
    code = (
        "import argparse, importlib, sys\n"
        "subparsers = argparse.ArgumentParser().add_subparsers()\n"
        "for name in ('rescore', 'leaderboard', 'compare', 'passk', 'stability', 'weights'):\n"
        "    importlib.import_module(f'qualityscore.commands.{name}').add_parser(subparsers)\n"
        "print(sorted({'numpy', 'scipy', 'pydantic', 'rich', 'yaml', 'libcst', 'pylint'} & set(sys.modules)))\n"
    )
    root = Path(qualityscore.__file__).parent.parent
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert ran.stdout.strip() == "[]"
