"""QSF003: an attribute that only some methods create is read where it may not exist yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from qualityscore.analysers.facts import MethodFact
from qualityscore.analysers.fields import shown
from qualityscore.analysers.lineage import Class
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding

_CONSTRUCTORS = frozenset(
    {
        *("__init__", "__new__", "__post_init__", "__attrs_post_init__", "__setstate__", "__enter__", "__aenter__"),
        *("__init_subclass__", "__set_name__", "__prepare__", "__call__"),
        *("setUp", "setUpClass", "asyncSetUp", "setup", "setup_method", "setup_class", "initialize", "initialise"),
    }
)


def _check(reading: Reading) -> Iterator[Finding]:
    for owner in reading.classes.all:
        if owner.open is None and not owner.is_mixin:
            yield from _of_class(owner)


def _of_class(owner: Class) -> Iterator[Finding]:
    family = tuple(c for c in (*owner.mro, *owner.descendants()) if c.module.repository)
    writers: dict[str, set[str]] = defaultdict(set)
    outside: set[str] = set()  # names that exist whatever methods have run
    for one in (*owner.mro, *family):
        instance = {w.name for m in one.fact.methods for w in m.writes if not w.companion}
        outside |= one.own - instance
        outside.update(one.fact.members, one.fact.slots or (), one.fact.base_fields)
        for method in one.fact.methods:
            for write in method.writes:
                writers[write.name].add("__new__" if write.companion else method.function.name)
    calls = _calls(family)
    constructing = _reachable(_CONSTRUCTORS, calls)
    asked = {name for one in family for m in one.fact.methods for name in m.checked}
    late = {
        name: names
        for name, names in writers.items()
        if name not in outside and name not in asked and not names & constructing
    }
    read = {r.name for m in owner.fact.methods for r in m.reads}
    called = {name for caller, names in calls.items() for name in names if name != caller}
    for name in sorted(late.keys() & read):
        creators = _callers(late[name], calls)
        exposed = _exposed(family, name, creators, called)
        for method, place in _early_reads(owner, name):
            if method.function.name in exposed and not _created_before(method, name, creators, place):
                label = shown(name, owner)
                where = " or ".join(sorted(late[name])[:2])
                yield RULE.finding(
                    path=owner.module.path,
                    line=place[0],
                    column=place[1],
                    class_name=owner.qualname,
                    name=label,
                    message=f"{label!r} is read in {method.function.name}, but exists only after {where} has run",
                    suggestion=f"give {label!r} a first value in the constructor",
                )
                break


def _early_reads(owner: Class, name: str) -> Iterator[tuple[MethodFact, tuple[int, int]]]:
    """Reads that happen when the method runs and expect the attribute to be there."""
    for method in owner.fact.methods:
        for read in method.reads:
            if read.name == name and not read.guarded and not read.in_closure and not method.unjudged:
                yield method, (read.line, read.column)


def _used(method: MethodFact) -> Iterator[tuple[str, tuple[int, int]]]:
    """Names through which other methods of the object may run: calls, properties read or set, callbacks, super()."""
    yield from ((r.name, (r.line, r.column)) for r in method.reads)
    yield from ((w.name, (w.line, w.column)) for w in method.writes if not w.companion)
    yield from ((name, (line, column)) for name, line, column in method.supers)


def _calls(family: tuple[Class, ...]) -> dict[str, set[str]]:
    """Method names and the method names that they use."""
    known = {m.function.name for one in family for m in one.fact.methods}
    calls: dict[str, set[str]] = defaultdict(set)
    for one in family:
        for method in one.fact.methods:
            calls[method.function.name].update(name for name, _ in _used(method) if name in known)
    return calls


def _reachable(start: frozenset[str], calls: dict[str, set[str]]) -> set[str]:
    seen, pending = set(start), list(start)
    while pending:
        for name in calls.get(pending.pop(), ()):
            if name not in seen:
                seen.add(name)
                pending.append(name)
    return seen


def _callers(targets: set[str], calls: dict[str, set[str]]) -> set[str]:
    """The targets and every method that uses one of them, directly or not."""
    users: dict[str, set[str]] = defaultdict(set)
    for caller, used in calls.items():
        for name in used:
            users[name].add(caller)
    seen, pending = set(targets), list(targets)
    while pending:
        for name in users.get(pending.pop(), ()):
            if name not in seen:
                seen.add(name)
                pending.append(name)
    return seen


def _exposed(family: tuple[Class, ...], name: str, creators: set[str], called: set[str]) -> set[str]:
    """Methods that may start before the attribute exists.

    Those are the public ones that no other method calls, so that outsiders must, and whatever such a method calls
    before it has created the attribute.
    """
    methods: dict[str, list[MethodFact]] = defaultdict(list)
    for one in family:
        for method in one.fact.methods:
            methods[method.function.name].append(method)
    exposed = {n for n in methods if not n.startswith("_") and n not in called}
    pending = list(exposed)
    while pending:
        for method in methods[pending.pop()]:
            for target, place in _used(method):
                open_target = target in methods and target not in exposed
                if open_target and not _created_before(method, name, creators, place):
                    exposed.add(target)
                    pending.append(target)
    return exposed


def _created_before(method: MethodFact, name: str, creators: set[str], place: tuple[int, int]) -> bool:
    """Whether an earlier line of the method assigns the attribute or uses a method that may."""
    if any(w.name == name and not w.augmented and (w.line, w.column) < place for w in method.writes):
        return True
    return any(used in creators and where < place for used, where in _used(method))


RULE = Rule(
    code="QSF003",
    analyser="fields",
    title="Attribute may not exist yet",
    why=(
        "An attribute that no constructor creates exists only after some other method has run. A public method that "
        "reads it fails with AttributeError when callers use the object in another order. What methods do that the "
        "constructor calls, and what is guarded by hasattr, getattr or except AttributeError, is taken into account."
    ),
    check=_check,
    defect=True,
)

BAD = (
    Case(
        title="stop before start",
        files={
            "m.py": """\
