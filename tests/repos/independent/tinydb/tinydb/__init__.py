"""A small document database: documents in tables, found by composable queries."""

from .database import TinyDB
from .queries import Query, where
from .storages import JSONStorage, Storage

__all__ = ["JSONStorage", "Query", "Storage", "TinyDB", "where"]
