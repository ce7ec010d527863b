"""Evaluations on this machine: warm worker processes, each with physical cores of its own.

A worker keeps to its cores with everything that it starts, so timings, which lease a core among those a process may
use, never meet the work of another worker of ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import qualityscore
from qualityscore.errors import HarnessError, ToolError
from qualityscore.execution.jobs import Answer, Broken, Evaluated, Job, Progress, Refused
from qualityscore.runtime.leases import physical_cores
from qualityscore.runtime.process import Exited, Limits, OutputFlooded, ProcessOutcome, TimedOut, stream

LONGEST_S = 1_000_000.0
"""Of one evaluation; system calls take no time that is much longer."""
START_S = 120.0
_LIFE_S = 3600.0
_GRACE_S = 60.0
_JOBS_PER_LIFE = 500
_LINE_BYTES = 256 << 20
_OUTPUT_BYTES = 16 << 30
_PACKAGE_PARENT = Path(qualityscore.__file__).resolve().parent.parent
_MAIN = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from qualityscore.execution.worker_main import main; main(int(sys.argv[2]))"
)


def default_lanes() -> int:
    """One evaluation for each physical core that this process may use."""
    return len(physical_cores())


class LocalEngine:
    """`lanes` evaluations at a time. `scratch` is an existing folder of the caller's that holds all temporary files."""

    def __init__(self, *, lanes: int, scratch: Path, longest_s: float) -> None:
        self._lanes = lanes
        self._scratch = scratch
        self._longest_s = longest_s
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: dict[str, _Worker] = {}
        self._free_seats = list(range(lanes))
        self._closed = False

    @property
    def lanes(self) -> int:
        return self._lanes

    def warm(self) -> None:
        """Start all workers now, so that the first jobs do not wait for them. Raises ToolError if they do not start."""
        workers = [self._take() for _ in range(self._lanes)]
        for worker in workers:
            self._give_back(worker)

    def evaluate(
        self, job: Job, progress: Progress | None = None, *, wanted: Callable[[], bool] = lambda: True
    ) -> Answer:
        """Evaluate in a worker; its death is the answer `Broken`, and the next job gets a fresh one.

        `wanted` is asked when the job can be cancelled from then on: whoever cancels first makes it say no.
        """
        try:
            worker = self._take()
        except ToolError as error:
            return Broken(code=error.code, reason=str(error), lost=True)
        with self._lock:
            begins = wanted()
            if begins:
                self._busy[job.id] = worker
        if not begins:
            self._give_back(worker)
            return Broken(code=HarnessError.code, reason="the evaluation was cancelled", lost=True)
        answer: Answer | None = None
        try:
            answer = worker.evaluate(job, progress)
        finally:
            with self._lock:
                del self._busy[job.id]
            if answer is None or worker.spent:
                self._end(worker)
            else:
                self._give_back(worker)
        return answer

    def cancel(self, job_id: str) -> bool:
        """End a job that is running, by ending its worker; its answer is then `Broken` and `lost`."""
        with self._lock:
            worker = self._busy.get(job_id)
            if worker is None:
                return False
            worker.stop()
            return True

    def close(self) -> None:
        """End the idle workers, and every worker as soon as its job ends; busy ones are told to stop."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for worker in self._busy.values():
                worker.stop()
        for worker in idle:
            self._end(worker)

    def _take(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise ToolError("The engine has been closed")
            if self._idle:
                return self._idle.pop()
            seat = self._free_seats.pop()
        try:
            return _Worker(seat, self._cpus(seat), self._scratch, _LIFE_S + self._longest_s + _GRACE_S)
        except BaseException:
            with self._lock:
                self._free_seats.append(seat)
            raise

    def _give_back(self, worker: _Worker) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(worker)
                return
        self._end(worker)

    def _end(self, worker: _Worker) -> None:
        try:
            worker.close()
        finally:
            with self._lock:
                self._free_seats.append(worker.seat)

    def _cpus(self, seat: int) -> tuple[int, ...] | None:
        """The CPUs of every `lanes`-th physical core; None, any of them, where there are fewer cores than lanes."""
        cores = physical_cores()
        if self._lanes > len(cores):
            return None
        return tuple(cpu for core in cores[seat :: self._lanes] for cpu in core.cpus)


@dataclass(slots=True)
class _Life:
    started: float
    jobs: int = 0
    tired: bool = False
    ended: bool = False


class _Worker:
    """One process and the two ways to talk to it. Started, and ready, when the constructor returns."""

    def __init__(self, seat: int, cpus: tuple[int, ...] | None, scratch: Path, wall_s: float) -> None:
        self.seat = seat
        self._folder = Path(tempfile.mkdtemp(prefix=f"worker{seat}-", dir=scratch))  # noqa: TID251
        self._folder.chmod(0o755)
        listening, self._talking = os.pipe()
        self._lock = threading.Lock()
        self._lines = _start(self._folder, listening, cpus, wall_s)
        self._life = _Life(started=time.monotonic())
        try:
            first = self._next()
        except BaseException:
            self.close()
            raise
        finally:
            os.close(listening)
        if isinstance(first, Broken):
            self.close()
            raise ToolError(f"An evaluation worker does not start: {first.reason}")

    @property
    def spent(self) -> bool:
        """It has ended, or should not be given another job."""
        life = self._life
        return life.ended or life.tired or life.jobs >= _JOBS_PER_LIFE or time.monotonic() - life.started > _LIFE_S

    def evaluate(self, job: Job, progress: Progress | None) -> Answer:
        self._life.jobs += 1
        self._tell({**asdict(job), "folder": str(job.folder)})
        while True:
            message = self._next()
            match message:
                case Broken():
                    return message
                case {"progress": [stage, done, total]}:
                    if progress is not None:
                        progress(stage, done, total)
                    continue
                case {"report": report}:
                    answer: Answer = Evaluated(report=report)
                case {"refused": {"code": code, "reason": reason}}:
                    answer = Refused(code=code, reason=reason)
                case {"broken": {"code": code, "reason": reason}}:
                    answer = Broken(code=code, reason=reason)
                case _:
                    raise HarnessError(f"An evaluation worker answered what cannot be understood: {message!r:.200}")
            self._life.tired = bool(message["tired"])
            return answer

    def stop(self) -> None:
        """End the process at once; whoever waits for it sees its end."""
        self._tell({"stop": True})

    def close(self) -> None:
        """End the process and remove its temporary files. Not while another thread waits in `evaluate`."""
        with self._lock:
            talking, self._talking = self._talking, -1
        if talking >= 0:
            os.close(talking)
        self._life.ended = True
        try:
            self._lines.close()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _tell(self, message: dict[str, Any]) -> None:
        with self._lock, contextlib.suppress(BrokenPipeError):
            if self._talking >= 0:
                os.write(self._talking, json.dumps(message).encode() + b"\n")

    def _next(self) -> dict[str, Any] | Broken:
        try:
            message: dict[str, Any] = json.loads(next(self._lines))
        except StopIteration as stop:
            self._life.ended = True
            return Broken(code=HarnessError.code, reason=_describe(stop.value), lost=True)
        return message


def _start(
    folder: Path, listening: int, cpus: tuple[int, ...] | None, wall_s: float
) -> Generator[bytes, None, ProcessOutcome]:
    return stream(
        [sys.executable, "-sP", "-c", _MAIN, str(_PACKAGE_PARENT), str(listening)],
        env={**os.environ, "TMPDIR": str(folder)},
        cwd=folder,
        limits=Limits(
            wall_s=wall_s,
            cpu_s=None,
            memory_bytes=None,
            processes=None,
            file_size_bytes=None,
            open_files=None,
            output_bytes=_OUTPUT_BYTES,
        ),
        line_bytes=_LINE_BYTES,
        pass_fds=(listening,),
        cpus=cpus,
    )


def _describe(end: ProcessOutcome) -> str:
    match end:
        case Exited(code=code) if code == -14:  # SIGALRM, its own clock
            return "the evaluation took longer than its time limit and was ended"
        case Exited(code=code) if code < 0:
            return f"the process of the evaluation was killed by signal {-code}"
        case Exited(code=code, stderr=stderr):
            said = stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            return f"the process of the evaluation ended with status {code}" + (f": {said[:300]}" if said else "")
        case TimedOut(after_s=after_s):
            return f"the process of the evaluation was ended after {after_s:g} s"
        case OutputFlooded():
            return "the process of the evaluation answered with too much"
