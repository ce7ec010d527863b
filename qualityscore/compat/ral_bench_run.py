"""Running RAL-Bench's suites in our sandbox, each in a process of its own, counted by that benchmark's rules.

The suites assert beside the subject, in one process with it, as their authors wrote them: what this run says can be
forged by a subject that sets out to, unlike the verdicts of our own tasks (docs/howto/ral-bench.md says so).
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from qualityscore.compat.ral_bench import SuiteRun
from qualityscore.compat.ral_bench_task import RalTask, Suite, suite_environment
from qualityscore.errors import HarnessError, TaskError
from qualityscore.model.bounds import seconds
from qualityscore.model.outcome import Failure, FailureClass, TestOutcome, TestResult
from qualityscore.runtime.leases import spare_cpus
from qualityscore.runtime.process import Exited, Limits, TimedOut
from qualityscore.runtime.sandbox.base import (
    ENV_DIR,
    INSIDE_DIR,
    SUBJECT_DIR,
    SUITE_DIR,
    WORK_DIR,
    Launch,
    Mount,
    Sandbox,
)
from qualityscore.runtime.sandbox.scenery import package_folders
from qualityscore.runtime.supervision import INSIDE_SOURCES
from qualityscore.runtime.target import Environment, Tree

LOCK = Path(__file__).with_name("ral_bench_environment.txt")
PYTHON_RANGE = ">=3.11"
RUNNING_SUITES: tuple[Suite, ...] = ("functional", "robustness", "performance", "resource")
TIMED_OUT_CODE = 124

_DEFAULT_TIMEOUT_S = 240.0
_GRACE_S = 20.0
_MESSAGE_BYTES = 8 << 20
_OUTPUT_BYTES = 1 << 16
_MEMORY_BYTES = 4 << 30
_SUITE_FOLDERS = ("tests", "tasks")
_MAX_SUITE_FILES = 20_000
_MAX_SUITE_BYTES = 256 << 20
_MISMATCH, _EXECUTABILITY = FailureClass.MISMATCH, FailureClass.EXECUTABILITY
_OTHER = (_MISMATCH, "unexpected_exception")
_CLASSES = {
    "AssertionError": (_MISMATCH, "wrong_value"),
    "Failed": (_MISMATCH, "wrong_exception"),  # pytest.raises saw none
    "AttributeError": (_MISMATCH, "missing_attribute"),
    "ModuleNotFoundError": (_EXECUTABILITY, "missing_module"),
    "ImportError": (_EXECUTABILITY, "missing_name"),
    "RecursionError": (FailureClass.NON_FUNCTIONAL, "recursion"),
    "MemoryError": (FailureClass.NON_FUNCTIONAL, "memory"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRecord:
    """What one suite's run showed: MiB, per cent of one core, and the results test by test.

    `lost` says why the run tells nothing about the subject: the suite looked for something that this harness does not
    give.
    """

    run: SuiteRun
    tests: tuple[TestResult, ...] = ()
    memory_mib: float | None = None
    cpu_percent: float | None = None
    output: str = ""
    lost: str | None = None


class _Reported(BaseModel):
    """What the supervisor inside writes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    returncode: int
    timed_out: bool
    elapsed_s: float
    cpu_s: float
    memory_bytes: float | None
    overflow: bool
    messages: list[str]
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The benchmark's suites, copied aside from its references and results, with what is needed to run them."""

    task: RalTask
    suites: Path
    environment: Environment
    sandbox: Sandbox

    def run(self, name: Suite, tree: Tree) -> SuiteRecord:
        """Run one suite on one repository. Raises HarnessError where the sandbox or the supervisor breaks."""
        suite = _relative(self.task.test_suite[name])
        timeout_s = self.task.suite_timeouts_s.get(name, _DEFAULT_TIMEOUT_S)
        source = (self.suites / suite).read_text("utf-8", "replace")
        plan = {
            "suites": SUITE_DIR,
            "subject": SUBJECT_DIR,
            "root": f"{WORK_DIR}/benchmark",
            "project": self.task.project,
            "suite": suite,
            "child": f"{INSIDE_DIR}/ral_bench_child.py",
            "env": suite_environment(self.task, source, "{subject}"),
            "wall_s": timeout_s,
            "message_bytes": _MESSAGE_BYTES,
            "output_bytes": _OUTPUT_BYTES,
        }
        launch = Launch(
            argv=(self.environment.python, "-sPB", f"{INSIDE_DIR}/ral_bench_supervisor.py"),
            mounts=(
                Mount(source=self.environment.base_prefix, target=str(self.environment.base_prefix)),
                Mount(source=self.environment.prefix, target=ENV_DIR),
                Mount(source=tree.root, target=SUBJECT_DIR),
                Mount(source=INSIDE_SOURCES, target=INSIDE_DIR),
                Mount(source=self.suites, target=SUITE_DIR),
            ),
            env={},
            limits=Limits(
                wall_s=timeout_s + _GRACE_S,
                cpu_s=timeout_s + _GRACE_S,
                memory_bytes=_MEMORY_BYTES,
                processes=128,
                file_size_bytes=256 << 20,
                open_files=512,
                output_bytes=4 * _MESSAGE_BYTES,
            ),
            scratch_bytes=1 << 30,
            stdin=json.dumps(plan).encode(),
            cpus=spare_cpus(),
            hidden=tuple(package_folders(self.environment.base_prefix)),
        )
        outcome = self.sandbox.run(launch)
        if isinstance(outcome, TimedOut):
            return SuiteRecord(run=_timed_out(timeout_s))
        if not isinstance(outcome, Exited) or outcome.code != 0:
            said = " ".join(outcome.stderr.decode("utf-8", "replace").split())[-500:]
            raise HarnessError(
                f"The {name} suite of {self.task.task_id} could not be run: {said or 'no reason given'}."
            )
        try:
            reported = _Reported.model_validate_json(outcome.stdout)
            return record_of(reported, self.task.project)
        except (ValidationError, ValueError, KeyError, TypeError) as error:
            raise HarnessError(
                f"The {name} suite of {self.task.task_id} reported what cannot be read: {error}."
            ) from error


