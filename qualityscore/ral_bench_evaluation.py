"""`evaluate` against one of RAL-Bench's task files: its suites, its baseline, its arithmetic."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from qualityscore.compat import ral_bench_static as static
from qualityscore.compat.ral_bench import RawMeasures, RawResult, outcomes
from qualityscore.compat.ral_bench_run import LOCK, PYTHON_RANGE, RUNNING_SUITES, Bench, SuiteRecord, copy_suites
from qualityscore.compat.ral_bench_task import (
    RalTask,
    Suite,
    baseline_of,
    benchmark_root,
    parse_task,
    reference_folder,
    task_bytes,
)
from qualityscore.core.profile import Profile
from qualityscore.core.score import Scored, effective, score
from qualityscore.errors import QualityScoreError
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Fault, Outcome, Unavailable
from qualityscore.model.outcome import TestOutcome
from qualityscore.model.report import (
    DIMENSIONS,
    SCHEMA_VERSION,
    SCORE_MODEL,
    CredibilityReport,
    FaultReport,
    FunctionalReport,
    Report,
    Status,
    SubjectInfo,
    TaskInfo,
)
from qualityscore.runtime import documents, environment, provenance, workspace
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox.base import Level
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Tree

PROFILE = "ral-bench"
_FUNCTIONAL = "functional"
_SUITE_OF: dict[str, Suite] = {
    _FUNCTIONAL: "functional",
    "robustness": "robustness",
    "efficiency": "performance",
    "resource": "resource",
}
_MEASURES_OF: dict[Suite, tuple[str, ...]] = {
    "robustness": ("robustness.passed",),
    "performance": ("performance.time",),
    "resource": ("memory.mean", "cpu.mean"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was gathered on one repository; `lost` names the suites that tell nothing about it, with the reason."""

    records: dict[Suite, SuiteRecord]
    lost: dict[Suite, str]
    calls: tuple[static.HighRiskCall, ...]
    mi_min: float


def evaluate(
    repo: Path,
    task_file: Path,
    *,
    wanted: frozenset[str],
    profile: str,
    label: str | None,
    sample: int | None,
    unsafe: bool,
    required: Level | None = None,
    lock: Path | None,
    progress: Callable[[str, int, int], None],
) -> Report:
    """Run the suites that `wanted` ("functional" and dimensions) needs and score by `profile`.

    `lock` holds the hash-locked requirements of the environment (pytest is needed); the bundled one has pytest and
    psutil only. The reference is measured too where the task's `reference_repository` is there. Raises InputError for
    what the caller gave; faults of the harness are in the report.
    """
    started = datetime.now(UTC)
    content = task_bytes(task_file)
    task = parse_task(content, task_file)
    root = benchmark_root(task_file, task)
    reference = reference_folder(root, task)
    weights = documents.load_profile(profile)
    names = [s for s in RUNNING_SUITES if s in task.test_suite and s in _needed(wanted)]
    with scratch_folder("qualityscore-") as scratch:
        copied = workspace.copy(repo, scratch / "subject", (task.package.name,))
        suites_digest = copy_suites(root, task, scratch / "suites")
        sandbox = select(required=required, unsafe=unsafe)
        progress("environment", 0, 0)
        built = environment.ensure(lock or LOCK, PYTHON_RANGE, cache_root())
        bench = Bench(task=task, suites=scratch / "suites", environment=built, sandbox=sandbox)
        measured = measure(bench, copied.tree, names, progress)
        expected = _reference_ids(bench, reference, scratch / "reference", measured, progress)
    subject = SubjectInfo(
        path=str(repo), digest=copied.tree.digest, label=label, sample=sample, files=len(copied.tree.files)
    )
    scored = score_measured(task, measured, weights, wanted)
    functional = functional_report(measured) if _FUNCTIONAL in wanted else _no_functional()
    faults = (
        *(FaultReport(stage=name, fault=Fault.HARNESS, reason=reason) for name, reason in measured.lost.items()),
        *scored.faults,
    )
    digest = hashlib.sha256(content + suites_digest.encode()).hexdigest()
    return Report(
        schema_version=SCHEMA_VERSION,
        score_model=SCORE_MODEL,
        status=_status(functional, scored, wanted),
        subject=subject,
        task=TaskInfo(id=task.task_id, title=task.task_id, digest=digest, reference=task.reference_repository),
        functional=functional,
        credibility=CredibilityReport(score=None),
        non_functional=scored.non_functional,
        dimensions=scored.dimensions,
        effective=effective(functional.score, scored.non_functional.score),
        findings=(*_findings(measured), *provenance.left_out_findings(copied.skipped)),
        faults=tuple(faults),
        provenance=provenance.describe(
            profile_name=profile,
            profile_digest=weights.digest,
            task_digest=digest,
            subject=subject,
            environment=built,
            sandbox=sandbox,
            counter=None,
            cost_details={},
            tool_versions={},
            seeds={"hash": 0},
            not_copied=copied.skipped,
            started=started,
            ended=datetime.now(UTC),
        )
        | {"ral_bench": {"suites": _runs(measured), "reference": expected}},
    )


