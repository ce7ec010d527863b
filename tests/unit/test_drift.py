"""Drift of a reference from its snapshot: what compares is compared, what does not is refused by the field's name."""

from dataclasses import replace

import pytest

from qualityscore.core.comparability import COST_FIELDS, costs_differ, static_tools_differ
from qualityscore.drift import compare
from qualityscore.model.measure import Measured, Part
from qualityscore.model.report import SCORE_MODEL
from qualityscore.model.snapshot import SNAPSHOT_SCHEMA_VERSION, Snapshot

PROVENANCE = {
    "host": {
        "interpreter": "CPython 3.11.7",
        "libc": "glibc 2.36",
        "machine": "x86_64",
        "cpu_features": "f" * 16,
        "cpu_model": "one",
        "kernel": "6.1",
    },
    "sandbox": "namespace",
    "counter": "valgrind",
    "cost": {"valgrind": "valgrind-3.19.0"},
    "tools": {"pylint": "4.1.4", "bandit": "1.9.4", "memray": "1.20.0"},
}
COSTS = {"import.cost", "peak_heap", "peak_rss", "workload.cost"}
STATIC = {"bandit.risk", "lint.penalty"}


def changed(path: str, value: object) -> dict:
    first, _, second = path.partition(".")
    inner = {**PROVENANCE[first], second: value} if second else value
    return {**PROVENANCE, first: inner}


def snapshot(**values: float) -> Snapshot:
    measures = {name.replace("__", "."): Measured(value=value) for name, value in values.items()}
    measures["peak_heap"] = Measured(value=100.0, parts=(Part(id="w", value=100.0),))
    return Snapshot(
        schema_version=SNAPSHOT_SCHEMA_VERSION,
        score_model=SCORE_MODEL,
        task_id="t",
        task_digest="d",
        python="3.11",
        tests=(),
        entries=(),
        judged=(),
        measures=measures,
        provenance=PROVENANCE,
    )


WHOLE = snapshot(
    lint__penalty=2.0, bandit__risk=0.0, suite__stability=1.0, workload__cost=1e9, import__cost=1e6, peak_rss=5e6
)


@pytest.mark.parametrize("field", COST_FIELDS)
def test_each_field_that_costs_depend_on_is_named_with_both_values(field):
    assert costs_differ(PROVENANCE, PROVENANCE) is None
    assert costs_differ(changed(field, "new"), PROVENANCE).startswith(f"{field} differs (new there, ")


@pytest.mark.parametrize("field", ["host.kernel", "host.cpu_model", "tools.pylint"])
def test_what_costs_do_not_depend_on_is_no_difference(field):
    assert costs_differ(changed(field, "new"), PROVENANCE) is None


def test_a_snapshot_that_does_not_say_a_field_is_of_unknown_costs():
    without = {k: v for k, v in PROVENANCE.items() if k != "cost"}
    assert costs_differ(without, PROVENANCE) == "cost.valgrind differs (nothing there, valgrind-3.19.0 here)"


def test_costs_of_another_host_are_refused_and_the_rest_is_compared():
    fresh = snapshot(lint__penalty=2.0, bandit__risk=0.0, suite__stability=0.9)
    found = compare(WHOLE, fresh, costs="host.cpu_features differs (a there, b here)")
    assert set(found.refused) == COSTS
    assert "workload.cost: not compared, host.cpu_features differs (a there, b here)" in found.lines
    assert "lint.penalty: within its interval, 2 before, 2 now" in found.lines
    assert "suite.stability: drifted beyond its interval, 1 before, 0.9 now" in found.lines
    assert found.beyond_interval


def test_static_measures_of_other_tools_are_refused():
    fresh = replace(WHOLE, provenance=changed("tools.pylint", "5.0"))
    assert static_tools_differ(WHOLE.provenance, fresh.provenance) == "tools.pylint differs (4.1.4 there, 5.0 here)"
    found = compare(WHOLE, fresh, costs=None)
    assert set(found.refused) >= STATIC
    assert not set(found.refused) & COSTS
    assert not found.beyond_interval


def test_a_tool_of_the_cost_stage_is_none_of_the_static_tools():
    assert static_tools_differ(PROVENANCE, changed("tools.memray", "9")) is None


def test_costs_within_their_noise_have_not_drifted_and_beyond_it_have():
    # instructions may differ by 0.1 % on each side: 1e9 and 1.0019e9 meet, 1e9 and 1.003e9 do not
    near = compare(
        WHOLE, replace(WHOLE, measures=WHOLE.measures | {"workload.cost": Measured(value=1.0019e9)}), costs=None
    )
    far = compare(
        WHOLE, replace(WHOLE, measures=WHOLE.measures | {"workload.cost": Measured(value=1.003e9)}), costs=None
    )
    assert (near.beyond_interval, far.beyond_interval) == (False, True)
