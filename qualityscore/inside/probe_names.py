"""From dotted surface names to the objects and code that they stand for."""

from __future__ import annotations

import sys
import types


def resolve(surface, name):
    """The object that a dotted surface name stands for, None where it is not there."""
    parts = name.split(".")
    found = surface.get(parts[0])
    for part in parts[1:]:
        if found is None:
            return None
        found = (
            sys.modules.get(f"{found.__name__}.{part}")
            if _is_module_without(found, part)
            else getattr(found, part, None)
        )
    return found


def _is_module_without(found, part):
    return isinstance(found, types.ModuleType) and not hasattr(found, part)


def code_of(found):
    """The code object behind a function, method, property or wrapper; None where there is none."""
    for _ in range(10):
        if isinstance(found, types.CodeType):
            return found
        follow = ("__wrapped__", "__func__", "fget", "func", "__code__")
        found = next((getattr(found, name) for name in follow if getattr(found, name, None) is not None), None)
        if found is None:
            return None
    return None
