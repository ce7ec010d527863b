"""Known memory, while another process loads the other core: what the report says of code that takes 8 to 200 MiB.

It takes it at once, in pieces, in a child, in C. Bound: within 1 MiB or 2 %, whichever is more. Takes seconds, quick or
not.

    bench_cost_memory.py [--quick] [--idle]
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from cost_setup import SMALL_TASK, busy_other_core, small_target

from qualityscore.runtime.tasks import load_task
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import prepare_bench, prepare_kit
from qualityscore.suites.cost_measures import allocated
from qualityscore.suites.cost_sides import Sides, expected_digests
from qualityscore.suites.memory import run_heap, run_native
from qualityscore.suites.memory_measures import taken_memory
from tests.e2e.cost.known_memory import KNOWN_MIB, SUBJECT, of_known_memory

MIB = 1 << 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the same")
    parser.add_argument("--idle", action="store_true", help="leave the other core idle")
    given = parser.parse_args()
    good = True
    with busy_other_core(not given.idle), tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        task = of_known_memory(load_task(str(SMALL_TASK)), place / "probes", KNOWN_MIB)
        with small_target(task, {"hold.py": (SUBJECT / "hold.py").read_text("utf-8")}) as target:
            bench = prepare_bench(target, prepare_kit(target, place / "kit"), place / "tree")
            natives = run_native(bench, lambda: None)
            facts = Facts(native=natives, heaps=run_heap(bench, bench.kit.workloads, lambda: None))
    expected, troubles = expected_digests(facts, None)
    sides = Sides(
        kit=bench.kit, subject=facts, reference=facts, expected=expected, troubles=troubles, pairs={}, checks={}
    )
    taken, asked = taken_memory(sides), allocated(facts)
    print("workload      known MiB   peak_rss  peak_heap  allocated")
    for rss_part, heap_part in zip(taken.rss[0], taken.heap[0], strict=True):
        _, all_, known = KNOWN_MIB[rss_part.id]
        rss, peak = ((math.nan if part.value is None else part.value / MIB) for part in (rss_part, heap_part))
        within = all(abs(value - known) <= max(1, 0.02 * known) for value in (rss, peak))
        good = good and within
        print(
            f"{rss_part.id:<12} {known:>10} {rss:>10.1f} {peak:>10.1f} {(asked[rss_part.id] or 0) / MIB:>10.1f} "
            f"(of {all_}) "
            f"{'ok' if within else 'MISSED'}"
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
