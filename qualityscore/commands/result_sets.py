"""The results that people hand in: report files, folders of them and of batches, RAL-Bench artifacts."""

from __future__ import annotations

import json
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from qualityscore.commands.batch_rows import lines_of, result_of_line, results_files, task_names
from qualityscore.compat.ral_bench import RalScores, RawResult, score_result
from qualityscore.compat.ral_bench_results import canonical, read_artifact, result_files, spelled_once
from qualityscore.core.comparability import COST_DIMENSIONS, measured_dimensions, measures_of, require_comparable
from qualityscore.core.leaderboard import MISSING, REFUSED, Result
from qualityscore.errors import IncomparableError, ReportError
from qualityscore.model.codec import encodable
from qualityscore.model.report import SCORE_MODEL, DimensionReport, Report
from qualityscore.runtime.documents import (
    MAX_REPORT_BYTES,
    is_file,
    is_folder,
    load_profile,
    read_regular_at_most,
    read_report,
)
from qualityscore.runtime.folders import files_under

RAL_PROFILE = "ral-bench"
ACCEPTED = "a report (JSON), a folder of reports, or a RAL-Bench artifact (<model>/results/<Task>_results.yaml)"
_NO_REPORTS = (".csv", ".tsv", ".jsonl", ".yaml", ".yml", ".toml", ".md", ".html")
_COLLECTED = (0, 1)
"""pytest's return codes of a run whose tests were collected: all passed, some failed."""


_Row = tuple[str, Result, Mapping[str, Mapping[str, float]]]
"""A result with its file in front and its raw measures, by dimension and measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSet:
    """Everything that was read: our own reports in the order of the paths, results of artifacts, rows without a report.

    `reports` are our own, with the file each came from; `files` are those of all results, in their order, and `raw` the
    values of their measures by dimension and measure, without those that have none. `refused`
    names, by dimension, the provenance field for which its scores cannot be compared: they are None then. `ral_bench`
    says that the tasks are that benchmark's, where a name's spelling does not count, and `published` that there are
    results of an artifact among them.
    """

    results: tuple[Result, ...]
    files: tuple[str, ...] = ()
    raw: tuple[Mapping[str, Mapping[str, float]], ...] = ()
    reports: tuple[tuple[str, Report], ...] = ()
    tasks: tuple[str, ...] = ()
    profile: str = ""
    profile_digest: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)
    ral_bench: bool = False
    published: bool = False

    @property
    def absences(self) -> tuple[str, ...]:
        """What rows of batches without a report are taken for, a phrase for each label that has some."""
        said = {REFUSED: "refused for what they hold, which counts 0", MISSING: "missing and left out"}
        counts = Counter((one.label, one.status) for one in self.results if one.status in said)
        return tuple(f"{label}: {count} {said[status]}" for (label, status), count in sorted(counts.items()))

    @property
    def measures(self) -> frozenset[str]:
        """The measures that the results' scores come from."""
        return measures_of(self.reports[0][1]) if self.reports else frozenset(load_profile(RAL_PROFILE).measure_ids)


