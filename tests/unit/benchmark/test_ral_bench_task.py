"""RAL-Bench's task files and the ways in which its suites look for the subject."""

import os

import pytest

from qualityscore.compat.ral_bench import RawMeasures
from qualityscore.compat.ral_bench_task import (
    baseline_of,
    benchmark_root,
    read_task_file,
    reference_folder,
    suite_environment,
)
from qualityscore.errors import TaskError

TASK = """
task_id: shelf
domain: lib
difficulty: easy
description: |
  A shelf of books with a capacity.
interfaces: {type: LIB, language: python, entry_point: shelf/__init__.py}
reference_repository: ./repositories/shelf
baseline_metrics:
  performance: {performance_suite_time_s: 1.5, performance_tests_total: 1}
  resource: {resource_suite_time_s: 1.0, avg_memory_mb: 30, avg_cpu_percent: 99.5}
  functional: {functional_suite_time_s: 1.0, functional_tests_total: 3}
  security: {metrics: {high_risk_count: 0.0, files_scanned: 2.0}}
  maintainability: {metrics: {mi_min: 33.5, max_cc: 4}}
test_suite:
  functional: ./tests/Book_Shelf/functional_test.py
  performance: ./tests/Book_Shelf/performance_test.py
  security: ./tests/_generic/security_test.py
generated_repository: ./generation/Book_Shelf
package: {name: shelf, root_dir: .}
files:
  - {path: shelf/__init__.py, role: package_init, description: The package.}
suite_timeouts_s: {functional: 60}
api_contract: {classes: [Shelf]}
"""


def write(folder, text=TASK):
    file = folder / "shelf.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_task_file_is_read(tmp_path):
    task = read_task_file(write(tmp_path))
    assert (task.task_id, task.package.name, task.project) == ("shelf", "shelf", "Book_Shelf")
    assert task.suite_timeouts_s == {"functional": 60}
    assert [file.path for file in task.files] == ["shelf/__init__.py"]


def test_the_baseline_is_taken_from_both_depths(tmp_path):
    assert baseline_of(read_task_file(write(tmp_path))) == RawMeasures(
        performance_s=1.5, memory_mib=30, cpu_percent=99.5, high_risk_count=0, mi_min=33.5
    )


def test_only_what_the_format_demands_is_needed(tmp_path):
    required = ("task_id", "description", "reference_repository", "baseline_metrics", "test_suite", "package")
    small = """
task_id: t
description: x
reference_repository: ./r
baseline_metrics: {}
test_suite: {functional: ./tests/Some/functional_test.py}
package: {name: t}
"""
    task = read_task_file(write(tmp_path, small))
    assert (task.project, baseline_of(task)) == ("Some", RawMeasures())
    for key in required:
        lines = [line for line in small.splitlines() if not line.startswith(f"{key}:")]
        with pytest.raises(TaskError, match=f"key '{key}' is missing"):
            read_task_file(write(tmp_path, "\n".join(lines)))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("difficulty:", "dificulty:", "key 'dificulty' is unknown .did you mean 'difficulty'"),
        ("functional: ./tests", "funktional: ./tests", "test_suite.funktional"),
        ("avg_memory_mb: 30", "avg_memory_mb: much", "baseline_metrics.resource.avg_memory_mb"),
        ("avg_memory_mb: 30", "avg_memory_mb: .nan", "baseline_metrics.resource.avg_memory_mb"),
        ("suite_timeouts_s: {functional: 60}", "suite_timeouts_s: {functional: 0}", "greater than 0"),
        ("package: {name: shelf, root_dir: .}", "package: shelf", "key 'package'"),
        ("name: shelf", 'name: "she\\0lf"', "key 'package.name'"),
        ("{functional: 60}", "{functional: 1.0e+300}", "suite_timeouts_s.functional': .*less than or equal to 86400"),
        (
            "./generation/Book_Shelf",
            "../../../../tmp/zz",
            "key 'generated_repository': .* out of the benchmark's folder",
        ),
        ("./repositories/shelf", "/etc", "key 'reference_repository': .* out of the benchmark's folder"),
        (
            "./repositories/shelf",
            "repositories/../../etc",
            "key 'reference_repository': .* out of the benchmark's folder",
        ),
        ("./tests/_generic/security_test.py", "/etc/passwd", "key 'test_suite.security': .* out of the benchmark's"),
        ("./tests/_generic/security_test.py", "./tasks/x.py", "key 'test_suite.security': .* folder tests"),
        ("performance_suite_time_s: 1.5", "performance_suite_time_s: -1.0", "baseline_metrics': performance, perf"),
        ("mi_min: 33.5", "mi_min: 133.5", "baseline_metrics': maintainability, mi_min"),
        ("task_id: shelf", "task_id: shelf\ntask_id: other", "line 3: key 'task_id' is given twice"),
        ("difficulty: easy", "difficulty: 2020-99-99", "line 4: '2020-99-99' is no timestamp"),
        ("difficulty: easy", "difficulty: !!int abc", "line 4: 'abc' is no int"),
        ("task_id: shelf", "task_id: [1", "is not YAML"),
    ],
)
def test_a_bad_task_file_is_refused_with_the_key_named(tmp_path, before, after, said):
    assert before in TASK
    with pytest.raises(TaskError, match=said) as refusal:
        read_task_file(write(tmp_path, TASK.replace(before, after)))
    assert "shelf.yaml" in str(refusal.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TaskError, match=r"missing\.yaml cannot be read"):
        read_task_file(tmp_path / "missing.yaml")


