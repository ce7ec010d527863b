"""Messages of probes come from the subject's process: any bytes are read, and only the right value is ever right."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from qualityscore.inside.encode import digest, encode
from qualityscore.suites.manifest import Probe, Returned
from qualityscore.suites.observed import read_unit
from qualityscore.suites.survival import judge

ASKED = (0, 1)
RIGHT = encode(["the", "right", 4711])
EXPECTED = Returned(digest=digest(RIGHT), value=RIGHT, shown="a list")
LARGE = Returned(digest=digest(RIGHT), large=True, shown="a large list")

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["the", "right", 4711]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
).filter(lambda value: value != ["the", "right", 4711])
raised = st.fixed_dictionaries(
    {
        "type": st.text(max_size=8),
        "bases": st.lists(st.sampled_from(["builtins.ValueError", "builtins.Exception"]), max_size=2),
        "text": st.text(max_size=8),
        "misfit": st.booleans(),
        "frames": st.lists(st.tuples(st.text(max_size=4), st.integers(0, 9) | plain, st.text(max_size=4)), max_size=2),
    }
)
seen = st.fixed_dictionaries(
    {"stage": st.sampled_from(["setup", "call"]), "cpu_s": st.just(0.0) | plain, "mutated": st.just([]) | plain},
    optional={
        "digest": st.just("0" * 64) | st.text(max_size=8),
        "value": values.map(encode) | plain,
        "large": st.booleans(),
        "raised": st.none() | raised | plain,
        "effects": plain,
        "echo": st.booleans(),
    },
)
index = st.sampled_from([0, 1, 2, -1]) | plain
told = (
    st.fixed_dictionaries({"probe": index, "seen": seen})
    | st.fixed_dictionaries({"after": index, "seen": seen})
    | st.fixed_dictionaries({"sensible": seen})
    | st.just({"end": True})
    | st.fixed_dictionaries(
        {}, optional={"probe": plain, "seen": plain, "end": plain, "sensible": plain, "more": plain}
    )
)
message = st.binary(max_size=200) | (plain | told).map(lambda value: json.dumps(value).encode())


def is_right(outcome, was_seen):
    probe = Probe(id="p", kind="valid", setup=[], call="m.f()", inputs="i", outcome=outcome)
    return judge(probe, was_seen, None, None, documented=(), tolerance=0.0).right


def answer(**changes):
    said = {"stage": "call", "cpu_s": 0.0, "mutated": [], "digest": "0" * 64, "value": RIGHT, **changes}
    return json.dumps({"probe": 0, "seen": said}).encode()


@given(st.lists(message, max_size=6))
def test_no_bytes_break_the_decoder_and_none_but_the_right_value_is_right(messages):
    record = read_unit(messages, ASKED)
    assert record.probes.keys() <= set(ASKED)
    assert record.after.keys() <= record.probes.keys()
    for was_seen in record.probes.values():
        assert not is_right(EXPECTED, was_seen)
        assert not is_right(LARGE, was_seen)


@given(st.lists(message, max_size=6))
def test_a_unit_has_run_to_the_end_only_with_all_that_it_was_asked(messages):
    """Told twice that it ended, and with anything else between, what is missing stays missing."""
    record = read_unit([*messages, b'{"end": true}'], ASKED)
    assert record.complete is (record.probes.keys() == record.after.keys() == set(ASKED))
    assert record.complete or record.odd


@given(st.lists(message, max_size=4), st.lists(message, max_size=4))
def test_what_is_sent_around_it_takes_no_right_answer_away_and_adds_none(before, after):
    first = read_unit(before, ASKED).probes.get(0)
    found = read_unit([*before, answer(), *after], ASKED).probes[0]
    assert found == first if first is not None else is_right(EXPECTED, found)


def test_the_right_value_is_right_by_its_own_digest_and_not_by_the_one_it_claims():
    (found,) = read_unit([answer()], ASKED).probes.values()
    assert is_right(EXPECTED, found)
    (found,) = read_unit([answer(value=encode(["the", "wrong", 4711]), digest=EXPECTED.digest)], ASKED).probes.values()
    assert not is_right(EXPECTED, found)
