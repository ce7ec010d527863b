"""Locks of other tools, read and never run: the releases that they pin for this interpreter, with their hashes.

Their addresses are not used: what they pin is taken from the index that the user has configured, if its digest is the
one that the lock names.
"""

from __future__ import annotations

import json
import platform
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from packaging.markers import Marker
from packaging.pylock import (
    PackageArchive,
    PackageDirectory,
    PackageSdist,
    PackageVcs,
    Pylock,
    PylockSelectError,
    PylockValidationError,
)
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from qualityscore.branch.groups import for_tests
from qualityscore.branch.lock_walk import Entry, LockRefusedError, applies, elsewhere, pin, source_only, walk
from qualityscore.branch.poetry import poetry_ranges, poetry_requirements
from qualityscore.model.foreign import first_problem

UV_LOCK = "uv.lock"
ORDER = (UV_LOCK, "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml")
"""Of several locks the first counts: a tool's own before the common format, which tools export to."""
OF_A_PYPROJECT = frozenset({UV_LOCK, "poetry.lock", "pdm.lock"})
"""Locks that say nothing without the pyproject.toml beside them."""
MAX_LOCK_BYTES = 8 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a lock is asked for: the `requirements` that the project and its tests name in pyproject.toml.

    `for_tests` says that the tests have requirements there. `extras` are those of the project that the tests need;
    `own` is the project's normalised name.
    """

    requirements: tuple[str, ...]
    for_tests: bool
    extras: tuple[str, ...]
    own: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """What a lock pins here, as `name==version --hash=…`; whether that is also for the tests."""

    pins: tuple[str, ...]
    for_tests: bool


def read_lock(name: str, content: bytes, wanted: Wanted) -> Locked:
    """What a lock pins for the tests on this interpreter. Raises LockRefusedError where that cannot be said."""
    try:
        text = content.decode("utf-8-sig")
        return _READERS[name](text, wanted)
    except ValidationError as error:
        raise LockRefusedError(f"it is not valid: {first_problem(error)}") from error
    except (ValueError, RecursionError, PylockValidationError, PylockSelectError) as error:
        raise LockRefusedError(f"it cannot be read: {' '.join(str(error).split())[:300]}") from error


class _Foreign(BaseModel):
    """Part of another tool's document: what is not read may be anything."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class _File(_Foreign):
    file: str = ""
    url: str = ""
    hash: str = ""

    @property
    def is_wheel(self) -> bool:
        return (self.file or self.url).endswith(".whl")


def _files(entries: Sequence[_File]) -> dict[str, Any]:
    """The hashes of the wheels, and whether there are any."""
    return {"hashes": tuple(f.hash for f in entries if f.is_wheel), "wheels": any(f.is_wheel for f in entries)}


# --- Poetry ---


class _PoetrySource(_Foreign):
    type: str
    url: str = ""


class _PoetryPackage(_Foreign):
    name: str
    version: str
    python_versions: str = Field(default="*", alias="python-versions")
    markers: str | dict[str, str] | None = None
    dependencies: dict[str, Any] = {}
    extras: dict[str, list[str]] = {}
    files: list[_File] | None = None
    source: _PoetrySource | None = None

    def entry(self, old_files: dict[str, list[_File]], extras: tuple[str, ...]) -> Entry:
        markers = self.markers.values() if isinstance(self.markers, dict) else [self.markers or ""]
        files = self.files if self.files is not None else old_files.get(self.name, [])
        direct = self.source is not None and self.source.type in ("git", "directory", "file", "url")
        return Entry(
            name=canonicalize_name(self.name),
            version=Version(self.version),
            needs=tuple(self._needs()),
            wanted_here=any(applies(_marker(marker), ("", *extras)) for marker in markers),
            runs_here=_poetry_allows(self.python_versions),
            direct=f"{self.source.type} {self.source.url}".strip() if direct and self.source else None,
            **_files(files),
        )

    def _needs(self) -> Iterable[Requirement]:
        for line in poetry_requirements(self.dependencies, every=True):
            yield Requirement(line)
        said = {canonicalize_name(name) for name in self.dependencies}
        for extra, lines in self.extras.items():  # as Poetry before 1.1 wrote them
            for line in lines:
                try:
                    need = Requirement(line)
                    both = f"({need.marker}) and " if need.marker else ""
                    need.marker = Marker(f'{both}extra == "{canonicalize_name(extra, validate=True)}"')
                except ValueError:
                    continue
                if canonicalize_name(need.name) not in said:
                    yield need


