"""What batches cost and withstand (a quiet machine with two cores is wanted).

    python tests/bench/bench_batch.py [--quick] [--part NAME]…

- throughput: small subjects, functional and static, with two workers on two cores against one worker on one core; each
  with a cache of its own that holds the task's environment and nothing of the subjects. Bound: 1.8 times as many
  subjects a second.
- overhead: the wall time of a subject (functional and static, one after the other) less that of its tests under plain
  pytest and of the tools (pylint, bandit, radon) on its files, each as a person starts it. Bound: 0.5 s. Beside it,
  what it takes less any process that we start, our own sandbox and judges among them.
- memory: the controller's peak resident memory over 10,000 rows. Bound: 300 MiB.
- reports: the same over 10,000 different subjects, each with a whole report of a full evaluation. Bound: 300 MiB.
- kills: batches of 100 subjects, killed outright at random moments until 20 kills are counted; a batch that ends before
  is compared and another begun. Once with the last line of every text file cut in the middle after each kill, and once
  without. Bound: the same results as undisturbed, nothing evaluated again after it was done.

`--quick` takes small numbers, to see that it runs; its figures mean nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "bench")]

from bench_harness import Running  # noqa: E402

from backend.test_batch import attempts, truncate_last_lines, without_times  # noqa: E402
from backend.tiny import HALF, SOURCE, command, environment, write_manifest, write_subject, write_task  # noqa: E402
from qualityscore import evaluate  # noqa: E402
from qualityscore.execution.batch import Settings, run_batch  # noqa: E402
from qualityscore.execution.jobs import Evaluated  # noqa: E402
from qualityscore.execution.worker_main import answer_to  # noqa: E402
from qualityscore.model.codec import dump  # noqa: E402
from qualityscore.runtime import process as door  # noqa: E402
from qualityscore.runtime.workspace import subject_digest  # noqa: E402

STATIC = "functional,maintainability,security"
SEED = 9
MEMORY_BYTES = 300 << 20


def say(text: str) -> None:
    print(text, flush=True)


def median(samples: list[float]) -> float:
    return sorted(samples)[len(samples) // 2]


class Bench:
    """A folder with the task, and batches in it."""

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self.folder = folder
        self.quick = quick
        self.task = write_task(folder / "task")

    def manifest(self, name: str, subjects: int) -> Path:
        """A manifest of subjects that all differ, every third one half right."""
        rows = []
        for number in range(subjects):
            source = HALF if number % 3 == 0 else SOURCE
            write_subject(self.folder / name / f"s{number}", f"{name} {number}", source=source)
            rows.append({"sample": number, "repository": f"{name}/s{number}"})
        return write_manifest(self.folder / f"{name}.jsonl", rows)

    def batch(
        self, manifest: Path, out: str, *options: str, cpus: set[int] | None = None, cache: Path | None = None
    ) -> subprocess.Popen[bytes]:
        arguments = command("batch", manifest, "-o", self.folder / out, "--task", self.task, "--quiet", *options)
        extra = {"QUALITYSCORE_CACHE": str(cache)} if cache is not None else {}

        def pin() -> None:
            if cpus is not None:
                os.sched_setaffinity(0, cpus)

        return subprocess.Popen(arguments, env=environment(extra), preexec_fn=pin)  # noqa: PLW1509

    def timed(
        self, manifest: Path, out: str, *options: str, cpus: set[int] | None = None, cache: Path | None = None
    ) -> float:
        began = time.monotonic()
        if self.batch(manifest, out, *options, cpus=cpus, cache=cache).wait() != 0:
            raise SystemExit(f"the batch {out} failed")
        return time.monotonic() - began


def throughput(bench: Bench) -> bool:
    """Subjects a second, two workers on two cores against one on one; the start of the workers is part of both."""
    number = 2 if bench.quick else 200
    cores = sorted(os.sched_getaffinity(0))[:2]
    manifest, first = bench.manifest("throughput", number), bench.manifest("first", 1)
    rates = []
    for jobs in (1, 2):
        options = ("--jobs", str(jobs), "--only", STATIC)
        cache, cpus = bench.folder / f"cache{jobs}", set(cores[:jobs])
        bench.timed(first, f"first{jobs}", *options, cpus=cpus, cache=cache)  # builds the environment
        rates.append(number / bench.timed(manifest, f"out{jobs}", *options, cpus=cpus, cache=cache))
        say(f"throughput: {rates[-1]:.2f} subjects a second with {jobs} jobs on {len(cpus)} cores")
    say(f"throughput: ratio {rates[1] / rates[0]:.2f} (bound 1.8)")
    return rates[1] / rates[0] >= 1.8


class InProcess:
    """An engine that evaluates in this process, where what it runs can be seen."""

    lanes = 1

    def evaluate(self, job: Any, progress: Any = None) -> Any:
        answer = answer_to({**asdict(job), "folder": str(job.folder)}, lambda *_: None)
        return Evaluated(report=answer["report"])

    def close(self) -> None:
        pass


def directly(subject: Path, task: Path, repeats: int) -> dict[str, float]:
    """Median seconds of the tests and of each tool on a subject, as a person starts them."""
    python = [sys.executable, "-m"]
    commands = {
        "pytest": [*python, "pytest", "-q", "-p", "no:cacheprovider", str(task / "suites")],
        "pylint": [*python, "pylint", "tiny.py"],
        "bandit": [*python, "bandit", "-q", "tiny.py"],
        "radon": [*python, "radon", "mi", "tiny.py"],
    }
    extra = {"PYTHONPATH": str(subject), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    found = {}
    for name, words in commands.items():
        samples = []
        for _ in range(repeats):
            began = time.monotonic()
            done = subprocess.run(words, cwd=subject, env={**os.environ, **extra}, capture_output=True, check=False)
            samples.append(time.monotonic() - began)
            # What they find is told by 1 and pylint's bits; 32 and more are errors of usage.
            if done.returncode >= 32 or (name in ("pytest", "radon") and done.returncode):
                raise SystemExit(f"{name} failed: {done.stderr.decode()[-500:]}")
        found[name] = median(samples)
    return found


def overhead(bench: Bench) -> bool:
    """Seconds per subject beyond its tests and tools, over a whole batch but its first subject."""
    number = 3 if bench.quick else 40
    manifest = bench.manifest("overhead", number)
    running = Running()
    pump = door._pump

    def timed(*words: Any, **options: Any) -> Any:
        with running.one():
            return (yield from pump(*words, **options))

    seen: list[tuple[float, float]] = []
    door._pump = timed
    try:
        settings = Settings(
            manifest=manifest,
            folder=bench.folder / "overhead-out",
            defaults={"task": str(bench.task), "only": STATIC.split(",")},
        )
        run_batch(settings, lambda _: InProcess(), lambda _: seen.append((time.monotonic(), running.total_s)))
    finally:
        door._pump = pump
    (began, ran), (ended, ran_in_all) = seen[1], seen[-1]
    subjects = len(seen) - 2
    wall_s = (ended - began) / subjects
    alone = directly(bench.folder / "overhead" / "s1", bench.task, 3 if bench.quick else 9)
    beyond_s = wall_s - sum(alone.values())
    say(f"overhead: {wall_s:.3f} s per subject; alone " + ", ".join(f"{n} {s:.3f} s" for n, s in alone.items()))
    say(f"overhead: {wall_s - alone['pytest']:.3f} s beyond plain pytest")
    say(f"overhead: {wall_s - (ran_in_all - ran) / subjects:.3f} s in which no process that we start runs")
    say(f"overhead: {beyond_s:.3f} s beyond plain pytest and the tools (bound 0.5 s)")
    return beyond_s < 0.5


def memory(bench: Bench) -> bool:
    """The controller's peak over a manifest whose rows all name the same subject, so that rows are all there is."""
    number = 500 if bench.quick else 10_000
    write_subject(bench.folder / "same", "same")
    rows = [{"label": f"model {n % 40}", "sample": n, "repository": "same"} for n in range(number)]
    manifest = write_manifest(bench.folder / "memory.jsonl", rows)
    process = bench.batch(manifest, "memory", "--only", "functional")
    return held(process, bench.folder / "memory", number, "memory")


