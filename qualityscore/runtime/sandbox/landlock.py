"""The `landlock` level: Landlock, a system-call filter and rlimits, where namespaces are refused.

No helper program is needed, and no file system is hidden or made: what the rules do not name cannot be opened. Other
processes stay visible, there is no loopback and no shared memory, and the size of the scratch has no limit. Started
by root, the command runs as a random user of this launch alone; started by an ordinary user, as that user.
"""

from __future__ import annotations

import contextlib
import ctypes
import marshal
import os
import sys
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from qualityscore.errors import SandboxUnavailableError
from qualityscore.runtime import process
from qualityscore.runtime.process import Exited, Limits, ProcessOutcome
from qualityscore.runtime.sandbox import landlock_launcher, scenery, seccomp
from qualityscore.runtime.sandbox.base import Availability, Capability, Launch, Level
from qualityscore.runtime.sandbox.identity import private_uid
from qualityscore.runtime.sandbox.probing import probe_launch
from qualityscore.runtime.sandbox.translation import scratch, translated

_OLDEST_ABI = 3  # before, truncate(2) could not be refused
_SIGNAL_SCOPE_ABI = 6
_CREATE_RULESET = 444
_VERSION_FLAG = 1
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_ETC = ("/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf")
_REMEDY = "a kernel with Landlock switched on (CONFIG_SECURITY_LANDLOCK, lsm=...,landlock), Linux 6.12 or newer"


class Landlock:
    """Files and signals by Landlock, system calls by seccomp, the rest by rlimits."""

    name = "landlock"
    level = Level.LANDLOCK
    capabilities = frozenset(
        {
            Capability.NO_PRIVILEGES,
            Capability.HOST_FILES_UNREADABLE,
            Capability.READ_ONLY,
            Capability.PROCESSES_PROTECTED,
            Capability.NETWORK_UNREACHABLE,
            Capability.CALLS_FILTERED,
            Capability.ENVIRONMENT_CLEARED,
            Capability.PROCESS_LIMIT,
            Capability.MEMORY_LIMIT,
            Capability.WALL_LIMIT,
            Capability.CPU_LIMIT,
            Capability.FILE_SIZE_LIMIT,
            Capability.OPEN_FILES_LIMIT,
            Capability.OUTPUT_LIMIT,
            Capability.DIES_TOGETHER,
            Capability.DIES_WITH_CALLER,
        }
    )

    def probe(self, cpus: tuple[int, ...] | None = None) -> Availability:
        """Ask the kernel, then try a trivial launch and check what it must hide."""
        abi = kernel_abi()
        if abi < _OLDEST_ABI:
            found = f"the kernel's Landlock is of version {abi}" if abi > 0 else "the kernel has no Landlock"
            return Availability(works=False, detail=f"{found}, {_OLDEST_ABI} is needed", remedy=_REMEDY)
        if abi < _SIGNAL_SCOPE_ABI and os.geteuid() != 0:
            detail = f"the kernel's Landlock (version {abi}) does not yet protect the user's processes from signals"
            return Availability(works=False, detail=detail, remedy=_REMEDY)
        return probe_launch(self, cpus, remedy=_REMEDY)

    def run(self, launch: Launch) -> ProcessOutcome:
        """Run to the end; everything inside is dead, and the scratch gone, when this returns.

        Raises SandboxUnavailableError when the restrictions cannot be set up.
        """
        with _prepared(launch) as (there, descriptors, status):
            outcome = process.run(
                _launcher(descriptors),
                env={},
                cwd=Path("/"),
                limits=_outer(launch.limits),
                stdin=there.stdin,
                pass_fds=descriptors,
                cpus=launch.cpus,
            )
            return _judged(outcome, status)

    def stream(self, launch: Launch) -> Generator[bytes, None, ProcessOutcome]:
        """Like `run`, but yield standard output line by line; the generator returns the outcome."""
        with _prepared(launch) as (there, descriptors, status):
            outcome = yield from process.stream(
                _launcher(descriptors),
                env={},
                cwd=Path("/"),
                limits=_outer(launch.limits),
                line_bytes=launch.limits.output_bytes,
                stdin=there.stdin,
                pass_fds=descriptors,
                cpus=launch.cpus,
            )
            return _judged(outcome, status)


def kernel_abi() -> int:
    """The version of Landlock that the running kernel offers; 0 or less where it has none or it is switched off."""
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.syscall(ctypes.c_long(_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG)))


def _launcher(descriptors: tuple[int, int]) -> list[str]:
    return [sys.executable, "-ISB", landlock_launcher.__file__, *map(str, descriptors)]


