"""Reports of what was not measured: nobody reads "passed" or "0 new findings" in them."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from qualityscore.branch.report import _finding_changes
from qualityscore.branch.stages import Comparison
from qualityscore.catalog import RENDERERS
from qualityscore.commands.evaluate import _say_failed
from qualityscore.model.branch import BaselineState, BranchReport, Condition, GateReport
from qualityscore.reports import console, junit, markdown
from sample_reports import report

OPEN = Condition(
    name="every public name is still defined",
    passed=False,
    undecided=True,
    numbers="not decided: branch.names.lost.count was not measured (interrupted by the caller)",
)
MET = Condition(name="new tests pass", passed=True, numbers="0")
BROKEN = Condition(name="what passed still passes", passed=False, numbers="1 is too many")


def interrupted(*conditions):
    return replace(
        report(),
        branch=BranchReport(
            baseline=BaselineState(kind="git", name="main"), tests=None, names=None, findings=None
        ),
        gate=GateReport(source="default", passed=False, conditions=conditions),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["console", "markdown", "html"])
def test_a_gate_that_is_open_is_neither_passed_nor_failed(name):
    text = RENDERERS[name](interrupted(OPEN, MET))
    assert re.search("not decided", text, re.IGNORECASE)
    assert "branch.names.lost.count was not" in text
    assert not re.search(r"gate (passed|failed)|## (passed|failed)|not met", text, re.IGNORECASE)


@pytest.mark.parametrize("name", ["console", "markdown", "html"])
def test_findings_that_were_not_looked_for_are_no_zero(name):
    text = RENDERERS[name](interrupted(OPEN)).replace("**", "")
    assert "Findings: not measured" in text
    assert "0 new" not in text


def test_the_headings_of_an_open_and_of_a_failed_gate():
    assert markdown.render(interrupted(OPEN)).startswith("## Not decided: ")
    assert markdown.render(interrupted(OPEN, BROKEN)).startswith("## Failed: ")
    assert "Gate not decided (default)" in console.render(interrupted(OPEN))
    assert "Gate failed (default)" in console.render(interrupted(OPEN, BROKEN))


def test_junit_has_an_error_for_what_is_open():
    """One test passed, one failed, and one condition is open."""
    text = junit.render(interrupted(OPEN, MET))
    plain = junit.render(replace(interrupted(), gate=None))
    errors = [int(re.search('errors="([0-9]+)"', one)[1]) for one in (text, plain)]
    assert errors[0] == errors[1] + 1
    assert 'type="not_decided" message="not decided: branch.names.lost.count was not measured' in text


def test_a_quiet_run_says_what_is_open(capsys):
    _say_failed(interrupted(OPEN, MET).gate)
    assert capsys.readouterr().err == f"gate {OPEN.name}: {OPEN.numbers}\n"


CODE = SimpleNamespace(located=(), bodies=dict)
COST = SimpleNamespace(findings=())


@pytest.mark.parametrize(
    ("wanted", "before", "after", "cost", "known"),
    [
        ({"functional"}, CODE, CODE, None, False),
        ({"functional", "security"}, CODE, CODE, None, True),
        ({"functional", "security"}, CODE, None, None, False),
        ({"functional", "security"}, None, None, COST, False),
        ({"functional", "efficiency"}, CODE, CODE, COST, True),
        ({"functional", "efficiency"}, CODE, CODE, None, False),
    ],
)
def test_findings_are_compared_only_where_they_were_asked_for_and_read(wanted, before, after, cost, known):
    run = Comparison(
        taken=None, earlier=SimpleNamespace(), against=BaselineState(kind="git", name="main"), settings=None,
        profile=None, wanted=frozenset(wanted), sandbox=None, scratch=Path("/nowhere"), counter="cpu",
        progress=lambda stage, done, total: None, before_code=before, after_code=after, cost=cost,
    )  # fmt: skip
    assert (_finding_changes(run) is not None) is known
