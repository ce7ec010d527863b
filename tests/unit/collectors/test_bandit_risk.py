"""bandit.risk: points by severity and confidence, families, and what bandit itself does not see."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qualityscore.collectors.bandit_risk import FAMILIES, allowed_points, family_of, family_points
from qualityscore.collectors.context import StaticOutcome
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Measured

Measure = Callable[..., StaticOutcome]


def risk(outcome: StaticOutcome) -> Measured:
    measure = outcome.measures["bandit.risk"]
    assert isinstance(measure, Measured)
    return measure


def security(outcome: StaticOutcome) -> list[Finding]:
    return sorted(
        (f for f in outcome.findings if f.dimension == "security"), key=lambda f: (f.path or "", f.line or 0, f.code)
    )


INSECURE = (
    "import subprocess\n"  # B404 low, high: 1
    "import pickle\n"  # B403 low, high: 1
    "def f(command, blob, expression):\n"
    "    subprocess.call(command, shell=True)\n"  # B602 high, high: 12
    "    password = 'hunter2'\n"  # B105 low, medium: 0.6
    "    assert password\n"  # B101: out
    "    open('/tmp/x')\n"  # B108 medium, medium: 2.4
    "    return pickle.loads(blob), eval(expression)\n"  # B301 medium, high: 4; eval: 12 in place of B307's 4
)


def test_a_finding_weighs_by_severity_and_confidence(measured: Measure) -> None:
    outcome = measured({"a.py": INSECURE})
    assert [(f.code, f.line, round(f.points, 6)) for f in security(outcome)] == [
        ("B404", 1, 1),
        ("B403", 2, 1),
        ("B602", 4, 12),
        ("B105", 5, 0.6),
        ("B108", 7, 2.4),
        ("B301", 8, 4),
        ("dynamic-code", 8, 12),
    ]
    assert risk(outcome).value == pytest.approx(33)
    assert risk(outcome).details["counts"] == {"high": 2, "medium": 2, "low": 3}
    assert outcome.family_points == pytest.approx(
        {"B108": 2.4, "dynamic code": 12, "password": 0.6, "pickle": 5, "process": 1, "shell": 12}
    )
    eval_, load = security(outcome)[-1], security(outcome)[-2]
    assert {eval_.column, load.column} == {12, 32}


def test_exec_on_a_literal_stays_what_bandit_says(measured: Measure) -> None:
    outcome = measured({"a.py": "exec('x = 1')\n"})
    assert [(f.code, f.points) for f in security(outcome)] == [("B102", 4)]


def test_all_production_code_counts_and_nothing_else(measured: Measure) -> None:
    bad = "import pickle\n"
    files = {
        "a.py": "",
        "pkg/deep/x.py": bad,
        "tests/test_a.py": bad,
        "docs/conf.py": bad,
        "pkg/engine.txt": "def f(): pass\n",
    }
    outcome = measured(files)
    assert [(f.path, f.code) for f in security(outcome)] == [
        ("pkg/deep/x.py", "B403"),
        ("pkg/engine.txt", "hidden-code"),
    ]
    used = measured(files, used=["tests/test_a.py"])
    assert [f.path for f in security(used)] == ["pkg/deep/x.py", "pkg/engine.txt", "tests/test_a.py"]


def test_code_that_the_suites_opened_is_judged_by_its_content(measured: Measure) -> None:
    outcome = measured({"a.py": "", "pkg/engine.txt": "import pickle\n"}, used=["pkg/engine.txt"])
    assert [(f.path, f.code) for f in security(outcome)] == [("pkg/engine.txt", "B403")]


def test_no_findings_are_said_to_be_none(measured: Measure) -> None:
    assert risk(measured({"a.py": "x = 1\n"})).details["counts"] == {"high": 0, "medium": 0, "low": 0}


@pytest.mark.parametrize(
    ("code", "family"),
    [
        ("B602", "shell"),
        ("B609", "shell"),
        ("B607", "process"),
        ("B302", "pickle"),
        ("B313", "xml"),
        ("B320", "xml"),
        ("B411", "xml"),
        ("B107", "password"),
        ("B112", "swallowed exception"),
        ("B324", "hash"),
        ("B611", "sql"),
        ("dynamic-code", "dynamic code"),
        ("B307", "dynamic code"),
        ("B501", "B501"),
        ("hidden-code", "hidden-code"),
    ],
)
def test_every_finding_has_one_family(code: str, family: str) -> None:
    assert family_of(code) == family
    assert sum(code in codes for codes in FAMILIES.values()) <= 1


def test_allowances_do_not_move_between_families() -> None:
    # shell: 12 of 12 allowed; pickle: 4 of 9; password: none; xml: the subject does not use it
    subject = {"shell": 12.0, "pickle": 9.0, "password": 0.6}
    assert allowed_points(subject, {"shell": 24.0, "pickle": 4.0, "xml": 30.0}) == 16.0


def test_points_of_other_measures_have_no_family() -> None:
    other = Finding(code="W0611", tool="pylint", message="m", severity=Severity.LOW, measure="lint.penalty", points=3)
    assert family_points([other]) == {}
