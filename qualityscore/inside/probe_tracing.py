"""Notes the calls that the task's functional suite makes of the reference's surface, as source text.

Runs on the reference only, never on a subject.
"""

from __future__ import annotations

import inspect
import os
import sys
import tempfile

import probe_literals
import probe_names

_MISSING = object()
MOST_STEPS = 8
_OPERANDS = {"__setitem__": 2, "__delitem__": 1, "__getitem__": 1}


def run_suite(folder, watches):
    """Run the suite in this process under all these profile functions.

    No call with a path of the suite's own, or of a folder made for a test, is noted: it means nothing elsewhere.
    """
    import pytest  # noqa: PLC0415

    basetemp = os.path.join(tempfile.mkdtemp(), "tests")
    for each in watches:
        each.private = (folder, os.path.join(tempfile.gettempdir(), tempfile.gettempprefix()))

    def watch(frame, event, argument):
        for each in watches:
            each(frame, event, argument)

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.setprofile(watch)
    try:
        options = ["-q", "-p", "no:cacheprovider", "--tb=no", "--import-mode=importlib", "-c", os.devnull]
        pytest.main([folder, *options, f"--basetemp={basetemp}"])
    finally:
        sys.setprofile(None)


def is_method(kind, code):
    """Whether this code is what the class runs under the code's name."""
    return probe_names.code_of(inspect.getattr_static(kind, code.co_name, None)) is code


def that_work(setup, surface):
    """The statements without those that raise when they are run again: a suite also provokes errors."""
    space, kept = dict(surface), []
    for line in setup:
        try:
            exec(line, space)
        except BaseException:  # a command's own exit as well
            continue
        kept.append(line)
    return kept


