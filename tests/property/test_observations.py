"""Messages from beside the subject are foreign data: any bytes, and nothing but right values ever passes a test."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from qualityscore.judging.derive import derive
from qualityscore.judging.predicates import Case, judge
from qualityscore.model.outcome import TestOutcome
from qualityscore.runtime.supervision import UnitEvent
from qualityscore.suites.functional import judge_one
from qualityscore.suites.observation import read_collected, read_observation

SUITE = derive("def test_a():\n    assert f('in') == ['the', 'right', 4711]\n", "t.py")

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
phase = st.tuples(st.sampled_from(["setup", "call", "teardown"]), st.sampled_from(["passed", "failed"]), st.booleans())
passing = st.just([["setup", "passed", False], ["call", "passed", False], ["teardown", "passed", False]])
replaced = st.lists(
    st.tuples(st.text(max_size=8), st.none() | st.text(max_size=8), st.integers() | st.none()), max_size=3
)
near = st.fixed_dictionaries(
    {
        "phases": passing | st.lists(phase, max_size=4) | plain,
        "failure": st.none()
        | plain
        | st.fixed_dictionaries({"type": plain, "bases": plain, "text": plain, "frames": plain, "location": plain}),
        "records": plain | st.lists(st.tuples(st.just("a0") | plain, st.just(0) | plain, st.lists(plain) | plain)),
    },
    optional={"absent": plain, "trace": plain, "collection": plain, "items": plain, "changed": plain | replaced},
)
message = (
    st.binary(max_size=200) | plain.map(lambda v: json.dumps(v).encode()) | near.map(lambda v: json.dumps(v).encode())
)


def event(messages: tuple[bytes, ...]) -> UnitEvent:
    return UnitEvent(
        group="g",
        unit="0",
        exit=0,
        signal=None,
        timed_out=False,
        oom=False,
        duration_s=0.1,
        cpu_s=0.1,
        maxrss_bytes=1,
        messages=messages,
        overflow=False,
        output="",
        zygote_lost=False,
        prepare_failed=False,
    )


def verdict(messages: tuple[bytes, ...]) -> TestOutcome:
    observation = read_observation(messages)
    verdicts = ()
    if observation is not None:
        ((found,),) = judge([Case(lowered=SUITE.assertions, records=observation.records)])
        verdicts = ((SUITE.assertions[0], found),)
    return judge_one(event(messages), observation, verdicts)[1]


@given(st.lists(message, max_size=3).map(tuple))
def test_no_bytes_break_the_decoder(messages):
    read_observation(messages)
    read_collected(messages)


def test_no_message_but_the_right_one_passes():
    wanted = json.dumps(
        {
            "phases": [["setup", "passed", False], ["call", "passed", False], ["teardown", "passed", False]],
            "failure": None,
            "records": [["a0", 0, [{"list": ["the", "right", 4711]}]]],
        }
    ).encode()
    assert verdict((wanted,)) is TestOutcome.PASSED
    assert verdict((wanted, wanted)) is not TestOutcome.PASSED
    assert verdict((wanted[:-1],)) is not TestOutcome.PASSED
    assert verdict((b"[" * 100_000,)) is not TestOutcome.PASSED
    assert verdict(()) is not TestOutcome.PASSED

    # one evaluating process for all examples: they are drawn first and judged together
    drawn: list[tuple[bytes, ...]] = []

    @given(st.lists(message, min_size=1, max_size=2).map(tuple))
    def collect(messages):
        drawn.append(messages)

    collect()
    observations = [(messages, read_observation(messages)) for messages in drawn]
    cases = [Case(lowered=SUITE.assertions, records=seen.records if seen else ()) for _, seen in observations]
    for (messages, seen), (found,) in zip(observations, judge(cases), strict=True):
        assert judge_one(event(messages), seen, ((SUITE.assertions[0], found),))[1] is not TestOutcome.PASSED
