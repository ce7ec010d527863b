"""Time of `fields` + `layers` beside pylint restricted to no-member, on three packages of growing size.

    python tests/bench/bench_analysers.py [FOLDER]

Every command runs cold (no cache), one after the other, on at most two processes each; the medians of three are
printed, in seconds and per thousand lines, and the second run of ours with its cache. At least 1.5 is wanted. Times on
the clock want a quiet machine, processor times less so.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from foreign_code import KEPT, fetch

PACKAGES = {"click==8.5.1": "click", "rich==15.0.0": "rich", "celery==5.7.0": "celery", "pymongo==4.20.1": "pymongo"}
PYLINT = ["--disable=all", "--enable=no-member", "--rcfile=/dev/null", "--score=n", "-j", "2"]


def seconds(command: list[str], cwd: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Time on the clock and processor time of a command with all its children."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - start, cpu


def medians(command: list[str], cwd: Path, environment: dict[str, str], runs: int) -> tuple[float, float]:
    wall, cpu = zip(*(seconds(command, cwd, environment) for _ in range(runs)), strict=True)
    return statistics.median(wall), statistics.median(cpu)


def analyse(path: Path) -> list[str]:
    program = (
        "import sys; from pathlib import Path; from qualityscore.analysers.documents import document;"
        "from qualityscore.analysers.repository import read_repository;"
        "cache = Path(sys.argv[2]) if len(sys.argv) > 2 else None;"
        "document(read_repository(Path(sys.argv[1]), cache=cache), ('fields', 'layers'))"
    )
    return [sys.executable, "-c", program, str(path)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=KEPT, help="where packages are kept between runs")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    source = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    for name, root in fetch(options.folder, tuple(PACKAGES)).items():
        tree = root / PACKAGES[name]
        lines = sum(len(p.read_bytes().splitlines()) for p in tree.rglob("*.py"))
        ours = medians(analyse(tree), source, environment, options.runs)
        with tempfile.TemporaryDirectory() as folder:
            cached = [*analyse(tree), str(Path(folder) / "cache.sqlite")]
            seconds(cached, source, environment)
            warm = medians(cached, source, environment, options.runs)
        command = [sys.executable, "-m", "pylint", *PYLINT, PACKAGES[name]]
        theirs = medians(command, root, environment, options.runs)
        print(f"{name}, {lines} lines")
        for label, (wall, cpu) in (("fields + layers", ours), ("again, cached", warm), ("pylint no-member", theirs)):
            print(
                f"  {label:16} {wall:7.2f} s, {cpu:7.2f} s of processor time; per 1,000 lines "
                f"{wall / lines * 1e6:6.1f} ms and {cpu / lines * 1e6:6.1f} ms"
            )
        print(
            f"  pylint takes {theirs[0] / ours[0]:.1f} (processor {theirs[1] / ours[1]:.1f}) times as long", flush=True
        )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"largest process: {peak} MiB (pylint's included)")


if __name__ == "__main__":
    main()
