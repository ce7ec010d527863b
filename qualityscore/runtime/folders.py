"""The files under a folder that a person hands in, links followed, so that no result vanishes without a word."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from qualityscore.errors import ReportError

MAX_DEPTH = 40
MAX_ENTRIES = 1_000_000


def files_under(folder: Path) -> Iterator[Path]:
    """Everything under a folder that is no folder, in the order of names; pipes and devices too.

    A link back to a folder that it lies in is passed over: what is there is read anyway. So is a hidden link that leads
    nowhere, which editors make as a lock. Raises ReportError naming any other entry that cannot be followed, a folder
    that cannot be read, and one that holds more than results do.
    """
    at = _entry_of(folder)
    pending: list[tuple[Path, tuple[tuple[int, int], ...]]] = [(folder, ((at.st_dev, at.st_ino),))]
    seen = 0
    while pending:
        path, above = pending.pop()
        if len(above) > MAX_DEPTH:
            raise ReportError(
                f"{path} lies more than {MAX_DEPTH} folders deep; give the folder that holds the results."
            )
        try:
            entries = sorted(path.iterdir())
        except OSError as error:
            raise ReportError(f"The folder {path} cannot be read: {error.strerror}; make it readable.") from None
        seen += len(entries)
        if seen > MAX_ENTRIES:
            raise ReportError(f"{folder} holds more than {MAX_ENTRIES} files; give the folder that holds the results.")
        inner: list[tuple[Path, tuple[tuple[int, int], ...]]] = []
        for entry in entries:
            if entry.name.startswith(".") and entry.is_symlink() and _mode(entry) == 0:
                continue
            about = _entry_of(entry)
            identity = (about.st_dev, about.st_ino)
            if not stat.S_ISDIR(about.st_mode):
                yield entry
            elif identity not in above:
                inner.append((entry, (*above, identity)))
        pending += reversed(inner)


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _entry_of(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        what = "is a link that leads nowhere" if path.is_symlink() else f"cannot be read: {error.strerror}"
        raise ReportError(f"{path} {what}; mend it, or remove it from the results.") from None
