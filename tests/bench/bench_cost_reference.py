"""Each reference against itself, again and again, while another process loads the other core.

Every evaluation measures both sides anew; only the calibration of the host is kept from one to the next. One of which a
measure lacks a workload, or has it wrong, counts as missed.
Bounds (20 evaluations): standard deviation of the uncapped efficiency ratio at most 0.2 % with counts and 1.5 % with
pairs, of every ratio of resource usage at most 1 %; `equivalent` in at least 19 of 20 with counts and 16 of 20 with
pairs. What was found until then is summed up when it is interrupted.

    bench_cost_reference.py [--quick] [--counter valgrind|cpu] [--evaluations 20] [--tasks ID,ID] [--idle]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from cost_setup import DIMENSIONS, TASKS, busy_other_core, lacking, measures, nothing_kept, references, spread_of

from qualityscore.model.cost import CostOutcome
from qualityscore.runtime.tasks import load_task
from qualityscore.suites import cost

EFFICIENCY = "workload.cost"
RESOURCE = tuple(spec.id for spec in DIMENSIONS["resource"].metrics)
BOUNDS = {"valgrind": (0.002, 19 / 20), "cpu": (0.015, 16 / 20)}
RESOURCE_BOUND = 0.01


@dataclass(slots=True)
class Seen:
    """What the evaluations of one task by one counter gave: `ratios` by measure, of those that lack nothing."""

    counter: str
    evaluations: int = 0
    ratios: dict[str, list[float]] = field(default_factory=lambda: {m: [] for m in (EFFICIENCY, *RESOURCE)})
    verdicts: Counter[str] = field(default_factory=Counter)

    def add(self, found: CostOutcome) -> str:
        """Take in an evaluation; the line that says what it gave."""
        self.evaluations += 1
        reports = measures(found)
        said = []
        for measure, values in self.ratios.items():
            report = reports[measure]
            why = lacking(report)
            if why is None and report.ratio is not None:
                values.append(report.ratio)
                said.append(f"{measure} {report.ratio:.5f}")
            else:
                said.append(f"{measure} MISSED ({why})")
            if measure == EFFICIENCY:
                verdict = "missed" if why is not None else report.verdict or "none"
                self.verdicts[verdict] += 1
                timed = sum(bool(part["log_ratios"]) for part in report.details.get("parts", ()))
                said[-1] += f" {verdict}, {timed} by pairs"
        return ", ".join(said)

    def summary(self) -> bool:
        """Print the figures; whether they are within the bounds."""
        most, least = BOUNDS[self.counter]
        good = self.evaluations > 0 and self.verdicts["equivalent"] >= least * self.evaluations
        verdicts = ", ".join(f"{number} {name}" for name, number in self.verdicts.most_common())
        print(f"  verdicts: {verdicts or 'none'} (equivalent wanted in {least:.0%}) {'ok' if good else 'MISSED'}")
        for measure, values in self.ratios.items():
            bound = most if measure == EFFICIENCY else RESOURCE_BOUND
            within = len(values) == self.evaluations and (len(values) < 2 or spread_of(values) <= bound)
            good = good and within
            shown = f"{min(values):.5f} to {max(values):.5f}, sd {spread_of(values):.3%}" if values else "unmeasured"
            print(
                f"  {measure:<14} {shown} of {len(values)} (at most {bound:.1%}) {'ok' if within else 'MISSED'}",
                flush=True,
            )
        return good


def one_task(task_id: str, counter: str, evaluations: int, host: Path) -> bool:
    """Print a line for each evaluation of a task and the figures of all; whether they are within the bounds."""
    seen = Seen(counter)
    try:
        with references(load_task(task_id)) as (subject, reference):
            for number in range(1, evaluations + 1):
                began = time.monotonic()
                with nothing_kept(host) as root:
                    found = cost.run(subject, reference, counter=counter, root=root)
                seconds = time.monotonic() - began
                print(
                    f"{task_id}, {counter}, {number} of {evaluations}: {seen.add(found)}, {seconds:.0f} s", flush=True
                )
    finally:
        print(f"{task_id}, {counter}: {seen.evaluations} evaluations")
        good = seen.summary()
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one task, two evaluations")
    parser.add_argument("--counter", choices=sorted(BOUNDS), action="append", help="default: both")
    parser.add_argument("--evaluations", type=int, default=20)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--idle", action="store_true", help="leave the other core idle")
    given = parser.parse_args()
    tasks = TASKS[:1] if given.quick else given.tasks.split(",")
    evaluations = 2 if given.quick else given.evaluations
    good = True
    with busy_other_core(not given.idle), tempfile.TemporaryDirectory() as host:
        for counter in given.counter or (["valgrind"] if given.quick else ["valgrind", "cpu"]):
            for task_id in tasks:
                good = one_task(task_id, counter, evaluations, Path(host)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
