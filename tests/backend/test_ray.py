"""The Ray engine on a real Ray cluster of this machine, whose worker is killed in the middle of the run."""

from __future__ import annotations

import subprocess
import time

import psutil
import pytest

from backend.tiny import HALF, command, environment, results, run, write_manifest, write_subject

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


def test_a_batch_on_ray_survives_the_loss_of_a_worker_and_equals_a_local_one(tiny_task, tmp_path):
    for number in range(6):
        write_subject(tmp_path / f"s{number}", f"ray {number}", source=HALF)
    rows = [{"sample": n, "repository": f"s{n}"} for n in range(6)] + [{"repository": "none"}]
    manifest = write_manifest(tmp_path / "m.jsonl", rows)
    arguments = ("batch", manifest, "--task", tiny_task, "--only", "functional", "-o")
    local = run(*arguments, tmp_path / "local")
    assert local.returncode == 2, local.stderr
    log = (tmp_path / "log").open("w")
    with (
        log,
        subprocess.Popen(
            command(*arguments, tmp_path / "out", "--engine", "ray"), env=environment(), stdout=log, stderr=log
        ) as batch,
    ):
        killed = None
        give_up = time.monotonic() + 400
        while killed is None and batch.poll() is None:
            assert time.monotonic() < give_up
            victims = at_work(psutil.Process(batch.pid))
            if victims and (tmp_path / "out" / "results.jsonl").read_text().count("\n") >= 1:
                killed = victims[0]
                killed.kill()
            time.sleep(0.1)
        assert batch.wait(timeout=300) == 2, (tmp_path / "log").read_text()
    assert killed is not None
    assert not killed.is_running()
    without = {"reason": None}
    assert [{**r, **without} for r in results(tmp_path / "out")] == [
        {**r, **without} for r in results(tmp_path / "local")
    ]


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
