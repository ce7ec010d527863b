"""Whether code that claims to come from a file of the subject is what the interpreter compiles from that file.

Standard library only; runs inside the sandbox, next to the subject.
"""

import contextlib
import os
import stat
import sys
import types
import warnings

_LARGEST = 4 << 20
SUFFIXES = (".py", ".pyw")
# what the code does; a wrapper may rename a function, move it, or (types.coroutine) mark a generator
_FLAGS = 0x01 | 0x02 | 0x04 | 0x08 | 0x20 | 0x80 | 0x200
_SILENT = [("ignore", None, Warning, None, 0)]
# the subject may replace them later
_compile, _open, _read, _close, _fstat, _getframe = compile, os.open, os.read, os.close, os.fstat, sys._getframe


class SourceCodes:
    """The code objects of a subject's source files, by what they do; `subject` is its folder with a slash at the end.

    A file is compiled when it is first met, at the latest before its code runs, and then never again.
    """

    def __init__(self, subject):
        self._subject = subject
        self._files = {}  # path -> {signature: first lines}, or None where nothing is compared
        self._library_tree = False

    def learn(self, code):
        """A module of the subject, or of anything else, is about to run."""
        tree, self._library_tree = self._library_tree, False
        path = code.co_filename
        if path.startswith(self._subject) and path.endswith(SUFFIXES):
            known = self._of(path)
            if tree and known is not None and signature(code) not in known:
                self._files[path] = None  # instrumented by a library; see `compiled`

    def compiled(self, source):
        """Something was compiled; called from an audit hook.

        A library that rewrites modules as they are imported (pytest's assertions, run-time type checks) compiles a
        syntax tree, and the module that runs next may differ from its file.
        """
        if not isinstance(source, (str, bytes)):
            self._library_tree = "/site-packages/" in _getframe(2).f_code.co_filename

    def lines(self, code):
        """First lines of the functions in its file that do the same; None where that cannot be said.

        Empty: the code is not in the file that it names.
        """
        path = code.co_filename
        if not path.endswith(SUFFIXES):
            return None
        try:
            known = self._of(path)
            return None if known is None else known.get(signature(code), ())
        except (RecursionError, MemoryError):
            return None

    def holds(self, code):
        """Whether the file that a code object names has code that does the same, or cannot be compared."""
        try:
            known = self._of(code.co_filename)
            return known is None or signature(code) in known
        except (RecursionError, MemoryError):
            return True

    def anywhere(self, wanted):
        """Whether some file of the subject that was met has code that does what a signature says."""
        return any(
            wanted in known
            for path, known in self._files.items()
            if known is not None and path.startswith(self._subject)
        )

    def is_reading(self, frame):
        """Whether a frame is our own, so that what it opens is not the subject's doing."""
        return frame.f_code is SourceCodes._of.__code__

    def _of(self, path):
        if path in self._files:
            return self._files[path]
        known = {}
        try:
            descriptor = _open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            self._files[path] = known
            return known
        try:
            status = _fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                self._files[path] = None
                return None
            source = b""
            while part := _read(descriptor, 1 << 20):
                source += part
        finally:
            _close(descriptor)
        with silence():
            try:
                compiled = _compile(source, path, "exec", dont_inherit=True)
            except (SyntaxError, ValueError, OverflowError):
                compiled = None
        if compiled is not None:
            collect(compiled, known)
        self._files[path] = known
        return known


@contextlib.contextmanager
def silence():
    """No warnings of the compiler's; not catch_warnings: that makes the subject's own warnings appear once more."""
    filters, warnings.filters = warnings.filters, _SILENT
    try:
        yield
    finally:
        warnings.filters = filters


def collect(code, known):
    """Note the first lines of a code object and of those in it, by what they do."""
    what = signature(code)
    known[what] = (*known.get(what, ()), code.co_firstlineno)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            collect(constant, known)


def signature(code):
    """What a code object does: its instructions and all that they refer to, nested code included."""
    return (
        code.co_code,
        code.co_exceptiontable,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _FLAGS),
        tuple(_constant(value) for value in code.co_consts),
    )


def _constant(value):
    """A constant so that equal means alike: 1, 1.0 and True are not, nor are 0.0 and -0.0."""
    if isinstance(value, types.CodeType):
        return signature(value)
    if isinstance(value, tuple):
        return ("tuple", *(_constant(item) for item in value))
    if isinstance(value, frozenset):
        return ("frozenset", frozenset(_constant(item) for item in value))
    if type(value) is int:
        return ("int", value)  # its decimal digits may be more than the interpreter writes
    return (type(value).__name__, repr(value))
