"""Each reference against itself, again and again, while another process loads the other core.

Every evaluation measures both sides anew; only the calibration of the host is kept from one to the next. One of which a
measure lacks a workload, or has it wrong, counts as missed.
Bounds (20 evaluations): standard deviation of the uncapped efficiency ratio (exp of the mean log-ratio over workloads)
at most 0.2 % with counts and 1.5 % with pairs, of every ratio of resource usage at most 1 %; `equivalent` in at least
19 of 20 with counts and 16 of 20 with pairs.

    bench_cost_reference.py [--quick] [--counter valgrind|cpu] [--evaluations 20] [--tasks ID,ID] [--idle]

In slices: `--evaluations 5 --append FILE` adds five of each, `--summary --append FILE` judges what FILE holds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from cost_setup import (
    DIMENSIONS,
    TASKS,
    Results,
    arguments,
    busy_other_core,
    lacking,
    measures,
    nothing_kept,
    references,
    spread_of,
)

from qualityscore.model.cost import CostOutcome
from qualityscore.runtime.tasks import load_task
from qualityscore.suites import cost

EFFICIENCY = "workload.cost"
RESOURCE = tuple(spec.id for spec in DIMENSIONS["resource"].metrics)
BOUNDS = {"valgrind": (0.002, 19 / 20), "cpu": (0.015, 16 / 20)}
RESOURCE_BOUND = 0.01


def raw(found: CostOutcome) -> dict[str, Any]:
    """What an evaluation gave: ratios of the measures that lack nothing, why others do, the verdict on efficiency."""
    reports = {id_: report for id_, report in measures(found).items() if id_ in (EFFICIENCY, *RESOURCE)}
    lacks = {id_: why for id_, report in reports.items() if (why := lacking(report)) is not None}
    efficiency = reports[EFFICIENCY]
    return {
        "ratios": {id_: report.ratio for id_, report in reports.items() if id_ not in lacks},
        "lacking": lacks,
        "verdict": "missed" if EFFICIENCY in lacks else efficiency.verdict or "none",
        "by_pairs": sum(bool(part["log_ratios"]) for part in efficiency.details.get("parts", ())),
    }


def evaluate(task_id: str, counter: str, evaluations: int, host: Path, results: Results) -> None:
    """Evaluate a task so often, and print a line for each."""
    with references(load_task(task_id)) as (subject, reference):
        for number in range(1, evaluations + 1):
            began = time.monotonic()
            with nothing_kept(host) as root:
                found = cost.run(subject, reference, counter=counter, root=root)
            row = results.add(task=task_id, counter=counter, seconds=time.monotonic() - began, **raw(found))
            said = [f"{id_} {ratio:.5f}" for id_, ratio in row["ratios"].items()]
            said += [f"{id_} MISSED ({why})" for id_, why in row["lacking"].items()]
            said += [f"{row['verdict']}, {row['by_pairs']} by pairs", f"{row['seconds']:.0f} s"]
            print(f"{task_id}, {counter}, {number} of {evaluations}: {', '.join(said)}", flush=True)


def summary(counter: str, rows: list[dict[str, Any]], wanted: int) -> bool:
    """Print the figures of a task by one counter; whether they are within the bounds, of at least `wanted`."""
    most, least = BOUNDS[counter]
    verdicts = Counter(row["verdict"] for row in rows)
    good = len(rows) >= wanted and verdicts["equivalent"] >= least * len(rows)
    said = ", ".join(f"{number} {name}" for name, number in verdicts.most_common())
    print(f"  verdicts: {said or 'none'} (equivalent wanted in {least:.0%} of {wanted}) {'ok' if good else 'MISSED'}")
    for measure in (EFFICIENCY, *RESOURCE):
        values = [row["ratios"][measure] for row in rows if measure in row["ratios"]]
        bound = most if measure == EFFICIENCY else RESOURCE_BOUND
        within = len(values) == len(rows) >= wanted and (len(values) < 2 or spread_of(values) <= bound)
        good = good and within
        shown = f"{min(values):.5f} to {max(values):.5f}, sd {spread_of(values):.3%}" if values else "unmeasured"
        print(
            f"  {measure:<14} {shown} of {len(values)} (at most {bound:.1%}) {'ok' if within else 'MISSED'}", flush=True
        )
    return good


def main() -> int:
    parser = arguments(__doc__, BOUNDS)
    parser.add_argument("--evaluations", type=int, default=20)
    parser.add_argument("--tasks", default=",".join(TASKS))
    given = parser.parse_args()
    tasks = TASKS[:1] if given.quick else given.tasks.split(",")
    evaluations = 2 if given.quick else given.evaluations
    results = Results("reference", given.append, busy=not given.idle)
    good = True
    with busy_other_core(not (given.idle or given.summary)), tempfile.TemporaryDirectory() as host:
        for counter in given.counter or (["valgrind"] if given.quick else ["valgrind", "cpu"]):
            for task_id in tasks:
                try:
                    if not given.summary:
                        evaluate(task_id, counter, evaluations, Path(host), results)
                finally:
                    rows = results.of(task=task_id, counter=counter)
                    print(f"{task_id}, {counter}: {len(rows)} evaluations")
                    good = summary(counter, rows, evaluations) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
