"""Reading a RAL-Bench artifact folder: `<model>/results/<Task>_results.yaml`, baselines from there or from `tasks/`.

Result files were written by several versions of that benchmark's runner. So a value is found by what its key says (the
suite, the quantity, whether it is a baseline's), wherever it stands, the shallowest place first: `results.functional.
passed`, `functional: {passed: …}` and `functional_passed` are the same number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from qualityscore.compat.ral_bench import SUITES, RawMeasures, RawResult, SuiteRun
from qualityscore.compat.ral_bench_task import baseline_of, read_task_file
from qualityscore.compat.ral_bench_values import number_of
from qualityscore.compat.yaml_reading import YamlError, read_yaml
from qualityscore.errors import ReportError, TaskError
from qualityscore.model.codec import encodable
from qualityscore.runtime.documents import is_folder
from qualityscore.runtime.folders import files_under

RESULT_SUFFIX = "_results.yaml"
MAX_RESULT_BYTES = 8 << 20
_MAX_DEPTH = 12

_QUANTITIES = {
    "returncode": ("returncode", "return_code", "exit_code", "exitcode"),
    "passed": ("passed", "tests_passed", "num_passed"),
    "failed": ("failed", "tests_failed", "num_failed"),
    "skipped": ("skipped", "tests_skipped", "num_skipped"),
    "total": ("total", "tests_total", "num_total", "total_tests"),
    "timeout": ("timeout", "timed_out"),
    "elapsed_s": ("elapsed_s", "elapsed_time_s", "suite_time_s", "time_s", "duration_s", "elapsed"),
    "memory": ("avg_memory_mb", "memory_mb", "mean_memory_mb"),
    "cpu": ("avg_cpu_percent", "cpu_percent", "mean_cpu_percent"),
    "high_risk_count": ("high_risk_count",),
    "mi_min": ("mi_min",),
}
_BY_NAME = {name: quantity for quantity, names in _QUANTITIES.items() for name in names}
_OWN_SUITE = {
    "memory": "resource",
    "cpu": "resource",
    "high_risk_count": "security",
    "mi_min": "maintainability",
}
_BASELINE_WORDS = ("baseline", "reference")

_Key = tuple[bool, str, str]
"""(of the baseline, suite, quantity)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """All results of an artifact folder, sorted by model and task, and every task that it knows of.

    `files` are the files that the results came from, in their order.
    """

    results: tuple[RawResult, ...]
    files: tuple[str, ...]
    tasks: tuple[str, ...]


def result_files(files: Iterable[Path]) -> list[Path]:
    """Those of some files that are RAL-Bench results by their place and name, sorted."""
    return sorted(file for file in files if file.name.endswith(RESULT_SUFFIX) and file.parent.name == "results")


def read_artifact(folder: Path, files: Sequence[Path] | None = None) -> Artifact:
    """Read every result, which are `files` where the caller knows. Raises ReportError naming what cannot be used."""
    found = result_files(files_under(folder)) if files is None else files
    if not found:
        raise ReportError(f"{folder} holds no RAL-Bench results (<model>/results/<Task>{RESULT_SUFFIX}).")
    task_files = _task_files(folder)
    pairs = [(_read_result(file, task_files), str(file)) for file in found]
    pairs.sort(key=lambda pair: (pair[0].model, pair[0].task))
    once: dict[tuple[str, str], str] = {}
    for result, file in pairs:
        other = once.setdefault((result.model, canonical(result.task)), file)
        if other != file:
            raise ReportError(
                f"{other} and {file} are both the result of {result.model} on {result.task}; keep one of them, or give "
                "one of the models a folder of another name."
            )
    results, sources = tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
    known = [encodable(files[0].stem) for files in task_files.values()]
    return Artifact(results=results, files=sources, tasks=spelled_once([r.task for r in results], known))


