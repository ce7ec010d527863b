"""Messages that a subject wrote in the place of ours: each is out of order, and none breaks the reading of the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from qualityscore.branch.own_tests import Verdict
from qualityscore.branch.own_tests import _test as own_test
from qualityscore.inside.encode import encode
from qualityscore.suites.observed import LEVELS, GaveValue, read_unit

RAISED = {"type": "builtins.ValueError", "bases": [], "text": "", "misfit": False, "frames": []}
DIGEST = "0" * 64


def told(**seen: Any) -> bytes:
    return json.dumps({"probe": 0, "seen": {"stage": "call", "cpu_s": 0.0, "mutated": [], **seen}}).encode()


def nested(levels: int) -> Any:
    """Objects and arrays by turns, `levels` of them around a number."""
    value: Any = 1
    for number in range(levels):
        value = {"list": value} if number % 2 else [value]
    return value


@pytest.mark.parametrize(
    "forged",
    [
        told(raised={**RAISED, "frames": [["m.py", "no line", "f"]]}),
        told(digest=DIGEST, value=nested(560)),  # a value of 280 lists could be decoded, and not be compared
        told(digest=DIGEST, value=nested(LEVELS + 2)),
        told(digest=DIGEST, cpu_s=10**400),
    ],
    ids=["text for a line", "deep", "a little too deep", "endless time"],
)
def test_a_forged_message_is_no_observation(forged: bytes) -> None:
    record = read_unit([forged], [0])
    assert record.probes == {}
    assert [note.partition(":")[0] for note in record.odd] == ["a message that cannot be read"]


def test_the_deepest_value_that_is_encoded_can_be_read() -> None:
    """64 levels of a mapping that is no dict, by four levels of JSON each."""

    class Odd(dict):
        pass

    value: Any = 1
    for _ in range(70):
        value = Odd(k=value)
    record = read_unit([told(digest=DIGEST, value=encode(value))], [0])
    assert record.odd == []
    assert isinstance(record.probes[0], GaveValue)


@pytest.mark.parametrize("duration_s", [10**400, "long", None])
def test_a_test_of_a_repository_with_an_impossible_duration_has_failed(duration_s: Any) -> None:
    passed = [[when, "passed", False] for when in ("setup", "call", "teardown")]
    message = {"end": "t.py::test_a", "phases": passed, "failure": None}
    assert own_test("t.py::test_a", {**message, "duration_s": 0.5}).verdict is Verdict.PASSED
    assert own_test("t.py::test_a", {**message, "duration_s": duration_s}).verdict is Verdict.FAILED
