"""The environment of a repository's own tests: its requirements resolved by uv to hashes, then built like a task's.

A resolution is kept until the cache is emptied: the same requirements give the same environment, so that two states
with equal requirements run under equal packages. Only wheels are used, as building a package would run its code here.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import uv

from qualityscore.branch.project import Project, requirements_text
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

    `like` is a lock whose versions are kept where the requirements allow it. Raises EnvironmentBuildError with uv's
    own reason where the requirements cannot be resolved or installed.
    """
    requirements = project.requirements
    locked = (tree.root / "uv.lock").read_bytes() if requirements.locked else b""
    words = (requirements_text(requirements), platform.python_version(), platform.machine(), like or "")
    key = hashlib.sha256("\0".join(words).encode() + locked).hexdigest()[:32]
    kept = root / "resolutions" / f"{key}.txt"
    notes: tuple[str, ...] = ()
    if kept.is_file():
        lock = kept.read_text("utf-8")
    else:
        lock = _export(tree, project) if requirements.locked else _resolve(project, like)
        kept.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(kept, lock)
    first = lock.partition("\n")[0]
    if first.startswith("# without "):
        notes = (f"the environment lacks {first.removeprefix('# without ')}: they could not be resolved",)
    return Resolved(environment=environment.ensure(kept, ">=3.11", root, reviewed=False), lock=lock, notes=notes)


def _resolve(project: Project, like: str | None) -> str:
    """The requirements, pinned with hashes; tools of development are left out where they stand in the way."""
    lines = [*project.requirements.lines]
    if not any(re.match(r"pytest\b(?!-)", line) for line in lines):
        lines.append("pytest")
    try:
        return _compile(lines, project.requirements.constraints, like)
    except EnvironmentBuildError:
        fewer = [line for line in lines if _name(line) not in _DEVELOPER_TOOLS]
        if len(fewer) == len(lines):
            raise
        dropped = ", ".join(sorted({_name(line) for line in lines} - {_name(line) for line in fewer}))
        return f"# without {dropped}\n" + _compile(fewer, project.requirements.constraints, like)


def _compile(lines: list[str], constraints: tuple[str, ...], like: str | None) -> str:
    with scratch_folder("qualityscore-resolve-") as folder:
        wanted, limits, output = (folder / name for name in ("requirements.in", "constraints.txt", "lock.txt"))
        wanted.write_text("\n".join(lines) + "\n", "utf-8")
        limits.write_text("\n".join(constraints) + "\n", "utf-8")
        if like is not None:
            output.write_text(like, "utf-8")
        _uv(
            folder,
            *("pip", "compile", "--no-config", "--quiet", "--generate-hashes", "--no-build", "--no-header"),
            *("--no-emit-index-url", "--python", environment.interpreter(), "-c", str(limits)),
            *("-o", str(output), str(wanted)),
        )
        return output.read_text("utf-8")


def _export(tree: Tree, project: Project) -> str:
    """The pins of a `uv.lock`, with its hashes."""
    with scratch_folder("qualityscore-export-") as folder:
        copied = folder / "project"
        copied.mkdir()
        for name in ("pyproject.toml", "uv.lock"):
            (copied / name).write_bytes((tree.root / name).read_bytes())
        output = folder / "lock.txt"
        requirements = project.requirements
        _uv(
            copied,
            *("export", "--quiet", "--frozen", "--no-emit-project", "--no-emit-workspace", "--no-emit-local"),
            *("--no-header", "--python", environment.interpreter(), "-o", str(output)),
            *(word for group in requirements.groups for word in ("--group", group)),
            *(word for extra in requirements.extras for word in ("--extra", extra)),
        )
        lock = output.read_text("utf-8")
    if re.search(r"^pytest==", lock, re.MULTILINE):
        return lock
    return lock + _compile(["pytest"], (), lock)


def _uv(folder: Path, *words: str) -> None:
    outcome = run((uv.find_uv_bin(), *words), env=environment.uv_environment(), cwd=folder, limits=_LIMITS)
    if not isinstance(outcome, Exited):
        raise EnvironmentBuildError(
            f"Resolving the requirements of the tests took longer than {_LIMITS.wall_s:g} s; check the network."
        )
    if outcome.code != 0:
        reason = " ".join(outcome.stderr.decode("utf-8", "replace").split())[-600:]
        raise EnvironmentBuildError(f"The requirements of the tests cannot be resolved to wheels: {reason}")


def _name(line: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", line)
    return re.sub(r"[-_.]+", "-", match.group()).lower() if match else ""


def _write_whole(path: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).replace(path)
