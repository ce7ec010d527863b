"""How long the replay of each bundled manifest takes, probes and properties together, in seconds of wall time.

Run as `python tests/bench/bench_probes.py` on an otherwise idle machine; `--runs N` (3), `--tasks LIST`. The bars: 20 s
on the reference, 60 s on any subject, also one that hangs wherever it can.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from qualityscore.runtime import tasks, workspace
from qualityscore.runtime.target import Target
from qualityscore.snapshots import reference_target
from qualityscore.suites import manifest, robustness, stubs

REFERENCE_BAR_S, SUBJECT_BAR_S = 20.0, 60.0
HANGING = "_wait(given)"
WAIT = "\n\ndef _wait(given):\n    import time\n    time.sleep(0 if len(given) < 2 else 3600)\n"


def hanging(target: Target, folder: Path) -> Target:
    """A subject whose every call with more than one argument hangs."""
    imports = tuple(target.task.spec.surface.imports)
    for name, text in stubs.sources(target.task.surface.entries, imports, HANGING).items():
        path = folder / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + WAIT, "utf-8")
    tree = workspace.copy(folder / "source", folder / "copy", imports).tree
    return replace(target, tree=tree, is_reference=False)


def seconds(target: Target, frozen: manifest.Manifest, runs: int) -> float:
    """The median of several replays."""
    taken = []
    for _ in range(runs):
        began = time.monotonic()
        robustness.run(target, frozen)
        taken.append(time.monotonic() - began)
    return statistics.median(taken)


def main() -> int:
    """A line per task; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--tasks", default="cachetools,python-slugify,xmltodict")
    arguments = parser.parse_args()
    missed = False
    print(f"load {os.getloadavg()[0]:.2f} on {len(os.sched_getaffinity(0))} cores")
    for name in arguments.tasks.split(","):
        task = tasks.load_task(name)
        frozen = manifest.load(task.probes_folder)
        with reference_target(task, None, unsafe=False) as target, tempfile.TemporaryDirectory() as folder:
            own = seconds(target, frozen, arguments.runs)
            worst = seconds(hanging(target, Path(folder)), frozen, 1)
        probes = sum(len(entry.probes) for entry in frozen.entries)
        print(f"{name}: {probes} probes, reference {own:.1f} s, a subject that hangs {worst:.1f} s")
        missed |= own > REFERENCE_BAR_S or worst > SUBJECT_BAR_S
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
