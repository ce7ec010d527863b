"""A process and everything that came from it, found and killed by way of /proc."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qualityscore.errors import ToolError

TREE_VARIABLE = "QUALITYSCORE_TREE"

_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37
_KILL_PATIENCE_S = 5.0


class _Adoption:
    """How many trees are running, and whether this process was a subreaper before the first."""

    lock = threading.Lock()
    trees = 0
    before = 0


def _forget() -> None:
    """In a forked process, which has no trees yet and has not inherited being a subreaper."""
    _Adoption.lock, _Adoption.trees = threading.Lock(), 0


os.register_at_fork(after_in_child=_forget)


@contextlib.contextmanager
def adopting_orphans() -> Iterator[None]:
    """Let orphans of our processes come to us rather than to init (prctl(2)) inside the block, so as to find them."""
    libc = ctypes.CDLL(None, use_errno=True)
    owner = os.getpid()
    with _Adoption.lock:
        if _Adoption.trees == 0:
            state = ctypes.c_int()
            libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(state), 0, 0, 0)
            _Adoption.before = state.value
            libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        _Adoption.trees += 1
    try:
        yield
    finally:
        if os.getpid() == owner:
            with _Adoption.lock:
                _Adoption.trees -= 1
                if _Adoption.trees == 0:
                    libc.prctl(_PR_SET_CHILD_SUBREAPER, _Adoption.before, 0, 0, 0)


class ProcessTree:
    """A child of ours, its descendants, its session, and orphans with `TREE_VARIABLE=token` in their environment."""

    def __init__(self, root: int, token: str) -> None:
        self._root = root
        self._mark = f"{TREE_VARIABLE}={token}".encode()

    def kill(self) -> None:
        """Kill every member until none is left; the root's status remains to be collected.

        The root is stopped first and killed last: as long as it exists, a subreaper among the members keeps the
        others connected to it.

        Raises ToolError when a member survives SIGKILL for seconds (uninterruptible I/O).
        """
        _signal(self._root, signal.SIGSTOP)
        give_up = time.monotonic() + _KILL_PATIENCE_S
        seen: set[int] = set()
        while True:
            members, dead = self._members()
            seen |= members | dead
            if not members:
                break
            for pid in members - {self._root} or members:
                _signal(pid, signal.SIGKILL)
            if time.monotonic() > give_up:
                raise ToolError(f"processes {sorted(members)} survive SIGKILL; the host's I/O hangs")
            time.sleep(0.001)
        for pid in seen - {self._root}:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)

    def _members(self) -> tuple[set[int], set[int]]:
        """(living, dead but not yet collected)."""
        table = _process_table()
        root, own = self._root, os.getpid()
        members = {
            pid
            for pid, entry in table.items()
            if root in {pid, entry.session} or (entry.parent == own and self._is_marked(pid))
        }
        grew = True
        while grew:
            found = {pid for pid, entry in table.items() if entry.parent in members} - members
            members |= found
            grew = bool(found)
        dead = {pid for pid in members if table[pid].is_dead}
        return members - dead, dead

    def _is_marked(self, pid: int) -> bool:
        try:
            return self._mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    parent: int
    session: int
    is_dead: bool


def _process_table() -> dict[int, _Entry]:
    """Every visible process from /proc/PID/stat (proc(5): after the name: state, ppid, pgrp, session)."""
    table = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                text = (folder / "stat").read_bytes()
            except OSError:
                continue
            state, parent, _, session = text[text.rindex(b")") + 2 :].split(b" ", 4)[:4]
            table[int(folder.name)] = _Entry(parent=int(parent), session=int(session), is_dead=state in b"ZX")
    return table


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
