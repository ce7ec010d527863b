"""A warm process that evaluates one job after the other for a local engine.

Jobs come as JSON lines over a descriptor, answers go out as JSON lines. When the descriptor is closed at the other end,
or says `stop`, the process ends at once, whatever it is at; its sandboxes end with it.
"""

from __future__ import annotations

import json
import os
import queue
import resource
import signal
import threading
import time
from pathlib import Path
from typing import IO, Any, NoReturn

from qualityscore.errors import HarnessError, InputError, QualityScoreError
from qualityscore.execution.jobs import Progress

RECYCLE_BYTES = 600 << 20
_PROGRESS_INTERVAL_S = 0.2


def main(jobs_descriptor: int) -> NoReturn:
    """Serve until told to end. The imports that evaluations need are done before the first job is asked for."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    from qualityscore import code_reading, pipeline  # noqa: F401, PLC0415

    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(jobs_descriptor, jobs), daemon=True).start()
    _say(answers, {"ready": True})
    # What a later job prints is nobody's; the engine would have to hold all of it in memory.
    os.dup2(1, 2)
    while True:
        job = jobs.get()
        # The default action of SIGALRM ends the process, which no code of an evaluation can prevent.
        signal.setitimer(signal.ITIMER_REAL, job["timeout_s"])
        answer = answer_to(job, _Reporter(answers))
        signal.setitimer(signal.ITIMER_REAL, 0)
        _say(answers, {**answer, "tired": _resident_bytes() > RECYCLE_BYTES})


def answer_to(job: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Evaluate one job; the answer as plain JSON data. Nothing but an interruption is raised."""
    from qualityscore.model.codec import dump  # noqa: PLC0415
    from qualityscore.pipeline import evaluate  # noqa: PLC0415
    from qualityscore.runtime.workspace import called  # noqa: PLC0415

    try:
        with called(Path(job["folder"]), job["name"]):
            report = evaluate(
                job["folder"],
                task=job["task"],
                only=tuple(job["only"]) if job["only"] is not None else None,
                profile=job["profile"],
                counter=job["counter"],
                unsafe=job["unsafe"],
                require_sandbox=job["require_sandbox"],
                progress=progress,
            )
        return {"report": dump(report)}
    except InputError as error:
        return {"refused": {"code": error.code, "reason": str(error)}}
    except QualityScoreError as error:
        return {"broken": {"code": error.code, "reason": str(error)}}
    except Exception as error:
        return {"broken": {"code": HarnessError.code, "reason": f"{type(error).__name__}: {error}"}}


class _Reporter:
    """Sends progress on, at most a few times a second within a stage."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers = answers
        self._stage = ""
        self._said = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage or now - self._said >= _PROGRESS_INTERVAL_S:
            self._stage, self._said = stage, now
            _say(self._answers, {"progress": [stage, done, total]})


def _read(descriptor: int, jobs: queue.SimpleQueue[dict[str, Any]]) -> NoReturn:
    with os.fdopen(descriptor, "rb") as lines:
        for line in lines:
            message = json.loads(line)
            if "stop" in message:
                break
            jobs.put(message)
    os._exit(0)


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_bytes().split()[1]) * resource.getpagesize()  # proc(5): resident pages


def _say(answers: IO[bytes], message: dict[str, Any]) -> None:
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()
