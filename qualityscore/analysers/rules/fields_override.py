"""QSF006: an override that calls made for the base's method cannot fit."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.calls import bound_signature, self_calls
from qualityscore.analysers.facts import MethodFact
from qualityscore.analysers.lineage import Class
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.analysers.signature import Kind, Signature, misfit
from qualityscore.model.finding import Finding, Severity

_FREE = frozenset({"__init__", "__new__", "__init_subclass__", "__post_init__", "__class_getitem__", "__call__"})


def _check(reading: Reading) -> Iterator[Finding]:
    for owner in reading.classes.all:
        for method in owner.fact.methods:
            name = method.function.name
            private = name.startswith("__") and not name.endswith("__")
            if name in _FREE or private or len(owner.fact.members.get(name, ())) > 1:
                continue
            yield from _of_method(owner, method)


def _of_method(owner: Class, method: MethodFact) -> Iterator[Finding]:
    name = method.function.name
    own = bound_signature(owner, method)
    if own is None:
        return
    for base in owner.mro[1:]:
        if not base.module.repository:
            if name in base.own:
                return
            continue
        found = [m for m in base.fact.methods if m.function.name == name]
        if len(found) != 1:
            if name in base.own:
                return
            continue
        theirs = bound_signature(base, found[0])
        if theirs is None:
            return
        reason = _broken_call(owner, base, name, own, theirs) or _no_common_call(own, theirs)
        if reason is not None:
            yield RULE.finding(
                path=owner.module.path,
                line=method.function.line,
                column=method.function.column,
                class_name=owner.qualname,
                name=name,
                message=f"{method.function.qualname} overrides {found[0].function.qualname}, but {reason}",
                suggestion=f"the base's signature is {name}{found[0].function.signature.plain()}",
            )
        return


def _broken_call(owner: Class, base: Class, name: str, own: Signature, theirs: Signature) -> str | None:
    """A call in an ancestor that fits the base's method and not the override."""
    for ancestor in owner.mro[1:]:
        if base not in ancestor.mro or not ancestor.module.repository:
            continue
        for call in self_calls(ancestor):
            if call.read.name != name or misfit(call.shape, theirs) is not None:
                continue
            nearest = next(owner.find(call.method.function.name), None)
            if nearest is None or nearest[0] is not ancestor:
                continue  # the derived class replaces the caller too
            reason = misfit(call.shape, own)
            if reason is not None:
                return f"the call in {call.method.function.qualname} (line {call.read.line}) cannot fit: it {reason}"
    return None


def _no_common_call(own: Signature, theirs: Signature) -> str | None:
    """Why no call at all fits both."""
    if any(s.has(Kind.VAR_POSITIONAL) or s.has(Kind.VAR_KEYWORD) for s in (own, theirs)):
        return None
    needs = sum(p.default is None for p in own.by_position())
    most = len(own.by_position())
    base_needs = sum(p.default is None for p in theirs.by_position())
    base_most = len(theirs.by_position())
    keywords = {p.name for p in theirs.parameters}
    required = [p.name for p in own.by_keyword() if p.default is None and p.name not in keywords]
    if required:
        return f"no call of the base's passes {required[0]!r}"
    names = {p.name for p in theirs.by_keyword()}
    if needs > base_most and not any(p.name in names for p in own.by_position()):
        return f"it needs {needs} arguments and the base's takes {base_most}"
    if most < base_needs and not own.by_keyword():
        return f"it takes {most} arguments and the base's needs {base_needs}"
    return None


RULE = Rule(
    code="QSF006",
    analyser="fields",
    title="Override that breaks the base's callers",
    why=(
        "A base class calls its own method with arguments that an override does not take, or no call at all fits both: "
        "the object cannot stand where the base is expected. Constructors are free to differ."
    ),
    check=_check,
    severity=Severity.MEDIUM,
    defect=True,
)

BAD = (
    Case(
        title="the base calls it with two arguments",
        files={
            "m.py": """\
class Base:
    def run(self):
        return self.step(1, flag=True)

    def step(self, n, flag=False):
        return n

class Derived(Base):
    def step(self, n):
        return n + 1
"""
        },
        found=("m.py:9:5 step",),
    ),
    Case(
        title="no call fits both",
        files={
            "a.py": "class Base:\n    def handle(self, event):\n        raise NotImplementedError\n",
            "b.py": "from a import Base\nclass D(Base):\n    def handle(self, event, context):\n        return event\n"
            "class E(Base):\n    def handle(self):\n        return 1\n",
        },
        found=("b.py:3:5 handle", "b.py:6:5 handle"),
    ),
)

GOOD = (
    Case(
        title="wider overrides, free constructors, private names and properties",
        files={
            "m.py": """\
class Base:
    def __init__(self, a):
        self.a = a

    def run(self):
        return self.step(1)

    def step(self, n):
        return n

    def any(self, *args):
        return args

    def __own(self, a):
        return a

    @property
    def size(self):
        return 1

class Derived(Base):
    def __init__(self):
        super().__init__(1)

    def step(self, n, more=None, *rest):
        return n, more, rest

    def any(self, a, b):
        return a, b

    def __own(self):
        return 1

    def size(self, unit):
        return unit
"""
        },
    ),
)
