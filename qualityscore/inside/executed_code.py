"""Code that the subject runs and that stands in none of its files: texts that it executes, bytecode that it loads.

Standard library only; runs inside the sandbox, called from an audit hook. The interpreter raises `compile` with what
is compiled, `exec` for each code object that is run (imports, `exec`, `eval`, `runpy`), `function.__new__` for
`types.FunctionType(...)` and `object.__setattr__` where `__code__` is assigned: these lead from a code object to its
execution, whatever made it (`marshal`, `types.CodeType`, a loader, an archive).
"""

import __future__

import ast
import base64
import io
import marshal
import os
import sys
import types
import weakref
import zipimport
import zlib
from importlib import machinery

import executed_texts
import source_codes
import tracing_guard

_HERE = os.path.dirname(os.path.abspath(__file__)) + "/"
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + "/"
_IMPORTLIB = "<frozen importlib"
_BOOTSTRAP = "<frozen importlib._bootstrap>"
_FROZEN = "<frozen "
_LOADERS = {
    machinery.SourceFileLoader: "path",
    machinery.SourcelessFileLoader: "path",
    zipimport.zipimporter: "archive",
}
_ENVIRONMENT = "environment"
_WRITERS = frozenset(
    f"{_LIBRARY}{name}.py"
    for name in (
        *("collections/__init__", "dataclasses", "gettext", "multiprocessing/managers", "multiprocessing/sharedctypes"),
        *("tkinter/__init__", "turtle", "types", "unittest/mock"),
    )
)
"""Modules of the standard library that run what they have written; any other runs its caller's code."""
_PACKAGES = ("/site-packages/", "/dist-packages/")

_NAMES = {
    "exec": frozenset({"exec", "eval"}),
    "function.__new__": frozenset({"FunctionType"}),
    "object.__setattr__": frozenset({"__code__"}),
}
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag
_MOST_OTHERS = 1 << 16
SENT_BYTES = 300_000  # compressed, of a process with its children; a message may have a megabyte
_CACHED = f".{sys.implementation.cache_tag}.pyc"
_OPTIMIZED = 0x01  # the code of a function, not of a module or a class
NOWHERE = "nowhere"
TOO_MANY = "<more texts than can be judged>"
# the subject may replace them later
_compress, _encode, _open, _loads = zlib.compress, base64.b64encode, io.open, marshal.loads
_Code = types.CodeType


