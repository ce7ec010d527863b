"""What the benchmarks of costs share: references and small subjects as targets, a busy other core, ratios."""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from qualityscore.core.parts import score_parts
from qualityscore.model.cost import CostOutcome
from qualityscore.model.measure import Measured, MetricSpec
from qualityscore.model.task import Task
from qualityscore.runtime import documents, environment
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.target import Target
from qualityscore.runtime.tasks import load_task
from qualityscore.runtime.workspace import copy
from qualityscore.snapshots import reference_target

SMALL_TASK = Path(__file__).parents[1] / "e2e" / "cost" / "task"
TASKS = ("python-slugify", "xmltodict", "cachetools")
SPECS: dict[str, MetricSpec] = {m.id: m for d in documents.load_profile("reference").dimensions for m in d.metrics}


@contextlib.contextmanager
def references(task_id: str) -> Iterator[tuple[Target, Target]]:
    """A bundled task's reference twice, as subject and as itself."""
    with reference_target(load_task(task_id), None, unsafe=False) as reference:
        yield replace(reference, is_reference=False), reference


@contextlib.contextmanager
def small_target(task: Task, files: dict[str, str]) -> Iterator[Target]:
    """A subject of these files under a small task."""
    built = environment.ensure(task.folder / task.spec.environment.lock, task.spec.environment.python, cache_root())
    with tempfile.TemporaryDirectory(prefix="qualityscore-bench-") as folder:
        place = Path(folder)
        for name, text in files.items():
            (place / "from").mkdir(exist_ok=True)
            (place / "from" / name).write_text(text, "utf-8")
        copied = copy(place / "from", place / "tree", tuple(task.spec.surface.imports))
        yield Target(task=task, tree=copied.tree, environment=built, sandbox=select())


@contextlib.contextmanager
def busy_other_core(wanted: bool) -> Iterator[None]:
    """Keep the first CPU busy meanwhile; timings lease the last one."""
    cpus = sorted(os.sched_getaffinity(0))
    if not wanted or len(cpus) < 2:
        yield
        return
    program = f"import os; os.sched_setaffinity(0, {{{cpus[0]}}})\nwhile True: pass"
    worker = subprocess.Popen([sys.executable, "-c", program])
    try:
        yield
    finally:
        worker.kill()
        worker.wait()


def ratio_and_verdict(found: CostOutcome, measure: str) -> tuple[float | None, str | None]:
    """exp of the mean log-ratio over right workloads, uncapped, and the verdict; None where it is unmeasured."""
    mine, theirs = found.subject[measure], found.reference[measure]
    if not isinstance(mine, Measured) or not isinstance(theirs, Measured):
        return None, None
    scored = score_parts(SPECS[measure], mine, theirs, np.random.default_rng(0))
    return scored.ratio, scored.verdict


def spread_of(ratios: list[float]) -> float:
    """The standard deviation (ddof 1) of ratios around their mean; nan of fewer than two."""
    if len(ratios) < 2:
        return math.nan
    mean = math.fsum(ratios) / len(ratios)
    return math.sqrt(math.fsum((r - mean) ** 2 for r in ratios) / (len(ratios) - 1))
