"""The results that people hand in: report files, folders of them, RAL-Bench artifacts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from qualityscore.compat.ral_bench import RalScores, RawResult, score_result
from qualityscore.compat.ral_bench_results import is_artifact, read_artifact
from qualityscore.core.comparability import require_comparable
from qualityscore.core.leaderboard import Result
from qualityscore.errors import IncomparableError, ReportError
from qualityscore.model.report import Report
from qualityscore.runtime.documents import load_profile, read_report

RAL_PROFILE = "ral-bench"
_COLLECTED = (0, 1)
"""pytest's return codes of a run whose tests were collected: all passed, some failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSet:
    """Everything that was read, in the order of the paths. `reports` are our own, with the file each came from.

    `refused` names, by dimension, the provenance field for which its scores cannot be compared: they are None then.
    """

    results: tuple[Result, ...]
    reports: tuple[tuple[str, Report], ...] = ()
    tasks: tuple[str, ...] = ()
    profile: str = ""
    profile_digest: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)


def load_results(paths: Sequence[str]) -> ResultSet:
    """Read all results under the paths.

    Raises ReportError for a path without results or with a damaged one, IncomparableError where provenance forbids to
    put them into one table.
    """
    reports: list[tuple[str, Report]] = []
    ral: list[Result] = []
    tasks: set[str] = set()
    for path in paths:
        found, artifact, names = _load(Path(path))
        reports += found
        ral += artifact
        tasks.update(names)
    if reports and ral:
        raise IncomparableError(
            "Reports and RAL-Bench results cannot be compared: profile_digest differs; give only one kind."
        )
    if ral:
        digest = load_profile(RAL_PROFILE).digest
        return ResultSet(results=tuple(ral), tasks=tuple(sorted(tasks)), profile=RAL_PROFILE, profile_digest=digest)
    refused = _require_comparable(reports)
    first = reports[0][1]
    return ResultSet(
        results=tuple(_without(result_of(report), refused) for _, report in reports),
        reports=tuple(reports),
        tasks=tuple(sorted({report.task.id for _, report in reports})),
        profile=str(first.provenance.get("profile", "")),
        profile_digest=str(first.provenance.get("profile_digest", "")),
        refused=refused,
    )


def load_label(path_and_label: str) -> ResultSet:
    """The results of one label: all under a path that holds one, or those that `PATH::LABEL` picks.

    Raises ReportError where the path holds several labels and none, or none of them, is picked.
    """
    path, separator, label = path_and_label.rpartition("::")
    if not separator or Path(path_and_label).exists():
        path, label = path_and_label, ""
    found = load_results([path])
    labels = sorted({result.label for result in found.results})
    if not label and len(labels) > 1:
        raise ReportError(f"{path} holds {len(labels)} labels ({some(labels)}); pick one with {path}::{labels[0]}.")
    if label and label not in labels:
        raise ReportError(f"{path} holds no label {label!r}; it holds {some(labels)}.")
    chosen = label or labels[0]
    return replace(
        found,
        results=tuple(result for result in found.results if result.label == chosen),
        reports=tuple(pair for pair in found.reports if result_of(pair[1]).label == chosen),
    )


def require_comparable_sets(first: ResultSet, second: ResultSet) -> tuple[ResultSet, ResultSet, Mapping[str, str]]:
    """Both sets without what provenance forbids to compare, and why, by dimension. Raises IncomparableError."""
    if first.profile_digest != second.profile_digest:
        raise IncomparableError(
            f"The results cannot be compared: profile_digest differs ({first.profile} and {second.profile}); "
            "rescore one side."
        )
    refused: Mapping[str, str] = {}
    if first.reports:
        refused = _require_comparable([*first.reports, *second.reports])
    return (
        replace(first, results=tuple(_without(result, refused) for result in first.results)),
        replace(second, results=tuple(_without(result, refused) for result in second.results)),
        refused,
    )


def result_of(report: Report) -> Result:
    """A report as a row. Without a label the subject's folder names it."""
    f = report.functional
    return Result(
        label=report.subject.label or Path(report.subject.path).name or report.subject.path,
        task=report.task.id,
        sample=report.subject.sample or 0,
        functional=f.score,
        non_functional=report.non_functional.score,
        effective=report.effective,
        credibility=report.credibility.score,
        dimensions={name: d.score for name, d in report.dimensions.items() if d.applicable},
        ratios={name: _ratio(d.details.get("geometric_mean_ratio")) for name, d in report.dimensions.items()},
        build=None if f.build is None else float(f.build),
        test=f.test,
        full=None if f.full is None else float(f.full),
        failures=Counter(test.failure.class_name.value for test in f.tests if test.failure is not None),
    )


def ral_result(raw: RawResult, scores: RalScores) -> Result:
    """A RAL-Bench result as a row. Built is what pytest could collect: return code 0 or 1."""
    suite = raw.suite("functional")
    built = suite.returncode in _COLLECTED
    return Result(
        label=raw.model,
        task=raw.task,
        functional=scores.functional,
        non_functional=scores.non_functional,
        effective=scores.functional * scores.non_functional,
        dimensions=scores.dimensions,
        build=float(built),
        test=scores.functional if built else None,
        full=float(built and suite.succeeded and suite.total > 0 and suite.passed == suite.total),
    )


def _load(path: Path) -> tuple[list[tuple[str, Report]], list[Result], tuple[str, ...]]:
    if path.is_file():
        return [(str(path), read_report(str(path)))], [], ()
    if not path.is_dir():
        raise ReportError(
            f"There are no results at {path}; give a report, a folder of reports or a RAL-Bench artifact."
        )
    if is_artifact(path):
        artifact = read_artifact(path)
        profile = load_profile(RAL_PROFILE)
        return [], [ral_result(raw, score_result(raw, profile)) for raw in artifact.results], artifact.tasks
    reports = [(str(file), read_report(str(file))) for file in _report_files(path)]
    if not reports:
        raise ReportError(f"The folder {path} holds neither reports (*.json) nor RAL-Bench results.")
    return reports, [], ()


def _report_files(folder: Path) -> Iterator[Path]:
    """The JSON files that are reports, or that cannot be read and might be; other documents are passed over."""
    for file in sorted(folder.rglob("*.json")):
        if not file.is_file():
            continue
        try:
            document = json.loads(file.read_bytes())
        except (OSError, ValueError, RecursionError):
            yield file
            continue
        if isinstance(document, dict) and {"schema_version", "non_functional"} <= document.keys():
            yield file


def _require_comparable(reports: Sequence[tuple[str, Report]]) -> dict[str, str]:
    refused: dict[str, str] = {}
    of_task: dict[str, tuple[str, Report]] = {}
    for path, report in reports:
        for other_path, other, same_task in (
            (*reports[0], False),
            (*of_task.setdefault(report.task.id, (path, report)), True),
        ):
            try:
                comparable = require_comparable(other, report, same_task=same_task)
            except IncomparableError as error:
                raise IncomparableError(f"{other_path} and {path}: {error}") from None
            refused.update(comparable.refused)
    return refused


def _without(result: Result, refused: Mapping[str, str]) -> Result:
    if not refused:
        return result
    return replace(
        result,
        non_functional=None,
        effective=None,
        dimensions={name: None if name in refused else value for name, value in result.dimensions.items()},
        ratios={name: None if name in refused else value for name, value in result.ratios.items()},
    )


def some(labels: Sequence[str]) -> str:
    """The first five labels in words."""
    shown = ", ".join(labels[:5])
    return shown if len(labels) <= 5 else f"{shown}, …"


def _ratio(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
