"""Storages: the places where a whole database is kept."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO, Any

Data = dict[str, dict[str, dict[str, Any]]]
"""A whole database: table name -> document ID as text -> document."""


class Storage(ABC):
    """Base class of storages: something that reads and writes a whole database."""

    @abstractmethod
    def read(self) -> Data | None:
        """Return the whole database, or None when there is none yet."""

    @abstractmethod
    def write(self, data: Data) -> None:
        """Store the whole database."""

    def close(self) -> None:
        """Release whatever the storage holds; nothing by default."""


class MemoryStorage(Storage):
    """A storage that keeps the database in memory."""

    def __init__(self) -> None:
        self.memory: Data | None = None

    def read(self) -> Data | None:
        """Return the database that was written last, or None."""
        return self.memory

    def write(self, data: Data) -> None:
        """Keep the database."""
        self.memory = data


class JSONStorage(Storage):
    """A storage that keeps the database as JSON in one file."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        create_dirs: bool = False,
        encoding: str | None = None,
        access_mode: str = "r+",
        **kwargs: Any,
    ) -> None:
        """Open the file, creating it first when the mode allows writing.

        :param path: the file
        :param create_dirs: create missing folders on the way to it, too
        :param encoding: the encoding of the file, as for `open`
        :param access_mode: the mode of the file, as for `open`
        :param kwargs: arguments for `json.dumps`
        """
        self._dump_options = kwargs
        self._binary = "b" in access_mode
        self._encoding = encoding
        if any(flag in access_mode for flag in "+wax"):
            if create_dirs:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            if "r" in access_mode:  # the other modes create the file themselves
                open(path, "ab").close()
        self._handle: IO[Any] = open(
            path, access_mode, encoding=None if self._binary else encoding
        )

    def read(self) -> Data | None:
        """Return the contents of the file, or None if it is empty."""
        self._handle.seek(0)
        text = self._handle.read()
        return json.loads(text) if text else None

    def write(self, data: Data) -> None:
        """Replace the contents of the file."""
        text: str | bytes = json.dumps(data, **self._dump_options)
        if self._binary:
            text = text.encode(self._encoding or "utf-8")  # type: ignore[union-attr]
        self._handle.seek(0)
        self._handle.write(text)
        self._handle.flush()
        self._handle.truncate()

    def close(self) -> None:
        """Close the file."""
        self._handle.close()
