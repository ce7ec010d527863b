"""When a workload's result counts, and what is said of one that does not."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from qualityscore.model.measure import Fault
from qualityscore.suites import pairs
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Workload
from qualityscore.suites.cost_launch import Trouble, UnitRun
from qualityscore.suites.cost_sides import expected_digests, verdict_on_result
from qualityscore.suites.counting import OTHER_RESULT, Counted, _with_right_result
from qualityscore.suites.memory import Native, NativeRuns
from qualityscore.suites.timed import Pairs, Timed

WORKLOAD = Workload(id="w", n=2, holds_mib=0, inputs={1: "a", 2: "b", 4: "c", 8: "d"})
FAILED = Trouble(reason="the workload raised OSError", fault=Fault.SUBJECT)


def native(*digests: str | None, trouble: Trouble | None = None) -> Native:
    return Native(id="w", digests=digests, full=(1,), one=(1,), trouble=trouble)


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (native("a", "a", "a"), None),
        (native("a", "b", "a"), "flaky: 1 of 3 runs without the right result"),
        (
            native("a", None, trouble=FAILED),
            "flaky: 1 of 2 runs without the right result (the workload raised OSError)",
        ),
        (native(None, trouble=FAILED), "the workload raised OSError"),
        (native("b", "b", "b"), "the result differs from the reference's"),
        (native("b", "c", "b"), "and from run to run: 2 different ones in 3 runs"),
    ],
)
def test_a_result_must_be_right_in_every_plain_run(runs: Native, said: str | None):
    found = verdict_on_result(runs, "a")
    assert (found is None) == (said is None)
    if found is not None:
        assert said in found.reason
        assert found.fault is Fault.SUBJECT


def test_a_reference_whose_results_vary_is_the_references_fault_and_the_digests_say_so():
    digests, troubles = expected_digests(Facts(native=NativeRuns(workloads=(native("a", "b", "a"),))), None)
    assert digests == {}
    assert troubles["w"].fault is Fault.REFERENCE
    assert "not deterministic: 2 different ones in 3 runs" in troubles["w"].reason


def timed(digest: str, state: str = "ok") -> dict[str, UnitRun]:
    clocks = {"cpu_s": 1.0, "start_cpu_s": 0.1, "load_cpu_s": 0.0}
    document = {"event": "unit", "state": state, "stage": "body", "digest": digest, **clocks}
    return {u: UnitRun.model_validate({**document, "unit": u}) for u in ("w@8", "w@1")}


def side(*, is_reference: bool):
    task = SimpleNamespace(spec=SimpleNamespace(suites={}))
    return SimpleNamespace(target=SimpleNamespace(is_reference=is_reference, task=task), right={"w": "a"})


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([timed("a")] * 4, None),
        ([timed("a"), timed("b"), timed("a"), timed("a")], "flaky: 1 of 4 runs without the right result"),
        ([timed("a"), timed("a", "exited"), timed("b"), timed("a")], "flaky: 2 of 4 runs"),
        ([timed("b")] * 4, "the result differs from the reference's"),
    ],
)
def test_a_result_must_be_right_in_every_timed_run_too(runs: list[dict[str, UnitRun]], said: str | None):
    good = [timed("a")] * len(runs)
    found = pairs._pair(WORKLOAD, side(is_reference=False), side(is_reference=True), {True: good, False: runs})
    assert (found.trouble is None) == (said is None)
    if found.trouble is not None and said is not None:
        assert found.trouble.reason.startswith(said)
        assert found.trouble.fault is Fault.SUBJECT
    other = pairs._pair(WORKLOAD, side(is_reference=False), side(is_reference=True), {True: runs, False: good})
    assert other.trouble is None or other.trouble.fault is Fault.REFERENCE


def test_a_count_of_another_result_is_no_count_and_nobodys_fault_by_itself():
    for digests, reason in ((("a", "a"), None), (("a", "b"), OTHER_RESULT), ((None,), OTHER_RESULT)):
        found = _with_right_result(Counted(id="w", digests=digests), side(is_reference=False))
        assert (found.trouble.reason if found.trouble else None) == reason
        assert found.trouble is None or found.trouble.fault is Fault.HARNESS


def test_work_moved_into_the_loading_of_the_inputs_is_charged():
    # both bodies and loads: reference 2 s and 0.5 s; the subject does its 4 s while "loading", and 0.1 s in the body
    theirs = Timed(full=(2.0,) * 6, idle=(0.0,) * 6, wall=(2.0,) * 6, one=0.0, start=1.0, load=(0.5,) * 6)
    mine = Timed(full=(0.1,) * 6, idle=(0.0,) * 6, wall=(0.1,) * 6, one=0.0, start=1.0, load=(4.4,) * 6)
    found = Pairs(id="w", subject=mine, reference=theirs, runs=6)
    assert found.costs[0] == pytest.approx((2.0,) * 6)
    assert found.costs[1] == pytest.approx((4.0,) * 6)
    assert found.cpu_logs == pytest.approx((math.log(0.5),) * 6)
