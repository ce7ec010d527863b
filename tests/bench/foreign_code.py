"""Code that nobody here wrote: the standard library and pinned packages, fetched when a benchmark runs."""

from __future__ import annotations

import ast
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGES = (
    *("cherrypy==18.10.0", "arrow==1.4.0", "attrs==26.1.0", "beautifulsoup4==4.15.0", "black==26.10.1"),
    *("boltons==26.2.0", "botocore==1.44.8", "bottle==0.13.4", "celery==5.7.0", "click==8.5.1", "django==5.2.19"),
    *("docutils==0.23", "falcon==4.4.0", "fastapi==0.165.0", "flask==3.1.3", "fonttools==4.68.0"),
    *("gunicorn==27.0.1", "httpx==0.28.1", "invoke==3.0.3", "ipython==9.18.1", "jinja2==3.1.6"),
    *("jsonschema==4.26.0", "kombu==5.7.0", "mako==1.4.3", "markdown==3.11.3", "marshmallow==4.4.0"),
    *("networkx==3.6.1", "nltk==3.10.4", "paramiko==5.1.0", "poetry_core==2.5.0", "prompt_toolkit==3.0.53"),
    *("pygments==2.21.0", "pymongo==4.20.1", "pyparsing==3.3.3", "pytest==9.2.0", "redis==8.1.0"),
    *("requests==2.34.2", "rich==15.0.0", "scrapy==2.19.0", "setuptools==84.2.1", "sphinx==9.0.4"),
    *("sqlalchemy==2.1.9", "starlette==1.10.0", "tinydb==4.9.0", "tornado==6.6.1", "tqdm==4.70.1"),
    *("twisted==26.10.0", "urllib3==2.8.0", "werkzeug==3.1.9"),
)
STDLIB = "stdlib"
KEPT = Path(tempfile.gettempdir()) / "qualityscore-bench-packages"  # between runs


def fetch(folder: Path, packages: tuple[str, ...] = PACKAGES) -> dict[str, Path]:
    """Install each package alone, without its dependencies, into a folder of its own; no code of it runs."""
    places: dict[str, Path] = {}
    for package in packages:
        place = folder / package.replace("==", "-")
        if not place.is_dir():
            command = [sys.executable, "-m", "uv", "pip", "install", "-q", "--no-deps", "--only-binary", ":all:"]
            subprocess.run([*command, "--target", str(place), package], check=True)
        places[package] = place
    return places


def standard_library() -> tuple[Path, tuple[str, ...]]:
    """The standard library's folder and its modules, without tests and installed packages."""
    root = Path(sysconfig.get_path("stdlib"))
    out = {"site-packages", "test", "tests", "idle_test", "__pycache__", "lib2to3"}
    paths = (p.relative_to(root) for p in sorted(root.rglob("*.py")))
    return root, tuple(str(p) for p in paths if not out & set(p.parts))


@dataclass(frozen=True, slots=True)
class AttributeRead:
    """A read of an attribute through the first parameter of a method; `column` from 0, in characters."""

    path: str
    class_name: str
    line: int
    column: int
    name: str


def attribute_reads(path: str, text: str) -> Iterator[AttributeRead]:
    """All of them in one file, found by a walk that shares nothing with the analyser."""
    tree = ast.parse(text)
    lines = text.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for method in _methods(node):
                arguments = [*method.args.posonlyargs, *method.args.args]
                static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in method.decorator_list)
                if arguments and not static:
                    for read in _reads(method, arguments[0].arg):
                        line = lines[(read.end_lineno or 1) - 1].encode()
                        start = (read.end_col_offset or 0) - len(read.attr.encode())
                        column = len(line[:start].decode(errors="replace"))
                        yield AttributeRead(path, node.name, read.end_lineno or 1, column, read.attr)


def _methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    pending: list[ast.AST] = list(node.body)
    while pending:
        statement = pending.pop()
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield statement
        elif not isinstance(statement, ast.ClassDef | ast.expr):
            pending.extend(ast.iter_child_nodes(statement))


def _reads(method: ast.AST, receiver: str) -> Iterator[ast.Attribute]:
    pending: list[ast.AST] = list(ast.iter_child_nodes(method))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ClassDef):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            arguments = node.args
            if receiver in {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}:
                continue
        loads = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        if loads and isinstance(node.value, ast.Name) and node.value.id == receiver:
            yield node
        pending.extend(ast.iter_child_nodes(node))
