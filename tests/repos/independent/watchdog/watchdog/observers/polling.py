"""Observers that compare snapshots."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from watchdog.events import (
    DirAttribEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirModifiedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
)
from watchdog.observers.api import BaseObserver, EventEmitter, ObservedWatch
from watchdog.utils.dirsnapshot import DirectorySnapshot, DirectorySnapshotDiff

__all__ = ["PollingObserver", "PollingObserverVFS"]

_LISTS: tuple[tuple[str, type[FileSystemEvent]], ...] = (
    ("files_deleted", FileDeletedEvent),
    ("files_modified", FileModifiedEvent),
    ("files_created", FileCreatedEvent),
    ("files_moved", FileMovedEvent),
    ("files_attrib", FileAttribEvent),
    ("dirs_deleted", DirDeletedEvent),
    ("dirs_modified", DirModifiedEvent),
    ("dirs_created", DirCreatedEvent),
    ("dirs_moved", DirMovedEvent),
    ("dirs_attrib", DirAttribEvent),
)


class _PollingEmitter(EventEmitter):
    """Takes a snapshot every *interval* seconds."""

    _snapshot: DirectorySnapshot

    def __init__(
        self,
        watch: ObservedWatch,
        sink: Callable[[EventEmitter, FileSystemEvent], Any],
        interval: float,
        stat: Callable[[Any], Any],
        listdir: Callable[[Any], Any],
    ) -> None:
        super().__init__(watch, sink)
        self._interval = interval
        self._stat = stat
        self._listdir = listdir

    def _take(self) -> DirectorySnapshot:
        return DirectorySnapshot(
            self.watch.path,
            recursive=self.watch.is_recursive,
            stat=self._stat,
            listdir=self._listdir,
        )

    def prepare(self) -> None:
        """Take the first snapshot."""
        self._snapshot = self._take()

    def run(self) -> None:
        """Compare, until stopped or until the watched path is gone."""
        while not self._stopped.wait(self._interval):
            path = self.watch.path
            try:
                snapshot = self._take()
            except (FileNotFoundError, NotADirectoryError):
                gone = DirDeletedEvent if self._snapshot.isdir(path) else FileDeletedEvent
                self.emit(gone(path))
                return
            except OSError:
                continue
            if self._stopped.is_set():
                return
            self._compare(DirectorySnapshotDiff(self._snapshot, snapshot))
            self._snapshot = snapshot

    def _compare(self, diff: DirectorySnapshotDiff) -> None:
        for name, event_class in _LISTS:
            for entry in getattr(diff, name):
                paths = entry if isinstance(entry, tuple) else (entry,)
                self.emit(event_class(*paths))


def _stat_without_following(root: str | bytes) -> Callable[[Any], Any]:
    """A ``stat`` that follows links for *root* only."""
    return lambda path: os.stat(path) if path == root else os.lstat(path)


class PollingObserver(BaseObserver):
    """Watches by comparing snapshots every *timeout* seconds."""

    def __init__(self, *, timeout: float = 1.0) -> None:
        super().__init__(timeout)

    def _make_emitter(self, watch: ObservedWatch) -> EventEmitter:
        stat = os.stat if watch.follow_symlink else _stat_without_following(watch.path)
        return _PollingEmitter(watch, self._enqueue, self.timeout, stat, os.scandir)


class PollingObserverVFS(BaseObserver):
    """The same with functions in place of those of the operating system."""

    def __init__(
        self,
        stat: Callable[[Any], Any],
        listdir: Callable[[Any], Any],
        *,
        polling_interval: float = 1,
    ) -> None:
        super().__init__(polling_interval)
        self._stat_function = stat
        self._list_function = listdir

    def _make_emitter(self, watch: ObservedWatch) -> EventEmitter:
        return _PollingEmitter(
            watch, self._enqueue, self.timeout, self._stat_function, self._list_function
        )