class _PoetryMetadata(_Foreign):
    lock_version: str = Field(alias="lock-version")
    python_versions: str = Field(default="*", alias="python-versions")
    files: dict[str, list[_File]] = {}


class _PoetryLock(_Foreign):
    package: list[_PoetryPackage] = []
    metadata: _PoetryMetadata


def _poetry_lock(text: str, wanted: Wanted) -> Locked:
    lock = _PoetryLock.model_validate(tomllib.loads(text))
    _require_version("lock-version", lock.metadata.lock_version, ("1", "2"))
    if not _poetry_allows(lock.metadata.python_versions):
        raise LockRefusedError(f"it is for Python {lock.metadata.python_versions}, and this is {_python()}")
    old_files = lock.metadata.files
    entries = [package.entry(old_files, wanted.extras) for package in lock.package]
    return Locked(pins=walk(entries, _roots(wanted), wanted.own), for_tests=wanted.for_tests)


def _poetry_allows(text: str) -> bool:
    """Whether a range of Poetry's holds this version of Python; one that is no range excludes nothing."""
    try:
        return any(_runs(clauses) for clauses in poetry_ranges(text))
    except InvalidSpecifier:
        return True


# --- PDM ---


class _PdmPackage(_Foreign):
    name: str
    version: str = "0"
    requires_python: str = ""
    extras: list[str] = []
    marker: str | None = None
    dependencies: list[str] = []
    files: list[_File] | None = None
    git: str | None = None
    hg: str | None = None
    svn: str | None = None
    bzr: str | None = None
    path: str | None = None
    url: str | None = None

    def entry(self, old_files: dict[str, list[_File]]) -> Entry:
        kinds = ("git", "hg", "svn", "bzr", "path", "url")
        direct = next((f"{kind} {getattr(self, kind)}" for kind in kinds if getattr(self, kind) is not None), None)
        files = self.files if self.files is not None else old_files.get(f"{self.name} {self.version}", [])
        return Entry(
            name=canonicalize_name(self.name),
            version=Version(self.version),
            needs=tuple(Requirement(line) for line in self.dependencies),
            extras=frozenset(canonicalize_name(extra) for extra in self.extras),
            wanted_here=applies(_marker(self.marker)),
            runs_here=_runs(self.requires_python),
            direct=direct,
            **_files(files),
        )


class _PdmTarget(_Foreign):
    requires_python: str = ""


class _PdmMetadata(_Foreign):
    lock_version: str
    targets: list[_PdmTarget] = []
    files: dict[str, list[_File]] = {}


class _PdmLock(_Foreign):
    package: list[_PdmPackage] = []
    metadata: _PdmMetadata


def _pdm_lock(text: str, wanted: Wanted) -> Locked:
    lock = _PdmLock.model_validate(tomllib.loads(text))
    _require_version("lock_version", lock.metadata.lock_version, ("4",))
    ranges = [target.requires_python for target in lock.metadata.targets]
    if ranges and not any(_runs(range_) for range_ in ranges):
        raise LockRefusedError(f"it is for Python {' or '.join(ranges)}, and this is {_python()}")
    entries = [package.entry(lock.metadata.files) for package in lock.package]
    return Locked(pins=walk(entries, _roots(wanted), wanted.own), for_tests=wanted.for_tests)


# --- Pipenv ---


class _PipfilePackage(_Foreign):
    version: str = ""
    hashes: list[str] = []
    markers: str | None = None
    git: str | None = None
    path: str | None = None
    file: str | None = None

    @property
    def direct(self) -> str | None:
        kinds = ("git", "path", "file")
        return next((f"{kind} {getattr(self, kind)}" for kind in kinds if getattr(self, kind) is not None), None)


class _PipfileMeta(_Foreign):
    pipfile_spec: Annotated[int, Field(alias="pipfile-spec")]


