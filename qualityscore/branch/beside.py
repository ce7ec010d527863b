"""What belongs to a repository's tests though it lies outside their folders: modules that only they use, and data."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from qualityscore.branch.definitions import Reading, read_definitions
from qualityscore.branch.own_tests import is_test_file
from qualityscore.branch.project import Project
from qualityscore.languages.python_production import TEST_FILES
from qualityscore.runtime.target import Tree

_FRAMEWORKS = frozenset({"pytest", "_pytest", "unittest", "hypothesis"})
_SPEAKING = re.compile(r"(^|_)(test|helper|fixture)")
_SOURCES = frozenset({"src", "lib"})


def beside_tests(before: Tree, after: Tree, project: Project, cache: Path | None = None) -> tuple[str, ...]:
    """The baseline's files that its tests need beside their own, where the branch has them otherwise or not at all.

    They are the modules of `helper_units` that the branch's code does not use either, and data files that are gone from
    places that hold no code. What is in `src` or `lib` is code. Nothing is read where nothing outside the tests' own
    folders changed. Raises ToolError as `read_definitions` does.
    """
    present = frozenset(after.files)
    candidates = [f for f in before.files if not is_test_file(f) and f.partition("/")[0] not in _SOURCES]
    code = {_unit(f) for f in candidates if f.endswith(".py")}
    changed = [f for f in candidates if f not in present or not _same(before, after, f)]
    found = [f for f in changed if f not in present and not f.endswith(".py") and _unit(f) not in code]
    if any(f.endswith(".py") for f in changed):
        units = helper_units(read_definitions(before, before.files, {}, cache), project)
        if units:
            units -= _used_by_code(read_definitions(after, after.files, {}, cache), units)
        found += [f for f in changed if _unit(f) in units]
    return tuple(found)


def helper_units(reading: Reading, project: Project) -> frozenset[str]:
    """The top-level modules and folders that are no code under test but helpers of the tests.

    Only tests import them; they have the name of a helper, or import a test framework, or assert and know nothing of
    the code under test; they are neither in `src` or `lib`, nor called like the project, nor an entry point, nor what a
    file of tests is called after. Without other code under test there is none.
    """
    imports: dict[str, set[str]] = defaultdict(set)
    known = {_unit(path) for path in reading.imports if not is_test_file(path)}
    users: dict[str, set[str]] = defaultdict(set)
    for path, modules in reading.imports.items():
        user = "" if is_test_file(path) else _unit(path)
        for module in modules:
            top = module.partition(".")[0]
            imports[user].add(top)
            if top in known and top != user:
                users[top].add(user)
    asserting = {_unit(d.path) for d in reading.definitions if d.assertions}
    code = _code_names(reading.imports, project) | {
        _unit(p) for p in reading.imports if p.partition("/")[0] in _SOURCES
    }
    helpers = {
        unit
        for unit in known - code
        if users[unit] == {""}
        and (
            _SPEAKING.search(unit)
            or imports[unit] & _FRAMEWORKS
            or (unit in asserting and not imports[unit] & (known - {unit}))
        )
    }
    return frozenset(helpers) if any("" in users[unit] for unit in known - helpers) else frozenset()


def _used_by_code(reading: Reading, units: frozenset[str]) -> frozenset[str]:
    """What code that is neither a test nor one of the units imports: there it is code under test."""
    return frozenset(
        module.partition(".")[0]
        for path, modules in reading.imports.items()
        if not is_test_file(path) and _unit(path) not in units
        for module in modules
    )


def _code_names(paths: Iterable[str], project: Project) -> set[str]:
    """Names that stand for code under test: the project's, its entry points', and those that tests are called after."""
    names = {re.sub(r"[-.]+", "_", project.name or "").lower()}
    names |= {target.partition(":")[0].partition(".")[0] for _, _, target in project.scripts}
    stems = (path.rpartition("/")[2].removesuffix(".py") for path in paths if TEST_FILES.match(path.rpartition("/")[2]))
    return names | {stem.removeprefix("test_").removesuffix("_test") for stem in stems}


def _unit(path: str) -> str:
    """The top-level name that a file belongs to: `a.py` and `a/b.py` both to `a`, what is in `src` to what is below."""
    parts = path.split("/")
    if parts[0] in _SOURCES and len(parts) > 1:
        parts = parts[1:]
    return parts[0].removesuffix(".py") if len(parts) == 1 else parts[0]


def _same(before: Tree, after: Tree, path: str) -> bool:
    return (before.root / path).read_bytes() == (after.root / path).read_bytes()
