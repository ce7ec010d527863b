"""Known slow-downs, as the report tells them, while another process loads the other core.

Two references do 1, 1.05, 1.2, 2 and 10 times the work: a loop of equal steps takes more of them, and xmltodict parses
one document after another, all alike, so often (1.05: every 20th once more; 1.2: every 5th) and keeps what it gave. The
same loop and the same wrapper are in the reference, and the digest is short. Every evaluation measures both sides anew,
each factor as a workload of its own.
Bounds: the ratio within 2 % of the truth with counts and within 4 % with pairs; the 95 % interval of the ratio, where
pairs decided, covers the truth in at least 16 of 20. A count has no interval.

    bench_cost_slowdowns.py [--quick] [--counter valgrind|cpu] [--evaluations 20] [--subjects loop,xmltodict] [--idle]
"""

from __future__ import annotations

import argparse
import contextlib
import math
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cost_setup import SMALL_TASK, busy_other_core, measures, nothing_kept, references, small_target, with_workloads

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


@dataclass(slots=True)
class Seen:
    """What the evaluations said of one factor: ratios off the truth, as shares, and whether intervals cover it."""

    factor: float
    off: list[float] = field(default_factory=list)
    covered: list[bool] = field(default_factory=list)
    missed: int = 0

    def add(self, row: dict[str, Any]) -> str:
        """Take in the row of a report's part; what it says."""
        if row["score"] is None or not row["right"] or row["ratio"] is None:
            self.missed += 1
            return f"MISSED ({row['note']})"
        self.off.append(row["ratio"] * self.factor - 1)
        interval = median_interval(row["log_ratios"]) if row["log_ratios"] else None
        if interval is None:
            return f"{row['ratio']:.4f}"
        self.covered.append(interval[0] <= -math.log(self.factor) <= interval[1])
        return f"{row['ratio']:.4f} [{math.exp(interval[0]):.4f}, {math.exp(interval[1]):.4f}]"

    def summary(self, bound: float) -> bool:
        """Print the figures; whether they are within the bounds."""
        worst = max((abs(off) for off in self.off), default=math.inf)
        covered = sum(self.covered)
        good = not self.missed and worst <= bound and covered >= COVERED * len(self.covered)
        print(
            f"  {self.factor:>5g} times: off by at most {worst:.2%} of {len(self.off)} (at most {bound:.0%}), "
            f"interval covers the truth in {covered} of {len(self.covered)}, {self.missed} unmeasured "
            f"{'ok' if good else 'MISSED'}",
            flush=True,
        )
        return good


def one_subject(name: str, counter: str, factors: tuple[float, ...], evaluations: int, host: Path) -> bool:
    """Print a line for each evaluation and the figures of each factor; whether they are within the bounds."""
    seen = {f"{factor:g} times": Seen(factor) for factor in factors}
    try:
        with tempfile.TemporaryDirectory() as folder, SUBJECTS[name](factors, Path(folder)) as (subject, reference):
            for number in range(1, evaluations + 1):
                began = time.monotonic()
                with nothing_kept(host) as root:
                    found = cost.run(subject, reference, counter=counter, root=root)
                seconds = time.monotonic() - began
                report = measures(found)["workload.cost"]
                rows = {row["id"]: row for row in report.details.get("parts", ())}
                absent = {"score": None, "note": str(report.details.get("unavailable"))}
                said = ", ".join(f"{id_} {one.add(rows.get(id_, absent))}" for id_, one in seen.items())
                print(f"{name}, {counter}, {number} of {evaluations}: {said}, {seconds:.0f} s", flush=True)
    finally:
        print(f"{name}, {counter}:")
        within = [one.summary(BOUNDS[counter]) for one in seen.values()]
    return all(within)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one evaluation of the factors 1.05 and 2 by counts")
    parser.add_argument("--counter", choices=sorted(BOUNDS), action="append", help="default: both")
    parser.add_argument("--evaluations", type=int, default=20)
    parser.add_argument("--subjects", default=",".join(SUBJECTS))
    parser.add_argument("--idle", action="store_true", help="leave the other core idle")
    given = parser.parse_args()
    factors = (1.05, 2.0) if given.quick else FACTORS
    good = True
    with busy_other_core(not given.idle), tempfile.TemporaryDirectory() as host:
        for counter in given.counter or (["valgrind"] if given.quick else ["valgrind", "cpu"]):
            for name in given.subjects.split(","):
                evaluations = 1 if given.quick else given.evaluations
                good = one_subject(name, counter, factors, evaluations, Path(host)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