def load_results(paths: Sequence[str], *, repeated: bool = False) -> ResultSet:
    """Read all results under the paths.

    Raises ReportError for a path without results or with a damaged one, and unless `repeated` for two results of one
    label, task and sample; IncomparableError where provenance forbids to put them into one table.
    """
    results = _assembled(_read(paths))
    if not repeated:
        require_distinct(results)
    return results


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What lies under some paths, each file once: our own reports, results of artifacts, the names of tasks.

    `batch` are rows of batches that have no report, with the place of each.
    """

    reports: list[tuple[str, Report]]
    ral: list[_Row]
    tasks: list[str]
    batch: list[tuple[str, Result]]


def _read(paths: Iterable[str]) -> _Read:
    read = _Read(reports=[], ral=[], tasks=[], batch=[])
    known: set[tuple[int, int]] = set()
    batches: set[tuple[int, int]] = set()
    for path in paths:
        reports, artifact, names, found = _load(Path(path))
        for file, rows_of in found:
            about = file.stat()
            if (about.st_dev, about.st_ino) not in batches:
                batches.add((about.st_dev, about.st_ino))
                read.batch.extend(rows_of)
        for held, rows in ((read.reports, reports), (read.ral, artifact)):
            for row in rows:
                about = Path(row[0]).stat()
                identity = (about.st_dev, about.st_ino)
                if identity not in known or not stat.S_ISREG(about.st_mode):
                    known.add(identity)
                    held.append(row)  # type: ignore[arg-type]
        read.tasks.extend(names)
    return read


def _assembled(read: _Read) -> ResultSet:
    """The results that can be put into one table. Raises IncomparableError where provenance forbids it."""
    reports, ral = read.reports, read.ral
    refused = _refused(reports, beside_artifact=bool(ral))
    first = reports[0][1].provenance if reports else {}
    ral_bench = all(_of_ral_bench(report) for _, report in reports)
    rows: list[_Row] = [(file, result_of(report), _raw(report.dimensions)) for file, report in reports]
    rows = [
        (file, _without(result, refused), raw) for file, result, raw in (*rows, *ral, *_unreported(read, (*rows, *ral)))
    ]
    profile = load_profile(RAL_PROFILE) if ral else None
    tasks = [*read.tasks, *(report.task.id for _, report in reports), *(result.task for _, result in read.batch)]
    results = ResultSet(
        results=tuple(result for _, result, _ in rows),
        files=tuple(file for file, _, _ in rows),
        raw=tuple(raw for _, _, raw in rows),
        reports=tuple(reports),
        tasks=tuple(sorted(set(tasks))),
        profile=profile.name if profile else str(first.get("profile", "")),
        profile_digest=profile.digest if profile else str(first.get("profile_digest", "")),
        refused=refused,
        ral_bench=ral_bench,
        published=bool(ral),
    )
    if ral_bench:
        results = _respelled(results, spelled_once([result.task for _, result, _ in rows], tasks))
    return results


def require_distinct(found: ResultSet) -> None:
    """Raise ReportError where two results are of one label, task and sample: one of them would count for nothing."""
    once: dict[tuple[str, str, int], str] = {}
    for result, file in zip(found.results, found.files, strict=True):
        identity = _identity(result)
        if identity in once:
            raise ReportError(
                f"{once[identity]} and {file} are both sample {result.sample} of {result.label} on {result.task}; "
                "evaluate with --sample or --label to tell them apart, or leave one out."
            )
        once[identity] = file


def _identity(result: Result) -> tuple[str, str, int]:
    return result.label, result.task, result.sample


def load_label(path_and_label: str) -> ResultSet:
    """The results of one label: all under a path that holds one, or those that `PATH::LABEL` picks.

    Raises ReportError where the path holds several labels and none, or none of them, is picked.
    """
    path, label = _split_label(path_and_label)
    read = _read([path])
    held = [
        *(result_of(report) for _, report in read.reports),
        *(result for _, result, _ in read.ral),
        *(result for _, result in read.batch),
    ]
    labels = sorted({result.label for result in held})
    if not label and len(labels) > 1:
        raise ReportError(f"{path} holds {len(labels)} labels ({some(labels)}); pick one with {path}::{labels[0]}.")
    if label and label not in labels:
        raise ReportError(f"{path} holds no label {label!r}; it holds {some(labels)}.")
    chosen = label or labels[0]
    found = _assembled(
        _Read(
            reports=[pair for pair in read.reports if result_of(pair[1]).label == chosen],
            ral=[row for row in read.ral if row[1].label == chosen],
            tasks=[*read.tasks, *(result.task for result in held)],
            batch=[row for row in read.batch if row[1].label == chosen],
        )
    )
    require_distinct(found)
    return found


def _split_label(path_and_label: str) -> tuple[str, str]:
    """The path, and the label or nothing. Either may hold `::` itself: the longest path that is there wins."""
    parts = path_and_label.split("::")
    for count in range(len(parts), 0, -1):
        path = "::".join(parts[:count])
        if is_file(Path(path)) or is_folder(Path(path)):
            return path, encodable("::".join(parts[count:]))
    path, separator, label = path_and_label.rpartition("::")
    return (path, label) if separator else (label, "")


def comparable_sets(sets: Sequence[ResultSet]) -> tuple[list[ResultSet], Mapping[str, str]]:
    """The sets without what provenance forbids to compare, and why, by dimension. Raises IncomparableError."""
    measured = [found for found in sets if found.profile_digest] or [sets[0]]
    first = measured[0]
    for second in measured[1:]:
        if first.profile_digest != second.profile_digest:
            if first.measures == second.measures:
                advice = "give qualityscore rescore the reports of one side, with the profile of the other"
            else:
                advice = "they hold other measures: evaluate both sides against the same tasks"
            raise IncomparableError(
                f"The results cannot be compared: profile_digest differs ({first.profile} and {second.profile}); "
                f"{advice}."
            )
    refused = _refused(
        [pair for found in sets for pair in found.reports], beside_artifact=any(found.published for found in sets)
    )
    return [
        replace(found, results=tuple(_without(result, refused) for result in found.results))
        for found in _spelled_alike(sets)
    ], refused


def _spelled_alike(sets: Sequence[ResultSet]) -> list[ResultSet]:
    """The sets with one spelling of each task, where all are of RAL-Bench."""
    if not all(one.ral_bench for one in sets):
        return list(sets)
    tasks = spelled_once(
        [result.task for one in sets for result in one.results], [task for one in sets for task in one.tasks]
    )
    return [_respelled(one, tasks) for one in sets]


def _respelled(found: ResultSet, tasks: Sequence[str]) -> ResultSet:
    names = {canonical(task): task for task in tasks}
    return replace(
        found,
        results=tuple(replace(result, task=names[canonical(result.task)]) for result in found.results),
        tasks=tuple(sorted({names[canonical(task)] for task in found.tasks})),
    )


def _of_ral_bench(report: Report) -> bool:
    return "ral_bench" in report.provenance


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
        status=report.status.value,
        containment=report.containment,
    )


def ral_result(raw: RawResult, scores: RalScores) -> Result:
    """A RAL-Bench result as a row. Built is what pytest could collect: return code 0 or 1, or a test that passed."""
    suite = raw.suite("functional")
    built = suite.returncode in _COLLECTED or suite.passed > 0
    whole = suite.failed == 0 and suite.returncode in (None, 0)
    return Result(
        label=raw.model,
        task=raw.task,
        functional=scores.functional,
        non_functional=scores.non_functional,
        effective=scores.functional * scores.non_functional,
        dimensions=scores.dimensions,
        build=float(built),
        test=scores.functional if built else None,
        full=float(built and whole and suite.total > 0 and suite.passed == suite.total),
    )


_Batches = list[tuple[Path, list[tuple[str, Result]]]]
"""The results.jsonl of each batch, with its rows that have no report."""


def _load(path: Path) -> tuple[list[tuple[str, Report]], list[_Row], tuple[str, ...], _Batches]:
    if is_file(path):
        if path.suffix.lower() in _NO_REPORTS:
            raise ReportError(f"{path} is no report; give {ACCEPTED}.")
        return [(str(path), read_report(str(path)))], [], (), []
    if not is_folder(path):
        raise ReportError(f"There are no results at {path}; give {ACCEPTED}.")
    files = list(files_under(path))
    of_ral = result_files(files)
    reports = [(str(file), read_report(str(file))) for file in _report_files(files, beside_artifact=bool(of_ral))]
    batches = list(_batches(results_files(files, path), reports, beside_artifact=bool(of_ral)))
    if not of_ral:
        if not reports and not any(rows for _, rows in batches):
            raise ReportError(f"The folder {path} holds no results; give {ACCEPTED}.")
        return reports, [], (), batches
    artifact = read_artifact(path, of_ral)
    profile = load_profile(RAL_PROFILE)
    rows: list[_Row] = []
    for file, raw in zip(artifact.files, artifact.results, strict=True):
        scores = score_result(raw, profile)
        rows.append((file, ral_result(raw, scores), _raw(scores.scored.dimensions)))
    return reports, rows, artifact.tasks, batches


def _batches(
    files: Iterable[Path], reports: Sequence[tuple[str, Report]], *, beside_artifact: bool
) -> Iterator[tuple[Path, list[tuple[str, Result]]]]:
    """The rows of each batch that have no report. Beside an artifact a file that cannot be read is no batch's."""
    for file in files:
        try:
            lines = lines_of(file).values()
        except ReportError:
            if not beside_artifact:
                raise
            continue
        without = [line for line in lines if line.report is None]
        if without:
            by_place = {Path(path).resolve(): report.task.id for path, report in reports}
            folder = file.parent.resolve()
            told = ((line.task, by_place.get(folder / line.report)) for line in lines if line.report is not None)
            names = task_names(without, {task: name for task, name in told if name is not None})
            yield file, [(f"row {line.row} of {file}", result_of_line(line, names[line.task])) for line in without]


