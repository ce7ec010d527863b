"""A small pool of killable worker processes for tools that untrusted source may crash, hang or bloat.

A worker is a plain interpreter with our own packages: it parses code and executes none. It has no sandbox; what it
must not do (import from the tree that it reads) is the called function's business, see `collectors/guard.py`. Work is
dealt out beforehand, so that the same work always meets the same neighbours; a worker that dies costs the job that it
was at, and a fresh one takes over the rest of its lane.

A death that the job cannot have caused (the kernel's out-of-memory killer or a person sent the signal) costs nothing:
a fresh worker takes the job again, and a second such death at the same job is a fault of the host.

Who runs a pool holds a leash: when the parent dies or gives up, the workers end by themselves.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import qualityscore
from qualityscore.errors import ToolError
from qualityscore.runtime.process import Exited, Limits, OutputFlooded, ProcessOutcome, TimedOut, stream

_LINE_BYTES = 256 << 20
_OUTPUT_BYTES = 4 << 30
_FILE_BYTES = 64 << 20
_OPEN_FILES = 256
# How a job ends its own worker: at its clocks and limits, or by a crash of what parses. We send no other signal to a
# worker whose answer still counts, and no job runs code of the subject's that could; so any other came from outside.
_OWN_SIGNALS = frozenset(
    {
        signal.SIGPROF,
        signal.SIGALRM,
        signal.SIGXCPU,
        signal.SIGXFSZ,
        signal.SIGSEGV,
        signal.SIGBUS,
        signal.SIGABRT,
        signal.SIGILL,
        signal.SIGFPE,
        signal.SIGTRAP,
        signal.SIGSYS,
    }
)
_PACKAGE_PARENT = Path(qualityscore.__file__).resolve().parent.parent
_MAIN = (
    "import sys; sys.path.append(sys.argv[1]); sys.dont_write_bytecode = True; "
    "from qualityscore.runtime.worker_main import main; main(int(sys.argv[2]))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One call in a worker.

    `call` is `package.module:function`; `args` its keyword arguments and its result are plain JSON data. `cpu_s` is
    the processor time after which the worker is killed (ten times that on the clock).
    """

    id: str
    call: str
    args: dict[str, Any]
    cpu_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The call returned."""

    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """The call raised; `error` is the exception's type and text."""

    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The worker died of the job, or met its limits at it; `stage_limit` where the whole call's time was up."""

    reason: str
    stage_limit: bool = False


JobOutcome = Done | Raised | Lost


def run_jobs(
    lanes: Sequence[Sequence[Job]],
    *,
    scratch: Path,
    wall_s: float,
    memory_bytes: int,
    on_outcome: Callable[[str, JobOutcome], None] | None = None,
) -> dict[str, JobOutcome]:
    """Run each lane in order in a worker of its own, all lanes at once; every job gets an outcome.

    `scratch` becomes the workers' working and home directory: an empty folder of the caller's. `wall_s` bounds the
    whole call; what has no result then is `Lost`. `memory_bytes` bounds each worker's address space. `on_outcome` is
    called in the calling thread as results come. Raises ToolError when workers cannot be started at all, and when one
    is killed from outside twice at the same job.
    """
    results: queue.Queue[tuple[str, JobOutcome] | BaseException | None] = queue.Queue()
    leash, held = os.pipe()
    stopped = threading.Event()
    settings = _Settings(
        leash=leash, scratch=scratch, memory_bytes=memory_bytes, wall_s=wall_s, deadline=time.monotonic() + wall_s
    )
    threads = [
        threading.Thread(target=_drive, args=(list(lane), settings, results, stopped), name="qualityscore-lane")
        for lane in lanes
        if lane
    ]
    outcomes: dict[str, JobOutcome] = {}
    started = 0
    try:
        for thread in threads:
            thread.start()
            started += 1
        running = started
        while running:
            match results.get():
                case None:
                    running -= 1
                case (id_, outcome):
                    outcomes[id_] = outcome
                    if on_outcome is not None:
                        on_outcome(id_, outcome)
                case error:
                    raise error
    finally:
        stopped.set()
        os.close(held)  # the workers see the end of the leash
        for thread in threads[:started]:
            thread.join()
        os.close(leash)
    return outcomes


