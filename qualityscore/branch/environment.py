"""The environment of a repository's own tests: what its lock pins, or its requirements resolved by uv to hashes.

It is built like a task's. A resolution is kept until the cache is emptied: the same requirements give the same
environment, so that two states with equal requirements run under equal packages. Only wheels are used, as building a
package would run its code here.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import uv
from packaging.requirements import Requirement

from qualityscore.branch.lock_walk import LockRefusedError, applies, elsewhere, pin
from qualityscore.branch.locks import UV_LOCK
from qualityscore.branch.project import Project, Requirements, requirements_text
from qualityscore.errors import EnvironmentBuildError
from qualityscore.runtime import environment
from qualityscore.runtime.process import Exited, Limits, run
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Environment, Tree

_LIMITS = Limits(
    wall_s=300.0,
    cpu_s=None,
    memory_bytes=None,
    processes=None,
    file_size_bytes=None,
    open_files=None,
    output_bytes=16 << 20,
)
_WITHOUT = "# without "
_DEVELOPER_TOOLS = frozenset(
    {
        *("tox", "nox", "pre-commit", "twine", "build", "wheel", "bump2version", "coveralls", "codecov"),
        *("black", "ruff", "flake8", "pylint", "isort", "mypy", "pyright", "bandit", "radon"),
        *("sphinx", "furo", "mkdocs", "mkdocs-material", "ipython", "jupyter", "notebook"),
        *("pytest-pycodestyle", "pytest-codestyle", "pytest-flake8", "pytest-black", "pytest-isort", "pytest-mypy"),
        *("pytest-pylint", "pytest-ruff", "pytest-cov", "coverage"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """An environment with the lock that it was built from, and what was left out to make it possible."""

    environment: Environment
    lock: str
    notes: tuple[str, ...] = ()


def ensure(tree: Tree, project: Project, root: Path, *, like: str | None = None) -> Resolved:
    """The environment of a tree's tests, from the cache under `root` or built into it.

    `like` is a lock whose versions are kept where the requirements allow it. Raises EnvironmentBuildError where the
    project's lock cannot be used, and with uv's own reason where the requirements cannot be resolved or installed.
    """
    requirements = project.requirements
    if requirements.refusal is not None:
        raise _refused(requirements, requirements.refusal)
    words = (requirements_text(requirements), platform.python_version(), platform.machine(), like or "")
    key = hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]
    kept = root / "resolutions" / f"{key}.txt"
    notes: tuple[str, ...] = ()
    if kept.is_file():
        lock = kept.read_text("utf-8")
    else:
        lock = (
            _locked(tree, requirements, like) if requirements.lock else _resolve(requirements.lines, requirements, like)
        )
        kept.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(kept, lock)
    first = lock.partition("\n")[0]
    if first.startswith(_WITHOUT):
        notes = (f"the environment lacks {first.removeprefix(_WITHOUT)}: they could not be resolved",)
    try:
        built = environment.ensure(kept, ">=3.11", root, reviewed=False)
    except EnvironmentBuildError as error:
        raise EnvironmentBuildError(str(error).replace(str(kept), requirements.lock or "the tests")) from error
    return Resolved(environment=built, lock=lock, notes=notes)


def _refused(requirements: Requirements, reason: str) -> EnvironmentBuildError:
    return EnvironmentBuildError(
        f"The lock {requirements.lock} cannot be used: {reason}; lock again with the tool that wrote it."
    )


def _resolve(lines: tuple[str, ...], requirements: Requirements, like: str | None) -> str:
    """Requirements with pytest, pinned with hashes; tools of development are left out where they stand in the way."""
    wanted = [*lines] if any(_name(line) == "pytest" for line in lines) else [*lines, "pytest"]
    limits = (*requirements.constraints, *(pin.partition(" ")[0] for pin in requirements.pins))
    try:
        return _with_hashes(_compile(wanted, limits, like), requirements.hashed)
    except EnvironmentBuildError:
        fewer = [line for line in wanted if _name(line) not in _DEVELOPER_TOOLS]
        if len(fewer) == len(wanted):
            raise
        dropped = ", ".join(sorted({_name(line) for line in wanted} - {_name(line) for line in fewer}))
        return f"{_WITHOUT}{dropped}\n" + _with_hashes(_compile(fewer, limits, like), requirements.hashed)


def _with_hashes(text: str, hashed: tuple[str, ...]) -> str:
    """What uv wrote, with the hashes that the project names in place of those that the index says."""
    if not hashed:
        return text
    named = {line.partition(" ")[0]: line for line in hashed}
    return "".join(f"{named.get(line.partition(' ')[0], line)}\n" for line in _pins(text))


def _locked(tree: Tree, requirements: Requirements, like: str | None) -> str:
    """The pins of a lock as they are, and beside them what the tests need that it does not hold."""
    if requirements.lock == UV_LOCK:
        requirements = replace(requirements, pins=_export(tree, requirements))
    held = {_name(pin) for pin in requirements.pins}
    if not requirements.lines and "pytest" in held:
        return "\n".join(requirements.pins) + "\n"
    text = _resolve(requirements.lines, requirements, like)
    header = text.partition("\n")[0] + "\n" if text.startswith(_WITHOUT) else ""
    added = (pin for pin in _pins(text) if _name(pin) not in held)
    return header + "\n".join([*requirements.pins, *added]) + "\n"


def _pins(text: str) -> list[str]:
    """The pins of what uv wrote, a line each."""
    joined = re.sub(r"\\\n\s*", " ", text)
    lines = (re.sub(r"\s+", " ", re.sub(r"(^|\s)#.*$", "", line)).strip() for line in joined.splitlines())
    return [line for line in lines if line]


def _compile(lines: Sequence[str], constraints: Sequence[str], like: str | None) -> str:
    with scratch_folder("qualityscore-resolve-") as folder:
        wanted, limits, output = (folder / name for name in ("requirements.in", "constraints.txt", "lock.txt"))
        wanted.write_text("\n".join(lines) + "\n", "utf-8")
        limits.write_text("\n".join(constraints) + "\n", "utf-8")
        if like is not None:
            output.write_text(like, "utf-8")
        reason = _uv(
            folder,
            *("pip", "compile", "--no-config", "--quiet", "--generate-hashes", "--no-build", "--no-header"),
            *("--no-emit-index-url", "--python", environment.interpreter(), "-c", str(limits)),
            *("-o", str(output), str(wanted)),
        )
        if reason is not None:
            raise EnvironmentBuildError(f"The requirements of the tests cannot be resolved to wheels: {reason}")
        return output.read_text("utf-8")


def _export(tree: Tree, requirements: Requirements) -> tuple[str, ...]:
    """The pins of a `uv.lock` that apply here, with its hashes."""
    with scratch_folder("qualityscore-export-") as folder:
        copied = folder / "project"
        copied.mkdir()
        for name in ("pyproject.toml", UV_LOCK):
            (copied / name).write_bytes((tree.root / name).read_bytes())
        output = folder / "lock.txt"
        reason = _uv(
            copied,
            *("export", "--quiet", "--frozen", "--no-emit-project", "--no-emit-workspace"),
            *("--no-header", "--no-annotate", "--python", environment.interpreter(), "-o", str(output)),
            *(word for group in requirements.groups for word in ("--group", group)),
            *(word for extra in requirements.extras for word in ("--extra", extra)),
        )
        if reason is not None:
            raise _refused(requirements, reason.removeprefix("error: ").rstrip("."))
        lines = _pins(output.read_text("utf-8"))
    try:
        return tuple(pin for line in lines if (pin := _applying(line)) is not None)
    except (LockRefusedError, ValueError) as error:
        raise _refused(requirements, str(error)) from error


def _applying(line: str) -> str | None:
    """One exported line as a pin; None where its marker does not hold here. Raises LockRefusedError for no release."""
    words, *hashes = line.split(" --hash=")
    if words.startswith(("-e ", ".", "/")):
        raise elsewhere(words.removeprefix("-e ").partition(" ")[0], "a folder")
    required = Requirement(words)
    if not applies(required.marker):
        return None
    if required.url is not None:
        raise elsewhere(required.name, required.url)
    return pin(required.name, str(required.specifier).removeprefix("=="), hashes)


def _uv(folder: Path, *words: str) -> str | None:
    """Run uv; its own reason where it fails. Raises EnvironmentBuildError when it takes too long."""
    outcome = run((uv.find_uv_bin(), *words), env=environment.uv_environment(), cwd=folder, limits=_LIMITS)
    if not isinstance(outcome, Exited):
        raise EnvironmentBuildError(
            f"Resolving the requirements of the tests took longer than {_LIMITS.wall_s:g} s; check the network."
        )
    return " ".join(outcome.stderr.decode("utf-8", "replace").split())[-600:] if outcome.code != 0 else None


def _name(line: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", line)
    return re.sub(r"[-_.]+", "-", match.group()).lower() if match else ""


def _write_whole(path: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).replace(path)
