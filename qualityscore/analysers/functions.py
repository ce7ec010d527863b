"""Facts about one function: what it promises, and whether its body does anything of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from qualityscore.analysers.facts import FunctionFact
from qualityscore.analysers.signature import of_arguments
from qualityscore.analysers.syntax import FunctionNode, dotted, reference

_ACTS = (
    ast.Call,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Raise,
    ast.Global,
    ast.Nonlocal,
    ast.Delete,
    ast.Assert,
    ast.With,
    ast.AsyncWith,
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
)

_KEEPS_SIGNATURE = frozenset(
    {
        *("staticmethod", "classmethod", "abstractmethod", "lru_cache", "cache", "contextmanager", "final", "override"),
        *("asynccontextmanager", "deprecated", "singledispatch", "overload", "total_ordering", "abstractclassmethod"),
        *("abstractstaticmethod", "runtime_checkable", "coroutine"),
    }
)


def function_fact(node: FunctionNode, qualname: str) -> FunctionFact:
    """Facts of a function definition."""
    documentation = ast.get_docstring(node, clean=True)
    return FunctionFact(
        name=node.name,
        qualname=qualname,
        line=node.lineno,
        column=node.col_offset + 1,
        signature=of_arguments(node.args, node.returns),
        decorators=tuple(reference(d) or "" for d in node.decorator_list),
        stub=stub_reason(node),
        documented=documentation is not None,
        summary=first_line(documentation),
        transparent=_hands_back(node),
    )


def first_line(documentation: str | None) -> str:
    """The first line of a docstring, empty where there is none."""
    return documentation.strip().partition("\n")[0].strip() if documentation else ""


def body_without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """A function's or class's statements after its docstring."""
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:]
    return body


def is_filler(statement: ast.stmt) -> bool:
    """`pass`, `...` or another constant that stands as a statement."""
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def stub_reason(node: FunctionNode) -> str | None:
    """Why the function is a stub (scoring.md section 4 on surface coverage), or None.

    Bodiless: only filler, or only `raise NotImplementedError`. Constant: every way out gives the same literal, whatever
    the arguments, and nothing on the way calls, raises, or changes anything but local names.
    """
    body = [s for s in body_without_docstring(node.body) if not is_filler(s)]
    if not body:
        return "has no body"
    if len(body) == 1 and isinstance(body[0], ast.Raise):
        raised = reference(body[0].exc)
        return "only raises NotImplementedError" if raised == "NotImplementedError" else None
    returned: set[str] = set()
    pending: list[ast.AST] = list(body)
    while pending:
        current = pending.pop()
        if isinstance(current, _ACTS):
            return None
        if isinstance(current, ast.Attribute | ast.Subscript) and not isinstance(current.ctx, ast.Load):
            return None
        if isinstance(current, ast.Return):
            if current.value is not None and not _is_literal(current.value):
                return None
            returned.add(ast.dump(current.value) if current.value is not None else "Constant(value=None)")
        pending.extend(ast.iter_child_nodes(current))
    if not returned:
        return None if _loops(body) else "returns nothing and changes nothing"
    if not isinstance(body[-1], ast.Return):
        returned.add("Constant(value=None)")
    return "returns the same constant whatever the arguments" if len(returned) == 1 else None


def _loops(body: list[ast.stmt]) -> bool:
    return any(isinstance(n, ast.While | ast.For | ast.AsyncFor) for s in body for n in ast.walk(s))


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return _is_literal(node.operand)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(_is_literal(e) for e in node.elts)
    if isinstance(node, ast.Dict):
        return all(k is not None and _is_literal(k) for k in node.keys) and all(_is_literal(v) for v in node.values)
    return False


def _hands_back(node: FunctionNode) -> bool:
    """Whether the function returns its first argument without writing to it, or an inner function that does so."""
    if not (isinstance(node.body[-1], ast.Return) and isinstance(node.body[-1].value, ast.Name)):
        return False
    inner = [s for s in node.body if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)]
    positional = [*node.args.posonlyargs, *node.args.args]
    names = {positional[0].arg} if positional else set()
    names |= {f.name for f in inner if _hands_back(f)}
    returns: list[ast.expr | None] = []
    pending: list[ast.AST] = list(node.body)
    while pending:
        current = pending.pop()
        if isinstance(current, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(current, ast.Return):
            returns.append(current.value)
        if isinstance(current, ast.Attribute) and not isinstance(current.ctx, ast.Load):
            return False
        if isinstance(current, ast.Call) and dotted(current.func) in ("setattr", "delattr", "type"):
            return False
        pending.extend(ast.iter_child_nodes(current))
    return bool(returns) and all(isinstance(r, ast.Name) and r.id in names for r in returns)


def keeps_signature(decorators: Iterable[str]) -> bool:
    """Whether the decorators are known to leave a function's parameters alone."""
    return all(d.rpartition(".")[2] in _KEEPS_SIGNATURE for d in decorators)
