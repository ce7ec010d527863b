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


class Names:
    """The names in one tree, nested scopes included, from one walk over it.

    `bound` counts how often each is bound, `loads` holds every place that reads it, and `reads_scope` says whether
    something may read variables by a computed name.
    """

    def __init__(self, tree: ast.AST) -> None:
        self.bound: Counter[str] = Counter()
        self.loads: dict[str, list[ast.Name]] = {}
        self.reads_scope = False
        for node in ast.walk(tree):
            self.reads_scope |= isinstance(node, ast.Name) and node.id in _SCOPE_READERS
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self.loads.setdefault(node.id, []).append(node)
            else:
                self._bind(node)

    def _bind(self, node: ast.AST) -> None:
        found = self.bound
        match node:
            case ast.Name(id=name):
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


class Module:
    """The names of one suite file."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self._names: dict[int, Names] = {}
        self.bound = self.names(tree).bound
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

    def names(self, node: ast.AST) -> Names:
        """The names below a node of the file, kept for the next question."""
        if id(node) not in self._names:
            self._names[id(node)] = Names(node)
        return self._names[id(node)]

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


def local_constants(owner: str, names: Names, statements: list[ast.stmt]) -> Iterator[Constant]:
    """Names that a function binds once, by one of its unconditional `statements`; `names` are the function's."""
    if names.reads_scope:
        return
    bound = names.bound
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
