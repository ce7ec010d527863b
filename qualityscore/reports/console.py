"""The report as a person sees it in a terminal."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qualityscore.model.finding import NOT_COPIED, Finding
from qualityscore.model.measure import Unit
from qualityscore.model.outcome import TestOutcome
from qualityscore.model.report import (
    DIMENSIONS,
    DimensionReport,
    FunctionalReport,
    MeasureReport,
    Report,
    Status,
)
from qualityscore.reports.branch_tables import branch_parts, listed_tests
from qualityscore.reports.cost_lines import cost_lines
from qualityscore.reports.plain_text import inert
from qualityscore.reports.probe_lines import probe_lines

BAR_WIDTH = 24
WORST_FINDINGS = 3
MOST_LEFT_OUT = 5
SHOWN_TESTS = 8
SHOWN_COSTS = 8
_ROUNDING = 1e-6  # of weighted sums


def render(report: Report, *, width: int = 100, color: bool = False, saved: str | None = None) -> str:
    """The table of one evaluation: F, NF with its interval, five bars, what cost most, what went wrong.

    `saved` is the file that holds the report, for the commands that the table names.
    """
    out = StringIO()
    console = Console(
        file=out,
        width=max(60, width),
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    console.print(Group(*_parts(report, saved)))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _parts(report: Report, saved: str | None) -> Iterator[RenderableType]:
    yield _headline(report)
    yield from branch_parts(report)  # what is new comes first
    yield Text("")
    yield _scores(report)
    yield Text("")
    yield from _dimensions(report)
    yield _containment(report)
    yield from _failed_tests(report)
    yield from _probes(report, saved)
    yield from _costs(report)
    yield from _findings(report)
    yield from _evidence(report)
    yield from _left_out(report)
    yield from _faults(report)


def _headline(report: Report) -> Text:
    name = report.subject.label or report.subject.path
    if report.branch is None:
        text = Text.assemble(
            (inert(name), "bold"), " against ", (report.task.id, "bold"), f" ({report.task.reference})"
        )
    elif report.branch.baseline.kind == "none":
        text = Text.assemble((inert(name), "bold"), " alone, without a baseline")
    else:
        text = Text.assemble((inert(name), "bold"), " against ", (inert(report.task.reference), "bold"))
    if report.status is not Status.COMPLETE:
        style = "bold red" if report.status in (Status.TAMPERED, Status.FAILED) else "yellow"
        text.append(f"   {report.status.value}", style=style)
    return text


def _scores(report: Report) -> Table:
    table = Table.grid(padding=(0, 2))
    functional = report.functional
    table.add_row(
        "F   functional",
        _number(functional.score),
        _functional(functional),
    )
    table.add_row("NF  non-functional", _number(report.non_functional.score), _non_functional(report))
    credibility = report.credibility
    entries = len(credibility.credible) + len(credibility.not_credible)
    table.add_row(
        "c   credibility",
        _number(credibility.score),
        "" if credibility.score is None else f"{len(credibility.credible)} of {entries} {credible_words(report)}",
    )
    table.add_row("F × NF  effective", _number(report.effective), "")
    return table


def credible_words(report: Report) -> str:
    return "entries do something right" if report.branch is None else "public names are still defined"


def _functional(functional: FunctionalReport) -> str:
    if functional.left_out:
        return "left out"
    if functional.passed is None:
        return "not measured"
    said = f"{functional.passed} of {functional.expected} tests"
    if functional.score is None:
        return f"{said} passed, not all could be judged"
    return f"{said}, build {_yes(functional.build)}, full {_yes(functional.full)}"


def _non_functional(report: Report) -> str:
    nf = report.non_functional
    if nf.low is None or nf.high is None:
        return "needs all dimensions" if any(d.left_out for d in report.dimensions.values()) else ""
    if nf.score is None:
        return f"between {nf.low:.3f} and {nf.high:.3f}"
    return "" if nf.high - nf.low < 0.0005 else f"{nf.low:.3f} to {nf.high:.3f}"


def _dimensions(report: Report) -> Iterator[RenderableType]:
    known = [(name, report.dimensions[name]) for name in DIMENSIONS if name in report.dimensions]
    shown = [name for name, dimension in known if dimension.applicable and not dimension.left_out]
    if shown:
        yield _bars(report, shown)
    left_out = [name for name, dimension in known if dimension.applicable and dimension.left_out]
    if left_out:
        yield Text(f"left out: {', '.join(left_out)}", style="dim")
    beside = [name for name, dimension in known if not dimension.applicable]
    if beside:
        yield Text(f"not applicable: {', '.join(beside)}", style="dim")


def _containment(report: Report) -> Text:
    return Text(containment_words(report), style="bold red" if report.containment == "none" else "dim")


def containment_words(report: Report) -> str:
    """What kept the subject from its caller's files and processes, in one sentence part."""
    if report.containment == "none":
        return "NOT CONTAINED: the subject ran without a sandbox (--unsafe); its scores may be of its own making"
    return "containment not stated" if report.containment is None else f"contained by: {report.containment}"


