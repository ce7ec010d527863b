"""Reading a supervisor's report: typed events of what the plan knows, or a clear fault."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualityscore.errors import HarnessError
from qualityscore.runtime.process import Exited, OutputFlooded, ProcessOutcome, TimedOut
from qualityscore.runtime.supervision import (
    EndEvent,
    Group,
    GroupEvent,
    GroupState,
    Plan,
    Unit,
    UnitEvent,
    encode_plan,
    read_events,
)

PLAN = Plan(
    groups=(
        Group(
            id="g",
            zygote="toy",
            args={"a": 1},
            units=tuple(Unit(id=i, args=None, timeout_s=1, cpu_s=2, memory_bytes=3) for i in ("u", "v")),
        ),
    ),
    total_timeout_s=5,
    message_bytes=10,
    output_bytes=20,
)
ENDED = Exited(code=0, stdout=b"", stderr=b"", wall_s=1)
GROUP = {"event": "group", "group": "g", "state": "ready", "message": [], "exit": None, "signal": None, "stderr": ""}
UNIT = {
    "event": "unit",
    "group": "g",
    "unit": "u",
    "exit": 0,
    "signal": None,
    "timed_out": False,
    "oom": False,
    "duration_s": 0.5,
    "cpu_s": 0.25,
    "maxrss_bytes": 4096,
    "messages": [base64.b64encode(b"said").decode()],
    "overflow": False,
    "output": "out",
    "zygote_lost": False,
    "prepare_failed": False,
}
END = {"event": "end", "complete": True}


def read(*documents, outcome: ProcessOutcome = ENDED) -> list:
    def lines():
        for document in documents:
            yield document if isinstance(document, bytes) else json.dumps(document).encode()
        return outcome

    return list(read_events(lines(), PLAN))


def test_events_are_typed():
    group, unit, end = read(GROUP, UNIT, END)
    assert group == GroupEvent(group="g", state=GroupState.READY, messages=(), exit=None, signal=None, stderr="")
    assert isinstance(unit, UnitEvent)
    assert (unit.unit, unit.messages, unit.output, unit.maxrss_bytes) == ("u", (b"said",), "out", 4096)
    assert unit.left_normally
    assert end == EndEvent(complete=True, detail="", outcome=ENDED)


@pytest.mark.parametrize(
    "change",
    [
        {"exit": 1},
        {"exit": None, "signal": 9},
        {"timed_out": True},
        {"oom": True},
        {"overflow": True},
        {"exit": None, "zygote_lost": True},
        {"exit": None},
    ],
)
def test_any_blemish_keeps_a_unit_from_having_left_normally(change):
    assert not read(UNIT | change, END)[0].left_normally


@pytest.mark.parametrize(
    "document",
    [
        b"not json",
        b"[]",
        b"[" * 100_000,
        {"event": "other"},
        UNIT | {"unit": "unknown"},
        UNIT | {"group": "h"},
        UNIT | {"unit": ["u"]},
        UNIT | {"exit": "0"},
        UNIT | {"exit": True},
        UNIT | {"duration_s": "long"},
        UNIT | {"messages": ["!"]},
        UNIT | {"messages": [base64.b64encode(b"x" * 11).decode()]},
        UNIT | {"output": "x" * 21},
        GROUP | {"state": "well"},
        {k: v for k, v in UNIT.items() if k != "signal"},
    ],
    ids=range(15),
)
def test_a_line_that_does_not_fit_the_plan_is_a_fault_of_the_harness(document):
    with pytest.raises(HarnessError):
        read(document)


def test_a_unit_is_reported_once():
    with pytest.raises(HarnessError):
        read(UNIT, UNIT)


@given(st.binary(max_size=300) | st.from_regex(rb'\{"event": "(unit|group|end)", .*\}', fullmatch=True))
def test_no_line_breaks_the_reader(line):
    try:
        events = read(line)
    except HarnessError:
        return
    assert not any(isinstance(event, UnitEvent) for event in events)


@pytest.mark.parametrize(
    ("outcome", "detail"),
    [
        (TimedOut(after_s=7, stdout=b"", stderr=b""), "the sandbox was killed after 7 s"),
        (OutputFlooded(stdout=b"", stderr=b"", wall_s=1), "the sandbox reported more than can be taken in"),
        (Exited(code=-9, stdout=b"", stderr=b"", wall_s=1), "the sandbox ended early with status -9"),
        (ENDED, "the sandbox ended early with status 0"),
    ],
)
def test_an_end_without_the_end_event_is_incomplete(outcome, detail):
    end = read(UNIT, outcome=outcome)[-1]
    assert end == EndEvent(complete=False, detail=detail, outcome=outcome, broken=True)
    with pytest.raises(HarnessError, match=detail):
        end.check()


def test_the_total_limit_is_told_and_is_no_breakage():
    end = read({"event": "end", "complete": False})[-1]
    assert (end.detail, end.broken) == ("the total time limit struck", False)
    end.check()


def test_a_broken_supervisor_is_a_fault_of_the_harness():
    broken = Exited(code=1, stdout=b"", stderr=b"Traceback ...\nZeroDivisionError", wall_s=1)
    with pytest.raises(HarnessError, match="ZeroDivisionError"):
        read(outcome=broken)


def test_the_plan_is_written_as_the_supervisor_reads_it():
    written = json.loads(encode_plan(PLAN))
    assert written["total_timeout_s"] == 5
    assert written["groups"][0]["units"][1] == {
        "id": "v",
        "args": None,
        "timeout_s": 1,
        "cpu_s": 2,
        "memory_bytes": 3,
    }
    assert written["groups"][0]["fork_mode"] == "zygote"
