"""Verdicts of the functional stage against plain pytest on honest code, and false alarms among them.

Run as

    PYTHONPATH=.:tests python tests/nightly/verdict_equality.py [--evaluations N] [--seed S] [--shard K/M] [--jobs J]
        [PROJECT ...]

Projects are the bundled tasks and the packages of `packages.toml`, whose own tests are the suite; without names, all.
Their honest subjects (`honest_subjects.py` says which) are evaluated in turn until N (default 2,000; a small setting
is 40) are compared, or none is left; shard K of M compares its share of N. For each the original suite runs under plain
pytest and the derived one in the sandbox; every test must come to the same verdict, and nothing may be called tampered.
Where plain pytest does not end (in 20 s and ten times what the reference took), nothing can be compared: these subjects
are counted apart.

Prints where it is now and then, and the share of tests that move and that resist guessing. Exits with 1 on any
difference, false alarm or broken evaluation, and where fewer than N could be compared. A test that fails differently
from itself under plain pytest (run once more) is listed as unsteady and is no difference.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from nightly.honest_subjects import Project, Subject, package_names, project, subjects
from qualityscore.errors import QualityScoreError
from qualityscore.model.outcome import TestOutcome
from qualityscore.runtime import tasks, workspace
from qualityscore.runtime.target import Target
from qualityscore.suites import functional

_PATIENCE_S = 20.0
_TIMES_AS_LONG = 10
_SETTING_UP_S = 300.0
_BETWEEN_LINES_S = 60.0
_LISTING = """
import json, os, resource

resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # a fault may never stop to allocate

def pytest_runtest_logreport(report):
    with open(os.environ["LISTING"], "a") as file:
        file.write(json.dumps([report.nodeid, report.outcome]) + "\\n")
