"""Every frozen probe and property is survived by its own reference, ten times, under load and other hash seeds.

One process per core is kept busy by something else for the first five replays; a hash seed of its own goes into each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from qualityscore.runtime import tasks
from qualityscore.snapshots import reference_target
from qualityscore.suites import manifest, properties, robustness
from qualityscore.suites.probe_limits import limits_of

FROZEN = tuple(name for name in tasks.task_ids() if (tasks.load_task(name).probes_folder / "manifest.json").is_file())
REPLAYS = 10


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Other work on the host, as a batch beside this evaluation would be."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: sum(range(10_000))"]) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", FROZEN)
def test_the_reference_survives_its_own_probes_ten_times(name: str) -> None:
    task = tasks.load_task(name)
    frozen = manifest.load(task.probes_folder)
    lost: list[str] = []
    with reference_target(task, None, unsafe=False) as target:
        for number in range(REPLAYS):
            with busy(os.cpu_count() or 1 if number < REPLAYS // 2 else 0):
                limits = limits_of(task)
                seed = {"PYTHONHASHSEED": str(1 + 7919 * number)}
                records = robustness.answers(target, frozen, limits, progress=lambda done: None, env=seed)
                proven = properties.run(target, frozen, total_s=limits.total_s)
            for entry in frozen.entries:
                outcome = robustness.judge_entry(target, frozen, entry, records[entry.name])
                lost += [f"replay {number}: {entry.name}: {failure}" for failure in outcome.failures]
                lost += [f"replay {number}: {entry.name}: another answer" for _ in range(outcome.different)]
                lost += [f"replay {number}: {entry.name}: another answer" for _ in range(outcome.unsettled_different)]
            lost += [f"replay {number}: {one.id}: {one.message}" for one in proven if not one.passed]
    assert not lost
