"""Workloads that are too small beside a start, told from what was measured."""

from __future__ import annotations

from types import SimpleNamespace

from qualityscore.model.measure import Fault, Measured, Part
from qualityscore.snapshots import too_small
from qualityscore.suites.workload_validity import small_workloads

COST = Measured(
    value=1.0,
    parts=(
        Part(id="large", value=2000.0),
        Part(id="small", value=250.0),
        Part(id="equal", value=1000.0),
        Part(id="lost", value=None, fault=Fault.HARNESS, note="timed out"),
    ),
    details={"start": {"large": 1000.0, "small": 1000.0, "equal": 1000.0}},
)
TOLD = (
    "workload small costs 25% of its start, more than 100% is needed; make its n larger",
    "workload equal costs 100% of its start, more than 100% is needed; make its n larger",
    "workload lost has no cost (timed out)",
)


def test_a_workload_that_costs_no_more_than_its_start_is_told_with_its_share():
    assert small_workloads(COST) == TOLD


def test_a_snapshot_tells_the_workloads_that_validation_refuses():
    assert too_small(SimpleNamespace(measures={"workload.cost": COST})) == TOLD
    assert too_small(SimpleNamespace(measures={})) == ()
