"""Drafting a task from a release on the package index: `qualityscore tasks new`."""

from __future__ import annotations

import keyword
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import Specifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from qualityscore.analysers.gather import gather
from qualityscore.analysers.library import Library
from qualityscore.analysers.project import Project
from qualityscore.analysers.public import PublicSurface, propose
from qualityscore.analysers.surface import surface_files, surface_in
from qualityscore.branch.project import read_project
from qualityscore.errors import OutputError, ReleaseError, SandboxUnavailableError, UsageError
from qualityscore.languages.python_dependencies import normalised
from qualityscore.languages.python_layout import import_roots
from qualityscore.languages.python_metadata import ReleaseMetadata, read_metadata
from qualityscore.languages.python_production import production_files, scan_tree
from qualityscore.model.outcome import ModuleState
from qualityscore.model.task import Surface
from qualityscore.runtime import environment, reference, tasks
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.target import Tree
from qualityscore.snapshots import reference_target
from qualityscore.suites import drafts
from qualityscore.suites.executability import ImportTrial
from qualityscore.suites.unfinished import Unfinished, marked_parts

LEAST_PYTHON = Version("3.11")
_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """A task that was drafted: its folder, and what is left to write there."""

    folder: Path
    release: drafts.Release
    unfinished: tuple[Unfinished, ...]


def draft(
    requirement: str, into: Path | None, *, imports: tuple[str, ...] = (), unsafe: bool, say: Callable[[str], None]
) -> Drafted:
    """Draft a task of the release `NAME==VERSION` in a new folder: `into`, else one named after the release.

    The surface is that of the modules `imports`, where some are named, else of all public ones.

    The release is read, never built; its modules are imported in the sandbox only. The folder appears whole or not at
    all. Raises UsageError and ReleaseError for a release that no task can be made of, OutputError for a folder that
    cannot be made, and HarnessError where the index, the lock or the environment fails.
    """
    distribution, version = _pinned(requirement)
    task_id = normalised(distribution)
    folder = into or Path(task_id)
    reference.check_place(folder)
    if not folder.absolute().parent.is_dir():
        raise OutputError(f"The folder {folder.parent} of the new task {folder} does not exist; make it first.")
    say(f"fetching the source release of {distribution} {version}")
    digest, source = reference.fetch_release(distribution, version, cache_root())
    say(f"sha256 {digest}")
    files = tuple(scan_tree(source).files)
    metadata = read_metadata(source, files)
    python = _python_range(metadata, f"{distribution} {version}")
    imports, surface = _surface(source, files, metadata, imports, f"{distribution} {version}")
    release = drafts.Release(
        task_id=task_id,
        distribution=distribution,
        version=version,
        sdist_sha256=digest,
        summary=metadata.summary,
        python=python,
        imports=imports,
        surface=surface,
        requires=metadata.requires,
    )
    say(f"{len(surface.entries)} public names in {len(imports)} modules; pinning the environment")
    lock = environment.compile_lock(drafts.requirements(release), _least_minor(python))
    if "://" in lock:
        raise ReleaseError(
            f"{distribution} {version} needs a package by its address, which a lock must not hold; take another."
        )
    with _whole_folder(folder) as building:
        _write(building, release, lock)
        release = _importable(building, release, unsafe=unsafe, say=say)
        for left in building.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        _write(building, release, lock)
        tasks.load_task(str(building))
    return Drafted(folder=folder, release=release, unfinished=marked_parts(tasks.load_task(str(folder.absolute()))))


def _pinned(requirement: str) -> tuple[str, str]:
    """Name and version of NAME==VERSION."""
    wanted = "give one release as NAME==VERSION, such as inflection==0.5.1"
    try:
        parsed = Requirement(requirement)
        (pin,) = parsed.specifier
        Version(pin.version)
    except (InvalidRequirement, InvalidVersion, ValueError) as error:
        raise UsageError(f"{requirement[:80]!r} does not pin a release; {wanted}.") from error
    if pin.operator != "==" or parsed.extras or parsed.marker or parsed.url:
        raise UsageError(f"{requirement[:80]!r} is more than a name and a version; {wanted}.")
    return parsed.name, pin.version


def _python_range(metadata: ReleaseMetadata, name: str) -> str:
    """The release's own range, from the oldest Python that qualityscore runs on."""
    running = platform.python_version()
    if not metadata.requires_python.contains(running, prereleases=True):
        raise ReleaseError(
            f"{name} needs Python {metadata.requires_python}, this is {running}; take another release, or run "
            "qualityscore with an interpreter in range."
        )
    kept = [s for s in metadata.requires_python if not _covered(s)]
    return str(SpecifierSet(",".join([f">={LEAST_PYTHON}", *map(str, kept)])))


