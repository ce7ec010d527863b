"""A snapshot's costs in the place of a live reference's. All numbers are made up and followed by hand."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from qualityscore import pipeline
from qualityscore.core.comparability import require_pinned_costs
from qualityscore.core.costs import Gate
from qualityscore.core.parts import part_of_row, score_parts
from qualityscore.errors import IncomparableError
from qualityscore.model.measure import Direction, Fault, Measured, MetricSpec, Part, Scoring, Unavailable, Unit
from qualityscore.runtime.leases import Lease
from qualityscore.snapshots import lacks_times
from qualityscore.suites import cost_timing
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Kit, Workload
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.cost_measures import cost_parts, growth
from qualityscore.suites.cost_pinned import PinnedCosts, kept_times
from qualityscore.suites.cost_sides import Sides
from qualityscore.suites.counter_check import Compared
from qualityscore.suites.counting import Overheads, counted_costs
from qualityscore.suites.import_measures import import_outcomes
from qualityscore.suites.pairs import Calibration
from qualityscore.suites.timed import CALIBRATED_WIDENING, Pairs, Timed

WORKLOAD = Workload(id="w", n=2, holds_mib=0, inputs={1: "a", 2: "b", 4: "c", 8: "d"})
TIMED = Timed(full=(0.2, 0.2), idle=(0.0, 0.0), wall=(0.2, 0.2), one=0.1, start=0.3, peaks=(7, 8))
# the reference: T(1) = 300, and at n, 2n, 4n: 500, 700, 1100, loading off; so it costs 1100 - 300 = 800
MEASURES = {
    "workload.cost": Measured(
        value=800,
        parts=(Part(id="w", value=800),),
        details={
            "start": {"w": 300},
            "counts": {"w": {"1": 300, "2": 500, "4": 700, "8": 1100}},
            "timed": kept_times({"w": TIMED}),
        },
    ),
    "import.cost": Measured(value=40, parts=(Part(id="import", value=40, samples=(0.02, 0.04)),)),
    "peak_heap": Measured(value=7000, parts=(Part(id="w", value=7000, samples=(7000.0, 7000.0)),)),
    "peak_rss": Measured(value=2000, parts=(Part(id="w", value=2000, samples=(9000.0, 9100.0, 9200.0)),)),
}


def pinned(**more: Any) -> PinnedCosts:
    return PinnedCosts.of(MEASURES | more, {"w": "digest"}, {"cost": {"calibration": {"seconds": 0.05}}})


@pytest.fixture
def kit(tmp_path) -> Kit:
    return Kit(workloads=(WORKLOAD,), suite=tmp_path, inputs=tmp_path)


def test_counts_stand_on_this_hosts_loading_which_is_taken_off_again(kit: Kit):
    overheads = Overheads(empty=1000, loading={"w": {1: 1, 2: 2, 4: 4, 8: 8}})
    facts = pinned().facts(kit, overheads)
    assert facts.counts is not None
    (theirs,) = facts.counts.workloads
    assert {size: counted.value for size, counted in theirs.by_size.items()} == {1: 301, 2: 502, 4: 704, 8: 1108}
    costs = counted_costs(WORKLOAD, theirs, theirs, overheads)
    assert costs is not None
    assert (costs.subject, costs.reference) == (800, 800)
    assert growth(WORKLOAD, theirs, overheads) == pytest.approx(1)  # (1100 - 700) / (700 - 500) = 2 = 2^1
    assert facts.counts.imported is not None
    assert facts.counts.imported.value == 1040


def test_memory_and_results_are_the_snapshots(kit: Kit):
    facts = pinned().facts(kit, None)
    (native,), (heap,) = facts.native.workloads, facts.heaps
    assert (native.digest, native.full, native.one) == ("digest", (9000, 9100, 9200), (7100,))  # 9100 - 2000
    assert heap.samples == (7000, 7000)
    assert facts.counts is None


def test_a_workload_that_the_snapshot_does_not_hold_is_the_references_fault(kit: Kit):
    without = PinnedCosts.of(MEASURES, {}, {}).facts(kit, Overheads(empty=0, loading={"w": {1: 0, 8: 0}}))
    assert without.native.workloads[0].trouble is not None
    assert without.native.workloads[0].trouble.fault is Fault.REFERENCE
    lost = pinned(**{"workload.cost": Measured(value=0)}).facts(kit, Overheads(empty=0, loading={"w": {}}))
    assert lost.counts is not None
    assert lost.counts.workloads[0].trouble is not None


def test_times_are_turned_into_this_hosts_by_the_calibration_workload():
    # the calibration took 0.05 s there and takes 0.1 s here: this host is half as fast
    still = {"idle": (0.0, 0.0), "peaks": (7, 8)}  # bytes stay what they are
    assert pinned().timed(0.1)["w"] == Timed(full=(0.4, 0.4), wall=(0.4, 0.4), one=0.2, start=0.6, **still)
    assert pinned().import_seconds(0.1) == (0.04, 0.08)
    assert PinnedCosts.of(MEASURES, {}, {}).timed(0.1) == {}


def scattered(sd: float, *, calibrated: bool) -> Part:
    """A subject of half the reference's speed in twenty pairs whose logarithms scatter by `sd`."""
    rng = np.random.default_rng(1)
    bodies = tuple(0.2 * math.exp(x) for x in rng.normal(0, sd, 20))
    still = {"idle": (0.0,) * 20, "wall": (0.3,) * 20, "one": 0.1, "start": 0.3}
    twice = Timed(full=tuple(0.1 + body for body in bodies), **still)
    once = Timed(full=(0.2,) * 20, **still)
    pairs = Pairs(id="w", subject=twice, reference=once, runs=20, widening=CALIBRATED_WIDENING if calibrated else 0.0)
    return Part(id="w", value=0.2, log_ratios=pairs.cost_logs, widening=pairs.widening)


