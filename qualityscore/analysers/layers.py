"""How deep a class's methods and a package's modules build on each other.

The layers of a class are the `Dep` figure of ClassEval-Pro's table 3: the longest chain of calls through the receiver,
counted in methods after condensing cycles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from qualityscore.analysers.facts import ClassFact, ImportFact
from qualityscore.analysers.graphs import bottom_up, components, layers, shortest_cycle
from qualityscore.analysers.project import Module, Project


@dataclass(frozen=True, slots=True, kw_only=True)
class StateEdge:
    """One method reads an attribute that another assigns."""

    reader: str
    writer: str
    attribute: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassLayers:
    """One class. `calls` leads from a method to the methods that it calls through the receiver."""

    path: str
    name: str
    line: int
    layers: int
    methods: int
    loc: int
    calls: dict[str, tuple[str, ...]]
    bottom_up: tuple[str, ...]
    state: tuple[StateEdge, ...]

    @property
    def top_down(self) -> tuple[str, ...]:
        """Callers before what they call."""
        return tuple(reversed(self.bottom_up))


def class_layers(path: str, fact: ClassFact) -> ClassLayers:
    """Measure one class. Definitions of one name (a property and its setter, overloads) are one method."""
    calls: dict[str, dict[str, None]] = {m.function.name: {} for m in fact.methods}
    for method in fact.methods:
        for read in method.reads:
            if read.call is not None and read.name in calls:
                calls[method.function.name][read.name] = None
    graph = {name: tuple(called) for name, called in calls.items()}
    return ClassLayers(
        path=path,
        name=fact.qualname,
        line=fact.line,
        layers=max(layers(graph).values(), default=1),
        methods=len(graph),
        loc=fact.loc,
        calls=graph,
        bottom_up=bottom_up(graph),
        state=_state(fact),
    )


def _state(fact: ClassFact) -> tuple[StateEdge, ...]:
    writers: dict[str, dict[str, None]] = {}
    for method in fact.methods:
        for write in method.writes:
            if not write.companion:
                writers.setdefault(write.name, {})[method.function.name] = None
    edges: dict[StateEdge, None] = {}
    for method in fact.methods:
        for read in method.reads:
            for writer in writers.get(read.name, ()):
                if writer != method.function.name:
                    edges[StateEdge(reader=method.function.name, writer=writer, attribute=read.name)] = None
    return tuple(edges)


class ImportGraph:
    """Which module of the repository imports which when it is itself imported.

    Imports inside functions and under TYPE_CHECKING are left out: they make no cycle at import time. A package counts
    as imported where one of its own names is; where a name is a submodule, the submodule is.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self.places: dict[tuple[str, str], tuple[Module, ImportFact]] = {}
        edges: dict[str, dict[str, None]] = {}
        self.modules: dict[str, Module] = {}
        for module in sorted(project, key=lambda m: m.name):
            self.modules.setdefault(module.name, module)
            targets = edges.setdefault(module.name, {})
            for imported in module.fact.imports:
                if imported.in_function or imported.typing_only:
                    continue
                for target in self._targets(module, imported):
                    if target is not module:
                        targets[target.name] = None
                        self.places.setdefault((module.name, target.name), (module, imported))
        self.edges: dict[str, tuple[str, ...]] = {name: tuple(targets) for name, targets in edges.items()}

    def _targets(self, module: Module, imported: ImportFact) -> list[Module]:
        if imported.name is None:
            found = self._project.in_repository(imported.module, module)
            return [found] if found is not None else []
        if imported.level:
            source = self._project.imported_module(imported, module)
        else:
            source = self._project.in_repository(imported.module, module)
        if source is None:
            child = (
                self._project.in_repository(f"{imported.module}.{imported.name}", module)
                if not imported.level
                else None
            )
            return [child] if child is not None else []
        child = self._project.submodule(source, imported.name)
        if child is not None and imported.name not in _own_names(source, child):
            return [child]
        return [source]

    @cached_property
    def layers(self) -> dict[str, int]:
        """Per module the longest chain of imports that starts at it, cycles condensed."""
        return layers(self.edges)

    @cached_property
    def fan_in(self) -> dict[str, int]:
        """Per module how many modules import it."""
        counts = dict.fromkeys(self.edges, 0)
        for targets in self.edges.values():
            for target in targets:
                counts[target] += 1
        return counts

    @cached_property
    def cycles(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Each group of modules that import each other, with a shortest cycle in it."""
        found = []
        for component in components(self.edges):
            cycle = shortest_cycle(self.edges, component) if len(component) > 1 else ()
            if cycle:
                found.append((tuple(sorted(component)), cycle))
        return tuple(sorted(found))


def _own_names(package: Module, child: Module) -> set[str]:
    """Names that a package binds to something else than the submodule of that name."""
    return {
        name
        for name, bindings in package.fact.bindings.items()
        if any(b.imported is None or b.imported.bound != child.name.rpartition(".")[2] for b in bindings)
    }
