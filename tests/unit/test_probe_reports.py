"""What reports say about probes, and the programs that show a failing input again."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from qualityscore.cli import build_parser, main
from qualityscore.errors import ReportError
from qualityscore.model.codec import dump
from qualityscore.model.outcome import EntryOutcome, FreshOutcome, ProbeFailure, PropertyOutcome, Share
from qualityscore.model.report import Report, RobustnessReport
from qualityscore.reports import console, html
from qualityscore.reports.probe_lines import probe_lines
from qualityscore.suites.snippet import smallest_failing
from sample_reports import report


def failure(name: str, snippet: str) -> ProbeFailure:
    return ProbeFailure(id=name, kind="valid", snippet=snippet, expected="a value", seen="raised", hard=False)


def fresh(right: int, *, agrees: bool) -> FreshOutcome:
    whole = Share(count=148, total=148, low=0.975, high=1.0)
    share = Share(count=right, total=148, low=right / 148 - 0.01, high=right / 148)
    return FreshOutcome(
        seed=77,
        frozen_survived=whole,
        fresh_survived=whole,
        frozen_right=whole,
        fresh_right=share,
        worse=148 - right,
        better=0,
        chance=0.5 ** (148 - right),
        agrees=agrees,
        differences=() if agrees else (failure("p", "print('shown')"),),
    )


def with_probes(**changes: object) -> Report:
    robustness = RobustnessReport(
        survived=30,
        total=36,
        wilson_low=0.681,
        wilson_high=0.922,
        entries=(
            EntryOutcome(entry="pkg.slow", survived=9, total=10, hard_fault=True, failures=(failure("s", "print(1)"),)),
            EntryOutcome(entry="pkg.odd", survived=5, total=10, hard_fault=False, failures=(failure("o", "print(2)"),)),
            EntryOutcome(
                entry="pkg.other", survived=8, total=8, hard_fault=False, differences=(failure("d", "print(3)"),)
            ),
            EntryOutcome(entry="pkg.fine", survived=8, total=8, hard_fault=False),
        ),
        properties=(
            PropertyOutcome(id="prop_order", passed=False, message="items come\nin order", snippet="prop_order(x=1)"),
            PropertyOutcome(id="prop_fine", passed=True),
        ),
    )
    return replace(report(), robustness=replace(robustness, **changes))


def test_the_raw_share_comes_with_its_interval_and_where_to_begin() -> None:
    (line,) = probe_lines(with_probes())
    assert line.startswith("30 of 36 probes survived (0.681 to 0.922), 1 of 2 properties hold")
    assert "begin with pkg.slow" in line, "hard faults come first"
    assert line in " ".join(console.render(with_probes(), width=200).split())


@pytest.mark.parametrize("saved", [None, "out/my report.json"])
def test_the_command_that_reproduces_a_failure_has_all_its_arguments(saved: str | None) -> None:
    (line,) = probe_lines(with_probes(), saved)
    command = line.rpartition("qualityscore probes")[2].removesuffix(")")
    given = build_parser().parse_args(["probes", *shlex.split(command)])
    assert (given.report, given.entry) == (saved or "report.json", "pkg.slow")
    assert ("evaluate with --json report.json, then" in line) is (saved is None)
    assert shlex.quote(given.report) in console.render(with_probes(), width=200, saved=saved)


def test_where_only_a_property_fails_it_is_what_to_begin_with() -> None:
    entries = tuple(e for e in with_probes().robustness.entries if e.survived == e.total)
    (line,) = probe_lines(with_probes(entries=entries, survived=16, total=16), "r.json")
    assert line.endswith("begin with prop_order (qualityscore probes reproduce r.json prop_order)")


def test_an_answer_that_only_differs_is_not_called_a_failure() -> None:
    program = smallest_failing(with_probes(), "pkg.other", Path())
    assert program.startswith("# survived, and no loss")
    with pytest.raises(
        ReportError, match="fails in: pkg.slow, pkg.odd, prop_order; only answered otherwise: pkg.other"
    ):
        smallest_failing(with_probes(), "pkg.none", Path())


def test_a_subject_that_knows_the_inputs_by_heart_is_called_so() -> None:
    (_, honest) = probe_lines(with_probes(fresh=fresh(148, agrees=True)))
    assert honest.endswith("the two agree")
    (_, learnt) = probe_lines(with_probes(fresh=fresh(3, agrees=False)))
    assert "3 of 148" in learnt
    assert "BY HEART" in learnt
    page = html.render(with_probes(fresh=fresh(3, agrees=False)))
    assert "BY HEART" in page
    assert "shown" in page


@pytest.mark.parametrize(("entry", "shown"), [("pkg.slow", "1\n"), ("pkg.odd", "2\n"), ("pkg.other", "3\n")])
def test_reproduce_prints_a_program(entry: str, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    file.write_text(dump(with_probes()), "utf-8")
    assert main(["probes", "reproduce", str(file), entry]) == 0
    done = subprocess.run([sys.executable, "-c", capsys.readouterr().out], capture_output=True, text=True, check=True)
    assert done.stdout == shown


def test_a_failing_property_is_run_again_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "probes.py").write_text(
        "from hypothesis import given, strategies as st\n\n\n"
        "@given(x=st.integers())\ndef prop_order(x):\n    assert x < 1000\n",
        "utf-8",
    )
    program = smallest_failing(with_probes(), "prop_order", tmp_path)
    assert "# in order" in program
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "prop_order(\n    x=1000,\n)" in done.stderr


@pytest.mark.parametrize(
    ("entry", "said"),
    [("pkg.fine", "Every probe of pkg.fine was survived"), ("prop_fine", "holds"), ("pkg.none", "pkg.slow, pkg.odd")],
)
def test_what_cannot_be_shown_is_said(entry: str, said: str) -> None:
    with pytest.raises(ReportError, match=said):
        smallest_failing(with_probes(), entry, Path())


def test_a_seed_must_not_be_negative(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", ".", "--task", "cachetools", "--fresh", "-5"]) == 2
    assert "no seed" in capsys.readouterr().err


def test_fresh_inputs_need_a_task_with_probes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", "utf-8")
    assert main(["evaluate", str(tmp_path), "--fresh", "5"]) == 2
    assert "--task" in capsys.readouterr().err


def test_fresh_inputs_need_the_probes_of_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", "utf-8")
    only = ["--task", "cachetools", "--only", "functional"]
    assert main(["evaluate", str(tmp_path), *only, "--fresh", "5"]) == 2
    assert "add robustness" in capsys.readouterr().err
