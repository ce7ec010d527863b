"""Middlewares: objects that stand between a table and its storage."""

from __future__ import annotations

from typing import Any, Callable

from .storages import Data


class Middleware:
    """Stands in for a storage; what it does not define comes from the storage.

    It is given in place of a storage class: calling it creates the storage and
    returns the middleware. Subclasses define `read` and `write`.
    """

    def __init__(self, storage_cls: Callable[..., Any]) -> None:
        self._storage_cls = storage_cls
        self.storage: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Middleware:
        """Create the storage with the given arguments."""
        self.storage = self._storage_cls(*args, **kwargs)
        return self

    def __getattr__(self, name: str) -> Any:
        """Take what is not defined here from the storage."""
        if name == "storage":  # not initialised yet, e.g. while being copied
            raise AttributeError(name)
        return getattr(self.storage, name)


class CachingMiddleware(Middleware):
    """Reads the storage once and writes it only every now and then."""

    WRITE_CACHE_SIZE = 1000
    """The number of changes after which the storage is written."""

    def __init__(self, storage_cls: Callable[..., Any]) -> None:
        super().__init__(storage_cls)
        self._forget()

    def __call__(self, *args: Any, **kwargs: Any) -> Middleware:
        """Create the storage; nothing of an earlier one is remembered."""
        self._forget()
        return super().__call__(*args, **kwargs)

    def _forget(self) -> None:
        self._known = False
        self._cached: Data | None = None
        self._changes = 0

    def read(self) -> Data | None:
        """Return the database, read from the storage the first time only."""
        if not self._known:
            self._cached = self.storage.read()
            self._known = True
        return self._cached

    def write(self, data: Data) -> None:
        """Remember the database; write it if enough changes have come together."""
        self._cached = data
        self._known = True
        self._changes += 1
        if self._changes >= self.WRITE_CACHE_SIZE:
            self.flush()

    def flush(self) -> None:
        """Write to the storage what is not written yet."""
        if self._changes:
            self.storage.write(self._cached)
            self._changes = 0

    def close(self) -> None:
        """Write what is not written yet and close the storage."""
        self.flush()
        self.storage.close()
