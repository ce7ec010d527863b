"""Events and the handlers that are told about them."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from watchdog.utils.patterns import common_patterns, match_any_paths

__all__ = [
    "DirAttribEvent",
    "DirCreatedEvent",
    "DirDeletedEvent",
    "DirModifiedEvent",
    "DirMovedEvent",
    "FileAttribEvent",
    "FileClosedEvent",
    "FileClosedNoWriteEvent",
    "FileCreatedEvent",
    "FileDeletedEvent",
    "FileModifiedEvent",
    "FileMovedEvent",
    "FileOpenedEvent",
    "FileSystemEvent",
    "FileSystemEventHandler",
    "FileSystemMovedEvent",
    "IgnorePolicy",
    "LoggingEventHandler",
    "PatternMatchingEventHandler",
    "RegexMatchingEventHandler",
    "generate_sub_created_events",
    "generate_sub_moved_events",
]


@dataclass(unsafe_hash=True)
class FileSystemEvent:
    """A change.  Type and kind follow from the class."""

    src_path: str | bytes
    dest_path: str | bytes = ""
    event_type: str = field(default="", init=False)
    is_directory: bool = field(default=False, init=False)
    is_synthetic: bool = False


class FileSystemMovedEvent(FileSystemEvent):
    """Something was moved."""

    event_type = "moved"


class FileCreatedEvent(FileSystemEvent):
    """A file is new."""

    event_type = "created"


class FileModifiedEvent(FileSystemEvent):
    """A file changed."""

    event_type = "modified"


class FileAttribEvent(FileSystemEvent):
    """A file's mode or owner changed."""

    event_type = "attrib"


class FileDeletedEvent(FileSystemEvent):
    """A file is gone."""

    event_type = "deleted"


class FileMovedEvent(FileSystemMovedEvent):
    """A file was moved."""


class FileOpenedEvent(FileSystemEvent):
    """A file was opened."""

    event_type = "opened"


class FileClosedEvent(FileSystemEvent):
    """A file was closed after writing."""

    event_type = "closed"


class FileClosedNoWriteEvent(FileSystemEvent):
    """A file was closed after reading."""

    event_type = "closed_no_write"


class DirCreatedEvent(FileSystemEvent):
    """A folder is new."""

    event_type = "created"
    is_directory = True


class DirModifiedEvent(FileSystemEvent):
    """A folder changed."""

    event_type = "modified"
    is_directory = True


class DirAttribEvent(FileSystemEvent):
    """A folder's mode or owner changed."""

    event_type = "attrib"
    is_directory = True


class DirDeletedEvent(FileSystemEvent):
    """A folder is gone."""

    event_type = "deleted"
    is_directory = True


class DirMovedEvent(FileSystemMovedEvent):
    """A folder was moved."""

    is_directory = True


