"""The report as GitHub-flavoured Markdown, for a pull request's comment or a job summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qualityscore.model.finding import NOT_COPIED
from qualityscore.model.outcome import TestOutcome
from qualityscore.model.report import DIMENSIONS, DimensionReport, MeasureReport, Report, Status
from qualityscore.reports.console import containment_words, costliest, credible_words, raw_value
from qualityscore.reports.cost_lines import cost_lines
from qualityscore.reports.markdown_branch import folded, opening
from qualityscore.reports.markdown_text import code, details, table
from qualityscore.reports.plain_text import without_repeats

SHOWN_TESTS = 30
SHOWN_FINDINGS = 10
SHOWN_NOTES = 20


MAX_CHARACTERS = 60_000
"""What the platforms take as one comment is more than this, by a little."""


def render(report: Report) -> str:
    """Scores, dimensions, and what cost most; text from the subject stands in code spans, inert and bounded.

    A comparison with an earlier state begins with its verdict and folds the rest. Under 60,000 characters: sections
    that would pass that are left out, and it is said.
    """
    scores = [_scores(report), _dimensions(report)]
    bare = [f"**{containment_words(report)}**"] if report.containment == "none" else []
    rest = [*_failed_tests(report), *_costs(report), *_findings(report), _footer(report)]
    if report.branch is None:
        return _within(
            [_headline(report), *bare, *scores, *_evidence(report), *_left_out(report), *_faults(report), *rest]
        )
    shown = [*opening(report, report.branch), *bare, *_evidence(report), *_left_out(report), *_faults(report)]
    return _within([*shown, *folded(report, report.branch), details("Scores", "\n".join(scores)), *rest])


def _within(blocks: Sequence[str]) -> str:
    """The blocks as one text, without those for which there is no room."""
    kept: list[str] = []
    left_out = length = 0
    for block in blocks:
        text = block if block.endswith("\n") else block + "\n"
        if length + len(text) + 1 > MAX_CHARACTERS - 200:
            left_out += 1
        else:
            kept.append(text)
            length += len(text) + 1
    if left_out:
        kept.append(f"{left_out} section{'' if left_out == 1 else 's'} left out for length; the JSON report has all.\n")
    return "\n".join(kept)


def _headline(report: Report) -> str:
    name = report.subject.label or report.subject.path
    text = f"## {code(name)} against {code(report.task.id)} ({code(report.task.reference)})"
    return text if report.status is Status.COMPLETE else f"{text}: **{report.status.value}**"


def _scores(report: Report) -> str:
    f, nf, c = report.functional, report.non_functional, report.credibility
    entries = len(c.credible) + len(c.not_credible)
    rows = [
        ["**F** functional", _score(f.score), "" if f.score is None else f"{f.passed} of {f.expected} tests"],
        ["**NF** non-functional", _score(nf.score), _interval(nf.low, nf.high)],
        [
            "**c** credibility",
            _score(c.score),
            "" if c.score is None else f"{len(c.credible)} of {entries} {credible_words(report)}",
        ],
        ["**F × NF** effective", _score(report.effective), ""],
    ]
    return table(["score", "value", "of what"], rows)


def _dimensions(report: Report) -> str:
    rows = []
    for name in DIMENSIONS:
        dimension = report.dimensions.get(name)
        if dimension is None:
            continue
        interval = _interval(dimension.low, dimension.high) if dimension.applicable else "not applicable"
        rows.append([name, _score(dimension.score), interval, f"{dimension.weight:.2f}", _lowest(dimension)])
    return table(["dimension", "score", "interval", "weight", "lowest measure"], rows)


def _lowest(dimension: DimensionReport) -> str:
    scored: list[tuple[float, str, MeasureReport]] = [
        (m.score, m.id, m) for m in dimension.measures if m.score is not None
    ]
    if not scored:
        return ""
    score, _, worst = min(scored, key=lambda item: item[:2])
    return "" if score > 0.9995 else f"{code(worst.id)} {raw_value(worst)}"


def _evidence(report: Report) -> Iterator[str]:
    if not report.evidence:
        return
    decided = any(item.decisive for item in report.evidence)
    lines = [
        f"{code(item.kind)}: {code(item.message)}"
        + (f" at {code(f'{item.location.path}:{item.location.line}')}" if item.location else "")
        for item in report.evidence
    ]
    title = "Tampering was seen" if decided else "Noticed; it judges nothing alone"
    yield f"**{title}**\n\n{_list(lines, SHOWN_NOTES)}"


def _left_out(report: Report) -> Iterator[str]:
    lines = [f"{code(f.path or '(project)')}: {code(f.message)}" for f in report.findings if f.code == NOT_COPIED]
    if lines:
        yield f"**Not all of the subject was taken**\n\n{_list(lines, SHOWN_NOTES)}"


def _faults(report: Report) -> Iterator[str]:
    if report.faults:
        lines = [f"{code(fault.stage)} ({fault.fault.value}): {code(fault.reason)}" for fault in report.faults]
        yield f"**Faults**\n\n{_list(lines, SHOWN_NOTES)}"


def _failed_tests(report: Report) -> Iterator[str]:
    failed = [test for test in report.functional.tests if test.outcome is not TestOutcome.PASSED]
    if not failed:
        return
    messages = without_repeats(t.failure.message if t.failure else "" for t in failed[:SHOWN_TESTS])
    rows = [
        [code(t.id), t.failure.class_name.value if t.failure else "", code(message) if t.failure else ""]
        for t, message in zip(failed, messages, strict=False)
    ]
    text = table(["test", "class", "what happened"], rows) + _more(len(failed), SHOWN_TESTS)
    yield details(f"{len(failed)} failed test{'' if len(failed) == 1 else 's'}", text)


def _costs(report: Report) -> Iterator[str]:
    lines = [code(line) for line in cost_lines(report)]
    if lines:
        yield f"**Costs that stand out**\n\n{_list(lines, SHOWN_NOTES)}"


def _findings(report: Report) -> Iterator[str]:
    worst = costliest(report, SHOWN_FINDINGS)
    if not worst:
        return
    rows = [
        [
            code(f"{finding.path or '(project)'}" + (f":{finding.line}" if finding.line else "")),
            code(finding.code),
            code(finding.message),
            code(finding.measure or ""),
        ]
        for finding in worst
    ]
    yield details(
        f"The {len(worst)} findings that cost most, of {len(report.findings)}",
        table(["place", "code", "message", "measure"], rows),
    )


def _footer(report: Report) -> str:
    profile = code(str(report.provenance.get("profile", "–")))
    return (
        f"<sub>{containment_words(report).capitalize()}. Score model {code(report.score_model)}, profile {profile}. "
        "Scores are relative to the reference (1 is as good or better) and compare only under the same score model, "
        "profile and task.</sub>"
    )


def _list(lines: Sequence[str], most: int) -> str:
    return "".join(f"- {line}\n" for line in lines[:most]) + _more(len(lines), most)


def _more(count: int, most: int) -> str:
    return f"\nand {count - most} more in the JSON report\n" if count > most else ""


def _score(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "not measured"
    return "" if high - low < 0.0005 else f"{low:.3f} to {high:.3f}"
