"""Whether parts of the test machinery were replaced, and the names that a suite computes with.

Whoever replaces them can replace this as well, so that nothing was seen proves nothing; but what is seen here was done.
Some parts no honest program replaces: the judge takes these as decisive (`DECISIVE` in `suites/evidence.py`).

Standard library and pytest only; runs inside the sandbox.
"""

import ast
import builtins
import json
import os
import re
import sys
import types
import unittest

import _pytest.python
import _pytest.reports
import _pytest.runner
import _pytest.unittest
import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook

# what honest programs replace: output, input, imports, and what `site` or gettext put there
_OPEN = frozenset(
    {"print", "open", "input", "__import__", "help", "exit", "quit", "breakpoint", "copyright", "credits", "license"}
    | {"_", "__doc__", "__name__", "__package__", "__loader__", "__spec__", "__debug__"}
)
_LIKELY = (
    ("pytest.Function.runtest", _pytest.python.Function, "runtest"),
    ("pytest.TestCaseFunction.runtest", _pytest.unittest.TestCaseFunction, "runtest"),
    ("pytest.TestReport.from_item_and_call", _pytest.reports.TestReport, "from_item_and_call"),
    ("pytest.CallInfo.from_call", _pytest.runner.CallInfo, "from_call"),
    ("unittest.TestCase.run", unittest.TestCase, "run"),
    ("unittest.TestCase.assertEqual", unittest.TestCase, "assertEqual"),
    ("unittest.TestCase.failureException", unittest.TestCase, "failureException"),
    ("json.dumps", json, "dumps"),
    ("os._exit", os, "_exit"),
)
_EXPECTATIONS = ("raises", "approx", "fail", "skip", "xfail", "importorskip", "exit")
_FOLDER = os.path.dirname(__file__)
_WORDS = re.compile(r"\w+")
_MOST = 40
_MISSING = object()
_NAMESPACE = type.__dict__["__dict__"].__get__  # asks no metaclass


def _names(namespace):
    return {name: value for name, value in namespace.items() if name not in _OPEN}


_BUILT_INS = _names(vars(builtins))


def ours():
    """The namespaces of our modules that are loaded, by name; to be asked while they are imported."""
    return {
        name: vars(module)
        for name, module in list(sys.modules.items())
        if os.path.dirname(getattr(module, "__file__", None) or "") == _FOLDER
    }


class Suite:
    """The modules of a suite, whose built-in names are bound to the originals before they run.

    Only names that the text of a module holds are bound, and none that honest programs replace.
    """

    def __init__(self, folder, recorder):
        self._folder = folder + os.sep
        self._names = {**_BUILT_INS, "__qs__": recorder}
        self.bound = []  # (path, the module's namespace, names bound in it)

    def create_module(self, spec):
        """A new module for pytest's import hook, None where it is none of the suite."""
        if not spec.origin or not spec.origin.startswith(self._folder):
            return None
        with open(spec.origin, encoding="utf-8") as file:
            words = set(_WORDS.findall(file.read()))
        module = types.ModuleType(spec.name)
        names = {name: self._names[name] for name in words & self._names.keys()}
        vars(module).update(names)
        self.bound.append((spec.origin, vars(module), names))
        return module

    def replaced(self):
        """(name, what it is bound to) for names that are not bound to the originals, though the text binds them not."""
        return [
            (f"suite.{name}", namespace.get(name))
            for path, namespace, names in self.bound
            for name, value in names.items()
            if namespace.get(name) is not value and not _binds(path, name)
        ]


def bind(folder, recorder):
    """Have pytest make the modules of a suite through the `Suite` that is returned."""
    suite = Suite(folder, recorder)
    AssertionRewritingHook.create_module = lambda _hook, spec: suite.create_module(spec)
    return suite


def _binds(path, name):
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=bound, ctx=ast.Store() | ast.Del()) if bound == name:
                return True
            case ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound) | ast.ClassDef(name=bound):
                if bound == name:
                    return True
            case (
                ast.ExceptHandler(name=bound)
                | ast.MatchAs(name=bound)
                | ast.MatchStar(name=bound)
                | ast.MatchMapping(rest=bound)
            ):
                if bound == name:
                    return True
            case ast.alias(name=imported, asname=other):
                if imported == "*" or (other or imported.partition(".")[0]) == name:
                    return True
    return False