class ExecutedCode:
    """`subject` is its folder with a slash at the end, `sources` knows its files, `write` appends to the log."""

    def __init__(self, subject, sources, write):
        self._subject = subject
        self._sources = sources
        self._write = write
        roots = {os.path.abspath(root) + "/" for root in (sys.prefix, sys.base_prefix)}
        self._environment = (*sorted(root for root in roots if not subject.startswith(root)), _LIBRARY)
        self._origins = {}  # id of a code object -> (weak reference to it, Text or NOWHERE or None for a library's)
        self._others = {}  # what code does that a library or a suite runs
        self._texts = executed_texts.Texts()
        self._logged = set()
        self._sent = 0

    def compiled(self, source, frame):
        """Something is compiled: keep the text until it is known whether the subject runs it."""
        if frame.f_code.co_filename.startswith(_HERE):
            return
        if isinstance(source, str):
            source = str.encode(source, "utf-8", "surrogatepass")
        is_text = type(source) is bytes  # the parser tells of any other buffer once more, as bytes
        if len(source) <= executed_texts.LARGEST_BYTES if is_text else isinstance(source, ast.AST):
            self._texts.add(source, frame.f_code.co_flags & _FUTURE)

    def placed(self, event, code, frame):
        """A code object is run, or becomes a function's. `frame` is who does it."""
        if id(code) in self._origins:
            return
        site = self._imported_from(frame, code) if event == "exec" else None
        if site is None:
            site = self._site(frame, _NAMES[event])
        if site is None or site is _ENVIRONMENT:
            self._learn(code, None)
            if site is None and len(self._others) < _MOST_OTHERS:
                source_codes.collect(code, self._others)
            return
        inside = code.co_filename.startswith(self._subject)
        if inside and self._sources.holds(code):
            return
        signature = source_codes.signature(code)
        if signature in self._others:
            return
        if self._is_librarys(code):
            self._learn(code, None)
            return
        text = self._texts.of(signature)
        if text is not None:
            self._learn(code, text)
            self._log(text, site)
        elif inside and code.co_flags & _OPTIMIZED and code.co_filename.endswith(source_codes.SUFFIXES):
            return  # when it is entered, it is seen that its file does not hold it
        elif not self._sources.anywhere(signature):
            self._learn(code, NOWHERE)
            self._write("unread", [*site, code.co_qualname])

    def place(self, code):
        """(name of a text, first lines in it) of a function; None where the subject executed no text that holds it."""
        text = self.text(code)
        return None if text is None else (text.name, text.lines.get(source_codes.signature(code), ()))

    def text(self, code):
        """The text of the subject's that a code object is from, or None."""
        known = self._origins.get(id(code))
        return known[1] if known is not None and isinstance(known[1], executed_texts.Text) else None

    def _learn(self, code, origin):
        key = id(code)
        self._origins[key] = (weakref.ref(code, lambda _: self._origins.pop(key, None)), origin)
        for constant in code.co_consts:
            if isinstance(constant, _Code):
                self._learn(constant, origin)

    def _imported_from(self, frame, code):
        """(path, 1) of the subject's where the import system loads code from, _ENVIRONMENT for what no subject can
        change, None where that does not decide.
        """
        name, above = frame.f_code.co_filename, frame.f_back
        if name == _BOOTSTRAP and frame.f_code.co_name == "exec_module":
            return _ENVIRONMENT  # frozen into the interpreter
        if name != _BOOTSTRAP or above is None or not above.f_code.co_filename.startswith(_IMPORTLIB):
            return None
        loader = above.f_locals.get("self")
        attribute = _LOADERS.get(type(loader))
        if attribute is None:
            return self._site(frame, _NAMES["exec"]) or (".", 1)
        path = dict.get(vars(loader), attribute) if attribute == "path" else loader.archive
        if type(path) is not str:
            return None
        if path.startswith(self._subject):
            return (path[len(self._subject) :], 1)
        if path != code.co_filename or not path.startswith(self._environment):
            return None
        return _ENVIRONMENT if _is_cached(code) or self._is_librarys(code) else None

    def _site(self, frame, names):
        """(path, line) of the subject's that gave the code, None where a library or a suite runs its own."""
        last = None
        while frame is not None:
            code = frame.f_code
            path = code.co_filename
            known = self._origins.get(id(code))
            if path.startswith(self._subject) or (known is not None and known[1] is not None):
                return self._line_of(frame)
            if code is tracing_guard.THREAD:  # nobody but the thread itself calls it
                return (".", 1)
            if path.startswith(_HERE):
                return None
            if not names.isdisjoint(code.co_names) and not _runs_its_callers(path):
                return None
            frame, last = frame.f_back, code
        return (".", 1) if last is not None and last.co_name == "_run_module_as_main" else None  # python -m

    def _line_of(self, frame):
        while frame is not None:
            path = frame.f_code.co_filename
            if path.startswith(self._subject):
                return (path[len(self._subject) :], frame.f_lineno or 1)
            frame = frame.f_back
        return (".", 1)

    def _is_librarys(self, code):
        return code.co_filename.startswith(self._environment) and bool(self._sources.lines(code))

    def _log(self, text, site):
        if text.name in self._logged:
            return
        self._logged.add(text.name)
        if text.is_short_expression():
            return
        packed = _encode(_compress(text.source)).decode()
        self._sent += len(packed)
        if self._sent > SENT_BYTES:
            self._write("unread", [*site, TOO_MANY])
        else:
            self._write("texts", [*site, packed])


def _runs_its_callers(path):
    library = path.startswith(_LIBRARY) and path not in _WRITERS and not any(folder in path for folder in _PACKAGES)
    return library or path.startswith(_FROZEN)


def _is_cached(code):
    """Whether a module's code is the bytecode that lies beside its source, wherever the subject had it looked for."""
    folder, name = os.path.split(code.co_filename)
    try:
        with _open(f"{folder}/__pycache__/{name.removesuffix('.py')}{_CACHED}", "rb") as cached:
            return _loads(cached.read()[16:]) == code
    except (OSError, EOFError, ValueError, TypeError):
        return False