def reports(bench: Bench) -> bool:
    """The controller's peak over different subjects with a real report each, which an engine gives without working."""
    number = 200 if bench.quick else 10_000
    say(f"reports: evaluating the subject whose report all {number} get")
    only = tuple(STATIC.split(",")) if bench.quick else None
    report = evaluate(ROOT / "examples" / "cachetools_fair", task="cachetools", only=only)
    (bench.folder / "report.json").write_text(dump(report))
    rows = []
    for n in range(number):
        folder = bench.folder / "different" / f"s{n}"
        folder.mkdir(parents=True)
        (folder / "a.py").write_text(f"# {n}\n")
        rows.append({"label": f"model {n % 40}", "sample": n, "repository": f"different/s{n}"})
    write_manifest(bench.folder / "different.jsonl", rows)
    program = [sys.executable, __file__, "--controller", str(bench.folder)]
    process = subprocess.Popen(program, env=environment(), stdout=subprocess.DEVNULL)
    say(f"reports: each of {(bench.folder / 'report.json').stat().st_size >> 10} KiB")
    return held(process, bench.folder / "different-out", number, "reports")


class Answering:
    """An engine that answers at once with a stored report, as if it were of the subject at hand."""

    lanes = 2

    def __init__(self, report: Path) -> None:
        self.text = report.read_text()
        self.digest = json.loads(self.text)["subject"]["digest"]

    def evaluate(self, job: Any, progress: Any = None) -> Any:
        return Evaluated(report=self.text.replace(self.digest, subject_digest(job.folder)))

    def close(self) -> None:
        pass


