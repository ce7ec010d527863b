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
from qualityscore.reports.plain_text import inert

SHOWN = 5
TEST_LISTS = (
    ("broken", "passing before, failing now"),
    ("removed", "removed"),
    ("skipped", "skipped now, not before"),
    ("weakened", "asking for less"),
    ("undermined", "passing only with what was changed beside them"),
    ("failing", "new and failing"),
    ("rewritten", "rewritten, failing as they stood"),
    ("flaky", "with two verdicts on the same code"),
    ("fixed", "failing before, passing now"),
    ("moved", "moved or renamed"),
)
"""The lists of test changes in words, worst first."""


def branch_parts(report: Report) -> Iterator[RenderableType]:
    """The gate's verdict, new findings, tests and names; nothing for a report without them.

    What the lists show, the gate does not show again as an example.
    """
    if report.gate is not None:
        yield from _gate(report.gate, frozenset(_shown_below(report.branch)))
    if report.branch is not None:
        yield from _changes(report.branch)


def _gate(gate: GateReport, below: frozenset[str]) -> Iterator[RenderableType]:
    yield Text("")
    if gate.passed:
        yield Text(f"Gate passed ({gate.words}, {inert(gate.source)})", style="bold green")
        return
    yield Text(f"Gate failed ({inert(gate.source)})", style="bold red")
    table = Table.grid(padding=(0, 2))
    for condition in gate.failed:
        table.add_row(Text(inert(condition.name, limit=70)), Text(inert(condition.numbers, limit=160)))
        for example in (one for one in condition.examples if one not in below):
            table.add_row(Text(""), Text(inert(example, limit=160), style="dim"))
    yield Padding(table, (0, 0, 0, 2))


def _shown_below(branch: BranchReport | None) -> Iterator[str]:
    """What the lists show, in the words of a gate's examples."""
    if branch is None:
        return
    for finding in branch.findings.new[:SHOWN]:
        yield f"{_finding(finding)[0]} {finding.code}: {finding.message}"
    for name, _ in TEST_LISTS if branch.tests is not None else ():
        yield from (f"{change.id}: {change.reason}" for change in getattr(branch.tests, name)[:SHOWN])
    if branch.names is not None:
        yield from (f"{change.name}: {change.reason}" for change in branch.names.lost[:SHOWN])


def listed_tests(branch: BranchReport | None) -> frozenset[str]:
    """The ids of the tests that the lists are about."""
    if branch is None or branch.tests is None:
        return frozenset()
    return frozenset(change.id for name, _ in TEST_LISTS for change in getattr(branch.tests, name))


def _changes(branch: BranchReport) -> Iterator[RenderableType]:
    findings = branch.findings
    if branch.baseline.kind != "none":
        yield Text("")
        yield Text(
            f"Findings: {len(findings.new)} new, {len(findings.fixed)} fixed, {findings.unchanged} unchanged",
            style="bold",
        )
        yield from _listed([_finding(finding) for finding in findings.new])
    if branch.tests is not None:
        for name, words in TEST_LISTS:
            changes: tuple[TestChange, ...] = getattr(branch.tests, name)
            if changes:
                yield Text("")
                yield Text(f"{len(changes)} test{'' if len(changes) == 1 else 's'} {words}", style="bold")
                yield from _listed([(change.id, change.reason) for change in changes])
    if branch.names is not None and branch.names.lost:
        yield Text("")
        yield Text(
            f"{len(branch.names.lost)} of {branch.names.expected} public names not defined any more", style="bold"
        )
        yield from _listed([_name(change) for change in branch.names.lost])
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
