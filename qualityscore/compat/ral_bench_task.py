"""RAL-Bench's task files, read strictly, and the ways in which its suites look for the subject."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from qualityscore.compat.ral_bench import RawMeasures
from qualityscore.compat.ral_bench_values import number_of
from qualityscore.compat.yaml_reading import YamlError, parse_yaml
from qualityscore.errors import TaskError
from qualityscore.model.foreign import first_problem
from qualityscore.model.report import TaskId
from qualityscore.runtime.documents import read_regular_at_most

Suite = Literal["functional", "performance", "resource", "robustness", "security", "maintainability"]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Metrics = dict[str, Finite | dict[str, Finite | None] | None]
MAX_TASK_BYTES = 1 << 20
MAX_TIMEOUT_S = 86_400.0
_BASELINES: tuple[tuple[Suite, str, str], ...] = (
    ("performance", "performance_suite_time_s", "elapsed_s"),
    ("resource", "avg_memory_mb", "memory"),
    ("resource", "avg_cpu_percent", "cpu"),
    ("security", "high_risk_count", "high_risk_count"),
    ("maintainability", "mi_min", "mi_min"),
)
"""Suite, key and quantity of the reference's measures that score."""


def _inside(path: str) -> str:
    """Refuse a path that does not stay in the benchmark's folder."""
    parts = Path(path).parts
    if not path.isprintable() or Path(path).is_absolute() or ".." in parts:
        raise ValueError(f"{path[:80]!r} leads out of the benchmark's folder; give a path inside it")
    return path


def _suite_place(path: str) -> str:
    if Path(_inside(path)).parts[:1] != ("tests",):
        raise ValueError(f"{path[:80]!r} does not lie in the benchmark's folder tests")
    return path


def _sound_baseline(metrics: dict[Suite, Metrics]) -> dict[Suite, Metrics]:
    for suite, key, quantity in _BASELINES:
        try:
            number_of(_metric(metrics, suite, key), quantity)
        except ValueError as error:
            raise ValueError(f"{suite}, {key}: {error}") from None
    return metrics


def _metric(metrics: dict[Suite, Metrics], suite: Suite, key: str) -> float | None:
    """A measure of a suite, which stands in its mapping or in `metrics` there."""
    own = metrics.get(suite, {})
    nested = own.get("metrics")
    found = own.get(key)
    if found is None and isinstance(nested, dict):
        found = nested.get(key)
    return None if isinstance(found, dict) else found


PathInside = Annotated[str, AfterValidator(_inside)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Described(BaseModel):
    """Parts that describe the task to a model: what they hold beyond the named keys has no meaning for a run."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Package(_Described):
    """The import name of the subject."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$")]
    root_dir: str = "."


class RequestedFile(_Described):
    """A file that the requirement asks for."""

    path: str


class RalTask(_Strict):
    """A task file. Paths are relative to the benchmark's root, as written there."""

    task_id: TaskId
    description: str
    reference_repository: PathInside
    baseline_metrics: Annotated[dict[Suite, Metrics], AfterValidator(_sound_baseline)]
    test_suite: dict[Suite, Annotated[str, AfterValidator(_suite_place)]]
    package: Package
    files: tuple[RequestedFile, ...] = ()
    suite_timeouts_s: dict[Suite, Annotated[float, Field(gt=0, le=MAX_TIMEOUT_S, allow_inf_nan=False)]] = {}
    api_contract: Any = None
    domain: str | None = None
    difficulty: str | None = None
    interfaces: dict[str, Any] | None = None
    generated_repository: PathInside | None = None

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
    return parse_task(task_bytes(path), path)


def task_bytes(path: Path) -> bytes:
    """The content of a task file. Raises TaskError where it cannot be read, or is no such file."""
    try:
        data = read_regular_at_most(path, MAX_TASK_BYTES)
    except OSError as error:
        raise TaskError(f"The task file {path} cannot be read: {error.strerror}.") from None
    if data is None:
        raise TaskError(f"The task file {path} is larger than {MAX_TASK_BYTES} bytes.")
    return data


def parse_task(data: bytes, path: Path) -> RalTask:
    """The task in the content of a file. Raises TaskError as `read_task_file` does."""
    try:
        document = parse_yaml(data)
    except YamlError as error:
        raise TaskError(f"The task file {path} is not YAML: {error}.") from None
    if not isinstance(document, dict):
        raise TaskError(f"The task file {path} is not a mapping.")
    try:
        return RalTask.model_validate(document)
    except ValidationError as error:
        raise TaskError(f"The task file {path} is not valid: {first_problem(error, RalTask.model_fields)}.") from None


def baseline_of(task: RalTask) -> RawMeasures:
    """The reference's published measures."""
    values = {quantity: _metric(task.baseline_metrics, suite, key) for suite, key, quantity in _BASELINES}
    return RawMeasures(
        performance_s=values["elapsed_s"],
        memory_mib=values["memory"],
        cpu_percent=values["cpu"],
        high_risk_count=values["high_risk_count"],
        mi_min=values["mi_min"],
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


def reference_folder(root: Path, task: RalTask) -> Path | None:
    """The reference in a benchmark's root, None where it is not there. Raises TaskError for a link out of the root."""
    folder = root / task.reference_repository
    if not folder.is_dir():
        return None
    if not folder.resolve().is_relative_to(root.resolve()):
        raise TaskError(
            f"The reference_repository {folder} of {task.task_id} is a link out of the benchmark's folder; copy the "
            "reference there, or remove the link."
        )
    return folder


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
