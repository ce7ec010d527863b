"""Known slow-downs: the same loop with 1.05, 1.2, 2 and 10 times the steps, while another process loads the other core.

Bounds: the ratio within 2 % of the truth with counts and within 4 % with pairs; the 95 % interval of the pairs covers
the truth in at least 16 of 20.

    bench_cost_slowdowns.py [--quick] [--repeats 20] [--idle]
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cost_setup import SMALL_TASK, busy_other_core, small_target

from qualityscore.core.costs import median_ratio
from qualityscore.core.intervals import median_interval
from qualityscore.model.task import Task
from qualityscore.runtime.leases import lease_core
from qualityscore.runtime.tasks import load_task
from qualityscore.suites.cost_kit import Bench, prepare_bench, prepare_kit
from qualityscore.suites.cost_measures import counted_costs
from qualityscore.suites.counting import count_overheads, count_side
from qualityscore.suites.pairs import measure_pairs

FACTORS = (1.0, 1.05, 1.2, 2.0, 10.0)
COUNT_BOUND, PAIR_BOUND, COVERED = 0.02, 0.04, 16 / 20


def spinning(folder: Path) -> Task:
    """The small task with the workload `spin` alone, long enough to be timed."""
    task = load_task(str(SMALL_TASK))
    source = (task.probes_folder / "workloads.py").read_text("utf-8")
    source += "\nSpin.n = 200000\nWORKLOADS = [w for w in WORKLOADS if w.id == 'spin']\n"
    (folder / "workloads.py").write_text(source, "utf-8")
    return task.model_copy(update={"probes_folder": folder})


def by_counts(subject: Bench, reference: Bench) -> float | None:
    """Reference to subject in instructions."""
    (workload,) = reference.kit.workloads
    overheads = count_overheads(reference)
    assert overheads is not None, "valgrind does not count here"
    with ThreadPoolExecutor(max_workers=2) as pool:
        mine, theirs = (count_side(bench, [workload], pool, lambda: None) for bench in (subject, reference))
    costs = counted_costs(workload, mine.workloads[0], theirs.workloads[0], overheads)
    return costs.reference / costs.subject if costs is not None else None


def by_pairs(subject: Bench, reference: Bench) -> tuple[float, bool, float] | None:
    """Reference to subject in CPU seconds, whether pairs sufficed, and the half-width; None where none was had."""
    (workload,) = reference.kit.workloads
    with lease_core(deadline_s=600) as lease:
        logs = measure_pairs(subject, reference, [workload], lease, lambda: None)[workload.id].cost_logs
    ratio, interval = median_ratio(logs), median_interval(logs)
    if ratio is None or interval is None:
        return None
    return ratio, interval[0], interval[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one repeat of the factors 1.2 and 2")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--idle", action="store_true", help="leave the other core idle")
    given = parser.parse_args()
    repeats = 1 if given.quick else given.repeats
    good = True
    with busy_other_core(not given.idle), tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        task = spinning(place)
        source = (SMALL_TASK / "reference" / "tally.py").read_text("utf-8")
        with small_target(task, {"tally.py": source}) as reference:
            kit = prepare_kit(reference, place / "kit")
            theirs = prepare_bench(reference, kit, place / "reference")
            for factor in (1.2, 2.0) if given.quick else FACTORS:
                slow = source.replace("in range(turns)", f"in range(round({factor} * turns))")
                with small_target(task, {"tally.py": slow}) as subject:
                    mine = prepare_bench(subject, kit, place / f"subject-{factor}")
                    good = report(factor, mine, theirs, repeats) and good
    return 0 if good else 1


def report(factor: float, mine: Bench, theirs: Bench, repeats: int) -> bool:
    """Print one factor's figures; whether they are within the bounds."""
    truth = 1 / factor
    counted = by_counts(mine, theirs)
    pairs = [found for _ in range(repeats) if (found := by_pairs(mine, theirs)) is not None]
    worst = max((abs(ratio / truth - 1) for ratio, _, _ in pairs), default=math.inf)
    covered = sum(low <= math.log(truth) <= high for _, low, high in pairs)
    by_count = math.inf if counted is None else abs(counted / truth - 1)
    good = by_count <= COUNT_BOUND and worst <= PAIR_BOUND and covered >= COVERED * repeats
    print(
        f"{factor:>5} times: truth {truth:.4f}, counts off by {by_count:.2%} (at most {COUNT_BOUND:.0%}), "
        f"pairs off by at most {worst:.2%} (at most {PAIR_BOUND:.0%}), "
        f"covered in {covered} of {repeats} {'ok' if good else 'MISSED'}",
        flush=True,
    )
    return good


if __name__ == "__main__":
    sys.exit(main())
