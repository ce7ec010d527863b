"""What the harness itself costs, as ratios (a quiet machine is wanted).

1. Overhead: of one evaluation of the cachetools reference, the share of wall time in which no process of a suite or of
   a measuring tool runs. Bound: 15 %.
2. Start: from the start of the interpreter to the first functional verdict, in a prepared environment. Bound: 1 s to
   the first test's start, of which the verdict is an upper bound.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from qualityscore import evaluate
from qualityscore.runtime import process, reference
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.tasks import load_task

TASK = "cachetools"
FIRST_VERDICT = """
import sys, time
from qualityscore import evaluate
started = float(sys.argv[1])
def progress(stage, done, total):
    if stage == "functional" and done == 1:
        print(time.time() - started, flush=True)
evaluate(sys.argv[2], task="cachetools", only=("functional",), progress=progress)
"""


class Running:
    """The union of the times in which at least one child process runs."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = 0
        self.since = 0.0
        self.total_s = 0.0

    @contextmanager
    def one(self) -> Iterator[None]:
        with self.lock:
            if not self.now:
                self.since = time.monotonic()
            self.now += 1
        try:
            yield
        finally:
            with self.lock:
                self.now -= 1
                if not self.now:
                    self.total_s += time.monotonic() - self.since


def overhead(subject: str) -> float:
    """The share of an evaluation's wall time in which only the harness runs."""
    running = Running()
    pump = process._pump

    def timed(*words, **options):
        with running.one():
            return (yield from pump(*words, **options))

    process._pump = timed
    try:
        began = time.monotonic()
        evaluate(subject, task=TASK)
        total_s = time.monotonic() - began
    finally:
        process._pump = pump
    print(f"evaluation: {total_s:.1f} s, of which a suite or a tool runs {running.total_s:.1f} s")
    return 1 - running.total_s / total_s


def first_verdict_s(subject: str) -> float:
    """Median of five runs of the time to the first verdict, the interpreter's start included."""
    samples = []
    for _ in range(5):
        argv = [sys.executable, "-c", FIRST_VERDICT, str(time.time()), subject]
        done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=120)
        samples.append(float(done.stdout.split()[0]))
    return sorted(samples)[2]


def main() -> int:
    """Print the figures; exit 1 when one misses its bound."""
    subject = str(reference.fetch(load_task(TASK), cache_root()))
    evaluate(subject, task=TASK, only=("functional",))  # prepares the environment
    begin_s = first_verdict_s(subject)
    share = overhead(subject)
    print(f"harness overhead: {share:.1%} of the evaluation (bound 15 %)")
    print(f"first functional verdict after {begin_s:.2f} s (bound 1 s)")
    return 0 if share < 0.15 and begin_s < 1.0 else 1


if __name__ == "__main__":
    sys.exit(main())
