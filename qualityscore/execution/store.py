"""What a batch has done, in one SQLite file in WAL mode: the truth from which every other file can be written again.

A transaction is on the disk before anybody is told of it, so a SIGKILL at any moment loses only what was under way.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
import uuid
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from qualityscore.errors import BatchError
from qualityscore.execution.manifest import Row, Shard
from qualityscore.runtime.transaction import transaction

SCHEMA = 3
_BUSY_S = 30.0
_PAGE = 200
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE evaluations (key TEXT PRIMARY KEY, state TEXT NOT NULL, report BLOB, code TEXT, reason TEXT);
CREATE TABLE attempts (number INTEGER PRIMARY KEY, key TEXT NOT NULL, run TEXT NOT NULL, started REAL NOT NULL,
                       ended REAL, state TEXT);
CREATE INDEX attempts_by_key ON attempts (key);
CREATE TABLE rows (number INTEGER PRIMARY KEY, spec TEXT NOT NULL, digest TEXT NOT NULL, basis TEXT NOT NULL,
                   state TEXT NOT NULL,
                   key TEXT, code TEXT, reason TEXT, line TEXT, file TEXT, sha256 TEXT);
CREATE INDEX rows_by_state ON rows (state, number);
"""
_IDENTITIES = "SELECT number, digest, basis FROM rows"
_EVALUATED = "SELECT digest FROM rows WHERE state = ?"


class DamagedStoreError(Exception):
    """The file is torn, as no crash of ours leaves it; what it held must come from the reports beside it."""


class State(StrEnum):
    """Of a row or an evaluation. DONE is final; REFUSED and HARNESS are tried again by the next run."""

    PENDING = "pending"
    DONE = "done"
    REFUSED = "refused"
    HARNESS = "harness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """An evaluation that has ended. `report` is JSON text, None where there was none."""

    state: State
    report: str | None
    code: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRecord:
    """A row with what came of it."""

    number: int
    row: Row
    digest: str
    basis: str
    state: State
    key: str | None
    line: str | None
    file: str | None
    sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A manifest of `total` rows in all shards: digests over what they say and over what their results depend on."""

    total: int
    rows_digest: str
    bases_digest: str


