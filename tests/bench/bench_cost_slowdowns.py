"""Known slow-downs, as the report tells them, while another process loads the other core.

Two references do 1, 1.05, 1.2, 2 and 10 times the work: a loop of equal steps takes more of them, and xmltodict parses
one document after another, all alike, so often (1.05: every 20th once more; 1.2: every 5th) and keeps what it gave. The
same loop and the same wrapper are in the reference, and the digest is short. Every evaluation measures both sides anew,
each factor as a workload of its own.
Bounds: the ratio within 2 % of the truth with counts and within 4 % with pairs; the 95 % interval of the ratio, where
pairs decided, covers the truth in at least 16 of 20. A count has no interval.

    bench_cost_slowdowns.py [--quick] [--counter valgrind|cpu] [--evaluations 20] [--subjects loop,xmltodict] [--idle]

In slices: `--evaluations 5 --append FILE` adds five of each, `--summary --append FILE` judges what FILE holds.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cost_setup import (
    SMALL_TASK,
    Results,
    arguments,
    busy_other_core,
    measures,
    nothing_kept,
    references,
    small_target,
    with_workloads,
)

from qualityscore.core.intervals import median_interval
from qualityscore.runtime.target import Target
from qualityscore.runtime.tasks import load_task
from qualityscore.suites import cost

FACTORS = (1.0, 1.05, 1.2, 2.0, 10.0)
BOUNDS = {"valgrind": 0.02, "cpu": 0.04}
COVERED = 16 / 20
TURNS = 100_000
DOCUMENTS = 40

LOOP_WORKLOADS = """
class Slowed(Spin):
    n = {n}

    def __init__(self, factor):
        self.id, self.factor = f"{{factor:g}} times", factor

    def body(self, inputs):
        import tally

        return tally.spin(round(inputs * tally.SLOWED[self.factor]))


WORKLOADS = [Slowed(factor) for factor in {factors}]
"""
XMLTODICT_WORKLOADS = """
class Slowed(ParseWithOptions):
    n = {n}

    def __init__(self, factor):
        self.id, self.factor = f"{{factor:g}} times", factor

    def setup(self, size):
        return [document(random.Random(0), 8)] * size

    def body(self, inputs):
        import xmltodict

        plain, xmltodict.parse = xmltodict.parse, xmltodict.SLOWED[self.factor]
        try:
            return super().body(inputs)
        finally:
            xmltodict.parse = plain

    def digest(self, result):
        return [len(result), *shape(result[:1])]


WORKLOADS = [Slowed(factor) for factor in {factors}]
"""
SLOWED_PARSE = """

def _times(factor, parse=parse):
    whole, every = divmod(factor, 1)
    every = round(1 / every) if every else 0
    kept = []

    def parse_so_often(*args, **options):
        kept.append(None)
        for _ in range(int(whole) + (every > 0 and len(kept) % every == 0)):
            kept[-1] = [kept[-1], parse(*args, **options)]
        return kept[-1][1]

    return parse_so_often


SLOWED = {{name: _times(factor) for name, factor in {slowed}.items()}}
"""


def sides(factors: tuple[float, ...]) -> tuple[dict[float, float], dict[float, float]]:
    """What the subject does of the work of each factor, and what the reference does."""
    return {factor: factor for factor in factors}, dict.fromkeys(factors, 1.0)


@contextlib.contextmanager
def loop(factors: tuple[float, ...], place: Path) -> Iterator[tuple[Target, Target]]:
    """A loop that takes `factor` times the steps, and the same loop."""
    task = with_workloads(load_task(str(SMALL_TASK)), place / "probes", LOOP_WORKLOADS.format(n=TURNS, factors=factors))
    source = (SMALL_TASK / "reference" / "tally.py").read_text("utf-8")
    slow, plain = ({"tally.py": f"{source}\n\nSLOWED = {slowed}\n"} for slowed in sides(factors))
    with small_target(task, slow) as subject, small_target(task, plain) as reference:
        yield subject, replace(reference, is_reference=True)


@contextlib.contextmanager
def xmltodict(factors: tuple[float, ...], place: Path) -> Iterator[tuple[Target, Target]]:
    """xmltodict of which each function of `SLOWED` parses `factor` times, and xmltodict where each is its own."""
    task = with_workloads(
        load_task("xmltodict"), place / "probes", XMLTODICT_WORKLOADS.format(n=DOCUMENTS, factors=factors)
    )
    slow, plain = (SLOWED_PARSE.format(slowed=slowed) for slowed in sides(factors))
    with references(task) as (subject, reference):
        yield _appended(subject, place / "slow", slow), _appended(reference, place / "plain", plain)


def _appended(target: Target, folder: Path, more: str) -> Target:
    """A copy of the target's tree with `more` at the end of xmltodict.py."""
    shutil.copytree(target.tree.root, folder)
    (name,) = (f for f in target.tree.files if Path(f).name == "xmltodict.py")
    with (folder / name).open("a", encoding="utf-8") as file:
        file.write(more)
    return replace(target, tree=replace(target.tree, root=folder))


