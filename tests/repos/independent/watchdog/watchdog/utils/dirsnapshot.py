"""Snapshots of folders and their comparison."""

from __future__ import annotations

import errno
import os
import stat as stat_module
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

__all__ = ["DirectorySnapshot", "DirectorySnapshotDiff", "EmptyDirectorySnapshot"]

Path = Any  # str or bytes
Inode = tuple[int, int]
StatFunction = Callable[[Path], Any]
ListFunction = Callable[[Path], Any]

#: Errors of a folder's listing which mean that the folder is not there any more
_VANISHED = {errno.ENOENT, errno.ENOTDIR, errno.EINVAL}


class DirectorySnapshot:
    """What is in a folder: the ``stat`` results of the folder and its entries.

    *stat* and *listdir* may be replaced.  If *path* itself cannot be
    examined, the :exc:`OSError` is passed on.
    """

    def __init__(
        self,
        path: str | bytes | os.PathLike,
        *,
        recursive: bool = True,
        stat: StatFunction = os.stat,
        listdir: ListFunction = os.scandir,
    ) -> None:
        self.recursive = recursive
        self._stat = stat
        self._listdir = listdir
        self._stats: dict[Path, Any] = {}
        self._by_inode: dict[Inode, Path] = {}
        root = os.fspath(path)
        root_info = stat(root)
        self._remember(root, root_info)
        self._walk(root, root_info)

    def _remember(self, path: Path, info: Any) -> None:
        self._stats[path] = info
        self._by_inode.setdefault((info.st_ino, info.st_dev), path)

    def _names(self, folder: Path, is_root: bool) -> list[Path]:
        """The names in a folder; none if it vanished or may not be read."""
        try:
            entries = self._listdir(folder)
            closing: AbstractContextManager = entries if hasattr(entries, "close") and hasattr(
                entries, "__exit__"
            ) else nullcontext()
            with closing:
                return [entry.name for entry in entries]
        except PermissionError:
            if is_root:
                raise
        except OSError as error:
            if error.errno not in _VANISHED:
                raise
        return []

    def _walk(self, root: Path, root_info: Any) -> None:
        """Remember everything below *root*.

        The stack keeps the inodes above each folder, so that a link to a
        folder above is not followed for ever.
        """
        stack: list[tuple[Path, frozenset[Inode]]] = [
            (root, frozenset([(root_info.st_ino, root_info.st_dev)]))
        ]
        while stack:
            folder, above = stack.pop()
            for name in self._names(folder, folder is root):
                path = os.path.join(folder, name)
                try:
                    info = self._stat(path)
                except OSError:
                    continue
                self._remember(path, info)
                if self.recursive and stat_module.S_ISDIR(info.st_mode):
                    inode = (info.st_ino, info.st_dev)
                    if not info.st_ino:
                        stack.append((path, above))
                    elif inode not in above:
                        stack.append((path, above | {inode}))

    @property
    def paths(self) -> set[Path]:
        """All paths."""
        return set(self._stats)

    def path(self, uid: Inode) -> Path | None:
        """The path of a pair of ``st_ino`` and ``st_dev``, or None."""
        return self._by_inode.get(uid)

    def inode(self, path: Path) -> Inode:
        """The pair of ``st_ino`` and ``st_dev`` of a path."""
        info = self._stats[path]
        return info.st_ino, info.st_dev

    def isdir(self, path: Path) -> bool:
        """Whether the path is a folder."""
        return stat_module.S_ISDIR(self._stats[path].st_mode)

    def mtime(self, path: Path) -> float:
        """The time of modification."""
        return self._stats[path].st_mtime

    def size(self, path: Path) -> int:
        """The size in bytes."""
        return self._stats[path].st_size

    def mode(self, path: Path) -> int:
        """The mode, with the type of the file."""
        return self._stats[path].st_mode

    def stat_info(self, path: Path) -> Any:
        """The result of ``stat``."""
        return self._stats[path]

    def __iter__(self) -> Iterator[Path]:
        return iter(self._stats)

    def __contains__(self, path: object) -> bool:
        return path in self._stats

    def __len__(self) -> int:
        return len(self._stats)

    def __bool__(self) -> bool:
        return True

    def __sub__(self, previous: DirectorySnapshot) -> DirectorySnapshotDiff:
        """What changed since *previous*."""
        if not isinstance(previous, DirectorySnapshot):
            return NotImplemented
        return DirectorySnapshotDiff(previous, self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self._stats)} paths>"


