"""The literals that a derived suite still shows: what somebody who reads it could send back as an observation."""

from __future__ import annotations

import ast

from qualityscore.judging.lowered import ROW_ID

_CAP = 80
_KINDS = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp)


def visible_literals(source: str) -> dict[str, tuple[str, ...]]:
    """Per test function, the source texts of the distinct literals in it, its decorators and the module's constants."""
    tree = ast.parse(source)
    shared: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            shared.extend(_literals(node))
    found: dict[str, tuple[str, ...]] = {}
    _collect(tree, "", shared, found)
    return found


def _collect(
    tree: ast.Module | ast.ClassDef, prefix: str, shared: list[str], found: dict[str, tuple[str, ...]]
) -> None:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            _collect(node, f"{prefix}{node.name}::", shared, found)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            texts = dict.fromkeys([*_literals(node), *shared])
            found[prefix + node.name] = tuple(texts)[:_CAP]


def _literals(tree: ast.AST) -> list[str]:
    """Outermost literal displays and the constants inside them; recorder keys and opaque ids are none."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, _KINDS) and not _marks(node):
            try:
                ast.literal_eval(node)
            except (ValueError, TypeError, SyntaxError, RecursionError):
                continue
            found.append(ast.unparse(node))
    return found


def _marks(node: ast.expr) -> bool:
    if not isinstance(node, ast.Constant):
        return False
    if node.value is None or isinstance(node.value, bool) or node.value is ...:
        return True
    text = node.value
    return isinstance(text, str) and (ROW_ID.fullmatch(text) is not None or (text[:1] == "a" and text[1:].isdigit()))
