"""The literal arguments of a `setup()` call, read from the syntax tree of a setup.py and never by running it."""

from __future__ import annotations

import ast
import warnings
from typing import Any


def setup_arguments(text: str) -> dict[str, Any]:
    """Keyword arguments that are literals, or names bound once, at the top, to literals; {} where there are none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    names: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = node.value
    found: dict[str, Any] = {}
    for inner in ast.walk(tree):
        if not isinstance(inner, ast.Call):
            continue
        called = inner.func.attr if isinstance(inner.func, ast.Attribute) else getattr(inner.func, "id", "")
        if called != "setup":
            continue
        for keyword in inner.keywords:
            value = names.get(keyword.value.id) if isinstance(keyword.value, ast.Name) else keyword.value
            if keyword.arg is None or value is None:
                continue
            try:
                found[keyword.arg] = ast.literal_eval(value)
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue
    return {key: value for key, value in found.items() if isinstance(value, str | list | tuple | dict)}
