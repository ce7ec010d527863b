"""How often a workload is run, and which memory of several processes counts. Runs are scripted, numbers made up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from qualityscore.model.measure import Fault, Part
from qualityscore.suites import memory
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import INSIDE, Kit, Workload
from qualityscore.suites.cost_launch import IMPORT, UnitRun
from qualityscore.suites.cost_measures import Sides, memory_parts, verdict_on_result
from qualityscore.suites.memory import Heap, Native, NativeRuns

WORKLOAD = Workload(id="w", n=2, holds_mib=0, inputs={1: "a", 2: "b", 4: "c", 8: "d"})
MIB = 1 << 20


def run_native(monkeypatch, at_full: list[str], at_one: list[str] | None = None) -> tuple[Native, int]:
    """The states of a workload's runs in turn, and how many rounds there were; a run that is ok gives "right"."""
    rounds = 0

    def run_units(_bench, _mode, units, **_more):
        nonlocal rounds
        if units == [IMPORT]:
            return {IMPORT.id: UnitRun(event="unit", unit=IMPORT.id, state="ok", stage="done")}
        states = {"w@8": at_full[rounds], "w@1": (at_one or ["ok"] * 9)[rounds]}
        rounds += 1
        return {
            id_: UnitRun.model_validate(
                {"event": "unit", "unit": id_, "stage": "body", "state": state, "digest": "right", "hwm_bytes": MIB}
            )
            for id_, state in states.items()
        }

    monkeypatch.setattr(memory, "run_units", run_units)
    task = SimpleNamespace(spec=SimpleNamespace(suites={}))
    bench = SimpleNamespace(
        target=SimpleNamespace(is_reference=False, task=task), kit=SimpleNamespace(workloads=(WORKLOAD,))
    )
    return memory.run_native(bench, lambda: None).workloads[0], rounds


@pytest.mark.parametrize(
    ("at_full", "at_one", "said"),
    [
        (["failed", "ok", "ok"], None, "flaky: 1 of 3 runs without the right result"),
        (["exited", "failed", "ok"], None, "flaky: 2 of 3 runs without the right result"),
        (["ok", "ok", "failed"], None, "flaky: 1 of 3 runs without the right result"),
        (["failed", "failed", "failed"], None, "the workload raised"),
        (["ok", "ok", "ok"], ["failed", "ok", "ok"], "flaky: 1 of 3 runs without the right result"),
        (["ok", "ok", "ok"], ["failed"] * 3, "the workload raised"),
    ],
)
def test_a_workload_that_fails_is_run_three_times_so_that_its_rate_is_known(monkeypatch, at_full, at_one, said: str):
    native, rounds = run_native(monkeypatch, at_full, at_one)
    found = verdict_on_result(native, "right")
    assert rounds == 3
    assert found is not None
    assert found.reason.startswith(said)
    assert found.fault is Fault.SUBJECT


@pytest.mark.parametrize(("state", "fault"), [("timeout", Fault.SUBJECT), ("not_run", Fault.HARNESS)])
def test_a_workload_that_took_all_its_time_is_not_run_again(monkeypatch, state: str, fault: Fault):
    native, rounds = run_native(monkeypatch, [state] * 9)
    assert rounds == 1
    assert native.trouble is not None
    assert native.trouble.fault is fault


def heap_part(
    tmp_path: Path, *, heap: int, resident: int, unseen: int = 0, sampled: bool = False, one: int = 10 * MIB
) -> Part:
    """peak_heap of a subject: bytes under memray, and resident bytes beside the 10 MiB of the reference's one item."""
    native = Native(id="w", digests=("right",), full=(10 * MIB + resident,) * 3, one=(one,) * 3, sampled=sampled)
    own = Native(id="w", digests=("right",), full=(12 * MIB,) * 3, one=(10 * MIB,) * 3)
    sides = Sides(
        kit=Kit(workloads=(WORKLOAD,), suite=tmp_path, inputs=tmp_path),
        subject=Facts(
            native=NativeRuns(workloads=(native,)), heaps=(Heap(id="w", samples=(heap, heap), unseen=unseen),)
        ),
        reference=Facts(native=NativeRuns(workloads=(own,)), heaps=(Heap(id="w", samples=(MIB, MIB)),)),
        expected={"w": "right"},
        troubles={},
        pairs={},
        checks={},
    )
    ((part,), (theirs,)) = memory_parts(sides)["peak_heap"]
    assert (theirs.value, theirs.note) == (MIB, None)
    return part


