"""What a comparison with an earlier state puts first in Markdown: the verdict, what changed, what to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qualityscore.model.branch import SEVERITIES, BranchReport, GateReport
from qualityscore.model.finding import Finding
from qualityscore.model.report import Report
from qualityscore.reports.branch_tables import INCOMPATIBLE, MOVED, TEST_LISTS, counted, heading, still_pass
from qualityscore.reports.markdown_text import code, details, table
from qualityscore.reports.plain_text import without_repeats

MATTERING = 3
SHOWN_ROWS = 25
_EXAMPLES = 3


def opening(report: Report, branch: BranchReport) -> Iterator[str]:
    """The parts that are always seen."""
    name = code(report.subject.label or report.subject.path)
    against = "without a baseline" if branch.baseline.kind == "none" else f"against {code(report.task.reference)}"
    if report.gate is None:
        yield f"## {name} {against}"
    else:
        yield f"## {report.gate.verdict.capitalize()}: {name} {against}"
        yield from _verdict(report.gate)
    yield _sentence(report, branch)
    yield from _mattering(branch.findings.new if branch.findings is not None else ())


def folded(report: Report, branch: BranchReport) -> Iterator[str]:
    """The parts that open on demand."""
    if branch.tests is not None:
        for name, words in TEST_LISTS:
            changes = getattr(branch.tests, name)
            if changes:
                reasons = without_repeats(c.reason for c in changes[:SHOWN_ROWS])
                rows = [
                    [code(c.id), code(c.to or ""), code(reason)] for c, reason in zip(changes, reasons, strict=False)
                ]
                text = table(["test", "now", "what happened"], rows) + _more(len(changes))
                yield details(heading(name, words, len(changes), report), text)
    if branch.names is not None:
        for title, names in (
            ("not defined any more", branch.names.lost),
            (INCOMPATIBLE, branch.names.incompatible),
        ):
            if names:
                rows = [[code(c.name), c.state, code(c.reason)] for c in names[:SHOWN_ROWS]]
                text = table(["name", "state", "why"], rows) + _more(len(names))
                yield details(f"{counted(len(names), 'public name')} {title}", text)
    if branch.names is not None and branch.names.moved_names:
        moved = branch.names.moved_names
        lines = "".join(f"- {code(name)}\n" for name in moved[:SHOWN_ROWS])
        yield details(f"{counted(len(moved), 'public name')} {MOVED}", lines + _more(len(moved)))
    if branch.findings is not None and len(branch.findings.new) > MATTERING:
        yield details(counted(len(branch.findings.new), "new finding"), _findings(branch.findings.new))
    if branch.findings is not None and branch.findings.fixed:
        yield details(counted(len(branch.findings.fixed), "fixed finding"), _findings(branch.findings.fixed))
    if branch.percentiles:
        rows = [
            [code(p.measure), f"{p.value:.4g}", f"{p.percentile:.0f} % of {p.references}"] for p in branch.percentiles
        ]
        text = table(["raw measure", "value", "percentile: share of the pinned references that are no better"], rows)
        yield details("Raw measures among the pinned references", text)
    if branch.notes:
        lines = "".join(f"- {code(note, limit=400)}\n" for note in branch.notes[:SHOWN_ROWS])
        yield details(counted(len(branch.notes), "note"), lines + _more(len(branch.notes)))


def _verdict(gate: GateReport) -> Iterator[str]:
    if gate.accept_removed:
        yield "Removed, newly skipped and weakened tests were accepted (`--accept-removed`).\n"
    if gate.passed:
        return
    lines = []
    for condition in gate.failed[:SHOWN_ROWS]:
        lines.append(f"- **not met:** {code(condition.name)}: {code(condition.numbers)}\n")
        lines += [f"  - {code(example)}\n" for example in condition.examples[:_EXAMPLES]]
    for condition in gate.undecided[:SHOWN_ROWS]:
        lines.append(f"- {code(condition.name)}: {code(condition.numbers)}\n")
    yield "".join(lines) + _more(max(len(gate.failed), len(gate.undecided)))


def _sentence(report: Report, branch: BranchReport) -> str:
    parts = []
    names, found = branch.names, branch.findings
    if (counts := still_pass(report)) is not None:
        parts.append(f"**Tests:** {counts}.")
    elif report.functional.passed is not None and report.functional.expected:
        parts.append(f"**Tests:** {report.functional.passed} of {report.functional.expected} pass.")
    if found is None:
        parts.append("**Findings:** not measured.")
    elif branch.baseline.kind != "none":
        by_severity = [f"{found.new_by_severity[s]} {s}" for s in SEVERITIES if found.new_by_severity.get(s)]
        extra = f" ({', '.join(by_severity)})" if by_severity else ""
        counts = f"{len(found.new)} new{extra}, {len(found.fixed)} fixed, {found.unchanged} unchanged"
        parts.append(f"**Findings:** {counts}.")
    if names is not None:
        parts.append(f"**Public names:** {names.defined} of {names.expected} still defined.")
    return " ".join(parts) + "\n" if parts else ""


def _mattering(new: Sequence[Finding]) -> Iterator[str]:
    if new:
        title = "New findings that matter most" if len(new) > MATTERING else "New findings"
        yield f"**{title}**\n\n{_findings(new[:MATTERING])}"


def _findings(found: Sequence[Finding]) -> str:
    rows = [
        [
            code(f"{finding.path or '(project)'}" + (f":{finding.line}" if finding.line else "")),
            finding.severity.value,
            code(finding.code),
            code(finding.message),
        ]
        for finding in found[:SHOWN_ROWS]
    ]
    return table(["place", "severity", "code", "message"], rows) + _more(len(found))


def _more(count: int) -> str:
    return f"\nand {count - SHOWN_ROWS} more in the JSON report\n" if count > SHOWN_ROWS else ""
