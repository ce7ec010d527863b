"""Which kinds of value a parameter takes: from annotations, stubs, defaults, docstrings and traced calls. Pure."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable

CATEGORIES = (
    "str",
    "int",
    "float",
    "bool",
    "bytes",
    "list",
    "pairs",
    "dict",
    "callable",
    "pattern",
    "file",
    "key",
    "none",
)

_WORDS = {
    "str": "str",
    "string": "str",
    "text": "str",
    "anystr": "str",
    "int": "int",
    "integer": "int",
    "float": "float",
    "number": "float",
    "bool": "bool",
    "boolean": "bool",
    "bytes": "bytes",
    "bytearray": "bytes",
    "list": "list",
    "tuple": "list",
    "sequence": "list",
    "iterable": "list",
    "iterator": "list",
    "collection": "list",
    "set": "list",
    "frozenset": "list",
    "dict": "dict",
    "dictionary": "dict",
    "mapping": "dict",
    "mutablemapping": "dict",
    "callable": "callable",
    "function": "callable",
    "pattern": "pattern",
    "io": "file",
    "textio": "file",
    "binaryio": "file",
    "file": "file",
    "file-like": "file",
    "filelike": "file",
    "stream": "file",
    "any": "key",
    "object": "key",
    "hashable": "key",
    "none": "none",
    "nonetype": "none",
    "optional": "none",
    "method": "callable",
    "type": "callable",
    "generator": "list",
}
_PAIRS = re.compile(r"(Iterable|Sequence|list|tuple|Collection)\[\s*(tuple|list|Sequence|Iterable)\[", re.IGNORECASE)
_SPHINX_TYPE = re.compile(r"^\s*:type\s+(\w+)\s*:\s*(.+)$", re.MULTILINE)
_SPHINX_PARAM = re.compile(r"^\s*:param\s+([^:]+?)\s+(\w+)\s*:", re.MULTILINE)
_GOOGLE = re.compile(r"^\s{2,}\*{0,2}(\w+)\s*\(([^)]+)\)\s*:", re.MULTILINE)
_NUMPY = re.compile(r"^\s*\*{0,2}(\w+)\s+:\s+(\S.*)$", re.MULTILINE)


def of_text(text: str) -> tuple[str, ...]:
    """The categories that a type's text names, an annotation or the type of a docstring; element types are left out."""
    found = ["pairs"] if _PAIRS.search(text) else []
    try:
        words = _outer(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        words = re.findall(r"[A-Za-z-]+", re.sub(r"\[.*\]", "", text))
    for word in words:
        category = _WORDS.get(word.lower())
        if category and not (category == "list" and "pairs" in found):
            found.append(category)
    return tuple(dict.fromkeys(found))


def _outer(node: ast.expr) -> list[str]:
    """The names of an annotation's outer types."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _outer(left) + _outer(right)
        case ast.Subscript(value=value, slice=inner):
            names = _outer(value)
            if names and names[-1] in ("Optional", "Union", "Annotated", "Final"):
                inside = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return names + [name for part in inside for name in _outer(part)]
            return names
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return [name]
        case ast.Constant(value=None):
            return ["none"]
        case ast.Constant(value=str() as quoted):
            return _outer(ast.parse(quoted, mode="eval").body)
        case _:
            return re.findall(r"[A-Za-z-]+", ast.unparse(node))


def documented(doc: str) -> dict[str, str]:
    """The type's text of each parameter that a docstring types, in Sphinx, Google or numpy style."""
    found: dict[str, str] = {}
    for name, text in _NUMPY.findall(doc):
        found.setdefault(name, text)
    for name, text in _GOOGLE.findall(doc):
        found[name] = text
    for text, name in _SPHINX_PARAM.findall(doc):
        found[name] = text
    found.update(_SPHINX_TYPE.findall(doc))
    return found


def of_default(kind: str | None, *, is_callable: bool) -> tuple[str, ...]:
    """The categories that a default value of the type named `kind` speaks for; None speaks for nothing."""
    if kind is None or kind == "NoneType":
        return ()
    if is_callable:
        return ("callable",)
    return of_text(kind)


def reviewed(signature: str | None) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The optional parameters that a reviewed signature names, with default text and the categories it speaks for."""
    try:
        (function,) = ast.parse(f"def f{signature}: ...").body
    except (SyntaxError, ValueError):
        return {}
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [*zip(positional[::-1], arguments.defaults[::-1], strict=False)][::-1]
    defaults += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    return {argument.arg: (ast.unparse(default), _of_source(default)) for argument, default in defaults}


def _of_source(default: ast.expr) -> tuple[str, ...]:
    match default:
        case ast.Constant(value=value):
            return of_default(type(value).__name__, is_callable=False)
        case ast.Lambda():
            return ("callable",)
        case ast.Name(id=name) if isinstance(getattr(builtins, name, None), type):
            return ("callable",)
        case ast.Tuple() | ast.List():
            return ("list",)
        case ast.Dict():
            return ("dict",)
        case _:
            return ()


def of_traced(kinds: Iterable[str]) -> tuple[str, ...]:
    """The categories of values that were passed."""
    known = {"str": "str", "int": "int", "float": "float", "bool": "bool", "bytes": "bytes", "bytearray": "bytes"}
    known |= {
        "list": "list",
        "tuple": "list",
        "set": "list",
        "dict": "dict",
        "callable": "callable",
        "NoneType": "none",
    }
    known |= {"generator": "list", "frozenset": "list", "Pattern": "pattern", "StringIO": "file", "BytesIO": "file"}
    return tuple(dict.fromkeys(known[kind] for kind in kinds if kind in known))


def stub_annotations(source: str) -> dict[str, dict[str, str]]:
    """Parameter annotations of a stub file, by the function's qualified name (`C` for the constructor of a class C)."""
    found: dict[str, dict[str, str]] = {}
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    _stub_body(tree.body, "", found)
    return found


def _stub_body(body: list[ast.stmt], prefix: str, found: dict[str, dict[str, str]]) -> None:
    for node in body:
        if isinstance(node, ast.ClassDef):
            _stub_body(node.body, f"{prefix}{node.name}.", found)
        elif isinstance(node, ast.FunctionDef):
            name = prefix.rstrip(".") if node.name == "__init__" else prefix + node.name
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            arguments += [a for a in (node.args.vararg, node.args.kwarg) if a]
            types = found.setdefault(name, {})
            for argument in arguments:
                if argument.annotation is not None:
                    text = ast.unparse(argument.annotation)
                    types[argument.arg] = f"{types[argument.arg]} | {text}" if argument.arg in types else text
