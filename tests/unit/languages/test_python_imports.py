"""Imports read from syntax trees, resolved inside the repository only."""

from __future__ import annotations

import ast

import pytest

from qualityscore.languages.python_imports import (
    Import,
    Modules,
    imports_of,
    module_name,
    short_cycle,
    strongly_connected,
)

FILES = (
    "src/pkg/__init__.py",
    "src/pkg/a.py",
    "src/pkg/sub/__init__.py",
    "src/pkg/sub/b.py",
    "src/pkg/ns/c.py",
    "tool.py",
)
SUB = "src/pkg/sub/"
MODULES = Modules.of(FILES, ("src", "."))


def test_every_import_is_found_with_its_line() -> None:
    text = (
        "import a.b as c, d\n"
        "from . import e\n"
        "def f():\n    from ..g import h, i as j\n"
        "if TYPE_CHECKING:\n    import k\nelse:\n    import l\n"
        "try:\n    from m import *\nexcept ImportError:\n    pass\n"
    )
    assert imports_of(ast.parse(text)) == (
        Import(module="a.b", name=None, level=0, line=1),
        Import(module="d", name=None, level=0, line=1),
        Import(module="", name="e", level=1, line=2),
        Import(module="g", name="h", level=2, line=4),
        Import(module="g", name="i", level=2, line=4),
        Import(module="k", name=None, level=0, line=6, typing_only=True),
        Import(module="l", name=None, level=0, line=8),
        Import(module="m", name="*", level=0, line=10),
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/pkg/a.py", "pkg.a"),
        ("src/pkg/__init__.py", "pkg"),
        ("tool.py", "tool"),
        ("other/tool.py", "other.tool"),
        ("__init__.py", "__init__"),
    ],
)
def test_modules_are_named_below_the_deepest_root(path: str, name: str) -> None:
    assert module_name(path, ("src", ".")) == name


@pytest.mark.parametrize(
    ("importer", "statement", "targets"),
    [
        ("tool.py", "import pkg.sub.b", ["src/pkg/sub/b.py", "src/pkg/sub/__init__.py", "src/pkg/__init__.py"]),
        ("tool.py", "from pkg import a", ["src/pkg/a.py", "src/pkg/__init__.py"]),
        ("tool.py", "from pkg.a import function", ["src/pkg/a.py", "src/pkg/__init__.py"]),
        ("tool.py", "from pkg import *", ["src/pkg/__init__.py"]),
        ("src/pkg/a.py", "from . import sub", ["src/pkg/sub/__init__.py", "src/pkg/__init__.py"]),
        ("src/pkg/sub/__init__.py", "from .b import x", [SUB + "b.py", SUB + "__init__.py", "src/pkg/__init__.py"]),
        ("src/pkg/sub/b.py", "from ..a import x", ["src/pkg/a.py", "src/pkg/__init__.py"]),
        ("src/pkg/a.py", "from .ns import c", ["src/pkg/ns/c.py", "src/pkg/__init__.py"]),
        ("src/pkg/a.py", "import os.path", []),
        ("src/pkg/a.py", "from .... import x", []),
    ],
)  # fmt: skip
def test_imports_resolve_to_the_module_and_the_packages_above_it(
    importer: str, statement: str, targets: list[str]
) -> None:
    (imported,) = imports_of(ast.parse(statement))
    assert list(MODULES.targets(importer, imported)) == targets


def test_components_come_sinks_first() -> None:
    edges = {"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": ["e"], "e": [], "f": ["d"]}
    assert list(strongly_connected(edges)) == [("e",), ("d",), ("a", "b", "c"), ("f",)]


def test_a_deep_chain_of_imports_needs_no_recursion() -> None:
    edges = {f"m{n:06}": [f"m{n + 1:06}"] for n in range(20_000)}
    assert sum(1 for _ in strongly_connected(edges)) == 20_001


def test_the_shortest_cycle_of_a_component_is_shown() -> None:
    edges = {"a": ["b"], "b": ["c"], "c": ["d", "b"], "d": ["a"]}
    assert short_cycle(edges, ("a", "b", "c", "d")) == ("b", "c")
    assert short_cycle({"a": ["b"], "b": ["c"], "c": ["a"]}, "abc") == ("a", "b", "c")


def test_a_huge_ring_is_searched_within_the_budget() -> None:
    size = 20_000
    edges = {f"m{n:06}": [f"m{(n + 1) % size:06}"] for n in range(size)}
    assert len(short_cycle(edges, edges)) == size
