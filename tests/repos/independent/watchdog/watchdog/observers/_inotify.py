"""An observer that is told about changes by the kernel (inotify)."""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import select
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple

from watchdog.events import (
    DirAttribEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirModifiedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileClosedNoWriteEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileOpenedEvent,
    FileSystemEvent,
    generate_sub_moved_events,
)
from watchdog.observers.api import BaseObserver, EventEmitter, ObservedWatch

__all__ = ["InotifyObserver"]

_LOGGER = logging.getLogger("watchdog")

_MODIFY = 0x2
_ATTRIB = 0x4
_CLOSE_WRITE = 0x8
_CLOSE_NOWRITE = 0x10
_OPEN = 0x20
_MOVED_FROM = 0x40
_MOVED_TO = 0x80
_CREATE = 0x100
_DELETE = 0x200
_DELETE_SELF = 0x400
_MOVE_SELF = 0x800
_UNMOUNT = 0x2000
_OVERFLOW = 0x4000
_IGNORED = 0x8000
_ONLYDIR = 0x1000000
_DONT_FOLLOW = 0x2000000
_ISDIR = 0x40000000

_MASK = 0xFFF & ~0x1  # everything but reads
_HEADER = struct.Struct("iIII")
#: How long the second half of a move is waited for
_MOVE_DELAY = 0.1

_FILE_EVENTS: dict[int, type[FileSystemEvent]] = {
    _MODIFY: FileModifiedEvent,
    _ATTRIB: FileAttribEvent,
    _OPEN: FileOpenedEvent,
    _CLOSE_WRITE: FileClosedEvent,
    _CLOSE_NOWRITE: FileClosedNoWriteEvent,
}


class _RawEvent(NamedTuple):
    """An event as the kernel reports it."""

    wd: int
    mask: int
    cookie: int
    name: str


