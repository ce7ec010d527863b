"""Keep a worker from importing what it reads.

pylint resolves the subject's imports along `sys.path`, and pylint, astroid and bandit import modules of their own late:
with the subject's folder on `sys.path` a `json.py` of the subject would run in the worker. After `seal_imports`,
`sys.path` is only data for astroid: real imports are served from the path that the worker started with, and what is
found anywhere else can be located but not loaded.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType


class SealedImportError(ImportError):
    """Something tried to import code from outside the worker's own path."""


class _Refusing(importlib.abc.Loader):
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        raise SealedImportError(f"{spec.name} ({spec.origin}) does not belong to the tools")

    def exec_module(self, module: ModuleType) -> None:
        raise SealedImportError(f"{module.__name__} does not belong to the tools")


class _SealedPathFinder(importlib.abc.MetaPathFinder):
    def __init__(self, own: Sequence[str]) -> None:
        self._own = tuple(own)
        self._prefixes = tuple(entry.rstrip("/") + "/" for entry in own)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        find = importlib.machinery.PathFinder.find_spec
        if path is None:
            spec = find(fullname, list(self._own), target)
            if spec is not None:
                return spec
        spec = find(fullname, path, target)
        if spec is not None and spec.loader is not None and not self._owns(spec):
            spec.loader = _Refusing()
        return spec

    def _owns(self, spec: importlib.machinery.ModuleSpec) -> bool:
        return spec.origin is not None and spec.origin.startswith(self._prefixes)


def seal_imports() -> tuple[str, ...]:
    """Freeze the path for real imports; returns it. Calling it again changes nothing."""
    for finder in sys.meta_path:
        if isinstance(finder, _SealedPathFinder):
            return finder._own
    own = tuple(entry for entry in sys.path if entry)
    sys.meta_path[:] = [
        _SealedPathFinder(own) if finder is importlib.machinery.PathFinder else finder for finder in sys.meta_path
    ]
    return own
