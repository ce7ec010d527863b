"""Which modules of a repository import which, read from syntax trees: for cache keys and for import cycles.

Nothing is executed: a name resolves to a file of the repository or it does not.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from qualityscore.languages.python_source import SOURCE_SUFFIXES


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One import statement, or one name of it.

    `module` is the dotted text (empty in `from . import x`), `level` the number of leading dots, `name` what a `from`
    import takes (`*` for all, None in a plain `import`). `typing_only` says that it stands under `if TYPE_CHECKING:`.
    """

    module: str
    name: str | None
    level: int
    line: int
    typing_only: bool = False


def imports_of(tree: ast.Module) -> tuple[Import, ...]:
    """All imports of a module, those inside functions too, in source order."""
    found: list[Import] = []
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, typing_only = stack.pop()
        match node:
            case ast.Import(names=names, lineno=line):
                found += (Import(module=n.name, name=None, level=0, line=line, typing_only=typing_only) for n in names)
            case ast.ImportFrom(module=module, names=names, level=level, lineno=line):
                found += (
                    Import(module=module or "", name=n.name, level=level, line=line, typing_only=typing_only)
                    for n in names
                )
            case ast.If(test=test, body=body, orelse=orelse) if _is_type_checking(test):
                stack.extend((child, True) for child in body)
                stack.extend((child, typing_only) for child in orelse)
            case ast.expr():
                pass
            case _:
                stack.extend((child, typing_only) for child in ast.iter_child_nodes(node))
    return tuple(sorted(found, key=lambda found_import: found_import.line))


def _is_type_checking(test: ast.expr) -> bool:
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
        case _:
            return False


def module_name(path: str, roots: Sequence[str]) -> str:
    """The dotted name of a file, below the deepest import root that holds it; `pkg/__init__.py` is `pkg`."""
    holding = [root for root in roots if root == "." or path.startswith(root + "/")]
    root = max(holding, key=lambda root: 0 if root == "." else len(root), default=".")
    return _dotted(path if root == "." else path[len(root) + 1 :])


def _dotted(path: str) -> str:
    for suffix in SOURCE_SUFFIXES:
        path = path.removesuffix(suffix)
    parts = path.split("/")
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Modules:
    """The importable modules of a repository: every name under every import root, the first root first."""

    roots: tuple[str, ...]
    paths: Mapping[str, str]

    @classmethod
    def of(cls, files: Iterable[str], roots: Sequence[str]) -> Modules:
        """Name the files."""
        paths: dict[str, str] = {}
        ordered = sorted(files)
        for root in roots:
            prefix = "" if root == "." else root + "/"
            for path in ordered:
                if path.startswith(prefix):
                    paths.setdefault(_dotted(path[len(prefix) :]), path)
        return cls(roots=tuple(roots), paths=paths)

    def targets(self, importer: str, imported: Import) -> tuple[str, ...]:
        """The files that an import in file `importer` reaches: its module first, then the packages above it."""
        base = imported.module
        if imported.level:
            package = module_name(importer, self.roots).split(".")
            if not importer.endswith("/__init__.py"):
                package.pop()
            if imported.level > 1:
                package = package[: -(imported.level - 1)]
            base = ".".join([*package, *filter(None, [imported.module])])
        full = f"{base}.{imported.name}" if imported.name not in (None, "*") else base
        parts = full.split(".")
        prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        return tuple(self.paths[name] for name in prefixes if name in self.paths)


def strongly_connected(edges: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, ...]]:
    """Components of a directed graph, sinks first, each sorted (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    for start in sorted(edges):
        if start in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [(start, iter(sorted(edges[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(sorted(edges.get(successor, ())))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    yield tuple(sorted(component))


def short_cycle(
    edges: Mapping[str, Iterable[str]], component: Iterable[str], *, budget: int = 500_000
) -> tuple[str, ...]:
    """A shortest cycle through the first nodes (in sorted order) of a component of more than one node.

    Once `budget` edges were followed no further node is tried: in small components the cycle is the shortest of all.
    """
    members = set(component)
    best: tuple[str, ...] = ()
    for start in sorted(members):
        if best and (budget <= 0 or len(best) == 2):
            break
        parents: dict[str, str] = {}
        queue = deque([start])
        while queue and start not in parents:
            node = queue.popleft()
            successors = sorted(members.intersection(edges.get(node, ())))
            budget -= 1 + len(successors)
            for successor in successors:
                if successor not in parents:
                    parents[successor] = node
                    queue.append(successor)
        if start in parents:
            cycle = [parents[start]]
            while cycle[-1] != start:
                cycle.append(parents[cycle[-1]])
            if not best or len(cycle) < len(best):
                best = tuple(reversed(cycle))
    return best
