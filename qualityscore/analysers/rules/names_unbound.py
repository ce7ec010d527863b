"""QSN001: a name is used that nothing has bound."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from qualityscore.analysers.facts import ClassFact
from qualityscore.analysers.fields import did_you_mean
from qualityscore.analysers.names import UnboundName, unbound_names
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity

_WORDS = {
    "unbound": "is used, but nothing binds it",
    "early": "is used before it is bound",
    "deleted": "is used after it was deleted",
}


def _check(reading: Reading) -> Iterator[Finding]:
    for unbound in unbound_names(reading.project):
        if unbound.reason is not None:
            continue
        use = unbound.use
        yield RULE.finding(
            path=unbound.module.path,
            line=use.line,
            column=use.column,
            class_name=use.enclosing_class,
            name=use.name,
            message=f"{use.name!r} {_WORDS[use.why]}",
            suggestion=_suggestion(unbound),
        )


def _suggestion(unbound: UnboundName) -> str | None:
    use, fact = unbound.use, unbound.module.fact
    if use.why != "unbound":
        return None
    if use.enclosing_class is not None and use.function is not None:
        for one in fact.classes:
            if one.name == use.enclosing_class and use.name in _attributes(one):
                return f"did you mean self.{use.name}?"
    meant = did_you_mean(use.name, (*fact.bindings, *dir(builtins)))
    return f"did you mean {meant}?" if meant else None


def _attributes(fact: ClassFact) -> set[str]:
    return {*fact.members, *(w.name for method in fact.methods for w in method.writes)}


RULE = Rule(
    code="QSN001",
    analyser="names",
    title="Name that nothing binds",
    why=(
        "The line raises NameError or UnboundLocalError when it runs. Scopes are those of the language: "
        "comprehensions, class bodies, global and nonlocal, names of handled exceptions, deletions, match "
        "captures, type parameters. "
        "Where a star import cannot be read or the module writes its own namespace, nothing is said."
    ),
    check=_check,
    severity=Severity.MEDIUM,
    defect=True,
)

BAD = (
    Case(
        title="plain slips, with what was probably meant",
        files={"m.py": "import json\ndef f(values):\n    return jsn.dumps(values), lenght(values)\n"},
        found=("m.py:3:12 jsn", "m.py:3:31 lenght"),
    ),
    Case(
        title="class scope is not visible in methods and in comprehensions of the class body",
        files={
            "m.py": """\
class A:
    size = 3
    cells = [size for _ in range(2)]
    rows = [r for r in range(size)]

    def area(self):
        return size * 2
"""
        },
        found=("m.py:3:14 size", "m.py:7:16 size"),
    ),
    Case(
        title="comprehension variables, handled exceptions and deleted names are gone afterwards",
        files={
            "m.py": """\
def f(items):
    squares = [i * i for i in items]
    try:
        total = sum(squares)
    except TypeError as error:
        total = 0
    print(error, i)
    del squares
    return total, squares
"""
        },
        found=("m.py:7:11 error", "m.py:7:18 i", "m.py:9:19 squares"),
    ),
    Case(
        title="used before it is bound",
        files={
            "m.py": "print(late)\nlate = 1\ndef f():\n    value = value + 1\n    return value\n"
            "class A(Base):\n    pass\nclass Base:\n    pass\n"
        },
        found=("m.py:1:7 late", "m.py:4:13 value", "m.py:6:9 Base"),
    ),
    Case(
        title="a module deletes what its functions use",
        files={"m.py": "import os\ndef f():\n    return os.getcwd()\ndel os\n"},
        found=("m.py:3:12 os",),
    ),
    Case(
        title="a star import inside the repository does not bring it",
        files={"a.py": "__all__ = ['x']\nx = 1\ny = 2\n", "b.py": "from a import *\nprint(x, y, _z)\n"},
        found=("b.py:2:10 y", "b.py:2:13 _z"),
    ),
)

GOOD = (
    Case(
        title="every binding form",
        files={
            "m.py": """\
from __future__ import annotations
import os.path, sys as system
from collections import *

count, (first, *rest) = 1, (2, 3)
total: int = 0
declared: Later

def f(a, /, b=count, *args, c: Unquoted = 1, **kwargs) -> Later:
    global made
    made = 1
    outer = 1

    def inner():
        nonlocal outer
        outer += 1
        return outer

    for i, (j, k) in args:
        pass
    else:
        i = 0
    with open(a) as handle, b as (left, right):
        print(handle, left, right)
    try:
        import json
    except (ImportError, ValueError) as problem:
        print(problem)
        raise
    if (walrus := len(args)) and [last := x for x in args]:
        print(walrus, last)
    match a:
        case [one, *others, {"key": two, **more}] if one:
            return two, others, more
        case str() as text | text:
            return text
    return inner, i, j, k, json, lambda q, *r: (q, r), {m: n for m, n in kwargs.items()}

class Unquoted:
    name = __qualname__
    other = [name, __module__]
    pairs = [x for x in other]

    def method(self):
        return __class__, Later

class Later:
    pass

print(made, __name__, __file__, __builtins__, deque, OrderedDict, os, system, WindowsError)
""".replace("case str() as text | text:", "case str() as text:")
        },
    ),
    Case(
        title="guarded, dynamic and unreadable",
        files={
            "a.py": "try:\n    unicode\nexcept NameError:\n    unicode = str\n",
            "b.py": "globals().update(x=1)\nprint(x)\n",
            "c.py": "from somewhere import *\nprint(anything)\n",
            "d.py": "space = globals()\nfor n in 'ab':\n    space[n] = n\nprint(a)\n",
        },
    ),
    Case(
        title="loops bring names round, functions run later",
        files={
            "m.py": "def f(items):\n    for n in items:\n        if n:\n            print(seen)\n        seen = n\n"
            "def g():\n    return later()\ndef later():\n    return g\n"
        },
    ),
    Case(
        title="star imports are followed through the repository and the standard library",
        files={
            "pkg/__init__.py": "from .a import *\nfrom os.path import *\nprint(x, y, join)\n",
            "pkg/a.py": "from .b import *\nx = 1\n",
            "pkg/b.py": "y = 2\n",
        },
    ),
)
