"""All files' facts together: which module an import means, and what a reference refers to."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from qualityscore.analysers.facts import Binding, Bound, ClassFact, FunctionFact, ImportFact, ModuleFact
from qualityscore.analysers.library import Library

_MODULE_SUFFIXES = (".py", ".pyw", ".pyi", ".pyx", ".so", ".pyd", ".c", ".cpp", ".rs")
STANDARD = frozenset(sys.stdlib_module_names)
_HOPS = 40  # re-exports followed before a chain counts as unknown


@dataclass(slots=True, eq=False)
class Module:
    """A module of the repository or a library: its dotted import name, and whether it has children (`package`)."""

    name: str
    fact: ModuleFact
    package: bool
    repository: bool
    classes: dict[str, ClassFact] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The file, relative to the repository for its own modules."""
        return self.fact.path


@dataclass(frozen=True, slots=True)
class ModuleEntity:
    """A reference to a module."""

    module: Module


@dataclass(frozen=True, slots=True)
class ClassEntity:
    """A reference to a class and the module that defines it."""

    module: Module
    fact: ClassFact


@dataclass(frozen=True, slots=True)
class FunctionEntity:
    """A reference to a function and the module that defines it."""

    module: Module
    fact: FunctionFact
    binding: Binding


@dataclass(frozen=True, slots=True)
class ValueEntity:
    """A reference to something else that a module binds."""

    module: Module
    binding: Binding


@dataclass(frozen=True, slots=True)
class UnknownEntity:
    """A reference that leads out of what can be read."""

    reason: str


Entity = ModuleEntity | ClassEntity | FunctionEntity | ValueEntity | UnknownEntity