def _unreported(read: _Read, told: Iterable[_Row]) -> list[_Row]:
    """The rows of batches, without the dimensions that do not apply to their task, as far as reports on it say so.

    A row that is missing in one batch is left out where it has a result in another, or among what is `told`.
    """
    refused = [row for row in read.batch if row[1].status != MISSING]
    known = {_identity(result) for _, result, _ in told} | {_identity(result) for _, result in refused}
    missing = {_identity(row[1]): row for row in read.batch if row[1].status == MISSING}
    never = {
        (report.task.id, name)
        for _, report in read.reports
        for name, dimension in report.dimensions.items()
        if not dimension.applicable
    }
    return [
        (file, replace(one, dimensions={k: v for k, v in one.dimensions.items() if (one.task, k) not in never}), {})
        for file, one in (*refused, *(row for identity, row in missing.items() if identity not in known))
    ]


def _raw(dimensions: Mapping[str, DimensionReport]) -> dict[str, dict[str, float]]:
    return {
        name: {measure.id: measure.value for measure in dimension.measures if measure.value is not None}
        for name, dimension in dimensions.items()
    }


def _report_files(files: Iterable[Path], *, beside_artifact: bool) -> Iterator[Path]:
    """The JSON files that are reports, or that cannot be read and might be; other documents are passed over.

    An artifact may hold generated repositories with broken JSON among their data: beside one, what cannot be read might
    be a report only where it has the first key of reports.
    """
    for file in sorted(file for file in files if file.name.endswith(".json")):
        try:
            data = read_regular_at_most(file, MAX_REPORT_BYTES) or b""
        except OSError as error:
            raise ReportError(f"The report {file} cannot be read: {error.strerror}.") from None
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            if not beside_artifact or b'"schema_version"' in data:
                yield file
            continue
        if isinstance(document, dict) and {"schema_version", "non_functional"} <= document.keys():
            yield file


