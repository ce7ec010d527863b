"""RAL-Bench's task files, read strictly, and the ways in which its suites look for the subject."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from qualityscore.compat.ral_bench import RawMeasures
from qualityscore.errors import TaskError
from qualityscore.model.foreign import first_problem
from qualityscore.model.report import TaskId

Suite = Literal["functional", "performance", "resource", "robustness", "security", "maintainability"]
Finite = Annotated[float, Field(allow_inf_nan=False)]
MAX_TASK_BYTES = 1 << 20


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Described(BaseModel):
    """Parts that describe the task to a model: what they hold beyond the named keys has no meaning for a run."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Package(_Described):
    """The import name of the subject."""

    name: Annotated[str, Field(min_length=1)]
    root_dir: str = "."


class RequestedFile(_Described):
    """A file that the requirement asks for."""

    path: str


class RalTask(_Strict):
    """A task file. Paths are relative to the benchmark's root, as written there."""

    task_id: TaskId
    description: str
    reference_repository: str
    baseline_metrics: dict[Suite, dict[str, Finite | dict[str, Finite | None] | None]]
    test_suite: dict[Suite, str]
    package: Package
    files: tuple[RequestedFile, ...] = ()
    suite_timeouts_s: dict[Suite, Annotated[float, Field(gt=0, allow_inf_nan=False)]] = {}
    api_contract: Any = None
    domain: str | None = None
    difficulty: str | None = None
    interfaces: dict[str, Any] | None = None
    generated_repository: str | None = None

    @property
    def project(self) -> str:
        """The name of the subject's folder under `generation/`."""
        for path in (self.generated_repository, self.test_suite.get("functional")):
            parts = [p for p in (path or "").split("/") if p not in ("", ".")]
            if len(parts) >= 2:
                return parts[1]
        return self.task_id


def read_task_file(path: Path) -> RalTask:
    """Read one task file. Raises TaskError with one sentence that names the file and the key."""
    try:
        if path.stat().st_size > MAX_TASK_BYTES:
            raise TaskError(f"The task file {path} is larger than {MAX_TASK_BYTES} bytes.")
        document = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise TaskError(f"The task file {path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise TaskError(f"The task file {path} is not YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(document, dict):
        raise TaskError(f"The task file {path} is not a mapping.")
    try:
        return RalTask.model_validate(document)
    except ValidationError as error:
        raise TaskError(f"The task file {path} is not valid: {first_problem(error, RalTask.model_fields)}.") from None


def baseline_of(task: RalTask) -> RawMeasures:
    """The reference's published measures."""

    def value(suite: Suite, key: str) -> float | None:
        metrics = task.baseline_metrics.get(suite, {})
        nested = metrics.get("metrics")
        found = metrics.get(key)
        if found is None and isinstance(nested, dict):
            found = nested.get(key)
        return None if isinstance(found, dict) else found

    return RawMeasures(
        performance_s=value("performance", "performance_suite_time_s"),
        memory_mib=value("resource", "avg_memory_mb"),
        cpu_percent=value("resource", "avg_cpu_percent"),
        high_risk_count=value("security", "high_risk_count"),
        mi_min=value("maintainability", "mi_min"),
    )


def benchmark_root(path: Path, task: RalTask) -> Path:
    """The folder that the task's paths are relative to: the nearest one above the file that has a suite of it.

    Raises TaskError where none has.
    """
    suites = [s for name, s in task.test_suite.items() if name not in ("security", "maintainability")]
    for folder in path.resolve().parents:
        if any((folder / suite).is_file() for suite in suites):
            return folder
    raise TaskError(
        f"No folder above {path} holds the suites of {task.task_id} ({suites[0] if suites else 'none is named'}); "
        "keep the task file inside a copy of the benchmark."
    )


def suite_environment(task: RalTask, suite_source: str, subject: str) -> dict[str, str]:
    """The environment variables by which one suite may look for the subject, which lies at `subject` (absolute).

    `<PROJECT>_TARGET` is `generated`, except for a suite that compares something with `generation` and nothing with
    `generated`: that one takes no other word.
    """
    compared = _compared_words(suite_source)
    target = "generation" if "generation" in compared and "generated" not in compared else "generated"
    project = re.sub(r"[^A-Z0-9]+", "_", task.project.upper())
    named = re.findall(r"\b[A-Z][A-Z0-9_]*_TARGET\b", suite_source)
    return {
        "RACB_REPO_ROOT": subject,
        "RACB_PACKAGE_NAME": task.package.name,
        **dict.fromkeys([f"{project}_TARGET", *named], target),
    }


def _compared_words(source: str) -> set[str]:
    """The strings that the source compares something with, or looks something up by."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    words: set[str] = set()
    for node in ast.walk(tree):
        operands: list[ast.expr | None] = []
        match node:
            case ast.Compare(left=left, comparators=comparators):
                operands = [left, *comparators]
            case ast.Dict(keys=keys):
                operands = list(keys)
            case ast.MatchValue(value=value):
                operands = [value]
        for operand in operands:
            inner = operand.elts if isinstance(operand, ast.Tuple | ast.List | ast.Set) else [operand]
            words.update(i.value for i in inner if isinstance(i, ast.Constant) and isinstance(i.value, str))
    return words
