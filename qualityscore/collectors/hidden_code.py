"""Python code kept in files that no tool reads as Python: a high finding each (scoring.md section 4).

Three forms: a data file whose text is Python code, compiled code without (or unchecked against) its source, and an
archive with Python modules in it, which the interpreter imports from directly.
"""

from __future__ import annotations

import ast
import io
import re
import zipfile

from qualityscore.languages.python_source import RawFile, SourceFile, decode_file, parse

# Stubs and Cython sources declare themselves; nothing executes them as Python.
STUB_SUFFIXES = (".pyi", ".pyx", ".pxd", ".pxi")
COMPILED_SUFFIXES = (".pyc", ".pyo")

_LOOKS_LIKE_CODE = re.compile(rb"^[ \t]*(async[ \t]+def|def|class|import|from)[ \t]+\w", re.MULTILINE)
_ZIP = b"PK\x03\x04"
_HEADER_BYTES = 16
_UNCHECKED_HASH = 0b01  # PEP 552: second word; hash-based (bit 0) and without check_source (bit 1)


def may_hide_code(file: RawFile) -> bool:
    """Whether a data file deserves a closer look, by its name and bytes alone."""
    if file.path.endswith(STUB_SUFFIXES):
        return False
    return (
        file.path.endswith(COMPILED_SUFFIXES)
        or file.raw.startswith(_ZIP)
        or _LOOKS_LIKE_CODE.search(file.raw) is not None
    )


def hidden_code(file: RawFile) -> str | None:
    """What kind of code a data file keeps, as a phrase for the message; None where it keeps none.

    Text counts when it parses as Python and defines a function or a class, or imports something and calls something.
    """
    if not may_hide_code(file):
        return None
    if file.path.endswith(COMPILED_SUFFIXES):
        return _compiled(file)
    if file.raw.startswith(_ZIP):
        return _archive(file.raw)
    source = decode_file(file)
    tree = parse(source) if isinstance(source, SourceFile) else None
    if isinstance(tree, ast.Module) and _does_something(tree):
        return "Python code in a data file"
    return None


def _compiled(file: RawFile) -> str | None:
    if "__pycache__" not in file.path.split("/"):
        return "compiled code without its source"
    flags = int.from_bytes(file.raw[4:8], "little") if len(file.raw) >= _HEADER_BYTES else 0
    return "compiled code that is not checked against its source" if flags == _UNCHECKED_HASH else None


def _archive(raw: bytes) -> str | None:
    try:
        names = zipfile.ZipFile(io.BytesIO(raw)).namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return None
    return "an archive of Python modules" if any(n.endswith((".py", *COMPILED_SUFFIXES)) for n in names) else None


def _does_something(tree: ast.Module) -> bool:
    kinds = {type(node) for node in ast.walk(tree)}
    if kinds & {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef}:
        return True
    return bool(kinds & {ast.Import, ast.ImportFrom}) and ast.Call in kinds
