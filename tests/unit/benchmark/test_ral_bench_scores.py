"""RAL-Bench's published scores come out of its published raw measures, to the fourth decimal."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from qualityscore.compat.ral_bench import RawMeasures, RawResult, SuiteRun, score_result
from qualityscore.compat.ral_bench_results import read_artifact
from qualityscore.errors import ReportError
from qualityscore.runtime.documents import load_profile

DIMENSIONS = {
    "maintainability": "score_maintainability",
    "security": "score_security",
    "robustness": "score_robustness",
    "efficiency": "score_performance",
    "resource": "score_resource",
}


@pytest.fixture(scope="module")
def profile():
    return load_profile("ral-bench")


@pytest.mark.parametrize("flat", [False, True])
def test_every_published_score_is_reproduced(published_rows, write_results, profile, tmp_path, flat):
    scores = {
        (r.model, r.task): score_result(r, profile)
        for r in read_artifact(write_results(tmp_path, published_rows, flat=flat)).results
    }
    assert len(scores) == len(published_rows) == 279
    differing = []
    for row in published_rows:
        mine = scores[row["model"], row["task"]]
        expected = {"functional": row["functional_score"], "non_functional": row["non_functional_score"]}
        expected |= {name: row[column] for name, column in DIMENSIONS.items()}
        found = {"functional": mine.functional, "non_functional": mine.non_functional, **mine.dimensions}
        differing += [
            (row["model"], row["task"], name, text, found[name])
            for name, text in expected.items()
            if round(found[name], 4) != float(text)
        ]
    assert differing == []


def test_baselines_come_from_the_task_files_where_a_result_has_none(published_rows, write_results, tmp_path, profile):
    row = next(r for r in published_rows if r["task"] == "Slugify")
    folder = write_results(tmp_path, [row], flat=True)
    file = folder / row["model"] / "results" / "Slugify_results.yaml"
    file.write_text("\n".join(line for line in file.read_text().splitlines() if not line.startswith("baseline_")))
    with pytest.raises(ReportError, match="has no baseline, and there is no task file for Slugify"):
        read_artifact(folder)
    tasks = folder / "tasks"
    tasks.mkdir()
    (tasks / "slugify.yaml").write_text(
        f"""
task_id: slugify
description: Turn text into slugs.
reference_repository: ./repositories/slugify
package: {{name: slugify}}
test_suite: {{functional: ./tests/Slugify/functional_test.py}}
baseline_metrics:
  performance: {{performance_suite_time_s: {row["baseline_performance_time_s"]}}}
  resource:
    avg_memory_mb: {row["baseline_avg_memory_mb"]}
    avg_cpu_percent: {row["baseline_avg_cpu_percent"]}
  security: {{metrics: {{high_risk_count: {row["baseline_high_risk_count"]}}}}}
  maintainability: {{metrics: {{mi_min: {row["baseline_mi_min"]}}}}}
