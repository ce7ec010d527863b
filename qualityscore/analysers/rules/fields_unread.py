"""QSF004: an attribute is assigned and no code of the repository reads it."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.facts import Write
from qualityscore.analysers.fields import did_you_mean, shown
from qualityscore.analysers.lineage import Class
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    read = reading.attributes_read
    for owner in reading.classes.all:
        if owner.open is not None or owner.is_mixin or _exposes_all(owner):
            continue
        for name, write in _assigned(owner).items():
            label = shown(name, owner)
            if label in read or (label.startswith("__") and label.endswith("__")):
                continue
            if any(name in c.own for c in owner.mro[1:]):
                continue  # a base may read it
            yield RULE.finding(
                path=owner.module.path,
                line=write.line,
                column=write.column,
                class_name=owner.qualname,
                name=label,
                message=f"{owner.qualname}.{label} is assigned, and nothing in the repository reads it",
                suggestion=_suggestion(owner, label),
            )


def _assigned(owner: Class) -> dict[str, Write]:
    """The first assignment of each attribute through the receiver."""
    writes: dict[str, Write] = {}
    for method in owner.fact.methods:
        for write in method.writes:
            if not write.companion and write.name not in owner.fact.members:
                writes.setdefault(write.name, write)
    return writes


def _exposes_all(owner: Class) -> bool:
    """Whether the class reads its own `__dict__`, by which every attribute is read."""
    return any("__dict__" in m.checked for c in owner.mro for m in c.fact.methods if c.module.repository)


def _suggestion(owner: Class, label: str) -> str:
    undefined = {
        r.name for m in owner.fact.methods for r in m.reads if r.name not in owner.attributes and not r.guarded
    }
    meant = did_you_mean(label, undefined)
    if meant is not None:
        return f"did you mean to read it where self.{meant} is read?"
    return "remove it" if label.startswith("_") else "remove it, unless it is part of the interface"


RULE = Rule(
    code="QSF004",
    analyser="fields",
    title="Attribute assigned and never read",
    why=(
        "An attribute that nothing reads is left over, or is read under another name. Public attributes may "
        "be there for "
        "callers, so this finding costs nothing; it is often the other half of QSF001."
    ),
    check=_check,
    severity=Severity.INFO,
)

BAD = (
    Case(
        title="left over",
        files={
            "m.py": "class Job:\n    def __init__(self, name):\n        self.name = name\n"
            "        self._started = None\n"
            "    def __repr__(self):\n        return self.name\n"
        },
        found=("m.py:4:14 _started",),
    ),
    Case(
        title="only ever counted up",
        files={
            "a.py": "class Job:\n    def __init__(self):\n        self.tries = 0\n    def run(self):\n"
            "        self.tries += 1\n",
            "b.py": "from a import Job\nJob().run()\n",
        },
        found=("a.py:3:14 tries",),
    ),
)

GOOD = (
    Case(
        title="read in another file, by name, or through the dictionary",
        files={
            "a.py": "class A:\n    def __init__(self):\n        self.x = 1\n        self.by_name = 2\n"
            "class B:\n    def __init__(self):\n        self.hidden = 1\n    def __eq__(self, other):\n"
            "        return self.__dict__ == other.__dict__\n",
            "b.py": "def show(thing):\n    return thing.x, getattr(thing, 'by_name')\n",
        },
    ),
    Case(
        title="an attribute that a standard base reads",
        files={
            "m.py": "import threading\nclass T(threading.Thread):\n    def __init__(self):\n"
            "        super().__init__()\n        self.daemon = True\n"
        },
    ),
)
