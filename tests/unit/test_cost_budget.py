"""Whose doing it is that the cost suite's time ran out, or that a process outlived its unit."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest

from qualityscore.core.costs import Gate
from qualityscore.model.measure import Fault, Measured, Unavailable
from qualityscore.runtime.leases import Lease
from qualityscore.suites import cost_kit, cost_timing, counting, pairs
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Bench, Kit, Workload
from qualityscore.suites.cost_launch import IMPORT, Count, Trouble, UnitRun, starved, trouble
from qualityscore.suites.cost_pinned import PinnedCosts
from qualityscore.suites.cost_sides import Sides
from qualityscore.suites.import_measures import import_outcomes
from qualityscore.suites.memory import NativeRuns
from qualityscore.suites.pairs import Calibration, ImportPairs
from qualityscore.suites.timed import Timed

WORKLOAD = Workload(id="w", n=2, holds_mib=0, inputs={1: "a", 2: "b", 4: "c", 8: "d"})
LEASE = Lease(cpu=0, others=(0,))


def unit_run(id_: str, state: str = "ok", **more) -> UnitRun:
    stage = "budget" if state == "not_run" else "done"
    return UnitRun.model_validate({"event": "unit", "unit": id_, "state": state, "stage": stage, **more})


def bench(*, is_reference: bool, total_timeout_s: float = 30.0, deadline: float = math.inf):
    suite = SimpleNamespace(total_timeout_s=total_timeout_s, test_timeout_s=1.0)
    task = SimpleNamespace(spec=SimpleNamespace(suites={"cost": suite}))
    target = SimpleNamespace(is_reference=is_reference, task=task)
    return SimpleNamespace(target=target, right={}, deadline=deadline, timed_s=[])


@pytest.mark.parametrize(
    ("states", "fault"),
    [
        (("timeout", "not_run"), Fault.SUBJECT),
        (("ok", "timeout", "not_run"), Fault.SUBJECT),
        (("not_run", "not_run"), Fault.SUBJECT),
        (("ok", "not_run"), Fault.HARNESS),
        (("failed", "not_run"), Fault.HARNESS),
    ],
)
def test_what_hanging_units_leave_no_time_for_is_the_subjects_fault(states, fault):
    runs = starved({str(i): unit_run(str(i), state) for i, state in enumerate(states)})
    last = trouble(runs[str(len(states) - 1)], is_reference=False, timeout_s=1)
    assert last is not None
    assert last.fault is fault
    assert (last.reason == "budget") == (fault is Fault.HARNESS)


@pytest.mark.parametrize(
    ("states", "state"), [(("timeout", "not_run"), "starved"), (("not_run", "not_run"), "not_run")]
)
def test_a_shortened_launch_blames_what_hung_and_nothing_else(states, state):
    runs = starved({str(i): unit_run(str(i), one) for i, one in enumerate(states)}, whole=False)
    assert runs["1"].state == state


@pytest.mark.parametrize(("is_reference", "fault"), [(False, Fault.SUBJECT), (True, Fault.REFERENCE)])
def test_processes_left_behind_are_the_fault_of_whose_code_left_them(monkeypatch, is_reference, fault):
    def run_units(_bench, _mode, units):
        counts = (Count(main=True, instructions=1000),)
        return {u.id: unit_run(u.id, counts=counts, orphans=1 if u == IMPORT else 0) for u in units}

    monkeypatch.setattr(counting, "run_units", run_units)
    with ThreadPoolExecutor(max_workers=2) as pool:
        counts = counting.count_side(bench(is_reference=is_reference), [WORKLOAD], pool, lambda: None)
    assert counts.imported is None
    assert counts.import_trouble is not None
    assert (counts.import_trouble.reason, counts.import_trouble.fault) == (counting.LEFT_BEHIND, fault)
    assert counts.workloads[0].trouble is None


class Clock:
    """Time that passes by launches alone."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def timed(monkeypatch):
    """Let every launch take `seconds`, the reference's `reference_s`, and end in `state` on the side of the subject,
    where that is after `from_s`."""

    def arrange(seconds: float, state: str = "ok", *, reference_s: float | None = None, from_s: float = 0.0) -> None:
        clock = Clock()

        def run_units(side, _mode, units, **_more):
            clock.now += seconds if reference_s is None or not side.target.is_reference else reference_s
            clocks = {"cpu_s": 1.0 + clock.now / 7 % 0.3, "start_cpu_s": 0.1, "load_cpu_s": 0.0, "import_cpu_s": 0.1}
            said = "ok" if side.target.is_reference or clock.now < from_s else state
            return {u.id: unit_run(u.id, said, **clocks) for u in units}

        monkeypatch.setattr(pairs, "run_units", run_units)
        monkeypatch.setattr(pairs, "time", clock)
        monkeypatch.setattr(cost_kit, "time", clock)

    return arrange


