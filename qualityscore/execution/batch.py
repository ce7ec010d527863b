"""A batch: every row of a manifest evaluated once, on as many lanes as the engine has, resumable at any point."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qualityscore.errors import BatchError, HarnessError, InputError, QualityScoreError
from qualityscore.execution import output
from qualityscore.execution.digests import Digests
from qualityscore.execution.intake import Prepared, prepared
from qualityscore.execution.jobs import Answer, Broken, Engine, Evaluated, Job, Refused, content_key
from qualityscore.execution.manifest import Row, Shard, read_manifest
from qualityscore.execution.scores import harness_faults
from qualityscore.execution.store import DamagedStoreError, State, Store, Stored
from qualityscore.runtime.process import killed_on_failure
from qualityscore.runtime.sandbox.select import required_level
from qualityscore.runtime.scratch import scratch_folder

ATTEMPTS_PER_RUN = 2
"""How often one run begins an evaluation whose process is lost or which a harness fault spoils."""

log = logging.getLogger("qualityscore.batch")

MakeEngine = Callable[[Path], Engine]
"""From a folder for temporary files to an engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a batch is asked to do. `defaults` hold where a row says nothing: task, only, profile, counter.

    `replace`: results of rows that the manifest or the shard has no more are dropped, rather than the run refused.
    """

    manifest: Path
    folder: Path
    defaults: dict[str, Any] = field(default_factory=dict)
    shard: Shard = field(default_factory=Shard)
    unsafe: bool = False
    require_sandbox: str | None = None
    timeout_s: float = 3600.0
    replace: bool = False

    @property
    def base(self) -> Path:
        """The folder that paths of rows are relative to."""
        return self.manifest.resolve().parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How a batch stands. `begun_done` rows were done before this run; `elapsed_s` is this run's."""

    rows: int
    done: int
    refused: int
    harness: int
    begun_done: int
    elapsed_s: float

    @property
    def settled(self) -> int:
        """Rows that have a result."""
        return self.done + self.refused + self.harness

    @property
    def rate_per_s(self) -> float | None:
        """Rows settled per second in this run, None before the first that was not just refused."""
        fresh = self.settled - self.begun_done
        return fresh / self.elapsed_s if fresh > self.refused and self.elapsed_s > 0 else None

    @property
    def remaining_s(self) -> float | None:
        """At this run's rate."""
        rate = self.rate_per_s
        return (self.rows - self.settled) / rate if rate else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a batch ended: every row has a result. `tampered` counts done rows whose subject attacked its judges."""

    tally: Tally
    tampered: int

    @property
    def exit_code(self) -> int:
        """3 where a row was not fully measured, since another run may mend that; else 2 refused, 4 tampered with, 0."""
        if self.tally.harness:
            return 3
        if self.tally.refused:
            return 2
        return 4 if self.tampered else 0


Watch = Callable[[Tally], None]


def run_batch(settings: Settings, make_engine: MakeEngine, watch: Watch) -> Outcome:
    """Evaluate what has no result yet; `watch` is told how it stands after every row, from the lanes' threads.

    Raises UsageError, ManifestError, BatchError, TaskError and ProfileError before anything is evaluated. On any
    exception, as KeyboardInterrupt, what runs is killed and what was known is kept.
    """
    required_level(settings.require_sandbox)
    with ExitStack() as stack:
        stack.enter_context(no_new_folder_for_nothing(settings.folder))
        stack.enter_context(held(settings.folder))
        store = open_store(settings.folder)
        stack.callback(store.close)
        _check_containment(settings, store)
        digests = Digests()
        loaded = store.load_rows(
            read_manifest(settings.manifest, settings.defaults),
            settings.shard,
            lambda row: digests.basis(row.task, row.options, unsafe=settings.unsafe),
            base=settings.base,
            replace=settings.replace,
        )
        store.note(
            manifest=str(settings.manifest),
            rows=str(loaded.total),
            rows_digest=loaded.rows_digest,
            bases_digest=loaded.bases_digest,
            shard=f"{settings.shard.index}/{settings.shard.of}",
            require_sandbox=settings.require_sandbox or "",
        )
        results = output.ResultsFile(settings.folder)
        output.repair(settings.folder, store)
        results.rewrite(store)
        scratch = stack.enter_context(_scratch(store))
        engine = make_engine(scratch)
        stack.callback(engine.close)
        run = _Run(
            settings=settings,
            store=store,
            results=results,
            engine=engine,
            digests=digests,
            scratch=scratch,
            watch=watch,
        )
        run.all_rows()
        results.rewrite(store)
        return Outcome(tally=run.tally(), tampered=store.tampered())


def _check_containment(settings: Settings, store: Store) -> None:
    """Raise BatchError where rows have results that may be of a weaker sandbox than is now required."""
    required = settings.require_sandbox
    if required and store.counts()[State.DONE] and store.meta("require_sandbox") != required:
        raise BatchError(
            f"{settings.folder} holds results that were made without --require-sandbox {required}; "
            "name another output folder."
        )


@contextmanager
def no_new_folder_for_nothing(folder: Path) -> Iterator[None]:
    """Remove an output folder that was not there before, where what the caller gave turns out to be of no use."""
    new = not folder.exists()
    try:
        yield
    except InputError:
        if new:
            shutil.rmtree(folder, ignore_errors=True)
        raise


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Make the folder and keep every other batch out of it."""
    try:
        (folder / output.REPORTS).mkdir(parents=True, exist_ok=True)
        for place in (folder, folder / output.REPORTS):
            tempfile.TemporaryFile(dir=place).close()
        descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise BatchError(f"The output folder {folder} cannot be used: {error.strerror}; name another.") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise BatchError(f"Another batch is running in {folder}; wait for it, or name another folder.") from error
    finally:
        os.close(descriptor)