class Watch:
    """A profile function. For each surface entry: distinct calls as `{"setup", "arguments", "keywords", "types"}`.

    A method's setup makes its instance again by the constructor call and the calls on it so far that the suite made.
    """

    def __init__(self, state, folder, limit):
        self.folder, self.limit = folder, limit
        self.calls = {name: [] for name in state["entries"]}
        self.functions, self.classes, self.names, self.bodies, self.defaults = {}, {}, {}, {}, {}
        for name in state["entries"]:
            found = probe_names.resolve(state["surface"], name)
            if found is None:
                continue
            self.names[id(found)] = name
            if isinstance(found, type):
                self.classes[found] = name
            else:
                self.functions.setdefault(probe_names.code_of(found), name)
                self.bodies.setdefault(probe_names.code_of(found), found)
        self.functions.pop(None, None)
        self.known, self.history, self.held = {}, {}, []
        self.private = ()

    def working(self, surface):
        """The calls per entry, their preparation without what raises when it is run again."""
        for calls in self.calls.values():
            for call in calls:
                call["setup"] = that_work(call["setup"], surface)
        return self.calls

    def __call__(self, frame, event, _argument):
        if event != "call" or frame.f_back is None:
            return
        if not frame.f_back.f_code.co_filename.startswith(self.folder):
            return
        code = frame.f_code
        if not code.co_argcount and code not in self.functions:
            return
        values = frame.f_locals
        first = values.get(code.co_varnames[0]) if code.co_argcount else None
        kind = type(first)
        if kind in self.classes and is_method(kind, code):
            self._on_instance(frame, first, kind)
        elif code in self.functions:
            name = self.functions[code]
            if name.rpartition(".")[0] in sys.modules or code.co_varnames[:1] != ("self",):
                self._note(name, [], frame, skip=0)

    def _on_instance(self, frame, instance, kind):
        method = frame.f_code.co_name
        given = self._arguments(frame, skip=1)
        if method in ("__init__", "__new__"):
            if method == "__init__" and given is not None:
                self.held.append(instance)  # keeps its id from being used again
                self.known[id(instance)] = f"{self.classes[kind]}({joined(*given)})"
                self.history[id(instance)] = []
                self._note(self.classes[kind], [], frame, skip=1)
            return
        steps = self.history.get(id(instance))
        if steps is None:
            return
        owners = (f"{self.classes[base]}.{method}" for base in kind.__mro__ if base in self.classes)
        name = next((owner for owner in owners if owner in self.calls), None)
        if name is not None:
            self._note(name, [f"subject = {self.known[id(instance)]}", *steps], frame, skip=1)
        step = as_step(method, given) if given is not None else None
        if step is None or len(steps) >= MOST_STEPS:
            self.history[id(instance)] = None
        elif step and not isinstance(inspect.getattr_static(kind, method, None), property):
            steps.append(step)

    def _arguments(self, frame, skip):
        """(positional, rest, keywords, modules) as source text; None where an argument has none.

        Arguments that are their parameter's default are left out, whether or not the caller wrote them.
        """
        code, values = frame.f_code, frame.f_locals
        writer = probe_literals.Writer(self.names, self.known, self.private)
        defaults = self._defaults(frame, skip)
        count = code.co_argcount
        position = count + code.co_kwonlyargcount
        try:
            rest = []
            if code.co_flags & inspect.CO_VARARGS:
                rest = [writer.source(v) for v in values[code.co_varnames[position]]]
                position += 1
            positional, keywords = [], []
            for number, name in enumerate(code.co_varnames[skip : count + code.co_kwonlyargcount], skip):
                if values[name] is defaults.get(name, _MISSING) and not rest:
                    continue
                complete = number < count and len(positional) == number - skip
                (positional if complete else keywords).append((name, writer.source(values[name])))
            if code.co_flags & inspect.CO_VARKEYWORDS:
                keywords += [(n, writer.source(v)) for n, v in values[code.co_varnames[position]].items()]
        except (probe_literals.Unwritable, KeyError):
            return None
        return positional, rest, keywords, sorted(writer.modules)

    def _defaults(self, frame, skip):
        code = frame.f_code
        if code not in self.defaults:
            found = getattr(type(frame.f_locals[code.co_varnames[0]]), code.co_name, None) if skip else None
            found = self.bodies.get(code, found)
            try:
                parameters = inspect.signature(found).parameters.values()
                self.defaults[code] = {p.name: p.default for p in parameters if p.default is not p.empty}
            except (TypeError, ValueError):
                self.defaults[code] = {}
        return self.defaults[code]

    def _note(self, name, setup, frame, skip):
        calls = self.calls[name]
        given = self._arguments(frame, skip)
        code = frame.f_code
        wanted = list(code.co_varnames[skip : code.co_argcount + code.co_kwonlyargcount])
        seen = {n: _category(frame.f_locals.get(n)) for n in wanted}
        if code.co_flags & inspect.CO_VARKEYWORDS:
            position = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
            seen |= {n: _category(v) for n, v in frame.f_locals[code.co_varnames[position]].items()}
        if given is None:
            call = {"setup": setup, "arguments": None, "types": seen}
        else:
            positional, rest, keywords, modules = given
            call = {
                "setup": [*(f"import {m}" for m in modules), *setup],
                "arguments": {"positional": positional, "rest": rest, "keywords": keywords},
                "types": seen,
            }
        if call not in calls and len(calls) < self.limit:
            calls.append(call)


def _category(value):
    kind = type(value)
    if kind.__name__ in (
        "str",
        "int",
        "float",
        "bool",
        "bytes",
        "list",
        "tuple",
        "dict",
        "set",
        "NoneType",
        "bytearray",
    ):
        return kind.__name__
    return "callable" if callable(value) else kind.__name__


def joined(positional, rest, keywords, _modules):
    """Arguments as they stand in a call."""
    parts = [text for _, text in positional] + list(rest) + [f"{name}={text}" for name, text in keywords]
    return ", ".join(parts)


def as_step(method, given):
    """A call on an instance as a statement; "" for a question that changes nothing, None where it has no text."""
    positional, rest, keywords, modules = given
    texts = [*(text for _, text in positional), *rest]
    if modules or len(texts) < _OPERANDS.get(method, 0):
        return None
    if method == "__setitem__":
        return f"subject[{texts[0]}] = {texts[1]}"
    if method == "__delitem__":
        return f"del subject[{texts[0]}]"
    if method == "__getitem__":
        return f"subject[{texts[0]}]"
    if method.startswith("__"):
        return ""
    return f"subject.{method}({joined(positional, rest, keywords, [])})"
