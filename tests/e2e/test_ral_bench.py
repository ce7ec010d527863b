"""A small benchmark in RAL-Bench's layout, run for real: its suites, its counting rules, its arithmetic."""

import textwrap

import pytest

import qualityscore
from qualityscore.errors import InputError
from qualityscore.model.measure import Fault
from qualityscore.model.outcome import TestOutcome

TASK = """
task_id: shelf
description: A shelf of books with a capacity.
reference_repository: ./repositories/shelf
baseline_metrics:
  performance: {performance_suite_time_s: 1000.0}
  resource: {avg_memory_mb: 1.0, avg_cpu_percent: 1000.0}
  security: {metrics: {high_risk_count: 0.0}}
  maintainability: {metrics: {mi_min: 50.0}}
test_suite:
  functional: ./tests/Book_Shelf/functional_test.py
  robustness: ./tests/Book_Shelf/robustness_test.py
  performance: ./tests/Book_Shelf/performance_test.py
  resource: ./tests/Book_Shelf/resource_test.py
generated_repository: ./generation/Book_Shelf
package: {name: shelf}
suite_timeouts_s: {functional: 20, robustness: 5}
"""
FUNCTIONAL = """
import os, sys
from pathlib import Path
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, os.environ["RACB_REPO_ROOT"])
import shelf

def test_holds():
    books = shelf.Shelf(2); books.add("a")
    assert books.all() == ["a"]

def test_is_limited():
    books = shelf.Shelf(1); books.add("a")
    with pytest.raises(ValueError):
        books.add("b")

def test_counts():
    assert shelf.Shelf(3).free() == 3

def test_writes_under_the_root():
    (ROOT / "results" / "note").write_text("x")

@pytest.mark.skip(reason="not here")
def test_of_another_platform():
    pass
"""
ROBUSTNESS = """
import os
from pathlib import Path
import sys

if os.environ["BOOK_SHELF_TARGET"] != "generated":
    raise RuntimeError("unknown target")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "generation" / "Book_Shelf"))
from shelf import Shelf

def test_nothing():
    Shelf(0).all()

def test_negative():
    try:
        Shelf(-1)
    except ValueError:
        pass
"""
PLAIN = """
import shelf
def test_much():
    books = shelf.Shelf(1000)
    for number in range(1000):
        books.add(str(number))
    assert len(books.all()) == 1000
"""
REFERENCE = """
class Shelf:
    def __init__(self, capacity):
        self._capacity, self._books = capacity, []

    def add(self, book):
        if len(self._books) >= self._capacity:
            raise ValueError("full")
        self._books.append(book)

    def all(self):
        return list(self._books)

    def free(self):
        return self._capacity - len(self._books)
"""


@pytest.fixture
def benchmark(tmp_path):
    """The root of a benchmark with one task and its reference."""
    root = tmp_path / "benchmark"
    suites = {"functional": FUNCTIONAL, "robustness": ROBUSTNESS, "performance": PLAIN, "resource": PLAIN}
    for name, text in suites.items():
        file = root / "tests" / "Book_Shelf" / f"{name}_test.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (root / "tasks").mkdir()
    (root / "tasks" / "shelf.yaml").write_text(TASK, encoding="utf-8")
    (root / "repositories" / "shelf" / "shelf").mkdir(parents=True)
    (root / "repositories" / "shelf" / "shelf" / "__init__.py").write_text(REFERENCE, encoding="utf-8")
    return root


@pytest.fixture
def evaluated(benchmark, tmp_path):
    def evaluate(code, **options):
        folder = tmp_path / "subject"
        (folder / "shelf").mkdir(parents=True)
        (folder / "shelf" / "__init__.py").write_text(textwrap.dedent(code), encoding="utf-8")
        return qualityscore.evaluate(folder, task=str(benchmark / "tasks" / "shelf.yaml"), **options)

    return evaluate


def outcomes(report):
    return {test.id.rpartition("::")[2]: test.outcome.value for test in report.functional.tests}


