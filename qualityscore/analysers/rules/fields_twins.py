"""QSF002: two fields of one class whose names differ by a slip only, both in use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from qualityscore.analysers.facts import Write
from qualityscore.analysers.fields import normal, shown
from qualityscore.analysers.lineage import Class
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding

_SHORTEST = 5  # letters from which swapped or doubled letters are a slip rather than another word


def _check(reading: Reading) -> Iterator[Finding]:
    for owner in reading.classes.all:
        if owner.open is not None:
            continue
        writes, reads = _fields(owner)
        asked = {name for m in owner.fact.methods for name in m.checked}
        for earlier, later in _pairs(sorted(writes, key=lambda n: (writes[n].line, writes[n].column))):
            if not (earlier in reads and later in reads) or earlier in asked or later in asked:
                continue
            if earlier.isupper() != later.isupper():
                continue  # a constant and the setting that it is the default of
            write = writes[later]
            one, other = shown(earlier, owner), shown(later, owner)
            yield RULE.finding(
                path=owner.module.path,
                line=write.line,
                column=write.column,
                class_name=owner.qualname,
                name=other,
                message=f"{owner.qualname} keeps {other!r} beside {one!r} (line {writes[earlier].line}), both in use",
                suggestion=f"use {one!r} for both, or give them names that tell them apart",
            )


def _fields(owner: Class) -> tuple[dict[str, Write], set[str]]:
    """The first assignment of each plain instance attribute, and the attributes read, in the class's own methods."""
    writes: dict[str, Write] = {}
    reads: set[str] = set()
    for method in owner.fact.methods:
        for write in method.writes:
            if not write.companion and write.name not in owner.fact.members:
                writes.setdefault(write.name, write)
        augmented = {(w.line, w.column) for w in method.writes if w.augmented}
        reads.update(r.name for r in method.reads if (r.line, r.column) not in augmented)
    return writes, reads


def _pairs(names: list[str]) -> Iterator[tuple[str, str]]:
    """Pairs that are equal but for underscores and case, or one swap or doubling of letters apart."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        for key in _keys(normal(name)):
            groups[key].append(name)
    seen: set[tuple[str, str]] = set()
    for group in groups.values():
        for pair in combinations(group, 2):
            if pair not in seen and pair[0] != pair[1]:
                seen.add(pair)
                if _slip(*pair):
                    yield pair


def _keys(plain: str) -> Iterator[str]:
    yield plain
    if len(plain) >= _SHORTEST:
        yield "sorted:" + "".join(sorted(plain))
        undoubled = "".join(c for i, c in enumerate(plain) if i == 0 or plain[i - 1] != c)
        yield "undoubled:" + undoubled


def _slip(one: str, other: str) -> bool:
    a, b = normal(one), normal(other)
    if a == b:
        return True
    if len(a) == len(b):
        different = [i for i in range(len(a)) if a[i] != b[i]]
        return (
            len(different) == 2
            and different[1] == different[0] + 1
            and a[different[0]] == b[different[1]]
            and a[different[1]] == b[different[0]]
            and not any(a[i].isdigit() for i in different)
            and len(a) >= _SHORTEST + 2
        )
    return abs(len(a) - len(b)) == 1 and min(len(a), len(b)) >= _SHORTEST and a[-1].isalpha() and b[-1].isalpha()


RULE = Rule(
    code="QSF002",
    analyser="fields",
    title="Two near-identical fields both in use",
    why=(
        "Two attributes that differ only by an underscore, by case, by swapped or by doubled letters are usually meant "
        "to be one: half of the class writes one of them and half reads the other, and no error ever shows it."
    ),
    check=_check,
    defect=True,
)

BAD = (
    Case(
        title="with and without an underscore",
        files={
            "m.py": """\
class Session:
    def __init__(self, ident):
        self._session_id = ident
        self.user = None

    def login(self, ident):
        self.session_id = ident
        return self._session_id

    def show(self):
        return self.session_id
"""
        },
        found=("m.py:7:14 session_id",),
    ),
    Case(
        title="two spellings",
        files={
            "m.py": "class Counter:\n    def __init__(self):\n        self.received = 0\n        self.recieved = 0\n"
            "    def add(self):\n        self.received = self.recieved + 1\n        return self.received\n"
        },
        found=("m.py:4:14 recieved",),
    ),
    Case(
        title="camel case beside snake case",
        files={
            "m.py": "class Box:\n    def __init__(self):\n        self.itemCount = 0\n        self.item_count = 0\n"
            "    def total(self):\n        return self.itemCount + self.item_count\n"
        },
        found=("m.py:4:14 item_count",),
    ),
)

GOOD = (
    Case(
        title="a property over the field that it guards",
        files={
            "m.py": "class Box:\n    def __init__(self):\n        self._size = 0\n    @property\n    def size(self):\n"
            "        return self._size\n    @size.setter\n    def size(self, value):\n        self._size = value\n"
            "    def grow(self):\n        self.size = self.size + 1\n"
        },
    ),
    Case(
        title="names that differ by a number, a plural or a real letter",
        files={
            "m.py": "class Box:\n    def __init__(self):\n"
            "        self.x1, self.x2, self.item, self.items = 1, 2, 3, []\n"
            "        self.min_x, self.min_y = 0, 0\n        self.form, self.from_ = 1, 2\n"
            "    def all(self):\n"
            "        return self.x1, self.x2, self.item, self.items, self.min_x, self.min_y, self.form, self.from_\n"
        },
    ),
    Case(
        title="only one of the two is ever read",
        files={
            "m.py": "class Box:\n    def __init__(self, n):\n        self._n = n\n        self.n = n\n"
            "    def get(self):\n        return self.n\n"
        },
    ),
)
