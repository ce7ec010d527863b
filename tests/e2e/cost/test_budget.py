"""A time budget for a whole evaluation."""

from __future__ import annotations

from pathlib import Path

from qualityscore import evaluate
from qualityscore.model.measure import Fault
from qualityscore.model.report import Status

DEMO = Path(__file__).parents[3] / "examples" / "cachetools_fair"


def test_what_the_budget_leaves_no_time_for_is_unmeasured_and_scores_nothing():
    report = evaluate(DEMO, task="cachetools", only=("functional", "efficiency"), time_budget_s=0.05)
    assert report.status is Status.FAILED
    assert report.functional.score is None
    assert report.dimensions["efficiency"].score is None
    assert {f.fault for f in report.faults} == {Fault.HARNESS}
    assert any(f.code == "QS-370" for f in report.faults)
    assert all("budget" in f.reason for f in report.faults if f.code == "QS-370")
