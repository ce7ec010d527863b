"""QSF001: an attribute is read that no class defines."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.fields import did_you_mean, judge, shown
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    for judgement in judge(reading.classes):
        if judgement.defined or judgement.reason is not None:
            continue
        owner, read = judgement.owner, judgement.read
        name = shown(read.name, owner)
        meant = did_you_mean(name, (shown(a, owner) for a in owner.attributes))
        receiver = judgement.method.receiver
        yield RULE.finding(
            path=owner.module.path,
            line=read.line,
            column=read.column,
            class_name=owner.qualname,
            name=name,
            message=f"{receiver}.{name} is read, but neither {owner.qualname} nor its bases define {name!r}",
            suggestion=f"did you mean {receiver}.{meant}?" if meant else None,
        )


RULE = Rule(
    code="QSF001",
    analyser="fields",
    title="Attribute read but never defined",
    why=(
        "Code that was generated in pieces often initialises a field under one name and reads it under another; the "
        "class imports, and fails with AttributeError when the method runs. A read is judged only where all bases are "
        "known and nothing adds attributes by computed names; the summary says how many reads were judged."
    ),
    check=_check,
    severity=Severity.MEDIUM,
    defect=True,
)

BAD = (
    Case(
        title="two halves of a class disagree about a name",
        files={
            "m.py": """\
class Session:
    def __init__(self, session_id):
        self._session_id = session_id

    def describe(self):
        return f"session {self.session_id}"
"""
        },
        found=("m.py:6:32 session_id",),
    ),
    Case(
        title="a base class in another file, a slip in the derived one",
        files={
            "pkg/__init__.py": "",
            "pkg/base.py": "class Base:\n    def __init__(self):\n        self.received = 0\n",
            "pkg/derived.py": "from .base import Base\nclass Derived(Base):\n    def total(self):\n"
            "        return self.recieved + 1\n",
        },
        found=("pkg/derived.py:4:21 recieved",),
    ),
    Case(
        title="inside closures, comprehensions, f-strings, augmented assignments and deletions",
        files={
            "m.py": """\
class Walker:
    limit = 3

    def run(self, items):
        def inner():
            return self.limits
        self.done += 1
        label = f"{self.lable!r}"
        return [inner() for i in items if i < self.limit and i != self.last], label
"""
        },
        found=("m.py:6:25 limits", "m.py:8:25 lable", "m.py:9:72 last"),
    ),
    Case(
        title="slots, dataclass fields, named tuples and enumerations are complete lists",
        files={
            "m.py": """\
import enum
from dataclasses import dataclass
from typing import NamedTuple

@dataclass
class Point:
    x: int
    y: int = 0

    def norm(self):
        return self.x + self.z

class Pair(NamedTuple):
    left: int

    def both(self):
        return self.left + self.right

class Colour(enum.Enum):
    RED = 1

    def label(self):
        return self.name + self.titel
"""
        },
        found=("m.py:11:30 z", "m.py:17:33 right", "m.py:23:33 titel"),
    ),
    Case(
        title="fields of a pydantic model",
        files={
            "m.py": "from pydantic import BaseModel\nclass User(BaseModel):\n    name: str\n    def label(self):\n"
            "        return self.name, self.model_dump(), self.nmae\n"
        },
        found=("m.py:5:51 nmae",),
    ),
    Case(
        title="a method of a standard base that does not exist",
        files={
            "m.py": "import threading\nclass Worker(threading.Thread):\n    def stop(self):\n"
            "        self.daemon = True\n        self.joined()\n"
        },
        found=("m.py:5:14 joined",),
    ),
    Case(
        title="a private name belongs to the class that writes it",
        files={
            "m.py": "class A:\n    def __init__(self):\n        self.__key = 1\nclass B(A):\n    def key(self):\n"
            "        return self.__key\n"
        },
        found=("m.py:6:21 __key",),
    ),
)

GOOD = (
    Case(
        title="every way of defining an attribute",
        files={
            "m.py": """\
