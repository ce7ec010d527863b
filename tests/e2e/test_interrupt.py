"""Ctrl-C and SIGTERM in the middle of an evaluation: nothing is left behind, what was measured is reported."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

import qualityscore

ROOT = Path(qualityscore.__file__).resolve().parents[1]


def descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


@pytest.mark.parametrize("presses", [1, 3])
def test_an_evaluation_interrupted_before_anything_was_measured_keeps_the_report_of_before(presses, tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    kept, new = tmp_path / "kept.json", tmp_path / "new.xml"
    kept.write_text("of before")
    argv = [sys.executable, "-m", "qualityscore.cli", "evaluate", "examples/cachetools_fair", "--task", "cachetools"]
    with subprocess.Popen(
        [*argv, "--only", "functional", "--json", str(kept), "--format", f"junit={new}"],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        for line in child.stderr:
            if line.startswith("functional"):
                break
        for _ in range(presses):
            child.send_signal(signal.SIGINT)
            time.sleep(0.05)
        shown, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert errors.splitlines()[-1] == "interrupted before anything was measured; no report was written"
    assert kept.read_text() == "of before"
    assert not new.exists()
    assert shown == ""
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_an_interrupted_evaluation_leaves_nothing_but_its_partial_report(number, tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    report = tmp_path / "report.json"
    argv = [sys.executable, "-m", "qualityscore.cli", "evaluate", "examples/cachetools_fair", "--task", "cachetools"]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        [*argv, "--json", str(report)],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        stdout=subprocess.PIPE,
    ) as child:
        for line in child.stderr:
            if line.startswith("trace"):
                break
        until = time.monotonic() + 60
        started = []
        while not started and time.monotonic() < until:
            started = [p for p in descendants(psutil.Process(child.pid)) if p.name() == "bwrap"]
        assert started, "no sandbox was seen to run"
        everyone = descendants(psutil.Process(child.pid))
        child.send_signal(number)
        _, errors = child.communicate(timeout=60)
    assert child.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    assert "interrupted" in errors
    _, alive = psutil.wait_procs(everyone, timeout=5)
    assert alive == []
    assert list(temporary.iterdir()) == []
    document = json.loads(report.read_text())
    assert document["functional"]["expected"] == 90
    assert document["functional"]["passed"] == 83
    assert document["status"] == "partial"
    assert any("interrupted" in fault["reason"] for fault in document["faults"])