def test_memory_of_processes_that_memray_does_not_see_counts_as_what_is_resident(tmp_path: Path):
    spawned = heap_part(tmp_path, heap=MIB, unseen=1, resident=50 * MIB, sampled=True)
    assert (spawned.value, spawned.samples) == (50 * MIB, (50 * MIB,) * 3)
    assert "the heap that memray saw is 1.0 MiB" in (spawned.note or "")


def test_one_process_has_its_heap_and_more_heap_than_is_resident_stays_heap(tmp_path: Path):
    alone = heap_part(tmp_path, heap=MIB, unseen=0, resident=50 * MIB, sampled=False)
    assert (alone.value, alone.note) == (MIB, None)
    untouched = heap_part(tmp_path, heap=60 * MIB, unseen=0, resident=50 * MIB, sampled=True)
    assert (untouched.value, untouched.note) == (60 * MIB, None)


def test_what_the_import_holds_beyond_the_references_is_in_the_heap(tmp_path: Path):
    ready = heap_part(tmp_path, heap=MIB, resident=31 * MIB, one=40 * MIB)
    assert (ready.value, ready.samples) == (31 * MIB, (31 * MIB, 31 * MIB))
    assert ready.note == "30.0 MiB of it were held before the body began, beyond the reference's start"


@pytest.mark.parametrize(
    ("resident", "one", "value"),
    [
        (30, 30, 21),  # 20 MiB at one item, which the body's 1 MiB comes on top of
        (40, 50, 40),  # a peak of the import's own, freed before the body: no more than was ever resident
        (30, 11, 1),  # 1 MiB is within what equal starts differ by
        (30, 8, 1),  # a lighter start earns nothing
        (1, 50, 1),  # a peak below the start is no peak
    ],
)
def test_the_heap_is_charged_a_heavier_start_up_to_what_is_resident(tmp_path: Path, resident, one, value):
    part = heap_part(tmp_path, heap=MIB, resident=resident * MIB, one=one * MIB)
    assert part.value == value * MIB


def test_what_was_started_and_not_seen_is_noted(tmp_path: Path):
    part = heap_part(tmp_path, heap=MIB, unseen=2, resident=MIB // 2, sampled=True)
    assert part.value == MIB
    assert (part.note or "").startswith("2 threads or processes were started; the heap of processes not forked")


@pytest.mark.parametrize("works", [True, False])
def test_memray_is_not_ready_before_a_tracker_was_entered(tmp_path: Path, works: bool):
    """A memray of this name in the place of the real one; the process says M (memray ready) only if it can track."""
    site = tmp_path / "site"
    site.mkdir()
    body = "open(self.record, 'w').close()" if works else "raise OSError('no space left')"
    (site / "memray.py").write_text(
        "class Tracker:\n    def __init__(self, record, **wanted):\n        self.record = record\n"
        f"    def __enter__(self):\n        {body}\n    def __exit__(self, *_):\n        pass\n",
        "utf-8",
    )
    read, write = os.pipe()
    argv = [sys.executable, "-sPSB", str(INSIDE / "workload_heap.py"), str(site), str(tmp_path / "record")]
    place = (
        f"import os, sys; os.dup2({write}, 4); os.dup2(os.open('/dev/null', 0), 3); os.execv(sys.argv[1], sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", place, *argv], pass_fds=(write,), capture_output=True, text=True, check=False, timeout=30
    )
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    assert said.startswith(b"M") is works
    assert ("no space left" in done.stderr) is not works
    assert not list(tmp_path.glob("record*")), "the trial leaves nothing that could be taken for a child's record"
