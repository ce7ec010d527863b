"""Benchmarks of costs that are run in slices: what a file of raw results keeps, and how it is summed up."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qualityscore.model.report import SCORE_MODEL
from tests.bench.cost_setup import Results

BENCH = Path(__file__).parents[1] / "bench"
STAMP = {"score_model": SCORE_MODEL, "busy": True}


def test_a_slice_finds_what_those_before_it_found_and_a_cut_line_is_nothing(tmp_path: Path):
    file = tmp_path / "raw.jsonl"
    Results("time", file, busy=True).add(task="a", seconds=1.5)
    Results("another", file, busy=True).add(task="a")
    with file.open("a", encoding="utf-8") as out:
        out.write('{"bench": "time", "task": "b", "seco')
    later = Results("time", file, busy=True)
    assert [row["seconds"] for row in later.rows] == [1.5]
    later.add(task="b", seconds=2.5)
    again = Results("time", file, busy=True)
    assert [row["seconds"] for row in again.of(task="b")] == [2.5]
    assert len(again.rows) == 2


@pytest.mark.parametrize("other", [{"busy": False}, {"score_model": "0.1"}])
def test_results_under_another_load_or_score_model_are_not_mixed(tmp_path: Path, other: dict[str, Any]):
    file = tmp_path / "raw.jsonl"
    file.write_text(json.dumps({"bench": "time", **STAMP, **other}) + "\n", "utf-8")
    with pytest.raises(SystemExit, match=next(iter(other))):
        Results("time", file, busy=True)


SumUp = Callable[..., tuple[int, str]]


@pytest.fixture
def sum_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> SumUp:
    """(benchmark, rows, options) -> exit status and output of the benchmark where it only sums up these rows."""
    monkeypatch.syspath_prepend(str(BENCH))

    def run(bench: str, rows: list[dict[str, Any]], *options: str) -> tuple[int, str]:
        file = tmp_path / "raw.jsonl"
        file.write_text("".join(json.dumps(STAMP | row) + "\n" for row in rows), "utf-8")
        monkeypatch.setattr(sys, "argv", ["bench", "--summary", "--append", str(file), *options])
        status = importlib.import_module(f"bench_cost_{bench}").main()
        return status, capsys.readouterr().out

    return run


def evaluation(ratio: float = 1.0, verdict: str = "equivalent", **more: Any) -> dict[str, Any]:
    ratios = {"workload.cost": ratio, "peak_heap": 1.0, "peak_rss": 1.0}
    said = {"ratios": ratios, "lacking": {}, "verdict": verdict, "by_pairs": 0, "seconds": 1.0}
    return {"bench": "reference", "task": "xmltodict", "counter": "valgrind", **said, **more}


def scattered(by: float) -> list[dict[str, Any]]:
    """Ten ratios above 1 and ten below, so that their standard deviation is `by` times the root of 20/19."""
    return [evaluation(1 + by) for _ in range(10)] + [evaluation(1 - by) for _ in range(10)]


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        (scattered(0.0019), 0),  # 0.195 %
        (scattered(0.0020), 1),  # 0.205 %
        ([evaluation()] * 19 + [evaluation(verdict="slower")], 0),
        ([evaluation()] * 18 + [evaluation(verdict="slower")] * 2, 1),
        ([evaluation()] * 19, 1),  # twenty are wanted
        ([evaluation()] * 19 + [evaluation(ratios={"workload.cost": 1.0}, lacking={"peak_rss": "budget"})], 1),
    ],
)
def test_twenty_evaluations_of_a_reference_are_judged_by_spread_and_verdicts(rows, status: int, sum_up: SumUp):
    found, said = sum_up("reference", rows, "--tasks", "xmltodict", "--counter", "valgrind")
    assert found == status, said


def slowed(ratio: float, logs: float | None = None) -> dict[str, Any]:
    """An evaluation of twice the work."""
    seen = [] if logs is None else [logs] * 20
    return {
        "bench": "slowdowns",
        "subject": "loop",
        "counter": "cpu",
        "factor": 2.0,
        "ratio": ratio,
        "log_ratios": seen,
        "note": None,
    }


LOG_HALF = -0.6931471805599453


@pytest.mark.parametrize(
    ("rows", "judged"),
    [
        ([slowed(0.5, LOG_HALF)] * 16 + [slowed(0.51, -0.67)] * 4, "ok"),  # 2 % off
        ([slowed(0.5, LOG_HALF)] * 15 + [slowed(0.51, -0.67)] * 5, "MISSED"),
        ([slowed(0.5)] * 19 + [slowed(0.5195)], "ok"),  # 3.9 %, and 4.2 %
        ([slowed(0.5)] * 19 + [slowed(0.521)], "MISSED"),
        ([slowed(0.5)] * 19, "MISSED"),
    ],
)
def test_twenty_slow_downs_are_judged_by_their_worst_and_by_their_intervals(rows, judged: str, sum_up: SumUp):
    _, said = sum_up("slowdowns", rows, "--subjects", "loop", "--counter", "cpu")
    (line,) = (line for line in said.splitlines() if line.lstrip().startswith("2 times"))
    assert line.endswith(judged), line


def seconds(median_s: float) -> list[dict[str, Any]]:
    row = {"bench": "time", "task": "xmltodict", "counter": "valgrind", "kept_s": 1.0}
    return [row | {"anew_s": one} for one in (median_s, 1.0, 99.0)]


@pytest.mark.parametrize(("rows", "status"), [(seconds(40.0), 0), (seconds(40.1), 1), (seconds(1.0)[:2], 1)])
def test_three_samples_of_time_are_judged_by_their_median(rows, status: int, sum_up: SumUp):
    found, said = sum_up("time", rows, "--tasks", "xmltodict", "--counter", "valgrind")
    assert found == status, said


def cheat(low: float) -> dict[str, Any]:
    """A cheat whose efficiency is at least `low`, beside a twin whose is at most 0.6."""

    def found(lowest: float, highest: float) -> dict[str, Any]:
        ids = ("efficiency", "resource")
        return {
            "scores": {id_: [lowest, lowest, highest] for id_ in ids},
            "ratios": {"workload.cost": 1.0},
            "lacking": {},
        }

    sides = {"plain": found(0.5, 0.6), "found": found(low, 1.0)}
    return {"bench": "cheats", "counter": "valgrind", "name": "sleeping", **sides}


@pytest.mark.parametrize(("rows", "status"), [([cheat(0.609)], 0), ([cheat(0.611)], 1), ([], 1)])
def test_a_cheat_may_not_be_better_than_its_twin_beyond_both_intervals(rows, status: int, sum_up: SumUp):
    found, said = sum_up("cheats", rows, "--only", "sleeping", "--counter", "valgrind")
    assert found == status, said