def copy_suites(root: Path, task: RalTask, destination: Path) -> str:
    """Copy `tests/` and `tasks/` of a benchmark's root to `destination`; returns the digest of what was copied.

    Generated repositories, references and results stay behind. Raises TaskError when a suite is missing or the folders
    are larger than a benchmark's suites are.
    """
    digest, size = hashlib.sha256(), 0
    for number, path in enumerate(_suite_files(root)):
        size += path.stat().st_size
        if number >= _MAX_SUITE_FILES or size > _MAX_SUITE_BYTES:
            raise TaskError(f"The folders {' and '.join(_SUITE_FOLDERS)} of {root} hold more than suites do.")
        name = path.relative_to(root)
        target = destination / name
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o644)
        digest.update(name.as_posix().encode() + b"\0" + hashlib.sha256(target.read_bytes()).digest())
    for name_, suite in task.test_suite.items():
        if name_ in RUNNING_SUITES and not (destination / _relative(suite)).is_file():
            raise TaskError(f"The {name_} suite {suite} of {task.task_id} is not in {root}.")
    return digest.hexdigest()


def _suite_files(root: Path) -> Iterator[Path]:
    for folder in _SUITE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
                yield path


def _relative(suite: str) -> str:
    parts = Path(suite).parts
    if Path(suite).is_absolute() or ".." in parts or parts[:1] != ("tests",):
        raise TaskError(f"The suite path {suite!r} does not lie in the benchmark's folder tests.")
    return Path(suite).as_posix()


def _timed_out(elapsed_s: float) -> SuiteRun:
    return SuiteRun(returncode=TIMED_OUT_CODE, failed=1, total=1, timed_out=True, elapsed_s=elapsed_s)


