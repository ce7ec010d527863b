"""A clock of the host that is set back and forth while costs are measured."""

from __future__ import annotations

import ast
import time
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from qualityscore.model.task import Task
from qualityscore.runtime.leases import lease_core
from qualityscore.suites.cost_kit import INSIDE, prepare_bench, prepare_kit
from qualityscore.suites.memory import run_heap, run_native
from qualityscore.suites.pairs import take_pairs
from tests.e2e.cost.conftest import MakeTarget

HOUR_S = 3600.0


def test_nothing_is_cut_short_or_mistimed_by_a_clock_that_jumps(
    make_target: MakeTarget, one_workload: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    target = make_target(of=one_workload)
    kit = prepare_kit(target, tmp_path / "kit")
    bench = prepare_bench(target, kit, tmp_path / "tree")
    jumps, real = cycle((0.0, 48 * HOUR_S, -48 * HOUR_S)), time.time
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps))
    (native,) = run_native(bench, lambda: None).workloads
    (heap,) = run_heap(bench, kit.workloads, lambda: None)
    assert (native.trouble, heap.trouble) == (None, None)
    assert 0 < native.wall_s < 60
    with lease_core(deadline_s=60, folder=tmp_path / "locks") as lease:
        pairs = take_pairs(bench, replace(bench), kit.workloads, lease, pairs=6, step=lambda: None)["plain"]
    assert (pairs.trouble, pairs.runs) == (None, 6)
    assert pairs.subject is not None
    assert all(0 <= seconds < 60 for seconds in (*pairs.subject.wall, *pairs.subject.idle, *pairs.subject.full))


WALL_CLOCKS = {"time", "time_ns", "localtime", "gmtime", "ctime", "now", "utcnow", "today"}


def test_what_measures_within_the_sandbox_asks_no_clock_that_can_be_set():
    asked = {
        f"{file.name}: {ast.unparse(node)}"
        for file in INSIDE.glob("workload_*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WALL_CLOCKS
    }
    assert asked == set()
