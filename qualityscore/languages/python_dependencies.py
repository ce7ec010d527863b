"""Which distributions a Python repository declares that it needs, read without running its build."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from qualityscore.languages.python_source import SourceFile, read_source

COMPUTED = "?"
_NAME = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_REQUIREMENTS = re.compile(r"^(requirements.*|.*requirements)\.(txt|in)$")
_OTHER_MANIFESTS = frozenset({"Pipfile", "environment.yml", "environment.yaml", "conda.yaml", "pdm.lock"})
_MOST_BYTES = 1 << 20


def declared_distributions(root: Path, files: Iterable[str]) -> frozenset[str]:
    """Normalised names (PEP 503) out of pyproject.toml, setup.cfg, setup.py and requirements files near the root.

    Contains `COMPUTED` where some manifest says more than can be read.
    """
    names: set[str] = set()
    for path in files:
        folder, _, name = path.rpartition("/")
        if folder.count("/") > 0 or (folder and not _REQUIREMENTS.match(name)):
            continue
        if name in _OTHER_MANIFESTS:
            names.add(COMPUTED)
        elif name in ("pyproject.toml", "setup.cfg", "setup.py") or _REQUIREMENTS.match(name):
            source = read_source(root, path, max_bytes=_MOST_BYTES)
            names.update(_of_file(name, source) if isinstance(source, SourceFile) else {COMPUTED})
    return frozenset(names)


def normalised(name: str) -> str:
    """PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _of_file(name: str, source: SourceFile) -> Iterator[str]:
    try:
        if name == "pyproject.toml":
            yield from _pyproject(tomllib.loads(source.text))
        elif name == "setup.cfg":
            yield from _setup_cfg(source.text)
        elif name == "setup.py":
            yield from _setup_py(source.text)
        else:
            yield from _requirements(source.text.splitlines())
    except (ValueError, SyntaxError, RecursionError, MemoryError, configparser.Error):
        yield COMPUTED


def _requirements(lines: Iterable[object]) -> Iterator[str]:
    for line in lines:
        if not isinstance(line, str):
            yield COMPUTED
            continue
        text = line.partition("#")[0].strip()
        if not text or text.startswith("--hash"):
            continue
        match = _NAME.match(text)
        if match is None or text.startswith("-") or "://" in text.partition("@")[0]:
            yield COMPUTED  # another file, a path or an address
        else:
            yield normalised(match.group(1))


def _pyproject(document: dict[str, Any]) -> Iterator[str]:
    project = _table(document.get("project"))
    yield from _requirements(project.get("dependencies") or ())
    for extra in _table(project.get("optional-dependencies")).values():
        yield from _requirements(extra)
    for group in _table(document.get("dependency-groups")).values():
        yield from _requirements(entry for entry in group if isinstance(entry, str))
    if {"dependencies", "optional-dependencies"} & set(project.get("dynamic") or ()):
        yield COMPUTED
    poetry = _table(_table(document.get("tool")).get("poetry"))
    groups = _table(poetry.get("group")).values()
    for table in (poetry, *map(_table, groups)):
        yield from (normalised(n) for n in _table(table.get("dependencies")) if n != "python")
    yield from map(normalised, _table(poetry.get("dev-dependencies")))


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _setup_cfg(text: str) -> Iterator[str]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    yield from _requirements(parser.get("options", "install_requires", fallback="").splitlines())
    if parser.has_section("options.extras_require"):
        for _, value in parser.items("options.extras_require"):
            yield from _requirements(value.splitlines())


def _setup_py(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and node.arg in ("install_requires", "extras_require", "tests_require"):
            try:
                value = ast.literal_eval(node.value)
            except ValueError:
                yield COMPUTED
                continue
            groups = value.values() if isinstance(value, dict) else [value]
            for group in groups:
                yield from _requirements(group if isinstance(group, list | tuple) else [group])