def _refused(reports: Sequence[tuple[str, Report]], *, beside_artifact: bool) -> dict[str, str]:
    """The dimensions that do not compare, by the field that differs: of an artifact's host nothing is known."""
    refused = _require_comparable(reports)
    if beside_artifact and reports:
        profile = load_profile(RAL_PROFILE)
        for path, report in reports:
            theirs = (report.provenance.get("profile_digest"), report.score_model)
            for name, one, other in zip(
                ("profile_digest", "score_model"), theirs, (profile.digest, SCORE_MODEL), strict=True
            ):
                if one != other:
                    advice = (
                        f"give qualityscore rescore the report, with --profile {RAL_PROFILE}"
                        if measures_of(report) == frozenset(profile.measure_ids)
                        else "evaluate the subject against one of RAL-Bench's task files"
                    )
                    raise IncomparableError(
                        f"{path} cannot be compared with RAL-Bench results: {name} differs; {advice}."
                    )
        refused.update(dict.fromkeys(COST_DIMENSIONS, "host"))
    return refused


def _require_comparable(reports: Sequence[tuple[str, Report]]) -> dict[str, str]:
    """The dimensions that do not compare: each report is held against the first of all, of its task, and of those
    that measured the same dimension, since a report without it says nothing about its tools."""
    refused: dict[str, str] = {}
    of_task: dict[str, tuple[str, Report]] = {}
    of_dimension: dict[str, tuple[str, Report]] = {}
    for path, report in reports:
        task = canonical(report.task.id) if _of_ral_bench(report) else report.task.id
        for other_path, other, same_task in (
            (*reports[0], False),
            (*of_task.setdefault(task, (path, report)), True),
            *((*of_dimension.setdefault(name, (path, report)), False) for name in sorted(measured_dimensions(report))),
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