def _bars(report: Report, names: list[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("dimension", "score", "", "interval", "weight", "lowest measure"):
        table.add_column(title)
    for name in names:
        dimension = report.dimensions[name]
        table.add_row(
            name,
            _number(dimension.score),
            _bar(dimension),
            _interval(dimension),
            f"{dimension.weight:.2f}",
            _lowest(dimension),
        )
    return table


def _bar(dimension: DimensionReport) -> Text:
    if dimension.score is None:
        return Text("·" * BAR_WIDTH, style="dim")
    filled = int(dimension.score * BAR_WIDTH + _ROUNDING)  # only a full score fills the bar
    style = "green" if dimension.score >= 0.9 else "yellow" if dimension.score >= 0.6 else "red"
    return Text.assemble(("█" * filled, style), ("░" * (BAR_WIDTH - filled), "dim"))


def _interval(dimension: DimensionReport) -> str:
    if dimension.low is None or dimension.high is None:
        return "not measured"
    if dimension.high - dimension.low < 0.0005:
        return ""
    if dimension.score is None:
        return f"{dimension.low:.3f} to {dimension.high:.3f}, not measured"
    return f"{dimension.low:.3f} to {dimension.high:.3f}"


def _lowest(dimension: DimensionReport) -> str:
    scored = [m for m in dimension.measures if m.score is not None]
    if not scored:
        return ""
    worst = min(scored, key=lambda m: (m.score if m.score is not None else 1.0, m.id))
    if worst.score is not None and worst.score > 0.9995:
        return ""
    return f"{worst.id} {raw_value(worst)}"


def raw_value(measure: MeasureReport) -> str:
    """The value of a scored measure and its reference's, short, for people; none is the subject's own fault."""
    if measure.value is None:
        return "worth 0, no value"
    base = "" if measure.baseline is None else f", reference {_short(measure.baseline, measure.unit)}"
    credited = measure.credibility is not None and measure.credibility < 0.9995
    factor = f", × credibility {measure.credibility:.3f}" if credited else ""
    return f"{_short(measure.value, measure.unit)}{base}{factor}"


def _failed_tests(report: Report) -> Iterator[RenderableType]:
    listed = listed_tests(report.branch)  # of a branch, each is in the list that says what became of it
    failed = [t for t in report.functional.tests if t.outcome is not TestOutcome.PASSED and t.id not in listed]
    if not failed:
        return
    yield Text("")
    yield Text(f"{len(failed)} failed test{'' if len(failed) == 1 else 's'}", style="bold")
    prefix = _common_folder([test.id for test in report.functional.tests])
    for test in failed[:SHOWN_TESTS]:
        yield Padding(Text(inert(test.id.removeprefix(prefix))), (0, 0, 0, 2))
        if test.failure:
            yield Padding(Text(inert(test.failure.message, limit=160), style="dim"), (0, 0, 0, 6))
    if len(failed) > SHOWN_TESTS:
        yield Text(f"  and {len(failed) - SHOWN_TESTS} more in the report")


def _probes(report: Report, saved: str | None) -> Iterator[RenderableType]:
    lines = list(probe_lines(report, saved))
    if lines:
        yield Text("")
        yield Text("Probes", style="bold")
    for line in lines:
        yield Padding(Text(inert(line, limit=400)), (0, 0, 0, 2))


def _costs(report: Report) -> Iterator[RenderableType]:
    lines = cost_lines(report)
    if lines:
        yield Text("")
        yield Text("Costs that stand out", style="bold")
    for line in lines[:SHOWN_COSTS]:
        yield Padding(Text(inert(line, limit=400)), (0, 0, 0, 2))
    if len(lines) > SHOWN_COSTS:
        yield Text(f"  and {len(lines) - SHOWN_COSTS} more in the JSON report")


def _common_folder(ids: list[str]) -> str:
    """The folders that all test ids begin with, up to their last slash; empty where there are none."""
    folders = [posixpath.dirname(name.partition("::")[0]) for name in ids]
    rooted = {folder.startswith("/") for folder in folders}
    common = posixpath.commonpath(folders) if all(folders) and len(rooted) == 1 else ""
    return f"{common}/" if common else ""


def costliest(report: Report, count: int) -> list[Finding]:
    """The findings that cost NF most, worst first.

    A finding costs its share of its measure's raw value times what that measure lost, by both weights; what adds to a
    measure that reaches the reference costs nothing.
    """
    lost: dict[str, float] = {}
    for dimension in report.dimensions.values():
        for measure in dimension.measures:
            if measure.score is not None and measure.value:
                lost[measure.id] = (1 - measure.score) * measure.weight * dimension.weight / measure.value
    costs = [(f.points * lost.get(f.measure or "", 0.0), f) for f in report.findings]
    ranked = sorted(
        (pair for pair in costs if pair[0] > 0),
        key=lambda pair: (-pair[0], pair[1].path or "", pair[1].line or 0, pair[1].code, pair[1].message),
    )
    return [finding for _, finding in ranked[:count]]


def _findings(report: Report) -> Iterator[RenderableType]:
    worst = costliest(report, WORST_FINDINGS)
    if not worst:
        return
    yield Text("")
    yield Text(f"Findings that cost most (of {len(report.findings)})", style="bold")
    table = Table.grid(padding=(0, 2))
    for finding in worst:
        place = f"{finding.path or '(project)'}" + (f":{finding.line}" if finding.line else "")
        table.add_row(
            Text(inert(place, limit=60)),
            Text(finding.code),
            Text(inert(finding.message, limit=160)),
            Text(f"{finding.measure or ''}"),
        )
    yield Padding(table, (0, 0, 0, 2))


def _evidence(report: Report) -> Iterator[RenderableType]:
    if not report.evidence:
        return
    yield Text("")
    if any(item.decisive for item in report.evidence):
        yield Text("Tampering was seen", style="bold red")
    else:
        yield Text("Noticed; it judges nothing alone", style="bold yellow")
    for item in report.evidence:
        where = f" at {item.location.path}:{item.location.line}" if item.location else ""
        yield Text(f"  {item.kind}: {inert(item.message)}{inert(where)}")


def _left_out(report: Report) -> Iterator[RenderableType]:
    found = [finding for finding in report.findings if finding.code == NOT_COPIED]
    if not found:
        return
    yield Text("")
    yield Text("Not all of the subject was taken", style="bold yellow")
    for finding in found[:MOST_LEFT_OUT]:
        yield Text(f"  {inert(finding.path or '(project)')}: {inert(finding.message)}")
    if len(found) > MOST_LEFT_OUT:
        yield Text(f"  and {len(found) - MOST_LEFT_OUT} more in the report")


def _faults(report: Report) -> Iterator[RenderableType]:
    if not report.faults:
        return
    yield Text("")
    yield Text("Faults", style="bold yellow")
    for fault in report.faults:
        yield Text(f"  {fault.stage} ({fault.fault.value}): {inert(fault.reason)}")


def _number(value: float | None) -> str:
    return "   –" if value is None else f"{value:.3f}"


def _short(value: float, unit: Unit) -> str:
    if unit is Unit.BYTES:
        return f"{value / 2**20:.1f} MiB"
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"


def _yes(value: bool | None) -> str:
    return "–" if value is None else "yes" if value else "no"
