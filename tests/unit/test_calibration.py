"""When the A/A gate of a host is taken anew: what was measured is scripted, what is kept is a real file."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from qualityscore.core.costs import Gate
from qualityscore.suites import calibration
from qualityscore.suites.pairs import Calibration

OPEN = Calibration(gate=Gate(half_width=0.01, bias=0.001), seconds=0.2)
NOISY = Calibration(gate=Gate(half_width=0.06, bias=0.001), seconds=0.2)
BIASED = Calibration(gate=Gate(half_width=0.01, bias=0.02), seconds=0.2)


class _Steps:
    planned = 0

    def plan(self, launches: int) -> None:
        self.planned += launches

    def step(self) -> None:
        pass


@pytest.fixture
def host(tmp_path: Path, monkeypatch):
    """A function (scripted calibrations) -> (how to ask for one, the list of those that are left)."""

    def script(*series: Calibration):
        left = list(series)
        monkeypatch.setattr(calibration, "calibrate", lambda *_: left.pop(0))
        bench = SimpleNamespace(target=SimpleNamespace(environment=SimpleNamespace(minor="3.11")), left_s=100.0)

        def ask() -> Calibration:
            return calibration.host_calibration(bench, tmp_path / "scratch", None, tmp_path, _Steps())

        return ask, left

    return script


def _age(root: Path, seconds: float) -> None:
    [file] = (root / "counts").glob("gate-*.json")
    document = json.loads(file.read_text())
    document["at_s"] -= seconds
    file.write_text(json.dumps(document))


def test_a_burst_of_noise_does_not_close_the_gate(host) -> None:
    ask, left = host(NOISY, BIASED, OPEN, NOISY)
    assert ask() == OPEN
    assert ask() == OPEN, "it is kept"
    assert left == [NOISY]


def test_an_open_gate_holds_for_an_hour(host, tmp_path: Path) -> None:
    ask, left = host(OPEN, OPEN)
    ask()
    _age(tmp_path, 3500)
    ask()
    assert len(left) == 1
    _age(tmp_path, 200)
    ask()
    assert not left


def test_a_gate_that_stays_closed_holds_for_five_minutes(host, tmp_path: Path) -> None:
    ask, left = host(NOISY, NOISY, NOISY, OPEN)
    assert ask() == NOISY
    assert ask() == NOISY
    assert left == [OPEN], "three times in a row, then it is believed for a while"
    _age(tmp_path, 400)
    assert ask() == OPEN


def test_a_closed_gate_that_the_deadline_cut_is_not_kept(tmp_path: Path, monkeypatch) -> None:
    left = [NOISY, OPEN]
    monkeypatch.setattr(calibration, "calibrate", lambda *_: left.pop(0))
    bench = SimpleNamespace(target=SimpleNamespace(environment=SimpleNamespace(minor="3.11")), left_s=0.0)
    assert calibration.host_calibration(bench, tmp_path / "scratch", None, tmp_path, _Steps()) == NOISY
    bench.left_s = 100.0
    assert calibration.host_calibration(bench, tmp_path / "scratch", None, tmp_path, _Steps()) == OPEN


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"at_s": 0}', "[" * 100_000, '{"at_s": %d, "half_width": "x", "bias": 0.1, "seconds": 1.0}'],
    ids=["empty", "list", "no keys", "few keys", "deep", "text"],
)
def test_a_kept_gate_that_cannot_be_read_is_taken_anew(host, tmp_path: Path, content: str) -> None:
    ask, left = host(OPEN, BIASED, BIASED, BIASED)
    ask()
    [file] = (tmp_path / "counts").glob("gate-*.json")
    file.write_text(content.replace("%d", str(time.time())))
    assert ask() == BIASED
    assert left == []
