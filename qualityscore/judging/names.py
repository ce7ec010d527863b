"""What the names of a suite file mean: imports, bindings, and constants that are bound once to a literal."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPE_READERS = frozenset({"locals", "vars", "globals", "eval", "exec", "dir"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A name bound once, unconditionally, to an expression; `statement` is the binding."""

    owner: str  # the function's qualified name, "" for the module
    name: str
    value: ast.expr
    statement: ast.stmt


def bound_names(tree: ast.AST) -> Counter[str]:
    """How often each name is bound anywhere below `tree`, nested scopes included."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found[name] += 1
            case ast.arg(arg=name):
                found[name] += 1
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] += 1
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                found.update((alias.asname or alias.name.split(".")[0]) for alias in aliases)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found[name] += 1
            case ast.MatchMapping(rest=str(name)):
                found[name] += 1
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found.update(dict.fromkeys(names, 2))
            case _:
                pass
    return found


def loads(tree: ast.AST, name: str) -> list[ast.Name]:
    """Every place below `tree` that reads `name`."""
    return [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]


def reads_scope(tree: ast.AST) -> bool:
    """Whether something below `tree` may read variables by a computed name."""
    return any(isinstance(n, ast.Name) and n.id in _SCOPE_READERS for n in ast.walk(tree))


class Module:
    """The names of one suite file."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.bound = bound_names(tree)
        self.imports: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.imports[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else alias.name.split(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    self.imports[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def dotted(self, node: ast.expr) -> str | None:
        """The full name that an expression stands for, where imports or builtins settle it."""
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value)
            return f"{base}.{node.attr}" if base else None
        if not isinstance(node, ast.Name):
            return None
        if self.bound[node.id] == 1 and node.id in self.imports:
            return self.imports[node.id]
        if not self.bound[node.id] and hasattr(builtins, node.id):
            return f"builtins.{node.id}"
        return None

    def constants(self) -> Iterator[Constant]:
        """Names bound once in the whole file, at its top level."""
        for statement in self.tree.body:
            found = _simple_assignment(statement)
            if found and self.bound[found[0]] == 1:
                yield Constant(owner="", name=found[0], value=found[1], statement=statement)


def local_constants(owner: str, function: FunctionNode, statements: list[ast.stmt]) -> Iterator[Constant]:
    """Names that `function` binds once, by one of its unconditional `statements`."""
    if reads_scope(function):
        return
    bound = bound_names(function)
    for statement in statements:
        found = _simple_assignment(statement)
        if found and bound[found[0]] == 1:
            yield Constant(owner=owner, name=found[0], value=found[1], statement=statement)


def _simple_assignment(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return name, value
        case _:
            return None


# `with` items that never swallow an exception; what else stands in a `with` may
_TRANSPARENT = (
    "builtins.open",
    "io.",
    "tempfile.",
    "warnings.catch_warnings",
    "unittest.mock.patch",
    "pytest.warns",
    "pytest.deprecated_call",
    "contextlib.redirect_stdout",
    "contextlib.redirect_stderr",
    "contextlib.closing",
    "contextlib.nullcontext",
    "decimal.localcontext",
)


def unconditional(body: list[ast.stmt], module: Module) -> Iterator[ast.stmt]:
    """The statements of a function body that run whenever the function runs to its end.

    Top level, `try` without handlers and `finally`, and a `with` that cannot swallow; nothing after a `return`.
    """
    for statement in body:
        yield statement
        if isinstance(statement, ast.Try):
            if not statement.handlers and not any(returns(last) for last in statement.finalbody):
                yield from unconditional(statement.body, module)
                yield from unconditional(statement.orelse, module)
            yield from unconditional(statement.finalbody, module)
        elif isinstance(statement, ast.With | ast.AsyncWith) and all(
            _cannot_swallow(item.context_expr, module) for item in statement.items
        ):
            yield from unconditional(statement.body, module)
        if returns(statement):
            return


def returns(statement: ast.AST) -> bool:
    """Whether a `return` of the same function stands in a statement."""
    if isinstance(statement, ast.Return):
        return True
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return False
    return any(returns(child) for child in ast.iter_child_nodes(statement))


def _cannot_swallow(context: ast.expr, module: Module) -> bool:
    if not isinstance(context, ast.Call):
        return False
    name = module.dotted(context.func)
    if name is not None:
        return name.startswith(_TRANSPARENT)
    match context.func:
        case ast.Attribute(value=ast.Name(id="self"), attr="subTest" | "assertWarns" | "assertLogs"):
            return True
        case ast.Attribute(value=ast.Name(id="monkeypatch"), attr="context"):
            return True
        case ast.Attribute(value=ast.Name(id="capsys" | "capfd"), attr="disabled"):
            return True
        case _:
            return False
