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


def test_a_function_that_the_file_reads_has_no_twin():
    text = "import m\n\ndef test_a():\n    assert m.f() is m.g()\n\n"
    assert twin_keys(derive(text, "t.py")) == {"test_a": "a0"}
    assert twin_keys(derive(text + "def test_b():\n    test_a()\n", "t.py")) == {}
    assert twin_keys(derive(text + "test_c = test_a\n", "t.py")) == {}


def test_inherited_tests_are_named_by_the_function_that_runs():
    text = """
class Base:
    def test_a(self): pass
    def test_b(self): pass
    def test_c(self): pass
    class TestInner:
        def test_d(self): pass

class Other:
    def test_b(self): pass

class TestBoth(Other, Base):
    def test_a(self): pass
    test_c = None

class TestFurther(TestBoth): pass

class TestForeign(Unknown, Base): pass
"""
    suite = derive(text, "t.py")
    assert suite.inherited == {  # read off the text
        "TestBoth::test_b": "Other::test_b",
        "TestBoth::TestInner::test_d": "Base::TestInner::test_d",
        "TestFurther::test_a": "TestBoth::test_a",
        "TestFurther::test_b": "Other::test_b",
        "TestFurther::TestInner::test_d": "Base::TestInner::test_d",
        "TestForeign::test_a": "Base::test_a",
        "TestForeign::test_b": "Base::test_b",
        "TestForeign::test_c": "Base::test_c",
        "TestForeign::TestInner::test_d": "Base::TestInner::test_d",
    }
    assert suite.function("t.py::TestBoth::test_b[1]") == "Other::test_b"
    assert suite.function("t.py::TestBoth::test_a") == "TestBoth::test_a"
