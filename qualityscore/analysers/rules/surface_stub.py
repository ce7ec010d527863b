"""QSU001: a public name behind which nothing is done."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding


def _check(reading: Reading) -> Iterator[Finding]:
    bodiless = {e.name for e in reading.reference.entries if e.bodiless} if reading.reference else set()
    for entry in reading.surface.names:
        if entry.stub is None or entry.kind == "exception" or entry.name in bodiless:
            continue
        yield RULE.finding(
            path=entry.path,
            line=entry.line,
            column=entry.column,
            name=entry.name,
            message=f"{entry.name} is a stub: it {entry.stub}",
            suggestion=RULE.hint,
        )


RULE = Rule(
    code="QSU001",
    analyser="surface",
    title="Public name that is a stub",
    why=(
        "A function without a body, or one that gives the same constant whatever its arguments, promises what nothing "
        "does. Exception classes and what the reference marks as bodiless are none; hooks and protocols may be."
    ),
    check=_check,
    hint="implement it, or take it out of the public surface",
)

BAD = (
    Case(
        title="bodiless, constant, and a class of stubs",
        files={
            "m.py": '''\
def nothing(a):
    """Will do something."""

def later(a):
    raise NotImplementedError

def always(a, b):
    if a:
        return 3
    return 3

class Hollow:
    def act(self, a):
        ...
'''
        },
        found=(
            "m.py:1:1 m.nothing",
            "m.py:4:1 m.later",
            "m.py:7:1 m.always",
            "m.py:12:1 m.Hollow",
            "m.py:13:5 m.Hollow.act",
        ),
    ),
)

GOOD = (
    Case(
        title="functions that do something, exceptions, private names",
        files={
            "m.py": """\
class BoxError(Exception):
    pass

def _private():
    pass

def echo(a):
    return a

def pick(a):
    if a:
        return 1
    return 2

def act(a):
    a.done = True

class Box(dict):
    pass
"""
        },
    ),
)