def measure(what, *more):
    return what(bench(is_reference=False), bench(is_reference=True), *more, LEASE, lambda: None)


def test_pairs_end_with_the_suites_time_and_what_was_paired_stands(timed):
    timed(2.0)  # 4 s a pair, 30 s in all
    found = measure(pairs.measure_pairs, [WORKLOAD])["w"]
    assert (found.runs, found.trouble) == (8, None)
    assert found.subject is not None
    assert len(found.subject.full) == 8
    assert len(measure(pairs.measure_import_pairs).subject) == 7  # one launch was for the empty interpreter


def test_fewer_than_six_pairs_are_unmeasured_for_want_of_time(timed):
    timed(4.0)
    for found in (measure(pairs.measure_pairs, [WORKLOAD])["w"], measure(pairs.measure_import_pairs)):
        assert found.trouble is not None
        assert (found.trouble.reason, found.trouble.fault) == ("budget", Fault.HARNESS)


@pytest.mark.parametrize(
    ("seconds", "reference_s", "pairs_done", "fault"),
    [
        (6.0, 0.5, 5, Fault.SUBJECT),  # five pairs end at 32.5 s, of 30: 27.5 s more than the reference's
        (40.0, 0.5, 1, Fault.SUBJECT),
        (3.5, 2.5, 5, Fault.HARNESS),  # 5 s more than the reference's 12.5, which alone is too slow for six pairs
        (0.5, 6.0, 5, Fault.HARNESS),
    ],
)
def test_a_slow_subject_that_leaves_no_time_for_six_pairs_is_at_fault(timed, seconds, reference_s, pairs_done, fault):
    timed(seconds, reference_s=reference_s)
    found = measure(pairs.measure_pairs, [WORKLOAD])["w"]
    assert found.trouble is not None
    assert (found.runs, found.trouble.fault) == (pairs_done, fault)


def timed_beside_the_reference(place: Path, *, counted: bool) -> cost_timing.Timing:
    """A live timing of the workload, where nothing was counted."""
    kit = Kit(workloads=(WORKLOAD,), suite=place, inputs=place)
    mine, theirs = (
        Bench(target=bench(is_reference=of_reference).target, root=place / str(of_reference), kit=kit)
        for of_reference in (False, True)
    )
    timing = cost_timing.Timing(counted=counted, steps=Quiet(), root=place, scratch=place)
    timing.live(mine, theirs, Facts(native=IMPORTS), Facts(native=IMPORTS), [WORKLOAD])
    return timing


def test_a_slow_subject_is_not_saved_from_pairs_by_the_time_that_its_checks_took(timed, monkeypatch, tmp_path):
    """Two and a half seconds each, so that twelve checks take the 30: nothing was counted, and nothing can be timed."""
    timed(2.5, reference_s=0.01)
    tired = Calibration(gate=Gate(half_width=None, bias=None), seconds=0.0)
    monkeypatch.setattr(cost_timing, "host_calibration", lambda *_: tired)
    timing = timed_beside_the_reference(tmp_path, counted=True)
    assert timing.checks["w"].runs >= 11
    for found in (timing.pairs["w"], timing.import_check):
        assert found is not None
        assert found.trouble is not None
        assert found.trouble.fault is Fault.SUBJECT


@pytest.mark.parametrize(
    ("seconds", "reference_s", "fault"),
    [(8.0, 0.5, Fault.SUBJECT), (4.0, 3.5, Fault.HARNESS)],  # four launches take 32 s, or 16, beside three of these
)
def test_an_import_that_the_deadline_cuts_is_the_slow_subjects_fault(timed, seconds, reference_s, fault):
    timed(seconds, "not_run", reference_s=reference_s, from_s=30.0)
    found = measure(pairs.measure_import_pairs)
    assert found.trouble is not None
    assert found.trouble.fault is fault


