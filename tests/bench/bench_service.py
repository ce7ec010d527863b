"""How fast the service answers, and whether it stays flat under twice what it can do (a quiet machine is wanted).

    python tests/bench/bench_service.py [--quick] [--minutes 30]

- latency: functional + static of a small subject through POST /v1/score on warm workers. Bound: 1.3 times the time of
  its tests under plain pytest (the interpreter's start included) plus 1 s.
- soak: callers that together ask for twice the service's measured rate. Bounds: every accepted evaluation is answered,
  every refusal says when to come again, and the memory of the service's processes at the end is at most 10 % above
  that after the first tenth.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import psutil  # noqa: E402

from backend.serving import Serving  # noqa: E402
from backend.tiny import SOURCE, write_task  # noqa: E402

STATIC = ["functional", "maintainability", "security"]


def subject(remark: object) -> dict[str, str]:
    return {"tiny.py": f"{SOURCE}\n# {remark}\n"}


def median(samples: list[float]) -> float:
    return sorted(samples)[len(samples) // 2]


def pytest_s(task: Path, repeats: int) -> float:
    """The suite under plain pytest, as a person runs it."""
    samples = []
    for _ in range(repeats):
        began = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "suites"],
            cwd=task,
            env={**os.environ, "PYTHONPATH": str(task / "reference"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            check=True,
            capture_output=True,
        )
        samples.append(time.monotonic() - began)
    return median(samples)


def latency(serving: Serving, task: Path, *, quick: bool) -> bool:
    """Median over new subjects, one at a time."""
    repeats = 3 if quick else 15
    samples = []
    with serving.client() as client:
        for number in range(repeats + 2):
            began = time.monotonic()
            (score,) = client.score("tiny", [subject(f"latency {number}")], only=STATIC)
            assert score["components"]["maintainability"] is not None, score
            samples.append(time.monotonic() - began)
    answer_s, direct_s = median(samples[2:]), pytest_s(task, repeats)
    bound_s = 1.3 * direct_s + 1
    print(f"latency: {answer_s:.2f} s, pytest alone {direct_s:.2f} s, bound {bound_s:.2f} s")
    return answer_s <= bound_s


class Caller(threading.Thread):
    """Asks again and again, and heeds what it is told."""

    def __init__(self, serving: Serving, name: str, until: float) -> None:
        super().__init__(name=name)
        self.serving = serving
        self.until = until
        self.accepted = self.answered = self.refused = self.told = 0

    def run(self) -> None:
        with self.serving.http() as http:
            while time.monotonic() < self.until:
                body = {"task": "tiny", "files": subject(f"{self.name} {self.accepted}"), "only": ["functional"]}
                answer = http.post("/v1/evaluations", json=body)
                if answer.status_code == 429:
                    self.refused += 1
                    self.told += "Retry-After" in answer.headers
                    time.sleep(min(5.0, float(answer.headers["Retry-After"])))
                    continue
                assert answer.status_code == 202, answer.text
                self.accepted += 1
                place = answer.headers["Location"]
                while (state := http.get(place).json())["status"] in ("queued", "running"):
                    time.sleep(0.3)
                self.answered += state["status"] == "succeeded"


def resident(serving: Serving) -> int:
    """Bytes of the service and of its workers, without what they start for one evaluation."""
    parent = psutil.Process(serving.process.pid)
    total = parent.memory_info().rss
    for child in parent.children():
        try:
            total += child.memory_info().rss
        except psutil.Error:
            continue
    return total


def soak(serving: Serving, minutes: float, callers: int) -> bool:
    """As many callers as keep twice the workers and the queue busy."""
    until = time.monotonic() + minutes * 60
    crowd = [Caller(serving, f"caller{n}", until) for n in range(callers)]
    for caller in crowd:
        caller.start()
    samples = []
    while time.monotonic() < until:
        time.sleep(max(0.5, minutes * 0.6))
        samples.append(resident(serving))
    for caller in crowd:
        caller.join()
    accepted, answered = sum(c.accepted for c in crowd), sum(c.answered for c in crowd)
    refused, told = sum(c.refused for c in crowd), sum(c.told for c in crowd)
    tenth = max(1, len(samples) // 10)
    early, late = median(samples[tenth : 2 * tenth + 1] or samples[:1]), median(samples[-tenth:])
    print(f"soak: {minutes:g} min, {accepted} accepted, {answered} answered, {refused} refused, {told} told when")
    print(f"soak: {early / 2**20:.0f} MiB early, {late / 2**20:.0f} MiB late")
    return accepted == answered and refused == told and late <= 1.1 * early


def main() -> int:
    """Print the figures; exit 1 when one misses its bound (never with --quick)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--minutes", type=float, default=30.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-service-") as folder:
        Path(folder).chmod(0o755)
        task = write_task(Path(folder) / "task")
        cores = len(os.sched_getaffinity(0))
        serving = Serving("--data", Path(folder) / "data", "--task", task, "--queue", str(cores), "--rate", "1000")
        try:
            fast = latency(serving, task, quick=arguments.quick)
            # Workers and queue hold 2 x cores; as many again find no room.
            flat = soak(serving, 0.5 if arguments.quick else arguments.minutes, callers=4 * cores)
        finally:
            serving.stop()
    return 0 if arguments.quick or (fast and flat) else 1


if __name__ == "__main__":
    sys.exit(main())
