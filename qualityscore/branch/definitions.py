"""What a file defines, independent of where it stands and how it is laid out: for telling moved from new.

Fingerprints are over syntax trees without positions and docstrings, so that moving, reformatting and comments leave
them as they are. Files are read in worker processes.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qualityscore.languages.python_source import SourceFile, Unparsable, parse, read_source
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.static_cache import StaticCache, key_of
from qualityscore.runtime.target import Tree
from qualityscore.runtime.workers import Done, Job, deal, run_jobs

_CPU_S = 20.0
_WALL_S = 600.0
_MEMORY_BYTES = 2 << 30
_MOST_GRAMS = 4000
_ASSERTING = re.compile(r"^(assert\w*|fail\w*|raises|warns|deprecated_call|expect\w*)$")
_SKIPPING = re.compile(r"(^|\.)(skip|skipIf|skipUnless|skipif|xfail|expectedFailure)\b")
_Scoped = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A function, method or class of a file, or a name that a module binds to a value (kind `constant`).

    `body` is a digest of its body, `grams` numbers of the 3-grams of its tokens, names of its own left out.
    `assertions` counts the assertions in it, `skips` says that a decorator may skip it.
    """

    path: str
    qualname: str
    kind: str
    line: int
    end_line: int
    signature: str
    body: str
    grams: tuple[int, ...]
    assertions: int
    skips: bool

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        return self.qualname.rpartition(".")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What surrounds a line: the qualified name of the innermost definition ("" for the module), and a digest of the
    innermost statement (of its head, where it is a compound one)."""

    scope: str
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The definitions of files, and the surroundings of the lines that were asked for, by (path, line).

    `imports` are the modules that each file names in absolute imports.
    """

    definitions: tuple[Definition, ...]
    places: Mapping[tuple[str, int], Place]
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def by_path(self) -> dict[str, list[Definition]]:
        """The definitions of each file."""
        found: dict[str, list[Definition]] = {}
        for definition in self.definitions:
            found.setdefault(definition.path, []).append(definition)
        return found


def read_definitions(
    tree: Tree, files: Iterable[str], lines: Mapping[str, Iterable[int]], cache: Path | None = None
) -> Reading:
    """Read Python files of a tree; one that cannot be read defines nothing.

    `cache` is the file of cached results (None for no cache). Raises ToolError when no worker can be started.
    """
    wanted = [f for f in sorted({f for f in files if f.endswith((".py", ".pyw"))} | set(lines)) if f in tree.files]
    asked = {path: sorted(set(lines.get(path, ()))) for path in wanted}
    store = StaticCache(cache)
    keys = {path: _key(tree, path, asked[path]) for path in wanted} if cache is not None else {}
    kept = store.get(list(keys.values()))
    found: dict[str, Any] = {path: kept[key] for path, key in keys.items() if key in kept}
    fresh = _in_workers(tree, {path: several for path, several in asked.items() if path not in found})
    store.put({keys[path]: value for path, value in fresh.items() if path in keys})
    found |= fresh
    definitions: list[Definition] = []
    places: dict[tuple[str, int], Place] = {}
    for path in (path for path in wanted if path in found):
        definitions += (Definition(path=path, **{**d, "grams": tuple(d["grams"])}) for d in found[path]["found"])
        for line, (scope, statement) in found[path]["places"].items():
            places[path, int(line)] = Place(scope=scope, statement=statement)
    imports = {path: tuple(found[path]["imports"]) for path in wanted if path in found}
    return Reading(definitions=tuple(definitions), places=places, imports=imports)


def _key(tree: Tree, path: str, lines: list[int]) -> str:
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    content = hashlib.sha256((tree.root / path).read_bytes()).hexdigest()
    return key_of("definitions", own, sys.version, content, repr(lines))


def _in_workers(tree: Tree, asked: Mapping[str, list[int]]) -> dict[str, Any]:
    """What the workers say of each file; nothing of one on which they failed."""
    jobs = [
        Job(
            id=path,
            call=f"{__name__}:definitions_in_worker",
            args={"root": str(tree.root), "path": path, "lines": several},
            cpu_s=_CPU_S,
        )
        for path, several in asked.items()
    ]
    if not jobs:
        return {}
    with scratch_folder("qualityscore-definitions-") as folder:
        lanes = deal(jobs, [1.0] * len(jobs), 2 if len(jobs) > 20 else 1)
        outcomes = run_jobs(lanes, scratch=folder, wall_s=_WALL_S, memory_bytes=_MEMORY_BYTES)
    return {path: outcome.value for path, outcome in outcomes.items() if isinstance(outcome, Done)}


def definitions_in_worker(root: str, path: str, lines: list[int]) -> dict[str, Any]:
    """What a worker is asked for, as plain data."""
    source = read_source(Path(root), path)
    tree = parse(source) if isinstance(source, SourceFile) else source
    if isinstance(tree, Unparsable):
        return {"found": [], "places": {}, "imports": []}
    found = [_describe(qualname, node) for qualname, node in _walk(tree, "")]
    found += [_constant(name, statement) for statement in tree.body for name in _bound(statement)]
    places = {str(line): _place(tree, line) for line in lines}
    return {"found": found, "places": places, "imports": sorted(set(_imported(tree)))}


