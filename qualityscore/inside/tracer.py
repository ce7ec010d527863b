"""Which functions of the subject a test enters, and which entries of the surface that touches.

Standard library only; runs inside the sandbox, in a run of its own. Everything newly seen is appended to a log at once,
so that child processes count as well: forked ones inherit the tracer, started ones get it from
`children/sitecustomize.py`. What would let code run untraced is noted (`tracing_guard`), and so is code that is not
what its file says (`source_codes`).
"""

import functools
import inspect
import json
import os
import sys
import threading
import types

import executed_code
import source_codes
import tracing_guard

_EXECUTES = frozenset({"exec", "function.__new__", "object.__setattr__"})
_UNSEEN = "executes code where there is no room to look at it"
_READERS = ("linecache.py", "tokenize.py", "inspect.py", "traceback.py")
# the subject may replace them later
_open, _write, _close, _dumps = os.open, os.write, os.close, json.dumps
_setprofile, _getprofile, _getframe = sys.setprofile, sys.getprofile, sys._getframe


class Tracer:
    """`options`: `subject` (its folder), `entries` (dotted names of the surface), `log` (a file to append to)."""

    def __init__(self, options):
        self.subject = options["subject"] + "/"
        self.log = options["log"]
        self._waiting = list(options["entries"])
        self._classes = {}  # id of a class -> entries
        self._codes = {}  # id of a code object -> [(entry, class whose direct instances count or None for all)]
        self._kept = []  # what these ids belong to
        self._known = {}  # id of a code object -> its kind: skip, module, function
        self._written = set()
        self._thread = threading.local()
        self.sources = source_codes.SourceCodes(self.subject)
        self.executed = executed_code.ExecutedCode(self.subject, self.sources, self.write)
        self._places = {}  # id of a code object -> what is logged when it is entered
        self._evasions = []
        self._profile = self._event  # one object, which the guard knows again
        self._guard = tracing_guard.Guard(self._profile, self._note, lambda: self.log)
        self._started = False

    def watch(self):
        """Before the subject is imported: see which files run, threads that start, and attempts to go unseen."""
        watch_files(self)
        self._guard.install()

    def start(self):
        """Begin; children that are started from here on are followed."""
        os.environ["QS_TRACE"] = _dumps({"subject": self.subject[:-1], "log": self.log, "entries": self._waiting})
        if self._started:
            self._note("starts the tracing again")
        self._started = True
        self._guard.expect()
        _setprofile(self._profile)

    def stop(self):
        """End, and notice whether somebody ended it before."""
        if _getprofile() is not self._profile:
            self._note("ends the tracing")
        self._guard.thread_ends()
        self._guard.expect()
        _setprofile(None)

    def seen(self):
        """What this process and its children entered: functions [path, line, name], entries, files; texts that the
        subject executed [path, line, text]; code that stands in no file and no text, or not where it claims
        (`unread`); and how the subject went unseen (`evasions`).
        """
        found = {kind: [] for kind in ("functions", "entries", "files", "texts", "unread")}
        found["evasions"] = list(self._evasions)
        left = executed_code.SENT_BYTES
        try:
            with open(self.log, encoding="utf-8") as lines:
                for line in lines:
                    kind, value = json.loads(line)
                    if kind == "texts" and value not in found[kind]:
                        left -= len(value[2])
                        if left < 0:
                            kind, value = "unread", [*value[:2], executed_code.TOO_MANY]
                    if value not in found[kind]:
                        found[kind].append(value)
        except (OSError, ValueError, LookupError, TypeError):
            pass
        return found

    def write(self, kind, value):
        """Append to the log what was not written by this process before."""
        key = (kind, _dumps(value))
        if key in self._written:
            return
        self._written.add(key)
        descriptor = _open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            _write(descriptor, (_dumps([kind, value]) + "\n").encode())
        finally:
            _close(descriptor)

    def _note(self, what):
        """Keep how the subject went unseen; in memory, since the log is within its reach."""
        if what not in self._evasions:
            self._evasions.append(what)
            try:
                self.write("evasions", what)
            except OSError:
                return

    def _event(self, frame, event, _argument):
        if self._started and event in {"call", "return"}:
            try:
                self._take(frame, event)
            except Exception:  # a log that cannot be written, a table that another thread changed: never the subject's
                return

    def _take(self, frame, event):
        code = frame.f_code
        kind = self._known.get(id(code))
        if kind is None:
            kind = self._meet(code)
        if kind == "module":
            if dict.get(frame.f_globals, "__name__") == "__main__":  # a program that runs, not an import
                return
            depth = getattr(self._thread, "importing", 0)
            self._thread.importing = max(0, depth + (1 if event == "call" else -1))
        elif kind == "function" and event == "call" and not getattr(self._thread, "importing", 0):
            self._entered(frame, code)

    def _meet(self, code):
        is_text = self.executed.text(code) is not None
        if is_text and not code.co_flags & inspect.CO_OPTIMIZED:
            return "skip"  # a text runs once as a rule, and there may be any number of them
        self._kept.append(code)
        inside = is_text or code.co_filename.startswith(self.subject)
        if self._waiting and inside and not getattr(self._thread, "importing", 0):
            self._resolve()
        if inside and not code.co_flags & inspect.CO_OPTIMIZED:
            kind = "module" if code.co_name == "<module>" else "skip"
        else:
            kind = "function" if inside or id(code) in self._codes else "skip"
        if kind != "skip" or inside:
            self._known[id(code)] = kind
        elif not self._waiting:
            self._known[id(code)] = "skip"
        return kind

    def _entered(self, frame, code):
        if code.co_filename.startswith(self.subject) or self.executed.text(code) is not None:
            if id(code) not in self._places:
                self._places[id(code)] = list(self._places_of(code))
            for kind, value in self._places[id(code)]:
                self.write(kind, value)
        first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount and code.co_varnames else None
        for entry, owner in self._codes.get(id(code), ()):
            if owner is None or type(first) is owner or first is owner:
                self.write("entries", entry)
        for entry in (*self._classes.get(id(type(first)), ()), *self._classes.get(id(first), ())):
            self.write("entries", entry)

    def _places_of(self, code):
        """What entering a function of the subject means: where it stands in its file, whatever line it claims."""
        name, line = code.co_qualname, code.co_firstlineno
        executed = self.executed.place(code)
        if executed is not None:
            yield from (("functions", [executed[0], found, name]) for found in executed[1])
            return
        path = code.co_filename[len(self.subject) :]
        lines = self.sources.lines(code)
        if lines is None or line in lines:
            yield "functions", [path, line, name]
        elif lines:
            yield from (("functions", [path, found, name]) for found in lines)
        else:
            yield "unread", [path, line, name]

    def _resolve(self):
        """Find the entries whose modules have been imported."""
        for entry in list(self._waiting):
            found, owner = _look_up(entry)
            if found is None:
                continue
            self._waiting.remove(entry)
            self._kept.append(found)
            try:
                self._watch(entry, found, owner)
            except Exception:  # the subject's own attributes may raise anything
                continue

    def _watch(self, entry, found, owner):
        if isinstance(found, type):
            self._classes.setdefault(id(found), []).append(entry)
            for member in list(type.__dict__["__dict__"].__get__(found).values()):
                self._add(entry, member, None)
        else:
            own = owner is None or entry.rpartition(".")[2] in type.__dict__["__dict__"].__get__(owner)
            self._add(entry, found, None if own else owner)

    def _add(self, entry, found, owner):
        for code in _codes_of(found):
            self._kept.append(code)
            self._codes.setdefault(id(code), []).append((entry, owner))
            self._known.pop(id(code), None)


