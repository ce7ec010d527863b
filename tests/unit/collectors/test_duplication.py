"""Repeated tokens, counted by hand on made sequences and on code."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from qualityscore.collectors.context import StaticOutcome
from qualityscore.collectors.duplication import WINDOW, repeated_tokens
from qualityscore.model.measure import Measured

Measure = Callable[..., StaticOutcome]


def distinct(count: int, start: int = 0) -> list[int]:
    return list(range(start, start + count))


def by_definition(functions: list[list[int]]) -> list[int]:
    """The definition, word by word: quadratic, for small input."""
    seen: set[tuple[int, ...]] = set()
    counts = []
    for codes in functions:
        covered: set[int] = set()
        for start in range(len(codes) - WINDOW + 1):
            window = tuple(codes[start : start + WINDOW])
            if window in seen:
                covered.update(range(start, start + WINDOW))
            seen.add(window)
        counts.append(len(covered))
    return counts


@pytest.mark.parametrize(
    ("functions", "expected"),
    [
        ([], []),
        ([[]], [0]),
        ([distinct(49), distinct(49)], [0, 0]),  # shorter than a window
        ([distinct(50), distinct(50)], [0, 50]),
        ([distinct(60), distinct(10, 1000) + distinct(55) + distinct(10, 2000)], [0, 55]),
        ([distinct(60), [*distinct(49), 999, *distinct(49)]], [0, 0]),
        ([distinct(30), distinct(20, 30), distinct(30), distinct(20, 30)], [0, 0, 0, 0]),  # not across functions
        ([distinct(50) * 2], [50]),  # 51 windows begin before the copy does; the one at 50 occurred at 0
        ([[7] * 100], [99]),  # the window at 1 equals the one at 0, and so on to the last
    ],
)
def test_tokens_under_a_window_that_occurred_earlier_are_repeated(
    functions: list[list[int]], expected: list[int]
) -> None:
    assert by_definition(functions) == expected
    assert [count for count, _ in repeated_tokens(functions)] == expected


def test_many_sequences_agree_with_the_definition() -> None:
    chance = random.Random(20)
    pieces = [[chance.randrange(2**32) for _ in range(chance.randrange(20, 90))] for _ in range(12)]
    functions = [[c for _ in range(chance.randrange(1, 6)) for c in chance.choice(pieces)] for _ in range(60)]
    counts = [count for count, _ in repeated_tokens(functions)]
    assert counts == by_definition(functions)
    assert sum(counts) > 1000


def test_the_first_original_is_named() -> None:
    a, b = distinct(60), distinct(60, 500)
    assert repeated_tokens([a, b, b + a]) == [(0, 0), (0, 0), (120, 1)]


def test_copies_are_found_whatever_their_literals_and_layout(measured: Measure) -> None:
    # tokens by line: def f ( rows ) : 6 | out = [ ] 4 | for row in rows : 5
    # | if row . kind == 'a' and row . size > 1 : 13 | out . append ( row . name . strip ( ) . lower ( ) + 'x' ) 18
    # | elif row . kind == 'b' : 7 | out . append ( row ) 6 | return out 2 = 61
    body = (
        "    out = []\n    for row in rows:\n        if row.kind == 'a' and row.size > 1:\n"
        "            out.append(row.name.strip().lower() + 'x')\n"
        "        elif row.kind == 'b':\n            out.append(row)\n    return out\n"
    )
    copy = (
        body.replace("'a'", "f'{0}'")
        .replace("> 1", "> 2.5")
        .replace("out.append(row)\n", "out.append(\n    row)  # !\n")
    )
    files = {"a.py": "def f(rows):\n" + body, "b.py": "\n\ndef g(rows):\n" + copy}
    outcome = measured(files, judged=[("a.py", 1), ("b.py", 3)])
    measure = outcome.measures["duplication.share"]
    assert isinstance(measure, Measured)
    tokens = measure.details["tokens"] / 2
    assert tokens == 61
    # all of the copy but `def g`: the windows start at `(`
    assert measure.value == pytest.approx((tokens - 2) / (2 * tokens))
    (finding,) = [f for f in outcome.findings if f.code == "duplicated-code"]
    assert (finding.path, finding.line, finding.message) == ("b.py", 3, "59 of 61 tokens of g repeat f (a.py:1)")
    assert finding.points == measure.value


def test_renamed_code_is_no_copy(measured: Measure) -> None:
    body = "    a = 1\n" + "    b = a + 1\n" * 20
    files = {"a.py": "def f():\n" + body.replace("b", "c"), "b.py": "def g():\n" + body.replace("a", "x")}
    outcome = measured(files, judged=[("a.py", 1)])
    alone = outcome.measures["duplication.share"]
    both = measured(files, judged=[("a.py", 1), ("b.py", 1)]).measures["duplication.share"]
    assert isinstance(alone, Measured)
    assert isinstance(both, Measured)
    assert both.value == pytest.approx(alone.value)  # each repeats itself, neither the other
