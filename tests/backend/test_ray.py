"""The Ray engine on a real Ray cluster of this machine, whose worker is killed in the middle of the run."""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from backend.test_batch import attempts, without_times
from backend.tiny import HALF, SOURCE, command, environment, results, run, write_manifest, write_subject
from qualityscore.runtime.environment import python_minor
from qualityscore.runtime.tasks import load_task

pytest.importorskip("ray", reason="Ray is installed by the nightly run (requirements/ray.txt)")
pytestmark = [pytest.mark.slow, pytest.mark.ray]


def at_work(process: psutil.Process) -> list[psutil.Process]:
    """The Ray workers below a process that are evaluating."""
    found = []
    for child in process.children(recursive=True):
        try:
            if child.cmdline()[:1] and child.cmdline()[0].startswith("ray::evaluate_on_node"):
                found.append(child)
        except psutil.Error:
            continue
    return found


def address_of(cluster: subprocess.Popen[bytes], log: Path) -> str:
    """Where a cluster that is being started can be reached."""
    give_up = time.monotonic() + 170
    while (found := re.search(r"ray start --address='([^']+)'", log.read_text())) is None:
        assert cluster.poll() is None, log.read_text()
        assert time.monotonic() < give_up, log.read_text()
        time.sleep(0.5)
    return found[1]


def folders(place: Path) -> set[int]:
    return {entry.inode() for entry in os.scandir(place)} if place.is_dir() else set()


KILLER = SOURCE + "\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"


def write_shapes(base: Path) -> list[str]:
    """Subjects that a careless way of sending would change, one that kills its own process, and simple ones."""
    write_subject(base / "top" / "src", "one top folder")
    write_subject(base / "linked" / "code", "a link inside")
    (base / "linked" / "tiny.py").symlink_to("code/tiny.py")
    write_subject(base / "strange", "strange names")
    (base / "strange" / "line\nbreak.py").write_text("")
    beside = write_subject(base / "surrounded", "an environment beside it") / ".venv"
    beside.mkdir()
    (beside / "other.py").write_text("")
    write_subject(base / "killer", source=KILLER)
    for number in range(2):
        write_subject(base / f"s{number}", f"ray {number}", source=HALF)
    return ["s0", "top", "linked", "strange", "surrounded", "killer", "s1"]


def test_a_batch_on_ray_survives_the_loss_of_a_worker_and_equals_a_local_one(tiny_task, tmp_path):
    names = write_shapes(tmp_path)
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": name} for name in [*names, "none"]])
    arguments = ("batch", manifest, "--task", tiny_task, "--only", "functional", "-o")
    local = run(*arguments, tmp_path / "local")
    assert local.returncode == 2, local.stderr
    found = results(tmp_path / "local")
    assert [r["components"] and r["components"]["F"] for r in found] == [0.5, 1, 1, 1, 1, 0, 0.5, None]
    cache = tmp_path / "cache"
    built: set[int] = set()
    log = (tmp_path / "log").open("w")
    with (
        log,
        subprocess.Popen(
            command(*arguments, tmp_path / "out", "--engine", "ray"),
            env=environment({"QUALITYSCORE_CACHE": str(cache)}),
            stdout=log,
            stderr=log,
        ) as batch,
    ):
        killed = None
        give_up = time.monotonic() + 400
        while killed is None and batch.poll() is None:
            assert time.monotonic() < give_up
            # A folder keeps its number when it is renamed at the end of the build.
            built |= folders(cache / "environments")
            victims = at_work(psutil.Process(batch.pid))
            if victims and (tmp_path / "out" / "results.jsonl").read_text().count("\n") >= 1:
                killed = victims[0]
                killed.kill()
            time.sleep(0.02)
        assert batch.wait(timeout=300) == 2, (tmp_path / "log").read_text()
    assert killed is not None
    assert not killed.is_running()
    built |= folders(cache / "environments")
    assert len(built) == 1
    assert without_times(tmp_path / "out") == without_times(tmp_path / "local")
    # Ray itself started again what it lost; nothing else had a second attempt, least of all what kills its own process.
    assert [state for _, state in attempts(tmp_path / "out")] == ["done"] * len(names)


