"""Costs by CPU seconds alone, from the launches to the score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qualityscore.core.score import score
from qualityscore.model.measure import Fault, Measured
from qualityscore.model.task import Task
from qualityscore.runtime.documents import load_profile
from qualityscore.suites import cost
from tests.e2e.cost.conftest import REFERENCE, MakeTarget

EFFICIENCY = {"workload.cost", "import.cost"}


@pytest.fixture
def spinning(task: Task, tmp_path: Path) -> Task:
    """The task with the workload `spin` alone, which takes no memory: twice its turns are twice its time."""
    folder = tmp_path / "probes"
    folder.mkdir()
    source = (task.probes_folder / "workloads.py").read_text("utf-8")
    (folder / "workloads.py").write_text(source + "\nWORKLOADS = [w for w in WORKLOADS if w.id == 'spin']\n", "utf-8")
    return task.model_copy(update={"probes_folder": folder})


@pytest.mark.slow
def test_twice_the_work_is_half_the_score_in_seconds_too(make_target: MakeTarget, spinning: Task, tmp_path: Path):
    twice = make_target(REFERENCE.replace("in range(turns)", "in range(2 * turns)"), of=spinning)
    found = cost.run(twice, make_target(is_reference=True, of=spinning), counter="cpu", root=tmp_path)
    assert found.counter == "cpu"
    profile = load_profile("reference")
    others = frozenset(m.id for d in profile.dimensions for m in d.metrics) - EFFICIENCY
    scored = score(
        profile,
        baseline={name: found.reference[name] for name in EFFICIENCY},
        subject={name: found.subject[name] for name in EFFICIENCY},
        credibility=1.0,
        tampered=False,
        left_out=others,
        rng=np.random.default_rng(1),
    )
    efficiency = scored.dimensions["efficiency"]
    (cost_,) = (m for m in efficiency.measures if m.id == "workload.cost")
    outcome = found.subject["workload.cost"]
    if not isinstance(outcome, Measured):  # the host cannot tell equal code apart, and says so
        assert (outcome.fault, "host too noisy" in outcome.reason) == (Fault.HARNESS, True)
        assert (cost_.score, efficiency.score, efficiency.low, efficiency.high) == (None, None, 0.0, 1.0)
        return
    assert outcome.details["unit"] == "seconds"
    assert 20 <= len(outcome.parts[0].log_ratios) <= 40
    assert cost_.score == pytest.approx(0.5 / 0.97, rel=0.1)
    assert cost_.low is not None
    assert cost_.high is not None
    assert cost_.low <= cost_.score <= cost_.high
    assert cost_.verdict == "slower"
    # five parts of workloads to one of the import, which scores between 0 and 1
    assert efficiency.score is not None
    assert 5 / 6 * cost_.score - 1e-9 <= efficiency.score <= 5 / 6 * cost_.score + 1 / 6 + 1e-9
