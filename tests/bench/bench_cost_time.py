"""How long the cost part takes once a host is calibrated, while another process loads the other core.

A task with exactly four workloads is measured: the first four of each reference's. Bounds for the median of the samples
on two cores: 40 s with counts, 120 s with pairs. They are asked of both: of an evaluation whose reference is measured
anew, and of one that finds what an evaluation before it kept of the reference.

    bench_cost_time.py [--quick] [--counter valgrind|cpu] [--samples 3] [--tasks ID,ID] [--idle]

In slices: `--samples 1 --append FILE` adds one of each, `--summary --append FILE` judges what FILE holds.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from cost_setup import (
    TASKS,
    Results,
    arguments,
    busy_other_core,
    lacking,
    measures,
    nothing_kept,
    references,
    with_workloads,
)

from qualityscore.runtime.target import Target
from qualityscore.runtime.tasks import load_task
from qualityscore.suites import cost

BOUNDS_S = {"valgrind": 40.0, "cpu": 120.0}
WORKLOADS = 4


def seconds_of(subject: Target, reference: Target, counter: str, root: Path) -> float:
    """The wall time of one evaluation; RuntimeError where it did not measure every workload."""
    began = time.monotonic()
    found = cost.run(subject, reference, counter=counter, root=root)
    seconds = time.monotonic() - began
    missing = {id_: why for id_, report in measures(found).items() if (why := lacking(report))}
    if len(found.digests) != WORKLOADS or missing:
        raise RuntimeError(f"{len(found.digests)} workloads were measured, and there lacked {missing}")
    return seconds


def sample(task_id: str, counter: str, samples: int, place: Path, results: Results) -> None:
    """Evaluate a task so often in either way, and print a line for each."""
    task = with_workloads(load_task(task_id), place / "probes", f"WORKLOADS = WORKLOADS[:{WORKLOADS}]")
    host = place / "host"
    with references(task) as (subject, reference):
        before = seconds_of(subject, reference, counter, host)  # calibrates the host and keeps the reference
        print(f"{task_id}, {counter}, with the host's calibration: {before:.1f} s", flush=True)
        for number in range(1, samples + 1):
            with nothing_kept(host) as root:
                anew = seconds_of(subject, reference, counter, root)
            kept = seconds_of(subject, reference, counter, host)
            results.add(task=task_id, counter=counter, anew_s=anew, kept_s=kept)
            print(f"{task_id}, {counter}, {number} of {samples}: {anew:.1f} s anew, {kept:.1f} s", flush=True)


def summary(task_id: str, counter: str, rows: list[dict[str, Any]], wanted: int) -> bool:
    """Print both medians of a task by one counter; whether they are within the bound, of at least `wanted`."""
    good = True
    for what, key in (("reference measured anew", "anew_s"), ("reference kept", "kept_s")):
        seconds = [row[key] for row in rows]
        median = statistics.median(seconds) if seconds else math.inf
        within = len(seconds) >= wanted and median <= BOUNDS_S[counter]
        good = good and within
        print(
            f"{task_id}, {counter}, {what}: median {median:.1f} s of {len(seconds)}, "
            f"{min(seconds, default=math.nan):.1f} to {max(seconds, default=math.nan):.1f} s "
            f"(at most {BOUNDS_S[counter]:.0f} s) {'ok' if within else 'MISSED'}",
            flush=True,
        )
    return good


def main() -> int:
    parser = arguments(__doc__, BOUNDS_S)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--tasks", default=",".join(TASKS))
    given = parser.parse_args()
    samples = 1 if given.quick else given.samples
    results = Results("time", given.append, busy=not given.idle)
    good = True
    with busy_other_core(not (given.idle or given.summary)), tempfile.TemporaryDirectory() as folder:
        for task_id in TASKS[:1] if given.quick else given.tasks.split(","):
            for counter in given.counter or (["valgrind"] if given.quick else ["valgrind", "cpu"]):
                if not given.summary:
                    sample(task_id, counter, samples, Path(folder) / f"{task_id}-{counter}", results)
                good = summary(task_id, counter, results.of(task=task_id, counter=counter), samples) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