class Likeness:
    """Definitions that can be asked how alike each is to another one, by the 3-grams that they share."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self.definitions = tuple(definitions)
        self._holders: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, definition in enumerate(self.definitions):
            for gram, count in Counter(definition.grams).items():
                self._holders[gram].append((number, count))

    def to(self, old: Definition) -> Iterator[tuple[float, Definition]]:
        """Each definition, in order, with Jaccard's index of the two multisets of 3-grams; 1 for two empty ones.

        All are compared at once: two by two, a branch that renames thousands would take hours.
        """
        shared: Counter[int] = Counter()
        for gram, count in Counter(old.grams).items():
            for number, other in self._holders.get(gram, ()):
                shared[number] += min(count, other)
        for number, definition in enumerate(self.definitions):
            union = len(old.grams) + len(definition.grams) - shared[number]
            yield shared[number] / union if union else 1.0, definition


def _walk(node: ast.AST, prefix: str) -> Iterator[tuple[str, _Scoped]]:
    """Functions, methods and classes with their qualified names; closures are part of what holds them."""
    stack: list[tuple[ast.AST, str]] = [(node, prefix)]
    while stack:
        current, name = stack.pop()
        for child in ast.iter_child_nodes(current):
            if isinstance(child, _Scoped):
                inner = f"{name}.{child.name}" if name else child.name
                yield inner, child
                if isinstance(child, ast.ClassDef):
                    stack.append((child, inner))
            elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                stack.append((child, name))


def _describe(qualname: str, node: _Scoped) -> dict[str, Any]:
    body = _without_docstring(node.body)
    tokens = list(_tokens(body, node.name))
    grams = [zlib.crc32("\0".join(tokens[i : i + 3]).encode("utf-8", "replace")) for i in range(len(tokens) - 2)]
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return {
        "qualname": qualname,
        "kind": "class" if isinstance(node, ast.ClassDef) else "function",
        "line": first,
        "end_line": node.end_lineno or node.lineno,
        "signature": "" if isinstance(node, ast.ClassDef) else ast.dump(node.args),
        "body": _digest(body),
        "grams": grams[:_MOST_GRAMS] or [zlib.crc32(token.encode("utf-8", "replace")) for token in tokens],
        "assertions": sum(_asserts(inner) for inner in ast.walk(ast.Module(body=body, type_ignores=[]))),
        "skips": any(_SKIPPING.search(ast.unparse(decorator)) for decorator in node.decorator_list),
    }


def _imported(tree: ast.Module) -> Iterator[str]:
    """The modules of absolute imports, wherever they stand."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The plain names that an assignment of a module binds."""
    match statement:
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            yield name


def _constant(name: str, statement: ast.stmt) -> dict[str, Any]:
    assert isinstance(statement, ast.Assign | ast.AnnAssign)
    value = ast.Expr(statement.value) if statement.value is not None else ast.Pass()
    return {
        "qualname": name,
        "kind": "constant",
        "line": statement.lineno,
        "end_line": statement.end_lineno or statement.lineno,
        "signature": "",
        "body": _digest([value]),
        "grams": [],
        "assertions": 0,
        "skips": False,
    }


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:]
    return body


def _digest(nodes: Iterable[ast.AST]) -> str:
    text = "\n".join(ast.dump(node) for node in nodes)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _tokens(body: list[ast.stmt], own: str) -> Iterator[str]:
    """A flat reading of a body: kinds of nodes, names and constants, in the order of the tree."""
    for statement in body:
        for node in ast.walk(statement):
            yield type(node).__name__
            match node:
                case ast.Name(id=name) | ast.arg(arg=name):
                    yield "<own>" if name == own else name
                case ast.Attribute(attr=name):
                    yield "<own>" if name == own else name
                case ast.Constant(value=value):
                    yield repr(value)[:80]


def _asserts(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return True
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return bool(_ASSERTING.match(name))
    return False


def _place(tree: ast.Module, line: int) -> tuple[str, str]:
    scope: list[str] = []
    node: ast.AST = tree
    statement: ast.stmt | None = None
    while True:
        inner = next((child for child in _statements(node) if _first(child) <= line <= (child.end_lineno or 0)), None)
        if inner is None:
            break
        node = inner
        if isinstance(inner, ast.stmt):
            statement = inner
        if isinstance(inner, _Scoped):
            scope.append(inner.name)
    return ".".join(scope), _head(statement) if statement is not None else ""


def _statements(node: ast.AST) -> Iterator[Any]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler):
            yield child
        elif isinstance(child, ast.match_case):
            yield from _statements(child)


def _first(node: ast.stmt | ast.ExceptHandler) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def _head(node: ast.stmt) -> str:
    """A digest of a statement; of a definition its kind and name, of a compound statement what stands in its head."""
    if isinstance(node, _Scoped):
        return f"{type(node).__name__} {node.name}"
    parts: list[ast.AST] = []
    for name, value in ast.iter_fields(node):
        if name in ("body", "orelse", "finalbody", "handlers", "cases"):
            continue
        parts += [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, ast.AST)]
    return f"{type(node).__name__} {_digest(parts)}"
