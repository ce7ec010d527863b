"""The public names of a package with their signatures, and how much of a task's surface they cover; read statically."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qualityscore.analysers.constructors import constructor_of
from qualityscore.analysers.facts import Binding, FunctionFact
from qualityscore.analysers.functions import keeps_signature
from qualityscore.analysers.gather import gather
from qualityscore.analysers.library import Library
from qualityscore.analysers.lineage import Class, Classes
from qualityscore.analysers.project import (
    ClassEntity,
    Entity,
    FunctionEntity,
    Module,
    ModuleEntity,
    Project,
    UnknownEntity,
    ValueEntity,
)
from qualityscore.analysers.public import EntryKind, PublicName, PublicSurface, misfit_of
from qualityscore.languages.python_production import production_files, scan_tree
from qualityscore.model.report import SurfaceCoverage
from qualityscore.model.task import Surface, SurfaceEntry
from qualityscore.runtime.target import Tree


def surface_of(root: Path, import_roots: tuple[str, ...], names: tuple[str, ...]) -> PublicSurface:
    """The public surface of the import names (`cachetools`, `cachetools.keys`) of a repository.

    With no names: of every public module of its production code. Nothing is executed.
    """
    tree = Tree(root=root, import_roots=import_roots, files=tuple(scan_tree(root).files), digest="")
    project = Project(gather(root, surface_files(root, tree.files)), Library(), import_roots)
    return surface_in(project, names, production=frozenset(production_files(tree).files))


def surface_files(root: Path, files: tuple[str, ...]) -> tuple[str, ...]:
    """The files among `files` that a surface is read from."""
    tree = Tree(root=root, import_roots=(), files=files, digest="")
    production = production_files(tree)
    # a package called `tests` or `docs` may be the surface itself: everything importable is read
    return tuple(sorted({*production.files, *(f for f, reason in production.left_out if reason != "build output")}))


def surface_in(
    project: Project, names: tuple[str, ...] = (), *, production: frozenset[str] | None = None
) -> PublicSurface:
    """Like `surface_of`, over facts that were gathered before.

    With no names: of every public module among the `production` files, or of all files where that is None.
    """
    reader = _Reader(project)
    found: dict[str, PublicName] = {}
    unknown: dict[str, str] = {}
    missing: list[str] = []
    seen: set[str] = set()
    for name in names or _public_modules(project, production):
        module = project.in_repository(name)
        if module is None:
            missing.append(name)
            continue
        for public in sorted(reader.public(module)):
            entries = reader.entries(module, public, f"{name}.{public}")
            if isinstance(entries, str):
                unknown[f"{name}.{public}"] = entries
                continue
            if entries and not names and entries[0].origin in seen:
                continue  # the shorter import name has it already
            for entry in entries:
                found.setdefault(entry.name, entry)
            seen.update(e.origin for e in entries[:1])
    return PublicSurface(
        names=tuple(found[n] for n in sorted(found)),
        unknown=tuple(sorted(unknown.items())),
        missing_modules=tuple(missing),
    )


def _public_modules(project: Project, production: frozenset[str] | None) -> list[str]:
    names = {m.name for m in project if production is None or m.path in production}
    public = [n for n in names if n and not any(part.startswith("_") for part in n.split("."))]
    return sorted(public, key=lambda n: (n.count("."), n))


class _Reader:
    """Turns what a module binds into public names."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.classes = Classes(project)

    def public(self, module: Module) -> frozenset[str]:
        """The public names of a module: its `__all__`; else what it defines, and what a package takes from itself."""
        exports = module.fact.exports
        if exports is not None and not exports.computed:
            return self.project.public_names(module)
        names = {name for name, _, _ in exports.names} if exports is not None else set()
        for name, bindings in module.fact.bindings.items():
            if not name.startswith("_") and any(self._is_own(module, b) for b in bindings if not b.typing_only):
                names.add(name)
        for name in module.fact.lazy:
            if not name.startswith("_"):
                names.add(name)
        if module.package:
            for imported in module.fact.imports:
                if imported.name == "*" and not imported.in_function:
                    source = self.project.imported_module(imported, module)
                    if source is not None and source.repository:
                        names |= self.project.public_names(source)
        return frozenset(names)

    def _is_own(self, module: Module, binding: Binding) -> bool:
        imported = binding.imported
        if imported is None:
            return True
        if imported.name is None or imported.module == "__future__":
            return False
        if imported.name == imported.bound and not module.package:
            # PEP 484: `import x as x` exports, a plain import in a module does not
            return False
        source = self.project.imported_module(imported, module)
        if source is not None and source.repository:
            return self.project.submodule(source, imported.name) is None or imported.name in source.fact.bindings
        return False

    def entries(self, module: Module, name: str, label: str) -> list[PublicName] | str:
        """The public name with its methods; the reason where nothing can be said about it."""
        entities = self.project.named(module, name)
        known = [e for e in entities if not isinstance(e, UnknownEntity)]
        if not known:
            reasons = [e.reason for e in entities if isinstance(e, UnknownEntity)]
            return reasons[0] if reasons else "nothing binds it"
        if isinstance(known[0], ModuleEntity):
            return []
        bindings = module.fact.bindings.get(name, ())
        conditional = bool(bindings) and all(b.conditional for b in bindings)
        best = next((e for e in known if self.stub_of(e) is None), known[0])
        return list(self._describe(best, label, conditional))

    def stub_of(self, entity: Entity) -> str | None:
        """Why the thing is a stub, or None."""
        match entity:
            case FunctionEntity(_, fact):
                return fact.stub
            case ClassEntity(module, fact):
                return self._class_stub(self.classes.of(module, fact))
            case _:
                return None

    def _class_stub(self, one: Class) -> str | None:
        own = [c for c in one.mro if c.module.repository]
        if one.open or len(own) < len(one.mro) - 1 or any(c.fact.slots or c.fact.base_fields for c in own):
            return None
        methods = [m for c in own for m in c.fact.methods]
        if any(m.function.stub is None for m in methods):
            return None
        if methods:
            return "all of its methods are stubs"
        members = [n for c in own for n in c.fact.members if not n.startswith("__")]
        return None if members else "has no body"

    def _describe(self, entity: Entity, label: str, conditional: bool) -> Iterator[PublicName]:
        match entity:
            case FunctionEntity(module, fact):
                yield self._function(label, "function", module, fact, conditional=conditional)
            case ClassEntity(module, fact):
                one = self.classes.of(module, fact)
                yield PublicName(
                    name=label,
                    kind="exception" if is_exception(one) else "class",
                    signature=constructor_of(one),
                    documented=fact.documented,
                    summary=fact.summary,
                    stub=self._class_stub(one),
                    conditional=conditional,
                    origin=f"{module.name}:{fact.qualname}",
                    path=module.path,
                    line=fact.line,
                    column=fact.column,
                )
                yield from self._methods(one, label)
            case ValueEntity(module, binding):
                yield PublicName(
                    name=label, kind="constant", signature=None, documented=False, summary="", stub=None,
                    conditional=conditional, origin=f"{module.name}:{binding.name}",
                    path=module.path, line=binding.line, column=binding.column,
                )  # fmt: skip
            case _:
                return

    def _methods(self, one: Class, label: str) -> Iterator[PublicName]:
        """Public methods: its own, and those that only private classes of the repository give it."""
        done: set[str] = set()
        for owner in one.mro:
            if not owner.module.repository:
                continue
            if owner is not one and not owner.fact.name.startswith("_"):
                done.update(m.function.name for m in owner.fact.methods)
                continue
            for method in owner.fact.methods:
                name = method.function.name
                if name.startswith("_") or name in done:
                    continue
                done.add(name)
                yield self._function(
                    f"{label}.{name}", "method", owner.module, method.function, is_property=method.kind == "property"
                )

    def _function(
        self,
        label: str,
        kind: EntryKind,
        module: Module,
        fact: FunctionFact,
        *,
        conditional: bool = False,
        is_property: bool = False,
    ) -> PublicName:
        signature = None if is_property or not keeps_signature(fact.decorators) else fact.signature
        if signature is not None and "classmethod" in fact.decorators:
            signature = signature.bound()
        return PublicName(
            name=label,
            kind=kind,
            signature=signature,
            documented=fact.documented,
            summary=fact.summary,
            stub=fact.stub,
            conditional=conditional,
            origin=f"{module.name}:{fact.qualname}",
            path=module.path,
            line=fact.line,
            column=fact.column,
        )