"""
    )
    [result] = read_artifact(folder).results
    assert result.task == "Slugify"
    assert round(score_result(result, profile).non_functional, 4) == float(row["non_functional_score"])


PASSED = SuiteRun(returncode=0, passed=1, total=1)
GOOD = RawResult(
    model="m",
    task="t",
    baseline=RawMeasures(performance_s=2, memory_mib=100, cpu_percent=50, high_risk_count=1, mi_min=40),
    measures=RawMeasures(performance_s=4, memory_mib=200, cpu_percent=100, high_risk_count=3, mi_min=60),
    suites={
        "functional": SuiteRun(returncode=1, passed=3, failed=1, total=4),
        "robustness": SuiteRun(returncode=1, passed=1, failed=1, total=2),
        "performance": PASSED,
        "resource": PASSED,
    },
)


def test_a_result_by_hand(profile):
    scores = score_result(GOOD, profile)
    assert scores.functional == 0.75
    # maintainability 1.5/2.5, security (1+1)/(3+1), robustness 1/2, performance 2/4, resource mean(100/200, 50/100)
    assert scores.dimensions == pytest.approx(
        {"maintainability": 0.6, "security": 0.5, "robustness": 0.5, "efficiency": 0.5, "resource": 0.5}
    )
    assert scores.non_functional == pytest.approx(0.36 * 0.6 + 0.64 * 0.5)


def changed(suites=None, baseline=None, **measures):
    return replace(
        GOOD,
        suites={**GOOD.suites, **(suites or {})},
        baseline=replace(GOOD.baseline, **(baseline or {})),
        measures=replace(GOOD.measures, **measures),
    )


@pytest.mark.parametrize(
    ("result", "dimension", "score"),
    [
        (changed(high_risk_count=None), "security", 0),
        (changed(baseline={"high_risk_count": None}), "security", 0),
        (changed(high_risk_count=0, baseline={"high_risk_count": 0}), "security", 1),
        (changed(high_risk_count=0), "security", 1),
        (changed(mi_min=None), "maintainability", 0),
        (changed(baseline={"mi_min": 0}), "maintainability", 0),
        (changed(mi_min=0), "maintainability", 0),
        (changed(mi_min=40), "maintainability", 0.5),
        (changed({"robustness": SuiteRun()}), "robustness", 0),
        (changed({"performance": SuiteRun(returncode=1, failed=1, total=1)}), "efficiency", 0),
        (changed({"performance": SuiteRun(returncode=0, passed=1, failed=1, total=2)}), "efficiency", 0),
        (changed({"performance": SuiteRun(returncode=2, total=1)}), "efficiency", 0),
        (changed(performance_s=0), "efficiency", 0),
        (changed(performance_s=None), "efficiency", 0),
        (changed(baseline={"performance_s": 0}), "efficiency", 0),
        (changed(performance_s=1), "efficiency", 1),
        (changed({"resource": SuiteRun(returncode=1, failed=1, total=1)}), "resource", 0),
        (changed(memory_mib=None), "resource", 0),
        (changed(memory_mib=0), "resource", 0),
        (changed(cpu_percent=None), "resource", 0.5),
        (changed(cpu_percent=0, memory_mib=400), "resource", 0.25),
        (changed(baseline={"cpu_percent": 0}, memory_mib=400), "resource", 0.25),
        (changed(cpu_percent=500), "resource", (0.5 + 0.1) / 2),
    ],
)
def test_what_is_missing_or_failed_follows_the_benchmarks_rules(profile, result, dimension, score):
    assert score_result(result, profile).dimensions[dimension] == pytest.approx(score)


def test_no_collected_test_is_a_functional_nought(profile):
    assert score_result(changed({"functional": SuiteRun(returncode=5)}), profile).functional == 0


def test_a_result_that_is_none_is_refused_by_name(tmp_path):
    file = tmp_path / "gpt" / "results" / "Task_results.yaml"
    file.parent.mkdir(parents=True)
    for content, said in [
        ("[1, 2", "cannot be read as YAML"),
        ("- 1", "is not a mapping"),
        ("functional_color: 3", "holds none of RAL-Bench's suites"),
        ("&a [*a]", "cannot be read as YAML|is not a mapping"),
    ]:
        file.write_text(content)
        with pytest.raises(ReportError, match=said) as refusal:
            read_artifact(tmp_path)
        assert "Task_results.yaml" in str(refusal.value)


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(ReportError, match="holds no RAL-Bench results"):
        read_artifact(tmp_path)


def test_removing_a_task_never_changes_another_tasks_score(published_rows, write_results, profile, tmp_path):
    def scores(rows, folder):
        return {
            (r.model, r.task): (s.functional, s.non_functional, s.dimensions)
            for r in read_artifact(write_results(folder, rows)).results
            for s in [score_result(r, profile)]
        }

    some = [row for row in published_rows if row["model"] == "o3"][:12]
    everything = scores(some, tmp_path / "all")
    for left_out in some:
        rest = [row for row in some if row is not left_out]
        remaining = scores(rest, tmp_path / left_out["task"])
        assert remaining == {k: v for k, v in everything.items() if k[1] != left_out["task"]}


@pytest.mark.parametrize(
    "layout",
    [
        {"functional": {"passed": 3, "failed": 1, "returncode": 1}},
        {"results": {"functional": {"tests_passed": 3, "tests_failed": 1, "tests_total": 4}}},
        {"functional_passed": 3, "functional_failed": 1, "functional_total": 4},
        {"suites": [{"name": "functional", "passed": 3, "total": 4}, {"name": "robustness", "passed": 9, "total": 9}]},
        {"generated": {"functional": {"passed": 3, "total": 4}}, "baseline": {"functional": {"passed": 4, "total": 4}}},
        {"functional": {"passed": "3", "total": "4", "detail": {"passed": 1, "total": 9}}},
    ],
)
def test_a_number_is_found_by_what_its_key_says(tmp_path, layout, profile):
    file = tmp_path / "m" / "results" / "T_results.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(yaml.safe_dump({**layout, "baseline_mi_min": 10}))
    [result] = read_artifact(tmp_path).results
    assert score_result(result, profile).functional == 0.75


def test_a_result_with_its_own_baseline_does_not_need_sound_task_files(published_rows, write_results, tmp_path):
    folder = write_results(tmp_path, published_rows[:1])
    (folder / "tasks").mkdir()
    (folder / "tasks" / "other.yaml").write_text("not: a task file")
    found = read_artifact(folder)
    assert len(found.results) == 1
    assert found.tasks == (published_rows[0]["task"], "other")


SOUND = """
baseline_metrics: {performance: {elapsed_s: 1}, resource: {avg_memory_mb: 10, avg_cpu_percent: 90},
  security: {high_risk_count: 0}, maintainability: {mi_min: 5}}
