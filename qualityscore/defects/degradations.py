"""Graded degradations of a reference, one dimension each: what a score has to answer to.

Pure: the text of a file in, the degraded text out. None changes what a right call returns.
"""

from __future__ import annotations

import ast
import textwrap

BLOAT_FLAG = "_qs_never"


def complicate(source: str, function: str, decisions: int) -> str:
    """Merge `decisions` more decision points into a function (dotted name), behind a condition that never holds.

    A call costs one look-up more. Raises ValueError where the file has no such function.
    """
    block = f"if {BLOAT_FLAG}:\n" + "".join(
        f"    if {BLOAT_FLAG} == {number}:\n        raise LookupError({number})\n" for number in range(1, decisions)
    )
    return _at_top(
        _insert(source, function, block if decisions > 1 else f"if {BLOAT_FLAG}:\n    pass\n"), f"{BLOAT_FLAG} = 0\n"
    )


def endanger(source: str, findings: int) -> str:
    """Add functions that nobody calls, each with one finding of high severity."""
    unused = "".join(f"\n\ndef _qs_danger_{number}(text):\n    return eval(text)\n" for number in range(findings))
    return source.rstrip("\n") + "\n" + unused


def make_brittle(source: str, functions: tuple[str, ...]) -> str:
    """Let the functions leave the interpreter where a wrong argument made them raise TypeError or AttributeError."""
    for function in functions:
        source = _wrap(source, function, "except (TypeError, AttributeError):\n    raise SystemExit(3) from None\n")
    return source


def slow_down(source: str, function: str, steps: int) -> str:
    """Let every call of the function do `steps` empty loop turns first."""
    return _insert(source, function, f"for _ in range({steps}):\n    pass\n")


def hoard(source: str, function: str, mebibytes: int) -> str:
    """Let the first call of the function take, and never give back, resident memory; it costs few instructions."""
    block = (
        "if not _qs_held:\n"
        "    import mmap\n"
        "    _qs_held.append(\n"
        f"        mmap.mmap(-1, {mebibytes << 20}, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)\n"
        "    )\n"
    )
    return _at_top(_insert(source, function, block), "_qs_held = []\n")


def _find(tree: ast.Module, function: str) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """The last definition of a dotted name, the one that counts when the module has run."""
    scope: list[ast.stmt] = tree.body
    found: ast.stmt | None = None
    for name in function.split("."):
        matching = [
            node
            for node in scope
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name
        ]
        if not matching:
            raise ValueError(f"the file has no function {function}")
        found = matching[-1]
        scope = matching[-1].body
    if not isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef):
        raise ValueError(f"{function} is no function")
    return found


def _body_start(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt | None:
    """The first statement after the docstring; None where there is none."""
    first = node.body[0]
    documented = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    rest = node.body[1:] if documented else node.body
    return rest[0] if rest else None


def _insert(source: str, function: str, block: str) -> str:
    first = _body_start(_find(ast.parse(source), function))
    if first is None:
        raise ValueError(f"{function} has no statement")
    lines = source.split("\n")
    row = _first_line(first) - 1
    _require_own_line(lines[row], first, function)
    lines[row:row] = textwrap.indent(block, " " * first.col_offset).rstrip("\n").split("\n")
    return "\n".join(lines)


def _wrap(source: str, function: str, handler: str) -> str:
    node = _find(ast.parse(source), function)
    first = _body_start(node)
    if first is None:
        raise ValueError(f"{function} has no statement")
    lines = source.split("\n")
    start, end = _first_line(first) - 1, node.end_lineno or first.lineno
    _require_own_line(lines[start], first, function)
    _require_no_long_strings(node, function)
    margin = " " * first.col_offset
    lines[start:end] = [
        f"{margin}try:",
        *(f"    {line}" if line.strip() else line for line in lines[start:end]),
        *textwrap.indent(handler, margin).rstrip("\n").split("\n"),
    ]
    return "\n".join(lines)


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return int(min([node.lineno, *(decorator.lineno for decorator in decorators)]))


def _require_own_line(line: str, first: ast.stmt, function: str) -> None:
    if line[: first.col_offset].strip():
        raise ValueError(f"the body of {function} stands on the line of its head")


def _require_no_long_strings(node: ast.AST, function: str) -> None:
    """Indenting a string of several lines would change it."""
    for inner in ast.walk(node):
        is_text = isinstance(inner, ast.JoinedStr) or (
            isinstance(inner, ast.Constant) and isinstance(inner.value, str | bytes)
        )
        if is_text and inner is not _docstring_of(node) and _height(inner) > 1:
            raise ValueError(f"{function} holds a string of several lines")


def _height(node: ast.AST) -> int:
    return int(getattr(node, "end_lineno", 0)) - int(getattr(node, "lineno", 0)) + 1


def _docstring_of(node: ast.AST) -> ast.AST | None:
    body = getattr(node, "body", [])
    first = body[0] if body else None
    return first.value if isinstance(first, ast.Expr) else None


def _at_top(source: str, line: str) -> str:
    """The line before the first statement that is neither docstring nor `from __future__ import`."""
    tree = ast.parse(source)
    row = 0
    for position, node in enumerate(tree.body):
        documented = position == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not documented and not future:
            row = _first_line(node) - 1
            break
    lines = source.split("\n")
    lines[row:row] = line.rstrip("\n").split("\n")
    return "\n".join(lines)
