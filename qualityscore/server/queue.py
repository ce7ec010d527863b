"""The queue of evaluations: a SQLite file in WAL mode that outlives the service, however it ends."""

from __future__ import annotations

import sqlite3
import threading
import time
import uuid
import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from qualityscore.errors import HarnessError
from qualityscore.runtime.transaction import transaction

_SCHEMA = 3
_BUSY_S = 30.0
_TABLES = """
CREATE TABLE evaluations (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, idempotency TEXT, request TEXT NOT NULL,
    spec TEXT NOT NULL, folder TEXT NOT NULL, key TEXT NOT NULL, status TEXT NOT NULL, created REAL NOT NULL,
    started REAL, ended REAL, ended_served REAL, attempts INTEGER NOT NULL DEFAULT 0, result TEXT, code TEXT,
    reason TEXT);
CREATE UNIQUE INDEX by_idempotency ON evaluations (owner, idempotency) WHERE idempotency IS NOT NULL;
CREATE INDEX by_status ON evaluations (status, place);
CREATE INDEX by_end ON evaluations (owner, ended_served);
CREATE TABLE served (seconds REAL NOT NULL);
INSERT INTO served VALUES (0.0);
CREATE TABLE results (id TEXT PRIMARY KEY, report BLOB NOT NULL);
"""
_COLUMNS = "id, owner, spec, folder, key, status, created, started, ended, attempts, result, code, reason"


class Status(StrEnum):
    """How far an evaluation is; what its subject is worth stands in the report alone."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self not in (Status.QUEUED, Status.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """An evaluation to take in. `request` is the digest of what was asked, `key` of what decides the result."""

    spec: str
    folder: str
    key: str
    request: str
    idempotency: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One row of the queue. Times in seconds since the epoch."""

    id: str
    owner: str
    spec: str
    folder: str
    key: str
    status: Status
    created: float
    started: float | None
    ended: float | None
    attempts: int
    result: str | None
    code: str | None
    reason: str | None


class FullError(Exception):
    """There is no room; nothing was taken in."""


class ReusedKeyError(Exception):
    """The idempotency key came before, with another request."""


