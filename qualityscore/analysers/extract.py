"""From the text of one file to its facts."""

from __future__ import annotations

import ast
import sys

from qualityscore.analysers.bindings import Context, bindings_of
from qualityscore.analysers.classes import class_facts
from qualityscore.analysers.exports import exports_of, lazy_names
from qualityscore.analysers.facts import ModuleFact
from qualityscore.analysers.scopes import Walker, foreign_writes, module_calls
from qualityscore.analysers.unbound import redefinitions, unbound_uses

_DEPTH = 60_000  # frames of pure Python do not use the C stack on 3.11 and later


def extract(path: str, text: str) -> ModuleFact:
    """The facts of one file, given its decoded text. Never raises for what that holds: `error` says what is wrong."""
    try:
        tree = ast.parse(text, filename=path)
    except SyntaxError as error:
        return _unreadable(path, error.msg, error.lineno or 1, error.offset or 1)
    except ValueError as error:
        return _unreadable(path, str(error))
    except (RecursionError, MemoryError):
        return _unreadable(path, "nested too deeply for the parser")
    return extract_tree(path, text, tree)


def extract_interface(path: str, text: str) -> ModuleFact:
    """Less of a file: what it binds and its classes, as other files need to know them. No uses, calls and doubts."""
    try:
        tree = ast.parse(text, filename=path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return _unreadable(path, str(error))
    bindings = bindings_of(tree.body, Context())
    lazily, served = lazy_names(tree)
    return ModuleFact(
        path=path,
        imports=tuple(b.imported for b in bindings.get("*", ()) if b.imported is not None),
        bindings=bindings,
        exports=exports_of(tree),
        dynamic="it defines __getattr__" if lazily else None,
        lazy=served,
        classes=class_facts(tree, text.split("\n")),
    )


def _unreadable(path: str, reason: str, line: int = 1, column: int = 1) -> ModuleFact:
    return ModuleFact(path=path, error=reason, error_line=max(1, line), error_column=max(1, column))


def extract_tree(path: str, text: str, tree: ast.Module) -> ModuleFact:
    """The facts of a parsed file."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEPTH))
    try:
        return _extract(path, text, tree)
    except RecursionError:
        return _unreadable(path, "nested too deeply to analyse")
    finally:
        sys.setrecursionlimit(limit)


def _extract(path: str, text: str, tree: ast.Module) -> ModuleFact:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not text.isascii():
        _count_in_characters(tree, lines)
    walker = Walker()
    walker.walk(tree)
    lazily, served = lazy_names(tree)
    return ModuleFact(
        path=path,
        lines=len(lines),
        sloc=sum(1 for line in lines if line.strip() and not line.lstrip().startswith("#")),
        documented=ast.get_docstring(tree) is not None,
        imports=tuple(walker.imports),
        bindings=bindings_of(tree.body, Context()),
        exports=exports_of(tree),
        dynamic="it defines __getattr__" if lazily else walker.dynamic,
        makes_classes=walker.makes_classes,
        fills={line: frozenset(names) for line, names in walker.fills.items()},
        globals_made=frozenset().union(*(scope.globals for scope in walker.scopes)),
        lazy=served,
        classes=class_facts(tree, lines),
        unbound=unbound_uses(walker),
        redefinitions=redefinitions(walker),
        calls=module_calls(walker),
        attribute_reads=frozenset(walker.attribute_reads),
        strings=frozenset(walker.strings),
        foreign_writes=foreign_writes(walker),
    )


def _count_in_characters(tree: ast.Module, lines: list[str]) -> None:
    """Turn the tree's columns, which count bytes of UTF-8, into columns that count characters."""
    wide = {i: line for i, line in enumerate(lines, start=1) if not line.isascii()}
    encoded = {i: line.encode("utf-8", "surrogatepass") for i, line in wide.items()}
    for node in ast.walk(tree):
        for line_name, column_name in (("lineno", "col_offset"), ("end_lineno", "end_col_offset")):
            line, column = getattr(node, line_name, None), getattr(node, column_name, None)
            if line in encoded and column is not None:
                setattr(node, column_name, len(encoded[line][:column].decode("utf-8", "ignore")))
