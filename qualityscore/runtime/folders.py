"""The files under a folder that a person hands in, links followed, so that no result vanishes without a word."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from qualityscore.errors import ReportError

MAX_DEPTH = 40
MAX_ENTRIES = 1_000_000
_OF_RESULTS = (".json", ".yaml", ".yml")
_FOLDER_DEPTH = 2


def files_under(folder: Path) -> Iterator[Path]:
    """Everything under a folder that is no folder, in the order of names; pipes and devices too.

    A folder is read once, however many links lead to it, and under its own name where it lies here itself: linked
    folders come last. A link that leads nowhere is passed over where it can be no result. Raises ReportError naming one
    that could be, a folder that cannot be read, and one that holds more than results do.
    """
    real: list[tuple[Path, int]] = [(folder, 1)]
    linked: list[tuple[Path, int]] = []
    known = {_identity(_entry_of(folder))}
    seen = 0
    while real or linked:
        path, depth = real.pop() if real else linked.pop(0)
        if depth > MAX_DEPTH:
            raise ReportError(
                f"{path} lies more than {MAX_DEPTH} folders deep; give the folder that holds the results."
            )
        if path.is_symlink() and path != folder:
            if _identity(_entry_of(path)) in known:
                continue
            known.add(_identity(_entry_of(path)))
        try:
            entries = sorted(path.iterdir())
        except OSError as error:
            raise ReportError(f"The folder {path} cannot be read: {error.strerror}; make it readable.") from None
        seen += len(entries)
        if seen > MAX_ENTRIES:
            raise ReportError(f"{folder} holds more than {MAX_ENTRIES} files; give the folder that holds the results.")
        inner: list[tuple[Path, int]] = []
        for entry in entries:
            if entry.is_symlink() and not entry.exists() and not _may_be_results(entry, depth):
                continue
            about = _entry_of(entry)
            if not stat.S_ISDIR(about.st_mode):
                yield entry
            elif entry.is_symlink():
                linked.append((entry, depth + 1))
            elif _identity(about) not in known:
                known.add(_identity(about))
                inner.append((entry, depth + 1))
        real += reversed(inner)


def _may_be_results(link: Path, depth: int) -> bool:
    """Whether a link that leads nowhere may have led to results: to a file of theirs, or near the top to a folder.

    Artifacts hold generated repositories with links of other machines; editors make hidden links as locks.
    """
    if link.name.startswith("."):
        return False
    return link.suffix in _OF_RESULTS or (not link.suffix and depth <= _FOLDER_DEPTH)


def _identity(about: os.stat_result) -> tuple[int, int]:
    return about.st_dev, about.st_ino


def _entry_of(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        what = "is a link that leads nowhere" if path.is_symlink() else f"cannot be read: {error.strerror}"
        raise ReportError(f"{path} {what}; mend it, or remove it from the results.") from None
