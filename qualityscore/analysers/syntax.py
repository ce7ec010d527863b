"""Small questions about syntax trees that several extractors ask."""

from __future__ import annotations

import ast
from collections.abc import Iterator

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

_CATCHES_IMPORT = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def dotted(node: ast.AST | None) -> str | None:
    """`a.b.c` for a chain of attributes on a name, None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def reference(node: ast.AST | None) -> str | None:
    """Like `dotted`, through subscripts (`Base[T]` is `Base`) and calls (`decorator(x)` is `decorator`)."""
    while isinstance(node, ast.Subscript | ast.Call):
        node = node.value if isinstance(node, ast.Subscript) else node.func
    return dotted(node)


def place(node: ast.expr | ast.stmt | ast.excepthandler | ast.alias | ast.arg | ast.keyword) -> tuple[int, int]:
    """Line and column of a node, both from 1."""
    return node.lineno, node.col_offset + 1


def place_of_attribute(node: ast.Attribute) -> tuple[int, int]:
    """Where the attribute's own name starts (`b` in `a.b`)."""
    line = node.end_lineno or node.lineno
    return line, max(1, (node.end_col_offset or 1) - len(node.attr) + 1)


def caught(node: ast.Try | ast.AST) -> frozenset[str]:
    """The last parts of the exception names that a try statement catches; "BaseException" for a bare except."""
    names: set[str] = set()
    for handler in getattr(node, "handlers", ()):
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for kind in kinds:
            text = dotted(kind) if kind is not None else "BaseException"
            if text:
                names.add(text.rpartition(".")[2])
    return frozenset(names)


def catches_import_error(node: ast.AST) -> bool:
    """Whether a failed import inside this try statement is expected."""
    return bool(caught(node) & _CATCHES_IMPORT)


def asks_version(test: ast.expr) -> bool:
    """Whether a condition depends on the interpreter or the platform."""
    return any(
        isinstance(n, ast.Attribute) and n.attr in ("version_info", "platform", "implementation", "hexversion")
        for n in ast.walk(test)
    )


def is_typing_only(test: ast.expr) -> bool:
    """Whether a condition is `TYPE_CHECKING`."""
    text = dotted(test)
    return text is not None and text.rpartition(".")[2] == "TYPE_CHECKING"


def strings_of(node: ast.AST | None) -> tuple[str, ...] | None:
    """The strings of a literal list, tuple, set or dict's keys, or of one string that holds several names.

    None where one of them is computed.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return tuple(node.value.replace(",", " ").split())
    elements: list[ast.expr | None]
    if isinstance(node, ast.Dict):
        elements = list(node.keys)
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        # typing.NamedTuple("P", [("x", int)]) names its fields in pairs
        elements = [e.elts[0] if isinstance(e, ast.Tuple) and e.elts else e for e in node.elts]
    else:
        return None
    names = [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    return tuple(names) if len(names) == len(elements) else None


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The statement lists directly below a compound statement that is no function and no class."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body
    for case in getattr(statement, "cases", ()):
        yield case.body


def targets(node: ast.AST) -> Iterator[ast.Name | ast.Attribute | ast.Subscript]:
    """The single targets of an assignment target, through tuples, lists and stars."""
    pending = [node]
    while pending:
        target = pending.pop()
        if isinstance(target, ast.Tuple | ast.List):
            pending.extend(reversed(target.elts))
        elif isinstance(target, ast.Starred):
            pending.append(target.value)
        elif isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
            yield target


def mangled(name: str, class_name: str | None) -> str:
    """The name as Python stores it: `__x` in class C is `_C__x`."""
    if class_name is None or not name.startswith("__") or name.endswith("__") or not class_name.strip("_"):
        return name
    return f"_{class_name.lstrip('_')}{name}"
