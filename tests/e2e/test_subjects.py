"""Every subject under tests/repos comes out as `expected.toml` says; whole evaluations, nothing replaced."""

from collections import Counter

import pytest

from qualityscore.errors import SubjectError
from qualityscore.model.outcome import TestOutcome
from qualityscore.model.report import DIMENSIONS, Status
from repos.make import subjects

SUBJECTS = {subject.name: subject for subject in subjects()}
NO_PYTHON = "no_python"
LIKE, BELOW, ZERO = (0.97, 1.0), (0.0, 0.95), (0.0, 0.0)
NAMES = [name for name in SUBJECTS if name != NO_PYTHON]


def expected(name: str) -> dict:
    """What must come out for a subject, with what it inherits by `like`."""
    own = SUBJECTS[name].expected
    return {**expected(own["like"]), **own} if "like" in own else own


def measured_dimensions(name: str) -> tuple[str, ...] | None:
    """What to measure: everything where the whole outcome is described, else the dimensions that are spoken of."""
    wanted = expected(name)
    if "score" in wanted or "zero" in wanted:
        return None
    spoken_of = {*wanted.get("below_reference", ()), *wanted.get("like_reference", ())}
    return ("functional", *(d for d in DIMENSIONS if d in spoken_of))


# Repetitions on a second task and in other forms (of stubs: bodiless, constant and raising ones beside empty and
# echoing ones) are slow, and so are subjects whose fault a stage's own tests have as well: an import that hangs, probes
# that are not survived.
SLOW = frozenset(
    {"empty_slugify", "bodiless_slugify", "constant_slugify", "echo_slugify", "raising_slugify"}
    | {"bodiless_cachetools", "constant_cachetools", "raising_cachetools", "tangled"}
    | {
        "hanging_import",
        "fragile",
        "memory_limit",
        "quadratic",
        "leaking",
        "insecure_demo",
        "reference_python_slugify",
        "reference_xmltodict",
        "slow_import",
        "memory_hog",
    }
)


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in NAMES])
def case(request, evaluated):
    """(what must come out, the report) of one subject."""
    return expected(request.param), evaluated(request.param, measured_dimensions(request.param))


def test_exactly_the_known_tests_fail(case):
    wanted, report = case
    if "failing" not in wanted:
        pytest.skip("its failing tests are not fixed")
    failed = [t.id for t in report.functional.tests if t.outcome is not TestOutcome.PASSED]
    everything = [t.id for t in report.functional.tests]
    assert sorted(failed) == sorted(everything if wanted["failing"] == "all" else wanted["failing"])
    assert report.functional.passed == report.functional.expected - len(failed)
    assert report.functional.score == pytest.approx(1 - len(failed) / report.functional.expected)


def test_every_score_is_within_its_bounds(case):
    wanted, report = case
    bounds = {**wanted.get("score", {}), **dict.fromkeys(wanted.get("zero", ()), ZERO)}
    bounds |= dict.fromkeys(wanted.get("below_reference", ()), BELOW) | dict.fromkeys(
        wanted.get("like_reference", ()), LIKE
    )
    seen = {name: report.dimensions[name].score for name in bounds}
    wrong = {n: (seen[n], b) for n, b in bounds.items() if seen[n] is None or not b[0] <= seen[n] <= b[1]}
    assert not wrong, report.faults


def test_nothing_is_a_fault_of_the_harness(case):
    _, report = case
    assert [f for f in report.faults if f.fault.value != "subject"] == []
    assert report.status in (Status.COMPLETE, Status.PARTIAL)
    assert report.evidence == ()


def test_broken_imports_are_named(case):
    wanted, report = case
    if "import" not in wanted:
        pytest.skip("it can be imported")
    assert report.functional.modules[0].state == wanted["import"]
    assert report.functional.build is False
    assert report.functional.test is None
    assert {t.failure.class_name.value for t in report.functional.tests} == {"executability"}


def test_static_findings_are_exact(case):
    wanted, report = case
    if "findings" not in wanted:
        pytest.skip("its findings are not fixed")
    seen = Counter((f.tool, f.code) for f in report.findings)
    assert [[tool, code, seen[tool, code]] for tool, code, _ in wanted["findings"]] == wanted["findings"]


def test_a_folder_without_python_is_refused(subject_folder, evaluated):
    with pytest.raises(SubjectError, match="no Python file"):
        evaluated(NO_PYTHON)


@pytest.mark.parametrize(
    "task", ["cachetools", *(pytest.param(task, marks=pytest.mark.slow) for task in ("python-slugify", "xmltodict"))]
)
def test_the_reference_itself_is_complete_and_credible(task, evaluated):
    (name,) = [s.name for s in SUBJECTS.values() if s.task == task and s.recipe == "reference"]
    report = evaluated(name)
    assert report.status is Status.COMPLETE
    assert report.functional.score == 1.0
    assert (report.functional.build, report.functional.test, report.functional.full) == (True, 1.0, True)
    assert report.credibility.score == 1.0
    assert report.non_functional.score >= 0.97
    assert report.effective == pytest.approx(report.non_functional.score)


def test_a_setup_py_is_never_executed(subject_folder, evaluated):
    folder = subject_folder("layout_setup_py_only")
    before = sorted(p.relative_to(folder) for p in folder.rglob("*"))
    evaluated("layout_setup_py_only", measured_dimensions("layout_setup_py_only"))
    assert sorted(p.relative_to(folder) for p in folder.rglob("*")) == before
