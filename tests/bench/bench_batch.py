"""What batches cost and withstand (a quiet machine with two cores is wanted).

    python tests/bench/bench_batch.py [--quick] [throughput overhead memory kills …]

- throughput: small subjects, functional and static, with two workers on two cores against one worker on one core.
  Bound: 1.8 times as many subjects a second.
- overhead: wall time per subject in which no process of a suite or a tool runs. Bound: 0.5 s.
- memory: the controller's peak resident memory over a manifest of 10,000 rows. Bound: 300 MiB.
- kills: a batch of 100 subjects, killed outright 20 times at random moments; each time the last line of every text file
  is cut in the middle. Bound: the same results as undisturbed, nothing evaluated again after it was done.

`--quick` takes small numbers, to see that it runs; its figures mean nothing.
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "bench")]

from bench_harness import Running  # noqa: E402

from backend.test_batch import attempts, truncate_last_lines, without_times  # noqa: E402
from backend.tiny import HALF, SOURCE, command, environment, write_manifest, write_subject, write_task  # noqa: E402

STATIC = "functional,maintainability,security"
SEED = 9


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

    def batch(self, manifest: Path, out: str, *options: str, cpus: set[int] | None = None) -> subprocess.Popen[bytes]:
        arguments = command("batch", manifest, "-o", self.folder / out, "--task", self.task, "--quiet", *options)

        def pin() -> None:
            if cpus is not None:
                os.sched_setaffinity(0, cpus)

        return subprocess.Popen(arguments, env=environment(), preexec_fn=pin)  # noqa: PLW1509

    def timed(self, manifest: Path, out: str, *options: str, cpus: set[int] | None = None) -> float:
        began = time.monotonic()
        if self.batch(manifest, out, *options, cpus=cpus).wait() != 0:
            raise SystemExit(f"the batch {out} failed")
        return time.monotonic() - began


def throughput(bench: Bench) -> bool:
    """Subjects a second, two workers on two cores against one on one; the start of the workers is part of both."""
    number = 6 if bench.quick else 200
    cores = sorted(os.sched_getaffinity(0))[:2]
    manifest = bench.manifest("throughput", number)
    one_s = bench.timed(manifest, "one", "--jobs", "1", "--only", STATIC, cpus={cores[0]})
    two_s = bench.timed(manifest, "two", "--jobs", "2", "--only", STATIC, cpus=set(cores))
    print(
        f"throughput: {number / one_s:.2f} a second on one core, {number / two_s:.2f} on two, ratio {one_s / two_s:.2f}"
    )
    return one_s / two_s >= 1.8


class InProcess:
    """An engine that evaluates in this process, where what it runs can be seen."""

    lanes = 1

    def evaluate(self, job: Any, progress: Any = None) -> Any:
        from dataclasses import asdict

        from qualityscore.execution.jobs import Evaluated
        from qualityscore.execution.worker_main import answer_to

        answer = answer_to({**asdict(job), "folder": str(job.folder)}, lambda *_: None)
        return Evaluated(report=answer["report"])

    def close(self) -> None:
        pass


def overhead(bench: Bench) -> bool:
    """Seconds per subject without any process of a suite or a tool, over a whole batch but its first subject."""
    from qualityscore.execution.batch import Settings, run_batch
    from qualityscore.runtime import process

    number = 3 if bench.quick else 40
    manifest = bench.manifest("overhead", number)
    running = Running()
    pump = process._pump

    def timed(*words: Any, **options: Any) -> Any:
        with running.one():
            return (yield from pump(*words, **options))

    seen: list[tuple[float, float]] = []
    process._pump = timed
    try:
        settings = Settings(
            manifest=manifest,
            folder=bench.folder / "overhead-out",
            defaults={"task": str(bench.task), "only": STATIC.split(",")},
        )
        run_batch(settings, lambda _: InProcess(), lambda _: seen.append((time.monotonic(), running.total_s)))
    finally:
        process._pump = pump
    (began, ran), (ended, ran_in_all) = seen[1], seen[-1]
    subjects = len(seen) - 2
    own_s = ((ended - began) - (ran_in_all - ran)) / subjects
    print(f"overhead: {own_s:.3f} s per subject of {(ended - began) / subjects:.2f} s (bound 0.5 s)")
    return own_s < 0.5


def memory(bench: Bench) -> bool:
    """The controller's peak over a manifest whose rows all name the same subject, so that rows are all there is."""
    number = 500 if bench.quick else 10_000
    write_subject(bench.folder / "same", "same")
    rows = [{"label": f"model {n % 40}", "sample": n, "repository": "same"} for n in range(number)]
    manifest = write_manifest(bench.folder / "memory.jsonl", rows)
    process = bench.batch(manifest, "memory", "--only", "functional")
    peak = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            break
        peaks = [int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:")]
        peak = max(peak, *peaks, 0)
        time.sleep(0.05)
    lines = (bench.folder / "memory" / "results.jsonl").read_text().count("\n")
    print(f"memory: {peak / 2**20:.0f} MiB at most for {lines} rows (bound 300 MiB)")
    return process.wait() == 0 and lines == number and peak < 300 << 20


def kills(bench: Bench) -> bool:
    """Kill it outright at random moments, cut the last lines, go on; compare with an undisturbed run."""
    number, times, longest_s = (6, 2, 4.0) if bench.quick else (100, 20, 12.0)
    manifest = bench.manifest("kills", number)
    began = time.monotonic()
    bench.timed(manifest, "undisturbed", "--only", "functional")
    whole_s = time.monotonic() - began
    chance = random.Random(SEED)
    out = bench.folder / "disturbed"
    done = 0
    while done < times:
        process = bench.batch(manifest, "disturbed", "--only", "functional")
        try:
            process.wait(chance.uniform(0.3, min(longest_s, whole_s)))
            break  # it has ended by itself
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
        if (out / "reports").is_dir():
            truncate_last_lines(out)
    bench.timed(manifest, "disturbed", "--only", "functional")
    same = without_times(out) == without_times(bench.folder / "undisturbed")
    finished = [key for key, state in attempts(out) if state == "done"]
    twice = len(finished) - len(set(finished))
    print(
        f"kills: {done} kills, {len(attempts(out))} attempts for {number} subjects, {twice} done twice, equal: {same}"
    )
    return same and not twice and done == times


BENCHES: dict[str, Callable[[Bench], bool]] = {
    "throughput": throughput,
    "overhead": overhead,
    "memory": memory,
    "kills": kills,
}


def main() -> int:
    """Print the figures; exit 1 when one misses its bound (never with --quick)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", metavar="WHICH", help="default: all")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-batch-") as folder:
        Path(folder).chmod(0o755)
        bench = Bench(Path(folder), quick=arguments.quick)
        kept = {name: BENCHES[name](bench) for name in arguments.which or BENCHES}
    print(json.dumps(kept))
    return 0 if arguments.quick or all(kept.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
