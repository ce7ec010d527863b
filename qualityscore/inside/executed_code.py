"""Code that the subject runs and that stands in none of its files: texts that it executes, bytecode that it loads.

Standard library only; runs inside the sandbox, called from an audit hook. The interpreter raises `compile` with what
is compiled, `exec` for each code object that is run (imports, `exec`, `eval`, `runpy`), `function.__new__` for
`types.FunctionType(...)` and `object.__setattr__` where `__code__` is assigned: these lead from a code object to its
execution, whatever made it (`marshal`, `types.CodeType`, a loader, an archive).
"""

import __future__

import ast
import base64
import hashlib
import io
import os
import sys
import tokenize
import types
import weakref
import zipimport
import zlib
from importlib import machinery

import source_codes
import tracing_guard

_HERE = os.path.dirname(os.path.abspath(__file__)) + "/"
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + "/"
_IMPORTLIB = "<frozen importlib"
_BOOTSTRAP = "<frozen importlib._bootstrap>"
_FROZEN = (_IMPORTLIB, "<frozen zipimport", "<frozen runpy")
_LOADERS = {
    machinery.SourceFileLoader: "path",
    machinery.SourcelessFileLoader: "path",
    zipimport.zipimporter: "archive",
}
_ENVIRONMENT = "environment"
_RUNNERS = frozenset(
    f"{_LIBRARY}{name}.py"
    for name in (
        *("bdb", "cProfile", "code", "codeop", "doctest", "imp", "inspect", "pdb", "pkgutil", "profile", "runpy"),
        *("threading", "timeit", "trace", "typing", "zipimport"),
    )
)
"""Modules that run code of their caller's; what any other library runs, it has written itself."""

_NAMES = {
    "exec": frozenset({"exec", "eval"}),
    "function.__new__": frozenset({"FunctionType"}),
    "object.__setattr__": frozenset({"__code__"}),
}
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag
_PENDING = 4096
_LARGEST_BYTES = 4 << 20
_PENDING_BYTES = 4 * _LARGEST_BYTES
_SENT_BYTES = 300_000  # compressed, of one process; a message may have a megabyte
_SHORT_TOKENS = 35  # five lines
_LAYOUT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)
_OPTIMIZATIONS = (0, 1, 2)
_OPTIMIZED = 0x01  # the code of a function, not of a module or a class
NOWHERE = "nowhere"
# the subject may replace them later
_compile, _compress, _encode, _sha256, _unparse = compile, zlib.compress, base64.b64encode, hashlib.sha256, ast.unparse
_parse, _tokens, _BytesIO = ast.parse, tokenize.tokenize, io.BytesIO
_Code = types.CodeType


class Text:
    """A source text that was compiled, with what its code objects do. `name` stands for it in the log."""

    def __init__(self, source, flags):
        self._given = source
        self._flags = flags
        self._known = {}
        self._tried = 0
        self.source = source if isinstance(source, bytes) else None
        self.name = None

    def lines(self, signature, thoroughly):
        """First lines of what does the same as a code object; empty where nothing does."""
        if self._tried == 0:
            self._read()
        if signature not in self._known and thoroughly and self._tried == 1:
            self._tried = 2
            self._collect("single", -1)
            for level in _OPTIMIZATIONS:
                self._collect("exec", level)
        return self._known.get(signature, ())

    def is_short_expression(self):
        """An expression without functions in it and of no more than five lines."""
        try:
            tree = _parse(self.source, mode="eval")
            if any(isinstance(node, ast.Lambda) for node in ast.walk(tree)):
                return False
            found = 0
            for token in _tokens(_BytesIO(self.source).readline):
                found += token.type not in _LAYOUT and token.type != tokenize.ENCODING
                if found > _SHORT_TOKENS:
                    return False
        except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
            return False
        return True

    def _read(self):
        self._tried = 1
        if self.source is None:
            try:
                self.source = _unparse(self._given).encode("utf-8", "surrogatepass")
            except Exception:  # a tree that its maker has changed since
                self.source = b""
        self._given = None
        if not self._collect("exec", -1):
            self.source = self.source.lstrip(b" \t")
        self._collect("eval", -1)
        self.name = f"<text {_sha256(self.source).hexdigest()[:32]}>"

    def _collect(self, mode, level):
        with source_codes.silence():
            try:
                compiled = _compile(self.source, "", mode, self._flags, True, level)
            except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
                return False
        source_codes.collect(compiled, self._known)
        return True


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
        self._pending = {}  # (source, flags) -> Text, the latest last
        self._bytes = 0
        self._logged = set()
        self._sent = 0

    def compiled(self, source, frame):
        """Something is compiled: keep the text until it is known whether the subject runs it."""
        if frame.f_code.co_filename.startswith(_HERE):
            return
        if isinstance(source, str):
            source = source.encode("utf-8", "surrogatepass")
        size = len(source) if isinstance(source, bytes) else 0
        if source is None or size > _LARGEST_BYTES:
            return
        flags = frame.f_code.co_flags & _FUTURE
        key = (source if isinstance(source, bytes) else id(source), flags)
        text = self._pending.pop(key, None)
        if text is None or not isinstance(source, bytes):
            text = Text(source, flags)
            self._bytes += size
        self._pending[key] = text
        while len(self._pending) > _PENDING or self._bytes > _PENDING_BYTES:
            oldest = next(iter(self._pending))
            del self._pending[oldest]
            self._bytes -= len(oldest[0]) if isinstance(oldest[0], bytes) else 0

    def placed(self, event, code, frame):
        """A code object is run, or becomes a function's. `frame` is who does it."""
        if id(code) in self._origins:
            return
        site = self._imported_from(frame, code) if event == "exec" else None
        if site is None:
            site = self._site(frame, _NAMES[event])
        if site is None or site is _ENVIRONMENT:
            self._learn(code, None)
            if site is None:
                source_codes.collect(code, self._others)
            return
        inside = code.co_filename.startswith(self._subject)
        if inside and self._sources.holds(code):
            return
        signature = source_codes.signature(code)
        if signature in self._others:
            return
        text = self._text_of(signature)
        if text is not None:
            self._learn(code, text)
            self._log(text, site)
        elif inside and code.co_flags & _OPTIMIZED and code.co_filename.endswith(source_codes.SUFFIXES):
            return  # when it is entered, it is seen that its file does not hold it
        elif not self._sources.anywhere(signature) and not self._is_librarys(code):
            self._learn(code, NOWHERE)
            self._write("unread", [*site, code.co_qualname])

    def place(self, code):
        """(name of a text, first lines in it) of a function; None where the subject executed no text that holds it."""
        text = self.text(code)
        return None if text is None else (text.name, text.lines(source_codes.signature(code), True))

    def text(self, code):
        """The text of the subject's that a code object is from, or None."""
        known = self._origins.get(id(code))
        return known[1] if known is not None and isinstance(known[1], Text) else None

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
        held = code.co_filename if attribute == "path" else path
        return _ENVIRONMENT if held == path and path.startswith(self._environment) else None

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
            if not path.startswith(_FROZEN) and path not in _RUNNERS and not names.isdisjoint(code.co_names):
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

    def _text_of(self, signature):
        latest = next(reversed(self._pending.values()), None)
        if latest is not None and latest.lines(signature, False):
            return latest
        texts = list(reversed(self._pending.values()))
        for thoroughly in (False, True):
            for text in texts:
                if text.lines(signature, thoroughly):
                    return text
        return None

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
        if self._sent > _SENT_BYTES:
            self._write("unread", [*site, "<more texts than can be judged>"])
        else:
            self._write("texts", [*site, packed])