class Queue:
    """Used from several threads of one process.

    What has ended is kept by the time that services have worked on the queue, which no clock that is set changes;
    a service that is killed forgets what it worked since the last `expire`.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        try:
            self._database = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")
            (schema,) = self._database.execute("PRAGMA user_version").fetchone()
            if schema == 0:
                self._database.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {_SCHEMA}; COMMIT;")
            elif schema != _SCHEMA:
                raise HarnessError(f"The queue {path} has schema {schema}, this version reads {_SCHEMA}; move it away.")
            (self._served_before,) = self._database.execute("SELECT seconds FROM served").fetchone()
            self._opened = time.monotonic()
        except sqlite3.Error as error:
            raise HarnessError(f"The queue {path} cannot be used: {error}; move it away to start afresh.") from error

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def _transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self._database, self._lock)

    def _served(self) -> float:
        """For how many seconds services have worked on this queue."""
        return float(self._served_before) + time.monotonic() - self._opened

    def submit(self, owner: str, new: Sequence[New], *, room: int) -> list[str]:
        """Take in all or none; returns the ids. What was asked before under the same idempotency key keeps its id.

        Raises FullError where more than `room` would wait, ReusedKeyError where the key came with another request.
        """
        ids = []
        with self._transaction() as database:
            (waiting,) = database.execute(
                "SELECT COUNT(*) FROM evaluations WHERE status = ?", (Status.QUEUED,)
            ).fetchone()
            for item in new:
                earlier = self._earlier(database, owner, item)
                if earlier is not None:
                    ids.append(earlier)
                    continue
                waiting += 1
                if waiting > room:
                    raise FullError
                ids.append(uuid.uuid4().hex)
                database.execute(
                    "INSERT INTO evaluations (id, owner, idempotency, request, spec, folder, key, status, created)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(ids[-1], owner, item.idempotency, item.request, item.spec, item.folder, item.key),
                        *(Status.QUEUED, time.time()),
                    ),
                )
        return ids

    @staticmethod
    def _earlier(database: sqlite3.Connection, owner: str, item: New) -> str | None:
        if item.idempotency is None:
            return None
        found = database.execute(
            "SELECT id, request FROM evaluations WHERE owner = ? AND idempotency = ?", (owner, item.idempotency)
        ).fetchone()
        if found is None:
            return None
        if found[1] != item.request:
            raise ReusedKeyError
        return str(found[0])

    def get(self, id_: str, owner: str | None = None) -> Evaluation | None:
        """An evaluation; None where there is none, or another owner's."""
        with self._lock:
            found = self._database.execute(f"SELECT {_COLUMNS} FROM evaluations WHERE id = ?", (id_,)).fetchone()
        evaluation = _evaluation(found) if found else None
        return evaluation if evaluation is not None and owner in (None, evaluation.owner) else None

    def claim(self) -> Evaluation | None:
        """The one that has waited longest, now running; None where none waits.

        What is the same as one that runs goes on waiting, for the result of that one.
        """
        with self._transaction() as database:
            found = database.execute(
                f"UPDATE evaluations SET status = ?, started = ?, attempts = attempts + 1 WHERE place ="
                " (SELECT place FROM evaluations WHERE status = ? AND key NOT IN"
                " (SELECT key FROM evaluations WHERE status = ?) ORDER BY place LIMIT 1)"
                f" RETURNING {_COLUMNS}",
                (Status.RUNNING, time.time(), Status.QUEUED, Status.RUNNING),
            ).fetchone()
        return _evaluation(found) if found else None

    def known(self, key: str) -> bool:
        """Whether there is a result that stands for everything with this key."""
        with self._lock:
            return self._database.execute("SELECT 1 FROM results WHERE id = ?", (key,)).fetchone() is not None

    def finish(
        self,
        id_: str,
        status: Status,
        *,
        report: str | None = None,
        result: str | None = None,
        code: str | None = None,
        reason: str | None = None,
    ) -> Status | None:
        """End an evaluation; returns whether it was queued or running, and None, with nothing done, where neither.

        `result` names the result (its key, where it stands for others too).
        """
        with self._transaction() as database:
            found = database.execute(
                "SELECT status FROM evaluations WHERE id = ? AND status IN (?, ?)", (id_, Status.QUEUED, Status.RUNNING)
            ).fetchone()
            if found is None:
                return None
            if report is not None:
                packed = zlib.compress(report.encode(), 6)
                database.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", (result, packed))
            database.execute(
                "UPDATE evaluations SET status = ?, ended = ?, ended_served = ?, result = ?, code = ?, reason = ?"
                " WHERE id = ?",
                (status, time.time(), self._served(), result, code, reason, id_),
            )
            return Status(found[0])

    def requeue(self, id_: str | None = None) -> bool:
        """Let a running evaluation, or all that a service which was killed left running, wait again in their places.

        Returns whether there was one.
        """
        with self._transaction() as database:
            done = database.execute(
                "UPDATE evaluations SET status = ? WHERE status = ? AND (? IS NULL OR id = ?)",
                (Status.QUEUED, Status.RUNNING, id_, id_),
            )
            return done.rowcount > 0

    def report(self, evaluation: Evaluation) -> str | None:
        """The stored report document, as JSON text."""
        with self._lock:
            found = self._database.execute("SELECT report FROM results WHERE id = ?", (evaluation.result,)).fetchone()
        return zlib.decompress(found[0]).decode() if found else None

    def remove(self, id_: str) -> None:
        """Forget an evaluation that has ended."""
        with self._transaction() as database:
            database.execute("DELETE FROM evaluations WHERE id = ? AND ended IS NOT NULL", (id_,))

    def expire(self, *, keep_s: float, keep: int) -> None:
        """Forget what ended `keep_s` ago, all but the last `keep` of each owner, and results that nothing refers to.

        What has not ended refers to the result of its key, which it may be about to take.
        """
        with self._transaction() as database:
            now = self._served()
            database.execute("UPDATE served SET seconds = ?", (now,))
            database.execute("DELETE FROM evaluations WHERE ended_served < ?", (now - keep_s,))
            database.execute(
                "DELETE FROM evaluations WHERE place IN (SELECT place FROM (SELECT place, ROW_NUMBER() OVER"
                " (PARTITION BY owner ORDER BY ended_served DESC, place DESC) AS age"
                " FROM evaluations WHERE ended_served IS NOT NULL) WHERE age > ?)",
                (keep,),
            )
            database.execute(
                "DELETE FROM results WHERE id NOT IN (SELECT result FROM evaluations WHERE result IS NOT NULL)"
                " AND id NOT IN (SELECT key FROM evaluations WHERE ended IS NULL)"
            )

    def folders(self) -> set[str]:
        """The folders of all evaluations that have not ended."""
        with self._lock:
            rows = self._database.execute("SELECT folder FROM evaluations WHERE ended IS NULL").fetchall()
        return {row[0] for row in rows}

    def counts(self) -> dict[Status, int]:
        """How many there are of each status."""
        with self._lock:
            found = dict(self._database.execute("SELECT status, COUNT(*) FROM evaluations GROUP BY status"))
        return {status: found.get(status, 0) for status in Status}


def _evaluation(row: tuple[object, ...]) -> Evaluation:
    fields = dict(zip(_COLUMNS.split(", "), row, strict=True))
    return Evaluation(**{**fields, "status": Status(str(fields["status"]))})  # type: ignore[arg-type]
