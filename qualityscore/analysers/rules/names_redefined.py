"""QSN005: a function or class is defined again before anything used it."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    for module in reading.project:
        for one in module.fact.redefinitions:
            yield RULE.finding(
                path=module.path,
                line=one.line,
                column=one.column,
                class_name=one.class_name,
                name=one.name,
                message=f"{one.name!r} was already defined on line {one.first_line}, and nothing has used that",
                suggestion=RULE.hint,
            )


RULE = Rule(
    code="QSN005",
    analyser="names",
    title="Definition that replaces an earlier one",
    why=(
        "The earlier definition is dead code, and its author believed that it runs. Definitions in different branches, "
        "decorated ones (overloads, setters, routes) and ones used in between are left out."
    ),
    check=_check,
    hint="remove one of the two, or rename it",
    severity=Severity.MEDIUM,
    defect=True,
)

BAD = (
    Case(
        title="functions, methods and classes",
        files={
            "m.py": """\
def f(a):
    return a

def f(a, b):
    return b

class A:
    def g(self):
        return 1

    @property
    def h(self):
        return 1

    def g(self):
        return 2

    @property
    def h(self):
        return 2

class A:
    x = 1
"""
        },
        found=("m.py:4:1 f", "m.py:15:5 g", "m.py:19:5 h", "m.py:22:1 A"),
    ),
)

GOOD = (
    Case(
        title="branches, overloads, setters, registrations, and use in between",
        files={
            "m.py": """\
import functools
from typing import overload

if functools:
    def f(): return 1
else:
    def f(): return 2

@overload
def g(a: int) -> int: ...
@overload
def g(a: str) -> str: ...
def g(a): return a

class A:
    @property
    def x(self): return 1
    @x.setter
    def x(self, value): return None

@functools.singledispatch
def show(a): return a
@show.register
def _(a: int): return 1
@show.register
def _(a: str): return 2

def step(): return 1
first = step()
def step(): return 2

@f.route("/a")
def page(): return 1
@f.route("/b")
def page(): return 2
"""
        },
    ),
)