SUBJECTS = {"loop": loop, "xmltodict": xmltodict}


@dataclass(frozen=True, slots=True)
class Plan:
    """A subject of which each factor is measured by a counter; `host` keeps the calibration."""

    name: str
    counter: str
    factors: tuple[float, ...]
    host: Path


def evaluate(plan: Plan, evaluations: int, results: Results) -> None:
    """Evaluate a subject so often, and print a line for each."""
    with (
        tempfile.TemporaryDirectory() as folder,
        SUBJECTS[plan.name](plan.factors, Path(folder)) as (subject, reference),
    ):
        for number in range(1, evaluations + 1):
            began = time.monotonic()
            with nothing_kept(plan.host) as root:
                found = cost.run(subject, reference, counter=plan.counter, root=root)
            seconds = time.monotonic() - began
            report = measures(found)["workload.cost"]
            parts = {row["id"]: row for row in report.details.get("parts", ())}
            absent = {"score": None, "note": str(report.details.get("unavailable"))}
            said = []
            for factor in plan.factors:
                part = parts.get(f"{factor:g} times", absent)
                lost = part["score"] is None or not part["right"] or part["ratio"] is None
                row = results.add(
                    subject=plan.name,
                    counter=plan.counter,
                    factor=factor,
                    ratio=None if lost else part["ratio"],
                    log_ratios=[] if lost else part["log_ratios"],
                    note=part["note"],
                )
                shown = f"MISSED ({row['note']})" if lost else f"{row['ratio']:.4f}"
                said.append(f"{factor:g} times {shown}")
            line = f"{plan.name}, {plan.counter}, {number} of {evaluations}: {', '.join(said)}, {seconds:.0f} s"
            print(line, flush=True)


def summary(factor: float, rows: list[dict[str, Any]], bound: float, wanted: int) -> bool:
    """Print the figures of one factor; whether they are within the bounds, of at least `wanted` evaluations."""
    off = [row["ratio"] * factor - 1 for row in rows if row["ratio"] is not None]
    intervals = [found for row in rows if (found := median_interval(row["log_ratios"])) is not None]
    covered = sum(low <= -math.log(factor) <= high for low, high in intervals)
    worst = max((abs(one) for one in off), default=math.inf)
    good = len(off) == len(rows) >= wanted and worst <= bound and covered >= COVERED * len(intervals)
    print(
        f"  {factor:>5g} times: off by at most {worst:.2%} of {len(off)} (at most {bound:.0%} of {wanted}), "
        f"interval covers the truth in {covered} of {len(intervals)}, {len(rows) - len(off)} unmeasured "
        f"{'ok' if good else 'MISSED'}",
        flush=True,
    )
    return good


def main() -> int:
    parser = arguments(__doc__, BOUNDS)
    parser.add_argument("--evaluations", type=int, default=20)
    parser.add_argument("--subjects", default=",".join(SUBJECTS))
    given = parser.parse_args()
    factors = (1.05, 2.0) if given.quick else FACTORS
    evaluations = 1 if given.quick else given.evaluations
    results = Results("slowdowns", given.append, busy=not given.idle)
    good = True
    with busy_other_core(not (given.idle or given.summary)), tempfile.TemporaryDirectory() as host:
        for counter in given.counter or (["valgrind"] if given.quick else ["valgrind", "cpu"]):
            for name in given.subjects.split(","):
                try:
                    if not given.summary:
                        evaluate(Plan(name, counter, factors, Path(host)), evaluations, results)
                finally:
                    print(f"{name}, {counter}:")
                    for factor in factors:
                        rows = results.of(subject=name, counter=counter, factor=factor)
                        good = summary(factor, rows, BOUNDS[counter], evaluations) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
