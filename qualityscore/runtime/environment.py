"""A task's virtual environment: built by uv from hash-locked requirements, cached by digest, reused offline."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import stat
import sys
from pathlib import Path

import uv
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from qualityscore.errors import EnvironmentBuildError, TaskError
from qualityscore.runtime.cache import locked, whole_directory
from qualityscore.runtime.process import Exited, Limits, run
from qualityscore.runtime.sandbox.base import ENV_DIR
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Environment

_BUILD_LIMITS = Limits(
    wall_s=300.0,
    cpu_s=None,
    memory_bytes=None,
    processes=None,
    file_size_bytes=None,
    open_files=None,
    output_bytes=1 << 20,
)
_PASSED_ON = ("UV_", "PIP_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "XDG_")


def ensure(lock: Path, python_range: str, root: Path, *, reviewed: bool = True) -> Environment:
    """The environment of a lock file, built if the cache under `root` lacks it.

    Where nobody has reviewed the lock, no interpreter is started in the environment while it is built: packages may
    bring start-up code. Uses the interpreter that runs this process. Raises TaskError when the task's range excludes
    it, and EnvironmentBuildError with uv's own reason when the build fails. Two processes may call this at once.
    """
    version = platform.python_version()
    try:
        allowed = SpecifierSet(python_range)
    except InvalidSpecifier as error:
        raise TaskError(f"The task's python range {python_range!r} is not a version range: {error}.") from error
    if not allowed.contains(version, prereleases=True):
        raise TaskError(
            f"The task needs Python {python_range}, this is {version}; run qualityscore with an interpreter in range."
        )
    try:
        content = lock.read_bytes()
    except OSError as error:
        raise TaskError(f"The task's lock file {lock} cannot be read: {error.strerror}.") from error
    digest = hashlib.sha256(content).hexdigest()
    words = (digest, version, sys.base_prefix, platform.machine(), *(() if reviewed else ("unreviewed",)))
    key = hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]
    prefix = root / "environments" / key
    environment = Environment(
        prefix=prefix,
        base_prefix=Path(sys.base_prefix).resolve(),
        python=f"{ENV_DIR}/bin/python",
        version=version,
        lock_digest=digest,
    )
    if _complete(prefix):
        return environment
    with locked(root / "locks" / f"environment-{key}.lock"):
        if not _complete(prefix):
            with whole_directory(prefix) as building:
                _build(lock, building, reviewed=reviewed)
                (building / ".complete").write_text(json.dumps({"lock": digest, "python": version}))
    return environment


def compile_lock(requirements: str, minor: str) -> str:
    """Requirements in PEP 508 form, a line each, pinned with hashes for Python `minor` and later on every platform.

    Only wheels are taken, since building a package would run its code here, and no index is named. Raises
    EnvironmentBuildError with uv's own reason.
    """
    with scratch_folder("qualityscore-lock-") as folder:
        (folder / "requirements.in").write_text(requirements, "utf-8")
        argv = (
            *(uv.find_uv_bin(), "pip", "compile", "--quiet", "--universal", "--python-version", minor),
            *("--generate-hashes", "--no-build", "--no-header", "--no-emit-index-url", "--no-emit-find-links"),
            *("--python", interpreter(), "-o", "requirements.lock", "requirements.in"),
        )
        outcome = run(argv, env=uv_environment(), cwd=folder, limits=_BUILD_LIMITS)
        if not isinstance(outcome, Exited):
            raise EnvironmentBuildError(
                f"Resolving the requirements took longer than {_BUILD_LIMITS.wall_s:g} s; check the network."
            )
        if outcome.code != 0:
            reason = " ".join(outcome.stderr.decode("utf-8", "replace").split())[-600:]
            raise EnvironmentBuildError(f"The requirements cannot be resolved to wheels: {reason}")
        return (folder / "requirements.lock").read_text("utf-8")


def python_minor() -> str:
    """The minor version of the interpreter that builds environments, such as 3.11."""
    return ".".join(platform.python_version_tuple()[:2])


def _complete(prefix: Path) -> bool:
    return (prefix / ".complete").is_file()


def uv_environment() -> dict[str, str]:
    """The variables that uv is started with: the caller's indexes, proxies and certificates, and nothing else."""
    environment = {k: v for k, v in os.environ.items() if k.upper().startswith(_PASSED_ON)}
    return environment | {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.environ.get("HOME", "/"),
        "LANG": "C.UTF-8",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_PROGRESS": "1",
        "UV_LINK_MODE": "copy",
    }


def interpreter() -> str:
    """The interpreter that environments are made with."""
    return str(Path(getattr(sys, "_base_executable", None) or sys.executable).resolve())


def _build(lock: Path, folder: Path, *, reviewed: bool) -> None:
    tool = uv.find_uv_bin()
    environment = uv_environment()
    python = str(folder / "bin" / "python")
    compiling = ("--compile-bytecode",) if reviewed else ()
    steps = (
        (
            tool,
            "venv",
            "--quiet",
            "--no-project",
            "--allow-existing",
            "--relocatable",
            "--python",
            interpreter(),
            str(folder),
        ),
        (
            *(tool, "pip", "sync", "--quiet", "--require-hashes", "--no-build", "--allow-empty-requirements"),
            *(*compiling, "--python", python, str(lock)),
        ),
        *(() if reviewed else ((interpreter(), "-I", "-S", "-m", "compileall", "-q", str(folder / "lib")),)),
    )
    for argv in steps:
        outcome = run(argv, env=environment, cwd=folder, limits=_BUILD_LIMITS)
        if not isinstance(outcome, Exited):
            raise EnvironmentBuildError(
                f"Building the environment of {lock} took longer than {_BUILD_LIMITS.wall_s:g} s; check the network."
            )
        if outcome.code != 0 and "compileall" not in argv:  # files that no interpreter can read are of no matter
            reason = " ".join(outcome.stderr.decode("utf-8", "replace").split())[-600:]
            raise EnvironmentBuildError(
                f"The environment of {lock} could not be built (uv {argv[1]} ended with {outcome.code}): {reason}"
            )
    _make_readable(folder)


def _make_readable(folder: Path) -> None:
    """Let the sandbox's user read what the caller's umask may have closed."""
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            path.chmod(mode | 0o555)
        elif stat.S_ISREG(mode):
            path.chmod(mode | 0o444 | (0o111 if mode & 0o100 else 0))
