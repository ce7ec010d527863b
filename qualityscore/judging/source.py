"""Editing Python text in place: byte offsets as `ast` counts them, and no line ever moves."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the bytes from `start` to `end`."""

    start: int
    end: int
    text: str


class Source:
    """A module's text with its comments blanked, addressable by the positions of its syntax tree."""

    def __init__(self, text: str) -> None:
        self.text = _without_comments(text.replace("\r\n", "\n").replace("\r", "\n"))
        self.tree = ast.parse(self.text)
        self._bytes = self.text.encode()
        self._starts = [0]
        for line in self._bytes.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def span(self, node: ast.stmt | ast.expr | ast.keyword) -> tuple[int, int]:
        """First and past-the-last byte of a node."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def segment(self, node: ast.stmt | ast.expr) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self._bytes[start:end].decode()

    def before(self, offset: int) -> bytes:
        """Everything before a byte offset, without trailing white space."""
        return self._bytes[:offset].rstrip()

    def replace(self, node: ast.stmt | ast.expr, text: str) -> Edit:
        """An edit that puts `text` in a node's place; `text` must hold a bracket that can take the missing newlines."""
        start, end = self.span(node)
        missing = self._bytes[start:end].count(b"\n") - text.count("\n")
        if missing > 0:
            close = max(text.rfind(bracket) for bracket in ")]")
            text = f"{text[:close]}{chr(10) * missing}{text[close:]}"
        return Edit(start, end, text)

    def call(self, node: ast.stmt | ast.expr, calls: list[tuple[str, list[str | ast.expr | ast.keyword]]]) -> Edit:
        """An edit that turns a node into calls, each argument on the line where it stood."""
        line = node.lineno
        parts = []
        for function, arguments in calls:
            shown = []
            for argument in arguments:
                if isinstance(argument, str):
                    shown.append(argument)
                    continue
                value = argument.value if isinstance(argument, ast.keyword) else argument
                prefix = f"{argument.arg}=" if isinstance(argument, ast.keyword) else ""
                padding = "\n" * max(0, value.lineno - line)
                text = self.segment(value)
                shown.append(f"{padding}{prefix}({text})")
                line = max(line, value.lineno) + text.count("\n")
            parts.append(f"{function}({', '.join(shown)})")
        return self.replace(node, parts[0] if len(parts) == 1 else f"({', '.join(parts)})")

    def edited(self, edits: list[Edit]) -> str:
        """The text with all edits applied; they must not overlap."""
        result = self._bytes
        for edit in sorted(edits, reverse=True):
            result = result[: edit.start] + edit.text.encode() + result[edit.end :]
        return result.decode()


def _without_comments(text: str) -> str:
    """Comments become blanks of equal length. Raises SyntaxError where the text is not Python."""
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column].ljust(column)
    except tokenize.TokenError as error:
        raise SyntaxError(str(error)) from error
    return "\n".join(lines)


def docstrings(tree: ast.Module) -> Iterator[ast.Expr]:
    """The docstring statements of a module, and of its test classes and test functions.

    Other functions of a suite are its material: a subject may be asked to read their docstrings.
    """
    yield from _docstring(tree)
    for node in tree.body:
        yield from _docstrings_below(node)


def _docstrings_below(node: ast.stmt) -> Iterator[ast.Expr]:
    if isinstance(node, ast.ClassDef):
        methods = [_docstrings_below(child) for child in node.body]
        inner = [docstring for found in methods for docstring in found]
        if inner or any(isinstance(child, ast.FunctionDef) and child.name.startswith("test") for child in node.body):
            yield from _docstring(node)
        yield from inner
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
        yield from _docstring(node)


def _docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Expr]:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        yield first
