"""The report of one evaluation as a page that a person reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qualityscore.core.explain import quantity
from qualityscore.model.branch import TestChange
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.outcome import EntryOutcome, ProbeFailure, TestOutcome, TestResult
from qualityscore.model.report import DIMENSIONS, DimensionReport, MeasureReport, Report, Status
from qualityscore.reports import charts
from qualityscore.reports.branch_tables import TEST_LISTS
from qualityscore.reports.console import containment_words, credible_words
from qualityscore.reports.html_costs import costs
from qualityscore.reports.html_page import block, chart, page
from qualityscore.reports.plain_text import inert
from qualityscore.reports.probe_lines import fresh_line

MOST_FINDINGS = 500
MOST_TESTS = 2_000
MOST_LINES_AROUND = 2
NAME_LIMIT = 120
_RANK = {Severity.HIGH: 0, Severity.MEDIUM: 1, Severity.LOW: 2, Severity.INFO: 3}


def render(report: Report) -> str:
    """One self-contained HTML file; nothing in the report can add markup, a request or a script to it.

    At most `MOST_FINDINGS` findings (those that cost most first) and `MOST_TESTS` tests (failed ones first) are shown;
    the page says how many are left out.
    """
    lost = losses(report)
    found = _findings(report, dict(lost))
    context = {
        "report": report,
        "title": f"{report.subject.label or report.subject.path}: {report.task.id} – qualityscore",
        "name": inert(report.subject.label or report.subject.path, limit=NAME_LIMIT),
        "status_class": {
            Status.COMPLETE: "good",
            Status.PARTIAL: "warn",
            Status.TAMPERED: "bad",
            Status.FAILED: "bad",
        }[report.status],
        "containment_words": containment_words(report),
        "credible_words": credible_words(report),
        "entries": len(report.credibility.credible) + len(report.credibility.not_credible),
        "dimension_rows": [_dimension_row(name, d) for name, d in dimensions(report)],
        "radar": _radar(report),
        "waterfall": _waterfall(lost),
        "lost_total": sum(loss for _, loss in lost),
        "measure_rows": list(_measure_rows(report)),
        "tests": _tests(report),
        "test_kinds": _test_kinds(report),
        "findings": found,
        "finding_kinds": [(s.value, s.value) for s in Severity if any(f.severity is s for f in report.findings)],
        "costs": costs(report),
        "probes": _probes(report),
        "weights": _weights(report),
        "changed_tests": _changed_tests(report),
        "percentiles": [
            [row.measure, f"{row.value:.4g}", f"{row.percentile:.0f} %", str(row.references)]
            for row in (report.branch.percentiles if report.branch else ())
        ],
        "decided": any(item.decisive for item in report.evidence),
        "facts": list(_facts(report)),
    }
    context["sections"] = list(_sections(report, context))
    return page("report.html.j2", **context)


def dimensions(report: Report) -> list[tuple[str, DimensionReport]]:
    """The report's dimensions in the order of the profile."""
    return [(name, report.dimensions[name]) for name in DIMENSIONS if name in report.dimensions]


def losses(report: Report) -> list[tuple[str, float]]:
    """What each scored measure takes from NF (its weights times 1 less its score), largest first; only what shows."""
    lost = [
        (measure.id, dimension.weight * measure.weight * (1 - measure.score))
        for _, dimension in dimensions(report)
        for measure in dimension.measures
        if measure.applicable and measure.score is not None
    ]
    return sorted((pair for pair in lost if pair[1] >= 0.0005), key=lambda pair: (-pair[1], pair[0]))


def _changed_tests(report: Report) -> list[tuple[str, str, tuple[TestChange, ...]]]:
    """The lists of test changes that are not empty, worst first: (name, what their members do, changes)."""
    tests = report.branch.tests if report.branch else None
    lists = ((name, words, getattr(tests, name)) for name, words in TEST_LISTS) if tests else ()
    return [found for found in lists if found[2]]