class EmptyDirectorySnapshot(DirectorySnapshot):
    """A snapshot of nothing, to compare with."""

    def __init__(self) -> None:
        self.recursive = True
        self._stats = {}
        self._by_inode = {}


class DirectorySnapshotDiff:
    """What changed between the snapshot *ref* and the later *snapshot*."""

    def __init__(
        self, ref: DirectorySnapshot, snapshot: DirectorySnapshot, *, ignore_device: bool = False
    ) -> None:
        def identity(info: Any) -> tuple:
            """What makes a file the same one: its inode, and its type."""
            device = None if ignore_device else info.st_dev
            return info.st_ino, device, stat_module.S_IFMT(info.st_mode)

        kept: list[Path] = []
        lost: list[Path] = []
        gained: list[Path] = [path for path in snapshot if path not in ref]
        for path in ref:
            if path not in snapshot:
                lost.append(path)
            elif identity(ref.stat_info(path)) != identity(snapshot.stat_info(path)):
                lost.append(path)
                gained.append(path)
            else:
                kept.append(path)
        gained.sort()
        lost.sort()

        # Match what was lost with what was gained by inode
        arrivals: defaultdict[tuple, list[Path]] = defaultdict(list)
        if lost:
            for path in reversed(gained):
                arrivals[identity(snapshot.stat_info(path))].append(path)
        moved: list[tuple[Path, Path]] = []
        deleted: list[Path] = []
        for path in lost:
            targets = arrivals.get(identity(ref.stat_info(path)))
            if targets:
                moved.append((path, targets.pop()))
            else:
                deleted.append(path)
        arrived = {new for _, new in moved}
        created = [path for path in gained if path not in arrived]

        modified: list[Path] = []
        attrib: list[Path] = []
        for old, new in [*((path, path) for path in kept), *moved]:
            before, after = ref.stat_info(old), snapshot.stat_info(new)
            if before.st_mtime != after.st_mtime or before.st_size != after.st_size:
                modified.append(old)
            if self._rights(before) != self._rights(after):
                attrib.append(old)

        deleted.reverse()  # what lies in a folder before the folder
        self.files_created, self.dirs_created = self._split(snapshot, created)
        self.files_deleted, self.dirs_deleted = self._split(ref, deleted)
        self.files_modified, self.dirs_modified = self._split(ref, modified)
        self.files_attrib, self.dirs_attrib = self._split(ref, attrib)
        self.files_moved: list[tuple[Path, Path]] = []
        self.dirs_moved: list[tuple[Path, Path]] = []
        for pair in moved:
            (self.dirs_moved if ref.isdir(pair[0]) else self.files_moved).append(pair)

    @staticmethod
    def _rights(info: Any) -> tuple:
        """Mode and owner, the latter as far as known."""
        return info.st_mode, getattr(info, "st_uid", None), getattr(info, "st_gid", None)

    @staticmethod
    def _split(snapshot: DirectorySnapshot, paths: list[Path]) -> tuple[list[Path], list[Path]]:
        """The files and the folders among *paths*."""
        files: list[Path] = []
        dirs: list[Path] = []
        for path in paths:
            (dirs if snapshot.isdir(path) else files).append(path)
        return files, dirs

    _LISTS = tuple(
        f"{what}_{change}"
        for what in ("files", "dirs")
        for change in ("created", "deleted", "modified", "moved", "attrib")
    )

    def __len__(self) -> int:
        return sum(len(getattr(self, name)) for name in self._LISTS)

    def __repr__(self) -> str:
        content = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._LISTS)
        return f"{type(self).__name__}({content})"

    class ContextManager:
        """What changed during a ``with`` block, in ``diff`` after it."""

        diff: DirectorySnapshotDiff

        def __init__(
            self,
            path: str | bytes | os.PathLike,
            *,
            recursive: bool = True,
            stat: StatFunction = os.stat,
            listdir: ListFunction = os.scandir,
            ignore_device: bool = False,
        ) -> None:
            self._path = path
            self._options: dict[str, Any] = {
                "recursive": recursive,
                "stat": stat,
                "listdir": listdir,
            }
            self._ignore_device = ignore_device

        def _snapshot(self) -> DirectorySnapshot:
            return DirectorySnapshot(self._path, **self._options)

        def __enter__(self) -> DirectorySnapshotDiff.ContextManager:
            self._before = self._snapshot()
            return self

        def __exit__(self, *exc_info: object) -> None:
            self.diff = DirectorySnapshotDiff(
                self._before, self._snapshot(), ignore_device=self._ignore_device
            )
