"""What runs in a worker process: calls, one after the other, each under its own clock.

Standard input is a JSON list of jobs; every answer is one JSON line on what was standard output when we started.
Nothing that a job prints can be mistaken for an answer.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

_WALL_PER_CPU = 10
_STACK_BYTES = 256 << 20
_RECURSION_LIMIT = 12_000
_RECYCLE_BYTES = 420 << 20


def main(leash: int) -> NoReturn:
    """Work through the jobs and leave without the interpreter's own clean-up."""
    answers = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    jobs = json.load(sys.stdin.buffer)
    threading.Thread(target=_watch, args=(leash,), daemon=True).start()
    # Syntax trees live until the end; looking through them for garbage took a third of the time.
    gc.set_threshold(50_000, 20, 50)
    # Deep but honest code (a long elif chain) must not fail for want of stack; only a new thread can be given one.
    sys.setrecursionlimit(_RECURSION_LIMIT)
    threading.stack_size(_STACK_BYTES)
    worker = threading.Thread(target=_work, args=(jobs, answers))
    worker.start()
    worker.join()
    answers.flush()
    os._exit(0)


def _watch(leash: int) -> None:
    os.read(leash, 1)  # the parent never writes: this returns at its end
    os._exit(0)


def _work(jobs: list[dict[str, Any]], answers: Any) -> None:
    for job in jobs:
        _say(answers, {"started": job["id"]})
        signal.setitimer(signal.ITIMER_PROF, job["cpu_s"])
        signal.setitimer(signal.ITIMER_REAL, job["cpu_s"] * _WALL_PER_CPU)
        try:
            module, _, function = job["call"].partition(":")
            value = getattr(importlib.import_module(module), function)(**job["args"])
            answer = {"done": job["id"], "value": value}
            spoilt = False
        except Exception as error:
            answer = {"raised": job["id"], "error": f"{type(error).__name__}: {error}"[:2000]}
            spoilt = isinstance(error, MemoryError)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _say(answers, answer)
        # A fresh process is the one sure way to give memory back; the parent carries on with the rest of the jobs.
        if spoilt or _resident_bytes() > _RECYCLE_BYTES:
            return


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_bytes().split()[1]) * resource.getpagesize()  # proc(5): resident pages


def _say(answers: Any, event: dict[str, Any]) -> None:
    answers.write(json.dumps(event).encode() + b"\n")
    answers.flush()
