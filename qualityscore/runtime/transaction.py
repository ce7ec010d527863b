"""Transactions on a SQLite database that several threads share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager


@contextmanager
def transaction(database: sqlite3.Connection, lock: AbstractContextManager[object]) -> Iterator[sqlite3.Connection]:
    """Hold `lock` and the database's write lock; commit at the end, roll back on any exception.

    The connection is in autocommit mode (`isolation_level=None`). What fails, the commit itself on a full disk among
    it, leaves no transaction open.
    """
    with lock:
        database.execute("BEGIN IMMEDIATE")
        try:
            yield database
            database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:  # SQLite has rolled back by itself after some errors
                database.execute("ROLLBACK")
            raise