def test_the_reference_against_its_own_baseline(evaluated):
    report = evaluated(REFERENCE)
    # Five tests are collected, one is skipped: RAL-Bench divides by what was collected.
    assert (report.functional.passed, report.functional.expected, report.functional.score) == (4, 5, 0.8)
    scores = {name: dimension.score for name, dimension in report.dimensions.items()}
    measures = {m.id: m for d in report.dimensions.values() for m in d.measures}
    assert scores["security"] == scores["robustness"] == 1.0
    assert scores["efficiency"] == 1.0  # far below the baseline's 1000 s
    assert 10 < measures["memory.mean"].value / 2**20 < 200  # a pytest process, in MiB
    assert measures["memory.mean"].score == pytest.approx(2**20 / measures["memory.mean"].value)
    assert 0 < measures["cpu.mean"].value < 200
    assert scores["maintainability"] == pytest.approx(
        measures["mi.min"].value / 50 / (1 + measures["mi.min"].value / 50)
    )
    weights = {"maintainability": 0.36, "security": 0.24, "robustness": 0.16, "efficiency": 0.12, "resource": 0.12}
    assert report.non_functional.score == pytest.approx(sum(weights[n] * scores[n] for n in weights))
    assert report.provenance["profile"] == "ral-bench"
    assert report.provenance["ral_bench"]["reference"] == {"expected": 4, "passed": 4, "score": 1.0}
    assert report.faults == ()


def test_a_wrong_subject_fails_its_tests_and_only_those(evaluated):
    code = REFERENCE.replace("self._capacity - len(self._books)", "0").replace('raise ValueError("full")', "return")
    report = evaluated(code, only=("functional",))
    assert outcomes(report) == {
        "test_holds": "passed",
        "test_is_limited": "failed",
        "test_counts": "failed",
        "test_writes_under_the_root": "passed",
        "test_of_another_platform": "skipped",
    }
    assert report.functional.score == 0.4
    assert report.provenance["ral_bench"]["reference"]["score"] == 0.5


def test_a_collection_error_is_one_failed_of_one(evaluated):
    report = evaluated("from nowhere import anything\n")
    assert (report.functional.passed, report.functional.expected, report.functional.score) == (0, 1, 0.0)
    assert report.functional.build is False
    assert report.functional.tests[0].failure.class_name.value == "executability"
    assert {n: report.dimensions[n].score for n in ("robustness", "efficiency", "resource")} == {
        "robustness": 0.0,
        "efficiency": 0.0,
        "resource": 0.0,
    }
    assert [fault for fault in report.faults if fault.fault is not Fault.SUBJECT] == []


def test_a_suite_that_looks_for_something_else_is_the_harness_s_fault(benchmark, evaluated):
    (benchmark / "tests" / "Book_Shelf" / "robustness_test.py").write_text(
        "raise RuntimeError('no folder repositories/shelf')\n", encoding="utf-8"
    )
    report = evaluated(REFERENCE, only=("functional", "robustness"))
    assert report.dimensions["robustness"].score is None
    assert report.functional.score == 0.8
    assert any(f.fault is Fault.HARNESS and "no folder repositories/shelf" in f.reason for f in report.faults)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import os\nos._exit(0)\n", 0.0),  # before anything was collected
        (REFERENCE.replace("return list(self._books)", "import os; os._exit(0)"), 0.0),  # in the first test
    ],
)
def test_leaving_early_passes_nothing(evaluated, code, expected):
    report = evaluated(code, only=("functional",))
    assert report.functional.score == expected


def test_a_hanging_suite_is_stopped_and_fails(evaluated):
    report = evaluated(
        REFERENCE.replace(
            "self._capacity, self._books", "while capacity < 0: pass\n        self._capacity, self._books"
        ),
        only=("robustness",),
    )
    assert report.provenance["ral_bench"]["suites"]["robustness"]["timeout"] is True
    # test_nothing was over before the hang; the one that hung has failed
    assert report.dimensions["robustness"].score == 0.5


def test_a_subject_does_not_take_the_place_of_pytest(evaluated, tmp_path):
    (tmp_path / "subject").mkdir()
    for name in ("pytest.py", "sitecustomize.py", "conftest.py", "json.py"):
        (tmp_path / "subject" / name).write_text("import os; os._exit(0)\n", encoding="utf-8")
    report = evaluated(REFERENCE, only=("functional",))
    assert outcomes(report)["test_holds"] == TestOutcome.PASSED


def test_high_risk_calls_are_counted_and_shown(evaluated):
    report = evaluated(REFERENCE + "\n\ndef run(text):\n    return eval(text)\n", only=("security",))
    assert report.dimensions["security"].score == 0.5  # (0 + 1) / (1 + 1)
    assert [(f.code, f.path, f.line) for f in report.findings] == [("high_risk", "shelf/__init__.py", 19)]


def test_a_task_file_outside_its_benchmark_is_refused(evaluated, benchmark, tmp_path):
    alone = tmp_path / "elsewhere" / "shelf.yaml"
    alone.parent.mkdir()
    alone.write_text(TASK, encoding="utf-8")
    subject = benchmark / "repositories" / "shelf"
    with pytest.raises(InputError, match="keep the task file inside a copy of the benchmark"):
        qualityscore.evaluate(subject, task=str(alone))
