"""The text of a new task's files: what the surface tells is filled in, what a person must write is marked."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from qualityscore.model.task import Surface, SurfaceEntry
from qualityscore.suites.unfinished import MARK

TOOLS = ("hypothesis", "memray", "pytest")  # what the suites need in the task's environment
_PROPERTIES = 6
_WORKLOADS = 4
_HELD_MIB = 20
_NO_BODY = ("constant", "exception")
_LIMITS = {
    "functional": ("suites/functional/test_*.py", 10.0, 120.0, 1024),
    "robustness": ("probes.py", 30.0, 300.0, 1024),
    "cost": ("workloads.py", 60.0, 900.0, 2048),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What a draft is made from. `requires` is None where the release does not say what it needs."""

    task_id: str
    distribution: str
    version: str
    sdist_sha256: str
    summary: str
    python: str
    imports: tuple[str, ...]
    surface: Surface
    requires: tuple[str, ...] | None


def files_of(release: Release) -> dict[str, str]:
    """Path below the task's folder to text, of every file but the lock."""
    files = {
        "task.toml": _task_file(release),
        "requirement.md": _requirement(release),
        "surface.json": _surface(release.surface),
        "requirements.in": requirements(release),
        "probes/probes.py": _properties(release),
        "probes/workloads.py": _workloads(release),
    }
    files["suites/functional/test_errors.py"] = _error_tests(release)
    files["suites/functional/test_combinations.py"] = _combination_tests(release)
    for module, entries in by_module(release).items():
        if judged := [entry for entry in entries if _is_judged(entry)]:
            files[_test_file(module, files)] = _tests(module, judged)
    return files


def _test_file(module: str, taken: Collection[str]) -> str:
    """A name for the module's tests that no other file has: `a.b` and `a_b`, or a module `errors`, would share one."""
    name, number = f"suites/functional/test_{module.replace('.', '_')}", 2
    file = f"{name}.py"
    while file in taken:
        file, number = f"{name}_{number}.py", number + 1
    return file


def requirements(release: Release) -> str:
    """`requirements.in`: what the suites need, and what the reference needs to run."""
    lines = sorted({*TOOLS, *(release.requires or ())}, key=lambda line: (line.lower(), line))
    if release.requires is None:
        lines.append(f"# {MARK} the release does not say what it needs: add that, and make requirements.lock again")
    return "\n".join(lines) + "\n"


def by_module(release: Release) -> dict[str, list[SurfaceEntry]]:
    """The surface's entries by the import name that they are reached through, in the order of the import names."""
    found: dict[str, list[SurfaceEntry]] = {module: [] for module in release.imports}
    for entry in release.surface.entries:
        found[owner(entry.name, release.imports)].append(entry)
    return found


def owner(name: str, modules: tuple[str, ...]) -> str:
    """The longest of the modules that a surface name lies in. Raises ValueError where there is none."""
    return max((m for m in modules if name.startswith(f"{m}.")), key=len)


def _is_judged(entry: SurfaceEntry) -> bool:
    """Whether credibility counts the entry, so that a test has to touch it."""
    return entry.kind not in _NO_BODY and not entry.bodiless


