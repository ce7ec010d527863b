"""QSN004: `__all__` promises a name that the module does not bind."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from qualityscore.analysers.fields import did_you_mean
from qualityscore.analysers.names import star_names
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    project = reading.project
    for module in project:
        fact = module.fact
        if fact.exports is None or fact.dynamic:
            continue
        unbound = [e for e in fact.exports.names if e[0] not in fact.bindings and e[0] not in fact.globals_made]
        if not unbound:
            continue
        starred, doubt = star_names(project, module)
        for name, line, column in unbound:
            place = posixpath.join(posixpath.dirname(module.path), name)
            child = module.package and (project.has_file(place) or project.has_folder(place))
            if doubt is not None or name in starred or child or name in ("__doc__", "__name__", "__file__"):
                continue
            meant = did_you_mean(name, fact.bindings)
            yield RULE.finding(
                path=module.path,
                line=line,
                column=column,
                name=name,
                message=f"__all__ lists {name!r}, which the module does not bind",
                suggestion=f"did you mean {meant}?" if meant else None,
            )


RULE = Rule(
    code="QSN004",
    analyser="names",
    title="Exported name that is not bound",
    why="`from module import *` raises AttributeError, and readers of `__all__` are told of a name that is not there.",
    check=_check,
    severity=Severity.MEDIUM,
    defect=True,
)

BAD = (
    Case(
        title="assigned, added and appended",
        files={
            "m.py": "__all__ = ['run', 'stop']\n__all__ += ['halt']\n__all__.append('go')\ndef run(): return 1\n",
        },
        found=("m.py:1:19 stop", "m.py:2:13 halt", "m.py:3:16 go"),
    ),
)

GOOD = (
    Case(
        title="bound, submodules, star imports, lazy modules",
        files={
            "pkg/__init__.py": "from .a import *\n__all__ = ['x', 'a', 'y']\ny = 1\n",
            "pkg/a.py": "x = 1\n",
            "lazy.py": "__all__ = ['anything']\ndef __getattr__(name):\n    return name\n",
        },
    ),
)
