"""Public names, stubs, coverage and differences, on small repositories whose surfaces are written out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from qualityscore.analysers.public import difference, propose
from qualityscore.analysers.surface import coverage, surface_of
from qualityscore.languages.python_production import scan_tree
from qualityscore.model.task import Surface, SurfaceEntry
from qualityscore.runtime.target import Tree


def repository(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder


def tree(root: Path) -> Tree:
    return Tree(root=root, import_roots=("src", "."), files=scan_tree(root).files, digest="")


PACKAGE = {
    "src/pkg/__init__.py": '''"""A package."""
from .shapes import Square, _Hidden
from . import shapes as geometry
from .shapes import area as surface
try:
    from ._fast import speed
except ImportError:
    def speed(km, h=1):
        """Kilometres per hour."""
        return km / h
import os
VERSION = "1.0"
__getattr__ = None
''',
    "src/pkg/shapes.py": '''
import math
class _Base:
    def scale(self, factor, *, unit="cm"):
        """Make larger."""
        self.side *= factor
    def _secret(self): ...
class Square(_Base):
    """Four equal sides."""
    def __init__(self, side, name=None):
        self.side, self.name = side, name
    @property
    def perimeter(self):
        return 4 * self.side
    @classmethod
    def unit(cls, name=None):
        return cls(1, name)
    @staticmethod
    def corners(strict=True):
        return 4
class _Hidden: ...
def area(shape, /, digits: int = 2) -> float:
    return round(math.pow(shape.side, 2), digits)
class ShapeError(ValueError): pass
''',
}


def test_re_exports_inherited_methods_and_conditional_definitions_are_public(tmp_path: Path) -> None:
    found = surface_of(repository(tmp_path, PACKAGE), ("src",), ("pkg",)).by_name()
    signatures = {name: str(entry.signature) if entry.signature else None for name, entry in found.items()}
    assert signatures == {
        "pkg.Square": "(side, name=None)",
        "pkg.Square.corners": "(strict=True)",
        "pkg.Square.perimeter": None,
        "pkg.Square.scale": "(self, factor, *, unit='cm')",
        "pkg.Square.unit": "(name=None)",
        "pkg.VERSION": None,
        "pkg.speed": "(km, h=1)",
        "pkg.surface": "(shape, /, digits: int = 2) -> float",
    }
    assert found["pkg.speed"].conditional
    assert found["pkg.Square"].documented
    assert not found["pkg.surface"].documented
    assert (found["pkg.surface"].path, found["pkg.surface"].line) == ("src/pkg/shapes.py", 22)
    assert found["pkg.Square.corners"].stub == "returns the same constant whatever the arguments"


def test_all_decides_where_it_is_given_and_takes_other_modules_lists_in(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .a import *\nfrom . import a\n__all__ = ['own', *a.__all__]\n__all__ += ['late']\n"
        "own = 1\ndef late(): return own\ndef unlisted(): return own\n",
        "pkg/a.py": "__all__ = ['one']\ndef one(x): return x\ndef two(x): return x\n",
    }
    found = surface_of(repository(tmp_path, files), (".",), ("pkg",)).by_name()
    assert sorted(found) == ["pkg.late", "pkg.one", "pkg.own"]


def test_names_of_lazy_modules_are_followed(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "import importlib\n_WHERE = {'Tool': '.tools', 'run': 'pkg.tools'}\n"
        "def __getattr__(name):\n    if name in _WHERE:\n"
        "        return getattr(importlib.import_module(_WHERE[name], __name__), name)\n"
        "    if name == 'extra':\n        from .more import extra\n        return extra\n"
        "    raise AttributeError(name)\n",
        "pkg/tools.py": "class Tool:\n    def use(self, thing): return thing\ndef run(): return Tool()\n",
        "pkg/more.py": "def extra(a, b): return a + b\n",
    }
    found = surface_of(repository(tmp_path, files), (".",), ("pkg",)).by_name()
    assert sorted(found) == ["pkg.Tool", "pkg.Tool.use", "pkg.extra", "pkg.run"]
    assert str(found["pkg.extra"].signature) == "(a, b)"


def test_fields_make_the_constructor_of_dataclasses_and_named_tuples(tmp_path: Path) -> None:
    files = {
        "m.py": "from dataclasses import dataclass, field\nfrom typing import NamedTuple, ClassVar\n"
        "from collections import namedtuple\n"
        "@dataclass\nclass A:\n    x: int\n    y: list = field(default_factory=list)\n    z: int = field(init=False)\n"
        "    k: ClassVar[int] = 3\n"
        "@dataclass(kw_only=True)\nclass B(A):\n    w: int = 1\n"
        "class C(NamedTuple):\n    a: int\n    b: str = ''\n"
        "class D(namedtuple('D', 'p q')):\n    pass\n",
    }
    found = surface_of(repository(tmp_path, files), (".",), ("m",)).by_name()
    signatures = {n: str(e.signature.plain()) for n, e in found.items() if e.kind == "class" and e.signature}
    assert signatures == {
        "m.A": "(x, y=...)",
        "m.B": "(x, y=..., *, w=1)",
        "m.C": "(a, b='')",
        "m.D": "(p, q)",
    }


@pytest.mark.parametrize(
    ("body", "stub"),
    [
        ("pass", True),
        ("...", True),
        ("'''Only words.'''", True),
        ("raise NotImplementedError", True),
        ("raise NotImplementedError('later')", True),
        ("return None", True),
        ("return 42", True),
        ("return [1, {'a': -1}]", True),
        ("x = 1\n    return True", True),
        ("if a:\n        return 0\n    return 0", True),
        ("if a:\n        return 0\n    return 1", False),
        ("if a:\n        return 0", False),
        ("return a", False),
        ("raise ValueError(a)", False),
        ("print(a)", False),
        ("a.done = True", False),
        ("a['k'] = 1", False),
        ("yield 1", False),
        ("return len(a)", False),
        ("while True:\n        a += 1", False),
    ],
)
def test_a_stub_has_no_body_or_gives_one_constant_whatever_the_arguments(tmp_path: Path, body: str, stub: bool) -> None:
    root = repository(tmp_path, {"m.py": f"def f(a):\n    {body}\n"})
    (entry,) = surface_of(root, (".",), ("m",)).names
    assert (entry.stub is not None) is stub


def entry(name: str, kind: str, signature: str | None = None, bodiless: bool = False) -> SurfaceEntry:
    return SurfaceEntry.model_validate({"name": name, "kind": kind, "signature": signature, "bodiless": bodiless})


def test_coverage_puts_each_entry_into_one_group(tmp_path: Path) -> None:
    surface = Surface(
        entries=[
            entry("pkg.good", "function", "(a, b=1)"),
            entry("pkg.wider", "function", "(a)"),
            entry("pkg.narrow", "function", "(a, b=1)"),
            entry("pkg.empty", "function", "(a)"),
            entry("pkg.hook", "function", "(a)", bodiless=True),
            entry("pkg.gone", "function", "(a)"),
            entry("pkg.sub.deep", "function", "()"),
            entry("pkg.Box", "class", "(size)"),
            entry("pkg.Box.fill", "method", "(self, what)"),
            entry("pkg.Box.get", "method", "(self, key, default=None)"),
            entry("pkg.Box.lost", "method", "(self)"),
            entry("pkg.Hollow", "class", "()"),
            entry("pkg.BoxError", "exception"),
        ]
    )
    files = {
        "pkg/__init__.py": "from .impl import *\nfrom .impl import Box as Box\n",
        "pkg/impl.py": "from collections.abc import Mapping\n"
        "def good(a, b=1): return a + b\ndef wider(a, *rest, flag=False): return rest\ndef narrow(a): return a\n"
        "def empty(a): return None\ndef hook(a): pass\n"
        "class Box(Mapping):\n    def __init__(self, size): self.size = size\n"
        "    def fill(self, what, again=False): self.size += what\n"
        "    def __getitem__(self, k): return k\n    def __iter__(self): return iter(())\n"
        "    def __len__(self): return 0\n"
        "class Hollow:\n    def act(self): pass\n"
        "class BoxError(Exception): pass\n",
        "pkg/sub.py": "deep = lambda: 3\n",
    }
    report = coverage(surface, tree(repository(tmp_path, files)))
    assert report.missing == ("pkg.gone", "pkg.Box.lost")
    assert report.stubs == ("pkg.empty", "pkg.Hollow")
    assert report.incompatible == ("pkg.narrow",)
    assert (report.entries, report.defined, report.stub) == (13, 8, 2)


def test_an_empty_repository_covers_nothing(tmp_path: Path) -> None:
    surface = Surface(entries=[entry("pkg.f", "function", "()")])
    report = coverage(surface, tree(tmp_path))
    assert (report.defined, report.stub, report.missing) == (0, 0, ("pkg.f",))


def test_difference_names_what_is_missing_extra_and_incompatible(tmp_path: Path) -> None:
    reference = Surface(
        entries=[
            entry("m.keep", "function", "(a)"),
            entry("m.gone", "function"),
            entry("m.changed", "function", "(key)"),
        ]
    )
    root = repository(
        tmp_path, {"m.py": "def keep(a): return a\ndef changed(name): return name\ndef new(): return {}\n"}
    )
    found = {(d.name, d.kind): d.reason for d in difference(reference, surface_of(root, (".",), ("m",)))}
    assert set(found) == {("m.gone", "missing"), ("m.changed", "incompatible"), ("m.new", "extra")}
    assert found["m.changed", "incompatible"] == "parameter 1 is called 'name' instead of 'key'"


def test_a_proposal_marks_what_is_bodiless_and_is_covered_by_its_own_source(tmp_path: Path) -> None:
    root = repository(tmp_path, PACKAGE)
    proposal = propose(surface_of(root, ("src",), ("pkg", "pkg.shapes")))
    bodiless = {e.name for e in proposal.entries if e.bodiless}
    assert {"pkg.shapes.ShapeError", "pkg.Square.corners"} <= bodiless
    report = coverage(proposal, tree(root))
    assert report.defined == report.entries == len(proposal.entries)


def test_subject_code_is_never_run(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    text = f"import pathlib\npathlib.Path({str(witness)!r}).write_text('ran')\ndef f(a): return a\n"
    root = repository(tmp_path / "r", {"m.py": text, "setup.py": text, "conftest.py": text, "sitecustomize.py": text})
    assert sorted(surface_of(root, (".",), ("m",)).by_name()) == ["m.f"]
    assert not witness.exists()