class _Inotify:
    """The kernel's interface: one queue of events for some watched folders."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self._call("inotify_init1", os.O_CLOEXEC | os.O_NONBLOCK)

    def _call(self, name: str, *args: Any) -> int:
        result = getattr(self._libc, name)(*args)
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result

    def add(self, path: str, flags: int = 0) -> int:
        """Watch a folder; returns its number."""
        try:
            mask = ctypes.c_uint32(_MASK | _ONLYDIR | flags)
            return self._call("inotify_add_watch", self.fd, os.fsencode(path), mask)
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from None

    def remove(self, wd: int) -> None:
        """Watch a folder no more."""
        try:
            self._call("inotify_rm_watch", self.fd, wd)
        except OSError:
            pass  # it is gone already

    def read(self) -> list[_RawEvent]:
        """The waiting events, or none."""
        try:
            data = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return []
        events = []
        position = 0
        while position < len(data):
            wd, mask, cookie, length = _HEADER.unpack_from(data, position)
            position += _HEADER.size
            name = data[position : position + length].rstrip(b"\0")
            position += length
            events.append(_RawEvent(wd, mask, cookie, os.fsdecode(name)))
        return events

    def close(self) -> None:
        """Give the queue back."""
        os.close(self.fd)


@dataclass(eq=False)
class _Folder:
    """A watched folder, with those below it."""

    wd: int
    name: str
    parent: _Folder | None = None
    children: dict[str, _Folder] = field(default_factory=dict)

    def path(self) -> str:
        """Where the folder is now."""
        names = []
        folder: _Folder | None = self
        while folder is not None:
            names.append(folder.name)
            folder = folder.parent
        return os.path.join(*reversed(names))

    def detach(self) -> None:
        """Take the folder out of its parent."""
        if self.parent is not None and self.parent.children.get(self.name) is self:
            del self.parent.children[self.name]
        self.parent = None

    def attach(self, parent: _Folder, name: str) -> None:
        """Put the folder into another one."""
        self.detach()
        self.parent, self.name = parent, name
        parent.children[name] = self

    def walk(self) -> Iterator[_Folder]:
        """The folder and all below it."""
        stack = [self]
        while stack:
            folder = stack.pop()
            yield folder
            stack.extend(folder.children.values())


class _InotifyEmitter(EventEmitter):
    """Reads the kernel's events for one watch and translates them.

    A single file is watched by way of its folder, so that it may be
    replaced.
    """

    _inotify: _Inotify
    _root: _Folder

    def __init__(
        self, watch: ObservedWatch, sink: Callable[[EventEmitter, FileSystemEvent], Any]
    ) -> None:
        super().__init__(watch, sink)
        self._is_bytes = isinstance(watch.path, bytes)
        self._folders: dict[int, _Folder] = {}
        self._buffer: deque[_RawEvent] = deque()
        self._arrivals: dict[int, _RawEvent] = {}  # waiting second halves of moves
        self._known: set[str] = set()  # found by a look into a new folder
        self._only: str | None = None  # the name of the file, if it is one
        self._file_exists = True  # as far as told
        self._deadline = 0.0  # until when the second half of a move is waited for
        self._wake_lock = threading.Lock()
        self._wake_write = -1

    # -- life ---------------------------------------------------------------

    def prepare(self) -> None:
        """Set the watches, so that nothing is missed from now on."""
        path = os.fsdecode(self.watch.path)
        os.stat(path)
        self._inotify = _Inotify()
        try:
            self._wake_read, self._wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
            try:
                self._watch_root(path)
            except BaseException:
                os.close(self._wake_read)
                os.close(self._wake_write)
                raise
        except BaseException:
            self._inotify.close()
            raise

    def _watch_root(self, path: str) -> None:
        watched, shown = path, path
        if not os.path.isdir(path):
            real = os.path.realpath(path)
            watched, self._only = os.path.split(real)
            shown = os.path.dirname(path)
            self._shown_name = os.path.basename(path)
        self._root = _Folder(self._inotify.add(watched), shown)
        self._folders[self._root.wd] = self._root
        if self.watch.is_recursive and self._only is None:
            self._look_into(self._root)

    def stop(self) -> None:
        """Let the thread end, which waits for the kernel."""
        super().stop()
        with self._wake_lock:
            if self._wake_write >= 0:
                os.write(self._wake_write, b"x")
                self._wake_write = self._close(self._wake_write)

    @staticmethod
    def _close(fd: int) -> int:
        """Close a file descriptor; returns what stands for a closed one."""
        if fd >= 0:
            os.close(fd)
        return -1

    def run(self) -> None:
        """Translate events, until stopped or until the watched path is gone."""
        try:
            poller = select.poll()
            poller.register(self._inotify.fd, select.POLLIN)
            poller.register(self._wake_read, select.POLLIN)
            delay: float | None = None
            while not self._stopped.is_set():
                poller.poll(None if delay is None else max(0, delay * 1000))
                events = self._inotify.read()
                self._buffer.extend(events)
                for event in events:
                    if event.mask & _MOVED_TO:
                        self._arrivals[event.cookie] = event
                if not events and not self._buffer:
                    self._known.clear()
                delay = self._translate_buffer()
                if delay is None and self._known:
                    delay = _MOVE_DELAY  # look again whether all is read
        except _Gone:
            pass
        finally:
            self._stopped.set()
            with self._wake_lock:
                self._wake_write = self._close(self._wake_write)
            os.close(self._wake_read)
            self._inotify.close()

    def _translate_buffer(self) -> float | None:
        """Translate what is there; returns the seconds to wait for a second half."""
        while self._buffer and not self._stopped.is_set():
            event = self._buffer[0]
            target = None
            if event.mask & _MOVED_FROM:
                target = self._arrivals.pop(event.cookie, None)
                if target is None:
                    now = monotonic()
                    if not self._deadline:
                        self._deadline = now + _MOVE_DELAY
                    if now < self._deadline:
                        return self._deadline - now
                self._deadline = 0.0
            self._buffer.popleft()
            if event.mask & _MOVED_TO and self._arrivals.pop(event.cookie, None) is None:
                continue  # told together with the first half
            self._translate(event, target)
        return None

    # -- watches ------------------------------------------------------------

    def _add(self, parent: _Folder, name: str) -> _Folder | None:
        """Watch a folder below another; None if that is impossible or done."""
        follow = self.watch.follow_symlink
        try:
            path = os.path.join(parent.path(), name)
            wd = self._inotify.add(path, 0 if follow else _DONT_FOLLOW)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                _LOGGER.warning("No inotify watches left for %s", path)
            return None
        folder = self._folders.get(wd)
        if folder is not None:
            if not follow and folder is not self._root:
                folder.attach(parent, name)
            return None
        folder = self._folders[wd] = _Folder(wd, name)
        folder.attach(parent, name)
        return folder

    def _look_into(self, top: _Folder, tell: bool = False) -> None:
        """Watch all folders below *top*, and tell what is there already."""
        stack = [top]
        while stack:
            folder = stack.pop()
            base = folder.path()
            try:
                with os.scandir(base) as entries:
                    found = list(entries)
            except OSError:
                continue
            for entry in found:
                path = os.path.join(base, entry.name)
                is_dir = entry.is_dir(follow_symlinks=False)
                if tell and path not in self._known:
                    self._known.add(path)
                    self._tell(DirCreatedEvent if is_dir else FileCreatedEvent, path, True)
                if is_dir or (self.watch.follow_symlink and entry.is_dir()):
                    child = self._add(folder, entry.name)
                    if child is not None:
                        stack.append(child)

    def _forget(self, top: _Folder | None) -> None:
        """Do not watch a folder and those below it any more."""
        if top is None:
            return
        top.detach()
        for folder in top.walk():
            self._folders.pop(folder.wd, None)
            self._inotify.remove(folder.wd)

    # -- translation --------------------------------------------------------

    def _encode(self, path: str) -> str | bytes:
        return os.fsencode(path) if self._is_bytes else path

    def _tell(self, event_class: type[FileSystemEvent], path: str, synthetic: bool = False) -> None:
        self.emit(event_class(self._encode(path), is_synthetic=synthetic))

    def _path(self, folder: _Folder, name: str) -> str:
        if name == self._only:
            name = self._shown_name
        return os.path.join(folder.path(), name)

    def _concerns(self, *names: str) -> bool:
        return self._only is None or self._only in names

    def _parent_changed(self, *folders: _Folder) -> None:
        """A folder is modified when something in it comes or goes."""
        if self._only is None:
            for folder in dict.fromkeys(folders):
                self._tell(DirModifiedEvent, folder.path())

    def _translate(self, event: _RawEvent, target: _RawEvent | None) -> None:
        mask = event.mask
        if mask & _OVERFLOW:
            _LOGGER.warning("Events for %r were lost", self.watch.path)
            if self.watch.is_recursive and self._only is None:
                self._look_into(self._root)
            return
        folder = self._folders.get(event.wd)
        if folder is None:
            return
        if mask & (_IGNORED | _DELETE_SELF | _MOVE_SELF | _UNMOUNT):
            self._self_changed(folder, mask)
        elif not event.name:
            if mask & _ATTRIB and folder is self._root and self._only is None:
                self._tell(DirAttribEvent, folder.path())
        elif mask & _MOVED_FROM:
            self._moved(folder, event, target)
        elif not self._concerns(event.name):
            return
        elif mask & (_CREATE | _MOVED_TO):
            self._created(folder, event)
        elif mask & _DELETE:
            self._deleted(folder, event)
        elif mask & _ISDIR:
            if mask & _ATTRIB:
                self._tell(DirAttribEvent, self._path(folder, event.name))
        else:
            for flag, event_class in _FILE_EVENTS.items():
                if mask & flag:
                    self._tell(event_class, self._path(folder, event.name))

    def _self_changed(self, folder: _Folder, mask: int) -> None:
        """A watched folder was deleted or moved, or its watch ended."""
        if folder is self._root:
            if self._only is None:
                self._tell(DirDeletedEvent, folder.path())
            elif self._file_exists:
                self._tell(FileDeletedEvent, self._path(folder, self._only))
            raise _Gone
        if mask & _IGNORED:  # the others are told by the folder above
            folder.detach()
            self._folders.pop(folder.wd, None)

    def _created(self, folder: _Folder, event: _RawEvent) -> None:
        path = self._path(folder, event.name)
        is_dir = bool(event.mask & _ISDIR)
        if path in self._known:
            self._known.discard(path)
        else:
            self._file_exists = True
            self._tell(DirCreatedEvent if is_dir else FileCreatedEvent, path)
            self._parent_changed(folder)
        if self.watch.is_recursive and self._only is None:
            if is_dir or (self.watch.follow_symlink and os.path.isdir(path)):
                child = self._add(folder, event.name)
                if child is not None:
                    self._look_into(child, tell=True)

    def _deleted(self, folder: _Folder, event: _RawEvent) -> None:
        path = self._path(folder, event.name)
        self._known.discard(path)
        self._file_exists = False
        self._forget(folder.children.get(event.name))
        self._tell(DirDeletedEvent if event.mask & _ISDIR else FileDeletedEvent, path)
        self._parent_changed(folder)

    def _moved(self, folder: _Folder, event: _RawEvent, target: _RawEvent | None) -> None:
        new_folder = self._folders.get(target.wd) if target is not None else None
        if target is None or new_folder is None:
            if self._concerns(event.name):
                self._deleted(folder, event)
            return
        if not self._concerns(event.name, target.name):
            return
        source = self._path(folder, event.name)
        path = self._path(new_folder, target.name)
        is_dir = bool(event.mask & _ISDIR)
        self._known.discard(source)
        self._file_exists = target.name == self._only
        event_class = DirMovedEvent if is_dir else FileMovedEvent
        child = folder.children.get(event.name)
        replaced = new_folder.children.get(target.name)
        if replaced is not None and replaced is not child:
            self._forget(replaced)
        if child is not None:
            child.attach(new_folder, target.name)
        self.emit(event_class(self._encode(source), self._encode(path)))
        self._parent_changed(folder, new_folder)
        if is_dir and self.watch.is_recursive and self._only is None:
            for sub_event in generate_sub_moved_events(self._encode(source), self._encode(path)):
                self.emit(sub_event)
            if child is None and (added := self._add(new_folder, target.name)) is not None:
                self._look_into(added)


class _Gone(Exception):
    """The watched path is gone."""


class InotifyObserver(BaseObserver):
    """Watches by the means of the operating system."""

    def __init__(self, *, timeout: float = 1.0) -> None:
        super().__init__(timeout)

    def _make_emitter(self, watch: ObservedWatch) -> EventEmitter:
        return _InotifyEmitter(watch, self._enqueue)
