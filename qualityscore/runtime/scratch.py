"""Temporary folders that do not outlive their process for good: what a killed one leaves, the next one removes.

Beside a folder NAME lies a file NAME.owner with the process that made it (its id and start time), locked (flock(2)) for
as long as the folder is in use. The kernel releases the lock however the process ends, so a lock that can be taken
means that nobody owns the folder any more.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import re
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from qualityscore.inside.scratch import remove

_SUFFIX = ".owner"
_OURS = re.compile(r"(qualityscore|qs)-[A-Za-z0-9_-]+\.owner")
_OWNER_BYTES = 4096
_UNBORN_S = 3600.0  # an owner file without a word may belong to a process that is just about to lock it
_MOST_ENTRIES = 50_000
_MOST_FOLDERS = 32
_RECLAIM_S = 5.0


class ScratchFolder:
    """A new folder `path`, only its owner's, in the folder for temporary files; there until `remove`.

    `prefix` begins with qualityscore- or qs-. The first of a process also removes what killed processes left behind.
    """

    def __init__(self, prefix: str) -> None:
        place = tempfile.gettempdir()
        _reclaim_once(place)
        self._lock: int | None = None
        while True:
            self.path = Path(place, f"{prefix}{secrets.token_hex(6)}")
            self._owner = Path(f"{self.path}{_SUFFIX}")
            try:
                self._lock = _claim(self._owner)
                self.path.mkdir(mode=0o700)
                return
            except FileExistsError:
                self._let_go()
            except BaseException:
                self._let_go()
                raise

    def remove(self) -> None:
        """Remove the folder; what resists is left to the next process that makes one."""
        remove(str(self.path))
        self._let_go()

    def _let_go(self) -> None:
        if self._lock is None:
            return
        if not os.path.lexists(self.path):
            self._owner.unlink(missing_ok=True)
        os.close(self._lock)
        self._lock = None


@contextlib.contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A `ScratchFolder` for as long as the block lasts."""
    folder = ScratchFolder(prefix)
    try:
        yield folder.path
    finally:
        folder.remove()


def reclaim(place: Path) -> int:
    """Remove the folders in `place` whose owners are gone; returns how many.

    Only the user's own, none that is a link or lies on another file system, and a bounded number at a time.
    """
    until = time.monotonic() + _RECLAIM_S
    removed = 0
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in islice(entries, _MOST_ENTRIES):
            if removed >= _MOST_FOLDERS or time.monotonic() > until:
                break
            if _OURS.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    removed += _reclaim_one(Path(entry.path))
    return removed


@functools.cache
def _reclaim_once(place: str) -> None:
    reclaim(Path(place))


def _claim(owner: Path) -> int | None:
    """Make and lock the owner file; None where the file system knows no locks: then nothing is reclaimed."""
    descriptor = os.open(owner, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, json.dumps({"pid": os.getpid(), "started": _started(os.getpid())}).encode())
    except OSError:
        owner.unlink(missing_ok=True)
        os.close(descriptor)
        return None
    return descriptor


def _reclaim_one(owner: Path) -> bool:
    """Remove the folder of an owner file if its owner is gone; whether there was one to remove."""
    descriptor = os.open(owner, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid():
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: its owner lives
        if os.fstat(descriptor).st_nlink != 1 or _lives(os.read(descriptor, _OWNER_BYTES), state.st_mtime):
            return False
        folder = owner.with_name(owner.name.removesuffix(_SUFFIX))
        found = _is_ours(folder)
        if found:
            remove(str(folder))
        if not os.path.lexists(folder):
            owner.unlink()
        return found
    finally:
        os.close(descriptor)


def _lives(said: bytes, written: float) -> bool:
    """Whether the process that an unlocked owner file names is there after all, as far as can be told."""
    try:
        document = json.loads(said)
        pid, started = document["pid"], document["started"]
    except (ValueError, KeyError, TypeError):
        return time.time() - written < _UNBORN_S
    return isinstance(pid, int) and started is not None and _started(pid) == started


def _is_ours(folder: Path) -> bool:
    try:
        state, around = folder.lstat(), folder.parent.stat()
    except OSError:
        return False
    return stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid() and state.st_dev == around.st_dev


def _started(pid: int) -> int | None:
    """When a process began, in clock ticks since the host did (proc(5)); None where there is none."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None
