"""What a comparison with an earlier state adds to the table in a terminal: the gate, and what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qualityscore.model.branch import BranchReport, GateReport, NameChange, TestChange
from qualityscore.model.finding import Finding
from qualityscore.model.report import Report
from qualityscore.reports.plain_text import inert, without_repeats

SHOWN = 5
TEST_LISTS = (
    ("broken", "passing before, failing now"),
    ("removed", "removed"),
    ("skipped", "skipped now, not before"),
    ("weakened", "asking for less"),
    ("undermined", "passing only with a changed conftest or helper"),
    ("failing", "new and failing"),
    ("rewritten", "rewritten, failing as they stood"),
    ("flaky", "with two verdicts on the same code"),
    ("fixed", "failing before, passing now"),
    ("moved", "moved or renamed"),
)
"""The lists of test changes in words, worst first."""
INCOMPATIBLE = "whose signature changed incompatibly"
MOVED = "moved, and still defined"
ACCEPTABLE = frozenset({"removed", "skipped", "weakened"})
"""The lists that --accept-removed is about."""
ACCEPTING = ", with --accept-removed"


def heading(name: str, words: str, number: int, report: Report) -> str:
    """The heading of a list of test changes; one that the caller accepted says so."""
    return f"{counted(number, 'test')} {words}{_accepted(name, report)}"


def still_pass(report: Report) -> str | None:
    """How many of the tests that passed before run and pass now, and why the others do not; None without them.

    A test that the branch does not run is none of them, whatever its baseline's version says of the code.
    """
    if report.branch is None or report.branch.tests is None:
        return None
    tests = report.branch.tests
    lost = {change.id for name in ("broken", "removed", "skipped", "undermined") for change in getattr(tests, name)}
    reasons = [
        f"{len(changes)} {word}{_accepted(name, report)}"
        for name, word in (("removed", "removed"), ("skipped", "skipped"), ("weakened", "asking for less"))
        if (changes := getattr(tests, name))
    ]
    counts = f"{tests.expected - len(lost)} of {tests.expected} that passed before still run and pass"
    return ", ".join([counts, *reasons, f"{tests.added} new"])


def counted(number: int, what: str) -> str:
    """A number with its noun."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _accepted(name: str, report: Report) -> str:
    accepts = report.gate is not None and report.gate.accept_removed
    return " (accepted)" if accepts and name in ACCEPTABLE else ""


def branch_parts(report: Report) -> Iterator[RenderableType]:
    """The gate's verdict, new findings, tests and names; nothing for a report without them.

    What the lists show, the gate does not show again as an example.
    """
    if report.gate is not None:
        yield from _gate(report.gate, frozenset(_shown_below(report.branch)))
    if report.branch is not None:
        yield from _changes(report, report.branch)


def _gate(gate: GateReport, below: frozenset[str]) -> Iterator[RenderableType]:
    yield Text("")
    if gate.passed:
        yield Text(
            f"Gate passed ({gate.words}, {inert(gate.source)}{ACCEPTING if gate.accept_removed else ''})",
            style="bold green",
        )
        return
    style = "bold red" if gate.failed else "bold yellow"
    yield Text(f"Gate {gate.verdict} ({inert(gate.source)}{ACCEPTING if gate.accept_removed else ''})", style=style)
    table = Table.grid(padding=(0, 2))
    for condition in gate.failed:
        table.add_row(Text(inert(condition.name, limit=70)), Text(inert(condition.numbers, limit=160)))
        for example in (one for one in condition.examples if one not in below):
            table.add_row(Text(""), Text(inert(example, limit=160), style="dim"))
    for condition in gate.undecided:
        table.add_row(Text(inert(condition.name, limit=70)), Text(inert(condition.numbers, limit=160)))
    yield Padding(table, (0, 0, 0, 2))


