"""How fast the service answers, and whether it stays flat under twice what it can do (a quiet machine is wanted).

    python tests/bench/bench_service.py [--quick] [--part latency|soak]… [--minutes 30]

- latency: functional + static of a small subject through POST /v1/score on warm workers. Bound: 1.3 times the time of
  its tests under plain pytest (the interpreter's start included) plus 1 s.
- soak: for a minute as many callers as there is room for measure the rate at which the service answers; then requests
  come at twice that rate, at moments that no answer delays, for `--minutes`. Bounds: every accepted evaluation is
  answered, every refusal (429) says when to come again, nothing else is answered and no caller fails, the requests came
  at 1.9 times the rate or more, and the memory of the service's processes at the end is at most 10 % above that after
  the first tenth.

`--quick` measures for ten seconds and offers for half a minute; its figures mean nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import httpx2  # noqa: E402
import psutil  # noqa: E402

from backend.serving import Serving  # noqa: E402
from backend.tiny import SOURCE, write_task  # noqa: E402

STATIC = ["functional", "maintainability", "security"]
PARTS = ("latency", "soak")
UNFINISHED = ("queued", "running")
END = "end"
SENDERS = 16
LONGEST_S = 600.0
PROGRESS_S = 60.0
SEED = 9


def say(text: str) -> None:
    print(text, flush=True)


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
    say(f"latency: {answer_s:.2f} s, pytest alone {direct_s:.2f} s, bound {bound_s:.2f} s")
    return answer_s <= bound_s


def body(remark: object) -> dict[str, object]:
    return {"task": "tiny", "files": subject(remark), "only": ["functional"]}


def capacity_per_s(serving: Serving, seconds: float, callers: int) -> float:
    """Evaluations that end in a second while each caller asks for the next one when its last has ended."""
    until = time.monotonic() + seconds

    def ask(name: int) -> int:
        ended = 0
        with serving.http() as http:
            while time.monotonic() < until:
                answer = http.post("/v1/evaluations", json=body(f"capacity {name} {ended}"))
                if answer.status_code == 429:  # the place of what has just ended or begun is not free yet
                    time.sleep(0.1)
                    continue
                assert answer.status_code == 202, answer.text
                while http.get(answer.headers["Location"]).json()["status"] in UNFINISHED:
                    time.sleep(0.1)
                ended += time.monotonic() < until
        return ended

    with ThreadPoolExecutor(callers) as pool:
        return sum(pool.map(ask, range(callers))) / seconds


class Load:
    """Requests at moments that do not depend on answers, and what became of each."""

    def __init__(self, serving: Serving, rate_per_s: float, seconds: float) -> None:
        self.serving = serving
        self.seconds = seconds
        self.lock = threading.Lock()
        self.offered = self.refused = self.told = self.answered = 0
        self.waits: set[int] = set()
        self.open: dict[str, float] = {}
        self.accepted = 0
        self.wrong: list[str] = []
        self.lasted_s = 0.0
        chance, at, self.moments = random.Random(SEED), 0.0, []
        while (at := at + chance.expovariate(rate_per_s)) < seconds:
            self.moments.append(at)

    def run(self) -> None:
        """Offer everything, then wait until all that was accepted has ended."""
        began = time.monotonic()
        with ThreadPoolExecutor(SENDERS) as senders, self.serving.http() as http:
            following = threading.Thread(target=self._guarded, args=(self._follow,))
            following.start()
            for number, moment in enumerate(self.moments):
                time.sleep(max(0.0, began + moment - time.monotonic()))
                senders.submit(self._guarded, self._send, http, number)
            senders.shutdown()
            self.lasted_s = time.monotonic() - began
            with self.lock:
                self.open[END] = time.monotonic()
            following.join()

    def _guarded(self, work: Callable[..., None], *arguments: Any) -> None:
        """A caller that fails is counted, whatever it fails with."""
        try:
            work(*arguments)
        except Exception as error:
            with self.lock:
                self.wrong.append(f"{type(error).__name__}: {error}")

    def _send(self, http: httpx2.Client, number: int) -> None:
        answer = http.post("/v1/evaluations", json=body(f"load {number}"))
        with self.lock:
            self.offered += 1
            if answer.status_code == 202:
                self.accepted += 1
                self.open[answer.headers["Location"]] = time.monotonic()
            elif answer.status_code == 429:
                self.refused += 1
                wait = answer.headers.get("Retry-After", "")
                if wait.isdigit() and int(wait) > 0:
                    self.told += 1
                    self.waits.add(int(wait))
            else:
                self.wrong.append(f"status {answer.status_code}: {answer.text[:200]}")

    def _follow(self) -> None:
        """Ask after every accepted evaluation until it has ended."""
        with self.serving.http() as http:
            while True:
                with self.lock:
                    known = dict(self.open)
                for place, since in known.items():
                    if place == END:
                        continue
                    status = http.get(place).json()["status"]
                    if status in UNFINISHED and time.monotonic() - since < LONGEST_S:
                        continue
                    with self.lock:
                        del self.open[place]
                        if status == "succeeded":
                            self.answered += 1
                        else:
                            self.wrong.append(f"{place} is {status} after {time.monotonic() - since:.0f} s")
                if set(known) == {END}:
                    return
                time.sleep(0.5)


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


def soak(serving: Serving, *, measured_s: float, minutes: float, room: int) -> bool:
    """Measure the rate with every place taken, then offer twice as much."""
    rate = capacity_per_s(serving, measured_s, room)
    if not rate:
        say(f"soak: no evaluation ended within {measured_s:g} s")
        return False
    say(f"soak: the service ends {rate:.2f} evaluations a second; twice that for {minutes:g} min")
    load = Load(serving, 2 * rate, minutes * 60)
    offering = threading.Thread(target=load.run)
    offering.start()
    samples, spoke = [], time.monotonic()
    while offering.is_alive():
        samples.append(resident(serving))
        offering.join(max(0.5, minutes * 0.6))
        if time.monotonic() - spoke >= PROGRESS_S:
            spoke = time.monotonic()
            say(f"soak: {load.accepted} accepted, {load.refused} refused, {samples[-1] >> 20} MiB")
    offered = load.offered / load.lasted_s
    say(
        f"soak: {rate:.2f} a second measured, {offered:.2f} offered ({offered / rate:.2f} times): "
        f"{load.accepted} accepted, {load.answered} answered, {load.refused} refused, {load.told} told when "
        f"(in {sorted(load.waits)} s)"
    )
    for problem in load.wrong[:5]:
        say(f"soak: {problem}")
    tenth = max(1, len(samples) // 10)
    early, late = median(samples[tenth : 2 * tenth + 1] or samples[:1]), median(samples[-tenth:])
    say(f"soak: {len(load.wrong)} wrong; {early / 2**20:.0f} MiB early, {late / 2**20:.0f} MiB late")
    complete = load.offered == len(load.moments) and offered >= 1.9 * rate
    answered = load.accepted == load.answered and load.refused == load.told > 0
    return complete and answered and not load.wrong and late <= 1.1 * early


def main() -> int:
    """Print the figures; exit 1 when one misses its bound (never with --quick)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--part", action="append", choices=PARTS, help="repeatable; default: both")
    parser.add_argument("--minutes", type=float, default=30.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-service-") as folder:
        Path(folder).chmod(0o755)
        task = write_task(Path(folder) / "task")
        cores = len(os.sched_getaffinity(0))
        serving = Serving("--data", Path(folder) / "data", "--task", task, "--queue", str(cores), "--rate", "1000")
        kept = {}
        try:
            for part in arguments.part or PARTS:
                if part == "latency":
                    kept[part] = latency(serving, task, quick=arguments.quick)
                else:
                    kept[part] = soak(
                        serving,
                        measured_s=10.0 if arguments.quick else 60.0,
                        minutes=0.5 if arguments.quick else arguments.minutes,
                        room=2 * cores,  # as many work as wait
                    )
        finally:
            serving.stop()
    say(json.dumps(kept))
    return 0 if arguments.quick or all(kept.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