class Parts:
    """The parts as they are when this is made: after pytest and all of ours was imported, before anything else."""

    def __init__(self, suite, namespaces):
        """`namespaces` are those of our modules, by name."""
        self._suite = suite
        self._entries = []  # (shown, namespace, name, value)
        self._functions = []  # (shown, function, code, defaults)
        self._tables = []  # (shown, dict, its items)
        self._keep("builtins", vars(builtins), [*_BUILT_INS, "__qs__"])
        built_ins = globals()["__builtins__"]  # of all modules that the zygote loads, and nobody else's
        self._tables.append(("inside.built-ins", built_ins, tuple(built_ins.items())))
        for name, namespace in namespaces.items():
            self._keep(f"inside.{name}", namespace, list(namespace), deep=True)
        self._keep("pytest", vars(pytest), _EXPECTATIONS)
        for home in sorted({vars(pytest)[name].__module__ for name in _EXPECTATIONS}):
            namespace = vars(sys.modules[home])
            defined = [name for name, part in namespace.items() if _is_code_of(home, part)]
            self._keep(home, namespace, defined, deep=True)
        self._likely = [(shown, vars(owner), name, vars(owner).get(name)) for shown, owner, name in _LIKELY]

    def changed(self, subject):
        """[name, file, line] for the parts that are not what they were.

        The place is the replacement's, by its own account, where it is a function or a class of a file below the folder
        `subject` (the file relative to that); otherwise both are None.
        """
        found = [
            (shown, namespace.get(name, _MISSING))
            for shown, namespace, name, value in (*self._entries, *self._likely)
            if namespace.get(name, _MISSING) is not value
        ]
        found += [
            (shown, function)
            for shown, function, code, defaults in self._functions
            if function.__code__ is not code or function.__defaults__ is not defaults
        ]
        found += [
            (shown, _first_new(table, items)) for shown, table, items in self._tables if not _is_same(table, items)
        ]
        return [[shown, *_place(value, subject)] for shown, value in [*found, *self._suite.replaced()][:_MOST]]

    def _keep(self, shown, namespace, names, deep=False):
        for name in names:
            value = namespace[name]
            full = f"{shown}.{name}"
            self._entries.append((full, namespace, name, value))
            if not deep:
                continue
            if isinstance(value, staticmethod | classmethod):
                value = value.__func__
            if isinstance(value, types.FunctionType):
                self._functions.append((full, value, value.__code__, value.__defaults__))
                if value.__kwdefaults__:
                    self._tables.append((full, value.__kwdefaults__, tuple(value.__kwdefaults__.items())))
            elif type(value) is dict and name != "__builtins__" and value is not sys.modules:
                self._tables.append((full, value, tuple(value.items())))
            elif isinstance(value, type) and value.__module__ == namespace.get("__name__"):
                self._keep(full, vars(value), [name for name, part in vars(value).items() if _is_method(part)], True)


def _is_code_of(module, part):
    return isinstance(part, types.FunctionType | type) and part.__module__ == module


def _is_method(part):
    return isinstance(part, types.FunctionType | staticmethod | classmethod | property)


def _first_new(table, items):
    known = dict(items)
    return next((value for name, value in list(table.items()) if known.get(name, _MISSING) is not value), None)


def _place(value, subject):
    """The file and line of a function, of a class' first function or of what its instances are called by."""
    try:
        for code in _codes(value):
            if type(code.co_filename) is str and code.co_filename.startswith(subject + "/"):
                return code.co_filename.removeprefix(subject + "/"), code.co_firstlineno
    except Exception:  # a subject's object may answer with anything; that its place is unknown is no verdict
        pass
    return None, None


def _codes(value):
    kind = type(value)
    if kind in (staticmethod, classmethod, types.MethodType):
        value, kind = value.__func__, type(value.__func__)
    if kind is types.FunctionType:
        yield value.__code__
        return
    for part in list(_NAMESPACE(value if issubclass(kind, type) else kind).values()):
        if type(part) is types.FunctionType:
            yield part.__code__


def _is_same(table, items):
    return len(table) == len(items) and all(table.get(name, _MISSING) is value for name, value in items)