def _outer(limits: Limits) -> Limits:
    """Limits for the launcher; those on the command are set by it."""
    return replace(limits, cpu_s=None, memory_bytes=None, processes=None, file_size_bytes=None, open_files=None)


@contextlib.contextmanager
def _prepared(launch: Launch) -> Iterator[tuple[Launch, tuple[int, int], int]]:
    """(the translated launch, descriptors of specification and status, that of the status)."""
    uid = private_uid() if os.geteuid() == 0 else None
    with scratch() as folder, contextlib.ExitStack() as stack:
        there = translated(launch, folder)
        if uid is not None:
            _check_reachable(launch)
            for path in (folder, *folder.iterdir()):
                os.chown(path, uid, uid)
            for mount in launch.mounts:
                if mount.writable:
                    mount.source.chmod(0o777)
        words = marshal.dumps(specification(launch, there, folder, uid))
        descriptors = (_memory(words, stack), _memory(b"", stack))
        yield there, descriptors, descriptors[1]


def _memory(content: bytes, stack: contextlib.ExitStack) -> int:
    descriptor = os.memfd_create("qualityscore")
    stack.callback(os.close, descriptor)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _check_reachable(launch: Launch) -> None:
    """Root gives the command another identity, which must be able to come by every folder on the way."""
    for mount in launch.mounts:
        for folder in mount.source.resolve().parents:
            if not folder.stat().st_mode & 0o001:
                raise SandboxUnavailableError(
                    f"{folder} is closed to other users, so the sandboxed one cannot reach {mount.source}; "
                    "open it (chmod o+x), evaluate as an ordinary user, or install bubblewrap"
                )


def specification(launch: Launch, there: Launch, folder: Path, uid: int | None) -> dict[str, Any]:
    """What the launcher does, as plain data; rules are (path, kind) with the kinds of `landlock_launcher`."""
    rules: list[tuple[str, str]] = [(str(folder), "all"), ("/proc", "data")]
    rules += [(path, "device") for path in _DEVICES]
    rules += [(path, "read") for path in (*_ETC, *scenery.etc_from_host()) if Path(path).exists()]
    # Names inside a hidden folder can be listed here, their contents cannot be read.
    hidden = {_source(launch, path) for path in launch.hidden} | {Path(path) for path in scenery.hidden_places()}
    shown = [Path(path) for path in scenery.root_folders()]
    for mount in launch.mounts:
        if mount.writable:
            rules.append((str(mount.source), "all"))
        else:
            shown.append(mount.source)
    covered = {str(path.resolve()) for path in hidden}
    above = {str(folder) for path in hidden for folder in path.resolve().parents}
    for path in shown:
        place = str(path.resolve())
        rules += _around(place, covered - {place}, above)
    return {
        "argv": there.argv,
        "env": there.env,
        "cwd": there.cwd,
        "uid": uid,
        "rules": rules,
        "abi": kernel_abi(),
        "seccomp": seccomp.program(network=False),
        "cpu_s": launch.limits.cpu_s,
        "memory_bytes": launch.limits.memory_bytes,
        "processes": launch.limits.processes,
        "file_size_bytes": launch.limits.file_size_bytes,
        "open_files": launch.limits.open_files,
    }


def _source(launch: Launch, path: str) -> Path:
    """The host path behind an in-sandbox path."""
    for mount in sorted(launch.mounts, key=lambda mount: len(mount.target), reverse=True):
        if Path(path).is_relative_to(mount.target):
            return mount.source / Path(path).relative_to(mount.target)
    return Path(path)


def _around(path: str, hidden: set[str], above: set[str]) -> Iterator[tuple[str, str]]:
    """Rules that show `path` without what is hidden below it: a rule holds for a whole hierarchy, so it is split.

    `above` are all folders that have something hidden below them.
    """
    if path in hidden:
        return
    if path not in above:
        yield path, "read"
        return
    yield path, "list"
    with os.scandir(path) as entries:
        for child in entries:
            if not child.is_symlink():
                yield from _around(child.path, hidden, above)


def _judged(outcome: ProcessOutcome, status: int) -> ProcessOutcome:
    if not isinstance(outcome, Exited):
        return outcome
    told = os.pread(status, 4096, 0)
    if not told:
        said = outcome.stderr.decode(errors="replace").strip()[-500:] or f"status {outcome.code}"
        raise SandboxUnavailableError(f"the sandbox could not be set up: {said}")
    kind, _, text = told.decode(errors="replace").partition(" ")
    if kind == "error":
        raise SandboxUnavailableError(f"the sandbox could not be set up: {text}")
    return replace(outcome, code=os.waitstatus_to_exitcode(int(text)))
