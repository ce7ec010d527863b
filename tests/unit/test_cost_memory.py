"""How often a workload is run, and which memory of several processes counts. Runs are scripted, numbers made up."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Fault, Part
from qualityscore.suites import memory
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_findings import findings
from qualityscore.suites.cost_kit import INSIDE, Kit, Workload
from qualityscore.suites.cost_launch import BUDGET, IMPORT, Trouble, UnitRun
from qualityscore.suites.cost_sides import Sides, verdict_on_result
from qualityscore.suites.memory import Heap, Native, NativeRuns
from qualityscore.suites.memory_measures import taken_memory
from qualityscore.suites.timed import Pairs, Timed

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


def test_a_run_of_one_item_that_did_not_fit_any_more_is_nobodys_flaw(monkeypatch):
    native, _ = run_native(monkeypatch, ["ok"] * 3, ["ok", "ok", "not_run"])
    assert native.trouble == Trouble(reason=BUDGET, fault=Fault.HARNESS)


def sides_of(
    tmp_path: Path,
    *,
    heap: int,
    resident: int,
    unseen: int = 0,
    sampled: bool = False,
    one: int = 10 * MIB,
    checks: dict[str, Pairs] | None = None,
    lost: bool = False,
) -> Sides:
    """A subject: bytes under memray, and resident bytes beside the 10 MiB of the reference's one item."""
    native = Native(id="w", digests=("right",), full=(10 * MIB + resident,) * 3, one=(one,) * 3, sampled=sampled)
    own = Native(id="w", digests=("right",), full=(12 * MIB,) * 3, one=(10 * MIB,) * 3)
    seen = Heap(id="w", samples=(heap, heap), unseen=unseen)
    if lost:
        seen = Heap(id="w", trouble=Trouble(reason="memray: no record", fault=Fault.HARNESS), lost=True)
    return Sides(
        kit=Kit(workloads=(WORKLOAD,), suite=tmp_path, inputs=tmp_path),
        subject=Facts(native=NativeRuns(workloads=(native,)), heaps=(seen,)),
        reference=Facts(native=NativeRuns(workloads=(own,)), heaps=(Heap(id="w", samples=(MIB, MIB)),)),
        expected={"w": "right"},
        troubles={},
        pairs={},
        checks=checks or {},
    )


def told(sides: Sides) -> tuple[Finding, ...]:
    return findings(sides, taken_memory(sides).replaced)


def found_in(sides: Sides) -> list[str]:
    return [found.code for found in told(sides)]


def peaks_of(resident_mib: int | None) -> Timed:
    """Six timed runs with these MiB above the 10 of one item; None without peaks."""
    still = (0.0,) * 6
    peaks = () if resident_mib is None else ((10 + resident_mib) * MIB,) * 6
    return Timed(full=still, idle=still, wall=still, one=0.0, start=0.1, peaks=peaks)


def heap_part(tmp_path: Path, **numbers: Any) -> Part:
    """peak_heap of the subject of `sides_of`."""
    sides = sides_of(tmp_path, **numbers)
    ((part,), (theirs,)) = taken_memory(sides).heap
    assert (theirs.value, theirs.note) == (MIB, None)
    return part


def test_memory_of_processes_that_memray_does_not_see_counts_as_what_is_resident(tmp_path: Path):
    spawned = heap_part(tmp_path, heap=MIB, unseen=1, resident=50 * MIB, sampled=True)
    assert (spawned.value, spawned.samples) == (50 * MIB, (50 * MIB,) * 3)
    assert "the heap that memray saw is 1.0 MiB" in (spawned.note or "")


def test_one_process_has_its_heap_and_more_heap_than_is_resident_stays_heap(tmp_path: Path):
    alone = heap_part(tmp_path, heap=40 * MIB, unseen=0, resident=50 * MIB, sampled=False)
    assert (alone.value, alone.note) == (40 * MIB, None)
    untouched = heap_part(tmp_path, heap=60 * MIB, unseen=0, resident=50 * MIB, sampled=True)
    assert (untouched.value, untouched.note) == (60 * MIB, None)


def test_what_the_import_holds_beyond_the_references_is_in_the_heap(tmp_path: Path):
    ready = heap_part(tmp_path, heap=MIB, resident=31 * MIB, one=40 * MIB)  # 40 - 10 - 4 on top of 1
    assert (ready.value, ready.samples) == (27 * MIB, (27 * MIB, 27 * MIB))
    assert ready.note == "26.0 MiB of it were held before the body began, beyond the reference's start and 4 MiB"