def spelled_once(*tasks: Sequence[str]) -> tuple[str, ...]:
    """The names of tasks, sorted, each in its first spelling: `Slugify` and `slugify` are one task of the benchmark."""
    first: dict[str, str] = {}
    for names in tasks:
        for name in sorted(names):
            first.setdefault(canonical(name), name)
    return tuple(sorted(first.values()))


def canonical(task: str) -> str:
    """What the spellings of a task's name have in common: its letters and digits, without case."""
    return "".join(c for c in task.lower() if c.isalnum()) or task


def _model_of(file: Path) -> str:
    folder = file.parent.parent
    return str(encodable(folder.name if folder.name not in ("", "..") else folder.resolve().name))


def _read_result(file: Path, task_files: Mapping[str, Sequence[Path]]) -> RawResult:
    values = _values(_load(file), file)
    task = encodable(file.name.removesuffix(RESULT_SUFFIX))
    suites = {name: _suite_run(values, name) for name in SUITES if _has_suite(values, name)}
    if not suites:
        raise ReportError(f"{file} holds none of RAL-Bench's suites ({', '.join(SUITES)}).")
    baseline = _measures(values, of_baseline=True)
    candidates = task_files.get(canonical(task), ())
    if None in astuple(baseline) and candidates:
        if len(candidates) > 1:
            raise ReportError(f"{candidates[0]} and {candidates[1]} are both the task {task}; keep one of them.")
        baseline = _first_of(baseline, _baseline_in(candidates[0]))
    if baseline == RawMeasures():
        raise ReportError(
            f"{file} has no baseline, and there is no task file for {task} under tasks/; "
            "put the benchmark's tasks folder beside the results, or measure the reference again."
        )
    return RawResult(
        model=_model_of(file),
        task=task,
        baseline=baseline,
        measures=_measures(values, of_baseline=False),
        suites=suites,
    )


def _load(file: Path) -> Any:
    try:
        return read_yaml(file, MAX_RESULT_BYTES)
    except OSError as error:
        raise ReportError(f"The result {file} cannot be read: {error.strerror}.") from None
    except YamlError as error:
        raise ReportError(f"The result {file} cannot be read as YAML: {error}.") from None


def _values(document: Any, file: Path) -> dict[_Key, float]:
    """Every recognised number by what it is; of several places the shallowest, then the first, counts.

    Raises ReportError naming the file and the key of a number that cannot be, or that is given twice.
    """
    if not isinstance(document, dict):
        raise ReportError(f"{file} is not a mapping.")
    found: dict[_Key, float] = {}
    places: dict[_Key, tuple[str, ...]] = {}
    level: list[tuple[tuple[str, ...], Mapping[Any, Any]]] = [((), document)]
    for _ in range(_MAX_DEPTH):
        deeper: list[tuple[tuple[str, ...], Mapping[Any, Any]]] = []
        for path, mapping in level:
            for key, value in mapping.items():
                here = (*path, str(key).lower())
                if isinstance(value, dict):
                    deeper.append((here, value))
                    continue
                if isinstance(value, list):
                    deeper += [((*here, _suite_named_in(item)), item) for item in value if isinstance(item, dict)]
                    continue
                identity = _identify(here)
                if identity is None or places.get(identity, here) != here:
                    continue
                try:
                    number = number_of(value, identity[2])
                except ValueError as error:
                    raise _invalid(file, here, str(error)) from None
                if number is not None and found.setdefault(identity, number) != number:
                    raise _invalid(file, here, f"it is given twice, as {found[identity]:g} and {number:g}")
                if number is not None:
                    places[identity] = here
        level = deeper
    _require_sound_counts(found, places, file)
    return found


def _require_sound_counts(found: Mapping[_Key, float], places: Mapping[_Key, tuple[str, ...]], file: Path) -> None:
    """No more tests than there are. A test that passed and failed when it was torn down counts as both."""
    for (of_baseline, suite, quantity), total in found.items():
        if quantity != "total":
            continue
        passed, failed, skipped = (found.get((of_baseline, suite, q), 0.0) for q in ("passed", "failed", "skipped"))
        if passed + skipped > total or failed > total:
            raise _invalid(
                file,
                places[of_baseline, suite, quantity],
                f"of {total:g} tests {passed:g} passed, {failed:g} failed and {skipped:g} were skipped",
            )