def _look_up(entry):
    """(what a dotted name stands for, the class that it was found in), through modules already imported."""
    parts = entry.split(".")
    for length in range(len(parts) - 1, 0, -1):
        found = sys.modules.get(".".join(parts[:length]))
        if found is None:
            continue
        owner = None
        for part in parts[length:]:
            owner = found if isinstance(found, type) else None
            try:
                found = inspect.getattr_static(found, part)
            except AttributeError:
                return None, None
        return found, owner
    return None, None


def _codes_of(found, depth=0):
    """The code objects behind a function, method, property, wrapper, partial or callable object."""
    if depth > 8 or found is None:
        return
    code = getattr(found, "__code__", None)
    if inspect.iscode(code):
        yield code
    for name in ("__wrapped__", "__func__", "fget", "fset", "fdel", "func"):
        if inspect.getattr_static(found, name, None) is not None:
            yield from _codes_of(getattr(found, name, None), depth + 1)
    dispatcher = found.dispatcher if isinstance(found, functools.singledispatchmethod) else found
    registry = getattr(dispatcher, "registry", None) if inspect.isfunction(dispatcher) else None
    for implementation in list(registry.values()) if isinstance(registry, types.MappingProxyType) else ():
        yield from _codes_of(implementation, depth + 1)
    if not callable(found) or isinstance(found, type) or inspect.isroutine(found):
        return
    call = type(found).__dict__.get("__call__")
    yield from _codes_of(call, depth + 1)


def watch_files(tracer):
    """Log every file of the subject that is run as code or opened as Python text; for the life of the process."""
    prefix, sources, executed = tracer.subject, tracer.sources, tracer.executed

    def hook(event, args):
        try:
            if event == "exec" and type(args[0]) is types.CodeType:
                name = args[0].co_filename
                sources.learn(args[0])
                executed.placed(event, args[0], _getframe(1))
            elif event == "function.__new__" or (event == "object.__setattr__" and args[1] == "__code__"):
                code = args[0] if event == "function.__new__" else args[2]
                if type(code) is types.CodeType:
                    executed.placed(event, code, _getframe(1))
                return
            elif event == "open" and type(args[0]) is str and args[0].endswith(".py"):
                reader = _getframe(1)
                ours = sources.is_reading(reader)
                name = None if ours or reader.f_code.co_filename.endswith(_READERS) else args[0]
            elif event == "compile":
                sources.compiled(args[0])
                executed.compiled(args[0], _getframe(1))
                return
            else:
                return
            if type(name) is str and name.startswith(prefix):
                tracer.write("files", name[len(prefix) :])
        except (RecursionError, MemoryError):
            if event in _EXECUTES and _UNSEEN not in tracer._evasions:
                tracer._evasions.append(_UNSEEN)  # no call: there may be no room for one
        except Exception:  # a log that cannot be written, an event of its own making: never the subject's failure
            return

    sys.addaudithook(hook)