class Everything:
    __slots__ = ("slotted", "__dict__")
    annotated: int
    constant = 1
    first, (second, *third) = 1, (2, 3)

    class Nested:
        pass

    def __init__(self, other):
        self.plain = self.chained = other
        self.a, [self.b, *self.c] = other
        self.typed: int = 0
        self.counter = 0
        self.counter += 1
        for self.loop in other:
            pass
        with other as self.handle, other as (self.left, self.right):
            pass
        setattr(self, "by_name", other)
        self.__dict__["by_item"] = other
        self.__dict__.update(by_update=other)

    @property
    def computed(self):
        return self.plain

    @classmethod
    def make(cls):
        new = cls.__new__(cls)
        new.companion = 1
        cls.shared = 2
        return new

    def use(self):
        return (
            self.slotted, self.annotated, self.constant, self.first, self.second, self.third, self.Nested,
            self.plain,
            self.chained, self.a, self.b, self.c, self.typed, self.counter, self.loop, self.handle, self.left,
            self.right, self.by_name, self.by_item, self.by_update, self.computed, self.companion, self.shared,
            self.use, self.__class__, self.__dict__, self.__doc__,
        )
"""
        },
    ),
    Case(
        title="other code assigns on instances that it constructs, and on classes",
        files={
            "m.py": "class Record:\n    def show(self):\n        return self.title, self.kind, self.note\n"
            "def build():\n    record = Record()\n    record.title = 'x'\n    return record\n"
            "Record.kind = 'r'\ndef mark(thing):\n    thing.note = 1\n"
        },
    ),
    Case(
        title="what cannot be known stays silent",
        files={
            "m.py": """\
import somewhere
from elsewhere import Base, rewrite

class Derived(Base):
    def f(self):
        return self.anything

class Proxy:
    def __getattr__(self, name):
        return name

    def f(self):
        return self.anything

class Loaded:
    def __init__(self, **options):
        self.__dict__.update(options)

    def f(self):
        return self.anything

class Set:
    def __init__(self, options):
        for key, value in options:
            setattr(self, key, value)

    def f(self):
        return self.anything

@rewrite
class Decorated:
    def f(self):
        return self.anything

class LoggingMixin:
    def f(self):
        return self.host_log

class Meta(type):
    def f(cls):
        return cls.anything

class Made(metaclass=somewhere.Meta):
    def f(self):
        return self.anything

class Careful:
    def f(self):
        if hasattr(self, "maybe"):
            return self.maybe
        try:
            return self.perhaps
        except AttributeError:
            return None
"""
        },
    ),
    Case(
        title="a base that relies on what all derived classes define",
        files={
            "m.py": "class Shape:\n    def double(self):\n        return 2 * self.size\n"
            "class Square(Shape):\n    size = 4\n"
        },
    ),
    Case(
        title="bases of the standard library, generic ones, aliases and conditional imports",
        files={
            "m.py": """\
import collections
import typing
try:
    from collections.abc import MutableMapping as Mapping
except ImportError:
    from collections import MutableMapping as Mapping

T = typing.TypeVar("T")
Point = collections.namedtuple("Point", "x y")
Alias = dict

class A(Mapping):
    def f(self):
        return self.setdefault, self.popitem, self.__contains__

class B(typing.Generic[T], Point):
    def f(self):
        return self.x, self._replace, self.count

class C(Alias):
    def f(self):
        return self.fromkeys

class D(Exception):
    def f(self):
        return self.args, self.__traceback__, self.with_traceback
"""
        },
    ),
    Case(
        title="a decorator that hands the class back",
        files={
            "m.py": "known = {}\ndef register(name):\n    def add(cls):\n        known[name] = cls\n"
            "        return cls\n"
            "    return add\n@register('a')\nclass A:\n    x = 1\n    def f(self):\n        return self.x\n"
        },
    ),
)
