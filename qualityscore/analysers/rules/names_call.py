"""QSN006: a call of a function or class of the repository whose arguments cannot fit."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.constructors import constructor_of
from qualityscore.analysers.functions import keeps_signature
from qualityscore.analysers.project import ClassEntity, Entity, FunctionEntity
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.analysers.signature import Signature, misfit
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    project = reading.project
    for module in project:
        for call in module.fact.calls:
            if not project.is_local(module, call.reference):
                continue
            entities = project.resolve(module, call.reference)
            signatures = [_signature(reading, e) for e in entities]
            known = [s for s in signatures if s is not None]
            if not known or len(known) < len(signatures):
                continue
            reasons = [misfit(call.shape, s) for s in known]
            if any(r is None for r in reasons):
                continue
            name = call.reference.rpartition(".")[2]
            yield RULE.finding(
                path=module.path,
                line=call.line,
                column=call.column,
                name=call.reference,
                message=f"the call of {call.reference} cannot fit: it {reasons[0]}",
                suggestion=f"its signature is {name}{known[0].plain()}",
            )


def _signature(reading: Reading, entity: Entity) -> Signature | None:
    match entity:
        case FunctionEntity(module, fact, _) if module.repository and keeps_signature(fact.decorators):
            if "." not in fact.qualname:
                return fact.signature
            return None  # a method through its class: bound or not, that is the caller's business
        case ClassEntity(module, fact) if module.repository:
            return constructor_of(reading.classes.of(module, fact))
        case _:
            return None


RULE = Rule(
    code="QSN006",
    analyser="names",
    title="Call that cannot fit",
    why=(
        "The call raises TypeError each time: caller and callee were written with different signatures in mind. Judged "
        "where every definition that the name may mean is in the repository and undecorated."
    ),
    check=_check,
    severity=Severity.MEDIUM,
    defect=True,
)

BAD = (
    Case(
        title="functions across files, constructors, dataclasses",
        files={
            "pkg/__init__.py": "",
            "pkg/lib.py": """\
from dataclasses import dataclass

def load(path, *, strict=False):
    return path, strict

class Store:
    def __init__(self, size):
        self.size = size

class Small(Store):
    pass

class Bare:
    pass

@dataclass
class Point:
    x: int
    y: int = 0
""",
            "pkg/use.py": """\
from . import lib
from .lib import Bare, Point, Small, load

load()
load("a", True)
lib.load("a", strickt=True)
Small()
Bare(1)
Point()
Point(1, 2, 3)
""",
        },
        found=(
            "pkg/use.py:4:1 load",
            "pkg/use.py:5:1 load",
            "pkg/use.py:6:1 lib.load",
            "pkg/use.py:7:1 Small",
            "pkg/use.py:8:1 Bare",
            "pkg/use.py:9:1 Point",
            "pkg/use.py:10:1 Point",
        ),
    ),
)

GOOD = (
    Case(
        title="fitting, conditional, decorated, shadowed and unknown",
        files={
            "m.py": """\
import enum
import attr
from elsewhere import wrap, Base

try:
    from elsewhere import fast
except ImportError:
    def fast(a):
        return a

if wrap:
    def either(a):
        return a
else:
    def either(a, b):
        return b

@wrap
def decorated():
    return 1

def plain(a, b=1, *, c=2):
    return a

@attr.s
class Old:
    x = attr.ib()

class Derived(Base):
    pass

class Colour(enum.Enum):
    RED = (1, 2)

    def __init__(self, a, b):
        self.a, self.b = a, b

class Fail(ValueError):
    pass

def run(plain, args):
    plain()
    fast(1, 2)
    either(1, 2)
    either(1)
    decorated(1)
    Old(1)
    Derived(1, 2)
    Colour((1, 2))
    Fail("a", 1)

plain(1, 2, c=3)
plain(*[1, 2])
plain(**{"a": 1})
"""
        },
    ),
)
