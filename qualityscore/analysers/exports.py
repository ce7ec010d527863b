"""What a module says about its own names: `__all__`, a module-level `__getattr__`, and where that takes names from."""

from __future__ import annotations

import ast

from qualityscore.analysers.facts import Exports
from qualityscore.analysers.syntax import FunctionNode, blocks, dotted, place


def exports_of(tree: ast.Module) -> Exports | None:
    """Read `__all__`: assignment, `+=`, append, extend, literals, other modules'; None where there is none."""
    names: list[tuple[str, int, int]] = []
    references: list[str] = []
    seen = computed = False
    pending = list(reversed(tree.body))
    while pending:
        statement = pending.pop()
        for block in blocks(statement):
            pending.extend(reversed(block))
        value: ast.expr | None = None
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                names, references, computed = [], [], False
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=value):
                pass
            case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
                pass
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="__all__"), attr=method), args=[only])):
                value = ast.List(elts=[only], ctx=ast.Load()) if method == "append" else only
                if method not in ("append", "extend"):
                    continue
            case _:
                continue
        if value is None:
            continue
        seen = True
        if not _add(value, names, references):
            computed = True
    if not seen:
        return None
    return Exports(names=tuple(names), references=tuple(references), computed=computed)


def _add(value: ast.expr, names: list[tuple[str, int, int]], references: list[str]) -> bool:
    """Take in one part of `__all__`; False where something was computed."""
    complete = True
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            pending.extend(reversed(node.elts))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            pending.extend((node.right, node.left))
        elif isinstance(node, ast.Starred):
            pending.append(node.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.append((node.value, *place(node)))
        elif (
            isinstance(node, ast.Call)
            and dotted(node.func) in ("list", "tuple", "sorted", "set")
            and len(node.args) == 1
        ):
            pending.append(node.args[0])
        else:
            text = dotted(node)
            if text is not None and text.endswith(".__all__"):
                references.append(text.rpartition(".")[0])
            else:
                complete = False
    return complete


def lazy_names(tree: ast.Module) -> tuple[bool, dict[str, str]]:
    """Whether the module answers for names that it does not bind, and the names that can be read off, with the module
    that each comes from (relative with leading dots; empty where the name is itself a module or stays unknown).

    Understood: a dict literal from names to modules or from modules to lists of names beside `__getattr__`,
    `lazy_loader.attach`, and comparisons of `__getattr__`'s argument with constants.
    """
    served: dict[str, str] = {}
    dynamic = False
    tables: list[ast.Dict] = []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__getattr__":
            dynamic = True
            served |= _compared(statement)
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Assign) and any(dotted(t) == "__getattr__" for t in statement.targets):
            dynamic = True
        if isinstance(statement, ast.Import | ast.ImportFrom):
            dynamic = dynamic or any((a.asname or a.name) == "__getattr__" for a in statement.names)
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            if isinstance(value, ast.Dict):
                tables.append(value)
            if isinstance(value, ast.Call) and (dotted(value.func) or "").endswith(("attach", "attach_stub")):
                dynamic = True
                served |= _attached(value)
    if dynamic:
        for table in tables:
            served |= _table(table)
    return dynamic, served


def _table(table: ast.Dict) -> dict[str, str]:
    served: dict[str, str] = {}
    for key, value in zip(table.keys, table.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            continue
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            served[key.value] = value.value
        elif isinstance(value, ast.List | ast.Tuple | ast.Set):
            strings = [e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
            if isinstance(value, ast.Tuple) and len(strings) == 2 and len(value.elts) == 2 and key.value == strings[1]:
                served[key.value] = strings[0]
            else:
                served |= dict.fromkeys(strings, f".{key.value}")
    return served


def _attached(call: ast.Call) -> dict[str, str]:
    served: dict[str, str] = {}
    for keyword in call.keywords:
        if keyword.arg == "submod_attrs" and isinstance(keyword.value, ast.Dict):
            served |= _table(keyword.value)
        if keyword.arg == "submodules" and isinstance(keyword.value, ast.List | ast.Set | ast.Tuple):
            served |= {
                e.value: "" for e in keyword.value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)
            }
    return served


def _compared(function: FunctionNode) -> dict[str, str]:
    """Names that `__getattr__` compares its argument with, and the module imported in that branch."""
    parameter = function.args.args[0].arg if function.args.args else ""
    served: dict[str, str] = {}
    for node in ast.walk(function):
        if (
            not isinstance(node, ast.If)
            or not isinstance(node.test, ast.Compare)
            or dotted(node.test.left) != parameter
        ):
            continue
        names = [
            c.value
            for comparator in node.test.comparators
            for c in ast.walk(comparator)
            if isinstance(c, ast.Constant) and isinstance(c.value, str)
        ]
        modules = [
            "." * s.level + (s.module or "")
            for s in node.body
            if isinstance(s, ast.ImportFrom) and any(a.name in names for a in s.names)
        ]
        served |= dict.fromkeys(names, modules[0] if modules else "")
    return served
