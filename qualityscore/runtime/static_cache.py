"""Results of static tools by key, in one SQLite file: shared between processes, bounded, and expendable.

A cache that cannot be read or written is no error: it answers nothing and forgets everything. A damaged file is
replaced; a damaged value counts as missing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MAX_BYTES = 256 << 20
_SCHEMA = 1
_KEPT_SHARE = 0.8
_BUSY_S = 5.0
_BATCH = 500
_DIGEST_BYTES = 16


def key_of(*parts: str) -> str:
    """A key over everything that a result depends on."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogateescape")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()


class StaticCache:
    """Plain JSON values by key. `path` is the database (None for a cache that keeps nothing)."""

    def __init__(self, path: Path | None, *, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes

    def get(self, keys: Sequence[str]) -> dict[str, Any]:
        """The values that are there; marks them as used."""
        found: dict[str, Any] = {}
        with self._database() as database:
            if database is None:
                return found
            damaged: list[str] = []
            for batch in _batches(keys):
                marks = ",".join("?" * len(batch))
                for key, value in database.execute(f"SELECT key, value FROM results WHERE key IN ({marks})", batch):
                    try:
                        found[key] = _unpack(value)
                    except (ValueError, TypeError, zlib.error):
                        damaged.append(key)
            database.executemany("DELETE FROM results WHERE key = ?", [(key,) for key in damaged])
            tick = _tick(database)
            database.executemany(
                "UPDATE results SET used = ? WHERE key = ? AND used < ?",
                [(tick, key, tick - 1) for key in found],
            )
        return found

    def put(self, values: Mapping[str, Any]) -> None:
        """Keep values; drops those used longest ago when the cache grows beyond its bound."""
        packed = {key: _pack(value) for key, value in values.items()}
        with self._database() as database:
            if database is None or not packed:
                return
            tick = _tick(database) + 1
            database.executemany(
                "INSERT OR REPLACE INTO results (key, value, size, used) VALUES (?, ?, ?, ?)",
                [(key, value, len(value), tick) for key, value in packed.items()],
            )
            self._shrink(database)

    def _shrink(self, database: sqlite3.Connection) -> None:
        (total,) = database.execute("SELECT COALESCE(SUM(size), 0) FROM results").fetchone()
        if total <= self._max_bytes:
            return
        surplus = total - int(self._max_bytes * _KEPT_SHARE)
        doomed = []
        for key, size in database.execute("SELECT key, size FROM results ORDER BY used, key"):
            if surplus <= 0:
                break
            doomed.append((key,))
            surplus -= size
        database.executemany("DELETE FROM results WHERE key = ?", doomed)

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection | None]:
        """A connection inside a transaction; None where there is no cache to be had."""
        database = self._open()
        if database is None:
            yield None
            return
        try:
            yield database
            database.commit()
        except sqlite3.DatabaseError as error:
            if _is_damage(error):
                self._discard()
        finally:
            with contextlib.suppress(sqlite3.Error):
                database.close()

    def _open(self) -> sqlite3.Connection | None:
        if self._path is None:
            return None
        for _ in range(2):
            database = None
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                database = sqlite3.connect(self._path, timeout=_BUSY_S)
                # It can be made again: speed before durability. A torn file is found and replaced.
                database.execute("PRAGMA synchronous = OFF")
                (schema,) = database.execute("PRAGMA user_version").fetchone()
                if schema != _SCHEMA:
                    self._create(database)
                return database
            except sqlite3.DatabaseError as error:
                _close(database)
                if not _is_damage(error):
                    return None
                self._discard()
            except OSError:
                return None
        return None

    @staticmethod
    def _create(database: sqlite3.Connection) -> None:
        database.executescript(
            "BEGIN IMMEDIATE; DROP TABLE IF EXISTS results;"
            "CREATE TABLE results (key TEXT PRIMARY KEY, value BLOB, size INTEGER, used INTEGER);"
            f"CREATE INDEX by_use ON results (used, key); PRAGMA user_version = {_SCHEMA}; COMMIT;"
        )

    def _discard(self) -> None:
        assert self._path is not None
        for suffix in ("", "-journal", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                self._path.with_name(self._path.name + suffix).unlink()


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether a new file helps: not where another process holds this one for too long, or the disk is full.

    SQLite's general error means that a statement does not fit the tables (one is missing, or has other columns), and
    an error without a code that Python could not decode what was kept.
    """
    if not isinstance(error, sqlite3.OperationalError):
        return True
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF == sqlite3.SQLITE_ERROR  # the low byte of an extended code is its primary code


def _close(database: sqlite3.Connection | None) -> None:
    if database is not None:
        database.close()


def _tick(database: sqlite3.Connection) -> int:
    (tick,) = database.execute("SELECT COALESCE(MAX(used), 0) FROM results").fetchone()
    return int(tick)


def _batches(keys: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(keys), _BATCH):
        yield list(keys[start : start + _BATCH])


def _pack(value: Any) -> bytes:
    packed = zlib.compress(json.dumps(value).encode(), 1)
    return hashlib.sha256(packed).digest()[:_DIGEST_BYTES] + packed


def _unpack(value: bytes) -> Any:
    if hashlib.sha256(value[_DIGEST_BYTES:]).digest()[:_DIGEST_BYTES] != value[:_DIGEST_BYTES]:
        raise ValueError("damaged")
    return json.loads(zlib.decompress(value[_DIGEST_BYTES:]))