@pytest.mark.parametrize(
    ("resident", "one", "value"),
    [
        (22, 30, 17),  # 20 MiB at one item, 16 of them beyond the allowance, and the body's 1 MiB on top
        (20, 50, 20),  # a peak of the import's own, freed before the body: no more than was ever resident
        (6, 15, 2),  # 1 MiB beyond the allowance: nothing leaps
        (5, 14, 1),  # what modules of the standard library hold is in peak_rss alone
        (1, 8, 1),  # a lighter start earns nothing
        (1, 50, 1),  # a peak below the start is no peak
    ],
)
def test_the_heap_is_charged_a_heavier_start_up_to_what_is_resident(tmp_path: Path, resident, one, value):
    part = heap_part(tmp_path, heap=MIB, resident=resident * MIB, one=one * MIB)
    assert part.value == value * MIB


@pytest.mark.parametrize(
    ("heap", "resident", "value"),
    [
        # the reference's 2 MiB resident for 1 MiB of heap: 1 MiB is taken off what is resident
        (20, 50, 49),  # 49 for 20
        (20, 31.01, 30.01),
        (20, 31, 20),  # half as much again may be what an allocator wastes
        (1, 4.01, 3.01),
        (1, 4, 1),  # 2 MiB more say nothing, however small the heap
        (20, 5, 20),  # a body may work in memory that the import has freed
    ],
)
def test_a_heap_that_resident_memory_contradicts_is_what_was_resident(tmp_path: Path, heap, resident, value):
    part = heap_part(tmp_path, heap=int(heap * MIB), resident=int(resident * MIB))
    assert part.value == pytest.approx(value * MIB, abs=2)
    contradicted = value != heap
    assert ("the heap that memray saw" in (part.note or "")) is contradicted
    assert part.samples == ((part.value,) * 3 if contradicted else (part.value,) * 2)


@pytest.mark.parametrize(
    ("resident", "value"),
    [
        (50, 49),  # the reference's 2 MiB resident for 1 MiB of heap: 1 MiB is taken off
        (1, 1),  # no less than the reference's heap
    ],
)
def test_a_heap_whose_record_is_gone_is_what_was_resident_and_no_blank(tmp_path: Path, resident: int, value: int):
    part = heap_part(tmp_path, heap=0, resident=resident * MIB, lost=True)
    assert (part.value, part.samples, part.fault) == (value * MIB, (value * MIB,), None)
    assert part.note == "by resident memory, and no less than the reference's heap: memray's record was gone"


def test_a_contradicted_heap_is_a_finding_with_both_figures(tmp_path: Path):
    assert found_in(sides_of(tmp_path, heap=20 * MIB, resident=31 * MIB)) == []
    (found,) = told(sides_of(tmp_path, heap=20 * MIB, resident=50 * MIB))
    assert (found.code, found.severity, found.measure) == ("cost-heap", Severity.HIGH, "peak_heap")
    assert "a heap of 20.0 MiB, 50.0 MiB were resident" in found.message
    assert found.details["charged_bytes"] == 49 * MIB


@pytest.mark.parametrize(
    ("timed", "theirs", "told"),
    [
        (26, 2, True),  # 26 MiB above idle without the collector, 20 with it; the reference 2 with and without
        (25, 2, False),  # up to a quarter more
        (26, 3, False),  # the reference takes half as much again without
        (38, 3, True),
        (38, 1, True),  # one that takes less without sets nothing
        (38, None, True),  # a snapshot without peaks
    ],
)
def test_more_memory_where_the_collector_is_off_is_a_finding(tmp_path: Path, timed: int, theirs: int | None, told):
    check = Pairs(id="w", subject=peaks_of(timed), reference=peaks_of(theirs), runs=6)
    sides = sides_of(tmp_path, heap=20 * MIB, resident=20 * MIB, checks={"w": check})
    assert found_in(sides) == (["cost-collector"] if told else [])
    if told:
        (found,) = findings(sides, {})
        assert (found.severity, found.measure) == (Severity.HIGH, "peak_rss")
        assert f"{timed}.0 MiB were resident above idle where the collector was off, 20.0 MiB" in found.message
    assert taken_memory(sides).heap[0][0].value == 20 * MIB


def test_a_few_mib_more_without_the_collector_are_no_finding(tmp_path: Path):
    check = Pairs(id="w", subject=peaks_of(5), reference=peaks_of(2), runs=6)
    assert found_in(sides_of(tmp_path, heap=MIB, resident=MIB, checks={"w": check})) == []
    check = Pairs(id="w", subject=peaks_of(6), reference=peaks_of(2), runs=6)
    assert found_in(sides_of(tmp_path, heap=MIB, resident=MIB, checks={"w": check})) == ["cost-collector"]


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
    setup = marshal.dumps({"record": str(tmp_path / "record"), "site": [str(site)]})
    (tmp_path / "setup").write_bytes(len(setup).to_bytes(4, "big") + setup)
    argv = [sys.executable, "-sPSB", str(INSIDE / "workload_child.py")]
    place = (
        f"import os, sys; os.dup2({write}, 4); os.dup2(os.open({str(tmp_path / 'setup')!r}, 0), 3); "
        "os.set_inheritable(3, True); os.execv(sys.argv[1], sys.argv[1:])"
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
