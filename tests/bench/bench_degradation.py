"""Degradation matrix: each dimension of each task's reference made worse in three grades, the others left alone.

    python tests/bench/bench_degradation.py [TASK ...]

Prints the matrix and leaves with status 1 where the degraded dimension does not fall from grade to grade, another moves
by more than 0.02 from the reference's own evaluation, or NF does not fall. Memory stays below the 256 MiB that probes
allow an entry above the reference: who holds more fails probes as well, and robustness rightly falls with it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import qualityscore
from qualityscore.defects.degradations import complicate, endanger, hoard, make_brittle, slow_down
from qualityscore.model.report import DIMENSIONS, Report
from qualityscore.reports.tables import terminal
from qualityscore.runtime import reference, tasks
from qualityscore.runtime.cache import cache_root

MOST_OF_THE_OTHERS = 0.02

Change = Callable[[str], str]
Changes = Mapping[str, Change]


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where a reference is degraded: a function that tests enter but workloads seldom do, one that every workload
    works in, one that every workload calls at least once, all in one file, and functions that probes give wrong
    arguments, each with its file."""

    path: str
    complicated: str
    worked: str
    hoarding: str
    brittle: tuple[tuple[str, str], ...]
    steps: tuple[int, int, int]


PLACES = {
    "cachetools": Places(
        path="src/cachetools/__init__.py",
        complicated="Cache.__init__",
        worked="Cache.__setitem__",
        hoarding="Cache.__init__",
        brittle=tuple(
            ("src/cachetools/__init__.py", function)
            for function in ("Cache.__init__", "Cache.__setitem__", "cached", "cachedmethod", "TLRUCache.__init__")
        ),
        steps=(10, 60, 300),
    ),
    "python-slugify": Places(
        path="slugify/slugify.py",
        complicated="_decode_entities",
        worked="slugify",
        hoarding="slugify",
        brittle=(
            ("slugify/_legacy.py", "smart_truncate"),
            ("slugify/slugify.py", "_modern_slugify"),
            ("slugify/slugify.py", "slugify"),
        ),
        steps=(200, 1000, 5000),
    ),
    "xmltodict": Places(
        path="xmltodict.py",
        complicated="unparse",
        worked="_DictSAXHandler.startElement",
        hoarding="parse",
        brittle=tuple(("xmltodict.py", function) for function in ("_DictSAXHandler.__init__", "parse", "unparse")),
        steps=(10, 60, 300),
    ),
}


def main(names: list[str]) -> int:
    """Evaluate everything; the exit code."""
    failures = [failure for name in names or list(PLACES) for failure in matrix(name)]
    for failure in failures:
        sys.stdout.write(f"FAILED {failure}\n")
    return 1 if failures else 0


def matrix(name: str) -> Iterator[str]:
    """Print one task's matrix; gives what does not hold."""
    places = PLACES[name]
    source = reference.fetch(tasks.load_task(name), cache_root())
    base = evaluate(source, name, {})
    rows = [row("reference", base)]
    for dimension, grades in degradations(places).items():
        before = base
        for title, changes in grades:
            report = evaluate(source, name, changes)
            rows.append(row(f"{dimension}: {title}", report))
            yield from broken(f"{name}, {dimension}, {title}", dimension, base, before, report)
            before = report
    sys.stdout.write(terminal(["degraded", *DIMENSIONS, "NF"], rows, title=name) + "\n")


def degradations(places: Places) -> dict[str, list[tuple[str, Changes]]]:
    """Three graded changes for each dimension."""
    count = len(places.brittle)

    def here(change: Change) -> Changes:
        return {places.path: change}

    return {
        "maintainability": [
            (f"complexity + {n}", here(lambda text, n=n: complicate(text, places.complicated, n)))
            for n in (30, 60, 120)
        ],
        "security": [(f"{n} high findings", here(lambda text, n=n: endanger(text, n))) for n in (1, 3, 10)],
        "robustness": [
            (f"{n} brittle functions", brittle(places.brittle[:n])) for n in sorted({1, (count + 1) // 2, count})
        ],
        "efficiency": [
            (f"{n} steps a call", here(lambda text, n=n: slow_down(text, places.worked, n))) for n in places.steps
        ],
        "resource": [(f"{n} MiB more", here(lambda text, n=n: hoard(text, places.hoarding, n))) for n in (20, 60, 200)],
    }


def brittle(functions: tuple[tuple[str, str], ...]) -> Changes:
    """The change of each file that holds some of the functions."""
    names = {path: tuple(name for held, name in functions if held == path) for path, _ in functions}
    return {path: lambda text, names=names[path]: make_brittle(text, names) for path in names}


def evaluate(source: Path, task: str, changes: Changes) -> Report:
    """Evaluate a copy of the reference with some files changed."""
    with tempfile.TemporaryDirectory(prefix="qualityscore-bench-") as folder:
        root = Path(folder) / "subject"
        shutil.copytree(source, root)
        for path, change in changes.items():
            (root / path).write_text(change((root / path).read_text("utf-8")), "utf-8")
        return qualityscore.evaluate(root, task=task)


def broken(what: str, dimension: str, base: Report, before: Report, report: Report) -> Iterator[str]:
    """What a grade violates."""
    for name in DIMENSIONS:
        now, then = report.dimensions[name].score, base.dimensions[name].score
        if now is None or then is None:
            yield f"{what}: {name} was not measured"
        elif name != dimension and abs(now - then) > MOST_OF_THE_OTHERS:
            yield f"{what}: {name} moved from {then:.3f} to {now:.3f}"
    worse, better = report.dimensions[dimension].score, before.dimensions[dimension].score
    if worse is not None and better is not None and worse >= better:
        yield f"{what}: {dimension} did not fall ({better:.3f} to {worse:.3f})"
    nf, was = report.non_functional.score, base.non_functional.score
    if nf is not None and was is not None and nf >= was:
        yield f"{what}: NF did not fall ({was:.3f} to {nf:.3f})"


def row(title: str, report: Report) -> list[str]:
    """One line of the matrix."""
    scores = [report.dimensions[name].score for name in DIMENSIONS] + [report.non_functional.score]
    return [title, *("–" if score is None else f"{score:.3f}" for score in scores)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