functional: {returncode: 0, passed: 5, failed: 0, total: 5}
performance: {returncode: 0, passed: 1, total: 1, elapsed_s: 2, timeout: false}
resource: {returncode: 0, passed: 1, total: 1, avg_memory_mb: 20, avg_cpu_percent: 90}
security: {high_risk_count: 1}
"""


def one_result(folder, text):
    file = folder / "m" / "results" / "T_results.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("passed: 5", "passed: 10000", "functional.total"),
        ("passed: 5, failed: 0, total: 5", "passed: 3, failed: 9, total: 5", "functional.total"),
        ("passed: 5, failed: 0, total: 5", "passed: -5, failed: 0, total: -5", "functional.passed"),
        ("passed: 5", "passed: 4.9", "functional.passed"),
        ("passed: 5", "passed: true", "functional.passed"),
        ("passed: 5", "passed: many", "functional.passed"),
        ("passed: 5", "passed: .inf", "functional.passed"),
        ("passed: 5", "passed: 1" + "0" * 400, "functional.passed"),
        ("passed: 5", "passed: 2020-01-01", "functional.passed"),
        ("passed: 5", "passed: 5, Passed: 4", "functional.passed"),
        ("returncode: 0, passed: 5", "returncode: 'nan', passed: 5", "functional.returncode"),
        ("elapsed_s: 2", "elapsed_s: .inf", "performance.elapsed_s"),
        ("elapsed_s: 1", "elapsed_s: -1.0", "baseline_metrics.performance.elapsed_s"),
        ("mi_min: 5", "mi_min: .nan", "baseline_metrics.maintainability.mi_min"),
        ("avg_cpu_percent: 90}\nsec", "avg_cpu_percent: .nan}\nsec", "resource.avg_cpu_percent"),
        ("avg_memory_mb: 20", "avg_memory_mb: 1.0e+308", "resource.avg_memory_mb"),
        ("high_risk_count: 1", "high_risk_count: -3", "security.high_risk_count"),
        ("timeout: false", "timeout: sometimes", "performance.timeout"),
    ],
)
def test_a_number_that_cannot_be_is_refused_by_file_and_key(tmp_path, before, after, key):
    read_artifact(one_result(tmp_path, SOUND).parent.parent)
    assert before in SOUND
    file = one_result(tmp_path, SOUND.replace(before, after))
    with pytest.raises(ReportError) as refusal:
        read_artifact(tmp_path)
    assert str(refusal.value).startswith(f"The result {file} is not valid: key '{key}': ")


def test_a_value_that_is_missing_stays_the_benchmarks_nought(tmp_path, profile):
    one_result(tmp_path, SOUND.replace("mi_min: 5", "mi_min: null").replace("elapsed_s: 2", "elapsed_s: null"))
    scores = score_result(read_artifact(tmp_path).results[0], profile)
    # Performance without a time and maintainability without an index are 0; memory 10/20 and CPU 90/90 are not.
    assert scores.dimensions["efficiency"] == scores.dimensions["maintainability"] == 0
    assert scores.dimensions["resource"] == pytest.approx((0.5 + 1) / 2)


def bomb(levels, width):
    """YAML of `levels` mappings, each with `width` aliases of the one before."""
    lines = ["a0: &a0 {x: 1}"]
    for i in range(1, levels):
        lines.append(f"a{i}: &a{i} {{{', '.join(f'k{j}: *a{i - 1}' for j in range(width))}}}")
    return "\n".join(lines) + "\n"


def merges(levels, width):
    """The same by merge keys."""
    lines = [f"a0: &a0 {{{', '.join(f'x{j}: 1' for j in range(width))}}}"]
    for i in range(1, levels):
        lines.append(f"a{i}: &a{i}\n  <<: [{', '.join([f'*a{i - 1}'] * width)}]")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (bomb(11, 9), "more than 200000 keys and values"),
        (merges(9, 10), "more than 200000 keys and values"),
        ("a: &a {b: *a}\n", "more than 200000 keys and values"),
        ("x: 1\nfunctional: {}\nx: 2\n", "line 3: key 'x' is given twice"),
        ("\nwhen: 2020-99-99\n", "line 2: '2020-99-99' is no timestamp"),
        ("x: !!int abc\n", "line 1: 'abc' is no int"),
        ("x: !!bool abc\n", "line 1: 'abc' is no bool"),
        ("x: !!timestamp abc\n", "line 1: 'abc' is no timestamp"),
        ("x: 0x_\n", "line 1: '0x_' is no int"),
        ("x: 9" + "9" * 5000 + "\n", "is no int"),
        ("a: " + "[" * 100_000, ""),
    ],
)
def test_yaml_that_would_hang_crash_or_lose_a_value_is_refused(tmp_path, text, said):
    file = one_result(tmp_path, text + SOUND)
    with pytest.raises(ReportError, match="cannot be read as YAML") as refusal:
        read_artifact(tmp_path)
    assert said in str(refusal.value)
    assert str(file) in str(refusal.value)


def test_a_few_aliases_are_what_they_stand_for(tmp_path, profile):
    text = SOUND.replace("performance: {returncode: 0", "performance: &p {returncode: 0") + "robustness: *p\n"
    one_result(tmp_path, text)
    assert score_result(read_artifact(tmp_path).results[0], profile).dimensions["robustness"] == 1


def test_the_documented_result_file_is_one(tmp_path, profile):
    page = Path(__file__).parents[3] / "docs" / "howto" / "ral-bench.md"
    one_result(tmp_path, page.read_text("utf-8").split("```yaml\n")[1].split("```")[0])
    scores = score_result(read_artifact(tmp_path).results[0], profile)
    assert scores.functional == 9 / 12
    # maintainability 1/(1 + 1), security (0 + 1)/(0 + 1), 4 of 4, time 1.2/2.4, mean of memory 31.25/62.5 and CPU 1
    assert scores.dimensions == pytest.approx(
        {"maintainability": 0.5, "security": 1, "robustness": 1, "efficiency": 0.5, "resource": 0.75}
    )
