"""Twins of derived suites: one condition turned into what cannot hold as well."""

import random

from qualityscore.judging.derive import derive
from qualityscore.judging.twins import twin_keys, twinned

SUITE = derive(
    """import m

def test_moved():
    assert m.f(1) == 2

def test_alternative():
    x = m.f(2)
    assert x == 3 or x == 4

def test_object():
    assert m.f(3) is m.g(
        3)

def test_loop():
    for n in m.f(4):
        assert n

def test_text():
    assert m.h() == "right"
""",
    "t.py",
    frozenset({"a4"}),
)


def test_only_unconditional_assertions_left_in_the_child_have_twins():
    assert twin_keys(SUITE) == {"test_alternative": "a1", "test_object": "a2", "test_text": "a4"}


def test_conditions_are_negated_and_compared_literals_perturbed():
    found = twinned(SUITE, {"test_alternative", "test_object", "test_text"}, random.Random(1))
    assert "assert (not (x == 3 or x == 4))" in found.source
    assert "assert (not (m.f(3) is m.g(\n        3)))" in found.source
    assert '"right"' not in found.source
    assert found.strong == {"test_text"}
    assert found.source.count("\n") == SUITE.source.count("\n")
    compile(found.source, "t.py", "exec")


def test_other_functions_are_left_alone():
    assert twinned(SUITE, {"test_object"}, random.Random(1)).source.count("not (") == 1
    assert twinned(SUITE, set(), random.Random(1)).source == SUITE.source
