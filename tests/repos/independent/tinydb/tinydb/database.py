"""The database: tables over one storage."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any

from .storages import JSONStorage
from .table import Document, Table


class TinyDB:
    """A database over a storage.

    What is not defined here is answered by the default table.
    """

    default_table_name = "_default"

    def __init__(self, *args: Any, storage: Any = JSONStorage, **kwargs: Any) -> None:
        """Open a database.

        :param storage: a storage class, or a middleware that stands in for one
        :param args: arguments for the storage
        :param kwargs: further arguments for the storage
        """
        self._tables: dict[str, Table] = {}
        self.storage = storage(*args, **kwargs)

    def table(self, name: str, **kwargs: Any) -> Table:
        """Return the table of a name, each time the same object.

        :param kwargs: further arguments for `Table`, used when it is made
        """
        table = self._tables.get(name)
        if table is None:
            table = self._tables[name] = Table(self.storage, name, **kwargs)
        return table

    def tables(self) -> set[str]:
        """Return the names of all tables that are stored."""
        return set(self.storage.read() or ())

    def drop_table(self, name: str) -> None:
        """Forget a table; nothing happens if there is none of that name."""
        self._tables.pop(name, None)
        data = self.storage.read()
        if data and name in data:
            del data[name]
            self.storage.write(data)

    def drop_tables(self) -> None:
        """Forget all tables."""
        self._tables.clear()
        if self.storage.read():
            self.storage.write({})

    def close(self) -> None:
        """Close the storage."""
        self.storage.close()

    def __enter__(self) -> TinyDB:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        """Let the default table answer."""
        if name in ("_tables", "storage"):  # the storage could not be opened
            raise AttributeError(name)
        return getattr(self.table(self.default_table_name), name)

    def __len__(self) -> int:
        return len(self.table(self.default_table_name))

    def __iter__(self) -> Iterator[Document]:
        return iter(self.table(self.default_table_name))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} tables={sorted(self.tables())!r}>"