class Store:
    """Opened by one process at a time (the caller's lock), used from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run = uuid.uuid4().hex
        self._lock = threading.RLock()
        self._database = _open(path)

    def close(self) -> None:
        """Close; what was written stays."""
        with self._lock:
            self._database.close()

    def _transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self._database, self._lock)

    @property
    def identity(self) -> str:
        """A name of this store that no other has."""
        return self.meta("identity") or ""

    def meta(self, name: str) -> str | None:
        """A noted fact about the whole batch."""
        with self._lock:
            found = self._database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return found[0] if found else None

    def note(self, **facts: str) -> None:
        """Note facts about the whole batch."""
        with self._transaction() as database:
            database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(facts.items()))

    def load_rows(
        self,
        rows: Iterable[tuple[int, Row]],
        shard: Shard,
        basis_of: Callable[[Row], str],
        *,
        base: Path,
        replace: bool = False,
    ) -> Loaded:
        """Take over a manifest, in one transaction; `base` is the resolved folder that its paths are relative to.

        Rows that say what they said before, of the same place (`Row.digest_at`), on the same basis (`Digests.basis`),
        keep what came of them, save harness faults, which are pending again. Rows that are not in the manifest any more
        are dropped. Raises BatchError where such a row was evaluated, unless that is meant (`replace`).
        """
        total = 0
        rows_digest, bases_digest = hashlib.sha256(), hashlib.sha256()
        with self._transaction() as database:
            known = {number: (digest, basis) for number, digest, basis in database.execute(_IDENTITIES)}
            evaluated = Counter(digest for (digest,) in database.execute(_EVALUATED, (State.DONE,)))
            for number, row in rows:
                total = number
                digest, basis = row.digest_at(base), basis_of(row)
                rows_digest.update(row.digest.encode())
                bases_digest.update(basis.encode())
                if not shard.holds(number):
                    continue
                evaluated[digest] -= 1
                if known.pop(number, None) != (digest, basis):
                    database.execute(
                        "INSERT OR REPLACE INTO rows (number, spec, digest, basis, state) VALUES (?, ?, ?, ?, ?)",
                        (number, row.model_dump_json(), digest, basis, State.PENDING),
                    )
            if (lost := (+evaluated).total()) and not replace:
                raise BatchError(
                    f"{self.path.parent} holds results of {lost} rows that this manifest (or shard) does not have, or "
                    "has otherwise or in another place; name another output folder, or give --replace to drop them."
                )
            database.executemany("DELETE FROM rows WHERE number = ?", [(number,) for number in known])
            database.execute(
                "UPDATE rows SET state = ?, line = NULL WHERE state IN (?, ?)",
                (State.PENDING, State.HARNESS, State.REFUSED),
            )
        return Loaded(total=total, rows_digest=rows_digest.hexdigest(), bases_digest=bases_digest.hexdigest())

    def add_rows(self, records: Iterable[RowRecord]) -> None:
        """Add the rows of another store that are not there yet, as pending."""
        with self._transaction() as database:
            database.executemany(
                "INSERT INTO rows (number, spec, digest, basis, state) VALUES (?, ?, ?, ?, ?)",
                ((r.number, r.row.model_dump_json(), r.digest, r.basis, State.PENDING) for r in records),
            )

    def pending(self) -> Iterator[tuple[int, Row]]:
        """Rows that have no result yet, in order; a page at a time, so that none is held for long."""
        last = 0
        while True:
            with self._lock:
                page = self._database.execute(
                    "SELECT number, spec FROM rows WHERE state = ? AND number > ? ORDER BY number LIMIT ?",
                    (State.PENDING, last, _PAGE),
                ).fetchall()
            if not page:
                return
            for number, spec in page:
                last = number
                yield number, Row.model_validate_json(spec)

    def records(self) -> Iterator[RowRecord]:
        """All rows in order, a page at a time."""
        last = 0
        while True:
            with self._lock:
                page = self._database.execute(
                    "SELECT number, spec, digest, basis, state, key, line, file, sha256 FROM rows WHERE number > ?"
                    " ORDER BY number LIMIT ?",
                    (last, _PAGE),
                ).fetchall()
            if not page:
                return
            for number, spec, digest, basis, state, key, line, file, sha256 in page:
                last = number
                yield RowRecord(
                    number=number,
                    row=Row.model_validate_json(spec),
                    digest=digest,
                    basis=basis,
                    state=State(state),
                    key=key,
                    line=line,
                    file=file,
                    sha256=sha256,
                )

    def counts(self) -> dict[State, int]:
        """How many rows there are in each state."""
        with self._lock:
            found = dict(self._database.execute("SELECT state, COUNT(*) FROM rows GROUP BY state"))
        return {state: found.get(state, 0) for state in State}

    def tampered(self) -> int:
        """How many rows have a report of status `tampered`."""
        with self._lock:
            found = self._database.execute(
                "SELECT COUNT(*) FROM rows WHERE json_extract(line, '$.status') = 'tampered'"
            ).fetchone()
        return int(found[0])

    def evaluation(self, key: str) -> Stored | None:
        """What an evaluation came to, or None where it has not ended."""
        with self._lock:
            found = self._database.execute(
                "SELECT state, report, code, reason FROM evaluations WHERE key = ?", (key,)
            ).fetchone()
        if found is None:
            return None
        state, report, code, reason = found
        text = zlib.decompress(report).decode() if report is not None else None
        return Stored(state=State(state), report=text, code=code, reason=reason)

    def attempts_in_run(self, key: str) -> int:
        """How often this run has begun an evaluation."""
        with self._lock:
            found = self._database.execute(
                "SELECT COUNT(*) FROM attempts WHERE key = ? AND run = ?", (key, self.run)
            ).fetchone()
        return int(found[0])

    def begin(self, key: str) -> int:
        """Note that an evaluation begins; returns the attempt's number."""
        with self._transaction() as database:
            cursor = database.execute(
                "INSERT INTO attempts (key, run, started) VALUES (?, ?, ?)", (key, self.run, time.time())
            )
        return int(cursor.lastrowid or 0)

    def finish(self, attempt: int, key: str, stored: Stored) -> None:
        """Keep what an evaluation came to, and end its attempt."""
        with self._transaction() as database:
            _put(database, key, stored)
            database.execute(
                "UPDATE attempts SET ended = ?, state = ? WHERE number = ?", (time.time(), stored.state, attempt)
            )

    def adopt(self, key: str, stored: Stored) -> None:
        """Take over an evaluation from another store, without an attempt of ours."""
        with self._transaction() as database:
            _put(database, key, stored)

    def settle(self, number: int, *, state: State, key: str | None, line: str, file: str | None, text: str) -> None:
        """Keep a row's result: its line, and the name and digest of its report file (`text`, where there is one)."""
        sha256 = hashlib.sha256(text.encode()).hexdigest() if file is not None else None
        with self._transaction() as database:
            database.execute(
                "UPDATE rows SET state = ?, key = ?, line = ?, file = ?, sha256 = ? WHERE number = ?",
                (state, key, line, file, sha256, number),
            )


def _put(database: sqlite3.Connection, key: str, stored: Stored) -> None:
    report = zlib.compress(stored.report.encode(), 6) if stored.report is not None else None
    database.execute(
        "INSERT OR REPLACE INTO evaluations (key, state, report, code, reason) VALUES (?, ?, ?, ?, ?)",
        (key, stored.state, report, stored.code, stored.reason),
    )


def _open(path: Path) -> sqlite3.Connection:
    """Open or create. Raises BatchError for what is no store of this version, DamagedStoreError for a torn file."""
    database = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        (schema,) = database.execute("PRAGMA user_version").fetchone()
        if schema == 0:
            _create(database)
        elif schema != SCHEMA:
            raise BatchError(f"{path} has schema {schema}, this version reads {SCHEMA}; use another output folder.")
        (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise DamagedStoreError(str(verdict))
    except sqlite3.OperationalError as error:
        database.close()
        raise BatchError(f"The store {path} cannot be used: {error}; check the folder and its file system.") from error
    except sqlite3.DatabaseError as error:
        database.close()
        raise DamagedStoreError(str(error)) from error
    except BaseException:
        database.close()
        raise
    return database


def _create(database: sqlite3.Connection) -> None:
    tables = database.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    if tables:
        raise BatchError("The file store.sqlite is another program's; use another output folder.")
    database.executescript(
        f"BEGIN IMMEDIATE; {_TABLES} INSERT INTO meta VALUES ('identity', '{uuid.uuid4().hex}');"
        f"PRAGMA user_version = {SCHEMA}; COMMIT;"
    )
