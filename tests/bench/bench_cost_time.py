"""How long the cost part takes once a host is calibrated, while another process loads the other core.

Bounds, for a task of four workloads on two cores: 40 s with counts, 120 s with pairs. The wall time of other numbers of
workloads is shown as it is and scaled to four.

    bench_cost_time.py [--quick] [--tasks ID,ID] [--idle]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from cost_setup import TASKS, busy_other_core, references

from qualityscore.suites import cost

BOUNDS_S = {"valgrind": 40.0, "cpu": 120.0}
WORKLOADS = 4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one task, counts only")
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--idle", action="store_true", help="leave the other core idle")
    given = parser.parse_args()
    good = True
    with busy_other_core(not given.idle), tempfile.TemporaryDirectory() as folder:
        for task_id in TASKS[:1] if given.quick else given.tasks.split(","):
            with references(task_id) as (subject, reference):
                for counter in ("valgrind",) if given.quick else ("valgrind", "cpu"):
                    cost.run(subject, reference, counter=counter, root=Path(folder))
                    began = time.monotonic()
                    found = cost.run(subject, reference, counter=counter, root=Path(folder))
                    seconds = time.monotonic() - began
                    number = len(found.digests)
                    scaled = seconds * WORKLOADS / max(number, 1)
                    within = scaled <= BOUNDS_S[counter]
                    good = good and within
                    print(
                        f"{task_id}, {counter}: {seconds:.0f} s for {number} workloads, {scaled:.0f} s for {WORKLOADS} "
                        f"(at most {BOUNDS_S[counter]:.0f} s) {'ok' if within else 'MISSED'}",
                        flush=True,
                    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
