"""Threads that take evaluations from the queue to the warm workers and their answers back."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from qualityscore.errors import HarnessError
from qualityscore.execution.jobs import Broken, Evaluated, Job, Refused
from qualityscore.execution.local_engine import LocalEngine
from qualityscore.execution.scores import harness_faults
from qualityscore.server.intake import Intake, Tasks
from qualityscore.server.metrics import Metrics
from qualityscore.server.queue import Evaluation, Queue, Status
from qualityscore.server.settings import Settings

LOSSES = 2
"""How often the process of one evaluation may be lost before it fails."""
ATTEMPTS = 6
"""How often one evaluation is begun at most, over all times that the service itself was killed."""
RETRY_S = 5.0
"""After how long the end of an evaluation is written again that could not be."""
_TICK_S = 1.0
_EXPIRE_INTERVAL_S = 60.0
_RECENT = 32
T = TypeVar("T")
log = logging.getLogger("qualityscore.server")


@dataclass(frozen=True, slots=True)
class Step:
    """Where a running evaluation is."""

    stage: str
    done: int
    total: int


class Dispatcher:
    """One thread for each worker, from `start` to `stop`."""

    def __init__(
        self, settings: Settings, *, queue: Queue, engine: LocalEngine, intake: Intake, tasks: Tasks, metrics: Metrics
    ) -> None:
        self._settings = settings
        self._queue = queue
        self._engine = engine
        self._intake = intake
        self._tasks = tasks
        self._metrics = metrics
        self._wake = threading.Condition()
        self._stopping = False
        self._cancelled: set[str] = set()
        self._losses: dict[str, int] = {}
        self._steps: dict[str, Step] = {}
        self._seconds: list[float] = []
        self._expired = 0.0
        self._threads = [
            threading.Thread(target=self._lane, name=f"qualityscore-lane{n}", daemon=True) for n in range(engine.lanes)
        ]

    def start(self) -> None:
        """Put back what a killed service was at, and begin."""
        self._queue.requeue()
        self._intake.sweep(self._queue.folders())
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End what runs; it waits in the queue for the next start."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        self._engine.close()
        for thread in self._threads:
            if thread.ident is not None:  # started
                thread.join()

    def notify(self) -> None:
        """There is something new in the queue."""
        with self._wake:
            self._wake.notify_all()

    def step(self, id_: str) -> Step | None:
        """Where a running evaluation is, if it has said so."""
        return self._steps.get(id_)

    def cancel(self, evaluation: Evaluation) -> None:
        """End a waiting or running evaluation as cancelled."""
        with self._wake:
            self._cancelled.add(evaluation.id)
        was = self._queue.finish(evaluation.id, Status.CANCELLED, reason="cancelled by its owner")
        if was is Status.RUNNING:  # a lane has it, which does the rest; if it has not begun, it does not begin
            self._engine.cancel(evaluation.id)
        elif was is Status.QUEUED:
            self._end(evaluation)
        else:
            with self._wake:
                self._cancelled.discard(evaluation.id)

    def expected_wait_s(self, queued: int) -> float:
        """How long until half of the queue is worked off, by the mean of the last evaluations."""
        recent = self._seconds[-_RECENT:]
        mean = sum(recent) / len(recent) if recent else 5.0
        return max(1.0, min(3600.0, mean * max(1, queued) / self._engine.lanes / 2))

    def _lane(self) -> None:
        while True:
            with self._wake:
                if self._stopping:
                    return
            try:
                evaluation = self._queue.claim()
                if evaluation is not None:
                    self._settle(evaluation)
                self._expire()
                with self._wake:
                    if evaluation is None and not self._stopping:
                        self._wake.wait(_TICK_S)
            except Exception:
                log.exception("a lane failed; it goes on")
                time.sleep(_TICK_S)

    def _settle(self, evaluation: Evaluation) -> None:
        """Settle one evaluation, whatever happens to it."""
        try:
            self._one(evaluation)
        except Exception as error:
            with self._wake:
                if self._stopping:
                    raise
            log.exception("an evaluation failed")
            reason = f"the service failed: {type(error).__name__}: {error}"
            self._finish(evaluation.id, Status.FAILED, code=HarnessError.code, reason=reason)
            self._end(evaluation)
        finally:
            self.notify()  # the same subject may have waited for this one

    def _finish(self, id_: str, status: Status, **how: str | None) -> None:
        """End an evaluation, however long the queue cannot be written: all that is the same waits for it."""
        self._kept(lambda: self._queue.finish(id_, status, **how))

    def _kept(self, write: Callable[[], T]) -> T:
        """What a write to the queue gives, tried again while it fails, as on a full disk.

        Raises its sqlite3.Error when the service stops meanwhile: the next one finds the evaluation as it was.
        """
        while True:
            try:
                return write()
            except sqlite3.Error:
                log.exception("the end of an evaluation cannot be kept; it is tried again")
                give_up = time.monotonic() + RETRY_S
                with self._wake:
                    while not self._stopping and (left := give_up - time.monotonic()) > 0:
                        self._wake.wait(left)
                    if self._stopping:
                        raise

    def _one(self, evaluation: Evaluation) -> None:
        if self._queue.known(evaluation.key):
            self._finish(evaluation.id, Status.SUCCEEDED, result=evaluation.key)
            self._end(evaluation)
            return
        if evaluation.attempts > ATTEMPTS:
            reason = "the process that evaluated it, or the service, was lost each time that it was tried"
            self._finish(evaluation.id, Status.FAILED, code=HarnessError.code, reason=reason)
            self._end(evaluation)
            return
        began = time.monotonic()
        answer = self._engine.evaluate(
            self._job(evaluation),
            self._reporter(evaluation.id),
            wanted=lambda: evaluation.id not in self._cancelled,
        )
        if isinstance(answer, Refused):
            answer = answer.after_intake()
        seconds = time.monotonic() - began
        with self._wake:
            cancelled = evaluation.id in self._cancelled
            stopping = self._stopping
        match answer:
            case _ if cancelled:
                pass
            case Broken(lost=True) if stopping or self._lost(evaluation.id) < LOSSES:
                self._steps.pop(evaluation.id, None)
                if self._kept(lambda: self._queue.requeue(evaluation.id)):
                    return
            case Evaluated(report=report):
                self._keep(report, evaluation)
            case Broken(code=code, reason=reason):
                self._finish(evaluation.id, Status.FAILED, code=code, reason=reason)
        self._seconds = [*self._seconds[-_RECENT:], seconds]
        self._metrics.evaluation_s.observe(seconds)
        self._end(evaluation)

    def _keep(self, report: str, evaluation: Evaluation) -> None:
        """Finish an evaluation with its report.

        One with a fault of ours, or that was taken in by a service which knew other tasks, stands for itself alone.
        """
        document, spec = json.loads(report), json.loads(evaluation.spec)
        changed = self._intake.changed(document, spec)
        if changed:
            self._finish(evaluation.id, Status.FAILED, code=HarnessError.code, reason=changed)
            return
        stands = not harness_faults(document) and evaluation.key == self._intake.key(spec)
        result = evaluation.key if stands else evaluation.id
        self._finish(evaluation.id, Status.SUCCEEDED, report=report, result=result)

    def _lost(self, id_: str) -> int:
        """Count the loss of an evaluation's process."""
        with self._wake:
            self._losses[id_] = self._losses.get(id_, 0) + 1
            return self._losses[id_]

    def _job(self, evaluation: Evaluation) -> Job:
        spec = json.loads(evaluation.spec)
        return Job(
            id=evaluation.id,
            folder=Path(evaluation.folder),
            name=spec["path"],
            task=self._tasks.path(spec["task"]),
            only=tuple(spec["only"]) if spec["only"] is not None else None,
            profile=spec["profile"],
            counter=spec["counter"],
            unsafe=self._settings.unsafe,
            require_sandbox=self._settings.require_sandbox,
            timeout_s=self._settings.limits.evaluation_s,
        )

    def _reporter(self, id_: str) -> Callable[[str, int, int], None]:
        def report(stage: str, done: int, total: int) -> None:
            self._steps[id_] = Step(stage, done, total)

        return report

    def _end(self, evaluation: Evaluation) -> None:
        self._steps.pop(evaluation.id, None)
        with self._wake:
            self._cancelled.discard(evaluation.id)
            self._losses.pop(evaluation.id, None)
        self._intake.drop(evaluation.folder)
        ended = self._queue.get(evaluation.id)
        if ended is not None:
            self._metrics.evaluations.labels(status=ended.status).inc()

    def _expire(self) -> None:
        """Now and then, however busy, forget what is old."""
        now = time.monotonic()
        if now - self._expired < _EXPIRE_INTERVAL_S:
            return
        self._expired = now
        limits = self._settings.limits
        self._queue.expire(keep_s=limits.keep_s, keep=limits.keep)