def is_exception(one: Class) -> bool:
    """Whether a class derives from BaseException."""
    return any(not c.module.repository and c.fact.name in ("BaseException", "Exception") for c in one.mro)


def coverage(surface: Surface, tree: Tree) -> SurfaceCoverage:
    """How much of a task's surface a tree defines, read statically (scoring.md section 4: diagnosis, not a score).

    Every entry is in exactly one of the four groups, in this order: missing, stub (never one that is bodiless in the
    reference), incompatible, defined. A name that may come from outside the repository counts as defined.
    """
    files = surface_files(tree.root, tree.files)
    project = Project(gather(tree.root, files), Library(), tree.import_roots)
    return coverage_in(surface, project)


def coverage_in(surface: Surface, project: Project) -> SurfaceCoverage:
    """Like `coverage`, over facts that were gathered before."""
    reader = _Reader(project)
    missing: list[str] = []
    stubs: list[str] = []
    incompatible: list[str] = []
    for entry in surface.entries:
        candidates = list(_find(reader, entry.name))
        if not candidates:
            missing.append(entry.name)
            continue
        bodies = [c for c in candidates if isinstance(c, UnknownEntity) or _stub(reader, c) is None]
        if not bodies and not entry.bodiless:
            stubs.append(entry.name)
            continue
        described = [d for c in candidates if not isinstance(c, UnknownEntity) for d in _described(reader, c, entry)]
        if described and len(described) == len(candidates) and all(misfit_of(entry, d) is not None for d in described):
            incompatible.append(entry.name)
    return SurfaceCoverage(
        entries=len(surface.entries),
        defined=len(surface.entries) - len(missing) - len(stubs) - len(incompatible),
        stub=len(stubs),
        missing=tuple(missing),
        incompatible=tuple(incompatible),
        stubs=tuple(stubs),
    )