SECONDS = MetricSpec(
    id="workload.cost",
    title="cost",
    unit=Unit.SECONDS,
    better=Direction.LOWER,
    epsilon=0.0,
    tolerance=0.03,
    scoring=Scoring.PARTS,
)


@pytest.mark.parametrize("sd", [0.0, 0.02, 0.15])
def test_what_a_calibration_leaves_open_comes_on_top_of_the_scatter(sd: float):
    def interval(*, calibrated: bool) -> tuple[float, float, float]:
        part = scattered(sd, calibrated=calibrated)
        side, own = (Measured(value=1, parts=(p,)) for p in (part, Part(id="w", value=0.1)))
        (row,) = score_parts(SECONDS, side, own, np.random.default_rng(7)).rows
        return row["low"], row["score"], row["high"]

    narrow, wide = interval(calibrated=False), interval(calibrated=True)
    assert wide[1] == narrow[1]
    # half of the draws are moved either way, so that 2.5 % of all are 5 % of one half: these percentiles of a median of
    # twenty lie 0.32 of its standard deviation (1.25 / sqrt(20) of the scatter) apart, and the bootstrap has its own
    slack = 0.3 * sd + 1e-9
    for end, direction in ((0, -1), (2, 1)):
        moved = direction * math.log(wide[end] / narrow[end])
        assert CALIBRATED_WIDENING - slack <= moved <= CALIBRATED_WIDENING + 1e-9


def test_a_verdict_holds_only_where_it_holds_at_either_end_of_the_calibration():
    # as fast as the reference in every pair: in the band of 3 %, but not if the calibration is 10 % off
    own = Measured(value=1, parts=(Part(id="w", value=1.0),))
    for widening, verdict in ((0.0, "equivalent"), (0.1, "inconclusive")):
        part = Part(id="w", value=1.0, log_ratios=(0.0,) * 20, widening=widening)
        found = score_parts(SECONDS, Measured(value=1, parts=(part,)), own, np.random.default_rng(7))
        assert found.rows[0]["verdict"] == verdict
        assert found.verdict == verdict


def test_a_report_keeps_the_widening_and_scoring_it_again_gives_the_same():
    part = scattered(0.15, calibrated=True)
    own = Measured(value=1, parts=(Part(id="w", value=0.1),))
    (row,) = score_parts(SECONDS, Measured(value=1, parts=(part,)), own, np.random.default_rng(7)).rows
    assert part_of_row(row)[0] == part


HERE: dict[str, Any] = {
    "counter": "valgrind",
    "sandbox": "namespace",
    "host": {"interpreter": "CPython 3.11.7", "libc": "glibc 2.36", "machine": "x86_64", "cpu_features": "abc"},
    "cost": {"valgrind": "valgrind-3.19.0"},
}