def test_a_node_with_another_task_or_without_it_is_the_harness_s_fault(tiny_task, tmp_path):
    """The node sees other files than the batch: it runs in a mount namespace of its own."""
    other, changed = tmp_path / "other", tmp_path / "changed"
    for folder in (other, changed):
        shutil.copytree(tiny_task, folder)
    with (changed / "suites" / "test_tiny.py").open("a") as suite:
        suite.write("\n\ndef test_more():\n    assert tiny.add(1, 1) == 2\n")
    snapshot = changed / f"baseline-{python_minor()}.json"
    digests = [load_task(str(folder)).digest for folder in (other, changed)]
    snapshot.write_text(snapshot.read_text().replace(*digests))
    hidden = tmp_path / "hidden"
    shutil.copytree(tiny_task, hidden)
    write_subject(tmp_path / "s")
    rows = [{"repository": "s", "task": str(task)} for task in (other, hidden)]
    manifest = write_manifest(tmp_path / "m.jsonl", rows)
    namespace = ["bwrap", "--dev-bind", "/", "/", "--bind", changed, other, "--tmpfs", hidden, "--die-with-parent"]
    start = ["start", "--head", "--port", "0", "--include-dashboard", "false", "--block", "--num-cpus", "1"]
    ray = [sys.executable, "-m", "ray.scripts.scripts", *start, "--temp-dir", tempfile.mkdtemp(prefix="ray-")]
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    with (tmp_path / "ray").open("w") as log:
        cluster = subprocess.Popen([*map(str, namespace), *ray], env=environment(token), stdout=log, stderr=log)
        try:
            where = {"RAY_ADDRESS": address_of(cluster, tmp_path / "ray"), **token}
            arguments = ("batch", manifest, "--only", "functional", "--engine", "ray", "-o", tmp_path / "out")
            done = run(*arguments, env=where)
        finally:
            tree = psutil.Process(cluster.pid).children(recursive=True)
            cluster.terminate()
            cluster.wait(timeout=60)
            _, alive = psutil.wait_procs(tree, timeout=10)
            for process in alive:
                process.kill()
    assert done.returncode == 3, done.stderr
    found = results(tmp_path / "out")
    assert [r["state"] for r in found] == ["harness", "harness"], done.stderr
    assert f"{platform.node()} has another task {other}" in found[0]["reason"]
    assert f"{platform.node()} cannot evaluate" in found[1]["reason"]
    assert "There is no task" in found[1]["reason"]
    assert [state for _, state in attempts(tmp_path / "out")] == ["harness", "harness"]


def test_an_interrupt_ends_the_cluster_that_the_batch_started(tiny_task, tmp_path):
    for number in range(6):
        write_subject(tmp_path / f"s{number}", f"ray interrupt {number}", source=HALF)
    manifest = write_manifest(tmp_path / "m.jsonl", [{"sample": n, "repository": f"s{n}"} for n in range(6)])
    arguments = ("batch", manifest, "--task", tiny_task, "--only", "functional", "-o", tmp_path / "out")
    batch = subprocess.Popen(
        command(*arguments, "--engine", "ray"), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    give_up = time.monotonic() + 400
    while not at_work(psutil.Process(batch.pid)):
        assert time.monotonic() < give_up
        time.sleep(0.1)
    tree = psutil.Process(batch.pid).children(recursive=True)
    batch.send_signal(2)
    assert batch.wait(timeout=60) == 130
    _, alive = psutil.wait_procs(tree, timeout=30)
    assert alive == []


def test_a_cluster_that_cannot_be_reached_is_the_harness_s_fault(tiny_task, tmp_path):
    write_subject(tmp_path / "s")
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "s"}])
    refused = run(
        "batch",
        manifest,
        "-o",
        tmp_path / "out",
        "--task",
        tiny_task,
        "--engine",
        "ray",
        env={"RAY_ADDRESS": "127.0.0.1:9"},
    )
    assert refused.returncode == 3, refused.stderr
    assert "Ray cluster" in refused.stderr
