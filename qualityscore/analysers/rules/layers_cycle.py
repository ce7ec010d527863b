"""QSL001: modules that import each other."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.layers import ImportGraph
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding


def _check(reading: Reading) -> Iterator[Finding]:
    graph = ImportGraph(reading.project)
    for group, cycle in graph.cycles:
        module, imported = graph.places[cycle[0], cycle[1 % len(cycle)]]
        shown = " -> ".join((*cycle, cycle[0]))
        more = f" ({len(group)} modules hang together)" if len(group) > len(cycle) else ""
        yield RULE.finding(
            path=module.path,
            line=imported.line,
            column=imported.column,
            name=cycle[0],
            message=f"import cycle: {shown}{more}",
            suggestion=RULE.hint,
        )


RULE = Rule(
    code="QSL001",
    analyser="layers",
    title="Import cycle",
    why=(
        "Modules that import each other when they are imported can be neither understood nor tested alone, and work "
        "only in some orders. One finding per group of modules, with a shortest cycle; imports inside "
        "functions and under "
        "TYPE_CHECKING make none."
    ),
    check=_check,
    hint="move what both need into a module of its own",
    defect=True,
)

BAD = (
    Case(
        title="two modules",
        files={"a.py": "import b\nx = 1\n", "b.py": "from a import x\n"},
        found=("a.py:1:8 a",),
    ),
    Case(
        title="the shortest of several cycles, through relative imports",
        files={
            "pkg/__init__.py": "",
            "pkg/a.py": "from . import b\n",
            "pkg/b.py": "from .c import d\nfrom pkg.c import d\n",
            "pkg/c.py": "import pkg.a\nfrom pkg import b\nd = 1\n",
        },
        found=("pkg/b.py:1:16 pkg.b",),
    ),
    Case(
        title="a package and its submodule",
        files={"pkg/__init__.py": "from .a import x\ny = 1\n", "pkg/a.py": "from pkg import y\nx = 2\n"},
        found=("pkg/__init__.py:1:16 pkg",),
    ),
)

GOOD = (
    Case(
        title="imports that happen later, or for the type checker only",
        files={
            "a.py": "import b\n",
            "b.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\ndef f():\n"
            "    import a\n    return a\n",
        },
    ),
    Case(
        title="a package that collects its submodules, which import each other in one direction",
        files={
            "pkg/__init__.py": "from .a import x\nfrom .b import y\n",
            "pkg/a.py": "from . import b\nfrom .b import y\nx = y\n",
            "pkg/b.py": "import os\ny = os\n",
        },
    ),
)
