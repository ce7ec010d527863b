"""Whether a suite runs the place that a mutant changes: a variant of the source that ends the process there."""

from __future__ import annotations

import ast
import re

from qualityscore.defects.mutants import Mutant

EXIT_STATUS = 3
_EXIT = f'__import__("os")._exit({EXIT_STATUS})'
_LINE_END = re.compile(r"\r\n|\r|\n")
_Span = tuple[int, int]


def exits_where_changed(source: str, mutant: Mutant) -> str | None:
    """The source that leaves the process when the mutant's place is evaluated; None where no such variant exists.

    The smallest expression around the change is evaluated after the exit, or the statement is replaced by it.
    """
    starts = [0, *(end.end() for end in _LINE_END.finditer(source))]
    lines = _LINE_END.split(source)
    expressions: list[_Span] = []
    statements: list[_Span] = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.expr | ast.stmt):
            continue
        span = (_offset(starts, lines, node.lineno, node.col_offset), _end(starts, lines, node))
        if not span[0] <= mutant.start <= mutant.end <= span[1]:
            continue
        if isinstance(node, ast.stmt):
            statements.append(span)
        elif isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load):
            expressions.append(span)
    by_size = [(span, f"({_EXIT} or ({source[span[0] : span[1]]}))") for span in _smallest_first(expressions)]
    by_size += [(span, _EXIT) for span in _smallest_first(statements)]
    for (start, end), text in by_size:
        variant = source[:start] + text + source[end:]
        if _compiles(variant):
            return variant
    return None


def _smallest_first(spans: list[_Span]) -> list[_Span]:
    return sorted(spans, key=lambda span: span[1] - span[0])


def _offset(starts: list[int], lines: list[str], line: int, utf8_column: int) -> int:
    text = lines[line - 1]
    column = utf8_column if text.isascii() else len(text.encode()[:utf8_column].decode(errors="replace"))
    return starts[line - 1] + column


def _end(starts: list[int], lines: list[str], node: ast.expr | ast.stmt) -> int:
    return _offset(starts, lines, node.end_lineno or node.lineno, node.end_col_offset or 0)


def _compiles(source: str) -> bool:
    try:
        compile(source, "<variant>", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
