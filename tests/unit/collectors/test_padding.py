"""Functions that do next to nothing are listed where they are many, and cost nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qualityscore.collectors.context import StaticOutcome
from qualityscore.collectors.padding import BODY_TOKENS, CODE, LEAST

Measure = Callable[..., StaticOutcome]

WORKING = "def work_{0}(a, b):\n    if a > b:\n        return a\n    return b + {0}\n"  # 4 lines
PASSING = 'def step_{0}(value: int = max(1, 2)) -> dict[str, int]:\n    """Step."""\n    return value\n'  # 3 lines


def outcome_of(measured: Measure, bodies: list[str], left_out: int = 0) -> StaticOutcome:
    text, judged = "", []
    for body in bodies:
        judged.append(("a.py", text.count("\n") + 1))
        text += body
    return measured({"a.py": text}, judged=judged[: len(judged) - left_out])


def listed(outcome: StaticOutcome) -> list[tuple[str | None, int | None, float, dict[str, object]]]:
    return [(f.path, f.line, f.points, f.details) for f in outcome.findings if f.code == CODE]


def many(body: str, number: int) -> list[str]:
    return [body.format(turn) for turn in range(number)]


def test_many_pass_throughs_are_listed_and_cost_nothing(measured: Measure) -> None:
    found = listed(outcome_of(measured, many(WORKING, LEAST) + many(PASSING, LEAST)))
    assert found == [("a.py", 4 * LEAST + 1, 0.0, {"functions": LEAST, "judged": 2 * LEAST})]


@pytest.mark.parametrize(
    ("working", "passing", "left_out"),
    [
        (LEAST + 1, LEAST, 0),  # fewer than half
        (0, LEAST - 1, 0),  # few
        (0, LEAST, 1),  # few that were entered
    ],
)
def test_few_are_not(measured: Measure, working: int, passing: int, left_out: int) -> None:
    bodies = many(WORKING, working) + many(PASSING, passing)
    assert listed(outcome_of(measured, bodies, left_out)) == []


@pytest.mark.parametrize(
    ("body", "is_trivial"),
    [
        ("pass", True),
        ("return self._name", True),  # return self . _name: 4 tokens
        ("return f(a, b)", False),  # return f ( a , b ): 7 tokens, one more than trivial
        ("return a + b", False),  # computes
        ("return a if b else c", False),  # decides, and is longer
    ],
)
def test_what_is_trivial(measured: Measure, body: str, is_trivial: bool) -> None:
    assert BODY_TOKENS == 6
    found = listed(outcome_of(measured, many("def name_{0}(self):\n    " + body + "\n", LEAST)))
    assert bool(found) is is_trivial
