"""QSF005: a call of an own method whose arguments cannot fit."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.calls import definitions, misfits, self_calls
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    for owner in reading.classes.all:
        if owner.is_mixin:
            continue
        for call in self_calls(owner):
            name = call.read.name
            if call.method.unjudged or call.read.guarded or (owner.open is not None and name not in owner.own):
                continue
            if name in reading.classes.anywhere and name not in owner.fact.members:
                continue
            reason = misfits(owner, name, call.shape)
            if reason is None or any(misfits(child, name, call.shape) is None for child in owner.descendants()):
                continue
            target = definitions(owner, name)[0][1].function
            yield RULE.finding(
                path=owner.module.path,
                line=call.read.line,
                column=call.read.column,
                class_name=owner.qualname,
                name=name,
                message=f"the call of {target.qualname} cannot fit: it {reason}",
                suggestion=f"its signature is {name}{target.signature.plain()}",
            )


RULE = Rule(
    code="QSF005",
    analyser="fields",
    title="Call of an own method that cannot fit",
    why=(
        "A method was written for other arguments than those that its own class passes: the call raises TypeError each "
        "time. Judged where the method is known and undecorated; unpacked arguments may hold anything."
    ),
    check=_check,
    severity=Severity.MEDIUM,
    defect=True,
)

BAD = (
    Case(
        title="too many, too few, unknown and double arguments",
        files={
            "m.py": """\
class A:
    def f(self, a, b=1):
        return a

    @staticmethod
    def s(a):
        return a

    @classmethod
    def c(cls, a, *, key):
        return cls, key

    def g(self):
        self.f()
        self.f(1, 2, 3)
        self.f(1, c=2)
        self.f(1, a=2)
        self.s()
        self.c(1)
        self.f(*[1], c=3)
"""
        },
        found=(
            "m.py:14:14 f",
            "m.py:15:14 f",
            "m.py:16:14 f",
            "m.py:17:14 f",
            "m.py:18:14 s",
            "m.py:19:14 c",
            "m.py:20:14 f",
        ),
    ),
    Case(
        title="a method of a base class in another file",
        files={
            "base.py": "class Base:\n    def send(self, data, flags):\n        return data, flags\n",
            "m.py": "from base import Base\nclass D(Base):\n    def go(self):\n        return self.send(1)\n",
        },
        found=("m.py:4:21 send",),
    ),
)

GOOD = (
    Case(
        title="fitting calls, unpacked arguments, replaced and decorated methods",
        files={
            "m.py": """\
import functools
from elsewhere import wrap

class A:
    def __init__(self, hook):
        self.hook = hook
        self.swap = hook

    def swap(self):
        return None

    def f(self, a, b=1, *rest, key=None, **more):
        return a

    @wrap
    def decorated(self):
        return None

    @property
    def maker(self):
        return lambda a, b: a

    @functools.lru_cache
    def cached(self, a):
        return a

    def g(self, args, kwargs):
        self.f(1)
        self.f(1, 2, 3, 4, key=5, other=6)
        self.f(*args)
        self.f(**kwargs)
        self.decorated(1, 2)
        self.maker(1, 2)
        self.hook(1, 2, 3)
        self.swap(1, 2)
        self.cached(1)
"""
        },
    ),
    Case(
        title="a derived class takes what the base does not",
        files={
            "m.py": "class Base:\n    def go(self):\n        return self.step(1)\n    def step(self):\n"
            "        raise NotImplementedError\nclass D(Base):\n    def step(self, n):\n        return n\n"
        },
    ),
)