def _invalid(file: Path, place: tuple[str, ...], why: str) -> ReportError:
    return ReportError(
        f"The result {file} is not valid: key {'.'.join(place)[:200]!r}: {why}; run this suite again, or take the "
        "result out."
    )


def _suite_named_in(item: Mapping[Any, Any]) -> str:
    """The suite that an entry of a list says it is of."""
    return next((str(item[key]).lower() for key in ("suite", "name") if key in item), "")


def _identify(path: tuple[str, ...]) -> _Key | None:
    of_baseline = any(word in part for part in path for word in _BASELINE_WORDS)
    name = path[-1]
    for word in _BASELINE_WORDS:
        name = name.removeprefix(f"{word}_")
    suite = next((part for part in reversed(path[:-1]) if part in SUITES), None)
    for candidate in SUITES:
        if name.startswith(f"{candidate}_"):
            suite, name = candidate, name.removeprefix(f"{candidate}_")
            break
    quantity = _BY_NAME.get(name)
    if quantity is None:
        return None
    suite = _OWN_SUITE.get(quantity, suite)
    return None if suite is None else (of_baseline, suite, quantity)


def _has_suite(values: Mapping[_Key, float], suite: str) -> bool:
    return any(not of_baseline and name == suite for of_baseline, name, _ in values)


def _suite_run(values: Mapping[_Key, float], suite: str) -> SuiteRun:
    def count(quantity: str) -> int:
        return int(values.get((False, suite, quantity), 0))

    returncode = values.get((False, suite, "returncode"))
    passed, failed, skipped = count("passed"), count("failed"), count("skipped")
    total = values.get((False, suite, "total"))
    return SuiteRun(
        returncode=None if returncode is None else int(returncode),
        passed=passed,
        failed=failed,
        skipped=skipped,
        total=passed + failed + skipped if total is None else int(total),
        timed_out=bool(count("timeout")),
        elapsed_s=values.get((False, suite, "elapsed_s")),
    )


def _measures(values: Mapping[_Key, float], *, of_baseline: bool) -> RawMeasures:
    return RawMeasures(
        performance_s=values.get((of_baseline, "performance", "elapsed_s")),
        memory_mib=values.get((of_baseline, "resource", "memory")),
        cpu_percent=values.get((of_baseline, "resource", "cpu")),
        high_risk_count=values.get((of_baseline, "security", "high_risk_count")),
        mi_min=values.get((of_baseline, "maintainability", "mi_min")),
    )


def _first_of(first: RawMeasures, second: RawMeasures) -> RawMeasures:
    def pick(a: float | None, b: float | None) -> float | None:
        return b if a is None else a

    return RawMeasures(
        performance_s=pick(first.performance_s, second.performance_s),
        memory_mib=pick(first.memory_mib, second.memory_mib),
        cpu_percent=pick(first.cpu_percent, second.cpu_percent),
        high_risk_count=pick(first.high_risk_count, second.high_risk_count),
        mi_min=pick(first.mi_min, second.mi_min),
    )


def _task_files(folder: Path) -> dict[str, list[Path]]:
    """The task files by their canonical name, of the artifact or of the benchmark's folder above it."""
    found: dict[str, list[Path]] = defaultdict(list)
    for tasks in (folder / "tasks", folder.resolve().parent / "tasks"):
        if is_folder(tasks) and not found:
            for file in files_under(tasks):
                if file.suffix == ".yaml":
                    found[canonical(file.stem)].append(file)
    return found


def _baseline_in(task_file: Path) -> RawMeasures:
    try:
        return baseline_of(read_task_file(task_file))
    except TaskError as error:
        raise ReportError(f"The baseline of a task cannot be taken: {error}") from None