def open_store(folder: Path) -> Store:
    """Open the store; one that is torn, which is set aside, empty or missing is filled again from the reports."""
    path = folder / output.STORE
    empty = not path.exists() or path.stat().st_size == 0
    try:
        store = Store(path)
    except DamagedStoreError:
        empty = True
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.replace(path.with_name(f"{path.name}.damaged{suffix}"))
        store = Store(path)
    if empty:
        output.salvage(folder, store)
    return store


@contextmanager
def _scratch(store: Store) -> Iterator[Path]:
    """A folder for temporary files."""
    with scratch_folder(f"qualityscore-batch-{store.identity}-") as folder:
        folder.chmod(0o755)
        yield folder


@dataclass(slots=True, kw_only=True)
class _Run:
    settings: Settings
    store: Store
    results: output.ResultsFile
    engine: Engine
    digests: Digests
    scratch: Path
    watch: Watch
    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: dict[str, list[tuple[int, Row]]] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)
    counts: dict[State, int] = field(default_factory=dict)
    begun_done: int = 0

    def all_rows(self) -> None:
        """Settle every pending row."""
        self.counts = self.store.counts()
        self.begun_done = sum(n for state, n in self.counts.items() if state is not State.PENDING)
        self.watch(self.tally())
        rows = self.store.pending()
        with ThreadPoolExecutor(self.engine.lanes, "qualityscore-lane") as pool, killed_on_failure(pool):
            for lane in [pool.submit(self.lane, rows) for _ in range(self.engine.lanes)]:
                lane.result()

    def tally(self) -> Tally:
        """How it stands."""
        return Tally(
            rows=sum(self.counts.values()),
            done=self.counts.get(State.DONE, 0),
            refused=self.counts.get(State.REFUSED, 0),
            harness=self.counts.get(State.HARNESS, 0),
            begun_done=self.begun_done,
            elapsed_s=time.monotonic() - self.started,
        )

    def lane(self, rows: Iterator[tuple[int, Row]]) -> None:
        """Take rows until none is left."""
        while True:
            with self.lock:
                taken = next(rows, None)
            if taken is None:
                return
            self.one_row(*taken)

    def one_row(self, number: int, row: Row) -> None:
        """Settle a row, or leave it to the lane that is at the same subject."""
        key: str | None = None
        try:
            with prepared(row, self.settings.base, self.scratch / f"row-{number}") as subject:
                key = self.key_of(row, subject)
                if not self.claim(key, number, row):
                    return
                stored = self.known(key) or self.evaluated(key, row, subject)
        except InputError as error:
            stored = Stored(state=State.REFUSED, report=None, code=error.code, reason=str(error))
        except QualityScoreError as error:
            stored = Stored(state=State.HARNESS, report=None, code=error.code, reason=str(error))
        except (OSError, MemoryError) as error:
            reason = f"the host failed: {str(error) or 'there is not enough memory'}"
            stored = Stored(state=State.HARNESS, report=None, code=HarnessError.code, reason=reason)
        except Exception as error:  # a fault of ours that one subject brings out must not cost the other rows
            log.exception("row %d failed", number)
            reason = f"the batch failed at it: {type(error).__name__}: {error}"
            stored = Stored(state=State.HARNESS, report=None, code=HarnessError.code, reason=reason)
        self.settle(number, row, key, stored)
        for other_number, other in self.release(key):
            self.settle(other_number, other, key, stored)

    def key_of(self, row: Row, subject: Prepared) -> str:
        """What the row's evaluation is stored under."""
        return content_key(
            subject_digest=subject.digest,
            basis=self.digests.basis(row.task, row.options, unsafe=self.settings.unsafe),
            only=row.options.only,
            counter=row.options.counter,
            require_sandbox=self.settings.require_sandbox,
            left_out=subject.left_out,
        )

    def claim(self, key: str, number: int, row: Row) -> bool:
        """Whether this lane settles the key; otherwise the row waits for the lane that does."""
        with self.lock:
            if key in self.waiting:
                self.waiting[key].append((number, row))
                return False
            self.waiting[key] = []
            return True

    def release(self, key: str | None) -> list[tuple[int, Row]]:
        """The rows that waited for a key."""
        with self.lock:
            return self.waiting.pop(key, []) if key is not None else []

    def known(self, key: str) -> Stored | None:
        """A stored result that stands: a report without a fault of ours, or what this run has tried often enough."""
        stored = self.store.evaluation(key)
        if stored is None or stored.state is State.DONE:
            return stored
        return stored if self.store.attempts_in_run(key) >= ATTEMPTS_PER_RUN else None

    def evaluated(self, key: str, row: Row, subject: Prepared) -> Stored:
        """Have it evaluated; once more where its process was lost."""
        job = Job(
            id=key,
            folder=subject.folder,
            name=row.source,
            task=row.task,
            only=row.options.only,
            profile=row.options.profile,
            counter=row.options.counter,
            unsafe=self.settings.unsafe,
            require_sandbox=self.settings.require_sandbox,
            timeout_s=self.settings.timeout_s,
        )
        while True:
            attempt = self.store.begin(key)
            answer = self.engine.evaluate(job)
            stored = self.stored(answer, row, subject)
            self.store.finish(attempt, key, stored)
            lost = isinstance(answer, Broken) and answer.lost
            if not lost or self.store.attempts_in_run(key) >= ATTEMPTS_PER_RUN:
                return stored

    def stored(self, answer: Answer, row: Row, subject: Prepared) -> Stored:
        """An engine's answer as it is kept: a report without a fault of ours is final, everything else of ours is not.

        A report of other content than was read when the row was taken in is no result.
        """
        match answer:
            case Evaluated(report=report):
                document = json.loads(report)
                changed = self.digests.changed(
                    document, task=row.task, profile=row.options.profile, subject_digest=subject.digest
                )
                if changed:
                    return Stored(state=State.HARNESS, report=None, code=HarnessError.code, reason=changed)
                faults = harness_faults(document)
                return Stored(state=State.HARNESS if faults else State.DONE, report=report)
            case Refused():
                return self.stored(answer.after_intake(), row, subject)
            case Broken(code=code, reason=reason):
                return Stored(state=State.HARNESS, report=None, code=code, reason=reason)

    def settle(self, number: int, row: Row, key: str | None, stored: Stored) -> None:
        """Keep a row's result: first in the store, then in the files that are written from it."""
        file, text = None, ""
        if stored.report is not None:
            file, text = output.report_name(number, row), output.report_text(stored.report, row)
        line = output.result_line(number, row, key, stored, file)
        self.store.settle(number, state=stored.state, key=key, line=line, file=file, text=text)
        if file is not None:
            output.write_whole(self.settings.folder / file, text)
        with self.lock:
            self.results.append(line)
            self.counts[State.PENDING] -= 1
            self.counts[stored.state] = self.counts.get(stored.state, 0) + 1
            self.watch(self.tally())
