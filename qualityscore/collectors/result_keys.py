"""Under which keys static results are cached: everything that a result depends on, and nothing else."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from qualityscore.collectors.context import StaticContext
from qualityscore.languages.python_imports import Import, Modules, module_name, strongly_connected
from qualityscore.languages.python_source import RawFile
from qualityscore.runtime.static_cache import key_of

_PACKAGE = Path(__file__).parent.parent
_CONFIGURATION = "profiles/pylintrc"
# Our own code counts as a tool: by digest, so that no result outlives a change of it.
_FACTS_CODE = (
    "collectors/observe.py",
    "collectors/bandit_tool.py",
    "collectors/dynamic_code.py",
    "collectors/hidden_code.py",
    "languages/python_source.py",
    "languages/python_units.py",
    "languages/python_imports.py",
)
_LINT_CODE = ("collectors/pylint_tool.py", "collectors/guard.py", _CONFIGURATION)


@functools.cache
def tool_versions() -> dict[str, str]:
    """Versions of everything that decides about a static measure; the shipped configuration by digest."""
    return {
        "python": ".".join(map(str, sys.version_info[:3])),
        "pylint": version("pylint"),
        "astroid": version("astroid"),
        "bandit": version("bandit"),
        "pylintrc": hashlib.sha256((_PACKAGE / _CONFIGURATION).read_bytes()).hexdigest()[:16],
    }


@functools.cache
def _code_digest(files: tuple[str, ...]) -> str:
    return key_of(*((_PACKAGE / file).read_text(encoding="utf-8") for file in files))


def facts_key(file: RawFile, *, is_data: bool = False) -> str:
    """What `observe` answers depends on the content, and for a data file on its name."""
    versions = tool_versions()
    place = file.path if is_data else ""
    return key_of("facts", _code_digest(_FACTS_CODE), versions["python"], versions["bandit"], place, file.digest)


def lint_keys(
    context: StaticContext,
    sources: Mapping[str, RawFile],
    support: Mapping[str, RawFile],
    facts: Mapping[str, Any],
) -> dict[str, str]:
    """Keys of pylint's answers for the files whose imports are known.

    A key covers the file, everything in the repository that it imports directly or not, and what the environment
    offers. Files that import each other share their fate.
    """
    modules = Modules.of(sources, context.import_roots)
    edges: dict[str, set[str]] = {path: set() for path in sources}
    for path, found in facts.items():
        for module, name, level, line, typing_only in found.get("imports", ()):
            imported = Import(module=module, name=name, level=level, line=line, typing_only=typing_only)
            edges[path].update(target for target in modules.targets(path, imported) if target != path)
    tools = tool_versions()
    base = key_of(
        "lint",
        _code_digest(_LINT_CODE),
        tools["python"],
        tools["pylint"],
        tools["astroid"],
        *context.import_roots,
        *_environment(context.site_packages),
        *(f"{path} {support[path].digest}" for path in sorted(support)),
    )
    component_of: dict[str, str] = {}
    keys: dict[str, str] = {}
    for component in strongly_connected(edges):
        below = {component_of[target] for member in component for target in edges[member] if target in component_of}
        contents = [f"{module_name(member, context.import_roots)} {sources[member].digest}" for member in component]
        shared = key_of(base, *contents, "", *sorted(below))
        for member in component:
            component_of[member] = shared
        for member in component:
            if member in facts:
                keys[member] = key_of(shared, member)
    return keys


def _environment(site_packages: Path | None) -> list[str]:
    if site_packages is None or not site_packages.is_dir():
        return []
    return sorted(entry.name for entry in site_packages.iterdir() if entry.name.endswith(".dist-info"))