@dataclass(frozen=True, slots=True)
class _Member:
    """A name found in a class."""

    owner: Class
    function: FunctionFact | None
    kind: str


def _find(reader: _Reader, name: str) -> Iterator[Entity | _Member]:
    """What a surface name means in the repository, one answer per alternative definition."""
    parts = name.split(".")
    for split in range(len(parts) - 1, 0, -1):
        module = reader.project.in_repository(".".join(parts[:split]))
        if module is None:
            continue
        found: list[Entity | _Member] = []
        for entity in reader.project.named(module, parts[split]):
            found.extend(_descend(reader, entity, parts[split + 1 :]))
        dynamic = module.fact.dynamic and not module.fact.dynamic.endswith("__getattr__")
        if not found and dynamic and parts[split] not in module.fact.bindings:
            found.append(UnknownEntity(module.fact.dynamic or ""))
        # what the repository says nothing about is not defined by it
        yield from (e for e in found if not (isinstance(e, UnknownEntity) and "does not bind" in e.reason))
        return


def _descend(reader: _Reader, entity: Entity, rest: list[str]) -> Iterator[Entity | _Member]:
    if not rest or isinstance(entity, UnknownEntity):
        yield entity
        return
    if isinstance(entity, ClassEntity):
        one = reader.classes.of(entity.module, entity.fact)
        if len(rest) > 1:
            for inner in reader.project.attribute(entity, rest[0]):
                yield from _descend(reader, inner, rest[1:])
            return
        method = next(one.find(rest[0]), None)
        if method is not None:
            yield _Member(method[0], method[1].function, method[1].kind)
        elif rest[0] in one.attributes:
            yield _Member(one, None, "attribute")
        elif one.open is not None:
            yield UnknownEntity(one.open)
        return
    if isinstance(entity, ModuleEntity):
        for inner in reader.project.attribute(entity, rest[0]):
            yield from _descend(reader, inner, rest[1:])
        return
    yield UnknownEntity("an attribute of a value")


def _stub(reader: _Reader, found: Entity | _Member) -> str | None:
    if isinstance(found, _Member):
        own = found.function is not None and found.owner.module.repository
        return found.function.stub if own and found.function is not None else None
    return reader.stub_of(found)


def _described(reader: _Reader, found: Entity | _Member, entry: SurfaceEntry) -> Iterator[PublicName]:
    if isinstance(found, _Member):
        if found.function is None:
            return
        described = reader._function(
            entry.name, "method", found.owner.module, found.function, is_property=found.kind == "property"
        )
        yield described
        return
    yield from list(reader._describe(found, entry.name, False))[:1]
