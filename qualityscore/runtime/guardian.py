"""A shell that outlives us by a moment: when this process is killed outright, it kills the process groups left.

A parent-death signal (PR_SET_PDEATHSIG) does not do: the kernel sends it with the dead parent's rights, which in a
sandbox started by root do not reach its differently owned first process; and it fires when a mere thread ends.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import subprocess
from collections.abc import Iterator

_WATCH = """
held=
while read -r word group; do
  case $word in
    +) held="$held $group" ;;
    -) kept=; for one in $held; do [ "$one" = "$group" ] || kept="$kept $one"; done; held=$kept ;;
  esac
done
for one in $held; do kill -KILL "-$one"; done
"""


def stand_by() -> None:
    """Have the guardian before there is anything to guard: starting it takes longer than a program needs to start."""
    with contextlib.suppress(OSError):
        _guardian()


@contextlib.contextmanager
def guarded(group: int) -> Iterator[None]:
    """Let the guardian kill the process group `group` if this process dies inside the block."""
    owner = os.getpid()
    _tell(f"+ {group}")
    try:
        yield
    finally:
        if os.getpid() == owner:
            _tell(f"- {group}")


def _tell(line: str) -> None:
    with contextlib.suppress(OSError):
        os.write(_guardian(), f"{line}\n".encode())


@functools.cache
def _guardian() -> int:
    """Start the guardian; the descriptor it listens to. Its end, with this process, is what it waits for."""
    listening, talking = os.pipe()
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH],
            env={},
            cwd="/",
            stdin=listening,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    finally:
        os.close(listening)

    owner = os.getpid()

    def dismiss() -> None:
        if os.getpid() == owner:
            os.close(talking)
            process.wait()

    atexit.register(dismiss)
    return talking


def _forget() -> None:
    """In a forked process: the guardian is its parent's, whose end it would not see as long as we could talk to it."""
    if _guardian.cache_info().currsize:
        os.close(_guardian())
        _guardian.cache_clear()


os.register_at_fork(after_in_child=_forget)
