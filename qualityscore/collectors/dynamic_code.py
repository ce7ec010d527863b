"""Uses of exec, eval and compile on what is not a short literal, and code objects put in place: a high finding each
(scoring.md section 4).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from qualityscore.languages.python_source import SourceFile

BUILTINS = frozenset({"exec", "eval", "compile"})

MAKERS = frozenset({"__code__", "CodeType", "SourcelessFileLoader"})
"""What replaces the code of a function, makes a code object of bytes, or loads one from a file."""

_MENTIONS = re.compile(r"\b(exec|eval|compile|__code__|CodeType|SourcelessFileLoader)\b")
_MODULES = frozenset({"types", "importlib.machinery"})
_OWNERS = frozenset({"types", "machinery"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_SHORT_TOKENS = 35  # five lines
_LAYOUT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)
_SOURCE_KEYWORDS = frozenset({"source", "object", "expression"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicCode:
    """One place; `column` starts at 1. `called` is False where the builtin is passed on instead, `literal`
    where it is called on a text that stands there.
    """

    line: int
    column: int
    end_line: int
    builtin: str
    called: bool
    literal: bool = False


def dynamic_code(source: SourceFile, tree: ast.Module) -> tuple[DynamicCode, ...]:
    """Uses of the three builtins other than a call on a short literal, and of `MAKERS`, in source order.

    A literal is short when it defines no function or class and has no more than five lines.

    A name that the module binds to something else (`from re import compile`, a parameter) is not the builtin, and
    neither is a method. Passing the builtin on counts like a call: what it is then called with is out of sight.
    """
    if not _MENTIONS.search(source.text):
        return ()
    places = (*_places(tree, _Names(tree)), *_made(tree))
    return tuple(sorted(places, key=lambda place: (place.line, place.column)))


class _Names:
    """What the module calls the builtins and their module."""

    def __init__(self, tree: ast.Module) -> None:
        self.modules = {"builtins", "__builtins__"}
        self.aliases = {name: name for name in BUILTINS}
        for node in ast.walk(tree):
            match node:
                case ast.Import(names=names):
                    self.modules.update(n.asname for n in names if n.name == "builtins" and n.asname)
                case ast.ImportFrom(module="builtins", names=names):
                    self.aliases.update({n.asname or n.name: n.name for n in names if n.name in BUILTINS})
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    builtin = self.builtin(value, frozenset())
                    if builtin is not None:
                        self.aliases[name] = builtin

    def builtin(self, node: ast.AST, shadowed: frozenset[str]) -> str | None:
        """Which of the builtins an expression is, where `shadowed` names are bound to something else."""
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name not in shadowed:
                return self.aliases.get(name)
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in self.modules:
                return name if name in BUILTINS else None
            case ast.Subscript(value=ast.Name(id="__builtins__"), slice=ast.Constant(value=name)):
                return name if name in BUILTINS else None
            case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=module), ast.Constant(value=name), *_]):
                return name if module in self.modules and name in BUILTINS else None
            case _:
                return None

    def bound(self, scope: ast.AST) -> frozenset[str]:
        """Names that a scope binds to something other than a builtin of ours."""
        found: set[str] = set()
        if isinstance(scope, _FUNCTIONS):
            found |= {argument.arg for argument in ast.walk(scope.args) if isinstance(argument, ast.arg)}
        stack = list(ast.iter_child_nodes(scope))
        while stack:
            node = stack.pop()
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    found.add(name)
                    continue
                case ast.Lambda():
                    continue
                case ast.Assign(targets=targets, value=value) if self.builtin(value, frozenset()) is not None:
                    stack.extend(target for target in targets if not isinstance(target, ast.Name))
                    continue
                case ast.ImportFrom(module="builtins"):
                    continue
                case ast.Import(names=names) | ast.ImportFrom(names=names):
                    found |= {(n.asname or n.name).partition(".")[0] for n in names}
                case ast.Name(id=name, ctx=ast.Store()):
                    found.add(name)
            stack.extend(ast.iter_child_nodes(node))
        return frozenset(found & self.aliases.keys())


def _places(tree: ast.Module, names: _Names) -> Iterator[DynamicCode]:
    # (node, names shadowed for it and for functions inside it, names shadowed for it by the class around it)
    stack: list[tuple[ast.AST, frozenset[str], frozenset[str]]] = [(tree, names.bound(tree), frozenset())]
    callees: dict[ast.AST, ast.Call] = {}
    executed: set[ast.AST] = set()
    while stack:
        node, enclosing, local = stack.pop()
        if isinstance(node, _FUNCTIONS):
            enclosing, local = enclosing | names.bound(node), frozenset()
        elif isinstance(node, ast.ClassDef):
            local = names.bound(node)
        elif isinstance(node, ast.Call):
            callees[node.func] = node
            if names.builtin(node.func, enclosing | local) in {"exec", "eval"}:
                executed.update(node.args[:1])  # exec(compile(...)) is one place
        builtin = names.builtin(node, enclosing | local)
        if builtin is not None and isinstance(node, ast.expr):
            call = callees.get(node)
            text = None if call is None else _literal_of(call)
            if call is None or not (call in executed or (text is not None and _is_short(text))):
                place = call or node
                yield DynamicCode(
                    line=place.lineno,
                    column=place.col_offset + 1,
                    end_line=place.end_lineno or place.lineno,
                    builtin=builtin,
                    called=call is not None,
                    literal=text is not None,
                )
        stack.extend((child, enclosing, local) for child in ast.iter_child_nodes(node))


def _made(tree: ast.Module) -> Iterator[DynamicCode]:
    """Assignments to `__code__`, and calls of what makes or loads code objects."""
    aliases = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in _MODULES
        for alias in node.names
        if alias.name in MAKERS
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr="__code__" as name, ctx=ast.Store()):
                pass
            case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value="__code__" as name), *_]):
                pass
            case ast.Call(func=ast.Name(id=called)) if called in aliases:
                name = aliases[called]
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module) | ast.Attribute(attr=module), attr=name)):
                if name not in MAKERS or module not in _OWNERS:
                    continue
            case _:
                continue
        yield DynamicCode(
            line=node.lineno,
            column=node.col_offset + 1,
            end_line=node.end_lineno or node.lineno,
            builtin=name,
            called=isinstance(node, ast.Call),
        )


def _literal_of(call: ast.Call) -> str | bytes | None:
    """The literal that is called on; None for anything else, "" where it is no text."""
    code = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg in _SOURCE_KEYWORDS), None)
    return None if code is None else _literal(code)


def _literal(node: ast.expr) -> str | bytes | None:
    match node:
        case ast.Constant(value=str() | bytes() as text):
            return text
        case ast.Constant():
            return ""
        case ast.JoinedStr(values=values):
            parts = [value.value for value in values if isinstance(value, ast.Constant)]
            return "".join(map(str, parts)) if len(parts) == len(values) else None
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = _literal(left), _literal(right)
            if isinstance(first, str) and isinstance(second, str):
                return first + second
            return first + second if isinstance(first, bytes) and isinstance(second, bytes) else None
        case _:
            return None


def _is_short(text: str | bytes) -> bool:
    try:
        source = text if isinstance(text, str) else text.decode()
        tree = ast.parse(source.strip(" \t"))
        if any(isinstance(node, _DEFINITIONS) for node in ast.walk(tree)):
            return False
        tokens = tokenize.generate_tokens(io.StringIO(source.strip(" \t")).readline)
        return sum(token.type not in _LAYOUT for token in tokens) <= _SHORT_TOKENS
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return len(text.split()) <= _SHORT_TOKENS  # what cannot be read cannot be run either