class FileSystemEventHandler:
    """Is told about changes; subclasses override the methods they need."""

    def dispatch(self, event: FileSystemEvent) -> None:
        """Call :meth:`on_any_event`, then the method for the event's type."""
        self.on_any_event(event)
        method = getattr(self, f"on_{event.event_type}", None)
        if method is not None:
            method(event)

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Any event."""

    def on_created(self, event: FileSystemEvent) -> None:
        """A file or folder is new."""

    def on_modified(self, event: FileSystemEvent) -> None:
        """A file or folder changed."""

    def on_attrib(self, event: FileSystemEvent) -> None:
        """The mode or owner of a file or folder changed."""

    def on_deleted(self, event: FileSystemEvent) -> None:
        """A file or folder is gone."""

    def on_moved(self, event: FileSystemEvent) -> None:
        """A file or folder was moved."""

    def on_opened(self, event: FileSystemEvent) -> None:
        """A file was opened."""

    def on_closed(self, event: FileSystemEvent) -> None:
        """A file was closed after writing."""

    def on_closed_no_write(self, event: FileSystemEvent) -> None:
        """A file was closed after reading."""


class IgnorePolicy(StrEnum):
    """Which events with two paths are ignored."""

    ANY = "any"
    ALL = "all"


class _FilteringEventHandler(FileSystemEventHandler):
    """Dispatches only the events that subclasses want by their paths."""

    def __init__(self, ignore_directories: bool, case_sensitive: bool, ignore_policy: str) -> None:
        super().__init__()
        self._ignore_directories = ignore_directories
        self._case_sensitive = case_sensitive
        self._ignore_policy = IgnorePolicy(ignore_policy)

    @property
    def ignore_directories(self) -> bool:
        """Whether events of folders are dropped."""
        return self._ignore_directories

    @property
    def case_sensitive(self) -> bool:
        """Whether upper and lower case differ."""
        return self._case_sensitive

    @property
    def ignore_policy(self) -> IgnorePolicy:
        """Which events with two paths are ignored."""
        return self._ignore_policy

    def _is_wanted(self, path: str) -> bool:
        raise NotImplementedError

    def _is_ignored(self, path: str) -> bool:
        raise NotImplementedError

    def dispatch(self, event: FileSystemEvent) -> None:
        """Call the methods for an event that matches."""
        if self._ignore_directories and event.is_directory:
            return
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        if not any(map(self._is_wanted, paths)):
            return
        verdict = all if self._ignore_policy is IgnorePolicy.ALL else any
        if not verdict(map(self._is_ignored, paths)):
            super().dispatch(event)


class PatternMatchingEventHandler(_FilteringEventHandler):
    """Is told about changes of paths that match patterns.

    The patterns are those of :mod:`watchdog.utils.patterns`.
    """

    def __init__(
        self,
        *,
        patterns: Iterable[str] | None = None,
        ignore_patterns: Iterable[str] | None = None,
        ignore_directories: bool = False,
        case_sensitive: bool = False,
        ignore_policy: IgnorePolicy | str = "any",
    ) -> None:
        super().__init__(ignore_directories, case_sensitive, ignore_policy)
        self._patterns = None if patterns is None else list(patterns)
        self._ignore_patterns = None if ignore_patterns is None else list(ignore_patterns)
        common = common_patterns(self._patterns, self._ignore_patterns, case_sensitive)
        if common:
            raise ValueError(f"patterns both wanted and ignored: {sorted(common)}")

    @property
    def patterns(self) -> list[str] | None:
        """The patterns of wanted paths; None for all."""
        return self._patterns

    @property
    def ignore_patterns(self) -> list[str] | None:
        """The patterns of ignored paths; None for none."""
        return self._ignore_patterns

    def _matches(self, path: str, patterns: list[str] | None) -> bool:
        return match_any_paths(
            [path], included_patterns=patterns, case_sensitive=self._case_sensitive
        )

    def _is_wanted(self, path: str) -> bool:
        return self._matches(path, self._patterns)

    def _is_ignored(self, path: str) -> bool:
        return self._ignore_patterns is not None and self._matches(path, self._ignore_patterns)


class RegexMatchingEventHandler(_FilteringEventHandler):
    """Is told about changes of paths that match regular expressions from their beginning."""

    def __init__(
        self,
        *,
        regexes: str | Iterable[str] | None = None,
        ignore_regexes: str | Iterable[str] | None = None,
        ignore_directories: bool = False,
        case_sensitive: bool = False,
        ignore_policy: IgnorePolicy | str = "any",
    ) -> None:
        super().__init__(ignore_directories, case_sensitive, ignore_policy)
        self._regexes = self._compile(regexes)
        self._ignore_regexes = self._compile(ignore_regexes)
        common = {regex.pattern for regex in self._regexes or ()} & {
            regex.pattern for regex in self._ignore_regexes or ()
        }
        if common:
            raise ValueError(f"expressions both wanted and ignored: {sorted(common)}")

    def _compile(self, regexes: str | Iterable[str] | None) -> list[re.Pattern[str]] | None:
        if regexes is None:
            return None
        if isinstance(regexes, str):
            regexes = [regexes]
        flags = 0 if self._case_sensitive else re.IGNORECASE
        return [re.compile(regex, flags) for regex in regexes]

    @property
    def regexes(self) -> list[re.Pattern[str]] | None:
        """The compiled expressions of wanted paths; None for all."""
        return self._regexes

    @property
    def ignore_regexes(self) -> list[re.Pattern[str]] | None:
        """The compiled expressions of ignored paths; None for none."""
        return self._ignore_regexes

    def _is_wanted(self, path: str) -> bool:
        return self._regexes is None or any(regex.match(path) for regex in self._regexes)

    def _is_ignored(self, path: str) -> bool:
        return any(regex.match(path) for regex in self._ignore_regexes or ())


class LoggingEventHandler(FileSystemEventHandler):
    """Writes a line at level INFO for each event."""

    def __init__(self, *, logger: logging.Logger | None = None) -> None:
        super().__init__()
        self.logger = logger or logging.getLogger()

    def _log(self, action: str, event: FileSystemEvent) -> None:
        what = "directory" if event.is_directory else "file"
        self.logger.info("%s %s: %s", action, what, os.fsdecode(event.src_path))

    def on_created(self, event: FileSystemEvent) -> None:
        """Log it."""
        self._log("Created", event)

    def on_modified(self, event: FileSystemEvent) -> None:
        """Log it."""
        self._log("Modified", event)

    def on_attrib(self, event: FileSystemEvent) -> None:
        """Log it."""
        self._log("Attrib", event)

    def on_deleted(self, event: FileSystemEvent) -> None:
        """Log it."""
        self._log("Deleted", event)

    def on_moved(self, event: FileSystemEvent) -> None:
        """Log it, with both paths."""
        what = "directory" if event.is_directory else "file"
        source, target = os.fsdecode(event.src_path), os.fsdecode(event.dest_path)
        self.logger.info("Moved %s: from %s to %s", what, source, target)

    def on_opened(self, event: FileSystemEvent) -> None:
        """Log it."""
        self._log("Opened", event)

    def on_closed(self, event: FileSystemEvent) -> None:
        """Log it."""
        self._log("Closed modified", event)

    def on_closed_no_write(self, event: FileSystemEvent) -> None:
        """Log it."""
        self._log("Closed read", event)


def _below(folder: Any) -> Iterator[tuple[Any, bool]]:
    """Path and kind of everything below *folder*, folders before their content."""
    for root, dirs, files in os.walk(folder):
        for name in dirs:
            path = os.path.join(root, name)
            yield path, not os.path.islink(path)
        for name in files:
            yield os.path.join(root, name), False


def generate_sub_moved_events(
    src_dir_path: str | bytes, dest_dir_path: str | bytes
) -> Iterator[DirMovedEvent | FileMovedEvent]:
    """Synthetic events for all that lies in a folder which is now at *dest_dir_path*."""
    for path, is_dir in _below(dest_dir_path):
        source = os.path.join(src_dir_path, os.path.relpath(path, dest_dir_path))  # type: ignore[arg-type]
        yield (DirMovedEvent if is_dir else FileMovedEvent)(source, path, is_synthetic=True)


def generate_sub_created_events(
    src_dir_path: str | bytes,
) -> Iterator[DirCreatedEvent | FileCreatedEvent]:
    """Synthetic events for all that lies in a new folder."""
    for path, is_dir in _below(src_dir_path):
        yield (DirCreatedEvent if is_dir else FileCreatedEvent)(path, is_synthetic=True)
