"""The static pass against its tools run as commands one after the other, on packages of 2, 12 and 47 thousand lines.

    python tests/bench/bench_static.py [FOLDER] [--package NAME ...]

Prints, per package, wall time and processor time of: `radon cc`, `radon mi`, `radon hal`, `bandit -r` and `pylint` as
commands with the same settings; a cold pass; an unchanged second one; one after a leaf file changed, and after the most
imported file changed; `fields` and `layers` beside pylint restricted to `no-member`; and the peak memory of a cold
pass, summed over its processes. Limits are those of `docs/adr/0006-static-pass.md`. Exits 1 where one is passed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parent))
from foreign_code import fetch

import qualityscore
from qualityscore.languages.python_imports import Modules, imports_of
from qualityscore.languages.python_production import production_files, scan_tree
from qualityscore.languages.python_source import SourceFile, read_source
from qualityscore.languages.python_source import parse as parse_source

CONFIGURATION = Path(qualityscore.__file__).parent / "profiles" / "pylintrc"
PACKAGES = ("tinydb==4.9.0", "click==8.5.1", "celery==5.7.0")
COLD_SHARE, WARM_SHARE, WARM_S, LEAF_SHARE = 0.6, 0.02, 0.25, 0.25
NO_MEMBER_FACTOR = 1.5
MEMORY_BYTES = 1 << 30
_SAMPLE_S = 0.02


@dataclass(frozen=True)
class Cost:
    """Seconds of wall clock, and of processors over the whole process tree; peak resident bytes of the tree."""

    wall_s: float
    cpu_s: float
    peak_bytes: int = 0

    def __str__(self) -> str:
        return f"{self.wall_s:7.2f} s wall {self.cpu_s:7.2f} s cpu"


def command(argv: list[str], cwd: Path) -> Cost:
    """Run a command to its end; its output is discarded."""
    before, started = _children_s(), time.perf_counter()
    subprocess.run(argv, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return Cost(time.perf_counter() - started, _children_s() - before)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def one_pass(root: Path, cache: Path, *what: str) -> tuple[Cost, float]:
    """A pass in a fresh process: its cost, and the seconds inside the call (without starting an interpreter)."""
    before, started = _children_s(), time.perf_counter()
    argv = [sys.executable, str(Path(__file__).with_name("static_pass.py")), str(root), str(cache), *what]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as child:
        peak = _Peak(child.pid)
        output, _ = child.communicate()
        peak_bytes = peak.stop()
    cost = Cost(time.perf_counter() - started, _children_s() - before, peak_bytes)
    return cost, float(json.loads(output)["call_s"])


class _Peak:
    """Samples the proportional set size of a process tree."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._done = threading.Event()
        self._peak = 0
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()

    def _sample(self) -> None:
        while not self._done.wait(_SAMPLE_S):
            total = 0
            try:
                for process in (self._root, *self._root.children(recursive=True)):
                    total += process.memory_info().rss
            except psutil.Error:
                continue
            self._peak = max(self._peak, total)

    def stop(self) -> int:
        self._done.set()
        self._thread.join()
        return self._peak


def production_copy(root: Path, target: Path) -> Path:
    """The production files alone, so that commands and pass see the same."""
    for path in production_files(scan_tree(root)).files:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / path, target / path)
    return target


