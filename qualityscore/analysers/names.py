"""Names and imports that a repository's other files decide: star imports, modules that exist, names that they bind."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from qualityscore.analysers.facts import ImportFact, Use
from qualityscore.analysers.project import STANDARD, Module, Project, UnknownEntity

_MADE_AT_BUILD = re.compile(r"^_?_?version_?_?$|^_version.*|^_build.*|_pb2(_grpc)?$")
_AROUND = "it lies outside of what was given"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnboundName:
    """A use of a name that no scope binds, `reason` where that may be somebody else's doing."""

    module: Module
    use: Use
    reason: str | None = None


def unbound_names(project: Project) -> Iterator[UnboundName]:
    """Every unbound use of every file; those that other files explain are dropped, doubtful ones carry a reason."""
    for module in project:
        if not module.fact.unbound:
            continue
        starred, doubt = star_names(project, module)
        for use in module.fact.unbound:
            reason = None
            if use.why == "unbound":
                if use.name in starred:
                    continue
                reason = module.fact.dynamic if module.fact.dynamic != "it defines __getattr__" else None
                reason = reason or doubt
            yield UnboundName(module=module, use=use, reason=reason)


def star_names(project: Project, module: Module) -> tuple[frozenset[str], str | None]:
    """What the star imports of a module bind, and why that may be incomplete."""
    names: set[str] = set()
    doubt: str | None = None
    for imported in module.fact.imports:
        if imported.name != "*":
            continue
        label = f"{'.' * imported.level}{imported.module}"
        source = project.imported_module(imported, module)
        if source is None:
            doubt = f"it has a star import of {label}, which cannot be read"
            continue
        names |= project.public_names(source)
        exports = source.fact.exports
        if source.fact.dynamic or (exports is not None and exports.computed) or source.fact.error:
            doubt = f"it has a star import of {label}, which makes its names at run time"
        elif source.repository and source is not module:
            inner, inner_doubt = star_names(project, source) if not _imports(source, module) else (frozenset(), None)
            if exports is None:
                names |= {n for n in inner if not n.startswith("_")}
            doubt = doubt or inner_doubt
    return frozenset(names), doubt


def _imports(source: Module, module: Module) -> bool:
    """Whether a module has a star import that leads back; such a circle is not followed."""
    return any(i.name == "*" and i.module.endswith(module.name.rpartition(".")[2]) for i in source.fact.imports)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportJudgement:
    """One import statement's module: `missing` says what is missing, `reason` why it was not judged."""

    module: Module
    imported: ImportFact
    missing: str | None = None
    reason: str | None = None


def judge_imports(project: Project) -> Iterator[ImportJudgement]:
    """Whether the modules that import statements name exist in the repository, in the standard library or installed."""
    for module in project:
        for imported in module.fact.imports:
            missing, reason = _judge(project, module, imported)
            yield ImportJudgement(module=module, imported=imported, missing=missing, reason=reason)


def _judge(project: Project, module: Module, imported: ImportFact) -> tuple[str | None, str | None]:
    if imported.guarded or imported.typing_only:
        return None, "its failure is expected"
    if imported.level:
        return _judge_relative(project, module, imported)
    dotted = imported.module
    top = dotted.partition(".")[0]
    if project.in_repository(dotted, module) is not None or project.is_folder(dotted) or project.made(dotted):
        return None, None
    home = project.in_repository(top, module)
    if project.library.exists(dotted):
        return None, None
    if project.library.lies_around(dotted):
        return None, _AROUND
    if home is not None and home.package:
        # a package of the repository: nobody else can provide its modules
        if "__path__" in home.fact.bindings or _MADE_AT_BUILD.match(dotted.rpartition(".")[2]):
            return None, "its package may find modules elsewhere"
        return dotted, None
    if top not in STANDARD and project.library.doubt is not None:
        return None, project.library.doubt
    return dotted, None


def _judge_relative(project: Project, module: Module, imported: ImportFact) -> tuple[str | None, str | None]:
    if project.imported_module(imported, module) is not None:
        return None, None
    absolute = project.absolute(imported, module)
    if absolute and project.library.lies_around(absolute):
        return None, _AROUND
    folder = posixpath.dirname(module.path)
    for _ in range(imported.level - 1):
        if not folder:
            return None, "it leaves the repository"
        folder = posixpath.dirname(folder)
    place = posixpath.normpath(posixpath.join(folder, imported.module.replace(".", "/")))
    if place == "." or project.has_folder(place) or project.has_file(place):
        return None, None
    if _MADE_AT_BUILD.match(posixpath.basename(place)):
        return None, "it may be made by the build"
    return f"{'.' * imported.level}{imported.module}", None


def missing_from(project: Project, module: Module, imported: ImportFact) -> str | None:
    """The repository's module that a `from` import takes a name from which it does not bind, or None."""
    if imported.name in (None, "*") or imported.guarded or imported.typing_only:
        return None
    if imported.level:
        source = project.imported_module(imported, module)
    else:
        source = project.in_repository(imported.module, module)
    if source is None or source.fact.error or source is module:
        return None
    assert imported.name is not None
    if source.fact.dynamic or imported.name in source.fact.bindings or imported.name in _MODULE_ATTRIBUTES:
        return None
    if source.package:
        place = posixpath.join(posixpath.dirname(source.path), imported.name)
        if project.has_file(place) or project.has_folder(place) or "__path__" in source.fact.bindings:
            return None
    starred, doubt = star_names(project, source)
    if imported.name in starred or doubt is not None:
        return None
    if any(imported.name in s for s in _assigned_from_outside(project, source)):
        return None
    found = project.named(source, imported.name)
    return source.name if not found or all(isinstance(e, UnknownEntity) for e in found) else None


_MODULE_ATTRIBUTES = frozenset({"__name__", "__file__", "__doc__", "__path__", "__dict__", "__spec__", "__loader__"})


def _assigned_from_outside(project: Project, source: Module) -> Iterator[frozenset[str]]:
    """Names that functions of the module make global, and names that other code assigns on the module."""
    yield source.fact.globals_made
    last = source.name.rpartition(".")[2]
    for module in project:
        names = {w.name for w in module.fact.foreign_writes if w.name and (w.type or "").rpartition(".")[2] == last}
        if names:
            yield frozenset(names)


def tally(judgements: Iterator[ImportJudgement]) -> tuple[int, Counter[str]]:
    """How many imports were judged, and why the others were not."""
    judged = 0
    unjudged: Counter[str] = Counter()
    for judgement in judgements:
        if judgement.reason is None:
            judged += 1
        else:
            unjudged[judgement.reason] += 1
    return judged, unjudged
