"""The cache folder: where it is, how a piece of it is made whole or not at all, how it is emptied."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from qualityscore.errors import HarnessError, UsageError

LOCK_DEADLINE_S = 600.0


def cache_root() -> Path:
    """The folder that holds everything that can be made again: `$QUALITYSCORE_CACHE`, else the user's cache folder."""
    override = os.environ.get("QUALITYSCORE_CACHE")
    return (Path(override) if override else Path(platformdirs.user_cache_dir("qualityscore"))).absolute()


def static_results(root: Path) -> Path:
    """The file of what static tools and analysers said before, in the cache folder `root`."""
    return root / "static" / "results.sqlite"


@contextmanager
def locked(path: Path, *, deadline_s: float = LOCK_DEADLINE_S) -> Iterator[None]:
    """Hold an exclusive lock, across processes, named by `path`.

    Raises HarnessError when another process holds it for longer than the deadline.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        give_up = time.monotonic() + deadline_s
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > give_up:
                    raise HarnessError(
                        f"Another process has held the lock {path} for {deadline_s:g} s; end it, or remove the file."
                    ) from None
                time.sleep(0.05)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def whole_directory(final: Path) -> Iterator[Path]:
    """Give a folder beside `final` to fill; rename it to `final` at the end, or remove it on any exception.

    The caller holds a lock on `final`, so that nothing else makes it at the same time.
    """
    final.parent.mkdir(parents=True, exist_ok=True)
    for leftover in final.parent.glob(f".{final.name}.*.part"):  # of a build that was killed; the lock is ours now
        shutil.rmtree(leftover, ignore_errors=True)
    building = Path(tempfile.mkdtemp(prefix=f".{final.name}.", suffix=".part", dir=final.parent))  # noqa: TID251
    building.chmod(0o755)
    try:
        yield building
        if final.exists():
            shutil.rmtree(final)
        building.rename(final)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSection:
    """One kind of cached thing: how many entries, how large."""

    name: str
    entries: int
    size_bytes: int


def info(root: Path) -> tuple[CacheSection, ...]:
    """What the cache holds, by section, in alphabetical order."""
    if not root.is_dir():
        return ()
    return tuple(
        CacheSection(
            name=section.name,
            entries=sum(1 for _ in section.iterdir()) if section.is_dir() else 1,
            size_bytes=_size(section),
        )
        for section in sorted(root.iterdir())
    )


def _size(path: Path) -> int:
    if path.is_symlink() or path.is_file():
        return path.lstat().st_size
    return sum(p.lstat().st_size for p in path.rglob("*") if p.is_symlink() or p.is_file())


def clear(root: Path) -> int:
    """Remove everything in the cache; returns the bytes freed. Refuses a folder that is not a cache of ours."""
    if not root.is_dir():
        return 0
    known = {
        *("environments", "references", "counts", "locks", "static", "tools", "workspaces"),
        *("resolutions", "states"),
    }
    strangers = [p.name for p in root.iterdir() if p.name.split(".")[0] not in known]
    if strangers:
        raise UsageError(
            f"The cache folder {root} holds {strangers[0]!r}, which is not the cache's; check QUALITYSCORE_CACHE."
        )
    freed = _size(root)
    for section in root.iterdir():
        shutil.rmtree(section) if section.is_dir() else section.unlink()
    return freed
