"""Which counter is taken on which host."""

from __future__ import annotations

from pathlib import Path

import pytest

from qualityscore.errors import ToolError
from qualityscore.suites import calibration, counters
from qualityscore.suites.counters import choose, hardware_problem


@pytest.fixture
def without_valgrind(monkeypatch, tmp_path):
    monkeypatch.setattr(counters, "VALGRIND", tmp_path / "valgrind")
    counters.valgrind_version.cache_clear()
    yield
    counters.valgrind_version.cache_clear()


@pytest.mark.usefixtures("without_valgrind")
def test_without_valgrind_seconds_are_counted_and_the_report_says_why():
    chosen = choose("auto")
    assert chosen.counter == "cpu"
    assert "apt-get install valgrind" in chosen.passed_over["valgrind"]
    with pytest.raises(ToolError, match="The counter valgrind cannot be used here"):
        choose("valgrind")


def test_a_valgrind_that_does_not_start_is_none(monkeypatch, tmp_path: Path):
    broken = tmp_path / "valgrind"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(counters, "VALGRIND", broken)
    counters.valgrind_version.cache_clear()
    assert choose("auto").counter == "cpu"
    counters.valgrind_version.cache_clear()


@pytest.mark.parametrize(
    ("level", "offered", "said"),
    [
        (None, True, "without performance counters"),
        ("2\n", False, "offers no hardware instruction counter"),
        ("3\n", True, "perf_event_paranoid is 3"),
        ("1\n", True, "the sandbox refuses"),
    ],
)
def test_hardware_instructions_are_passed_over_with_the_reason(level, offered, said, tmp_path: Path):
    paranoid, events = tmp_path / "paranoid", tmp_path / "instructions"
    if level is not None:
        paranoid.write_text(level)
    if offered:
        events.write_text("event=0xc0\n")
    assert said in hardware_problem(paranoid, events)


def test_hardware_instructions_that_are_forced_are_refused():
    with pytest.raises(ToolError, match="The counter instructions cannot be used here"):
        choose("instructions")


def test_a_clock_that_jumps_makes_a_calibration_old_and_never_young(tmp_path: Path):
    file = tmp_path / "gate.json"
    gate = '{"at_s": %f, "half_width": 0.01, "bias": 0.001, "seconds": 0.05}'
    for at_s, kept in ((1000.0, True), (1000.0 - 3601, False), (5000.0, False)):
        file.write_text(gate % at_s)
        assert (calibration._read(file, now_s=1000.0) is not None) is kept
    file.write_text("{")
    assert calibration._read(file, now_s=1000.0) is None
