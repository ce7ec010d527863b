"""Facts about the classes of one file, wherever they are nested."""

from __future__ import annotations

import ast

from qualityscore.analysers.bindings import Context, bindings_of, tuple_fields
from qualityscore.analysers.facts import Binding, ClassFact, MethodFact
from qualityscore.analysers.functions import body_without_docstring, first_line, is_filler
from qualityscore.analysers.methods import method_fact
from qualityscore.analysers.syntax import FunctionNode, blocks, dotted, mangled, reference, strings_of

_DYNAMIC_METHODS = frozenset({"__getattr__", "__getattribute__"})
_Namespace = FunctionNode | dict[str, Binding]
_DYNAMIC_CALLS = frozenset({"exec", "locals", "vars"})


def class_facts(tree: ast.Module, lines: list[str]) -> tuple[ClassFact, ...]:
    """All classes of a file in source order. `lines` is the text split as the parser counts lines."""
    blank = [0]
    for line in lines:
        blank.append(blank[-1] + (not line.strip()))
    found: list[ClassFact] = []
    known: dict[int, dict[str, Binding]] = {}

    def names(function: _Namespace) -> dict[str, Binding]:
        if isinstance(function, dict):
            return function
        if id(function) not in known:
            bound = bindings_of(function.body, Context())
            known[id(function)] = {name: bindings[-1] for name, bindings in bound.items()}
        return known[id(function)]

    pending: list[tuple[ast.AST, str, tuple[_Namespace, ...]]] = [(tree, "", ())]
    while pending:
        node, prefix, around = pending.pop()
        inner: list[tuple[ast.AST, str, tuple[_Namespace, ...]]] = []
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                fact = _class_fact(child, prefix, tuple(map(names, around)), blank)
                found.append(fact)
                members = {name: bindings[-1] for name, bindings in fact.members.items()}
                inner.append((child, f"{prefix}{child.name}.", (members, *around)))
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                outside = around[1:] if isinstance(node, ast.ClassDef) else around
                inner.append((child, f"{prefix}{child.name}.<locals>.", (child, *outside)))
            elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                inner.append((child, prefix, around))
        pending.extend(reversed(inner))
    return tuple(sorted(found, key=lambda c: (c.line, c.column)))


def _class_fact(node: ast.ClassDef, prefix: str, around: tuple[dict[str, Binding], ...], blank: list[int]) -> ClassFact:
    qualname = prefix + node.name
    end = node.end_lineno or node.lineno
    members = {
        mangled(name, node.name): bindings
        for name, bindings in bindings_of(node.body, Context(prefix=f"{qualname}.")).items()
    }
    reasons: list[str] = [f"it defines {name}" for name in sorted(_DYNAMIC_METHODS & members.keys())]
    methods: list[MethodFact] = []
    functions = _functions(node.body)
    usual = next((f.args.args[0].arg for f in functions if f.name == "__init__" and f.args.args), "self")
    for function in functions:
        fact, opened = method_fact(function, node.name, f"{qualname}.", usual)
        methods.append(fact)
        reasons.extend(opened)
    slots: tuple[str, ...] | None = None
    pending: list[list[ast.stmt]] = [node.body]
    while pending:
        for statement in pending.pop():
            pending.extend(blocks(statement))
            if _assigns(statement, "__slots__"):
                slots = strings_of(statement.value)  # type: ignore[attr-defined]
                if slots is None:
                    reasons.append("its __slots__ are computed")
            if _runs_dynamically(statement):
                reasons.append("its body writes its own namespace")
    bases: list[str | None] = []
    base_fields: list[str] = []
    for base in node.bases:
        fields = tuple_fields(base)
        if fields is not None:
            base_fields.extend(fields)
            bases.append("builtins.tuple")
        else:
            inner = base.value if isinstance(base, ast.Subscript) else base
            bases.append(dotted(inner))  # None for a base that is made by a call
    documentation = ast.get_docstring(node, clean=True)
    return ClassFact(
        name=node.name,
        qualname=qualname,
        line=node.lineno,
        column=node.col_offset + 1,
        loc=end - node.lineno + 1 - (blank[min(end, len(blank) - 1)] - blank[node.lineno - 1]),
        bases=tuple(bases),
        base_fields=tuple(base_fields),
        metaclass=next((dotted(k.value) or "?" for k in node.keywords if k.arg == "metaclass"), None),
        keywords=tuple(k.arg or "**" for k in node.keywords),
        decorators=tuple(reference(d) or "?" for d in node.decorator_list),
        keyword_only=any(_is_keyword_only(d) for d in node.decorator_list),
        documented=documentation is not None,
        summary=first_line(documentation),
        empty=all(is_filler(s) for s in body_without_docstring(node.body)),
        members=members,
        methods=tuple(methods),
        slots=tuple(mangled(s, node.name) for s in slots) if slots is not None else None,
        open=tuple(dict.fromkeys(reasons)),
        locals=around,
    )


def _functions(body: list[ast.stmt]) -> list[FunctionNode]:
    found: list[FunctionNode] = []
    pending = list(reversed(body))
    while pending:
        statement = pending.pop()
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(statement)
        for block in blocks(statement):
            pending.extend(reversed(block))
    plain = {f.name for f in found if not _is_overload(f)}
    return [f for f in found if not (_is_overload(f) and f.name in plain)]


def _is_overload(node: FunctionNode) -> bool:
    return any((dotted(d) or "").rpartition(".")[2] == "overload" for d in node.decorator_list)


def _assigns(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.Assign):
        return any(isinstance(t, ast.Name) and t.id == name for t in statement.targets)
    return (
        isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and (statement.target.id == name and statement.value is not None)
    )


def _is_keyword_only(decorator: ast.expr) -> bool:
    if not isinstance(decorator, ast.Call):
        return False
    given = {k.arg: k.value for k in decorator.keywords}
    value = given.get("kw_only")
    return isinstance(value, ast.Constant) and value.value is True


def _runs_dynamically(statement: ast.stmt) -> bool:
    """Whether a statement of a class body calls exec, locals() or vars()."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    pending: list[ast.AST] = [c for c in ast.iter_child_nodes(statement) if isinstance(c, ast.expr)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DYNAMIC_CALLS:
            return True
        if not isinstance(node, ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return False