def changed(path: str, value: Any, document: dict[str, Any] = HERE) -> dict[str, Any]:
    name, _, rest = path.partition(".")
    return {**document, name: changed(rest, value, document[name]) if rest else value}


@pytest.mark.parametrize(
    "field",
    ["counter", "sandbox", "host.interpreter", "host.libc", "host.machine", "host.cpu_features", "cost.valgrind"],
)
def test_counts_of_another_kind_of_host_are_refused_by_the_fields_name(field: str):
    require_pinned_costs(HERE, HERE)
    with pytest.raises(IncomparableError, match=f"{field} differs .*other.* leave out --no-live-reference"):
        require_pinned_costs(changed(field, "other"), HERE)


def test_seconds_may_come_from_another_processor_but_not_without_a_calibration():
    here = changed("counter", "cpu")
    with pytest.raises(IncomparableError, match=r"cost\.calibration is not in it"):
        require_pinned_costs(here, here)
    there = changed("host.cpu_features", "older") | {"counter": "cpu", "cost": {"calibration": {"seconds": 0.05}}}
    require_pinned_costs(there, here)
    with pytest.raises(IncomparableError, match=r"host\.libc differs"):
        require_pinned_costs(changed("host.libc", "musl", there), here)


def test_an_evaluation_without_a_live_reference_is_refused_before_anything_is_run(monkeypatch):
    demo = Path(__file__).parents[2] / "examples" / "cachetools_fair"
    monkeypatch.setattr(pipeline, "cost_host", lambda *_: changed("host.interpreter", "another"))
    stages: list[str] = []
    with pytest.raises(IncomparableError, match=r"host\.interpreter differs"):
        pipeline.evaluate(
            demo, task="cachetools", live_reference=False, progress=lambda stage, *_: stages.append(stage)
        )
    assert stages == []


@pytest.fixture
def timing(monkeypatch, tmp_path):
    """(how equal runs differ here, the subject's times) -> a timing beside a snapshot; launches take no time."""

    def make(half_width: float | None = 0.01, mine: Timed = TIMED, imports: tuple[float, ...] = (0.02, 0.04)):
        gate = Gate(half_width=half_width, bias=None if half_width is None else 0.01)
        monkeypatch.setattr(cost_timing, "host_calibration", lambda *_: Calibration(gate=gate, seconds=0.05))
        monkeypatch.setattr(cost_timing, "bounded", lambda bench: bench)
        monkeypatch.setattr(cost_timing, "left_out", lambda *_: Trouble(reason="budget", fault=Fault.HARNESS))
        monkeypatch.setattr(cost_timing, "take_alone", lambda *_, **__: {"w": mine})
        monkeypatch.setattr(cost_timing, "measure_import_alone", lambda *_, **__: imports)
        monkeypatch.setattr(cost_timing, "lease_core", lambda **_: contextlib.nullcontext(Lease(cpu=0, others=(0,))))
        steps = SimpleNamespace(plan=lambda launches: None, step=lambda: None)
        return cost_timing.Timing(counted=True, steps=steps, root=tmp_path, scratch=tmp_path)

    return make


BENCH = SimpleNamespace(left_s=math.inf)
NOTHING_LOADED = Overheads(empty=0, loading={"w": {1: 0, 2: 0, 4: 0, 8: 0}})


def beside_the_snapshot(found: cost_timing.Timing, kit: Kit) -> Sides:
    """A subject that counts like the reference, after its timing."""
    facts = pinned().facts(kit, NOTHING_LOADED)
    found.pinned(BENCH, pinned(), facts, facts, [WORKLOAD])
    return sides_of(found, facts, kit)


def sides_of(found: cost_timing.Timing, facts: Facts, kit: Kit) -> Sides:
    return Sides(
        kit=kit,
        subject=facts,
        reference=facts,
        expected={"w": "digest"},
        troubles={},
        pairs=found.pairs,
        checks=found.checks,
        import_pairs=found.import_pairs,
        import_check=found.import_check,
        gate_problem=found.gate_problem,
    )