def leaf_and_hub(root: Path) -> tuple[str, str]:
    """The middle one in size of the files that nobody imports, and the one that most others import."""
    files = production_files(scan_tree(root)).files
    modules = Modules.of(files, (".",))
    imported: Counter[str] = Counter()
    sizes = {}
    for path in files:
        source = read_source(root, path)
        assert isinstance(source, SourceFile)
        sizes[path] = len(source.raw)
        tree = parse_source(source)
        targets = {t for i in imports_of(tree) for t in modules.targets(path, i) if t != path}  # type: ignore[arg-type]
        imported.update(targets)
    leaves = [path for path in files if not imported[path] and not path.endswith("__init__.py")]
    return sorted(leaves, key=lambda path: sizes[path])[len(leaves) // 2], imported.most_common(1)[0][0]


def judge(name: str, value: float, limit: float, unit: str = "") -> bool:
    good = value <= limit
    print(f"  {name:58} {value:8.3f}{unit} (limit {limit:g}{unit}) {'ok' if good else 'PASSED'}")
    return good


def measure_package(package: str, source: Path) -> bool:
    with tempfile.TemporaryDirectory(prefix="qualityscore-bench-") as name:
        folder = Path(name)
        root = production_copy(source, folder / "tree")
        cache = folder / "cache.sqlite"
        lines = sum(len((root / p).read_bytes().splitlines()) for p in scan_tree(root).files)
        print(f"{package}: {len(scan_tree(root).files)} files, {lines} lines, load average {os.getloadavg()[0]:.1f}")

        tools = {
            "radon cc": ["-m", "radon", "cc", "-s", str(root)],
            "radon mi": ["-m", "radon", "mi", "-s", str(root)],
            "radon hal": ["-m", "radon", "hal", str(root)],
            "bandit": ["-m", "bandit", "-q", "-r", str(root), "--ignore-nosec", "-s", "B101", "-f", "json"],
            "pylint": ["-m", "pylint", "--rcfile", str(CONFIGURATION), "--recursive=y", "-f", "json", str(root)],
        }
        costs = {tool: command([sys.executable, *argv], folder) for tool, argv in tools.items()}
        for tool, cost in costs.items():
            print(f"  {tool:20} {cost}")
        wall_s, cpu_s = sum(c.wall_s for c in costs.values()), sum(c.cpu_s for c in costs.values())

        cold, cold_call_s = one_pass(root, cache)
        warm, warm_call_s = one_pass(root, cache)
        leaf, hub = leaf_and_hub(root)
        (root / leaf).write_bytes((root / leaf).read_bytes() + b"\n_CHANGED = 1\n")
        after_leaf, leaf_call_s = one_pass(root, cache)
        (root / hub).write_bytes((root / hub).read_bytes() + b"\n_CHANGED = 1\n")
        after_hub, hub_call_s = one_pass(root, cache)
        analysed, _ = one_pass(root, cache, "fields", "layers")
        no_member = command(
            [
                *[sys.executable, "-m", "pylint", "--rcfile=/dev/null", "--disable=all", "--enable=no-member"],
                *["--recursive=y", "-f", "json", str(root)],
            ],
            folder,
        )
        for title, cost in (
            ("cold", cold),
            ("unchanged", warm),
            (f"leaf {leaf}", after_leaf),
            (f"hub {hub}", after_hub),
            ("fields + layers", analysed),
            ("pylint no-member", no_member),
        ):
            print(f"  {title:40} {cost}")
        print(f"  fields + layers per thousand lines: {1000 * analysed.wall_s / lines:.3f} s wall")
        print(f"  seconds in the call: cold {cold_call_s:.2f}, leaf {leaf_call_s:.2f}, hub {hub_call_s:.2f}")
        print(f"  hub / cold, in the call: {hub_call_s / cold_call_s:.3f}")
        return all(
            [
                judge("cold / commands, wall", cold.wall_s / wall_s, COLD_SHARE),
                judge("cold / commands, cpu (printed only)", cold.cpu_s / cpu_s, float("inf")),
                judge("unchanged, seconds in the call", warm_call_s, max(WARM_S, WARM_SHARE * cold.wall_s), " s"),
                judge("leaf / cold, in the call", leaf_call_s / cold_call_s, LEAF_SHARE),
                judge("(fields + layers) / no-member, wall", analysed.wall_s / no_member.wall_s, 1 / NO_MEMBER_FACTOR),
                judge("peak resident memory, MiB", cold.peak_bytes / 2**20, MEMORY_BYTES / 2**20),
            ]
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="where packages are kept between runs")
    parser.add_argument("--package", action="append", help="NAME==VERSION (default: the three)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        places = fetch(args.folder or Path(scratch), tuple(args.package or PACKAGES))
        verdicts = [measure_package(package, place) for package, place in places.items()]
        return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
