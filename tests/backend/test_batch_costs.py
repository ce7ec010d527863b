"""Costs in a batch of two jobs: while one subject is timed, nothing of the other runs on its core."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import psutil
import pytest

from backend.tiny import command, environment, write_manifest, write_subject
from qualityscore.model.codec import dump
from qualityscore.runtime.environment import python_minor
from qualityscore.runtime.leases import Core, lock_folder, physical_cores
from qualityscore.snapshots import take_snapshot

WORKLOADS = '''
"""One workload."""


class Words:
    """A long text, taken apart several times."""

    id = "words"
    n = 20000

    def setup(self, size):
        return " ".join(f"w{number}" for number in range(size))

    def body(self, text):
        import tiny

        return [tiny.words(text) for _ in range(20)][-1]

    def digest(self, result):
        return [len(result), result[-1]]


WORKLOADS = [Words()]
'''
COST = """
[suites.cost]
files = ["workloads.py"]
test_timeout_s = 5.0
total_timeout_s = 120.0
memory_mib = 256
"""


@pytest.fixture
def costly_task(tiny_task, tmp_path) -> Path:
    """The tiny task with a workload."""
    folder = tmp_path / "costly"
    shutil.copytree(tiny_task, folder)
    with (folder / "task.toml").open("a") as file:
        file.write(COST)
    (folder / "probes" / "workloads.py").write_text(WORKLOADS)
    (folder / f"baseline-{python_minor()}.json").write_text(dump(take_snapshot(str(folder))))
    return folder


def leased() -> list[tuple[Core, int]]:
    """The cores that are held for timing at this moment, and the processes that hold them (proc(5), /proc/locks)."""
    cores = {}
    for core in physical_cores():
        lock = lock_folder() / f"{core.name}.lock"
        if lock.exists():
            cores[lock.stat().st_ino] = core
    found = []
    for line in Path("/proc/locks").read_text().splitlines():
        fields = line.split()
        if fields[1] == "FLOCK" and fields[3] == "WRITE" and (inode := int(fields[5].split(":")[2])) in cores:
            found.append((cores[inode], int(fields[4])))
    return found


def below(worker: psutil.Process) -> list[psutil.Process]:
    try:
        return [worker, *worker.children(recursive=True)]
    except psutil.Error:
        return []


def may_run_on(process: psutil.Process, core: Core) -> bool:
    try:
        return bool(set(process.cpu_affinity() or ()) & set(core.cpus)) and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


@pytest.mark.slow
def test_two_jobs_time_on_leased_cores_that_the_other_keeps_off(costly_task, tmp_path):
    for name in ("a", "b"):
        write_subject(tmp_path / name, f"costs of {name}")
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "a"}, {"repository": "b"}])
    asked = ("--task", costly_task, "--only", "efficiency", "--counter", "cpu", "--jobs", "2")
    arguments = command("batch", manifest, *asked, "-o", tmp_path / "out")
    enough = len(physical_cores()) >= 2  # with one core for both, its lease still makes them wait for each other
    timed: set[int] = set()
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(arguments, env=environment(), stdout=log, stderr=log) as batch,
    ):
        while batch.poll() is None:
            workers = {p.pid: p for p in below(psutil.Process(batch.pid)) if is_worker(p)}
            held = [(core, holder) for core, holder in leased() if holder in workers]
            assert len({core.name for core, _ in held}) == len(held)
            for core, holder in held:
                timed.add(holder)
                others = [p for pid, worker in workers.items() if pid != holder for p in below(worker)]
                strays = [p for p in others if may_run_on(p, core)] if enough else []
                # Asked again, since the lease may have ended in between.
                assert not strays or (core, holder) not in leased(), strays
            try:
                batch.wait(timeout=0.05)
            except subprocess.TimeoutExpired:
                continue
    assert batch.returncode in (0, 3), (tmp_path / "log").read_text()  # 3 where the host is too noisy for times
    assert len(timed) == 2


def is_worker(process: psutil.Process) -> bool:
    try:
        return any("execution.worker_main" in part for part in process.cmdline())
    except psutil.Error:
        return False
