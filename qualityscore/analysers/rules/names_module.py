"""QSN002: an import of a module that does not exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from qualityscore.analysers.names import judge_imports
from qualityscore.analysers.project import STANDARD, Module, Project
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    for judgement in judge_imports(reading.project):
        if judgement.missing is None:
            continue
        assumed = reading.project.library.assumed and _is_third_party(
            reading.project, judgement.module, judgement.missing
        )
        where = "beside qualityscore" if assumed else "in the environment"
        finding = RULE.finding(
            path=judgement.module.path,
            line=judgement.imported.line,
            column=judgement.imported.column,
            name=judgement.missing,
            message=f"module {judgement.missing!r} exists neither in the repository nor in the standard library"
            + ("" if judgement.missing.startswith(".") else f" nor {where}"),
            suggestion=RULE.hint if assumed else None,
        )
        yield replace(finding, severity=Severity.INFO, dimension=None, measure=None) if assumed else finding


def _is_third_party(project: Project, module: Module, missing: str) -> bool:
    top = missing.partition(".")[0]
    return bool(top) and top not in STANDARD and project.in_repository(top, module) is None


RULE = Rule(
    code="QSN002",
    analyser="names",
    title="Import of a module that does not exist",
    why=(
        "The import raises ModuleNotFoundError. Modules of the repository and of the standard library are always "
        "judged, others against the environment that `--task ID` or `--site-packages DIR` names, unless the repository "
        "declares distributions that are not installed there. Where neither is given, the packages beside qualityscore "
        "are looked at: what is absent there is only a hint (severity info) and no defect, since the project may have "
        "an environment of its own. Imports whose failure is expected (try, if, TYPE_CHECKING) and files that a build "
        "makes are left out."
    ),
    check=_check,
    hint="if the project has an environment of its own, name it with --task ID or --site-packages DIR",
    severity=Severity.MEDIUM,
    defect=True,
)

BAD = (
    Case(
        title="in the repository and in the standard library",
        files={
            "pkg/__init__.py": "from .absent import x\nimport pkg.nowhere\nimport os.paths, xml.tree\n",
            "pkg/sub/__init__.py": "from ..gone.deep import y\n",
        },
        found=(
            "pkg/__init__.py:1:21 .absent",
            "pkg/__init__.py:2:8 pkg.nowhere",
            "pkg/__init__.py:3:18 xml.tree",
            "pkg/sub/__init__.py:1:25 ..gone.deep",
        ),
    ),
)

GOOD = (
    Case(
        title="what exists, what is guarded, and what cannot be known",
        files={
            "pkg/__init__.py": """\
import json, os.path, xml.etree.ElementTree, collections.abc, importlib.metadata
import requests.sessions
from . import sub, plain
from .plain import x
from .space import inner
from ._version import version
import pkg.space.inner
try:
    from .accelerator import fast
except ImportError:
    fast = None
if x:
    import os.nothing
""",
            "pkg/plain.py": "x = 1\n",
            "pkg/sub/__init__.py": "from .. import plain\nfrom ..plain import x\n",
            "pkg/space/inner.py": "",
        },
    ),
)
