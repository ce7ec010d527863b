"""What every sandbox provider offers, and what a launch asks for."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from qualityscore.runtime.process import Limits, ProcessOutcome

SUBJECT_DIR = "/qs/subject"
SUITE_DIR = "/qs/suite"
INSIDE_DIR = "/qs/inside"
ENV_DIR = "/qs/env"
WORK_DIR = "/tmp/work"
HOME_DIR = "/tmp/home"


class Level(StrEnum):
    """How strongly a launch was contained; recorded in every result."""

    CONTAINER = "container"
    NAMESPACE = "namespace"
    LANDLOCK = "landlock"
    NONE = "none"


class Capability(StrEnum):
    """What a provider may promise; the value says it to a person. The conformance suite tries each promise."""

    NO_PRIVILEGES = "not root, no capabilities, no new privileges"
    HOST_FILES_UNREADABLE = "files of the host beyond runtime and mounts cannot be read"
    HOST_FILES_HIDDEN = "files of the host cannot even be named"
    READ_ONLY = "nothing outside the scratch can be written"
    MODES_PROTECTED = "modes and times of files outside the scratch cannot be changed"
    PROCESSES_HIDDEN = "no other process is visible"
    PROCESSES_PROTECTED = "no other process can be signalled or traced"
    NETWORK_UNREACHABLE = "the network cannot be reached"
    OWN_LOOPBACK = "a loopback of its own, localhost resolves"
    CALLS_FILTERED = "system calls are filtered, namespaces cannot be nested"
    ENVIRONMENT_CLEARED = "the caller's environment is not passed on"
    HOME = "user name, HOME and temporary folder exist and are private"
    SHARED_MEMORY = "shared memory and semaphores work"
    PROCESS_LIMIT = "the number of processes is limited"
    MEMORY_LIMIT = "memory of a process is limited"
    WALL_LIMIT = "wall time is limited"
    CPU_LIMIT = "processor time of a process is limited"
    FILE_SIZE_LIMIT = "the size of a file is limited"
    OPEN_FILES_LIMIT = "open files of a process are limited"
    SCRATCH_LIMIT = "the size of the scratch is limited"
    OUTPUT_LIMIT = "output is limited"
    DIES_TOGETHER = "daemons and stopped processes die within 1 s of the deadline"
    DIES_WITH_CALLER = "everything dies when the caller is killed outright"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A host path made visible inside, read-only unless `writable`."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One sandboxed command. The interpreter's runtime and the system libraries are always visible, read-only.

    `argv` is executed as PID 1 of its own PID namespace where the provider has one. `scratch_bytes` bounds the
    private writable /tmp (HOME and the working directory lie in it). `cpus` has no default: whoever launches keeps off
    leased cores (`leases.spare_cpus`) or holds one. Nothing of the caller's environment is inherited;
    PATH, HOME, USER, LOGNAME, TMPDIR, LANG=C.UTF-8, TZ=UTC and PYTHONHASHSEED=0 are set unless `env` says otherwise.
    """

    argv: tuple[str, ...]
    mounts: tuple[Mount, ...]
    env: dict[str, str]
    limits: Limits
    scratch_bytes: int
    cpus: tuple[int, ...] | None  # sched_setaffinity for the whole tree; None: wherever this process may run
    cwd: str = WORK_DIR
    stdin: bytes = b""
    hidden: tuple[str, ...] = ()  # folders inside that are covered by an empty one, after all mounts

    @property
    def shm_bytes(self) -> int:
        """Size of /dev/shm, which comes on top of the scratch."""
        return max(self.scratch_bytes // 4, 8 << 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """Whether a provider works here, found by trying it, and how to get it where it does not."""

    works: bool
    detail: str
    remedy: str | None = None


class Sandbox(Protocol):
    """A provider."""

    name: str
    level: Level
    capabilities: frozenset[Capability]

    def probe(self, cpus: tuple[int, ...] | None = None) -> Availability:
        """Try a trivial launch, on `cpus` (as in `Launch`), and check what it must hide."""
        ...

    def run(self, launch: Launch) -> ProcessOutcome:
        """Run to the end; everything inside is dead when this returns."""
        ...

    def stream(self, launch: Launch) -> Generator[bytes, None, ProcessOutcome]:
        """Yield standard output line by line as it comes (each line capped); ends when everything inside is dead.

        After exhaustion the generator's return value is the ProcessOutcome (stdout empty).
        """
        ...
