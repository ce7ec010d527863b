"""Facts as text, for crossing process boundaries and for the cache."""

from __future__ import annotations

import base64
import functools
import importlib
import io
import pickle
from pathlib import Path
from typing import Any

from qualityscore.analysers.facts import ModuleFact
from qualityscore.runtime.static_cache import key_of

_MODULES = frozenset({"qualityscore.analysers.facts", "qualityscore.analysers.signature"})


def pack(fact: ModuleFact) -> str:
    """The facts of a file as ASCII text."""
    return base64.b64encode(pickle.dumps(fact, protocol=5)).decode("ascii")


def unpack(packed: str) -> ModuleFact:
    """Facts from a worker. Only facts can come out: a worker that a file took over cannot name other classes."""
    fact = _Reader(io.BytesIO(base64.b64decode(packed))).load()
    if not isinstance(fact, ModuleFact):
        raise pickle.UnpicklingError("a worker answered with something else than facts")
    return fact


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("builtins", "frozenset"):
            return frozenset
        found = getattr(importlib.import_module(module), name, None) if module in _MODULES else None
        if isinstance(found, type) and found.__module__ == module:
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no fact")


@functools.cache
def code_digest() -> str:
    """Our own code counts as a tool: facts do not outlive a change of it."""
    here = Path(__file__).parent
    files = (*sorted(here.glob("*.py")), here.parent / "languages" / "python_source.py")
    return key_of(*(file.read_text(encoding="utf-8") for file in files))


def unpacked(value: object) -> ModuleFact | None:
    """Facts out of the cache; None for what is missing or no facts of this version."""
    if not isinstance(value, str):
        return None
    try:
        return unpack(value)
    except (pickle.UnpicklingError, ValueError, TypeError, AttributeError, EOFError, IndexError):
        return None
