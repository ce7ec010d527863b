"""What all observers have in common."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Any

from watchdog.events import FileSystemEvent, FileSystemEventHandler

__all__ = ["BaseObserver", "EventEmitter", "ObservedWatch"]

_LOGGER = logging.getLogger("watchdog")


class ObservedWatch:
    """What is watched.  Watches of the same path and options are equal."""

    def __init__(
        self,
        path: str | bytes | os.PathLike,
        *,
        recursive: bool,
        event_filter: Iterable[type[FileSystemEvent]] | None = None,
        follow_symlink: bool = False,
    ) -> None:
        self._path = os.fspath(path)
        self._is_recursive = bool(recursive)
        self._event_filter = None if event_filter is None else frozenset(event_filter)
        self._follow_symlink = bool(follow_symlink)

    @property
    def path(self) -> str | bytes:
        """The watched path."""
        return self._path

    @property
    def is_recursive(self) -> bool:
        """Whether all below the folder is watched."""
        return self._is_recursive

    @property
    def event_filter(self) -> frozenset[type[FileSystemEvent]] | None:
        """The classes of wanted events; None for all."""
        return self._event_filter

    @property
    def follow_symlink(self) -> bool:
        """Whether links to folders are followed."""
        return self._follow_symlink

    def _key(self) -> tuple:
        return self._path, self._is_recursive, self._event_filter, self._follow_symlink

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObservedWatch):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self._path!r}, recursive={self._is_recursive}, "
            f"event_filter={self._event_filter}, follow_symlink={self._follow_symlink})"
        )


class EventEmitter(threading.Thread):
    """A thread that finds the changes for one watch.

    Subclasses implement :meth:`prepare`, which runs in the thread that
    starts the emitter, and :meth:`run`.
    """

    def __init__(self, watch: ObservedWatch, sink: Callable[[EventEmitter, FileSystemEvent], Any]):
        super().__init__(daemon=True, name=f"watchdog {watch.path!r}")
        self.watch = watch
        self._sink = sink
        event_filter = watch.event_filter
        self._wanted = None if event_filter is None else tuple(event_filter)
        self._stopped = threading.Event()

    def prepare(self) -> None:
        """Take the state to compare with; raises OSError if that is impossible."""

    def start(self) -> None:
        """Prepare, then find changes in the background."""
        self.prepare()
        super().start()

    def stop(self) -> None:
        """Let the thread end soon."""
        self._stopped.set()

    def emit(self, event: FileSystemEvent) -> None:
        """Pass an event on, if it is wanted."""
        if self._wanted is None or isinstance(event, self._wanted):
            self._sink(self, event)


class BaseObserver(threading.Thread):
    """A thread that tells handlers what its emitters find."""

    def __init__(self, timeout: float) -> None:
        if isinstance(timeout, bool):
            raise TypeError("timeout must be a number of seconds, not a bool")
        super().__init__(daemon=True)
        self._timeout = timeout
        self._lock = threading.RLock()
        self._handlers: dict[ObservedWatch, dict[FileSystemEventHandler, None]] = {}
        self._emitters: dict[ObservedWatch, EventEmitter] = {}
        self._queue: SimpleQueue[tuple[EventEmitter, FileSystemEvent] | None] = SimpleQueue()
        self._running = False

    @property
    def timeout(self) -> float:
        """The seconds between two looks."""
        return self._timeout

    def _make_emitter(self, watch: ObservedWatch) -> EventEmitter:
        raise NotImplementedError

    def _enqueue(self, emitter: EventEmitter, event: FileSystemEvent) -> None:
        self._queue.put((emitter, event))

    def _start_emitter(self, watch: ObservedWatch) -> None:
        emitter = self._make_emitter(watch)
        emitter.start()
        self._emitters[watch] = emitter

    # -- the thread ---------------------------------------------------------

    def start(self) -> None:
        """Begin to watch.

        Raises :exc:`OSError`, and watches nothing, if a scheduled path
        does not exist.
        """
        with self._lock:
            if self.ident is not None:
                raise RuntimeError("observers can only be started once")
            try:
                for watch in self._handlers:
                    self._start_emitter(watch)
            except BaseException:
                self._stop_emitters()
                raise
            self._running = True
            super().start()

    def _stop_emitters(self) -> list[EventEmitter]:
        emitters = list(self._emitters.values())
        self._emitters.clear()
        for emitter in emitters:
            emitter.stop()
        return emitters

    def stop(self) -> None:
        """Tell nothing any more and let the threads end."""
        with self._lock:
            self._running = False
            self._stop_emitters()
        self._queue.put(None)

    def run(self) -> None:
        """Tell the handlers, until stopped."""
        while (item := self._queue.get()) is not None:
            self._tell(*item)

    def _is_told(self, emitter: EventEmitter, handler: FileSystemEventHandler) -> bool:
        watch = emitter.watch
        with self._lock:
            return self._emitters.get(watch) is emitter and handler in self._handlers[watch]

    def _tell(self, emitter: EventEmitter, event: FileSystemEvent) -> None:
        """Dispatch an event; the handlers may change what is scheduled."""
        with self._lock:
            handlers = list(self._handlers.get(emitter.watch, ()))
        for handler in handlers:
            if self._is_told(emitter, handler):
                try:
                    handler.dispatch(event)
                except Exception:
                    _LOGGER.exception("Handler %r failed for %r", handler, event)

    def __enter__(self) -> BaseObserver:
        self.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()
        self.join()

    # -- what is watched ----------------------------------------------------

    def schedule(
        self,
        event_handler: FileSystemEventHandler,
        path: str | bytes | os.PathLike,
        *,
        recursive: bool = False,
        event_filter: Iterable[type[FileSystemEvent]] | None = None,
        follow_symlink: bool = False,
    ) -> ObservedWatch:
        """Have *event_handler* told about changes of *path*."""
        watch = ObservedWatch(
            path, recursive=recursive, event_filter=event_filter, follow_symlink=follow_symlink
        )
        with self._lock:
            emitter = self._emitters.get(watch)
            if self._running and (emitter is None or not emitter.is_alive()):
                self._start_emitter(watch)
            self._handlers.setdefault(watch, {})[event_handler] = None
        return watch

    def add_handler_for_watch(
        self, event_handler: FileSystemEventHandler, watch: ObservedWatch
    ) -> None:
        """Tell one more handler; KeyError for an unknown watch."""
        with self._lock:
            self._handlers[watch][event_handler] = None

    def remove_handler_for_watch(
        self, event_handler: FileSystemEventHandler, watch: ObservedWatch
    ) -> None:
        """Tell one handler less; KeyError if it, or the watch, is unknown."""
        with self._lock:
            del self._handlers[watch][event_handler]

    def unschedule(self, watch: ObservedWatch) -> None:
        """End a watch; KeyError for an unknown one."""
        with self._lock:
            del self._handlers[watch]
            emitter = self._emitters.pop(watch, None)
        if emitter is not None:
            emitter.stop()

    def unschedule_all(self) -> None:
        """End all watches."""
        with self._lock:
            self._handlers.clear()
            self._stop_emitters()