def _covered(specifier: Specifier) -> bool:
    """Whether every Python that qualityscore runs on meets it."""
    if specifier.operator not in (">=", ">", "!="):
        return False
    bound = Version(specifier.version.removesuffix(".*"))
    return bound < LEAST_PYTHON or (specifier.operator == ">=" and bound == LEAST_PYTHON)


def _least_minor(python: str) -> str:
    """The oldest minor version in a range that holds the running one."""
    allowed, running = SpecifierSet(python), environment.python_minor()
    minors = [f"3.{n}" for n in range(LEAST_PYTHON.minor, Version(running).minor + 1)]
    return next((minor for minor in minors if allowed.contains(f"{minor}.99")), running)


def _surface(
    source: Path, files: tuple[str, ...], metadata: ReleaseMetadata, wanted: tuple[str, ...], name: str
) -> tuple[tuple[str, ...], Surface]:
    """The import names with public names of their own, shallow ones first, and the surface that they propose."""
    tree = Tree(root=source, import_roots=(), files=files, digest="")
    packages = _packages(tree, metadata)
    if not packages:
        raise ReleaseError(f"The source release of {name} holds no Python package or module to import; take another.")
    project = Project(gather(source, surface_files(source, files)), Library(), import_roots(files, packages))
    modules = tuple(module.name for module in project if module.name)
    for module in wanted:
        if module not in modules:
            raise UsageError(
                f"The source release of {name} has no module {module!r}; it has {_some(modules, packages)}."
            )
    read = surface_in(project, wanted)
    production = frozenset(production_files(tree).files)
    found = [
        n
        for n in read.names
        if _is_written(n.name) and (wanted or (n.name.partition(".")[0] in packages and n.path in production))
    ]
    surface = propose(PublicSurface(names=tuple(found)))
    used = {drafts.owner(entry.name, modules) for entry in surface.entries}
    if not used:
        raise ReleaseError(f"No public name can be read from the sources of {name}; take another release.")
    return tuple(sorted(used, key=_depth)), surface


def _is_written(name: str) -> bool:
    """Whether a program can write the name: a file such as `0001_first.py` is a module that no statement imports."""
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split("."))


def _depth(module: str) -> tuple[int, str]:
    return module.count("."), module


def _some(modules: tuple[str, ...], packages: tuple[str, ...]) -> str:
    """The first public modules of the packages, in words."""
    public = [m for m in modules if m.partition(".")[0] in packages and "._" not in m]
    shown = sorted(public, key=_depth)[:_MOST_SHOWN]
    return ", ".join(shown) + (", …" if len(public) > len(shown) else "")


def _packages(tree: Tree, metadata: ReleaseMetadata) -> tuple[str, ...]:
    """The public top-level import names: as its build recorded them, else as the files lie."""
    found = read_project(tree).packages
    recorded = [name for name in metadata.top_level if not name.startswith("_")]
    both = tuple(name for name in found if name in recorded)
    return both or tuple(recorded) or tuple(name for name in found if not name.startswith("_"))


def _importable(folder: Path, release: drafts.Release, *, unsafe: bool, say: Callable[[str], None]) -> drafts.Release:
    """The release without the modules that cannot be imported in the task's environment, tried in the sandbox."""
    say("importing its modules in the sandbox")
    try:
        with reference_target(tasks.load_task(str(folder)), None, unsafe=unsafe) as target:
            states = ImportTrial(target).finish().modules
    except SandboxUnavailableError as error:
        say(f"its modules were not imported, so that some may not work here: {error}")
        return release
    broken = {state.module: state for state in states if state.state != "importable"}
    imports = tuple(module for module in release.imports if module not in broken)
    if not imports:
        raise ReleaseError(
            f"{release.distribution} {release.version} cannot be imported from its sources: "
            f"{_reason(states[0])}; a task needs a release that runs without a build."
        )
    for state in broken.values():
        say(f"left out: {state.module} cannot be imported here ({_reason(state)})")
    kept = [e for e in release.surface.entries if drafts.owner(e.name, release.imports) in imports]
    return replace(release, imports=imports, surface=Surface(entries=kept))


def _reason(state: ModuleState) -> str:
    return " ".join((state.message or "").split()) or state.state


def _write(folder: Path, release: drafts.Release, lock: str) -> None:
    for name, text in {**drafts.files_of(release), "requirements.lock": lock}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


@contextmanager
def _whole_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill beside the new one, which takes its name at the end; removed on any exception."""
    building = Path(tempfile.mkdtemp(prefix=".qualityscore-", dir=folder.absolute().parent))  # noqa: TID251
    try:
        building.chmod(0o755)
        yield building
        try:
            building.rename(folder)  # refused by the system where the folder has come to hold something
        except OSError as error:
            raise OutputError(f"The folder {folder} cannot be made: {error.strerror}; name another.") from error
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