def plain(text: str) -> str:
    """A docstring's words on one line, without what is not printable."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())


def _quoted(text: str) -> str:
    return json.dumps(plain(text), ensure_ascii=False)


def _task_file(release: Release) -> str:
    lines = [
        f"id = {_quoted(release.task_id)}",
        f"title = {_quoted(release.summary or release.distribution)}  # {MARK} say in a few words what is to be built",
        f'scenario = "utilities"  # {MARK} choose data, security, web, command_line, text, observability or utilities',
        'level = "repository"',
        'language = "python"',
        f"documented_exceptions = []  # {MARK} list the exceptions that the documentation lets it raise: its own "
        f'with the module ("{release.imports[0]}.Error"), others as in "ValueError"',
        "",
        "[reference]",
        f"distribution = {_quoted(release.distribution)}",
        f"version = {_quoted(release.version)}",
        f"sdist_sha256 = {_quoted(release.sdist_sha256)}",
        "",
        "[environment]",
        f"python = {_quoted(release.python)}",
        'lock = "requirements.lock"',
        "",
        "[surface]",
        f"# {MARK} trim surface.json, and the import names here, to what the documentation promises",
        f"imports = [{', '.join(map(_quoted, release.imports))}]",
    ]
    for suite, (pattern, test_s, total_s, memory_mib) in _LIMITS.items():
        lines += [
            "",
            f"[suites.{suite}]",
            f"files = [{_quoted(pattern)}]",
            f"test_timeout_s = {test_s}",
            f"total_timeout_s = {total_s}",
            f"memory_mib = {memory_mib}",
            "processes = 64",
            "output_kib = 1024",
        ]
    return "\n".join(lines) + "\n"


def _surface(surface: Surface) -> str:
    """One entry per line, so that a line can be deleted."""
    lines = []
    for entry in surface.entries:
        shown: dict[str, object] = {"name": entry.name, "kind": entry.kind}
        if entry.signature is not None:
            shown["signature"] = entry.signature
        if entry.bodiless:
            shown["bodiless"] = True
        shown["summary"] = plain(entry.summary) or f"{MARK} say in a line what it is for"
        lines.append("    " + json.dumps(shown, ensure_ascii=False))
    return '{\n  "entries": [\n' + ",\n".join(lines) + "\n  ]\n}\n"


def _requirement(release: Release) -> str:
    lines = [f"# {release.distribution}", ""]
    lines += [f"{MARK} say in your own words what is to be built, how it is imported and what it may build on", ""]
    for module, entries in by_module(release).items():
        if not entries:
            continue
        lines += [f"## `{module}`", ""]
        classes = {entry.name for entry in entries if entry.kind == "class"}
        for entry in entries:
            if entry.kind == "method" and entry.name.rpartition(".")[0] in classes:
                continue
            lines += [f"### `{_called(entry)}`", ""]
            if entry.kind == "class":
                methods = [e for e in entries if e.kind == "method" and e.name.rpartition(".")[0] == entry.name]
                lines += [f"- `{_called(method)}`" for method in methods] + ([""] if methods else [])
            lines += [f"{MARK} say what the documentation promises of {entry.name}", ""]
    lines += ["## Errors", ""]
    lines += [f"{MARK} say which input is wrong and what it raises, and what is left open", ""]
    return "\n".join(lines).rstrip() + "\n"


def _called(entry: SurfaceEntry) -> str:
    return f"{entry.name}{entry.signature or ''}"


def _tests(module: str, entries: list[SurfaceEntry]) -> str:
    lines = [f'"""Tests of `{module}`: whole values, compared with literals at the top level of each test."""', ""]
    lines += [f"import {module}", ""]
    for name, entry in _named("test", module, entries):
        said = f": {plain(entry.summary)}" if entry.summary else ""
        lines += ["", f"def {name}():", f"    # {plain(_called(entry))}{said}"]
        lines += [_stub(f"use {entry.name} as its documentation says and compare what it gives"), ""]
    return "\n".join(lines)


def _named(prefix: str, module: str, entries: list[SurfaceEntry]) -> Iterator[tuple[str, SurfaceEntry]]:
    """Each entry with a function name of its own."""
    taken: set[str] = set()
    for entry in entries:
        words = re.sub(r"\W+|(?<=[a-z0-9])(?=[A-Z])", "_", entry.name.removeprefix(f"{module}.")).lower().strip("_")
        name, number = f"{prefix}_{words}", 2
        while name in taken:
            name, number = f"{prefix}_{words}_{number}", number + 1
        taken.add(name)
        yield name, entry


def _stub(todo: str, indent: int = 4) -> str:
    return f'{" " * indent}raise NotImplementedError("{MARK} {todo}")'


def _error_tests(release: Release) -> str:
    lines = ['"""Wrong input: what it raises, and what stays as it was."""', ""]
    lines += [*(f"import {module}" for module in release.imports), "import pytest", ""]
    lines += ["", "def test_wrong_arguments_are_refused():"]
    lines += [_stub("collect what several wrong calls raise and compare the list; write a test per kind of error"), ""]
    raised = [entry for entry in release.surface.entries if entry.kind == "exception"]
    for name, entry in _named("test", "", raised):
        lines += ["", f"def {name}_is_raised():"]
        lines += [_stub(f"raise {entry.name} as its documentation says, with pytest.raises and a match"), ""]
    return "\n".join(lines)


def _combination_tests(release: Release) -> str:
    lines = ['"""Several parts of the surface together, as a user would use them."""', ""]
    lines += [*(f"import {module}" for module in release.imports), ""]
    lines += ["", "def test_parts_work_together():"]
    return "\n".join([*lines, _stub("use several entries on one another's results and compare what they give"), ""])


def _properties(release: Release) -> str:
    judged = [entry for entry in release.surface.entries if _is_judged(entry)]
    chosen = sorted(judged, key=lambda entry: entry.kind == "method")[:_PROPERTIES]
    lines = [f'"""Properties of the {release.task_id} task: each docstring states the documented claim. Six are a good']
    lines += ['number: round trips, idempotence, invariants, a model beside an object."""', ""]
    lines += [*(f"import {module}" for module in release.imports)]
    lines += ["from hypothesis import given", "from hypothesis import strategies as st", ""]
    for name, entry in _named("prop", "", chosen):
        lines += ["", "@given(st.text())", f"def {name}(value):", f'    """A claim about {entry.name}."""']
        lines += [_stub(f"draw input of {entry.name}, assert what holds for all of it, say that in the docstring"), ""]
    return "\n".join(lines)


def _workloads(release: Release) -> str:
    lines = [
        f'"""Workloads of the {release.task_id} task: seeded inputs, a body that uses the surface, a digest of the'
    ]
    lines += [f'result. Sizes are 1, n, 2n and 4n; one workload holds at least {_HELD_MIB} MiB at 4n."""', ""]
    lines += ["import random", ""]
    classes = [f"Workload{number}" for number in range(1, _WORKLOADS + 1)]
    for number, name in enumerate(classes, start=1):
        lines += ["", f"class {name}:", f'    """What workload {number} does."""', ""]
        lines += [f'    id = "workload-{number}"  # {MARK} name it, and the class, after what it does']
        lines += ["    n = 1000"]
        lines += [f"    holds_mib = {_HELD_MIB}"] if number == _WORKLOADS else []
        lines += ["", "    def setup(self, size):", '        rng = random.Random(f"{self.id}/{size}")']
        lines += [_stub("give plain data of this size, made with rng", 8), "", "    def body(self, inputs):"]
        lines += [*(f"        import {module}" for module in release.imports), ""]
        lines += [_stub("use the surface on the inputs and give the result", 8), "", "    def digest(self, result):"]
        lines += [_stub("give plain data that differs where the result does, at a small cost", 8), ""]
    lines += ["", f"WORKLOADS = [{', '.join(f'{name}()' for name in classes)}]", ""]
    return "\n".join(lines)
