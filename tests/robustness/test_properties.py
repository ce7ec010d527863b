"""A property holds only where its examples were run to their end, or rejected by the property itself."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pytest

from qualityscore.model.outcome import PropertyOutcome
from qualityscore.runtime.supervision import INSIDE_SOURCES
from qualityscore.suites import properties
from robustness.test_limits import with_property
from robustness.test_replay import manifest, probe

HEAD = """
import thing
from hypothesis import assume, given, reject
from hypothesis import strategies as st

"""
SAME = HEAD + "@given(st.integers())\ndef prop_same(x):\n    '''The same.'''\n    assert thing.f(x) == x\n"
RIGHT = "def f(x):\n    return x\n"
WRONG = """
import sys

def f(x):
    if x % 2:
        {leave}
    return x
"""


def held(make_target: Any, source: str, probes: str, name: str = "prop_same", **options: Any) -> PropertyOutcome:
    target = make_target(source, probes=probes)
    frozen = with_property(manifest(probe("thing.f(2)")), name)
    (outcome,) = properties.run(target, frozen, total_s=60, **options)
    return outcome


def test_what_a_right_subject_does_holds(make_target: Any) -> None:
    assert held(make_target, RIGHT, SAME).passed


@pytest.mark.parametrize(
    "leave",
    [
        "sys.modules['hypothesis'].reject()",
        "sys.modules['hypothesis'].assume(False)",
        "raise sys.modules['hypothesis.errors'].UnsatisfiedAssumption()",
        "raise sys.modules['hypothesis.errors'].StopTest(0)",
        "sys.modules['hypothesis.control'].current_build_context().data.mark_invalid()",
        "sys.modules['hypothesis.control'].current_build_context().data.freeze(); return None",
        "raise sys.modules['hypothesis.errors'].BackendCannotProceed('discard_test_case')",
        "import unittest; raise unittest.SkipTest('not today')",
        "import pytest; pytest.skip('not today')",
        "sys.exit(0)",
    ],
)
def test_a_subject_that_rejects_what_it_cannot_do_refutes_the_property(make_target: Any, leave: str) -> None:
    outcome = held(make_target, WRONG.format(leave=leave), SAME)
    assert not outcome.passed
    assert outcome.message


def test_the_message_says_who_rejected_the_example(make_target: Any) -> None:
    outcome = held(make_target, WRONG.format(leave="sys.modules['hypothesis'].reject()"), SAME)
    assert outcome.message == (
        "The same. SubjectRejectedError: the subject rejected an example (UnsatisfiedAssumption)"
    )
    assert outcome.snippet == "prop_same(\n    x=1,\n)"


def test_a_subject_that_only_pretends_to_be_assume_is_not_taken_for_it(make_target: Any) -> None:
    source = "import sys\nimport hypothesis\n\nf = hypothesis.reject\n"
    probes = SAME.replace("thing.f(x)", "thing.f()")
    assert not held(make_target, source, probes).passed


OWN = {
    "assume": "@given(st.integers())\ndef prop_same(x):\n    assume(x % 2)\n    assert thing.f(x) == x\n",
    "reject in a helper": (
        "def odd(x):\n    if not x % 2:\n        reject()\n\n"
        "@given(st.integers())\ndef prop_same(x):\n    odd(x)\n    assert thing.f(x) == x\n"
    ),
    "a drawn value that a filter refuses": (
        "@given(st.data())\ndef prop_same(data):\n"
        "    x = data.draw(\n        st.integers().filter(\n            lambda x: x % 7 == 0))\n"
        "    assert thing.f(x) == x\n"
    ),
    "assume in a callback of the subject's": (
        "def odd(x):\n    return assume(x % 2)\n\n"
        "@given(st.integers())\ndef prop_same(x):\n    assert thing.f(x, odd) == x\n"
    ),
    "a drawn function that the subject calls": (
        "@given(st.integers(), st.functions(like=lambda x: ..., returns=st.integers().filter(lambda x: x % 7 == 0)))\n"
        "def prop_same(x, call):\n    assert thing.f(x, call) == x\n"
    ),
}


@pytest.mark.parametrize("own", OWN)
def test_a_property_may_reject_examples_itself(make_target: Any, own: str) -> None:
    source = "def f(x, call=None):\n    if call is not None:\n        call(x)\n    return x\n"
    outcome = held(make_target, source, HEAD + OWN[own])
    assert outcome.passed, outcome.message


def test_a_property_of_which_no_example_was_run_to_its_end_does_not_hold(make_target: Any) -> None:
    probes = HEAD + "@given(st.integers())\ndef prop_same(x):\n    thing.f(x)\n    reject()\n"
    assert not held(make_target, RIGHT, probes).passed


def test_watching_changes_no_example(monkeypatch: Any, tmp_path: Any) -> None:
    """Examples are seeded by the property's source; those of a snapshot and of a plain run are the same."""
    monkeypatch.syspath_prepend(INSIDE_SOURCES)
    probe_properties = importlib.import_module("probe_properties")
    file = tmp_path / "drawn.py"
    file.write_text(
        "from hypothesis import given, settings\nfrom hypothesis import strategies as st\n\nSEEN = []\n\n"
        "@settings(derandomize=True, database=None)\n@given(st.text())\ndef prop(text):\n    SEEN.append(text)\n"
    )
    seen = []
    for is_watched in (False, True):
        spec = importlib.util.spec_from_file_location("drawn", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if is_watched:
            probe_properties._Watch(module.prop, str(file))
        module.prop()
        seen.append(module.SEEN)
    assert len(seen[0]) == 100
    assert seen[0] == seen[1]