def _needed(wanted: frozenset[str]) -> set[Suite]:
    return {_SUITE_OF[name] for name in wanted if name in _SUITE_OF}


def measure(bench: Bench, tree: Tree, names: list[Suite], progress: Callable[[str, int, int], None]) -> Measured:
    """Run the suites one after the other, and take the two static measures; a fault costs its suite only."""
    records: dict[Suite, SuiteRecord] = {}
    lost: dict[Suite, str] = {}
    for name in names:
        progress(name, 0, 0)
        try:
            records[name] = bench.run(name, tree)
        except QualityScoreError as error:
            lost[name] = str(error)
            continue
        if reason := records[name].lost:
            lost[name] = reason
    progress("static", 0, 0)
    return Measured(
        records=records,
        lost=lost,
        calls=static.high_risk_calls(tree.root),
        mi_min=static.mi_min(static.file_indices(tree.root)),
    )


def score_measured(task: RalTask, measured: Measured, profile: Profile, wanted: frozenset[str]) -> Scored:
    """The published arithmetic, but for suites that the harness lost: those are unmeasured, not nought."""
    resource, performance = measured.records.get("resource"), measured.records.get("performance")
    raw = RawResult(
        model="",
        task=task.task_id,
        baseline=baseline_of(task),
        measures=RawMeasures(
            performance_s=performance.run.elapsed_s if performance else None,
            memory_mib=resource.memory_mib if resource else None,
            cpu_percent=resource.cpu_percent if resource else None,
            high_risk_count=len(measured.calls),
            mi_min=measured.mi_min,
        ),
        suites={name: record.run for name, record in measured.records.items()},
    )
    baseline, subject = outcomes(raw)
    unmeasured: dict[str, Outcome] = {
        measure: Unavailable(reason=reason, fault=Fault.HARNESS)
        for name, reason in measured.lost.items()
        for measure in _MEASURES_OF.get(name, ())
    }
    return score(
        profile,
        baseline=baseline,
        subject=subject | unmeasured,
        credibility=None,
        tampered=False,
        left_out=frozenset(DIMENSIONS) - wanted,
        rng=np.random.default_rng(0),
    )


def functional_report(measured: Measured) -> FunctionalReport:
    """F over the collected tests."""
    record = measured.records.get("functional")
    if record is None or "functional" in measured.lost:
        return _no_functional()
    collected = all(test.id != "collection" for test in record.tests)
    return FunctionalReport(
        score=record.run.pass_rate,
        passed=record.run.passed,
        expected=record.run.total,
        build=collected,
        test=record.run.pass_rate if collected else None,
        full=collected and record.run.passed == record.run.total,
        tests=record.tests,
    )


def _no_functional() -> FunctionalReport:
    return FunctionalReport(score=None, passed=0, expected=0, build=None, test=None, full=None)


def _status(functional: FunctionalReport, scored: Scored, wanted: frozenset[str]) -> Status:
    values = [functional.score, *(d.score for d in scored.dimensions.values())]
    if all(value is None for value in values):
        return Status.FAILED
    everything = wanted == {_FUNCTIONAL, *DIMENSIONS}
    whole = everything and functional.score is not None and scored.non_functional.score is not None
    return Status.COMPLETE if whole else Status.PARTIAL


def _findings(measured: Measured) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            code="high_risk",
            tool="ral-bench",
            message=f"call of {call.name}",
            severity=Severity.HIGH,
            path=call.path,
            line=call.line,
            dimension="security",
            measure="high_risk.count",
            points=1.0,
        )
        for call in measured.calls
    )


def _runs(measured: Measured) -> dict[str, Any]:
    return {
        name: {
            "returncode": record.run.returncode,
            "passed": record.run.passed,
            "failed": record.run.failed,
            "skipped": record.run.skipped,
            "total": record.run.total,
            "timeout": record.run.timed_out,
            "elapsed_s": record.run.elapsed_s,
            "avg_memory_mb": record.memory_mib,
            "avg_cpu_percent": record.cpu_percent,
        }
        for name, record in measured.records.items()
    }


def _reference_ids(
    bench: Bench, folder: Path | None, copy_to: Path, measured: Measured, progress: Callable[[str, int, int], None]
) -> dict[str, Any] | None:
    """What F would be over the tests that the reference passes, where it is there and the subject was run."""
    own = measured.records.get("functional")
    if own is None or folder is None:
        return None
    progress("reference", 0, 0)
    try:
        tree = workspace.copy(folder, copy_to, (bench.task.package.name,)).tree
        record = bench.run("functional", tree)
    except QualityScoreError as error:
        return {"error": str(error)}
    ids = {test.id for test in record.tests if test.outcome is TestOutcome.PASSED}
    passed = sum(test.id in ids and test.outcome is TestOutcome.PASSED for test in own.tests)
    return {"expected": len(ids), "passed": passed, "score": passed / len(ids) if ids else None}