def _pipfile_lock(text: str, wanted: Wanted) -> Locked:
    document = json.loads(text)
    if not isinstance(document, dict):
        raise LockRefusedError("it cannot be read: it is not an object of JSON")
    meta = _PipfileMeta.model_validate(document.get("_meta") or {})
    _require_version("pipfile-spec", str(meta.pipfile_spec), ("6",))
    categories = for_tests(key for key in document if key not in ("_meta", "default"))
    versions: dict[str, tuple[str, set[str]]] = {}
    for category in ("default", *categories):
        section = document.get(category) or {}
        if not isinstance(section, dict):
            raise LockRefusedError(f"it is not valid: key {category!r}: input should be an object")
        for written, value in section.items():
            name, package = canonicalize_name(written), _PipfilePackage.model_validate(value)
            if name == wanted.own or package.path in (".", "./") or not applies(_marker(package.markers)):
                continue
            if package.direct is not None:
                raise elsewhere(name, package.direct)
            version, hashes = versions.setdefault(name, (package.version.removeprefix("=="), set()))
            if Version(version) != Version(package.version.removeprefix("==")):
                raise LockRefusedError(f"it holds {name!r} as {version} and as {package.version.removeprefix('==')}")
            hashes.update(package.hashes)
    pins = tuple(pin(name, version, hashes) for name, (version, hashes) in sorted(versions.items()))
    return Locked(pins=pins, for_tests=any(document[category] for category in categories))


# --- the common format (PEP 751) ---


def _pylock(text: str, wanted: Wanted) -> Locked:
    lock = Pylock.from_dict(tomllib.loads(text))
    groups, extras = for_tests(lock.dependency_groups or ()), for_tests(lock.extras or ())
    pins: dict[str, str] = {}
    for package, source in lock.select(dependency_groups={*(lock.default_groups or ()), *groups}, extras=extras):
        name = package.name
        if name == wanted.own or (isinstance(source, PackageDirectory) and source.path in (".", "./")):
            continue
        match source:
            case PackageVcs():
                raise elsewhere(name, f"{source.type} {source.url or source.path}")
            case PackageDirectory() | PackageArchive():
                raise elsewhere(name, f"the path {source.path}" if source.path else "an address of its own")
            case PackageSdist():
                raise source_only(name, str(package.version or ""))
        wheels = package.wheels or ()
        version = package.version or parse_wheel_filename(source.filename)[1]
        hashes = (f"{kind}:{value}" for wheel in wheels for kind, value in wheel.hashes.items())
        pins[name] = pin(name, str(version), hashes)
    return Locked(pins=tuple(pins[name] for name in sorted(pins)), for_tests=bool(groups or extras) or "pytest" in pins)


# --- what they share ---

_READERS: dict[str, Callable[[str, Wanted], Locked]] = {
    "poetry.lock": _poetry_lock,
    "pdm.lock": _pdm_lock,
    "Pipfile.lock": _pipfile_lock,
    "pylock.toml": _pylock,
}


def _roots(wanted: Wanted) -> list[Requirement]:
    """The requirements of pyproject.toml that apply here."""
    roots = []
    for line in wanted.requirements:
        own = re.match(r"(?:-e|--editable)\s.*#egg=([A-Za-z0-9._-]+)", line)
        if own is not None and canonicalize_name(own.group(1)) == wanted.own:
            continue
        try:
            roots.append(Requirement(line))
        except InvalidRequirement as error:
            raise LockRefusedError(f"the project requires {line[:120]!r}, which is no requirement") from error
    return [root for root in roots if applies(root.marker, ("", *wanted.extras))]


def _require_version(key: str, found: str, known: tuple[str, ...]) -> None:
    if found.partition(".")[0] not in known:
        raise LockRefusedError(f"its {key} is {found[:40]!r}, and {' and '.join(known)} can be read")


def _marker(text: str | None) -> Marker | None:
    return Marker(text) if text else None


def _runs(clauses: str) -> bool:
    return SpecifierSet(clauses).contains(_python(), prereleases=True)


def _python() -> str:
    return platform.python_version()