def record_of(reported: _Reported, project: str) -> SuiteRecord:
    """Count a run: collected tests, a test without a verdict as failed, a collection error as 1 failed of 1."""
    documents = [_document(body) for body in reported.messages]
    collected = [str(name) for d in documents for name in d.get("collected", ())]
    errors = [d for d in documents if "uncollected" in d]
    tests = _results(collected, documents, reported)
    memory = None if reported.memory_bytes is None else reported.memory_bytes / (1 << 20)
    cpu = 100 * reported.cpu_s / reported.elapsed_s if reported.elapsed_s > 0 else None
    code = TIMED_OUT_CODE if reported.timed_out else reported.returncode
    if errors or not collected:
        text = str(errors[0].get("text", "")) if errors else reported.output
        failure = Failure(class_name=FailureClass.EXECUTABILITY, subclass="collection", message=text[-500:])
        skipped = bool(errors) and all(e.get("outcome") == "skipped" for e in errors)
        outcome = TestOutcome.SKIPPED if skipped else TestOutcome.FAILED
        tests = (TestResult(id="collection", outcome=outcome, failure=failure, stable=False),)
        counts = {"failed": int(not skipped), "skipped": int(skipped), "total": 1}
    else:
        outcomes = [test.outcome for test in tests]
        counts = {
            "passed": outcomes.count(TestOutcome.PASSED),
            "skipped": outcomes.count(TestOutcome.SKIPPED),
            "total": len(tests),
        }
        counts["failed"] = counts["total"] - counts["passed"] - counts["skipped"]
    run = SuiteRun(returncode=code, timed_out=reported.timed_out, elapsed_s=reported.elapsed_s, **counts)
    return SuiteRecord(
        run=run,
        tests=tests,
        memory_mib=memory,
        cpu_percent=cpu,
        output=reported.output,
        lost=_looked_elsewhere(errors, project),
    )


def _document(encoded: str) -> dict[str, Any]:
    document = json.loads(base64.b64decode(encoded, validate=True))
    if not isinstance(document, dict):
        raise ValueError("a message is not a mapping")
    return document


def _results(collected: list[str], documents: list[dict[str, Any]], reported: _Reported) -> tuple[TestResult, ...]:
    """One result a collected test: a failure in any phase fails it, no report at all does too."""
    phases: dict[str, list[dict[str, Any]]] = {name: [] for name in collected}
    for document in documents:
        if document.get("test") in phases:
            phases[document["test"]].append(document)
    return tuple(_result(name, phases[name], reported) for name in phases)


def _result(name: str, phases: list[dict[str, Any]], reported: _Reported) -> TestResult:
    failed = next((p for p in phases if p["outcome"] == "failed"), None)
    duration = seconds(sum(float(p["duration_s"]) for p in phases))
    if failed is not None:
        class_name, subclass = _CLASSES.get(str(failed.get("raised")), _OTHER)
        failure = Failure(class_name=class_name, subclass=subclass, message=str(failed.get("text", ""))[-500:])
        return TestResult(id=name, outcome=TestOutcome.FAILED, duration_s=duration, failure=failure)
    if any(p["outcome"] == "skipped" for p in phases):
        return TestResult(id=name, outcome=TestOutcome.SKIPPED, duration_s=duration)
    if any(p["outcome"] == "passed" and not p["expected_to_fail"] for p in phases):
        return TestResult(id=name, outcome=TestOutcome.PASSED, duration_s=duration)
    hung = reported.timed_out
    failure = Failure(
        class_name=FailureClass.NON_FUNCTIONAL,
        subclass="hang" if hung else "exit",
        message="the suite's time was up" if hung else f"the process ended with {reported.returncode} before it did",
    )
    return TestResult(id=name, outcome=TestOutcome.FAILED, failure=failure, stable=False)


def _looked_elsewhere(errors: list[dict[str, Any]], project: str) -> str | None:
    """Why a collection error or skip is not the subject's: it never reached its code, and speaks of no import."""
    for error in errors:
        text = str(error.get("text", ""))
        if error.get("in_subject") or "import" in text.lower() or "AttributeError" in text:
            return None
    if not errors:
        return None
    last = str(errors[0].get("text", "")).strip().splitlines()[-1:] or ["no reason given"]
    return f"the suite stopped before it reached {project}: {last[0][:300]}"
