"""What a repository says about itself, read and never run: its packages, its requirements, how it runs its tests."""

from __future__ import annotations

import configparser
import contextlib
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from qualityscore.branch import locks
from qualityscore.branch.groups import DEVELOPER_NAMES, TEST_NAMES, for_tests, is_named
from qualityscore.branch.lock_walk import LockRefusedError, pin
from qualityscore.branch.poetry import poetry_requirements
from qualityscore.branch.setup_script import setup_arguments
from qualityscore.languages.python_layout import import_roots
from qualityscore.languages.python_production import DOC_FOLDERS, EXAMPLE_FOLDERS, TEST_FILES, TEST_FOLDERS
from qualityscore.model.codec import adapter
from qualityscore.model.foreign import read_toml
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Tree
from qualityscore.runtime.workers import Done, Job, Lost, Raised, run_jobs

MAX_FILE_BYTES = 4 << 20
_PYPROJECT = "pyproject.toml"
_HATCH = "pyproject.toml [tool.hatch]"
_OWN_EXTRAS = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*\[([^\]]*)\]")
_NOT_PACKAGES = (
    TEST_FOLDERS | DOC_FOLDERS | EXAMPLE_FOLDERS | {"build", "dist", "scripts", "tools", "benchmarks", "bin"}
)
_NOT_MODULES = frozenset({"setup", "conftest", "noxfile", "fabfile", "tasks", "dodo", "manage", "versioneer", "test"})
_RUNTIME_FILES = ("requirements.txt", "requirements/requirements.txt", "requirements/base.txt", "requirements/prod.txt")
_TEST_REQUIREMENTS = re.compile(
    r"^(requirements|reqs)?[/_.-]?(requirements[-_.])?(tests?|testing)([-_.](requirements|reqs))?\.(txt|in)$"
    r"|^tests?/requirements\.txt$"
)
_DEVELOPER_REQUIREMENTS = re.compile(
    r"^(requirements|reqs)?[/_.-]?(requirements[-_.])?(dev|develop|development)([-_.](requirements|reqs))?\.(txt|in)$"
)
_REQUIREMENT = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*\s*(\[[^\]]*\])?\s*($|[<>=!~;,\s(])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """What the environment must hold: `lines` in PEP 508 form, `constraints` likewise, and where they were found.

    `lock` is the file that decides, where there is one, and `lock_digest` its SHA-256: then `lines` are what tests need
    beside it. `pins` are what it pins for them here, as lines with hashes; of a `uv.lock` uv says that, for `groups`
    and `extras`. `refusal` is why the lock cannot be used. `hashed` are releases, as lines with the hashes that
    requirements files name for them. `notes` name lines that were left out.
    """

    lines: tuple[str, ...]
    hashed: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    lock: str | None = None
    lock_digest: str = ""
    pins: tuple[str, ...] = ()
    refusal: str | None = None
    groups: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A repository as its files describe it.

    `packages` are its top-level import names, `roots` the folders on the import path, `config` the file that configures
    pytest, `pytest_words` the options that it adds, `test_places` what it says holds the tests. `scripts` are entry
    points as (group, name, target). `damage` is what keeps any tool from installing it: a `pyproject.toml` that
    is not TOML.
    """

    name: str | None
    version: str
    packages: tuple[str, ...]
    roots: tuple[str, ...]
    runner: Literal["pytest", "unittest"]
    config: str | None
    pytest_words: str
    requirements: Requirements
    scripts: tuple[tuple[str, str, str], ...] = ()
    version_file: str | None = None
    damage: str | None = None


def read_project(tree: Tree) -> Project:
    """Read a tree in a worker process, since parsers of hostile files may hang or crash.

    Raises ToolError when no worker can be started. A repository on which the reader itself fails is read as one that
    says nothing.
    """
    with scratch_folder("qualityscore-project-") as folder:
        # the worker has another working directory
        args = {"root": str(tree.root.resolve()), "files": list(tree.files)}
        job = Job(id="project", call=f"{__name__}:project_in_worker", args=args, cpu_s=30.0)
        outcome = run_jobs([[job]], scratch=folder, wall_s=300.0, memory_bytes=2 << 30)["project"]
    match outcome:
        case Done(value=value):
            return _from_plain(value)
        case Raised(error=reason) | Lost(reason=reason):
            note = f"the project's files could not be read: {reason}"
            return Project(
                name=None,
                version="0",
                packages=(),
                roots=(".",),
                runner="pytest",
                config=None,
                pytest_words="",
                requirements=Requirements(lines=(), notes=(note,)),
            )


def project_in_worker(root: str, files: list[str]) -> dict[str, Any]:
    """What the worker is asked for."""
    return asdict(_Reader(Path(root), tuple(files)).project())


def _from_plain(value: dict[str, Any]) -> Project:
    project: Project = adapter(Project).validate_python(value, strict=False)
    return project


class _Reader:
    """Reads one repository's files."""

    def __init__(self, root: Path, files: tuple[str, ...]) -> None:
        self.root, self.files = root, files
        self.present = frozenset(files)
        self.damage: str | None = None
        self.pyproject = self._toml("pyproject.toml")
        self.setup_cfg = self._ini("setup.cfg")
        self.setup_py = setup_arguments(self._text("setup.py"))
        self.hashed: dict[str, str] = {}

    def project(self) -> Project:
        packages = _packages(self.files)
        config, words = self._pytest_config()
        requirements = self._requirements()
        return Project(
            name=self._name(),
            version=self._version(),
            packages=packages,
            roots=import_roots(self.files, packages),
            runner=self._runner(config, requirements),
            config=config,
            pytest_words=words,
            requirements=requirements,
            scripts=tuple(self._scripts()),
            version_file=self._version_file(),
            damage=self.damage,
        )

    # --- who it is ---

    def _name(self) -> str | None:
        found = (
            _at(self.pyproject, "project", "name")
            or _at(self.pyproject, "tool", "poetry", "name")
            or self.setup_cfg.get("metadata", "name", fallback=None)
            or self.setup_py.get("name")
            or self._packaged("Name")
        )
        return found if isinstance(found, str) else None

    def _version(self) -> str:
        for candidate in (
            _at(self.pyproject, "project", "version"),
            _at(self.pyproject, "tool", "poetry", "version"),
            self._packaged("Version"),
            self.setup_cfg.get("metadata", "version", fallback=None),
            self.setup_py.get("version"),
        ):
            if isinstance(candidate, str) and re.fullmatch(r"v?\d[\w.+!-]*", candidate.strip()):
                return candidate.strip()
        return "0"

    def _packaged(self, key: str) -> str | None:
        """What the metadata of a source release says."""
        for line in self._text("PKG-INFO").splitlines()[:40]:
            if line.startswith(f"{key}:"):
                return line.partition(":")[2].strip()
        return None

    def _version_file(self) -> str | None:
        """The file that a version-control plugin would write at build time, where it is not there."""
        candidates = (
            _at(self.pyproject, "tool", "setuptools_scm", "write_to"),
            _at(self.pyproject, "tool", "setuptools_scm", "version_file"),
            _at(self.pyproject, "tool", "hatch", "build", "hooks", "vcs", "version-file"),
            _at(self.pyproject, "tool", "pdm", "version", "write_to"),
        )
        name = next((c for c in candidates if isinstance(c, str)), None)
        if name is None or not name.endswith(".py") or name in self.present:
            return None
        path = PurePosixPath(name)
        return None if path.is_absolute() or ".." in path.parts else name

    def _scripts(self) -> Iterator[tuple[str, str, str]]:
        project = _at(self.pyproject, "project") or {}
        tables: list[tuple[str, Any]] = [
            ("console_scripts", project.get("scripts")),
            ("gui_scripts", project.get("gui-scripts")),
            ("console_scripts", _at(self.pyproject, "tool", "poetry", "scripts")),
        ]
        for plugins in (project.get("entry-points"), _at(self.pyproject, "tool", "poetry", "plugins")):
            tables += list(plugins.items()) if isinstance(plugins, dict) else []
        for group, table in tables:
            for name, target in table.items() if isinstance(table, dict) else ():
                if isinstance(target, str):
                    yield str(group), str(name), target
        if self.setup_cfg.has_section("options.entry_points"):
            for group, text in self.setup_cfg.items("options.entry_points", raw=True):
                yield from _entry_lines(group, text)
        points = self.setup_py.get("entry_points")
        for group, lines in points.items() if isinstance(points, dict) else ():
            text = lines if isinstance(lines, str) else "\n".join(map(str, lines))
            yield from _entry_lines(str(group), text)

    # --- how it runs its tests ---

    def _pytest_config(self) -> tuple[str | None, str]:
        """The file that pytest would take, in its own order, and the options that it adds."""
        for name in ("pytest.ini", ".pytest.ini"):
            if name in self.present:
                return name, self._ini(name).get("pytest", "addopts", fallback="")
        options = _at(self.pyproject, "tool", "pytest", "ini_options")
        if isinstance(options, dict):
            added = options.get("addopts", "")
            return "pyproject.toml", " ".join(map(str, added)) if isinstance(added, list) else str(added)
        for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
            parsed = self._ini(name)
            if parsed.has_section(section):
                return name, parsed.get(section, "addopts", fallback="")
        return None, ""

    def _runner(self, config: str | None, requirements: Requirements) -> Literal["pytest", "unittest"]:
        """unittest where nothing speaks of pytest and every test file is made for unittest."""
        required = (*requirements.lines, *requirements.pins)
        if config is not None or any(_bare_name(line) == "pytest" for line in required):
            return "pytest"
        if requirements.lock == locks.UV_LOCK and '\nname = "pytest"\n' in self._text(locks.UV_LOCK):
            return "pytest"
        tests = [f for f in self.files if TEST_FILES.match(f.rpartition("/")[2]) and f.endswith(".py")]
        texts = [self._text(test) for test in tests]
        speaks = any(re.search(r"^\s*(import|from) pytest\b", text, re.MULTILINE) for text in texts)
        classes = [text for text in texts if re.search(r"\bTestCase\b", text)]
        functions = [text for text in texts if re.search(r"^(async )?def test", text, re.MULTILINE)]
        return "unittest" if classes and not functions and not speaks else "pytest"

    # --- what it needs ---

    def _requirements(self) -> Requirements:
        lock = next((name for name in locks.ORDER if self._holds_lock(name)), None)
        if lock is not None:
            return self._locked(lock)
        notes: list[str] = []
        constraints: list[str] = []
        found = self._runtime_sources()
        for name in self.files:
            if name in _RUNTIME_FILES:
                found.append((name, list(self._file_lines(name, constraints, notes))))
        found += self._tests_sources(constraints, notes)
        return Requirements(
            lines=self._all_usable(found, notes),
            hashed=tuple(self.hashed[release] for release in sorted(self.hashed)),
            constraints=tuple(dict.fromkeys(constraints)),
            sources=tuple(dict.fromkeys(place for place, several in found if several)),
            notes=tuple(dict.fromkeys(notes)),
        )

    def _holds_lock(self, name: str) -> bool:
        return name in self.present and (name not in locks.OF_A_PYPROJECT or _PYPROJECT in self.present)

    def _locked(self, lock: str) -> Requirements:
        """What a lock says, and what tests need beside it when it says nothing of them."""
        others = [name for name in locks.ORDER if name != lock and self._holds_lock(name)]
        beside = f"; {' and '.join(others)} {'do' if len(others) > 1 else 'does'} not count" if others else ""
        notes = [f"the environment of the tests is that of {lock}{beside}"]
        path = self.root / lock
        content = path.read_bytes() if path.stat().st_size <= locks.MAX_LOCK_BYTES else b""
        groups = tuple(for_tests(_table(self.pyproject, "dependency-groups")))
        extras = tuple(for_tests(_table(self.pyproject, "project", "optional-dependencies")))
        main = [(place, lines) for place, lines in self._runtime_sources() if place == _PYPROJECT]
        tests = self._tests_sources([], [], only=_PYPROJECT)
        wanted = locks.Wanted(
            requirements=tuple(self._expanded([*main, *tests])),
            for_tests=bool(tests),
            extras=(*extras, *for_tests(_table(self.pyproject, "tool", "poetry", "extras"))),
            own=_normal(self._name() or ""),
        )
        constraints: list[str] = []
        lines: tuple[str, ...] = ()
        pins: tuple[str, ...] = ()
        refusal: str | None = None
        covered = bool(groups or extras)
        try:
            if not content:
                raise LockRefusedError(f"it is empty, or has more than {locks.MAX_LOCK_BYTES >> 20} MiB")
            if lock != locks.UV_LOCK:
                locked = locks.read_lock(lock, content, wanted)
                pins, covered = locked.pins, locked.for_tests
            if not covered:
                lines = self._all_usable(self._tests_sources(constraints, notes), notes)
        except LockRefusedError as error:
            refusal = str(error)
        return Requirements(
            lines=lines,
            hashed=tuple(self.hashed[release] for release in sorted(self.hashed)) if lines else (),
            constraints=tuple(dict.fromkeys(constraints)),
            sources=(lock,),
            lock=lock,
            lock_digest=hashlib.sha256(content).hexdigest(),
            pins=pins,
            refusal=refusal,
            groups=groups,
            extras=extras,
            notes=tuple(dict.fromkeys(notes)),
        )

    def _runtime_sources(self) -> list[tuple[str, list[str]]]:
        """What the project itself needs, by the place that says so."""
        extras = _table(self.pyproject, "tool", "poetry", "extras")
        optional = frozenset(_normal(name) for extra in for_tests(extras) for name in _texts(extras[extra]))
        poetry = poetry_requirements(_at(self.pyproject, "tool", "poetry", "dependencies"), optional=optional)
        return [
            (_PYPROJECT, _texts(_at(self.pyproject, "project", "dependencies"))),
            (_PYPROJECT, list(poetry)),
            ("setup.cfg", _lines(self.setup_cfg.get("options", "install_requires", fallback=""))),
            ("setup.py", _texts(self.setup_py.get("install_requires"))),
        ]

    def _tests_sources(
        self, constraints: list[str], notes: list[str], *, only: str | None = None
    ) -> list[tuple[str, list[str]]]:
        """What the tests need, by place; what developers need where nothing is said of tests. `only` is a place."""
        for developer in (False, True):
            sources = self._test_sources(constraints, notes, developer=developer)
            found = [(place, lines) for place, lines in sources if lines and only in (None, place)]
            if found:
                return found
        return []

    def _all_usable(self, found: Iterable[tuple[str, list[str]]], notes: list[str]) -> tuple[str, ...]:
        """The requirements of several places, each once, without the project itself."""
        usable = (self._usable(line, notes) for line in self._expanded(found))
        own = _normal(self._name() or "")
        return tuple(dict.fromkeys(line for line in usable if line and _normal(_bare_name(line)) != own))

    def _expanded(self, found: Iterable[tuple[str, list[str]]]) -> Iterator[str]:
        """All lines, those of the project's own extras in place of `project[extra]`."""
        table = _table(self.pyproject, "project", "optional-dependencies")
        extras = {_normal(str(key)): _texts(value) for key, value in table.items()}
        own = _normal(self._name() or "")
        pending = [line for _, several in reversed(list(found)) for line in reversed(several)]
        while pending:
            line = pending.pop()
            match = _OWN_EXTRAS.match(line)
            if own and match and _normal(match.group(1)) == own:
                for extra in match.group(2).split(","):
                    pending += reversed(extras.pop(_normal(extra.strip()), []))
            else:
                yield line

    def _test_sources(
        self, constraints: list[str], notes: list[str], *, developer: bool
    ) -> Iterator[tuple[str, list[str]]]:
        names = DEVELOPER_NAMES if developer else TEST_NAMES
        pattern = _DEVELOPER_REQUIREMENTS if developer else _TEST_REQUIREMENTS
        project = self.pyproject
        for place in (("project", "optional-dependencies"), ("tool", "pdm", "dev-dependencies")):
            table = _at(project, *place) or {}
            for key, value in table.items() if isinstance(table, dict) else ():
                if is_named(str(key), names):
                    yield _PYPROJECT, _texts(value)
        groups = _at(project, "dependency-groups") or {}
        for key in groups if isinstance(groups, dict) else ():
            if is_named(str(key), names):
                yield _PYPROJECT, list(_group(groups, str(key), set()))
        poetry = _at(project, "tool", "poetry", "group") or {}
        for key, value in poetry.items() if isinstance(poetry, dict) else ():
            if is_named(str(key), names):
                yield _PYPROJECT, list(poetry_requirements(_at(value, "dependencies")))
        environments = _at(project, "tool", "hatch", "envs") or {}
        for key, value in environments.items() if isinstance(environments, dict) else ():
            if is_named(str(key), names | ({"default"} if developer else frozenset())):
                yield _HATCH, _texts(_at(value, "dependencies")) + _texts(_at(value, "extra-dependencies"))
        if developer:
            yield _PYPROJECT, list(poetry_requirements(_at(project, "tool", "poetry", "dev-dependencies")))
            yield "tox.ini", list(self._tox_lines(constraints, notes))
        if self.setup_cfg.has_section("options.extras_require"):
            for key, value in self.setup_cfg.items("options.extras_require", raw=True):
                if is_named(key, names):
                    yield "setup.cfg", _lines(value)
        if not developer:
            yield "setup.cfg", _lines(self.setup_cfg.get("options", "tests_require", fallback=""))
            yield "setup.py", _texts(self.setup_py.get("tests_require"))
        extras = self.setup_py.get("extras_require")
        for key, value in extras.items() if isinstance(extras, dict) else ():
            if is_named(str(key), names):
                yield "setup.py", _texts(value)
        for name in self.files:
            if name.count("/") <= 1 and pattern.match(name):
                yield name, list(self._file_lines(name, constraints, notes))

    def _tox_lines(self, constraints: list[str], notes: list[str]) -> Iterator[str]:
        for line in _lines(self._ini("tox.ini").get("testenv", "deps", fallback="")):
            included = re.match(r"-r\s*(\S+)$", line)
            if included:
                yield from self._file_lines(_joined("", included.group(1)), constraints, notes)
            else:
                yield line

    def _file_lines(
        self, name: str, constraints: list[str], notes: list[str], seen: frozenset[str] = frozenset()
    ) -> Iterator[str]:
        """The requirements of a requirements file, with those that it includes."""
        if name in seen or len(seen) > 20:
            return
        text = re.sub(r"\\\n", " ", self._text(name))
        for raw in text.splitlines():
            line = re.sub(r"(^|\s)#.*$", "", raw).strip()
            line, hashes = re.sub(r"\s--hash[= ]\S+", "", line).strip(), re.findall(r"\s--hash[= ](\S+)", line)
            self._note_hashes(line, hashes)
            included = re.match(r"(?:-r|--requirement|-c|--constraint)[ =]?\s*(\S+)$", line)
            if included:
                inner = _joined(name, included.group(1))
                below = list(self._file_lines(inner, constraints, notes, seen | {name}))
                if line.startswith(("-c", "--constraint")):
                    constraints.extend(one for one in below if self._usable(one, []))
                else:
                    yield from below
            elif line:
                yield line

    def _note_hashes(self, line: str, hashes: list[str]) -> None:
        """Remember the digests that a requirements file names for a release."""
        release = re.match(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*==\s*([^\s;,*]+)\s*(?:;|$)", line)
        if release is not None and hashes:
            with contextlib.suppress(LockRefusedError, ValueError):
                self.hashed[f"{_normal(release[1])}=={release[2]}"] = pin(release[1], release[2], hashes)

    def _usable(self, line: str, notes: list[str]) -> str | None:
        """A requirement that an index can serve; what builds, or is fetched from elsewhere, is noted and left out."""
        line = line.strip()
        if not line or line.startswith("#"):
            return None
        if "{" in line or not _REQUIREMENT.match(line) or "@ " in line or "://" in line:
            notes.append(f"the requirement {line[:120]!r} was left out: it is not a release of a package index")
            return None
        return line

    # --- files ---

    def _text(self, name: str) -> str:
        path = self.root / name
        if name not in self.present or path.stat().st_size > MAX_FILE_BYTES:
            return ""
        return path.read_text("utf-8-sig", errors="replace")

    def _toml(self, name: str) -> dict[str, Any]:
        try:
            return read_toml(self._text(name))
        except tomllib.TOMLDecodeError as error:
            if name == _PYPROJECT:
                self.damage = f"{name} is not TOML: {error}"
            return {}

    def _ini(self, name: str) -> configparser.RawConfigParser:
        parser = configparser.RawConfigParser(strict=False, interpolation=None)
        try:
            parser.read_string(self._text(name))
        except configparser.Error:
            return configparser.RawConfigParser()
        return parser


def _packages(files: Iterable[str]) -> tuple[str, ...]:
    """Top-level import names: packages and modules at the root, in src or in lib, that are not tests or tools."""
    found: dict[str, None] = {}
    for file in files:
        parts = file.split("/")
        if parts[0] in ("src", "lib") and len(parts) > 1:
            parts = parts[1:]
        elif len(parts) > 1 and parts[0] in _NOT_PACKAGES:
            continue
        if len(parts) == 2 and parts[1] == "__init__.py" and parts[0].isidentifier():
            found[parts[0]] = None
        elif len(parts) == 1 and parts[0].endswith(".py"):
            stem = parts[0].removesuffix(".py")
            if stem.isidentifier() and stem not in _NOT_MODULES and not TEST_FILES.match(parts[0]):
                found[stem] = None
    return tuple(found)


def _at(table: Any, *keys: str) -> Any:
    for key in keys:
        if not isinstance(table, Mapping):
            return None
        table = table.get(key)
    return table


def _table(table: Any, *keys: str) -> Mapping[str, Any]:
    found = _at(table, *keys)
    return found if isinstance(found, Mapping) else {}


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def _group(groups: Mapping[str, Any], name: str, seen: set[str]) -> Iterator[str]:
    """A dependency group with the groups that it includes (PEP 735)."""
    if name in seen:
        return
    seen.add(name)
    entries = groups.get(name)
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict) and isinstance(entry.get("include-group"), str):
            yield from _group(groups, entry["include-group"], seen)


def _entry_lines(group: str, text: str) -> Iterator[tuple[str, str, str]]:
    for line in _lines(text):
        name, sign, target = line.partition("=")
        if sign:
            yield group, name.strip(), target.strip()


def _bare_name(line: str) -> str:
    match = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", line.strip())
    return match.group().rstrip(".-_") if match else ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _joined(name: str, other: str) -> str:
    parts: list[str] = []
    for part in (*PurePosixPath(name).parent.parts, *PurePosixPath(other).parts):
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def requirements_text(requirements: Requirements) -> str:
    """What identifies the requirements, for a cache."""
    return json.dumps(asdict(requirements), sort_keys=True)
