"""What the reader gets drawn: net counts over size and heap over time, of both sides, by a count by hand."""

from pathlib import Path

from qualityscore.model.measure import Fault
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Kit, Workload
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.cost_measures import curves
from qualityscore.suites.cost_sides import Sides
from qualityscore.suites.counting import Counted, Counts, Overheads, Repeat
from qualityscore.suites.memory import Heap, NativeRuns

WORKLOADS = tuple(Workload(id=id_, n=100, holds_mib=1.0, inputs={}) for id_ in ("churn", "broken"))
LOADING = {1: 10, 100: 1_000, 200: 2_000, 400: 4_000}


def facts(counts, timeline=(), trouble=None):
    by_size = {size: Repeat(value=value, relative=0.0) for size, value in counts.items()}
    broken = Counted(id="broken", trouble=trouble or Trouble(reason="it ended early", fault=Fault.SUBJECT))
    return Facts(
        native=NativeRuns(),
        heaps=(Heap(id="churn", samples=(5,), timeline=timeline), Heap(id="broken")),
        counts=Counts(workloads=(Counted(id="churn", by_size=by_size), broken)),
        overheads=Overheads(empty=0, loading={"churn": LOADING, "broken": LOADING}),
    )


def sides(subject, reference):
    kit = Kit(workloads=WORKLOADS, suite=Path(), inputs=Path())
    return Sides(kit=kit, subject=subject, reference=reference, expected={}, troubles={}, pairs={}, checks={})


def test_curves_are_net_of_loading_without_the_single_item_and_without_what_failed():
    mine = facts({1: 510, 400: 41_000, 100: 11_000, 200: 21_000}, timeline=((0.0, 0), (0.5, 7)))
    theirs = facts({1: 510, 100: 6_000, 200: 11_000, 400: 21_000})
    drawn = curves(sides(mine, theirs))
    # each count less loading: 11,000 - 1,000; 21,000 - 2,000; 41,000 - 4,000
    assert drawn["workload.cost"]["by_size"] == {
        "churn": {
            "subject": [(100.0, 10_000), (200.0, 19_000), (400.0, 37_000)],
            "reference": [(100.0, 5_000), (200.0, 9_000), (400.0, 17_000)],
        }
    }
    assert drawn["peak_heap"]["over_time"] == {"churn": {"subject": [(0.0, 0.0), (0.5, 7.0)]}}


def test_a_side_without_counts_leaves_no_curve():
    empty = Facts(native=NativeRuns())
    assert curves(sides(empty, empty)) == {"workload.cost": {"by_size": {}}, "peak_heap": {"over_time": {}}}
