"""Values as source text that makes them again, for probes made from traced calls and drawn examples."""

from __future__ import annotations

import ast
import builtins
import io
import math
import sys
import types

_LONGEST = 600
_LONGEST_FILE = 6000
_DEEPEST = 5
_MODULES = ("decimal", "fractions", "datetime", "re", "collections", "operator", "functools", "time", "random", "math")


class Unwritable(Exception):
    """The value has no short source text."""


class Writer:
    """Turns values into source text. `known` gives the text of objects that were made by calls of the surface.

    `names` maps the id of surface functions and classes to their dotted name. `modules` collects the standard modules
    that the text needs. What holds a path of the `private` folders has no text.
    """

    def __init__(self, names=None, known=None, private=()):
        self.names, self.known, self.private = names or {}, known or {}, private
        self.modules = set()

    def source(self, value):
        """Source text of `value`. Raises Unwritable."""
        text = self._any(value, 0)
        if len(text) > (_LONGEST_FILE if type(value) is io.BytesIO else _LONGEST):
            raise Unwritable("too long")
        if any(folder in text for folder in self.private):
            raise Unwritable("a path of this run")
        return text

    def _any(self, value, depth):
        if depth > _DEEPEST:
            raise Unwritable("too deep")
        if id(value) in self.known:
            return self.known[id(value)]
        if id(value) in self.names:
            return self.names[id(value)]
        kind = type(value)
        write = _WRITERS.get(kind)
        if write is not None:
            return write(self, value, depth)
        return self._named(value)

    def items(self, values, depth):
        return ", ".join(self._any(value, depth + 1) for value in values)

    def _named(self, value):
        """Functions, classes and constants of the standard library, by their public name."""
        name = getattr(value, "__name__", None)
        if type(value) is types.FunctionType and name == "<lambda>":
            return self._lambda(value)
        if type(name) is str and getattr(builtins, name, None) is value:
            return name
        for module in _MODULES:
            loaded = sys.modules.get(module)
            if loaded is None:
                continue
            if type(name) is str and name.isidentifier() and getattr(loaded, name, None) is value:
                self.modules.add(module)
                return f"{module}.{name}"
        return self._instance(value)

    def _lambda(self, value):
        """A lambda that needs nothing but built-ins, read from its source file."""
        code = value.__code__
        if code.co_freevars or value.__defaults__ or any(not hasattr(builtins, name) for name in code.co_names):
            raise Unwritable("a lambda with surroundings")
        try:
            with open(code.co_filename, encoding="utf-8") as file:
                tree = ast.parse(file.read())
        except (OSError, SyntaxError, ValueError):
            raise Unwritable("a lambda without source") from None
        names = list(code.co_varnames[: code.co_argcount])
        here = {
            ast.unparse(node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Lambda)
            and node.lineno == code.co_firstlineno
            and [argument.arg for argument in node.args.args] == names
        }
        if len(here) != 1:
            raise Unwritable("several lambdas in one line")
        return here.pop()

    def _instance(self, value):
        kind = type(value)
        module = kind.__module__
        if (
            module in ("decimal", "fractions", "datetime")
            and sys.modules.get(module)
            and kind.__name__ in dir(sys.modules[module])
        ):
            self.modules.add(module)
            text = repr(value)
            return text if text.startswith(module + ".") else f"{module}.{text}"
        if module == "re" and kind.__name__ == "Pattern":
            self.modules.add("re")
            flags = value.flags & ~32 if isinstance(value.pattern, str) else value.flags
            return f"re.compile({value.pattern!a}{f', {flags}' if flags else ''})"
        raise Unwritable(kind.__name__)


def _float(_writer, value, _depth):
    return repr(value) if math.isfinite(value) else f"float({str(value)!r})"


def _tuple(writer, value, depth):
    return f"({writer.items(value, depth)}{',' if len(value) == 1 else ''})"


def _dict(writer, value, depth):
    return "{" + ", ".join(f"{writer._any(k, depth + 1)}: {writer._any(v, depth + 1)}" for k, v in value.items()) + "}"


def _set(writer, value, depth):
    if not value:
        return "set()"
    return "{" + ", ".join(sorted(writer._any(item, depth + 1) for item in value)) + "}"


def _memory_file(writer, value, _depth):
    """A file in memory that nothing has been read of yet, or that is empty."""
    if value.closed or value.tell():
        raise Unwritable("a file that has been used")
    writer.modules.add("io")
    content = value.getvalue()
    return f"io.{type(value).__name__}({ascii(content) if content else ''})"


_WRITERS = {
    io.BytesIO: _memory_file,
    io.StringIO: _memory_file,
    type(None): lambda _w, v, _d: repr(v),
    bool: lambda _w, v, _d: repr(v),
    int: lambda _w, v, _d: repr(v) if abs(v) < 10**60 else hex(v),
    float: _float,
    complex: lambda _w, v, _d: repr(v),
    str: lambda _w, v, _d: ascii(v),
    bytes: lambda _w, v, _d: repr(v),
    bytearray: lambda _w, v, _d: repr(v),
    range: lambda _w, v, _d: repr(v),
    type(...): lambda _w, _v, _d: "...",
    list: lambda w, v, d: f"[{w.items(v, d)}]",
    tuple: _tuple,
    dict: _dict,
    set: _set,
    frozenset: lambda w, v, d: f"frozenset({_set(w, v, d)})" if v else "frozenset()",
}
