"""How long the cost part takes once a host is calibrated, while another process loads the other core.

A task with exactly four workloads is measured: the first four of each reference's. Bounds for the median of the samples
on two cores: 40 s with counts, 120 s with pairs. They are asked of both: of an evaluation whose reference is measured
anew, and of one that finds what an evaluation before it kept of the reference.

    bench_cost_time.py [--quick] [--counter valgrind|cpu] [--samples 3] [--tasks ID,ID] [--idle]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from cost_setup import TASKS, busy_other_core, lacking, measures, nothing_kept, references, with_workloads

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


def one_task(task_id: str, counter: str, samples: int, place: Path) -> bool:
    """Print both medians of a task by one counter; whether they are within the bound."""
    task = with_workloads(load_task(task_id), place / "probes", f"WORKLOADS = WORKLOADS[:{WORKLOADS}]")
    host = place / "host"
    anew, kept = [], []
    with references(task) as (subject, reference):
        before = seconds_of(subject, reference, counter, host)  # calibrates the host and keeps the reference
        print(f"{task_id}, {counter}, with the host's calibration: {before:.1f} s", flush=True)
        for number in range(1, samples + 1):
            with nothing_kept(host) as root:
                anew.append(seconds_of(subject, reference, counter, root))
            kept.append(seconds_of(subject, reference, counter, host))
            print(f"{task_id}, {counter}, {number} of {samples}: {anew[-1]:.1f} s anew, {kept[-1]:.1f} s", flush=True)
    good = True
    for what, seconds in (("reference measured anew", anew), ("reference kept", kept)):
        within = statistics.median(seconds) <= BOUNDS_S[counter]
        good = good and within
        print(
            f"{task_id}, {counter}, {what}: median {statistics.median(seconds):.1f} s of {len(seconds)}, "
            f"{min(seconds):.1f} to {max(seconds):.1f} s (at most {BOUNDS_S[counter]:.0f} s) "
            f"{'ok' if within else 'MISSED'}",
            flush=True,
        )
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one sample of one task, counts only")
    parser.add_argument("--counter", choices=sorted(BOUNDS_S), action="append", help="default: both")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--idle", action="store_true", help="leave the other core idle")
    given = parser.parse_args()
    good = True
    with busy_other_core(not given.idle), tempfile.TemporaryDirectory() as folder:
        for task_id in TASKS[:1] if given.quick else given.tasks.split(","):
            for counter in given.counter or (["valgrind"] if given.quick else ["valgrind", "cpu"]):
                place = Path(folder) / f"{task_id}-{counter}"
                good = one_task(task_id, counter, 1 if given.quick else given.samples, place) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
