"""One physical core for one timing: a lock file per core, honoured by every evaluation of this user.

Whoever times something holds a core; its SMT siblings are part of the lease and stay idle. Work that is not timed
takes the other cores.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from qualityscore.errors import HarnessError
from qualityscore.runtime.cache import cache_root

_POLL_S = 0.05
_CPUS = Path("/sys/devices/system/cpu")


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """A physical core: its logical CPUs that this process may use, and all that it has (default: the same).

    Both are lowest first.
    """

    cpus: tuple[int, ...]
    siblings: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Names the lock, alike in processes that may use different CPUs of it."""
        return f"core-{(self.siblings or self.cpus)[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A held core. `cpu` is the one to pin to; `others` are for everything that is not timed (never empty)."""

    cpu: int
    others: tuple[int, ...]


def physical_cores(allowed: frozenset[int] | None = None, topology: Path = _CPUS) -> tuple[Core, ...]:
    """The physical cores among the allowed CPUs (default: this process's affinity), in order."""
    usable = frozenset(os.sched_getaffinity(0)) if allowed is None else allowed
    groups: dict[frozenset[int], tuple[int, ...]] = {}
    for cpu in sorted(usable):
        siblings = _siblings(topology / f"cpu{cpu}" / "topology" / "thread_siblings_list", cpu)
        groups.setdefault(siblings, tuple(sorted(siblings & usable)))
    return tuple(Core(cpus=cpus, siblings=tuple(sorted(siblings))) for siblings, cpus in groups.items())


def _siblings(file: Path, cpu: int) -> frozenset[int]:
    """Parse a CPU list such as `0,4` or `0-1` (cpuset(7)); the CPU alone where the kernel does not tell."""
    try:
        text = file.read_text("ascii").strip()
    except OSError:
        return frozenset({cpu})
    found = {cpu}
    for piece in filter(None, text.split(",")):
        first, _, last = piece.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return frozenset(found)


def lock_folder() -> Path:
    """Where the lock files lie: in the cache, which is the user's own and outlives every TMPDIR."""
    return cache_root() / "locks" / "cores"


@contextmanager
def lease_core(
    *, deadline_s: float, folder: Path | None = None, cores: tuple[Core, ...] | None = None
) -> Iterator[Lease]:
    """Hold a physical core, the last free one first, since interrupts favour the first.

    Raises HarnessError when every core stays taken until the deadline, or the locks cannot be made.
    """
    available = physical_cores() if cores is None else cores
    place = folder or lock_folder()
    descriptor, core = _take(place, available, deadline_s)
    try:
        others = tuple(cpu for other in available if other != core for cpu in other.cpus)
        yield Lease(cpu=core.cpus[0], others=others or core.cpus)
    finally:
        os.close(descriptor)


def spare_cpus(folder: Path | None = None, cores: tuple[Core, ...] | None = None) -> tuple[int, ...] | None:
    """The CPUs of the cores that no timing holds now, for work that is not timed.

    None where there is nothing to keep away from: no core is held, or every one is.
    """
    place = folder or lock_folder()
    available = physical_cores() if cores is None else cores
    free = [core for core in available if not is_leased(core, place)]
    return tuple(cpu for core in free for cpu in core.cpus) if 0 < len(free) < len(available) else None


def is_leased(core: Core, folder: Path | None = None) -> bool:
    """Whether something is timed on a core now."""
    return _held((folder or lock_folder()) / f"{core.name}.lock")


def _held(lock: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _take(place: Path, available: tuple[Core, ...], deadline_s: float) -> tuple[int, Core]:
    give_up = time.monotonic() + deadline_s
    try:
        place.mkdir(parents=True, exist_ok=True)
        while True:
            for core in reversed(available):
                descriptor = os.open(
                    place / f"{core.name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644
                )
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(descriptor)
                    continue
                return descriptor, core
            if time.monotonic() > give_up:
                raise HarnessError(
                    f"All {len(available)} cores have been leased to other timings for {deadline_s:g} s; "
                    f"wait for them, or look for their locks in {place}."
                )
            time.sleep(_POLL_S)
    except OSError as error:
        raise HarnessError(f"The core locks in {place} cannot be used: {error.strerror}.") from error