def _shown_below(branch: BranchReport | None) -> Iterator[str]:
    """What the lists show, in the words of a gate's examples."""
    if branch is None:
        return
    for finding in branch.findings.new[:SHOWN] if branch.findings is not None else ():
        yield f"{_finding(finding)[0]} {finding.code}: {finding.message}"
    for name, _ in TEST_LISTS if branch.tests is not None else ():
        for change in getattr(branch.tests, name)[:SHOWN]:
            yield from (f"{change.id}: {reason}" for reason in (change.reason, "the same as above"))
    if branch.names is not None:
        for lost in branch.names.lost[:SHOWN]:
            yield from (f"{lost.name}: {reason}" for reason in (lost.reason, "the same as above"))


def listed_tests(branch: BranchReport | None) -> frozenset[str]:
    """The ids of the tests that the lists are about."""
    if branch is None or branch.tests is None:
        return frozenset()
    return frozenset(change.id for name, _ in TEST_LISTS for change in getattr(branch.tests, name))


def _changes(report: Report, branch: BranchReport) -> Iterator[RenderableType]:
    findings = branch.findings
    if findings is None:
        yield Text("")
        yield Text("Findings: not measured", style="bold")
    elif branch.baseline.kind != "none":
        yield Text("")
        yield Text(
            f"Findings: {len(findings.new)} new, {len(findings.fixed)} fixed, {findings.unchanged} unchanged",
            style="bold",
        )
        yield from _listed([_finding(finding) for finding in findings.new])
    if branch.tests is not None:
        if (counts := still_pass(report)) is not None:
            yield Text("")
            yield Text(f"Tests: {counts}", style="bold")
        for name, words in TEST_LISTS:
            changes: tuple[TestChange, ...] = getattr(branch.tests, name)
            if changes:
                yield Text("")
                yield Text(heading(name, words, len(changes), report), style="bold")
                reasons = without_repeats(change.reason for change in changes)
                yield from _listed([(change.id, reason) for change, reason in zip(changes, reasons, strict=True)])
    if branch.names is not None and branch.names.lost:
        yield Text("")
        yield Text(
            f"{len(branch.names.lost)} of {branch.names.expected} public names not defined any more", style="bold"
        )
        yield from _listed([_name(change) for change in branch.names.lost])
    if branch.names is not None and branch.names.incompatible:
        yield Text("")
        yield Text(f"{counted(len(branch.names.incompatible), 'public name')} {INCOMPATIBLE}", style="bold")
        yield from _listed([(change.name, change.reason) for change in branch.names.incompatible])
    if branch.names is not None and branch.names.moved_names:
        yield Text("")
        yield Text(f"{counted(len(branch.names.moved_names), 'public name')} {MOVED}", style="bold")
        yield from _listed([(name, "") for name in branch.names.moved_names])
    if branch.percentiles:
        yield Text("")
        yield Text("Raw measures among the pinned references (percentile: share of them that are no better)", "bold")
        table = Table.grid(padding=(0, 2))
        for row in branch.percentiles:
            table.add_row(row.measure, f"{row.value:.4g}", f"{row.percentile:.0f} % of {row.references}")
        yield Padding(table, (0, 0, 0, 2))
    for note in branch.notes:
        yield Text(f"note: {inert(note)}", style="dim")


def _finding(finding: Finding) -> tuple[str, str]:
    place = f"{finding.path or '(project)'}" + (f":{finding.line}" if finding.line else "")
    return place, f"{finding.severity.value}  {finding.code}  {finding.message}"


def _name(change: NameChange) -> tuple[str, str]:
    return change.name, f"{change.state}: {change.reason}"


def _listed(rows: Sequence[tuple[str, str]]) -> Iterator[RenderableType]:
    table = Table.grid(padding=(0, 2))
    for first, second in rows[:SHOWN]:
        table.add_row(Text(inert(first, limit=70)), Text(inert(second, limit=160)))
    yield Padding(table, (0, 0, 0, 2))
    if len(rows) > SHOWN:
        yield Text(f"  and {len(rows) - SHOWN} more in the report")
