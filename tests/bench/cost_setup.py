"""What the benchmarks of costs share: references and small subjects as targets, a busy other core, report figures."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from qualityscore.core.aggregate import combine_measures
from qualityscore.core.normalise import normalise
from qualityscore.model.cost import CostOutcome
from qualityscore.model.report import SCORE_MODEL, DimensionReport, MeasureReport
from qualityscore.model.task import Task
from qualityscore.runtime import documents, environment
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.target import Target
from qualityscore.runtime.workspace import copy
from qualityscore.snapshots import reference_target

SMALL_TASK = Path(__file__).parents[1] / "e2e" / "cost" / "task"
TASKS = ("python-slugify", "xmltodict", "cachetools")
DIMENSIONS = {d.id: d for d in documents.load_profile("reference").dimensions if d.id in ("efficiency", "resource")}
LEAST_NICE = 19


@contextlib.contextmanager
def references(task: Task) -> Iterator[tuple[Target, Target]]:
    """The reference of a task twice, as subject and as itself."""
    with reference_target(task, None, unsafe=False) as reference:
        yield replace(reference, is_reference=False), reference


def with_workloads(task: Task, folder: Path, more: str) -> Task:
    """The same task with `more` at the end of its workloads.py; `folder`, which is made, holds them."""
    folder.mkdir(parents=True)
    source = (task.probes_folder / "workloads.py").read_text("utf-8")
    (folder / "workloads.py").write_text(f"{source}\n{more}", "utf-8")
    return task.model_copy(update={"probes_folder": folder, "digest": f"{task.digest} {more}"})


@contextlib.contextmanager
def small_target(task: Task, files: dict[str, str | bytes]) -> Iterator[Target]:
    """A subject of these files under a small task."""
    built = environment.ensure(task.folder / task.spec.environment.lock, task.spec.environment.python, cache_root())
    with tempfile.TemporaryDirectory(prefix="qualityscore-bench-") as folder:
        place = Path(folder)
        (place / "from").mkdir()
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            (place / "from" / name).write_bytes(data)
        copied = copy(place / "from", place / "tree", tuple(task.spec.surface.imports))
        yield Target(task=task, tree=copied.tree, environment=built, sandbox=select())


@contextlib.contextmanager
def busy_other_core(wanted: bool) -> Iterator[None]:
    """Keep the first CPU busy meanwhile; timings lease the last one.

    What keeps it busy has the least priority: whatever else wants the core may be the load instead. It ends with this
    process, however that ends.
    """
    cpus = sorted(os.sched_getaffinity(0))
    if not wanted or len(cpus) < 2:
        yield
        return
    begin = f"import os; os.sched_setaffinity(0, {{{cpus[0]}}}); os.nice({LEAST_NICE})"
    program = f"{begin}\nwhile os.getppid() == {os.getpid()}: pass"
    worker = subprocess.Popen([sys.executable, "-c", program])
    try:
        yield
    finally:
        worker.kill()
        worker.wait()


@contextlib.contextmanager
def nothing_kept(host: Path) -> Iterator[Path]:
    """A cache that holds nothing of a reference, only the calibration of this host, which `host` keeps."""
    with tempfile.TemporaryDirectory(prefix="qualityscore-bench-") as folder:
        root = Path(folder)
        _carry_calibration(host, root)
        yield root
        _carry_calibration(root, host)


def _carry_calibration(source: Path, goal: Path) -> None:
    (goal / "counts").mkdir(parents=True, exist_ok=True)
    for file in (source / "counts").glob("gate-*.json"):
        shutil.copyfile(file, goal / "counts" / file.name)


def dimension(found: CostOutcome, name: str) -> DimensionReport:
    """Efficiency or resource usage as a report has it, for a subject whose every other result is right."""
    spec, rng = DIMENSIONS[name], np.random.default_rng(0)
    measures = [
        normalise(m, found.subject.get(m.id), found.reference.get(m.id), credibility=1.0, rng=rng) for m in spec.metrics
    ]
    return combine_measures(spec, measures).report


def measures(found: CostOutcome) -> dict[str, MeasureReport]:
    """The measures of both dimensions by id."""
    return {m.id: m for name in DIMENSIONS for m in dimension(found, name).measures}


def lacking(measure: MeasureReport) -> str | None:
    """Why a measure does not stand for all of its workloads; None where each of them was right and has a ratio."""
    if measure.score is None or measure.ratio is None:
        notes = [f"{r['id']}: {r['note']}" for r in measure.details.get("parts", ()) if r["score"] is None]
        return "; ".join(notes) or str(measure.details.get("unavailable", {}).get("reason", "no ratio"))
    wrong = [f"{r['id']}: {r['note']}" for r in measure.details["parts"] if not r["right"] or r["ratio"] is None]
    return "; ".join(wrong) or None


class Results:
    """Raw results of a benchmark, one JSON object each: those that its file holds from before, and new ones.

    A new one is in the file at once, so that a run that is interrupted loses no more than what it was at.
    Exits where the file holds results of the same benchmark under another score model or another load.
    """

    def __init__(self, bench: str, file: Path | None, *, busy: bool) -> None:
        self.rows: list[dict[str, Any]] = []
        self._stamp = {"bench": bench, "score_model": SCORE_MODEL, "busy": busy}
        self._file = file
        held = file.read_text("utf-8") if file is not None and file.exists() else ""
        if file is not None and held and not held.endswith("\n"):  # a kill cut the last line
            file.write_text(held[: held.rfind("\n") + 1], "utf-8")
            held = held[: held.rfind("\n") + 1]
        for line in held.splitlines():
            row = json.loads(line)
            if row["bench"] != bench:
                continue
            if (other := {k: row[k] for k in self._stamp if row[k] != self._stamp[k]}) != {}:
                raise SystemExit(f"{file} holds results of {other}; name another file")
            self.rows.append(row)

    def add(self, **row: Any) -> dict[str, Any]:
        """Keep a result."""
        row = self._stamp | row
        self.rows.append(row)
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as out:
                out.write(f"{json.dumps(row)}\n")
        return row

    def of(self, **wanted: Any) -> list[dict[str, Any]]:
        """The results that have these values."""
        return [row for row in self.rows if all(row[key] == value for key, value in wanted.items())]


def arguments(description: str | None, counters: Collection[str]) -> argparse.ArgumentParser:
    """A parser with what the benchmarks of costs have in common."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a little of everything, by counts")
    parser.add_argument("--counter", choices=sorted(counters), action="append", help="default: both")
    parser.add_argument("--idle", action="store_true", help="leave the other core idle")
    parser.add_argument("--append", type=Path, metavar="FILE", help="keep raw results there, and sum up all it holds")
    parser.add_argument("--summary", action="store_true", help="run nothing, sum up what --append FILE holds")
    return parser


def spread_of(ratios: list[float]) -> float:
    """The standard deviation (ddof 1) of ratios around their mean; nan of fewer than two."""
    if len(ratios) < 2:
        return math.nan
    mean = math.fsum(ratios) / len(ratios)
    return math.sqrt(math.fsum((r - mean) ** 2 for r in ratios) / (len(ratios) - 1))
