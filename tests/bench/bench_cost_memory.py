"""Known memory, while another process loads the other core: what the measures say of code that takes 8 to 200 MiB.

It takes it at once, in pieces, in a child, in C. Bound: within 1 MiB or 2 %, whichever is more. Takes seconds, quick or
not.

    bench_cost_memory.py [--quick] [--idle]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from cost_setup import SMALL_TASK, busy_other_core, small_target

from qualityscore.runtime.tasks import load_task
from qualityscore.suites.cost_kit import prepare_bench, prepare_kit
from qualityscore.suites.memory import run_heap, run_native
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
            natives = run_native(bench, lambda: None).workloads
            heaps = run_heap(bench, bench.kit.workloads, lambda: None)
    print("workload      known MiB   peak_rss  peak_heap  allocated")
    for native, heap in zip(natives, heaps, strict=True):
        _, all_, known = KNOWN_MIB[native.id]
        rss = (statistics.median(native.full) - statistics.median(native.one)) / MIB
        peak, allocated = statistics.median(heap.samples) / MIB, (heap.allocated_bytes or 0) / MIB
        within = max(abs(rss - known), abs(peak - known)) <= max(1, 0.02 * known)
        good = good and within
        print(
            f"{native.id:<12} {known:>10} {rss:>10.1f} {peak:>10.1f} {allocated:>10.1f} (of {all_}) "
            f"{'ok' if within else 'MISSED'}"
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