"""


@dataclass
class Seen:
    """What one or more evaluations came to; `unsteady` and `differences` count tests."""

    compared: int = 0
    uncompared: int = 0
    broken: int = 0
    alarms: int = 0
    differences: int = 0
    unsteady: int = 0

    def add(self, other: Seen) -> None:
        """Add another's counts."""
        for name in ("compared", "uncompared", "broken", "alarms", "differences", "unsteady"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def words(self) -> str:
        """All counts as one phrase."""
        return (
            f"{self.compared} evaluations compared, {self.uncompared} uncompared (plain pytest did not end), "
            f"{self.broken} broken: {self.alarms} false alarms, {self.differences} verdicts that differ from plain "
            f"pytest's, {self.unsteady} unsteady"
        )


@dataclass
class Figures(Seen):
    """What was counted over all evaluations, and over the tests of all projects."""

    tests: int = 0
    moved: int = 0
    protected: int = 0
    projects: list[str] = field(default_factory=list)


def plain(target: Target, folder: Path, timeout_s: float) -> dict[str, str] | None:
    """Outcomes of the original suite under plain pytest, outside any sandbox; only for code that we trust.

    None where it does not end in time: it has no limit per test, so there is nothing to compare with.
    """
    listing = folder / "listing.jsonl"
    listing.unlink(missing_ok=True)
    (folder / "listing.py").write_text(_LISTING)
    roots = [str((target.tree.root / root).resolve()) for root in target.tree.import_roots]
    files = [str(path) for path in target.task.suite_files("functional")]
    options = ["-q", "-p", "listing", "-p", "no:cacheprovider", "-c", "/dev/null", f"--rootdir={target.task.folder}"]
    process = subprocess.Popen(
        [str(target.environment.prefix / "bin" / "python"), "-sB", "-m", "pytest", *options, *files],
        cwd=target.task.folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": ":".join([*roots, str(folder)]),
            "PYTHONHASHSEED": "0",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "LISTING": str(listing),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None
    found: dict[str, str] = {}
    for line in listing.read_text().splitlines() if listing.exists() else ():
        name, outcome = json.loads(line)
        if found.get(name) in {None, "passed"}:
            found[name] = outcome
    return found


def _prepared(name: str, folder: Path) -> tuple[Project, float]:
    """A project, and how long plain pytest is waited for, by the time that it takes on the reference."""
    one = project(name, folder)
    began = time.monotonic()
    if plain(one.target, folder, _SETTING_UP_S) is None:
        raise SystemExit(f"plain pytest does not end on the reference of {one.name}")
    return one, _PATIENCE_S + _TIMES_AS_LONG * (time.monotonic() - began)


def evaluate(one: Project, subject: Subject, timeout_s: float) -> Seen:
    """Evaluate one subject both ways, in a folder of its own; print and count what differs."""
    with tempfile.TemporaryDirectory(prefix="qs-verdicts-") as made:
        folder = Path(made)
        folder.chmod(0o755)
        try:
            subject.build(folder / "source", one.target.tree.root)
            imports = tuple(one.target.task.spec.surface.imports)
            tree = workspace.copy(folder / "source", folder / "subject", imports).tree
            return _compare(one, subject.name, replace(one.target, tree=tree, is_reference=False), folder, timeout_s)
        except QualityScoreError as error:
            print(f"  BROKEN: {one.name}, {subject.name}: {error}", flush=True)
            return Seen(broken=1)


def _compare(one: Project, what: str, target: Target, folder: Path, timeout_s: float) -> Seen:
    theirs = plain(target, folder, timeout_s)
    if theirs is None:
        return Seen(uncompared=1)
    ours = functional.run(target, one.expected)
    seen = Seen(compared=1)
    if ours.tampered:
        seen.alarms += 1
        print(f"  FALSE ALARM on {one.name}, {what}: {ours.evidence[0].message}", flush=True)
    apart = [t for t in ours.tests if (t.outcome is TestOutcome.PASSED) != (theirs.get(t.id) == "passed")]
    if not apart:
        return seen
    again = plain(target, folder, timeout_s) or {}
    repeated = {t.id: t.outcome for t in functional.run(target, one.expected).tests}
    for test in apart:
        steady = again.get(test.id) == theirs.get(test.id) and repeated[test.id] == test.outcome
        seen.differences += steady
        seen.unsteady += not steady
        reason = test.failure.message if test.failure else ""
        kind = "" if steady else "unsteady: "
        there = theirs.get(test.id)
        print(f"  {kind}{one.name}, {what}: {test.id} is {test.outcome} here ({reason}), {there} there", flush=True)
    return seen


_Waiting = tuple[Project, Subject, float]


def _in_turn(queues: Sequence[tuple[Project, float, Iterator[Subject]]]) -> Iterator[_Waiting]:
    """One subject of each project after the other, until none has any left."""
    left = list(queues)
    while left:
        for entry in list(left):
            one, timeout_s, waiting = entry
            found = next(waiting, None)
            if found is None:
                left.remove(entry)
            else:
                yield one, found, timeout_s


def measure(
    names: Sequence[str], evaluations: int, seed: int, shard: tuple[int, int] = (0, 1), jobs: int = 1
) -> Figures:
    """Compare subjects of these projects in turn until there are enough; shard k of m takes every m-th."""
    figures = Figures()
    first, count = shard
    wanted = evaluations // count + (first < evaluations % count)
    with tempfile.TemporaryDirectory(prefix="qs-verdicts-") as made, ThreadPoolExecutor(jobs) as pool:
        folder = Path(made)
        folder.chmod(0o755)
        queues = []
        for one, timeout_s in pool.map(lambda name: _prepared(name, folder / name), names):
            said = f"{one.name}: {len(one.expected)} tests, {one.moved} move, {one.protected} resist guessing"
            print(said, flush=True)
            figures.projects.append(one.name)
            figures.tests += len(one.expected)
            figures.moved += one.moved
            figures.protected += one.protected
            queues.append((one, timeout_s, subjects(one, random.Random(f"{seed} {one.name}"))))
        waiting = islice(_in_turn(queues), first, None, count)
        _play(waiting, wanted, figures, pool, jobs)
    return figures


def _play(waiting: Iterator[_Waiting], wanted: int, figures: Figures, pool: ThreadPoolExecutor, jobs: int) -> None:
    """Evaluate until `wanted` were compared, `jobs` at a time."""
    running: set[Future[Seen]] = set()
    began = said = time.monotonic()
    while True:
        for one, subject, timeout_s in islice(waiting, min(jobs, wanted - figures.compared) - len(running)):
            running.add(pool.submit(evaluate, one, subject, timeout_s))
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            figures.add(future.result())
        if time.monotonic() - said > _BETWEEN_LINES_S:
            said = time.monotonic()
            print(f"after {said - began:,.0f} s: {figures.words()}", flush=True)


def main() -> int:
    """Measure what was named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*", default=[*tasks.task_ids(), *package_names()], metavar="PROJECT")
    parser.add_argument("--evaluations", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shard", default="0/1", metavar="K/M")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    first, _, count = options.shard.partition("/")
    shard = (int(first), int(count))
    figures = measure(options.projects, options.evaluations, options.seed, shard, options.jobs)
    print(
        f"{figures.words()}; of {figures.tests} tests of {len(figures.projects)} projects "
        f"{figures.moved / max(1, figures.tests):.1%} move and "
        f"{figures.protected / max(1, figures.tests):.1%} resist guessing"
    )
    too_few = figures.compared < options.evaluations // shard[1]
    if too_few:
        print("fewer could be compared than were asked for")
    return int(too_few or any((figures.alarms, figures.differences, figures.broken)))


if __name__ == "__main__":
    sys.exit(main())