@pytest.mark.parametrize(("half_width", "widening"), [(0.01, 0.1), (0.2, 0.21)])
def test_counts_that_the_snapshots_times_bear_out_stand_on_a_noisy_host_too(timing, kit, half_width, widening):
    found = timing(half_width)
    sides = beside_the_snapshot(found, kit)
    assert found.checks["w"].widening == found.import_check.widening == pytest.approx(widening)
    assert found.import_check.reference == (0.02, 0.04)
    ((part,), _, details) = cost_parts(sides)
    assert (part.value, details["check"]["w"]["decided_by"]) == (800, "count")
    imported, _ = import_outcomes(sides)
    assert isinstance(imported, Measured)
    assert (imported.value, imported.details["check"]["import"]["decided_by"]) == (40, "count")


@pytest.mark.parametrize(("half_width", "widening"), [(0.01, 0.1), (0.2, 0.21)])
def test_where_times_contradict_a_count_the_calibrated_ones_decide_and_leave_no_blank(
    timing, kit, half_width, widening
):
    # the reference takes T(4n) - T(1) = 0.2 - 0.1 s and (0.02, 0.04) s to import, the subject twice as much of both
    found = timing(half_width, replace(TIMED, full=(0.3, 0.3)), (0.04, 0.08))
    sides = beside_the_snapshot(found, kit)
    ((part,), _, details) = cost_parts(sides)
    assert (part.value, part.widening) == (pytest.approx(1600), pytest.approx(widening))
    assert part.log_ratios == pytest.approx((math.log(0.5),) * 2)
    assert details["check"]["w"] == {"by_count": 1, "by_cpu": pytest.approx(0.5), "pairs": 2, "decided_by": "pairs"}
    assert "by way of the calibration workload" in (part.note or "")
    imported, _ = import_outcomes(sides)
    assert isinstance(imported, Measured)
    assert (imported.parts[0].value, imported.parts[0].widening) == (pytest.approx(80), pytest.approx(widening))


def test_a_calibration_that_says_nothing_lets_no_time_decide(timing, kit: Kit):
    found = timing(None, replace(TIMED, full=(0.3, 0.3)))
    ((part,), _, _) = cost_parts(beside_the_snapshot(found, kit))
    assert (part.value, part.fault, part.note) == (None, Fault.HARNESS, "host too noisy: too few pairs could be timed")


def test_counts_that_no_time_of_the_snapshot_can_check_are_unmeasured_by_nobodys_fault(timing, kit: Kit):
    found = timing()
    without = PinnedCosts.of(MEASURES, {"w": "digest"}, {})
    facts = without.facts(kit, NOTHING_LOADED)
    found.pinned(BENCH, without, facts, facts, [WORKLOAD])
    sides = sides_of(found, facts, kit)
    ((part,), (own,), _) = cost_parts(sides)
    assert (part.value, part.fault, part.note) == (None, Fault.HARNESS, cost_timing.NO_TIMES)
    assert own.value == 800
    imported, _ = import_outcomes(sides)
    assert imported == Unavailable(reason=cost_timing.NO_TIMES, fault=Fault.HARNESS)


@pytest.mark.parametrize(
    ("calibration", "times", "said"),
    [
        ({"seconds": 0.05, "half_width": 0.01, "bias": 0.001}, [0.02] * 6, None),
        ({"seconds": 0.05, "half_width": 0.185, "bias": 0.04}, [], "host too noisy: equal runs differ by ±18.5%"),
        (None, [], "nothing could be timed"),
    ],
)
def test_a_snapshot_without_times_is_told_with_the_reason(calibration, times: list[float], said: str | None):
    imported = Measured(value=40, parts=(Part(id="import", value=40),), details={"timed": times} if times else {})
    taken = SimpleNamespace(
        measures={"import.cost": imported}, digests={}, provenance={"cost": {"calibration": calibration}}
    )
    found = lacks_times(taken)
    assert (found is None) == (said is None)
    if found is not None and said is not None:
        assert found.startswith(said)


def test_a_count_stands_where_a_calibration_that_is_off_by_a_tenth_would_bear_it_out():
    # 1.00 by count; by CPU 0.85 may be 0.94 (score 0.97), 0.80 may be 0.88 (score 0.91, more than 0.05 below 1)
    for by_cpu, contradicted in ((0.85, False), (0.80, True)):
        assert Compared(by_count=1.0, by_cpu=by_cpu, pairs=6, leeway=0.1).contradicted is contradicted
    assert Compared(by_count=1.0, by_cpu=0.85, pairs=6).contradicted
