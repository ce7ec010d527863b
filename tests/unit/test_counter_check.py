"""Counts beside the CPU time that checks them. All numbers are made up and followed by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from qualityscore.core.costs import Repeat
from qualityscore.errors import HarnessError
from qualityscore.model.measure import Fault, Measured, Outcome, Part, Unavailable
from qualityscore.suites import cost_timing
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_findings import findings
from qualityscore.suites.cost_kit import Kit, Workload
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.cost_measures import cost_parts, growth
from qualityscore.suites.cost_sides import Sides
from qualityscore.suites.counting import OTHER_RESULT, Counted, Counts, Overheads
from qualityscore.suites.import_measures import import_outcomes
from qualityscore.suites.memory import Native, NativeRuns
from qualityscore.suites.timed import ImportPairs, Pairs, Timed

WORKLOAD = Workload(id="w", n=2, holds_mib=0, inputs={1: "a", 2: "b", 4: "c", 8: "d"})
FREE = Overheads(empty=1000, loading={"w": {1: 0, 2: 0, 4: 0, 8: 0}})
NOISY = "host too noisy: equal runs differ by ±9.0%, at most 2.5% is usable"


def side(full: float, imported: float = 11_000) -> Facts:
    """Counts of a side whose T(1) is 100, and whose import takes `imported` - 1000 instructions."""
    values = {1: 100.0, 2: full / 4, 4: full / 2, 8: full}
    counted = Counted(id="w", by_size={size: Repeat(value=v, relative=0.0) for size, v in values.items()})
    native = Native(id="w", digests=("right",) * 3, full=(1,), one=(1,))
    return Facts(
        native=NativeRuns(workloads=(native,)),
        counts=Counts(workloads=(counted,), imported=Repeat(value=imported, relative=0.0)),
        overheads=FREE,
    )


def pairs(reference_s: float, subject_s: float, count: int = 12) -> Pairs:
    """Pairs whose bodies at 4n take these seconds more than those at one item."""

    def timed(body_s: float) -> Timed:
        still = (0.0,) * count
        return Timed(full=(0.1 + body_s,) * count, idle=still, wall=still, one=0.1, start=0.2)

    return Pairs(id="w", subject=timed(subject_s), reference=timed(reference_s), runs=count)


def sides(subject: Facts, reference: Facts, tmp_path: Path, **more: Any) -> Sides:
    given: dict[str, Any] = {"pairs": {}, "checks": {}, **more}
    return Sides(
        kit=Kit(workloads=(WORKLOAD,), suite=tmp_path, inputs=tmp_path),
        subject=subject,
        reference=reference,
        expected={"w": "right"},
        troubles={},
        **given,
    )


def cost(found: Sides) -> tuple[Part, dict[str, Any]]:
    (mine,), _, details = cost_parts(found)
    return mine, details["check"]


# the reference's body: 1000 instructions. Twice the work is 2000; a fifth too few are 1600, so 0.625 instead of 0.5,
# in capped scores 0.644 and 0.515. At 1950 they are 0.529 and 0.515.
REFERENCE, A_FIFTH_TOO_FEW, ABOUT_RIGHT = side(1100), side(1700), side(2050)


def test_a_contradicted_count_that_no_pairs_settle_is_unmeasured_and_no_zero(tmp_path: Path):
    check = {"w": pairs(0.1, 0.2)}
    part, said = cost(sides(A_FIFTH_TOO_FEW, REFERENCE, tmp_path, checks=check, gate_problem=NOISY))
    assert (part.value, part.right, part.fault) == (None, True, Fault.HARNESS)
    assert "contradicts the count" in (part.note or "")
    assert NOISY in (part.note or "")
    assert said == {"w": {"by_count": 0.625, "by_cpu": pytest.approx(0.5), "pairs": 12, "decided_by": None}}


def test_a_count_that_cpu_time_bears_out_stands_on_a_noisy_host_too(tmp_path: Path):
    check = {"w": pairs(0.1, 0.2)}
    part, said = cost(sides(ABOUT_RIGHT, REFERENCE, tmp_path, checks=check, gate_problem=NOISY))
    assert (part.value, part.note) == (1950, None)
    assert said["w"]["by_count"] == pytest.approx(1000 / 1950)
    assert said["w"]["decided_by"] == "count"


def test_a_slow_run_of_one_item_takes_nothing_off_what_cpu_time_says(tmp_path: Path):
    """The reference: 0.1 s to start, 0.1 s at 4n. The subject starts alike, takes 0.2 s at 4n, and 0.1 s at one item on
    purpose; its count is the reference's. Its cost is T_S(4n) - min(T_S(1), T_R(1)) = 0.3 - min(0.2, 0.1) = 0.2.
    """
    theirs = Timed(full=(0.1,) * 12, idle=(0.0,) * 12, wall=(0.1,) * 12, one=0.0, start=0.1)
    mine = replace(theirs, full=(0.2,) * 12, one=0.1, start=0.2)
    check = {"w": Pairs(id="w", subject=mine, reference=theirs, runs=12)}
    part, said = cost(sides(REFERENCE, REFERENCE, tmp_path, checks=check, gate_problem=NOISY))
    assert said["w"] == {"by_count": 1, "by_cpu": pytest.approx(0.5), "pairs": 12, "decided_by": None}
    assert (part.value, part.fault) == (None, Fault.HARNESS)


def test_an_excess_of_start_is_in_either_side_of_the_check(tmp_path: Path):
    """By counts T(1) is 600 beside 100, by CPU time 0.15 s beside 0.1; at 4n both do the reference's 1000, or 0.1 s."""
    theirs = Timed(full=(0.1,) * 6, idle=(0.0,) * 6, wall=(0.1,) * 6, one=0.0, start=0.1)
    check = {"w": Pairs(id="w", subject=replace(theirs, start=0.15), reference=theirs, runs=6)}
    values = {1: 600.0, 2: 850.0, 4: 1100.0, 8: 1600.0}
    counted = Counted(id="w", by_size={size: Repeat(value=v, relative=0.0) for size, v in values.items()})
    heavy = replace(REFERENCE, counts=Counts(workloads=(counted,)))
    part, said = cost(sides(heavy, REFERENCE, tmp_path, checks=check))
    assert part.value == 1500  # 1600 - 100
    assert said["w"]["by_count"] == pytest.approx(2 / 3)
    assert said["w"]["by_cpu"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("decides", ["count", "pairs", "seconds"])
def test_only_idling_beyond_the_references_is_charged_by_whatever_decides(tmp_path: Path, decides: str):
    """Both sides compute for 1 s; the reference waits for 0.5 s, the subject for 0.9: 1.4 s beside 1 s."""
    still = {"wall": (2.0,) * 20, "one": 0.0, "start": 0.1}
    theirs = Timed(full=(1.0,) * 20, idle=(0.5,) * 20, **still)
    mine = Timed(full=(1.0,) * 20, idle=(0.9,) * 20, **still)
    timed = {"w": Pairs(id="w", subject=mine, reference=theirs, runs=20)}
    given = {"checks": timed} if decides == "count" else {"pairs": timed}
    counted = REFERENCE if decides != "seconds" else replace(REFERENCE, counts=None, overheads=None)
    part, _ = cost(sides(counted, counted, tmp_path, **given))
    assert part.value == pytest.approx(1.4 if decides == "seconds" else 1400)
    assert "costed at wall time: it idles 0.400 s more than the reference" in (part.note or "")


def test_pairs_settle_a_contradiction_in_instructions_of_the_reference(tmp_path: Path):
    decided = {"w": pairs(0.1, 0.2, count=20)}
    found = sides(A_FIFTH_TOO_FEW, REFERENCE, tmp_path, checks={"w": pairs(0.1, 0.2)}, pairs=decided)
    part, said = cost(found)
    assert part.value == pytest.approx(2000)
    assert (said["w"]["decided_by"], said["w"]["pairs"]) == ("pairs", 12)


def test_a_cost_of_nothing_is_no_blank_but_a_hundredth_of_the_references(tmp_path: Path):
    # by counts and by CPU time one item takes more than 4n, and starting up takes less than the reference's
    theirs = Timed(full=(0.3,) * 20, idle=(0.0,) * 20, wall=(0.3,) * 20, one=0.0, start=0.1)
    mine = replace(theirs, full=(0.02,) * 20, one=0.05, start=0.06)
    timed = {"w": Pairs(id="w", subject=mine, reference=theirs, runs=20)}
    part, said = cost(sides(side(90), REFERENCE, tmp_path, checks=timed, pairs=timed))
    assert (part.value, part.fault) == (pytest.approx(10), None)
    assert (said["w"]["by_count"], said["w"]["decided_by"]) == (None, "pairs")
    assert timed["w"].cost_logs == pytest.approx((math.log(100),) * 20)
    assert imports(0.01, 0.0).logs == pytest.approx((math.log(100),) * 6)
    assert imports(0.0, 0.01).logs == imports(0.0, 0.0).logs == ()


@pytest.mark.parametrize("problem", ["budget", "all cores are leased"])
def test_a_count_that_nothing_checked_is_unmeasured_with_the_reason(tmp_path: Path, problem: str):
    found = sides(ABOUT_RIGHT, REFERENCE, tmp_path, gate_problem=problem)
    part, said = cost(found)
    assert (part.value, part.fault, part.note, said) == (None, Fault.HARNESS, problem, {})
    assert import_outcomes(found)[0] == Unavailable(reason=problem, fault=Fault.HARNESS)


def test_a_reference_alone_needs_no_check(tmp_path: Path):
    found = sides(REFERENCE, REFERENCE, tmp_path, alone=True)
    assert cost(found)[0].value == 1000
    assert isinstance(import_outcomes(found)[0], Measured)


@pytest.mark.parametrize("left_s", [0.0, 5.0])
def test_without_a_core_nothing_is_timed_and_nothing_raised(tmp_path: Path, monkeypatch, left_s: float):
    def none_free(**_: object) -> None:
        raise HarnessError("All 2 cores have been leased to other timings for 5 s.")

    monkeypatch.setattr(cost_timing, "lease_core", none_free)
    bench = SimpleNamespace(left_s=left_s, root=tmp_path)
    for method in ("live", "alone"):
        timing = cost_timing.Timing(counted=True, steps=SimpleNamespace(), root=tmp_path, scratch=tmp_path)
        given = (bench, bench, REFERENCE, REFERENCE) if method == "live" else (bench,)
        getattr(timing, method)(*given, [WORKLOAD])
        assert timing.gate_problem == ("All 2 cores have been leased to other timings for 5 s." if left_s else "budget")
        assert timing.checks == {}


def imports(reference_s: float, subject_s: float, **more: Any) -> ImportPairs:
    return ImportPairs(subject=(subject_s,) * 6, reference=(reference_s,) * 6, **more)


def imported(check: ImportPairs, tmp_path: Path, *, count: float = 11_000, **more: Any) -> Outcome:
    """The subject's import.cost beside a reference that takes 10000 instructions beyond an empty interpreter's 1000."""
    return import_outcomes(sides(side(1100, count), side(1100), tmp_path, import_check=check, **more))[0]


def test_an_import_that_does_less_where_it_is_counted_is_measured_by_pairs_or_not_at_all(tmp_path: Path):
    # as many instructions as the reference, and ten times its 10 ms
    lost = imported(imports(0.01, 0.1), tmp_path, gate_problem=NOISY)
    assert isinstance(lost, Unavailable)
    assert lost.fault is Fault.HARNESS
    assert "contradicts the count of the import" in lost.reason
    assert lost.details["check"]["import"] == {
        "by_count": 1,
        "by_cpu": pytest.approx(0.1),
        "pairs": 6,
        "decided_by": None,
    }
    found = imported(imports(0.01, 0.1), tmp_path, import_pairs=imports(0.01, 0.1))
    assert isinstance(found, Measured)
    assert found.parts[0].value == pytest.approx(100_000)
    assert len(found.parts[0].log_ratios) == 6
    assert found.details["check"]["import"]["decided_by"] == "pairs"


@pytest.mark.parametrize(
    ("reference_s", "subject_s", "contradicted"),
    [
        (0.01, 0.01, False),
        (0.01, 0.0105, False),  # scores of 1 and 0.98
        (0.005, 0.0059, False),  # scores of 1 and 0.87, but 0.9 ms are less than a clock tells
        (0.05, 0.059, True),
        (0.01, 0.005, False),  # cheaper than its count: both score 1
        (0.0, 0.02, True),
        (0.01, 0.0, False),
    ],
)
def test_the_count_of_an_import_stands_where_cpu_time_bears_it_out(
    tmp_path: Path, reference_s: float, subject_s: float, contradicted: bool
):
    found = imported(imports(reference_s, subject_s), tmp_path)
    assert isinstance(found, Unavailable) is contradicted
    if isinstance(found, Measured):
        assert (found.value, found.details["check"]["import"]["decided_by"]) == (10_000, "count")


def test_an_import_that_fails_while_it_is_checked_is_the_subjects_fault(tmp_path: Path):
    why = Trouble(reason="importing the surface raised OSError", fault=Fault.SUBJECT)
    found = imported(ImportPairs(subject=(), reference=(), trouble=why), tmp_path)
    assert found == Unavailable(reason=why.reason, fault=Fault.SUBJECT)


@pytest.mark.parametrize(("fault", "pairs_decide"), [(Fault.SUBJECT, False), (Fault.HARNESS, True)])
def test_an_import_that_could_not_be_counted_is_paired_unless_that_was_its_own_doing(
    tmp_path: Path, monkeypatch, fault: Fault, pairs_decide: bool
):
    monkeypatch.setattr(cost_timing, "measure_import_pairs", lambda *_, **__: imports(0.01, 0.01))
    steps = SimpleNamespace(plan=lambda launches: None, step=lambda: None)
    timing = cost_timing.Timing(counted=True, steps=steps, root=tmp_path, scratch=tmp_path)
    lost = Counts(import_trouble=Trouble(reason="it left processes behind", fault=fault))
    subject = Facts(native=NativeRuns(), counts=lost)
    assert timing.import_doubted(None, None, subject, REFERENCE, None) is pairs_decide


@pytest.mark.parametrize(
    ("second", "pairs_decide", "taken", "fault"),
    [
        ("right", False, 12, None),  # other work slowed four runs of twelve
        ("slow", True, 12, None),
        ("budget", True, 6, None),
        ("fails", False, 0, Fault.SUBJECT),
    ],
)
def test_twelve_pairs_must_contradict_the_count_of_an_import(
    monkeypatch, second: str, pairs_decide: bool, taken: int, fault: Fault | None
):
    series = {
        "slow": ImportPairs(subject=(0.13,) * 4 + (0.1,) * 2, reference=(0.1,) * 6),
        "right": imports(0.1, 0.1),
        "budget": ImportPairs(subject=(), reference=(), trouble=Trouble(reason="budget", fault=Fault.HARNESS)),
        "fails": ImportPairs(subject=(), reference=(), trouble=Trouble(reason="it exits", fault=Fault.SUBJECT)),
    }
    given = iter(("slow", second))
    monkeypatch.setattr(cost_timing, "measure_import_pairs", lambda *_, **__: series[next(given)])
    steps = SimpleNamespace(plan=lambda launches: None, step=lambda: None)
    timing = cost_timing.Timing(counted=True, steps=steps, root=Path(), scratch=Path())
    assert timing.import_doubted(None, None, side(1100), REFERENCE, None) is pairs_decide
    assert timing.import_check is not None
    assert len(timing.import_check.subject) == taken
    assert (timing.import_check.trouble and timing.import_check.trouble.fault) is fault


def test_counts_of_another_result_tell_nothing_of_how_cost_grows():
    counted = side(1100).counts
    assert counted is not None
    (right,) = counted.workloads
    assert growth(WORKLOAD, right, FREE) == pytest.approx(1)  # (1100 - 550) / (550 - 275) = 2
    why = Trouble(reason=OTHER_RESULT, fault=Fault.HARNESS)
    assert growth(WORKLOAD, Counted(id="w", by_size=right.by_size, trouble=why), FREE) is None


def whole(body_s: float) -> Timed:
    """A side whose body takes these seconds at 4n and none at one item."""
    return Timed(full=(body_s,) * 6, idle=(0.0,) * 6, wall=(body_s,) * 6, one=0.0, start=0.1)


@pytest.mark.parametrize(("body_s", "told"), [(0.0199, False), (0.02, True)])
def test_a_departure_of_a_body_below_20_ms_is_no_finding(tmp_path: Path, body_s: float, told: bool):
    # as many instructions on either side, and 26 % less time on the subject's: 1.35 times the speed
    check = Pairs(id="w", subject=whole(body_s * 0.74), reference=whole(body_s), runs=6)
    found = findings(sides(side(1100), side(1100), tmp_path, checks={"w": check}), {})
    assert [f.code for f in found] == (["cost-departure"] if told else [])


@pytest.mark.parametrize(("departed", "told"), [(1.24, False), (1.26, True)])
def test_a_departure_is_a_finding_above_a_quarter(tmp_path: Path, departed: float, told: bool):
    check = Pairs(id="w", subject=whole(1.0), reference=whole(departed), runs=6)
    found = findings(sides(side(1100), side(1100), tmp_path, checks={"w": check}), {})
    assert [f.code for f in found] == (["cost-departure"] if told else [])