class Server:
    def __init__(self, port):
        self.port = port

    def start(self):
        self.socket = open(self.port)

    def stop(self):
        self.socket.close()
"""
        },
        found=("m.py:9:14 socket",),
    ),
    Case(
        title="through a private method that a public one calls",
        files={
            "m.py": """\
class Report:
    def load(self, rows):
        self.rows = rows

    def show(self):
        return self._format()

    def _format(self):
        return len(self.rows)
"""
        },
        found=("m.py:9:25 rows",),
    ),
    Case(
        title="counting up what nothing starts",
        files={"m.py": "class C:\n    def hit(self):\n        self.hits += 1\n"},
        found=("m.py:3:14 hits",),
    ),
)

GOOD = (
    Case(
        title="the constructor calls the method that creates it",
        files={
            "m.py": """\
class Server:
    def __init__(self):
        self.reset()

    def reset(self):
        self._clear()

    def _clear(self):
        self.items = []

    def add(self, item):
        self.items.append(item)
"""
        },
    ),
    Case(
        title="class-level default, earlier assignment, guards, and test set-up",
        files={
            "m.py": """\
import unittest

class A:
    cache = None

    def fill(self):
        self.cache = {}

    def get(self):
        return self.cache

class B:
    def run(self):
        self.state = 1
        return self._step()

    def _step(self):
        return self.state

    def again(self):
        self.run()
        return self.state

class C:
    def open(self):
        self.file = 1

    def close(self):
        if hasattr(self, "file"):
            del self.file

class D(unittest.TestCase):
    def setUp(self):
        self.box = []

    def test_box(self):
        self.assertEqual(self.box, [])
"""
        },
    ),
    Case(
        title="properties, super() and hooks that a public method calls later",
        files={
            "m.py": """\
class A:
    def __init__(self, user):
        self.user = user

    @property
    def user(self):
        return self._user

    @user.setter
    def user(self, value):
        self._user = value

class B:
    def run(self, out):
        self.out = out
        self.start()

    def start(self):
        return self.out

class C(B):
    def start(self):
        super().start()
        return self.out
"""
        },
    ),
    Case(
        title="a derived class's constructor creates it",
        files={
            "m.py": "class Base:\n    def reset(self):\n        self.n = 0\n    def get(self):\n        return self.n\n"
            "class Derived(Base):\n    def __init__(self):\n        self.n = 1\n"
        },
    ),
)
