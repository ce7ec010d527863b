"""Each reference against itself, again and again, while another process loads the other core.

Bounds (20 evaluations): standard deviation of the uncapped efficiency ratio at most 0.2 % with counts and 1.5 % with
pairs, of the resource ratios at most 1 %; `equivalent` in at least 19 of 20 with counts and 16 of 20 with pairs.

    bench_cost_reference.py [--quick] [--counter valgrind|cpu] [--evaluations 20] [--tasks ID,ID] [--idle]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from cost_setup import TASKS, busy_other_core, ratio_and_verdict, references, spread_of

from qualityscore.suites import cost

BOUNDS = {"valgrind": (0.002, 19 / 20), "cpu": (0.015, 16 / 20)}
RESOURCE_BOUND = 0.01


def one_task(task_id: str, counter: str, evaluations: int, root: Path) -> bool:
    """Print the figures of a task; whether they are within the bounds."""
    ratios: dict[str, list[float]] = {"workload.cost": [], "peak_heap": [], "peak_rss": []}
    verdicts: Counter[str] = Counter()
    seconds: list[float] = []
    with references(task_id) as (subject, reference):
        for _ in range(evaluations):
            began = time.monotonic()
            found = cost.run(subject, reference, counter=counter, root=root)
            seconds.append(time.monotonic() - began)
            for measure, values in ratios.items():
                ratio, verdict = ratio_and_verdict(found, measure)
                if ratio is not None:
                    values.append(ratio)
                if measure == "workload.cost":
                    verdicts[verdict or "unmeasured"] += 1
    most, least = BOUNDS[counter]
    good = verdicts["equivalent"] >= least * evaluations
    print(
        f"{task_id}, {counter}: {evaluations} evaluations, the first {seconds[0]:.0f} s, the last {seconds[-1]:.0f} s"
    )
    print(f"  verdicts: {dict(verdicts)} (equivalent wanted in {least:.0%}) {'ok' if good else 'MISSED'}")
    for measure, values in ratios.items():
        bound = most if measure == "workload.cost" else RESOURCE_BOUND
        within = len(values) == evaluations and (evaluations < 2 or spread_of(values) <= bound)
        good = good and within
        shown = f"{min(values):.4f} to {max(values):.4f}, sd {spread_of(values):.3%}" if values else "unmeasured"
        print(f"  {measure:<14} {shown} (at most {bound:.1%}) {'ok' if within else 'MISSED'}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one task, two evaluations")
    parser.add_argument("--counter", choices=sorted(BOUNDS), action="append")
    parser.add_argument("--evaluations", type=int, default=20)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--idle", action="store_true", help="leave the other core idle")
    given = parser.parse_args()
    tasks = TASKS[:1] if given.quick else given.tasks.split(",")
    evaluations = 2 if given.quick else given.evaluations
    good = True
    with busy_other_core(not given.idle), tempfile.TemporaryDirectory() as folder:
        for counter in given.counter or (["valgrind"] if given.quick else ["valgrind", "cpu"]):
            for task_id in tasks:
                good = one_task(task_id, counter, evaluations, Path(folder)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
