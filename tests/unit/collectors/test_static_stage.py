"""The static stage as a whole, with the real tools in real workers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qualityscore.collectors.context import StaticOutcome
from qualityscore.model.measure import Fault, Measured, NotApplicable, Unavailable

Measure = Callable[..., StaticOutcome]

MAINTAINABILITY = (
    "index.deficit",
    "complexity.excess",
    "lint.penalty",
    "duplication.share",
    "structure.defects",
)

# f has 19 tokens: def f ( xs ) : 6, total = 0 3, for x in xs : 5, total += x 3, return total 2
CLEAN = (
    '"""Doc."""\n\n\ndef f(xs):\n    """Sum."""\n    # as sum() does\n'
    "    total = 0\n    for x in xs:\n        total += x\n    return total\n"
)


def value(outcome: object) -> float:
    assert isinstance(outcome, Measured)
    return outcome.value


def test_clean_code_costs_nothing(measured: Measure) -> None:
    outcome = measured({"pkg/__init__.py": "", "pkg/a.py": CLEAN}, judged=[("pkg/a.py", 4)])
    assert {id_: value(m) for id_, m in outcome.measures.items()} == dict.fromkeys((*MAINTAINABILITY, "bandit.risk"), 0)
    assert outcome.findings == outcome.faults == outcome.suppressions == ()
    measure = outcome.measures["lint.penalty"]
    assert isinstance(measure, Measured)
    assert measure.details["judged_size"] == pytest.approx(19 / 7)
    assert set(outcome.tool_versions) == {"python", "pylint", "astroid", "bandit", "pylintrc"}


def test_only_judged_code_counts(measured: Measure) -> None:
    bad = "\n\ndef unused(a, b=[]):\n    import os\n    try:\n        return a\n    except:\n        x = y\n"
    alone = measured({"a.py": CLEAN}, judged=[("a.py", 4)])
    padded = measured({"a.py": CLEAN + bad}, judged=[("a.py", 4)])
    for id_ in MAINTAINABILITY:
        assert value(padded.measures[id_]) == value(alone.measures[id_])
    silent = [f for f in padded.findings if f.dimension == "maintainability"]
    assert {f.code for f in silent} >= {"W0102", "W0702", "E0602", "W0611", "W0612"}
    assert {f.points for f in silent} == {0.0}


def test_an_entered_closure_makes_its_function_judged(measured: Measure) -> None:
    text = "def outer():\n    def inner():\n        return 1\n    return inner\n"
    outcome = measured({"a.py": text}, judged=[("a.py", 2)])
    measure = outcome.measures["index.deficit"]
    assert isinstance(measure, Measured)
    assert measure.details["judged_functions"] == 1


def test_without_a_trace_used_functions_dunders_and_public_names_are_judged(measured: Measure) -> None:
    text = (
        "class A:\n"
        "    def __len__(self):\n        return self.used()\n"
        "    def used(self):\n        return 1\n"
        "    def unused(self):\n        return self.unused()\n"
        "def public():\n    return 2\n"
        "def dead():\n    return 3\n"
    )
    outcome = measured({"a.py": text}, public_names=["public"])
    measure = outcome.measures["index.deficit"]
    assert isinstance(measure, Measured)
    assert measure.details["judged_functions"] == 3  # __len__, used, public


@pytest.mark.parametrize(
    ("files", "judged", "is_reference", "expected"),
    [
        ({"a.py": "x = 1\n"}, [], False, Fault.SUBJECT),
        ({"a.py": CLEAN}, [], False, Fault.SUBJECT),
        ({}, [], False, Fault.SUBJECT),
        ({"a.py": "x = 1\n"}, [], True, Fault.REFERENCE),
        ({"a.py": "x = 1\n"}, None, True, None),
    ],
)
def test_without_judged_functions_there_is_nothing_to_score(
    measured: Measure, files: dict[str, str], judged: list[tuple[str, int]] | None, is_reference: bool, expected: object
) -> None:
    outcome = measured(files, judged=judged, is_reference=is_reference)
    for id_ in MAINTAINABILITY:
        lost = outcome.measures[id_]
        if expected is None:
            assert isinstance(lost, NotApplicable)
        else:
            assert isinstance(lost, Unavailable)
            assert lost.fault == expected
    assert value(outcome.measures["bandit.risk"]) == 0
