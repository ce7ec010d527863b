"""Users that exist for one launch only."""

from __future__ import annotations

import secrets
from pathlib import Path

from qualityscore.errors import SandboxUnavailableError

_LOWEST = 0x40000000  # above every range that distributions, containers or directory services hand out
_COUNT = 0x3F000000
_NOBODY = 65534
_FEWEST = 1000


def private_uid(maps: tuple[str, ...] = ("/proc/self/uid_map", "/proc/self/gid_map")) -> int:
    """A uid (and gid) that nobody else has, so that limits counted by user are the launch's own.

    In a user namespace that maps few ids (a rootless container), one of the upper half of these.

    Raises SandboxUnavailableError where there are hardly any.
    """
    ceiling = min(_ceiling(Path(path).read_text()) for path in maps)
    if ceiling >= _LOWEST + _COUNT:
        return _LOWEST + secrets.randbelow(_COUNT)
    if ceiling < _FEWEST:
        raise SandboxUnavailableError(
            "root has no other users to give to the sandbox in this user namespace; evaluate as an ordinary user"
        )
    while True:
        uid = ceiling - 1 - secrets.randbelow(ceiling // 2)
        if uid != _NOBODY:
            return uid


def _ceiling(text: str) -> int:
    """The first id above all that are mapped; lines are (first inside, first outside, count), user_namespaces(7)."""
    return max(int(line.split()[0]) + int(line.split()[2]) for line in text.splitlines())
