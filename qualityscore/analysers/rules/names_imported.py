"""QSN003: a name is imported from a module of the repository that does not bind it."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.fields import did_you_mean
from qualityscore.analysers.names import missing_from
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    project = reading.project
    for module in project:
        for imported in module.fact.imports:
            source = missing_from(project, module, imported)
            if source is None or imported.name is None:
                continue
            origin = project.imported_module(imported, module)
            meant = did_you_mean(imported.name, origin.fact.bindings) if origin is not None else None
            yield RULE.finding(
                path=module.path,
                line=imported.line,
                column=imported.column,
                name=imported.name,
                message=f"{imported.name!r} is imported from {source}, which does not bind it",
                suggestion=f"did you mean {meant}?" if meant else None,
            )


RULE = Rule(
    code="QSN003",
    analyser="names",
    title="Import of a name that its module does not bind",
    why="The import raises ImportError: two files of one repository disagree about a name.",
    check=_check,
    severity=Severity.MEDIUM,
    defect=True,
)

BAD = (
    Case(
        title="two files disagree",
        files={
            "pkg/__init__.py": "from .tools import run_all, Runner\n",
            "pkg/tools.py": "def run(): return 1\nclass Runer: x = 1\n",
        },
        found=("pkg/__init__.py:1:20 run_all", "pkg/__init__.py:1:29 Runner"),
    ),
)

GOOD = (
    Case(
        title="bound in any way, a submodule, made by global, lazy, or unknown",
        files={
            "pkg/__init__.py": "from . import tools\nfrom .tools import a, b, c, d, e, f\nfrom .lazy import anything\n"
            "from .star import thing\ntry:\n    from .tools import gone\nexcept ImportError:\n    gone = None\n",
            "pkg/tools.py": "from os import path as a\nimport os as b\nfor c in 'x':\n    d = 1\n"
            "def set_e():\n    global e\n    e = 1\nif d:\n    def f(): return 1\n",
            "pkg/lazy.py": "def __getattr__(name):\n    return name\n",
            "pkg/star.py": "from elsewhere import *\n",
        },
    ),
)