def test_a_launch_that_the_deadline_cuts_is_no_flaky_workload(timed):
    timed(5.5, "not_run", from_s=30.0)  # five of 5.5 s, and the sixth ends at 33
    found = pairs.take_alone(bench(is_reference=False), [WORKLOAD], LEASE, runs=6, step=lambda: None)["w"]
    assert found == Trouble(reason="budget", fault=Fault.HARNESS)


class Quiet:
    """Progress of the launches that nobody looks at."""

    def plan(self, launches: int) -> None:
        del launches

    def step(self) -> None:
        pass


@pytest.fixture
def settled(monkeypatch):
    """A host whose times can tell."""
    found = Calibration(gate=Gate(half_width=0.001, bias=0.0), seconds=1.0)
    monkeypatch.setattr(cost_timing, "host_calibration", lambda *_: found)


@pytest.mark.usefixtures("settled")
def test_all_that_is_timed_shares_the_suites_time(timed, tmp_path):
    timed(2.0)  # 4 s a pair, 30 s in all: eight pairs of the workload, and nothing is left for the import
    timing = timed_beside_the_reference(tmp_path, counted=False)
    assert (timing.pairs["w"].runs, timing.pairs["w"].trouble) == (8, None)
    assert timing.import_pairs is not None
    assert timing.import_pairs.trouble == Trouble(reason="budget", fault=Fault.HARNESS)


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(
    ("seconds", "reference_s", "fault"),
    [
        (6.0, 0.1, Fault.SUBJECT),  # five launches are all of the 30 s; the reference's twelve take 6 * (0.3 + 0.1) s
        (4.0, 0.1, Fault.SUBJECT),  # six of the workload are 24 s; the empty interpreter and one import are 8 s more
        (6.0, 3.0, Fault.HARNESS),  # the reference's take 6 * (3.2 + 3) s, which do not fit either
    ],
)
def test_a_subject_too_slow_for_the_snapshots_checks_is_at_fault(timed, tmp_path, seconds, reference_s, fault):
    timed(seconds)
    wall = (reference_s,) * 6
    kept = {"w": asdict(Timed(full=wall, idle=(0.0,) * 6, wall=wall, one=0.0, start=0.1))}
    costs = PinnedCosts(
        measures={
            "workload.cost": Measured(value=1.0, details={"timed": kept}),
            "import.cost": Measured(value=1.0, details={"timed": list(wall)}),
        },
        digests={},
        calibration_s=1.0,
    )
    kit = Kit(workloads=(WORKLOAD,), suite=tmp_path, inputs=tmp_path)
    mine = Bench(target=bench(is_reference=False).target, root=tmp_path, kit=kit)
    timing = cost_timing.Timing(counted=True, steps=Quiet(), root=tmp_path, scratch=tmp_path)
    timing.pinned(mine, costs, Facts(native=IMPORTS), Facts(native=IMPORTS), [WORKLOAD])
    assert timing.import_check is not None
    assert timing.import_check.trouble is not None
    assert timing.import_check.trouble.fault is fault
    checked = timing.checks["w"].trouble
    assert (checked is None) == (seconds == 4.0)
    assert checked is None or checked.fault is fault


IMPORTS = NativeRuns(import_cpu_s=0.25)
NO_IMPORT = NativeRuns(import_trouble=Trouble(reason="it exits", fault=Fault.SUBJECT))


@pytest.mark.parametrize(
    ("native", "lost"),
    [
        (NO_IMPORT, None),
        (IMPORTS, ImportPairs(subject=(), reference=(), trouble=Trouble(reason="it exits", fault=Fault.SUBJECT))),
    ],
    ids=["at once", "while it is timed"],
)
def test_without_counts_an_import_that_fails_is_the_subjects_fault_alone(tmp_path, native, lost):
    sides = Sides(
        kit=Kit(workloads=(), suite=tmp_path, inputs=tmp_path),
        subject=Facts(native=native),
        reference=Facts(native=IMPORTS),
        expected={},
        troubles={},
        pairs={},
        checks={},
        import_pairs=lost,
    )
    subject, reference = import_outcomes(sides)
    assert subject == Unavailable(reason="it exits", fault=Fault.SUBJECT)
    assert isinstance(reference, Measured)
    assert reference.value == 0.25


def test_pairs_that_a_hanging_subject_leaves_no_time_for_are_its_own_fault(timed):
    timed(12.0, "timeout")
    found = measure(pairs.measure_pairs, [WORKLOAD])["w"]
    assert found.runs == 2
    assert found.trouble is not None
    assert found.trouble.fault is Fault.SUBJECT
