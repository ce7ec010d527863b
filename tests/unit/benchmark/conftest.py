"""An artifact folder in RAL-Bench's layout, written from the published figures."""

import argparse
import csv
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml

from qualityscore.core.score import effective
from qualityscore.core.score import score as score_outcomes
from qualityscore.errors import QualityScoreError
from qualityscore.model.codec import dump
from qualityscore.model.measure import Direction, Measured, MetricSpec
from qualityscore.model.outcome import Failure, FailureClass, TestResult
from qualityscore.model.outcome import TestOutcome as Outcome
from qualityscore.model.report import (
    SCORE_MODEL,
    CredibilityReport,
    FunctionalReport,
    Report,
    Status,
    SubjectInfo,
    TaskInfo,
)
from qualityscore.runtime.documents import load_profile

DATA = Path(__file__).resolve().parents[2] / "data" / "ral_bench"
SUITES = ("functional", "performance", "resource", "robustness", "security", "maintainability")
INTEGERS = ("returncode", "passed", "failed", "skipped", "total")


def published() -> list[dict[str, str]]:
    """The rows of results.csv."""
    with (DATA / "results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(cell: str) -> float | None:
    """A cell as a number; an empty one has no value."""
    return None if cell == "" else float(cell)


def nested_result(row: dict[str, str]) -> dict[str, Any]:
    """One result file's content: a mapping per suite, static measures under `metrics`, the baseline beside it."""
    results: dict[str, Any] = {}
    for suite in SUITES:
        run: dict[str, Any] = {k: number(row[f"{suite}_{k}"]) for k in INTEGERS}
        run = {k: None if v is None else int(v) for k, v in run.items()}
        run["timeout"] = row[f"{suite}_timeout"] == "True"
        run["elapsed_time_s"] = number(row[f"{suite}_elapsed_s"])
        results[suite] = run
    results["resource"]["avg_memory_mb"] = number(row["resource_avg_memory_mb"])
    results["resource"]["avg_cpu_percent"] = number(row["resource_avg_cpu_percent"])
    results["security"]["metrics"] = {"high_risk_count": number(row["security_high_risk_count"])}
    results["maintainability"]["metrics"] = {"mi_min": number(row["maintainability_mi_min"])}
    return {"task_id": row["task"].lower(), "results": results, "baseline_metrics": baseline(row)}


def baseline(row: dict[str, str]) -> dict[str, Any]:
    """The baseline as a task file has it."""
    return {
        "performance": {"performance_suite_time_s": number(row["baseline_performance_time_s"])},
        "resource": {
            "avg_memory_mb": number(row["baseline_avg_memory_mb"]),
            "avg_cpu_percent": number(row["baseline_avg_cpu_percent"]),
        },
        "security": {"metrics": {"high_risk_count": number(row["baseline_high_risk_count"])}},
        "maintainability": {"metrics": {"mi_min": number(row["baseline_mi_min"])}},
    }


def write_artifact(folder: Path, rows: list[dict[str, str]], *, flat: bool = False) -> Path:
    """Write `<model>/results/<Task>_results.yaml` for every row; `flat` writes the columns as they are."""
    for row in rows:
        file = folder / row["model"] / "results" / f"{row['task']}_results.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        raw = {k: v for k, v in row.items() if "score" not in k and k not in ("model", "task")}
        content = {k: number(v) if v not in ("True", "False") else v == "True" for k, v in raw.items()}
        file.write_text(yaml.dump(content if flat else nested_result(row), Dumper=yaml.CSafeDumper), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def published_rows():
    """The rows of results.csv."""
    return published()


@pytest.fixture(scope="session")
def write_results():
    """Writes rows of results.csv as an artifact folder."""
    return write_artifact


@pytest.fixture(scope="session")
def artifact(tmp_path_factory):
    """A folder with every published result."""
    return write_artifact(tmp_path_factory.mktemp("artifact"), published())


class Ran(NamedTuple):
    """What a command left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


@pytest.fixture
def command(capsys):
    """Runs a command by its module, as the command line does: an error of ours becomes its exit code."""

    def run(*argv: object) -> Ran:
        parser = argparse.ArgumentParser()
        module = import_module(f"qualityscore.commands.{argv[0]}")
        module.add_parser(parser.add_subparsers())
        arguments = parser.parse_args([str(a) for a in argv])
        code = 0
        try:
            code = arguments.run(arguments)
        except QualityScoreError as error:
            code = error.exit_code
            sys.stderr.write(str(error))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def write_report():
    """Writes a report whose every measure scores `score`, for a label on a task."""

    def write_one(folder: Path, label: str, task: str, *, score: float = 0.5, passed: int = 5, **changes: Any) -> Path:
        profile = load_profile("reference")
        never = changes.pop("never", ())  # dimensions that do not apply to the task
        specs = [spec for dimension in profile.dimensions if dimension.id not in never for spec in dimension.metrics]
        baseline = {s.id: Measured(value=1.0 if s.better is Direction.HIGHER else 100.0) for s in specs}
        subject = {s.id: Measured(value=value_for(s, baseline[s.id].value, score)) for s in specs}
        scored = score_outcomes(
            profile,
            baseline=baseline,
            subject=subject,
            credibility=1.0,
            tampered=False,
            left_out=frozenset(changes.pop("left_out", ())),
            rng=np.random.default_rng(0),
        )
        report = Report(
            schema_version="1.0",
            score_model=changes.pop("score_model", SCORE_MODEL),
            status=Status.PARTIAL if scored.non_functional.score is None else Status.COMPLETE,
            subject=SubjectInfo(
                path=f"/somewhere/{label}", digest=None, label=label, sample=changes.pop("sample", None)
            ),
            task=TaskInfo(id=task, title=task, digest=f"digest of {task}", reference="r"),
            functional=FunctionalReport(
                score=passed / 10,
                passed=passed,
                expected=10,
                build=True,
                test=passed / 10,
                full=passed == 10,
                tests=ten_tests(passed),
            ),
            credibility=CredibilityReport(score=1.0),
            non_functional=scored.non_functional,
            dimensions=scored.dimensions,
            effective=effective(passed / 10, scored.non_functional.score),
            findings=changes.pop("findings", ()),
            provenance={
                "profile": profile.name,
                "profile_digest": profile.digest,
                "tools": {"pylint": "4.1"},
                **changes,
            },
        )
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{label}-{task}-{report.subject.sample or 0}.json"
        file.write_text(dump(report), encoding="utf-8")
        return file

    return write_one


@pytest.fixture
def write_ral_report():
    """Writes a report of `evaluate --task FILE.yaml` whose every measure equals the baseline's."""

    def write_one(file: Path, label: str, task: str, **changes: Any) -> Path:
        profile = load_profile("ral-bench")
        same = {s.id: Measured(value=10.0) for d in profile.dimensions for s in d.metrics}
        scored = score_outcomes(
            profile, baseline=same, subject=same, credibility=None, tampered=False, rng=np.random.default_rng(0)
        )
        report = Report(
            schema_version="1.0",
            score_model=changes.pop("score_model", SCORE_MODEL),
            status=Status.COMPLETE,
            subject=SubjectInfo(path=f"/x/{label}", digest=None, label=label, sample=changes.pop("sample", None)),
            task=TaskInfo(id=task, title=task, digest="d", reference="r"),
            functional=FunctionalReport(
                score=0.5, passed=5, expected=10, build=True, test=0.5, full=False, tests=ten_tests(5)
            ),
            credibility=CredibilityReport(score=None),
            non_functional=scored.non_functional,
            dimensions=scored.dimensions,
            effective=effective(0.5, scored.non_functional.score),
            provenance={"profile": profile.name, "profile_digest": profile.digest, "ral_bench": {}, **changes},
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dump(report), encoding="utf-8")
        return file

    return write_one


def ten_tests(passed: int) -> tuple[TestResult, ...]:
    """Ten results, the first of which passed."""
    failure = Failure(class_name=FailureClass.MISMATCH, subclass="wrong_value", message="no")
    return tuple(
        TestResult(id=f"test_{i}", outcome=Outcome.PASSED)
        if i < passed
        else TestResult(id=f"test_{i}", outcome=Outcome.FAILED, failure=failure)
        for i in range(10)
    )


def value_for(spec: MetricSpec, baseline: float, score: float) -> float:
    """The raw value that gives a score, by solving the rule of the specification for g."""
    epsilon = max(spec.epsilon, spec.epsilon_share * baseline)
    wanted = score * (1 - spec.tolerance)
    if spec.better is Direction.HIGHER:
        return wanted * (baseline + epsilon) - epsilon
    return (baseline + epsilon) / wanted - epsilon
