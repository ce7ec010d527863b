"""Evaluations whose circumstances differ: what is left out, what the host lacks, what the snapshot was made with."""

import json
import shutil
from pathlib import Path

import pytest

from qualityscore import cli, evaluate
from qualityscore.errors import SnapshotError
from qualityscore.model.measure import Fault
from qualityscore.model.report import Status
from qualityscore.runtime.fingerprint import fingerprint
from qualityscore.runtime.tasks import data_root

TASK = "xmltodict"
SUBJECT = Path(__file__).resolve().parents[1] / "repos" / "fair_xmltodict"


@pytest.fixture
def own_task(tmp_path):
    """A copy of the bundled task, with its probes beside it as task authors keep them."""
    for kind in ("baselines", "probes"):
        shutil.copytree(data_root() / kind / TASK, tmp_path / kind / TASK)
    return tmp_path / "baselines" / TASK


def change_snapshot(task: Path, change) -> None:
    for file in task.glob("baseline-*.json"):
        document = json.loads(file.read_text("utf-8"))
        change(document)
        file.write_text(json.dumps(document), "utf-8")


@pytest.mark.slow
def test_what_only_leaves_out_is_null_without_a_fault():
    report = evaluate(SUBJECT, task=TASK, only=("functional", "security"))
    assert report.status is Status.PARTIAL
    assert report.faults == ()
    assert report.functional.score == 63 / 64
    assert report.dimensions["security"].score is not None
    assert [report.dimensions[n].score for n in ("maintainability", "robustness", "efficiency", "resource")] == [
        None
    ] * 4
    assert (report.non_functional.score, report.effective) == (None, None)
    assert {name for name, d in report.dimensions.items() if d.left_out} == set(report.dimensions) - {"security"}
    assert {finding.dimension for finding in report.findings} <= {"security"}


@pytest.mark.slow
def test_a_functional_score_that_was_left_out_has_no_count_of_passed_tests():
    report = evaluate(SUBJECT, task=TASK, only=("robustness",))
    functional = report.functional
    assert (functional.left_out, functional.score, functional.passed, functional.expected) == (True, None, None, 64)
    assert report.faults == ()


@pytest.mark.slow
def test_a_snapshot_of_other_tools_is_not_compared_with_but_measured_again(own_task):
    before = evaluate(SUBJECT, task=str(own_task), only=("security", "maintainability"))
    change_snapshot(own_task, lambda s: s["provenance"]["tools"].update(pylint="3.0.0"))
    change_snapshot(own_task, lambda s: s["measures"]["lint.penalty"].update(value=50.0))
    after = evaluate(SUBJECT, task=str(own_task), only=("security", "maintainability"))
    assert after.faults == ()
    assert {n: d.score for n, d in after.dimensions.items()} == {n: d.score for n, d in before.dimensions.items()}
    (lint,) = [m for m in after.dimensions["maintainability"].measures if m.id == "lint.penalty"]
    assert lint.baseline < 1


def test_a_reference_that_cannot_be_fetched_costs_only_what_needs_it(monkeypatch, tmp_path):
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple/")
    monkeypatch.setenv("UV_OFFLINE", "1")
    report = evaluate(SUBJECT, task=TASK)
    reasons = {fault.stage: fault for fault in report.faults}
    assert reasons["environment"].fault is Fault.HARNESS or reasons["cost"].fault is Fault.HARNESS
    assert report.non_functional.score is None
    assert 0 <= report.non_functional.low < report.non_functional.high <= 1
    assert report.functional.score in (None, 63 / 64)
    assert all(d.score != 0 for d in report.dimensions.values())


@pytest.mark.slow
def test_verify_refuses_costs_of_another_host_by_the_field_and_compares_the_rest(own_task, capsys):
    change_snapshot(own_task, lambda s: s["provenance"]["host"].update(libc="glibc 1.0"))
    change_snapshot(own_task, lambda s: s["provenance"]["host"].update(interpreter=fingerprint().interpreter))
    assert cli.main(["baseline", "verify", str(own_task)]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("error QS-170: 4 measures, first workload.cost, cannot be compared with the snapshot: ")
    assert f"host.libc differs (glibc 1.0 there, {fingerprint().libc} here)" in shown.err
    assert "peak_rss: not compared, host.libc differs" in shown.out
    assert "suite.stability: within its interval, 1 before, 1 now" in shown.out


def test_a_snapshot_of_changed_suites_is_refused(own_task):
    (own_task / "suites" / "functional" / "test_extra.py").write_text("def test_one():\n    assert 1 + 1 == 2\n")
    with pytest.raises(SnapshotError, match="other suites"):
        evaluate(SUBJECT, task=str(own_task), only=("functional",))