def controller(folder: Path) -> int:
    """The real controller over different subjects, with the engine that only answers."""
    settings = Settings(
        manifest=folder / "different.jsonl", folder=folder / "different-out", defaults={"task": "cachetools"}
    )
    engine = Answering(folder / "report.json")
    return run_batch(settings, lambda _: engine, lambda _: None).exit_code


def held(process: subprocess.Popen[bytes], out: Path, number: int, name: str) -> bool:
    """Wait for a controller and print its peak, and how far it is now and then."""
    peak, spoke, began = 0, 0.0, time.monotonic()
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            break
        peaks = [int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:")]
        peak = max(peak, *peaks, 0)
        time.sleep(0.05)
        if time.monotonic() - began > spoke + 30:
            spoke = time.monotonic() - began
            say(f"{name}: {lines_of(out)} of {number} rows after {spoke:.0f} s, {peak >> 20} MiB at most so far")
    lines = lines_of(out)
    say(f"{name}: {peak / 2**20:.0f} MiB at most for {lines} rows (bound 300 MiB)")
    return process.wait() == 0 and lines == number and peak < MEMORY_BYTES


def lines_of(out: Path) -> int:
    try:
        with (out / "results.jsonl").open("rb") as file:
            return sum(1 for _ in file)
    except FileNotFoundError:
        return 0


def kills(bench: Bench) -> bool:
    """Kill batches outright at random moments and go on; compare each with an undisturbed run at its end."""
    number, times = (6, 2) if bench.quick else (100, 20)
    manifest = bench.manifest("kills", number)
    whole_s = bench.timed(manifest, "undisturbed", "--only", "functional")
    say(f"kills: an undisturbed batch of {number} takes {whole_s:.0f} s")
    expected = without_times(bench.folder / "undisturbed")
    kept = True
    for cut in (True, False):
        lives = drawn_lives(2 * whole_s / times)
        done = batches = 0
        while done < times:
            out = bench.folder / f"disturbed-{cut}-{batches}"
            batches += 1
            done += disturb(bench, manifest, out, most=times - done, lives=lives, cut=cut)
            same = without_times(out) == expected
            finished = [key for key, state in attempts(out) if state == "done"]
            twice = len(finished) - len(set(finished))
            tried = len(attempts(out))
            shutil.rmtree(out)
            say(
                f"kills: {done} of {times} {'with' if cut else 'without'} truncation; batch {batches}: "
                f"{tried} attempts for {number} subjects, {twice} done twice, equal: {same}"
            )
            kept = kept and same and not twice
    return kept


def drawn_lives(longest_s: float) -> Iterator[float]:
    """Seconds until the next kill."""
    chance = random.Random(SEED)
    while True:
        yield chance.uniform(0.3, 0.3 + longest_s)


def disturb(bench: Bench, manifest: Path, out: Path, *, most: int, lives: Iterator[float], cut: bool) -> int:
    """Run one batch to its end, killing it up to `most` times; the number of kills."""
    for done in range(most):
        process = bench.batch(manifest, out.name, "--only", "functional")
        try:
            if process.wait(next(lives)) != 0:
                raise SystemExit(f"the batch {out.name} failed")
            return done  # it has ended by itself
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        if cut and (out / "reports").is_dir():
            truncate_last_lines(out)
    bench.timed(manifest, out.name, "--only", "functional")
    return most


BENCHES: dict[str, Callable[[Bench], bool]] = {
    "throughput": throughput,
    "overhead": overhead,
    "memory": memory,
    "reports": reports,
    "kills": kills,
}


def main() -> int:
    """Print the figures; exit 1 when one misses its bound (never with --quick)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=BENCHES, help="repeatable; default: all")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--controller", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.controller:
        return controller(arguments.controller)
    with tempfile.TemporaryDirectory(prefix="bench-batch-") as folder:
        Path(folder).chmod(0o755)
        bench = Bench(Path(folder), quick=arguments.quick)
        kept = {name: BENCHES[name](bench) for name in arguments.part or BENCHES}
    say(json.dumps(kept))
    return 0 if arguments.quick or all(kept.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