def _sections(report: Report, context: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if report.evidence:
        yield "evidence", "Evidence"
    if report.faults:
        yield "faults", "Faults"
    if report.gate:
        yield "gate", "Gate"
    if report.branch:
        yield "changes", "What changed"
    yield "dimensions", "Dimensions"
    yield "measures", "What lost points"
    if context["tests"].total:
        yield "tests", "Tests"
    if report.findings:
        yield "findings", "Findings"
    if context["costs"].rows:
        yield "cost", "Cost and memory"
    if report.robustness:
        yield "robustness", "Robustness"
    yield "weights", "Weights"
    yield "provenance", "Provenance"
    yield "limits", "What this does not mean"


def _score(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "not measured"
    return "exact" if high - low < 0.0005 else f"{low:.3f} to {high:.3f}"


def _dimension_row(name: str, dimension: DimensionReport) -> list[str]:
    if not dimension.applicable:
        return [name, "–", "not applicable", "", ""]
    interval = "left out" if dimension.left_out else _interval(dimension.low, dimension.high)
    scored = [(m.score, m.id) for m in dimension.measures if m.score is not None]
    score, lowest = min(scored, default=(1.0, ""))
    return [
        name,
        _score(dimension.score),
        interval,
        f"{dimension.weight:.3f}",
        f"{lowest} {score:.3f}" if score < 0.9995 else "",
    ]


def _radar(report: Report) -> Any:
    scores = {name: d.score for name, d in dimensions(report) if d.score is not None}
    if len(scores) < 3:
        return None
    said = ", ".join(f"{name} {score:.2f}" for name, score in scores.items())
    return chart(charts.radar(scores, describe=f"Radar of the dimensions against the reference's 1: {said}."))


def _waterfall(lost: Sequence[tuple[str, float]]) -> Any:
    if not lost:
        return None
    said = ", ".join(f"{name} {loss:.3f}" for name, loss in lost)
    return chart(charts.waterfall(lost, start=1.0, describe=f"What each measure takes from 1: {said}."))


def _measure_rows(report: Report) -> Iterator[list[str | tuple[str, str]]]:
    for name, dimension in dimensions(report):
        for measure in dimension.measures:
            weight = dimension.weight * measure.weight
            yield [
                (measure.id, measure.title),
                name,
                quantity(measure.value, measure.unit) if measure.value is not None else "–",
                quantity(measure.baseline, measure.unit) if measure.baseline is not None else "–",
                "–" if measure.ratio is None else f"{measure.ratio:.3f}",
                _score(measure.score),
                _interval(measure.low, measure.high) if measure.score is not None else _why_not(measure),
                f"{weight:.3f}",
                "–" if measure.score is None else f"{weight * (1 - measure.score):.3f}",
            ]


def _why_not(measure: MeasureReport) -> str:
    details = measure.details
    if not measure.applicable:
        return "not applicable"
    if details.get("left_out"):
        return "left out"
    why = details.get("unavailable")
    return f"not measured: {why.get('fault')}'s fault" if isinstance(why, dict) else "not measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tests:
    """The tests that are shown, out of `total`."""

    failed: tuple[TestResult, ...]
    passed: tuple[TestResult, ...]
    total: int

    @property
    def left_out(self) -> int:
        return self.total - len(self.failed) - len(self.passed)


def _tests(report: Report) -> _Tests:
    tests = report.functional.tests
    failed = [test for test in tests if test.outcome is not TestOutcome.PASSED][:MOST_TESTS]
    passed = [test for test in tests if test.outcome is TestOutcome.PASSED][: MOST_TESTS - len(failed)]
    return _Tests(failed=tuple(failed), passed=tuple(passed), total=len(tests))


def _test_kinds(report: Report) -> list[tuple[str, str]]:
    tests = report.functional.tests
    kinds = {t.failure.class_name.value for t in tests if t.failure and t.outcome is not TestOutcome.PASSED}
    others = {t.outcome.value for t in tests if not t.failure or t.outcome is TestOutcome.PASSED}
    return [(kind, kind.replace("_", "-")) for kind in sorted(kinds)] + [
        (kind, kind.replace("_", " ")) for kind in sorted(others)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShownFinding:
    finding: Finding
    cost: float
    lines: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class _Findings:
    """Findings by file, the costliest file first; `left_out` of all `total` are not shown."""

    files: tuple[tuple[str, tuple[_ShownFinding, ...]], ...]
    total: int
    left_out: int


def _findings(report: Report, lost: Mapping[str, float]) -> _Findings:
    values = {m.id: m.value for _, d in dimensions(report) for m in d.measures}

    def cost(finding: Finding) -> float:
        value = values.get(finding.measure or "")
        return finding.points / value * lost.get(finding.measure or "", 0.0) if value else 0.0

    ranked = sorted(
        ((cost(f), f) for f in report.findings),
        key=lambda pair: (-pair[0], _RANK[pair[1].severity], pair[1].path or "", pair[1].line or 0, pair[1].code),
    )
    by_file: dict[str, list[_ShownFinding]] = defaultdict(list)
    for cost_, finding in ranked[:MOST_FINDINGS]:
        lines = _lines(report, finding)
        by_file[finding.path or "(the whole project)"].append(_ShownFinding(finding=finding, cost=cost_, lines=lines))
    return _Findings(
        files=tuple((path, tuple(found)) for path, found in by_file.items()),
        total=len(ranked),
        left_out=max(0, len(ranked) - MOST_FINDINGS),
    )


def _lines(report: Report, finding: Finding) -> Any:
    """The lines around a finding that the report has, numbered, its own in bold; None where there are none."""
    from markupsafe import Markup  # noqa: PLC0415

    lines = report.sources.get(finding.path or "", {})
    if finding.line is None or finding.line not in lines:
        return None
    around = range(finding.line - MOST_LINES_AROUND, finding.line + MOST_LINES_AROUND + 1)
    number = Markup('<span class="no">{:5d}  </span>')
    own, other = Markup("{}<b>{}</b>"), Markup("{}{}")
    return Markup("\n").join(
        (own if n == finding.line else other).format(number.format(n), block(lines[n], 240))
        for n in around
        if n in lines
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Probes:
    """Entries that lost probes, each with the failure to begin with, and how many entries lost none."""

    entries: tuple[tuple[EntryOutcome, ProbeFailure | None], ...]
    whole: int
    properties: tuple[Any, ...]
    properties_passed: int
    different: int
    unsettled: int
    fresh: str | None


def smallest(entry: EntryOutcome) -> ProbeFailure | None:
    """The failure with the shortest input, hard faults first: the one to begin with."""
    return min(entry.failures, key=lambda f: (not f.hard, len(f.snippet), f.id), default=None)


def _probes(report: Report) -> _Probes | None:
    found = report.robustness
    if found is None:
        return None
    failing = [e for e in found.entries if e.absent or e.survived < e.total]
    failing.sort(key=lambda e: (not e.hard_fault, e.survived / e.total if e.total else 0.0, e.entry))
    failed = tuple(p for p in found.properties if not p.passed)
    return _Probes(
        entries=tuple((entry, smallest(entry)) for entry in failing),
        whole=len(found.entries) - len(failing),
        properties=failed,
        properties_passed=len(found.properties) - len(failed),
        different=sum(entry.different for entry in found.entries),
        unsettled=sum(entry.unsettled_different for entry in found.entries),
        fresh=fresh_line(found.fresh) if found.fresh else None,
    )


def _weights(report: Report) -> list[list[str]]:
    """Each dimension's weight, and what NF would be with half and with twice of it, the others in proportion."""
    scored = [(name, d.weight, d.score) for name, d in dimensions(report) if d.applicable]
    rows = []
    for name, weight, score in scored:
        cells = [name, f"{weight:.3f}", _score(score)]
        for factor in (0.0, 0.5, 2.0):
            cells.append(_score(_reweighed(scored, name, factor)))
        rows.append(cells)
    return rows


def _reweighed(scored: Sequence[tuple[str, float, float | None]], name: str, factor: float) -> float | None:
    total = known = 0.0
    for other, weight, score in scored:
        if score is None:
            return None
        share = weight * factor if other == name else weight
        total += share
        known += share * score
    return known / total if total else None


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    yield "score model", report.score_model
    yield "task digest", report.task.digest
    yield "subject digest", report.subject.digest or "–"
    yield "subject", f"{report.subject.path}, {report.subject.files} files"
    for key, value in sorted(report.provenance.items()):
        if key in ("task_digest", "subject_digest", "not_copied"):
            continue
        yield from _flat(key, value)


def _flat(key: str, value: object, depth: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and depth < 2:
        for name, inner in sorted(value.items()):
            yield from _flat(f"{key}.{name}", inner, depth + 1)
    elif value not in (None, {}, []):
        yield key.replace("_", " "), str(value)
