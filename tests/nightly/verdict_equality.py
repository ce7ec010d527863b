"""Verdicts of the functional stage against plain pytest on honest code, and false alarms among them.

Run as

    PYTHONPATH=.:tests python tests/nightly/verdict_equality.py [--evaluations N] [--seed S] [--shard K/M] [--jobs J]
        [--resume FILE] [--stop-after SECONDS] [PROJECT ...]
    PYTHONPATH=.:tests python tests/nightly/verdict_equality.py --summary FILE ...

Projects are the bundled tasks and the packages of `packages.toml`, whose own tests are the suite; without names, all.
Their honest subjects (`honest_subjects.py` says which) are evaluated until N (default 2,000; a small setting is 40) are
compared, or none is left: all that are kept first, then seeded faults, of the project that has taken the least time so
far. Shard K of M, from 1, compares its share of N. For each the original suite runs under plain pytest and the derived
one in the sandbox; every test must come to the same verdict, and nothing may be called tampered. Where
plain pytest does not end (in 20 s and ten times what the reference took), nothing can be compared: these subjects are
counted apart.

With `--resume` each result is appended to the file, as a line of JSON, and what stands there is counted and not
evaluated again: a run that was interrupted, or that `--stop-after` ended, goes on with the same command. A result that
shall be made anew is a line to delete. `--summary` counts what stands in files, of shards for instance, and evaluates
nothing.

Prints where it is now and then, and the share of tests that move and that resist guessing. Exits with 1 on any
difference, false alarm or broken evaluation, and where fewer than N could be compared. A test that fails differently
from itself under plain pytest (run once more) is listed as unsteady and is no difference. Each test runs in a fork of
its own in the sandbox; where plain pytest gives that verdict when it runs the test alone, the test depends on the ones
before it, which is counted and is no difference either.
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
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path

from nightly.honest_subjects import Project, Subject, package_names, project, subjects
from qualityscore.errors import QualityScoreError
from qualityscore.model.codec import adapter
from qualityscore.model.outcome import TestOutcome
from qualityscore.model.snapshot import ExpectedTest
from qualityscore.runtime import tasks, workspace
from qualityscore.runtime.target import Target
from qualityscore.suites import functional
from raw_rows import RawRows, code_digest, read, resume

_EXPECTED = adapter(tuple[ExpectedTest, ...])
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
    """What an evaluation came to; `verdicts` are the tests compared, the last three count some of them."""

    compared: int = 0
    uncompared: int = 0
    broken: int = 0
    verdicts: int = 0
    alarms: int = 0
    differences: int = 0
    unsteady: int = 0
    dependent: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass
class Figures:
    """What stands in rows, each the result of an evaluation or the tests of a project."""

    counts: dict[str, int]
    projects: dict[str, dict[str, int]]
    codes: dict[str, int]

    def words(self) -> str:
        """All counts as one phrase."""
        return (
            "{compared} evaluations compared ({verdicts} verdicts), {uncompared} hangs (plain pytest did not end), "
            "{broken} broken: {alarms} false alarms, {differences} verdicts that differ from plain pytest's, "
            "{unsteady} unsteady, {dependent} that depend on the tests before"
        ).format(**self.counts)

    def shares(self) -> str:
        """The shares of tests that move and that resist guessing."""
        tests, moved, protected = (
            sum(project[name] for project in self.projects.values()) for name in ("tests", "moved", "protected")
        )
        return (
            f"of {tests} tests of {len(self.projects)} projects {moved / max(1, tests):.1%} move and "
            f"{protected / max(1, tests):.1%} resist guessing"
        )

    @property
    def is_equal(self) -> bool:
        """Whether nothing differed, nothing was called tampered and nothing broke."""
        return not any(self.counts[name] for name in ("alarms", "differences", "broken"))


def figures_of(rows: Iterable[dict[str, object]]) -> Figures:
    """Count what stands in rows; of one that stands there twice, the last."""
    results = {(row["project"], row["subject"]): row for row in rows if "subject" in row}
    names = [name for name, value in asdict(Seen()).items() if isinstance(value, int)]
    projects = {row["project"]: row for row in rows if "subject" not in row}
    codes = [row["code"] for row in results.values()]
    return Figures(
        counts={name: sum(row[name] for row in results.values()) for name in names},
        projects=projects,
        codes={code: codes.count(code) for code in sorted(set(codes))},
    )


def plain(target: Target, folder: Path, timeout_s: float, tests: Sequence[str] | None = None) -> dict[str, str] | None:
    """Outcomes of the original suite, or of these tests of it, under plain pytest, outside any sandbox.

    Only for code that we trust.

    A file that cannot be collected does not keep the others from running, as in the sandbox. None where it does not end
    in time: it has no limit per test, so there is nothing to compare with.
    """
    listing = folder / "listing.jsonl"
    listing.unlink(missing_ok=True)
    (folder / "listing.py").write_text(_LISTING)
    roots = [str((target.tree.root / root).resolve()) for root in target.tree.import_roots]
    asked = tests or [str(path) for path in target.task.suite_files("functional")]
    options = ["-q", "-p", "listing", "-p", "no:cacheprovider", "-c", "/dev/null", f"--rootdir={target.task.folder}"]
    options.append("--continue-on-collection-errors")
    process = subprocess.Popen(
        [str(target.environment.prefix / "bin" / "python"), "-sB", "-m", "pytest", *options, *asked],
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


def _prepared(name: str, folder: Path, rows: Sequence[dict[str, object]] = ()) -> tuple[Project, float]:
    """A project, and how long plain pytest is waited for, by the time that it takes on the reference.

    What the tests are, and that time, are known from the rows that this very code made.
    """
    for row in rows:
        if (row["project"], row["code"]) == (name, code_digest()) and "expected" in row:
            return project(name, folder, _EXPECTED.validate_python(row["expected"])), row["patience_s"]
    one = project(name, folder)
    began = time.monotonic()
    if plain(one.target, folder, _SETTING_UP_S) is None:
        raise SystemExit(f"plain pytest does not end on the reference of {one.name}")
    return one, _PATIENCE_S + _TIMES_AS_LONG * (time.monotonic() - began)


def _project_row(one: Project, patience_s: float) -> dict[str, object]:
    return {
        "project": one.name,
        "tests": len(one.expected),
        "moved": one.moved,
        "protected": one.protected,
        "patience_s": patience_s,
        "expected": _EXPECTED.dump_python(one.expected, mode="json", by_alias=True),
    }


def evaluate(one: Project, subject: Subject, timeout_s: float) -> Seen:
    """Evaluate one subject both ways, in a folder of its own, and note what differs."""
    with tempfile.TemporaryDirectory(prefix="qs-verdicts-") as made:
        folder = Path(made)
        folder.chmod(0o755)
        try:
            subject.build(folder / "source", one.target.tree.root)
            imports = tuple(one.target.task.spec.surface.imports)
            tree = workspace.copy(folder / "source", folder / "subject", imports).tree
            return _compare(one, replace(one.target, tree=tree, is_reference=False), folder, timeout_s)
        except QualityScoreError as error:
            return Seen(broken=1, notes=[f"BROKEN: {error}"])
        except Exception:
            return Seen(broken=1, notes=[f"BROKEN: {traceback.format_exc()}"])


def _compare(one: Project, target: Target, folder: Path, timeout_s: float) -> Seen:
    theirs = plain(target, folder, timeout_s)
    if theirs is None:
        return Seen(uncompared=1)
    ours = functional.run(target, one.expected)
    seen = Seen(compared=1, verdicts=len(ours.tests))
    if ours.tampered:
        seen.alarms += 1
        seen.notes.append(f"FALSE ALARM: {ours.evidence[0].message}")
    apart = [t for t in ours.tests if (t.outcome is TestOutcome.PASSED) != (theirs.get(t.id) == "passed")]
    if not apart:
        return seen
    again = plain(target, folder, timeout_s) or {}
    repeated = {t.id: t.outcome for t in functional.run(target, one.expected).tests}
    for test in apart:
        steady = again.get(test.id) == theirs.get(test.id) and repeated[test.id] == test.outcome
        reason = test.failure.message if test.failure else ""
        kind = ""
        if not steady:
            seen.unsteady += 1
            kind = "unsteady: "
        elif _passes_alone(target, folder, timeout_s, test.id) == (test.outcome is TestOutcome.PASSED):
            seen.dependent += 1
            kind = "depends on the tests before: "
        else:
            seen.differences += 1
        seen.notes.append(f"{kind}{test.id} is {test.outcome} here ({reason}), {theirs.get(test.id)} there")
    return seen


def _passes_alone(target: Target, folder: Path, timeout_s: float, test: str) -> bool:
    """Whether a test passes under plain pytest in a process of its own."""
    alone = plain(target, folder, timeout_s, [test])
    return alone is not None and alone.get(test) == "passed"


class _Queue:
    """The subjects of one project that wait, and how long those before them took."""

    def __init__(self, one: Project, patience_s: float, share: Iterator[Subject], done: Mapping[str, float]) -> None:
        """`done` has the seconds of the subjects that were evaluated before, by name."""
        self.one, self.patience_s, self.spent_s = one, patience_s, sum(done.values())
        self._waiting = (subject for subject in share if subject.name not in done)
        self.upcoming = next(self._waiting, None)

    def take(self) -> Subject:
        """The upcoming subject; the next one comes up."""
        assert self.upcoming is not None
        taken, self.upcoming = self.upcoming, next(self._waiting, None)
        return taken


def _next_queue(queues: Sequence[_Queue]) -> _Queue | None:
    """Whose turn it is: kept subjects go before seeded ones, then projects that took little time before others."""
    left = [(queue.upcoming.is_seeded, queue.spent_s, number) for number, queue in enumerate(queues) if queue.upcoming]
    return queues[min(left)[2]] if left else None


def measure(
    names: Sequence[str],
    *,
    evaluations: int,
    seed: int,
    shard: tuple[int, int] = (0, 1),
    jobs: int = 1,
    rows: RawRows | None = None,
    stop_after_s: float = float("inf"),
) -> Figures:
    """Compare subjects of these projects until the rows hold enough; shard (k, m), k from 0, takes every m-th of each.

    Rows that are there already count; what they name is not evaluated again. No evaluation begins `stop_after_s` or
    more after the first.
    """
    rows = rows or resume(None)
    first, count = shard
    wanted = evaluations // count + (first < evaluations % count)
    with tempfile.TemporaryDirectory(prefix="qs-verdicts-") as made, ThreadPoolExecutor(jobs) as pool:
        folder = Path(made)
        folder.chmod(0o755)
        queues = []
        prepared = pool.map(lambda name: _prepared(name, folder / name, rows.rows), names)
        for name, (one, patience_s) in zip(names, prepared, strict=True):
            print(
                f"{one.name}: {len(one.expected)} tests, {one.moved} move, {one.protected} resist guessing", flush=True
            )
            rows.append_once(_project_row(one, patience_s))
            done = {row["subject"]: row["seconds"] for row in rows.rows if row["project"] == name and "subject" in row}
            share = islice(subjects(one, random.Random(f"{seed} {name}")), first, None, count)
            queues.append(_Queue(one, patience_s, share, done))
        _play(queues, wanted=wanted, rows=rows, pool=pool, jobs=jobs, stop_at=time.monotonic() + stop_after_s)
    return figures_of(rows.rows)


def _play(
    queues: Sequence[_Queue], *, wanted: int, rows: RawRows, pool: ThreadPoolExecutor, jobs: int, stop_at: float
) -> None:
    """Evaluate, `jobs` at a time, until `wanted` were compared or it is time to stop."""
    running: dict[Future[Seen], tuple[_Queue, Subject, float]] = {}
    compared = figures_of(rows.rows).counts["compared"]
    began = said = time.monotonic()
    while True:
        while len(running) < min(jobs, wanted - compared) and time.monotonic() < stop_at:
            queue = _next_queue(queues)
            if queue is None:
                break
            subject = queue.take()
            started = pool.submit(evaluate, queue.one, subject, queue.patience_s)
            running[started] = (queue, subject, time.monotonic())
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            queue, subject, since = running.pop(future)
            seen, seconds = future.result(), time.monotonic() - since
            queue.spent_s += seconds
            row = {"project": queue.one.name, "subject": subject.name, "seconds": round(seconds, 2)}
            rows.append({**row, **asdict(seen)})
            compared += seen.compared
            for note in seen.notes:
                print(f"  {queue.one.name}, {subject.name}: {note}", flush=True)
        if time.monotonic() - said > _BETWEEN_LINES_S:
            said = time.monotonic()
            print(f"after {said - began:,.0f} s: {figures_of(rows.rows).words()}", flush=True)


def main() -> int:
    """Measure what was named, or count what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*", default=[*tasks.task_ids(), *package_names()], metavar="PROJECT")
    parser.add_argument("--evaluations", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shard", default="1/1", metavar="K/M")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--resume", type=Path, metavar="FILE")
    parser.add_argument("--stop-after", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--summary", type=Path, nargs="+", metavar="FILE")
    options = parser.parse_args()
    if options.summary:
        return _summary(options.summary)
    first, _, count = options.shard.partition("/")
    shard = (int(first) - 1, int(count))
    if not 0 <= shard[0] < shard[1]:
        parser.error("--shard: K counts from 1 to M")
    rows = resume(options.resume)
    figures = measure(
        options.projects,
        evaluations=options.evaluations,
        seed=options.seed,
        shard=shard,
        jobs=options.jobs,
        rows=rows,
        stop_after_s=options.stop_after,
    )
    print(f"{figures.words()}; {figures.shares()}")
    too_few = figures.counts["compared"] < options.evaluations // shard[1]
    if too_few:
        print("fewer were compared than were asked for")
    return int(too_few or not figures.is_equal)


def _summary(files: Sequence[Path]) -> int:
    """Print what stands in the files, by project, too."""
    rows = [row for file in files for row in read(file)]
    for row in rows:
        for note in row.get("notes", ()):
            print(f"  {row['project']}, {row['subject']}: {note}")
    for name in sorted({row["project"] for row in rows}):
        print(f"{name}: {figures_of([row for row in rows if row['project'] == name]).words()}")
    figures = figures_of(rows)
    print(f"{figures.words()}; {figures.shares()}; evaluations by digest of the code: {figures.codes}")
    return int(not figures.is_equal)


if __name__ == "__main__":
    sys.exit(main())
