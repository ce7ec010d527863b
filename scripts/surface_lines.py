"""Which lines of a reference are behind a task's surface, and how many of them a coverage report calls executed.

    python -m coverage run --branch -m pytest ... && python -m coverage json -o coverage.json
    python scripts/surface_lines.py TASK REFERENCE_FOLDER coverage.json

Behind the surface is the body of what a rapid type analysis (Bacon and Sweeney, OOPSLA 1996) reaches from the surface's
entries: functions, classes and data of modules named in a reached body, and methods named there, in a code span of the
requirement (attributes of what is returned stand only there), or special, of reached classes and their bases. Names are
resolved by what they are called alone, so more is reached than could be, never less, except through names that are
computed. Lines that the coverage report leaves out are left out, and so are branches that begin in them.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from qualityscore.runtime.tasks import load_task

LEFT_OUT = Path(__file__).with_suffix(".toml")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A function (`owner` is its class, None outside of one) and the file that it stands in."""

    file: str
    node: Function
    owner: str | None

    @property
    def label(self) -> str:
        """How a pattern names it."""
        return f"{self.file}:{self.node.name if self.owner is None else f'{self.owner}.{self.node.name}'}"


class Package:
    """Functions by name, and classes with the names of their bases, of all files of a reference."""

    def __init__(self, sources: Iterable[tuple[str, ast.Module]]) -> None:
        self.functions: dict[str, list[Code]] = defaultdict(list)
        self.methods: dict[str, list[Code]] = defaultdict(list)  # by the name of their class
        self.bases: dict[str, set[str]] = defaultdict(set)
        self.class_level: dict[str, set[str]] = defaultdict(set)
        self.data: dict[str, set[str]] = defaultdict(set)  # what is named in the values of names at module level
        for file, module in sources:
            self._read(file, module, None)

    def _read(self, file: str, body: ast.AST, owner: str | None) -> None:
        for node in ast.iter_child_nodes(body):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    code = Code(file=file, node=node, owner=owner)
                    if owner is None:
                        self.functions[node.name].append(code)
                    else:
                        self.methods[owner].append(code)
                    self._read_inner_classes(file, node)
                case ast.ClassDef():
                    self.bases[node.name] |= {name for base in node.bases for name in names(base)}
                    self._read(file, node, node.name)
                case ast.Assign() | ast.AnnAssign() if owner is None:
                    for target in ast.walk(node):
                        if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store):
                            self.data[target.id] |= names(node)
                case _:
                    if owner is not None:
                        self.class_level[owner] |= names(node)
                    self._read(file, node, owner)

    def _read_inner_classes(self, file: str, function: Function) -> None:
        for node in ast.walk(function):
            if isinstance(node, ast.ClassDef):
                self.bases[node.name] |= {name for base in node.bases for name in names(base)}
                self._read(file, node, node.name)


def names(node: ast.AST) -> set[str]:
    """What is named in a piece of code, without its own variables."""
    own = {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}
    own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    found = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} - own
    return found | {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}


def spoken_of(requirement: str) -> set[str]:
    """Identifiers in the code spans of a requirement, which is Markdown."""
    return {name for span in re.findall(r"`([^`]+)`", requirement) for name in re.findall(r"[A-Za-z_]\w*", span)}


def reached(package: Package, entries: Iterable[str], attributes: Set[str] = frozenset()) -> Iterator[Code]:
    """The functions behind surface entries, which are dotted names, and behind attributes of what they give."""
    named: set[str] = set()
    classes: set[str] = set()
    found: set[int] = set()
    for entry in entries:
        named |= set(entry.split(".")[1:])
    while True:
        before = len(named), len(classes), len(found)
        named |= {name for data in named & package.data.keys() for name in package.data[data]}
        classes |= {name for name in named if name in package.bases}
        for name in list(classes):
            named |= package.bases[name] | package.class_level[name]
        candidates = [code for name in named for code in package.functions.get(name, ())]
        candidates += [
            code
            for name in classes
            for code in package.methods[name]
            if code.node.name in named | attributes or code.node.name.startswith("__")
        ]
        for code in candidates:
            if id(code.node) not in found:
                found.add(id(code.node))
                named |= names(code.node)
                yield code
        if before == (len(named), len(classes), len(found)):
            return


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What the requirement of a task asks nothing of: patterns of functions, and regular expressions of lines."""

    functions: tuple[str, ...]
    lines: tuple[str, ...]

    def takes(self, code: Code) -> bool:
        """Whether a whole function is left out."""
        return any(fnmatchcase(code.label, pattern) for pattern in self.functions)

    def branches(self, source: Sequence[str], code: Code) -> set[int]:
        """The lines of statements whose first line matches; of an `if` or a loop its first block, not what is else."""
        gone: set[int] = set()
        for node in ast.walk(code.node):
            if isinstance(node, ast.stmt | ast.ExceptHandler):
                first = source[node.lineno - 1].strip()
                if any(re.fullmatch(pattern, first) for pattern in self.lines):
                    block = getattr(node, "body", [node])
                    gone.update(range(node.lineno, (block[-1].end_lineno or node.lineno) + 1))
        return gone


def left_out(task: str) -> LeftOut:
    """What is left out of a task by LEFT_OUT, where the reasons are."""
    given = [entry for entry in tomllib.loads(LEFT_OUT.read_text("utf-8"))["left_out"] if entry["task"] == task]
    return LeftOut(
        functions=tuple(pattern for entry in given for pattern in entry.get("functions", ())),
        lines=tuple(pattern for entry in given for pattern in entry.get("lines", ())),
    )


def main(task: str, folder: str, report: str) -> None:
    """Print, per file and in all, lines and branches behind the surface, those executed, and which were not."""
    root = Path(folder).resolve()
    files = {
        str(Path(file).resolve().relative_to(root)): lines
        for file, lines in json.loads(Path(report).read_text("utf-8"))["files"].items()
        if Path(file).resolve().is_relative_to(root)
    }
    if not files:
        sys.exit(f"{report} names no file of {folder}; its paths start where the report was made, so call this there")
    package = Package((file, ast.parse((root / file).read_bytes())) for file in files)
    loaded = load_task(task)
    without = left_out(task)
    sources = {file: (root / file).read_text("utf-8").split("\n") for file in files}
    behind: dict[str, set[int]] = defaultdict(set)
    attributes = spoken_of((loaded.folder / "requirement.md").read_text("utf-8"))
    for code in reached(package, (entry.name for entry in loaded.surface.entries), attributes):
        if not without.takes(code):
            lines = {line for s in code.node.body for line in range(s.lineno, (s.end_lineno or s.lineno) + 1)}
            behind[code.file] |= lines - without.branches(sources[code.file], code)
    every = hit = arcs = taken = 0
    for file, lines in sorted(behind.items()):
        report_of = files[file]
        executed = lines & set(report_of["executed_lines"])
        missing = lines & set(report_of["missing_lines"])
        every, hit = every + len(executed) + len(missing), hit + len(executed)
        through = sum(start in lines for start, _ in report_of["executed_branches"])
        arcs += through + sum(start in lines for start, _ in report_of["missing_branches"])
        taken += through
        sys.stdout.write(f"{file}: {len(executed)} of {len(executed) + len(missing)}; not {sorted(missing)}\n")
    sys.stdout.write(
        f"{task}: {hit} of {every} lines behind the surface, {100 * hit / every:.1f} %, "
        f"and {taken} of {arcs} branches, {100 * taken / max(1, arcs):.1f} %\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
