"""A seat: one physical core that a process of ours works on, held by a lock file per core of this machine.

Whoever evaluates beside others that it does not know of takes a seat first, so that no two work on one core. It is not
the lease of `runtime/leases.py`: that one is taken within an evaluation, for timing.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from qualityscore.errors import HarnessError
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.leases import Core, is_leased, physical_cores

_POLL_S = 0.1


@contextmanager
def seated(*, before: str | None = None, deadline_s: float) -> Iterator[Core]:
    """Hold a free core and keep the calling process to it inside the block.

    Cores on which nothing is timed come first, of these the one named `before`.

    Raises HarnessError when every core stays taken until the deadline, or the locks cannot be made.
    """
    allowed = os.sched_getaffinity(0)
    cores = sorted(physical_cores(), key=lambda core: (is_leased(core), core.name != before))
    descriptor, core = _take(cores, time.monotonic() + deadline_s)
    try:
        os.sched_setaffinity(0, core.cpus)
        yield core
    finally:
        os.sched_setaffinity(0, allowed)
        os.close(descriptor)


def _take(cores: list[Core], give_up: float) -> tuple[int, Core]:
    folder = cache_root() / "locks" / "seats"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        while True:
            for core in cores:
                descriptor = os.open(folder / f"{core.name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(descriptor)
                    continue
                return descriptor, core
            if time.monotonic() > give_up:
                raise HarnessError(f"All {len(cores)} cores of this machine are taken by other evaluations.")
            time.sleep(_POLL_S)
    except OSError as error:
        raise HarnessError(f"The core locks in {folder} cannot be used: {error.strerror}.") from error
