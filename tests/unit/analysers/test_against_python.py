"""What is read off the standard library's sources against what Python says when it runs them."""

from __future__ import annotations

import builtins
import importlib
import inspect
import symtable
import sysconfig
from pathlib import Path

import pytest

from qualityscore.analysers.extract import extract
from qualityscore.analysers.gather import read_facts
from qualityscore.analysers.library import Library
from qualityscore.analysers.lineage import Classes
from qualityscore.analysers.project import Project
from qualityscore.analysers.surface import surface_in
from qualityscore.analysers.unbound import BUILTINS

STDLIB = Path(sysconfig.get_path("stdlib"))
PACKAGES = ["json", "logging", "email", "unittest", "asyncio", "concurrent", "http", "importlib", "xml", "html"]
MODULES = [
    "argparse",
    "configparser",
    "dataclasses",
    "textwrap",
    "shutil",
    "tempfile",
    "fractions",
    "statistics",
    "queue",
]


def project(*names: str) -> Project:
    paths = []
    for name in names:
        place = STDLIB / name
        if place.is_dir():
            paths += [str(p.relative_to(STDLIB)) for p in sorted(place.rglob("*.py")) if "test" not in p.parts]
        else:
            paths.append(f"{name}.py")
    return Project([read_facts(STDLIB, path) for path in paths], Library())


@pytest.mark.parametrize("name", [*MODULES, "json", "logging", "asyncio", "unittest", "concurrent.futures"])
def test_public_names_and_signatures_are_those_that_import_and_inspect_show(name: str) -> None:
    module = importlib.import_module(name)
    found = {
        e.name.removeprefix(f"{name}."): e
        for e in surface_in(project(name.partition(".")[0]), (name,)).names
        if e.kind != "method"
    }
    public = set(module.__all__)
    defined_outside = {
        n for n in public if not str(getattr(getattr(module, n), "__module__", name)).startswith(name.partition(".")[0])
    }
    assert public - set(found) <= defined_outside
    # asyncio adds to __all__ under a condition on the platform
    assert {n for n in set(found) - public if "windows" not in found[n].origin} == set()
    checked = 0
    for key, entry in found.items():
        value = getattr(module, key, None)
        if entry.kind == "function" and entry.signature is not None and inspect.isfunction(value):
            if entry.conditional:
                continue
            real = inspect.signature(value, follow_wrapped=False)
            assert [p.name for p in entry.signature.parameters] == list(real.parameters)
            for ours, theirs in zip(entry.signature.parameters, real.parameters.values(), strict=True):
                assert ours.kind.name.replace("EITHER", "POSITIONAL_OR_KEYWORD") in (
                    theirs.kind.name,
                    theirs.kind.name.removesuffix("_ONLY"),
                )
                assert (ours.default is None) == (theirs.default is inspect.Parameter.empty)
            checked += 1
    assert checked or name in ("queue", "fractions", "argparse", "configparser")


def bound_at_top(table: symtable.SymbolTable) -> set[str]:
    names = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    pending = list(table.get_children())
    while pending:
        child = pending.pop()
        pending.extend(child.get_children())
        names |= {
            s.get_name() for s in child.get_symbols() if s.is_declared_global() and (s.is_assigned() or s.is_imported())
        }
    return names


def unbound_by_symtable(text: str, path: str) -> set[str]:
    table = symtable.symtable(text, path, "exec")
    top = bound_at_top(table)
    missing: set[str] = set()
    pending = [table]
    while pending:
        scope = pending.pop()
        pending.extend(scope.get_children())
        for symbol in scope.get_symbols():
            # a function called "top" is taken for the module by symtable on 3.11, hence is_local
            free = (symbol.is_global() and not symbol.is_local()) or (
                scope is table and not symbol.is_assigned() and not symbol.is_imported()
            )
            if free and symbol.is_referenced() and symbol.get_name() not in top:
                missing.add(symbol.get_name())
    return missing - BUILTINS


@pytest.mark.parametrize("folder", [".", "asyncio", "email", "unittest", "logging", "json", "http", "xml", "idlelib"])
def test_unbound_names_are_those_that_the_compiler_calls_global_and_nothing_binds(folder: str) -> None:
    compared = 0
    for path in sorted((STDLIB / folder).glob("*.py")):
        fact = read_facts(STDLIB, str(path.relative_to(STDLIB)))
        text = path.read_text(encoding="utf-8")
        if fact.error or "except NameError" in text or "version_info" in text or "platform" in text:
            continue
        ours = {u.name for u in fact.unbound if u.why == "unbound"}
        theirs = unbound_by_symtable(text, str(path))
        compared += 1
        # the names of handled exceptions are gone after their block, which the symbol table does not know
        assert theirs - {"__module__", "__qualname__", "__class__"} <= ours, path.name
        assert {n for n in ours - theirs if f"as {n}:" not in text} == set(), path.name
    assert compared


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("argparse", "ArgumentParser"),
        ("configparser", "RawConfigParser"),
        ("threading", "Thread"),
        ("unittest.case", "TestCase"),
        ("logging", "StreamHandler"),
        ("json.encoder", "JSONEncoder"),
        ("fractions", "Fraction"),
        ("collections", "Counter"),
        ("queue", "PriorityQueue"),
    ],
)
def test_attributes_of_a_class_include_all_that_an_instance_has(module: str, name: str) -> None:
    made = {
        "ArgumentParser": lambda c: c(prog="p"),
        "TestCase": lambda c: c("run"),
        "Fraction": lambda c: c(1, 2),
    }
    kind = getattr(importlib.import_module(module), name)
    instance = made.get(name, lambda c: c())(kind)
    text = f"from {module} import {name}\nclass Derived({name}):\n    pass\n"
    classes = Classes(Project([extract("m.py", text)], Library()))
    (derived,) = classes.all
    missing = {a for a in dir(instance) if a not in derived.attributes} - {"_abc_impl", "__getstate__"}
    assert missing == set()


def test_every_builtin_is_known() -> None:
    assert set(dir(builtins)) <= BUILTINS
