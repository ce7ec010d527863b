"""What a module or class body binds, statement by statement, without entering functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from qualityscore.analysers.facts import Binding, Bound, ImportFact
from qualityscore.analysers.functions import function_fact
from qualityscore.analysers.signature import source_text
from qualityscore.analysers.syntax import (
    blocks,
    catches_import_error,
    dotted,
    is_typing_only,
    place,
    reference,
    strings_of,
    targets,
)

_FIELD_MAKERS = frozenset({"field", "Field", "ib", "attrib"})
_TUPLE_MAKERS = frozenset({"namedtuple", "NamedTuple"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Where a statement stands."""

    prefix: str = ""  # qualified name of the class around it, with a final dot
    conditional: bool = False
    typing_only: bool = False
    guarded: bool = False


def bindings_of(body: list[ast.stmt], context: Context) -> dict[str, tuple[Binding, ...]]:
    """All bindings of a body by name, in source order."""
    found: dict[str, list[Binding]] = {}
    for binding in _walk(body, context):
        found.setdefault(binding.name, []).append(binding)
    return {name: tuple(bindings) for name, bindings in found.items()}


def _walk(body: list[ast.stmt], context: Context) -> Iterator[Binding]:
    pending: list[tuple[ast.stmt, Context]] = [(s, context) for s in reversed(body)]
    while pending:
        statement, around = pending.pop()
        yield from _statement(statement, around)
        for block in reversed(list(blocks(statement))):
            inner = _inside(statement, block, around)
            pending.extend((s, inner) for s in reversed(block))


def _inside(statement: ast.stmt, block: list[ast.stmt], context: Context) -> Context:
    typing_only = context.typing_only
    if isinstance(statement, ast.If) and block is statement.body and is_typing_only(statement.test):
        typing_only = True
    certain = isinstance(statement, ast.With | ast.AsyncWith) or (
        isinstance(statement, ast.If) and isinstance(statement.test, ast.Constant)
    )
    return Context(
        prefix=context.prefix,
        conditional=context.conditional or not certain,
        typing_only=typing_only,
        guarded=context.guarded or catches_import_error(statement) or isinstance(statement, ast.If),
    )


def _statement(statement: ast.stmt, context: Context) -> Iterator[Binding]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            fact = function_fact(statement, context.prefix + statement.name)
            yield _binding(statement.name, Bound.FUNCTION, statement, context, function=fact)
        case ast.ClassDef():
            yield _binding(statement.name, Bound.CLASS, statement, context, class_name=context.prefix + statement.name)
        case ast.Import() | ast.ImportFrom():
            for imported in import_facts(statement, context):
                kind = Bound.IMPORT if imported.name is None else Bound.IMPORT_FROM
                yield _binding(imported.bound, kind, statement, context, imported=imported)
        case ast.Assign(targets=names, value=value):
            for target in names:
                for single in targets(target):
                    if isinstance(single, ast.Name):
                        yield _assigned(single, value if single is target else None, context)
        case ast.AnnAssign(target=ast.Name() as target, value=value, annotation=annotation):
            yield _assigned(target, value, context, annotation)
        case ast.AugAssign(target=ast.Name() as target):
            yield _assigned(target, None, context)
        case ast.For(target=target) | ast.AsyncFor(target=target):
            yield from _others(target, context)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if item.optional_vars is not None:
                    yield from _others(item.optional_vars, context)
        case _:
            if type(statement).__name__ == "TypeAlias":
                yield from _others(statement.name, context)  # type: ignore[attr-defined]
    yield from _walruses(statement, context)


def _others(target: ast.AST, context: Context) -> Iterator[Binding]:
    for single in targets(target):
        if isinstance(single, ast.Name):
            yield _binding(single.id, Bound.OTHER, single, context)


def _walruses(statement: ast.stmt, context: Context) -> Iterator[Binding]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
        return
    pending: list[ast.AST] = [
        child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr | ast.match_case)
    ]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Lambda | ast.stmt | ast.Constant | ast.Name):
            continue
        if isinstance(node, ast.NamedExpr):
            yield _binding(node.target.id, Bound.OTHER, node, context)
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            yield _binding(node.name, Bound.OTHER, node, context)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield _binding(node.rest, Bound.OTHER, node, context)
        pending.extend(ast.iter_child_nodes(node))


def _binding(name: str, kind: Bound, node: ast.AST, context: Context, **more: object) -> Binding:
    line, column = place(node)  # type: ignore[arg-type]
    return Binding(
        name=name,
        kind=kind,
        line=line,
        column=column,
        conditional=context.conditional,
        typing_only=context.typing_only,
        **more,  # type: ignore[arg-type]
    )


def _assigned(
    target: ast.Name, value: ast.expr | None, context: Context, annotation: ast.expr | None = None
) -> Binding:
    called = reference(value.func) if isinstance(value, ast.Call) else None
    return _binding(
        target.id,
        Bound.ASSIGNMENT,
        target,
        context,
        alias=dotted(value) if value is not None else None,
        called=called,
        constant=source_text(value) if isinstance(value, ast.Constant | ast.UnaryOp) else None,
        annotation=source_text(annotation) if annotation is not None else None,
        default=_default(value, called) if annotation is not None or isinstance(value, ast.Call) else None,
        excluded=isinstance(value, ast.Call) and any(k.arg == "init" and _is_false(k.value) for k in value.keywords),
        fields=tuple_fields(value),
    )


def _default(value: ast.expr | None, called: str | None) -> str | None:
    """The default of a dataclass or attrs field."""
    if value is None:
        return None
    if isinstance(value, ast.Call) and (called or "").rpartition(".")[2] in _FIELD_MAKERS:
        given = any(k.arg in ("default", "default_factory", "factory") for k in value.keywords) or bool(value.args)
        return "..." if given else None
    return source_text(value)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def tuple_fields(value: ast.expr | None) -> tuple[str, ...] | None:
    """The field names of a call of namedtuple or NamedTuple with literal names; None for everything else."""
    if not isinstance(value, ast.Call) or (dotted(value.func) or "").rpartition(".")[2] not in _TUPLE_MAKERS:
        return None
    if len(value.args) < 2:
        return None
    return strings_of(value.args[1])


def import_facts(
    statement: ast.Import | ast.ImportFrom, context: Context, *, in_function: bool = False
) -> Iterator[ImportFact]:
    """One fact per imported name."""
    for alias in statement.names:
        line, column = place(alias)
        if isinstance(statement, ast.Import):
            module, level, name = alias.name, 0, None
            bound = alias.asname or alias.name.partition(".")[0]
        else:
            module, level, name = statement.module or "", statement.level, alias.name
            bound = alias.asname or alias.name
        yield ImportFact(
            module=module,
            level=level,
            name=name,
            bound=bound,
            line=line,
            column=column,
            in_function=in_function,
            guarded=context.guarded,
            typing_only=context.typing_only,
        )