def test_a_task_file_that_would_never_end_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    for name in ("pipe.yaml", "zero.yaml"):
        with pytest.raises(TaskError, match=f"{name} cannot be read: it is no regular file"):
            read_task_file(tmp_path / name)
    (tmp_path / "link.yaml").symlink_to(write(tmp_path))
    assert read_task_file(tmp_path / "link.yaml").task_id == "shelf"


def test_the_root_is_the_nearest_folder_above_that_has_a_suite(tmp_path):
    tasks = tmp_path / "tasks" / "lib"
    tasks.mkdir(parents=True)
    file = write(tasks)
    task = read_task_file(file)
    with pytest.raises(TaskError, match="No folder above"):
        benchmark_root(file, task)
    suite = tmp_path / "tests" / "Book_Shelf"
    suite.mkdir(parents=True)
    (suite / "performance_test.py").write_text("")
    assert benchmark_root(file, task) == tmp_path


def test_the_reference_lies_in_the_benchmark_or_is_not_there(tmp_path):
    root = tmp_path / "benchmark"
    root.mkdir()
    task = read_task_file(write(root))
    assert reference_folder(root, task) is None
    (root / "repositories").mkdir()
    (root / "copies" / "shelf").mkdir(parents=True)
    link = root / "repositories" / "shelf"
    link.symlink_to(root / "copies" / "shelf")
    assert reference_folder(root, task) == link
    link.unlink()
    link.symlink_to("/etc")
    with pytest.raises(TaskError, match="repositories/shelf of shelf is a link out of the benchmark's folder"):
        reference_folder(root, task)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("import shelf", "generated"),
        ('t = os.environ["SHELF_TARGET"]\nif t == "generated": pass', "generated"),
        ('t = os.environ["SHELF_TARGET"]\nif t == "generation": pass', "generation"),
        ('if t in ("reference", "generation"): pass', "generation"),
        ('if t in ("generated", "generation"): pass', "generated"),
        ('ROOTS = {"reference": 1, "generation": 2}', "generation"),
        ('match t:\n    case "generation": pass', "generation"),
        ('path = ROOT / "generation" / "Book_Shelf"', "generated"),
        ("def broken(:", "generated"),
    ],
)
def test_a_suite_is_told_the_word_that_it_accepts(tmp_path, source, target):
    variables = suite_environment(read_task_file(write(tmp_path)), source, "/subject")
    assert variables["BOOK_SHELF_TARGET"] == target
    assert variables["RACB_REPO_ROOT"] == "/subject"
    assert variables["RACB_PACKAGE_NAME"] == "shelf"


def test_a_target_variable_of_another_name_is_set_too(tmp_path):
    variables = suite_environment(read_task_file(write(tmp_path)), 'os.getenv("SHELF_LIB_TARGET")', "/subject")
    assert variables["SHELF_LIB_TARGET"] == "generated"
