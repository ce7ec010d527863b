"""Degradations change what they are for, and nothing that a right call returns."""

import ast
import mmap

import pytest

from qualityscore.defects.degradations import complicate, endanger, hoard, make_brittle, slow_down
from qualityscore.languages.python_source import SourceFile
from qualityscore.languages.python_units import measure_units

SOURCE = '''"""A module."""
from __future__ import annotations

import functools


class Box:
    """A box."""

    def add(self, value: int, times=1):
        """Add a value.

        Some more.
        """
        # a comment
        if times < 0:
            raise ValueError("times")

        return value + 10 * times


@functools.lru_cache
def plain(x): return x


def generate(n):
    for i in range(n):
        yield i
'''


def run(source):
    space = {"__name__": "m"}
    exec(compile(source, "m.py", "exec"), space)
    return space


def complexity(source, name):
    file = SourceFile(path="m.py", raw=source.encode(), digest="", encoding="utf-8", text=source)
    return {u.qualname: u.complexity for u in measure_units(file, ast.parse(source)).units}[name]


@pytest.mark.parametrize(
    "degraded",
    [
        complicate(SOURCE, "Box.add", 30),
        endanger(SOURCE, 3),
        make_brittle(SOURCE, ("Box.add", "generate")),
        slow_down(SOURCE, "Box.add", 5),
        hoard(SOURCE, "Box.add", 1),
    ],
    ids=["complicate", "endanger", "make_brittle", "slow_down", "hoard"],
)
def test_right_calls_return_what_they_did(degraded):
    space = run(degraded)
    assert space["Box"]().add(1, 2) == 21
    assert list(space["generate"](3)) == [0, 1, 2]
    with pytest.raises(ValueError, match="times"):
        space["Box"]().add(1, -1)
    assert space["__doc__"] == "A module."
    assert space["Box"].add.__doc__.startswith("Add a value.")


@pytest.mark.parametrize("decisions", [1, 30, 60, 120])
def test_complexity_grows_by_the_decisions_that_were_asked_for(decisions):
    assert complexity(complicate(SOURCE, "Box.add", decisions), "Box.add") == complexity(SOURCE, "Box.add") + decisions


def test_dangerous_functions_are_as_many_as_were_asked_for():
    tree = ast.parse(endanger(SOURCE, 3))
    assert sum(isinstance(n, ast.Call) and ast.unparse(n.func) == "eval" for n in ast.walk(tree)) == 3


def test_a_brittle_function_leaves_the_interpreter_on_a_wrong_argument():
    with pytest.raises(TypeError):
        run(SOURCE)["Box"]().add(1, None)
    with pytest.raises(SystemExit):
        run(make_brittle(SOURCE, ("Box.add",)))["Box"]().add(1, None)


def test_work_is_done_on_every_call():
    tree = ast.parse(slow_down(SOURCE, "generate", 7))
    first = next(n for n in tree.body if getattr(n, "name", "") == "generate").body[0]
    assert ast.unparse(first) == "for _ in range(7):\n    pass"


def test_memory_is_taken_once_and_kept():
    space = run(hoard(SOURCE, "Box.add", 2))
    space["Box"]().add(1)
    space["Box"]().add(1)
    [held] = space["_qs_held"]
    assert isinstance(held, mmap.mmap)
    assert len(held) == 2 << 20


@pytest.mark.parametrize("function", ["Box.remove", "Bag.add", "Box", "plain"])
def test_what_cannot_be_degraded_is_refused(function):
    with pytest.raises(ValueError, match=function.split(".")[0]):
        slow_down(SOURCE, function, 1)


def test_a_string_of_several_lines_is_not_indented():
    source = 'def f():\n    return """a\n    b"""\n'
    with pytest.raises(ValueError, match="string of several lines"):
        make_brittle(source, ("f",))