class Project:
    """The modules of a repository, found by path, and the libraries behind them."""

    def __init__(
        self,
        facts: Iterable[ModuleFact],
        library: Library,
        import_roots: tuple[str, ...] = (),
        package: str = "",
        others: Iterable[str] = (),
    ) -> None:
        """`package` is the dotted name of the root folder where that is itself a package, `others` are paths of files
        that were not read (extension modules, stubs, tests): modules that exist all the same."""
        self.library = library
        self._package = package
        self.unreadable: tuple[ModuleFact, ...] = ()
        self.modules: dict[str, Module] = {}
        self._library_modules: dict[str, Module | None] = {}
        self._entities: dict[tuple[int, str], tuple[Entity, ...]] = {}
        facts = sorted(facts, key=lambda f: f.path)
        self.unreadable = tuple(f for f in facts if f.error is not None)
        paths = {f.path for f in facts}
        present = paths | set(others)
        self._folders = {folder for path in present for folder in _ancestors(path)}
        self._stems = {_stem(path) for path in present if path.endswith(_MODULE_SUFFIXES)}
        src = ("src",) if any(p.startswith("src/") for p in paths) else ()
        self._given = tuple(r for r in (*import_roots, *src) if r != ".")
        self._first = frozenset((*import_roots, ".", *src))
        self.roots = tuple(dict.fromkeys([*import_roots, ".", *src, *_package_parents(paths)]))
        for fact in facts:
            self.modules[fact.path] = Module(
                name=self._name(fact.path, paths),
                fact=fact,
                package=posixpath.basename(fact.path) == "__init__.py",
                repository=True,
                classes={c.qualname: c for c in fact.classes},
            )

    def __iter__(self) -> Iterator[Module]:
        return (m for m in self.modules.values() if m.fact.error is None)

    def _name(self, path: str, paths: set[str]) -> str:
        """The dotted name below the innermost given import root, else below the folder that holds the top package."""
        root = max((r for r in self._given if path.startswith(r + "/")), key=len, default="")
        if not root:
            root = posixpath.dirname(path)
            while root and posixpath.join(root, "__init__.py") in paths:
                root = posixpath.dirname(root)
            if root == posixpath.dirname(path):
                root = ""  # in no package: named from the repository's root
        relative = path[len(root) :].lstrip("/")
        parts = relative.removesuffix(".py").removesuffix(".pyw").split("/")
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        if not root and self._package:
            parts = [*self._package.split("."), *(parts if parts != ["__init__"] else ())]
        return ".".join(parts)

    # -- modules

    def in_repository(self, dotted: str, importer: Module | None = None) -> Module | None:
        """The repository's module of this absolute name, seen from the importer's folder too (scripts)."""
        if self._package:
            if dotted == self._package:
                return self.modules.get("__init__.py")
            dotted = dotted.removeprefix(f"{self._package}.")
        relative = dotted.replace(".", "/")
        roots = list(self.roots)
        if importer is not None and importer.repository:
            folder = posixpath.dirname(importer.path)
            if folder not in roots and posixpath.join(folder, "__init__.py") not in self.modules:
                roots.append(folder)
        if dotted.partition(".")[0] in STANDARD:
            # a package deep in the tree (a vendored backport) is no reason to doubt the standard library
            roots = [r for r in roots if r in self._first]
        for root in roots:
            base = relative if root in ("", ".") else f"{root}/{relative}"
            for candidate in (f"{base}/__init__.py", f"{base}.py"):
                if candidate in self.modules:
                    return self.modules[candidate]
        return None

    def is_folder(self, dotted: str) -> bool:
        """Whether a folder of the repository answers to this name (a namespace package)."""
        relative = dotted.replace(".", "/")
        return any((relative if r in ("", ".") else f"{r}/{relative}") in self._folders for r in self.roots)

    def has_folder(self, place: str) -> bool:
        """Whether the repository has such a folder with files in it."""
        return place in self._folders

    def has_file(self, place: str) -> bool:
        """Whether some file, read or not, is a module at this place (a path without suffix)."""
        return place in self._stems

    def made(self, dotted: str) -> bool:
        """Whether a file that was not read (an extension module, its source, a stub) answers to this absolute name."""
        if self._package:
            dotted = dotted.removeprefix(f"{self._package}.")
        relative = dotted.replace(".", "/")
        return any((relative if r in ("", ".") else f"{r}/{relative}") in self._stems for r in self.roots)

    def locate(self, dotted: str, importer: Module | None = None) -> Module | None:
        """The module of this absolute name: the repository's, else a library's."""
        found = self.in_repository(dotted, importer)
        return found if found is not None else self._library_module(dotted)

    def _library_module(self, dotted: str) -> Module | None:
        if dotted not in self._library_modules:
            fact = self.library.module(dotted)
            self._library_modules[dotted] = (
                None
                if fact is None
                else Module(
                    name=dotted,
                    fact=fact,
                    package=fact.path.endswith("__init__.py"),
                    repository=False,
                    classes={c.qualname: c for c in fact.classes},
                )
            )
        return self._library_modules[dotted]

    def is_local(self, module: Module, reference: str) -> bool:
        """Whether a reference may lead to something that the repository defines: its first name is bound here, or
        imported from a module of the repository. Cheaper than resolving what leads into libraries."""
        bindings = module.fact.bindings.get(reference.partition(".")[0])
        if not bindings:
            return any(i.name == "*" for i in module.fact.imports)
        for binding in bindings:
            imported = binding.imported
            if imported is None or imported.level:
                return True
            top = imported.module.partition(".")[0]
            if self.in_repository(top, module) is not None or self.is_folder(top):
                return True
        return False

    def absolute(self, imported: ImportFact, importer: Module) -> str | None:
        """The absolute name of the module that an import statement names; None for a relative import that leaves the
        repository."""
        if imported.level == 0:
            return imported.module
        parts = importer.name.split(".")
        if not importer.package:
            parts = parts[:-1]
        drop = imported.level - 1
        if drop > len(parts):
            return None
        parts = parts[: len(parts) - drop]
        return ".".join([*parts, *(imported.module.split(".") if imported.module else ())])

    def imported_module(self, imported: ImportFact, importer: Module) -> Module | None:
        """The module that an import statement names."""
        if imported.level and importer.repository:
            folder = posixpath.dirname(importer.path)
            for _ in range(imported.level - 1):
                folder = posixpath.dirname(folder)
            base = posixpath.normpath(posixpath.join(folder, imported.module.replace(".", "/")))
            for candidate in (posixpath.normpath(f"{base}/__init__.py"), f"{base}.py"):
                if candidate in self.modules:
                    return self.modules[candidate]
            return None
        name = self.absolute(imported, importer)
        return self.locate(name, importer) if name else None

    def submodule(self, package: Module, name: str) -> Module | None:
        """A direct child of a package."""
        if not package.package:
            return None
        if package.repository:
            folder = posixpath.dirname(package.path)
            base = posixpath.join(folder, name)
            return self.modules.get(f"{base}/__init__.py") or self.modules.get(f"{base}.py")
        return self._library_module(f"{package.name}.{name}")

    # -- references

    def resolve(
        self, module: Module, reference: str, around: tuple[dict[str, Binding], ...] = (), *, hops: int = 0
    ) -> tuple[Entity, ...]:
        """Everything that a dotted name may refer to, seen from a module; empty where nothing binds it."""
        first, _, rest = reference.partition(".")
        entities: tuple[Entity, ...] | None = None
        for names in around:
            if first in names:
                entities = self._of_binding(module, names[first], around, hops)
                break
        if entities is None:
            entities = self.named(module, first, hops=hops)
        if not entities:
            entities = self._builtin(first)
        for part in rest.split(".") if rest else ():
            entities = tuple(e for entity in entities for e in self.attribute(entity, part, hops=hops))
        return tuple(dict.fromkeys(entities))

    def _builtin(self, name: str) -> tuple[Entity, ...]:
        if name == "builtins":
            return ()
        module = self._library_module("builtins")
        return self.named(module, name) if module is not None and name in module.fact.bindings else ()

    def named(self, module: Module, name: str, *, hops: int = 0) -> tuple[Entity, ...]:
        """What a module's global name may be, through imports, aliases, star imports and lazy tables."""
        key = (id(module), name)
        if key in self._entities:
            return self._entities[key]
        if hops > _HOPS:
            return (UnknownEntity("a chain of re-exports without end"),)
        self._entities[key] = (UnknownEntity("it is defined by itself"),)
        found = self._named(module, name, hops + 1)
        self._entities[key] = found
        return found

    def _named(self, module: Module, name: str, hops: int) -> tuple[Entity, ...]:
        bindings = module.fact.bindings.get(name, ())
        real = [b for b in bindings if not b.typing_only] or list(bindings)
        if len(real) > 1 and not real[-1].conditional and real[-1].kind in (Bound.CLASS, Bound.FUNCTION):
            real = real[-1:]
        found = [e for b in real for e in self._of_binding(module, b, (), hops)]
        if not found:
            found.extend(self._starred(module, name, hops))
        if not found and name in module.fact.lazy:
            found.extend(self._lazily(module, name, hops))
        if not found:
            child = self.submodule(module, name)
            if child is not None:
                found.append(ModuleEntity(child))
        if not module.repository and (not found or all(isinstance(e, ValueEntity | UnknownEntity) for e in found)):
            fact = self.library.runtime_class(module.name, name)
            if fact is not None:
                return (ClassEntity(module, fact),)
        return tuple(dict.fromkeys(found))

    def _starred(self, module: Module, name: str, hops: int) -> Iterator[Entity]:
        for imported in module.fact.imports:
            if imported.name != "*" or imported.in_function:
                continue
            source = self.imported_module(imported, module)
            if source is None:
                yield UnknownEntity(f"it may come from the star import of {'.' * imported.level}{imported.module}")
            elif name in self.public_names(source):
                yield from self.named(source, name, hops=hops)

    def _lazily(self, module: Module, name: str, hops: int) -> Iterator[Entity]:
        source = module.fact.lazy[name]
        level = len(source) - len(source.lstrip("."))
        target, _, attribute = source.rpartition(":") if ":" in source else (source, "", name)
        fact = ImportFact(module=target.lstrip("."), level=level, name=attribute, bound=name, line=1, column=1)
        holder = self.imported_module(fact, module) if source.strip(".") or level else None
        if holder is None and source and not level:
            holder = self.submodule(module, target) or self.in_repository(f"{module.name}.{target}")
        if holder is not None:
            inner = self.named(holder, attribute, hops=hops) if holder is not module else ()
            yield from inner or (ModuleEntity(holder),)
            return
        child = self.submodule(module, name)
        yield ModuleEntity(child) if child is not None else UnknownEntity("its module serves names lazily")

    def public_names(self, module: Module, *, hops: int = 0) -> frozenset[str]:
        """What `from module import *` binds."""
        exports = module.fact.exports
        names: set[str] = set()
        if exports is not None and not exports.computed:
            names.update(name for name, _, _ in exports.names)
            for reference in exports.references if hops < _HOPS else ():
                for entity in self.resolve(module, reference):
                    if isinstance(entity, ModuleEntity):
                        names |= self.public_names(entity.module, hops=hops + 1)
            return frozenset(names)
        names.update(n for n in module.fact.bindings if not n.startswith("_"))
        if exports is not None:
            names.update(name for name, _, _ in exports.names)
        for imported in module.fact.imports:
            if imported.name == "*" and not imported.in_function and hops < _HOPS:
                source = self.imported_module(imported, module)
                if source is not None and source is not module:
                    names |= self.public_names(source, hops=hops + 1)
        return frozenset(names)

    def _of_binding(
        self, module: Module, binding: Binding, around: tuple[dict[str, Binding], ...], hops: int
    ) -> tuple[Entity, ...]:
        if binding.imported is not None:
            return self._imported(module, binding.imported, hops)
        if binding.class_name is not None:
            fact = module.classes.get(binding.class_name) or _by_place(module, binding)
            return (ClassEntity(module, fact),) if fact is not None else (UnknownEntity("a class built elsewhere"),)
        if binding.function is not None:
            return (FunctionEntity(module, binding.function, binding),)
        if binding.alias is not None and binding.alias != binding.name and hops < _HOPS:
            found = self.resolve(module, binding.alias, around, hops=hops + 1)
            if any(isinstance(e, ClassEntity | FunctionEntity | ModuleEntity) for e in found):
                return found
        return (ValueEntity(module, binding),)

    def _imported(self, module: Module, imported: ImportFact, hops: int) -> tuple[Entity, ...]:
        if imported.name is None:
            top = imported.module.partition(".")[0]
            name = top if imported.bound == top else imported.module
            found = self.locate(name, module)
            if found is None:
                return (UnknownEntity(f"module {name} cannot be read"),)
            return (ModuleEntity(found),)
        source = self.imported_module(imported, module)
        label = f"{'.' * imported.level}{imported.module}"
        if source is None:
            inner = ImportFact(
                module=f"{imported.module}.{imported.name}" if imported.module else imported.name,
                level=imported.level,
                name=None,
                bound=imported.bound,
                line=1,
                column=1,
            )
            child = self.imported_module(inner, module)
            return (ModuleEntity(child),) if child is not None else (UnknownEntity(f"module {label} cannot be read"),)
        entities = self.named(source, imported.name, hops=hops) if source is not module else ()
        if not entities:
            child = self.submodule(source, imported.name)
            if child is not None:
                return (ModuleEntity(child),)
            if source.fact.dynamic or source.fact.error:
                return (UnknownEntity(f"module {label} makes its names at run time"),)
        return entities or (UnknownEntity(f"module {label} does not bind {imported.name}"),)

    def attribute(self, entity: Entity, name: str, *, hops: int = 0) -> tuple[Entity, ...]:
        """What `entity.name` may be, for modules and for names bound in a class body."""
        match entity:
            case ModuleEntity(module):
                found = self.named(module, name, hops=hops)
                if not found:
                    child = self.submodule(module, name)
                    found = (ModuleEntity(child),) if child is not None else ()
                return found or (UnknownEntity(f"module {module.name} does not bind {name}"),)
            case ClassEntity(module, fact):
                members = fact.members.get(name, ())
                return tuple(e for b in members for e in self._of_binding(module, b, fact.locals, hops))
            case _:
                return (UnknownEntity(f"attribute {name} of a value"),)


def _by_place(module: Module, binding: Binding) -> ClassFact | None:
    for fact in module.fact.classes:
        if fact.line == binding.line and fact.name == binding.name:
            return fact
    return None


def _stem(path: str) -> str:
    folder, name = posixpath.split(path)
    return posixpath.join(folder, name.partition(".")[0])


def _ancestors(path: str) -> Iterator[str]:
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)


def _package_parents(paths: set[str]) -> list[str]:
    """The folders that hold top-level packages: absolute imports start there."""
    parents: list[str] = []
    for path in sorted(paths):
        if posixpath.basename(path) == "__init__.py" and posixpath.dirname(path):
            parent = posixpath.dirname(posixpath.dirname(path))
            if not parent or f"{parent}/__init__.py" not in paths:
                parents.append(parent or ".")
    return parents
