"""Classes by name: by what they are, where a class says of itself that it is another's.

A Python class may set its own `__module__` and `__qualname__`. A name of a built-in, or of a module of the standard
library or of the environment, is therefore given only to the very class that such a module holds under it; any other
class that claims one is marked, so that its name equals none of those. Classes written in C cannot rename themselves,
and what a class of the subject calls itself inside the subject is its own affair.

Everything is read through the slots of `type`, so that no metaclass is asked. Standard library only; to be imported
before anything of a subject, since the modules that are loaded by then are remembered as they are.
"""

from __future__ import annotations

import os
import sys
import types
from typing import Any

CLAIMED = " (claimed)"

_TYPE = type.__dict__
_MODULE = types.ModuleType.__dict__["__dict__"]
_MODULES = sys.modules
_MISSING = object()
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8  # Py_TPFLAGS_HEAPTYPE, Py_TPFLAGS_IMMUTABLETYPE
_STANDARD = sys.stdlib_module_names


def _installed() -> frozenset[str]:
    names = set()
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
            names.update(name.partition(".")[0] for name in os.listdir(folder))
    return frozenset(names)


_FOREIGN = _STANDARD | _installed()
_EARLY: dict[str, dict[str, Any]] = {
    name: dict(_MODULE.__get__(module))
    for name, module in list(_MODULES.items())
    if name.partition(".")[0] in _STANDARD and issubclass(type(module), types.ModuleType)
}
# types such as NoneType have names that the module of built-ins does not hold
_UNLISTED = frozenset(
    _TYPE["__name__"].__get__(kind)
    for kind in type.__subclasses__(object)
    if not _TYPE["__flags__"].__get__(kind) & _HEAP
)


def type_name(kind: type) -> str:
    """`module.qualname` of a type, marked as claimed where another class goes by that name."""
    module, name = _part(kind, "__module__"), _part(kind, "__qualname__")
    full = f"{module}.{name}"
    if full.partition(".")[0] not in _FOREIGN or is_of_c(kind) or _is_true(kind, module, name):
        return full
    return full + CLAIMED


def mro(kind: type) -> tuple[type, ...]:
    """The method resolution order of a type, read without asking its metaclass."""
    return tuple(_TYPE["__mro__"].__get__(kind) or ())


def is_of_c(kind: type) -> bool:
    """Whether a type was made in C in such a way that Python code cannot change it."""
    flags = _TYPE["__flags__"].__get__(kind)
    return not flags & _HEAP or bool(flags & _IMMUTABLE)


def standard(module: str, name: str) -> Any:
    """A name of a module of the standard library as it was at first, or is, if it was loaded since; None without."""
    early = _EARLY.get(module)
    return getattr(_MODULES.get(module), name, None) if early is None else early.get(name)


def _part(kind: type, slot: str) -> str:
    try:
        part = _TYPE[slot].__get__(kind)
    except Exception:
        return "?"
    return str.__str__(part) if issubclass(type(part), str) else "?"


def _is_true(kind: type, module: str, name: str) -> bool:
    if "<locals>" in name:
        return True  # nobody finds such a class by its name
    first = name.partition(".")[0]
    early = _EARLY.get(module)
    for namespace in (early, _namespace(module)):
        if namespace is not None and first in namespace:
            return _followed(namespace, name) is kind
    # `dataclasses.make_dataclass` and others put their classes into a module that holds none of that name
    return early is not None and first == name and not (module == "builtins" and name in _UNLISTED)


def _namespace(module: str) -> dict[str, Any] | None:
    loaded = _MODULES.get(module)
    return _MODULE.__get__(loaded) if issubclass(type(loaded), types.ModuleType) else None


def _followed(namespace: dict[str, Any], name: str) -> object:
    first, *rest = name.split(".")
    found = namespace[first]
    for part in rest:
        if not issubclass(type(found), type):
            return _MISSING
        found = _TYPE["__dict__"].__get__(found).get(part, _MISSING)
    return found
