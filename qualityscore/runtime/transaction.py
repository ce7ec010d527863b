"""Transactions on a SQLite database that several threads share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager


@contextmanager
def transaction(database: sqlite3.Connection, lock: AbstractContextManager[object]) -> Iterator[sqlite3.Connection]:
    """Hold `lock` and the database's write lock; commit at the end, roll back on any exception.

    The connection is in autocommit mode (`isolation_level=None`).
    """
    with lock:
        database.execute("BEGIN IMMEDIATE")
        try:
            yield database
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")