def deal(jobs: Sequence[Job], weights: Sequence[float], lanes: int) -> list[list[Job]]:
    """Cut the jobs, in their order, into at most `lanes` runs of about equal weight.

    Neighbours stay together: files of one folder import the same modules.
    """
    total = sum(weights) or 1.0
    dealt: list[list[Job]] = [[] for _ in range(lanes)]
    passed = 0.0
    for job, weight in zip(jobs, weights, strict=True):
        middle = passed + weight / 2
        dealt[min(lanes - 1, int(middle * lanes / total))].append(job)
        passed += weight
    return [lane for lane in dealt if lane]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    leash: int
    scratch: Path
    memory_bytes: int
    wall_s: float
    deadline: float

    @property
    def out_of_time(self) -> Lost:
        return Lost(reason=f"the stage's limit of {self.wall_s:g} s", stage_limit=True)


def _drive(
    lane: list[Job],
    settings: _Settings,
    results: queue.Queue[tuple[str, JobOutcome] | BaseException | None],
    stopped: threading.Event,
) -> None:
    """Feed one lane to workers, one after the other, until every job has an outcome."""
    killed_at: int | None = None
    try:
        while lane and not stopped.is_set():
            left_s = settings.deadline - time.monotonic()
            if left_s <= 0:
                for job in lane:
                    results.put((job.id, settings.out_of_time))
                break
            answered, killer = _run_worker(lane, settings, left_s, results)
            del lane[:answered]
            if killer is None:
                continue
            if lane and killed_at == len(lane):
                raise ToolError(
                    f"A worker process was killed from outside twice at the same work ({_name(killer)}), most likely "
                    "for want of memory on this host; free memory, or measure fewer repositories at once."
                )
            killed_at = len(lane)
    except BaseException as error:
        results.put(error)
    else:
        results.put(None)


def _run_worker(
    lane: list[Job],
    settings: _Settings,
    left_s: float,
    results: queue.Queue[tuple[str, JobOutcome] | BaseException | None],
) -> tuple[int, int | None]:
    """Run one worker to its end; returns how many jobs got an outcome, and the signal from outside that ended it.

    Raises ToolError when it does not start.
    """
    current: str | None = None
    answered = 0
    with contextlib.closing(_start(lane, settings, left_s)) as lines:
        while True:
            try:
                event = json.loads(next(lines))
            except StopIteration as stop:
                end: ProcessOutcome = stop.value
                break
            match event:
                case {"started": id_}:
                    current = id_
                    continue
                case {"done": id_, "value": value}:
                    results.put((id_, Done(value=value)))
                case {"raised": id_, "error": error}:
                    results.put((id_, Raised(error=error)))
            current, answered = None, answered + 1
    killer = _killer(end)
    if killer is not None:
        return answered, killer
    if current is not None:
        results.put((current, settings.out_of_time if isinstance(end, TimedOut) else Lost(reason=_describe(end))))
        return answered + 1, None
    if answered == 0 and not isinstance(end, TimedOut):
        raise ToolError(f"A worker process does not start ({_describe(end)}): {_last_words(end)}")
    return answered, None


def _start(lane: list[Job], settings: _Settings, left_s: float) -> Generator[bytes, None, ProcessOutcome]:
    jobs = [{"id": job.id, "call": job.call, "args": job.args, "cpu_s": job.cpu_s} for job in lane]
    return stream(
        [sys.executable, "-sPB", "-c", _MAIN, str(_PACKAGE_PARENT), str(settings.leash)],
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(settings.scratch),
            "TMPDIR": str(settings.scratch),
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
        },
        cwd=settings.scratch,
        limits=Limits(
            wall_s=left_s,
            cpu_s=None,
            memory_bytes=settings.memory_bytes,
            processes=None,
            file_size_bytes=_FILE_BYTES,
            open_files=_OPEN_FILES,
            output_bytes=_OUTPUT_BYTES,
        ),
        line_bytes=_LINE_BYTES,
        stdin=json.dumps(jobs).encode(),
        pass_fds=(settings.leash,),
    )


def _killer(end: ProcessOutcome) -> int | None:
    """The signal that ended a worker, where it came from outside."""
    if isinstance(end, Exited) and end.code < 0 and -end.code not in _OWN_SIGNALS:
        return -end.code
    return None


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most real-time signals have no name
        return f"signal {number}"


def _describe(end: ProcessOutcome) -> str:
    match end:
        case Exited(code=code) if code in (-signal.SIGPROF, -signal.SIGALRM):
            return "time limit"
        case Exited(code=code) if code < 0:
            return f"crashed with {_name(-code)}"
        case Exited(code=code):
            return f"ended with status {code}"
        case TimedOut(after_s=after_s):
            return f"still silent after {after_s:g} s"
        case OutputFlooded():
            return "its output was too large"


def _last_words(end: ProcessOutcome) -> str:
    return end.stderr.decode(errors="replace").strip().rpartition("\n")[2] or "no message"
