"""Tables: documents under one name in a storage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .queries import Query
from .storages import Data

Cond = Callable[[Mapping[str, Any]], bool]
Fields = Mapping[str, Any] | Callable[["Document"], Any]
Rows = dict[str, dict[str, Any]]


class Document(dict[str, Any]):
    """A dictionary with the ID of the document."""

    def __init__(self, value: Mapping[str, Any], doc_id: int) -> None:
        super().__init__(value)
        self.doc_id = doc_id


def _copy(value: Any) -> Any:
    """Copy dictionaries and lists to any depth; other values are taken as they are."""
    if isinstance(value, Mapping):
        return {name: _copy(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_copy(inner) for inner in value]
    return value


def _document(key: str, row: Mapping[str, Any]) -> Document:
    return Document(_copy(row), int(key))


def _check_condition(cond: Cond | None) -> None:
    if isinstance(cond, Query):
        raise RuntimeError("a query without a comparison cannot be used as a condition")


class Table:
    """Documents under one name.

    The documents that methods return, and those given to them, are independent of the
    stored ones. No results are kept between calls, so `cache_size` is accepted but every
    search looks at the present documents.
    """

    def __init__(
        self, storage: Any, name: str, cache_size: int | None = 10, persist_empty: bool = False
    ) -> None:
        """Create the table.

        :param storage: the storage of the database
        :param name: the name of the table in it
        :param cache_size: how many results may be remembered
        :param persist_empty: store the table at once, though it is empty
        """
        self._storage = storage
        self._name = name
        self.cache_size = cache_size
        self._last_id = 0
        # How this object left the table (number of rows, last key): while it is like
        # that, no ID above `_last_id` is in use, and the keys need not be looked through.
        self._left: tuple[int, str | None] | None = None
        if persist_empty:
            data = storage.read()
            if data is None or name not in data:
                data = {} if data is None else data
                data[name] = {}
                storage.write(data)

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def storage(self) -> Any:
        """The storage of the table."""
        return self._storage

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self._name!r} total={len(self)}>"

    # -- reading -----------------------------------------------------------------

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._read()[1])

    def __iter__(self) -> Iterator[Document]:
        """Go over all documents in the order of insertion."""
        for key, row in list(self._read()[1].items()):
            yield _document(key, row)

    def all(self) -> list[Document]:
        """Return all documents in the order of insertion."""
        return list(self)

    def search(self, cond: Cond) -> list[Document]:
        """Return all documents that match."""
        _check_condition(cond)
        return [_document(key, row) for key, row in self._read()[1].items() if cond(row)]

    def count(self, cond: Cond) -> int:
        """Return how many documents match."""
        _check_condition(cond)
        return sum(1 for row in self._read()[1].values() if cond(row))

    def get(
        self,
        cond: Cond | None = None,
        doc_id: int | None = None,
        doc_ids: Iterable[int] | None = None,
    ) -> Document | list[Document] | None:
        """Return one document, or a list of those with the given IDs.

        :param cond: the first document that matches, or None
        :param doc_id: the document with this ID, or None
        :param doc_ids: those of these IDs that exist, in the table's order
        """
        _check_condition(cond)
        if doc_id is not None:
            key = str(doc_id)
            row = self._read()[1].get(key)
            return None if row is None else _document(key, row)
        if doc_ids is not None:
            keys = {str(each) for each in doc_ids}
            return [_document(key, row) for key, row in self._read()[1].items() if key in keys]
        if cond is None:
            raise RuntimeError("a condition or document IDs are needed")
        for key, row in self._read()[1].items():
            if cond(row):
                return _document(key, row)
        return None

    def contains(self, cond: Cond | None = None, doc_id: int | None = None) -> bool:
        """Return whether a document matches or has the ID."""
        _check_condition(cond)
        if doc_id is not None:
            return str(doc_id) in self._read()[1]
        if cond is None:
            raise RuntimeError("a condition or a document ID is needed")
        return any(cond(row) for row in self._read()[1].values())

    # -- changing ----------------------------------------------------------------

    def insert(self, document: Mapping[str, Any]) -> int:
        """Store a document and return its ID.

        Raise `ValueError` for what is no mapping and for an ID that is in use.
        """
        return self.insert_multiple((document,))[0]

    def insert_multiple(self, documents: Iterable[Mapping[str, Any]]) -> list[int]:
        """Store documents and return their IDs; all are stored, or none."""
        documents = list(documents)
        data, rows = self._read()
        return self._insert(data, rows, documents)

    def update(
        self,
        fields: Fields,
        cond: Cond | None = None,
        doc_ids: Iterable[int] | None = None,
    ) -> list[int]:
        """Change documents and return the IDs of the changed ones.

        :param fields: fields to set, or a callable that changes a document in place
        :param cond: change only those that match
        :param doc_ids: change only those with these IDs
        """
        _check_condition(cond)
        data, rows = self._read()
        changed = {}
        for key in self._select(rows, cond, doc_ids):
            changed[key] = _changed(key, rows[key], fields)
        if changed:
            rows.update(changed)
            self._write(data, rows)
        return [int(key) for key in changed]

    def update_multiple(self, updates: Iterable[tuple[Fields, Cond | None]]) -> list[int]:
        """Do several updates at once: each document meets the pairs in their order.

        Return the IDs of the changed documents, once for each pair that matched.
        """
        updates = list(updates)
        for _, cond in updates:
            _check_condition(cond)
        data, rows = self._read()
        changed = {}
        ids = []
        for key, row in rows.items():
            for fields, cond in updates:
                if cond is None or cond(row):
                    changed[key] = row = _changed(key, row, fields)
                    ids.append(int(key))
        if changed:
            rows.update(changed)
            self._write(data, rows)
        return ids

    def upsert(self, document: Mapping[str, Any], cond: Cond | None = None) -> list[int]:
        """Update what matches, or insert the document; return the IDs.

        The ID of a `Document` decides instead of a condition.
        """
        _check_condition(cond)
        _check_mapping(document)
        data, rows = self._read()
        if isinstance(document, Document):
            keys = self._select(rows, None, [document.doc_id])
        elif cond is None:
            raise ValueError("a condition or a document with an ID is needed")
        else:
            keys = self._select(rows, cond, None)
        if not keys:
            return self._insert(data, rows, [document])
        for key in keys:
            rows[key] = _changed(key, rows[key], document)
        self._write(data, rows)
        return [int(key) for key in keys]

    def remove(
        self, cond: Cond | None = None, doc_ids: Iterable[int] | None = None
    ) -> list[int]:
        """Remove documents and return the IDs of what was removed.

        :param cond: remove those that match
        :param doc_ids: remove those with these IDs
        """
        _check_condition(cond)
        if cond is None and doc_ids is None:
            raise RuntimeError("a condition or document IDs are needed")
        data, rows = self._read()
        keys = self._select(rows, cond, doc_ids)
        if keys:
            self._last_id = self._highest_id(rows)
            for key in keys:
                del rows[key]
            self._write(data, rows)
        return [int(key) for key in keys]

    def truncate(self) -> None:
        """Remove all documents; the next one gets the ID 1 again."""
        data, rows = self._read()
        if rows:
            rows.clear()
            self._write(data, rows)
        self._last_id = 0
        self._left = (0, None)

    def clear_cache(self) -> None:
        """Forget remembered results (none are ever kept)."""

    # -- helpers -----------------------------------------------------------------

    def _read(self) -> tuple[Data, Rows]:
        """Return the whole database and the rows of this table."""
        data = self._storage.read()
        if data is None:
            data = {}
        return data, data.get(self._name, {})

    def _write(self, data: Data, rows: Rows) -> None:
        """Store the database with these rows, and remember how the table was left."""
        data[self._name] = rows
        self._left = self._shape(rows)
        self._storage.write(data)

    @staticmethod
    def _shape(rows: Rows) -> tuple[int, str | None]:
        return len(rows), next(reversed(rows), None)

    def _highest_id(self, rows: Rows) -> int:
        """Return the highest ID that is in use or was given by this object."""
        if self._left == self._shape(rows):
            return self._last_id
        return max(self._last_id, max(map(int, rows), default=0))

    def _insert(
        self, data: Data, rows: Rows, documents: list[Mapping[str, Any]]
    ) -> list[int]:
        """Add the documents to the rows and store them, or raise `ValueError`."""
        last_id = self._highest_id(rows)
        new: Rows = {}
        ids = []
        for document in documents:
            _check_mapping(document)
            if isinstance(document, Document):
                doc_id = document.doc_id
                if not isinstance(doc_id, int):
                    raise ValueError(f"the ID {doc_id!r} is no whole number")
                doc_id = int(doc_id)
            else:
                doc_id = last_id + 1
            key = str(doc_id)
            if key in rows or key in new:
                raise ValueError(f"the ID {doc_id} is in use")
            last_id = max(last_id, doc_id)
            new[key] = _copy(document)
            ids.append(doc_id)
        if new:
            rows.update(new)
            self._last_id = last_id
            self._write(data, rows)
        return ids

    @staticmethod
    def _select(rows: Rows, cond: Cond | None, doc_ids: Iterable[int] | None) -> list[str]:
        """Return the keys of the rows with the IDs, or of those that match, or of all."""
        if doc_ids is not None:
            return [key for key in dict.fromkeys(map(str, doc_ids)) if key in rows]
        if cond is not None:
            return [key for key, row in rows.items() if cond(row)]
        return list(rows)


def _changed(key: str, row: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """Return a changed copy of the row."""
    if isinstance(fields, Mapping):
        return {**row, **_copy(fields)}
    document = _document(key, row)
    fields(document)
    return _copy(document)


def _check_mapping(document: Any) -> None:
    if not isinstance(document, Mapping):
        raise ValueError("a document must be a mapping")
