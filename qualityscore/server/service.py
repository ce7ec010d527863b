"""What the routes do, apart from HTTP: taking subjects in, telling how they stand, waiting for them."""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from starlette.concurrency import run_in_threadpool

from qualityscore.errors import (
    HarnessError,
    InputError,
    MissingSubjectError,
    NoSuchResourceError,
    SubjectError,
    UsageError,
)
from qualityscore.execution.local_engine import LocalEngine
from qualityscore.execution.scores import nothing, short_form
from qualityscore.runtime.scratch import ScratchFolder
from qualityscore.server.access import ProblemError, RateLimit, too_many
from qualityscore.server.dispatch import Dispatcher
from qualityscore.server.intake import Intake, Tasks, Upload
from qualityscore.server.metrics import Metrics
from qualityscore.server.queue import Evaluation, FullError, New, Queue, ReusedKeyError, Status
from qualityscore.server.schemas import Asked, EvaluationState, Progress, Score, ScoreRequest, Subject
from qualityscore.server.settings import Settings

_POLL_S = 0.05
log = logging.getLogger("qualityscore.server")


class Service:
    """The parts of a running service, wired."""

    def __init__(self, settings: Settings) -> None:
        """Raises TaskError and SnapshotError for tasks that cannot be used, HarnessError for a queue that cannot.

        Raises UsageError where another service has the data folder, or nobody can.
        """
        self.settings = settings
        self._lock = _held(settings.data)
        self.tasks = Tasks(settings.tasks)
        self.queue = Queue(settings.data / "queue.sqlite")
        self.intake = Intake(settings, self.tasks)
        self.metrics = Metrics()
        self.rate = RateLimit(settings.limits.rate_per_s, settings.limits.burst)
        self.scratch = ScratchFolder("qualityscore-serve-")
        self.engine = LocalEngine(
            lanes=settings.lanes, scratch=self.scratch.path, longest_s=settings.limits.evaluation_s
        )
        self.dispatcher = Dispatcher(
            settings,
            queue=self.queue,
            engine=self.engine,
            intake=self.intake,
            tasks=self.tasks,
            metrics=self.metrics,
        )
        self.metrics.gauge("qualityscore_queued", "Evaluations that wait", lambda: self._count(Status.QUEUED))
        self.metrics.gauge("qualityscore_running", "Evaluations that run", lambda: self._count(Status.RUNNING))

    def _count(self, status: Status) -> float:
        return float(self.queue.counts()[status])

    async def submit(
        self,
        owner: str,
        asked: Asked,
        subjects: Sequence[Subject],
        *,
        upload: Upload | None = None,
        idempotency: str | None = None,
    ) -> list[str]:
        """Take in all subjects or none; returns their ids. Raises ProblemError."""
        new = await run_in_threadpool(self._accept, owner, asked, subjects, upload, idempotency)
        refused = next((item for item in new if not isinstance(item, New)), None)
        if refused is not None:
            status = 500 if isinstance(refused, HarnessError) else 422
            raise ProblemError(status, refused.code, str(refused)) from refused
        return await run_in_threadpool(self._enqueue, owner, [item for item in new if isinstance(item, New)])

    async def score_all(self, owner: str, asked: ScoreRequest, gone: Callable[[], Awaitable[bool]]) -> list[Score]:
        """Take subjects in, wait, and score them in their order.

        What cannot even be taken scores 0, and what is not there null, both with a reason.
        """
        new = await run_in_threadpool(self._accept, owner, asked, asked.subjects, None, None)
        ids = await run_in_threadpool(self._enqueue, owner, [item for item in new if isinstance(item, New)])
        found = iter(await self.wait(ids, owner, asked.timeout_s, gone))
        return [next(found) if isinstance(item, New) else _without(item, asked.only) for item in new]

    def _accept(
        self, owner: str, asked: Asked, subjects: Sequence[Subject], upload: Upload | None, idempotency: str | None
    ) -> list[New | SubjectError | MissingSubjectError | HarnessError]:
        """Put every subject in its place. Raises ProblemError.

        An error stands for one that cannot be taken; a HarnessError, for one at which the service itself fails.
        """
        self.rate.take(owner, len(subjects))
        room = self.settings.limits.queued - self.queue.counts()[Status.QUEUED]
        if idempotency is None and len(subjects) > room:
            raise self._full()
        new: list[New | SubjectError | MissingSubjectError | HarnessError] = []
        try:
            for subject in subjects:
                try:
                    new.append(self.intake.accept(asked, subject, upload, idempotency))
                except (SubjectError, MissingSubjectError) as error:
                    new.append(error)
                except (InputError, HarnessError, OSError, MemoryError):
                    raise
                except Exception as error:  # a fault of ours that one subject brings out must not cost the others
                    log.exception("taking a subject in failed")
                    new.append(HarnessError(f"The service failed at taking it in: {type(error).__name__}: {error}"))
            return new
        except (InputError, HarnessError, OSError, MemoryError) as error:
            for item in new:
                if isinstance(item, New):
                    self.intake.drop(item.folder)
            if isinstance(error, InputError):
                raise ProblemError(422, error.code, str(error)) from error
            why = f"The service cannot take subjects in at present: {str(error) or 'there is not enough memory'}"
            raise ProblemError(503, HarnessError.code, why, {"Retry-After": "60"}) from error

    def _enqueue(self, owner: str, new: Sequence[New]) -> list[str]:
        """Take in all or none; returns the ids. Raises ProblemError."""
        taken: list[str] = []
        try:
            taken = self.queue.submit(owner, new, room=self.settings.limits.queued)
        except FullError:
            raise self._full() from None
        except ReusedKeyError:
            raise ProblemError(
                422, UsageError.code, "This Idempotency-Key came before with another request; choose a new one."
            ) from None
        finally:
            for item, id_ in zip(new, taken or [""] * len(new), strict=False):
                found = self.queue.get(id_) if id_ else None
                if found is None or found.folder != item.folder:
                    self.intake.drop(item.folder)
        self.dispatcher.notify()
        return taken

    def _full(self) -> ProblemError:
        wait = self.dispatcher.expected_wait_s(self.queue.counts()[Status.QUEUED])
        return too_many("The queue is full", wait)

    def find(self, id_: str, owner: str) -> Evaluation:
        """An owner's evaluation. Raises ProblemError 404."""
        found = self.queue.get(id_, owner)
        if found is None:
            raise ProblemError(404, NoSuchResourceError.code, f"There is no evaluation {id_[:64]!r}.")
        return found

    def report(self, evaluation: Evaluation) -> dict[str, Any] | None:
        """The report document with the subject's own path, label and sample."""
        text = self.queue.report(evaluation)
        if text is None:
            return None
        spec = json.loads(evaluation.spec)
        document: dict[str, Any] = json.loads(text)
        document["subject"].update(path=spec["path"], label=spec["label"], sample=spec["sample"])
        document["provenance"]["sample"] = spec["sample"]
        return document

    def state(self, evaluation: Evaluation) -> EvaluationState:
        """How an evaluation stands."""
        spec = json.loads(evaluation.spec)
        step = self.dispatcher.step(evaluation.id) if evaluation.status is Status.RUNNING else None
        place = f"/v1/evaluations/{evaluation.id}"
        return EvaluationState(
            id=evaluation.id,
            status=evaluation.status.value,
            task=spec["task"],
            label=spec["label"],
            sample=spec["sample"],
            created=_moment(evaluation.created) or "",
            started=_moment(evaluation.started),
            ended=_moment(evaluation.ended),
            progress=Progress(stage=step.stage, done=step.done, total=step.total) if step else None,
            code=evaluation.code,
            reason=evaluation.reason,
            result=self.score(evaluation) if evaluation.status.is_final else None,
            links={"self": place, "report": f"{place}/report", "events": f"{place}/events"},
        )

    def score(self, evaluation: Evaluation) -> Score:
        """The short form: null with a reason where a harness fault, or no end, left no score."""
        report = self.report(evaluation)
        if report is not None:
            return Score(**short_form(report), id=evaluation.id)
        reason = evaluation.reason or f"the evaluation is {evaluation.status}"
        return Score(score=None, components=None, status=None, reason=reason, id=evaluation.id)

    async def wait(
        self, ids: Sequence[str], owner: str, timeout_s: float, gone: Callable[[], Awaitable[bool]]
    ) -> list[Score]:
        """Wait until all have ended, the time is up, or the caller has gone (then what still waits is cancelled)."""
        give_up = time.monotonic() + min(timeout_s, self.settings.limits.wait_s)
        open_ = list(ids)
        while open_ and time.monotonic() < give_up:
            found = await run_in_threadpool(self.queue.get, open_[0], owner)
            if found is None or found.status.is_final:
                del open_[0]
                continue
            if await gone():
                for id_ in open_:
                    left = self.queue.get(id_, owner)
                    if left is not None and not left.status.is_final:
                        await run_in_threadpool(self.dispatcher.cancel, left)
                break
            await asyncio.sleep(_POLL_S)
        return await run_in_threadpool(lambda: [self._score_of(id_, owner) for id_ in ids])

    def _score_of(self, id_: str, owner: str) -> Score:
        found = self.queue.get(id_, owner)
        if found is None:
            return Score(score=None, components=None, status=None, reason="the evaluation was removed", id=id_)
        if not found.status.is_final:
            reason = f"the evaluation is still {found.status}; ask for it by its id"
            return Score(score=None, components=None, status=None, reason=reason, id=id_)
        return self.score(found)

    def start(self) -> None:
        """Warm the workers, then work on the queue. Raises ToolError when workers do not start."""
        self.engine.warm()
        self.dispatcher.start()

    def stop(self) -> None:
        """End what runs and close the queue."""
        self.dispatcher.stop()
        self.queue.close()
        self.scratch.remove()
        self._lock.close()


def _held(data: Path) -> IO[str]:
    """Make the data folder and keep every other service out of it for as long as the file is open."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        lock = (data / ".lock").open("w")
    except OSError as error:
        raise UsageError(f"The data folder {data} cannot be used: {error.strerror}; name another by --data.") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise UsageError(f"Another service runs in {data}; end it, or name another folder by --data.") from None
    return lock


def _without(error: SubjectError | MissingSubjectError | HarnessError, only: Collection[str] | None) -> Score:
    """The score of what is not evaluated: 0 where that is the subject's fault.

    None where there is no such path, which is the caller's mistake, or where the service is at fault.
    """
    if isinstance(error, SubjectError):
        return Score(score=0.0, components=nothing(only), status="refused", reason=str(error))
    status = "refused" if isinstance(error, MissingSubjectError) else None
    return Score(score=None, components=None, status=status, reason=str(error))


def _moment(seconds: float | None) -> str | None:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds") if seconds is not None else None
