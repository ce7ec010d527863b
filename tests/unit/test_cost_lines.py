"""What stands out among the costs reaches the reader of every format, though it has no points."""

from __future__ import annotations

import html as markup
from dataclasses import replace
from pathlib import Path

import pytest

from qualityscore.core.costs import Repeat
from qualityscore.model.finding import Finding, Severity
from qualityscore.reports import console, html, markdown
from qualityscore.reports.cost_lines import cost_lines
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_findings import findings
from qualityscore.suites.cost_kit import Kit, Workload
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.cost_sides import Sides
from qualityscore.suites.counting import Counted, Counts, Overheads
from qualityscore.suites.memory import Native, NativeRuns
from tests.sample_reports import HOSTILE, full, part

WORKLOAD = Workload(id="lru-churn", n=2, holds_mib=0, inputs={1: "a", 2: "b", 4: "c", 8: "d"})
FREE = Overheads(empty=0, loading={"lru-churn": dict.fromkeys((1, 2, 4, 8), 0)})


def growing(second: float, third: float, trouble: Trouble | None = None) -> Facts:
    """A side whose counts grow by `second` from n to 2n and by `third` from 2n to 4n."""
    values = {1: 10.0, 2: 1000.0, 4: 1000.0 + second, 8: 1000.0 + second + third}
    counted = Counted(
        id="lru-churn", by_size={size: Repeat(value=v, relative=0.0) for size, v in values.items()}, trouble=trouble
    )
    native = Native(id="lru-churn", digests=("right",) * 3, full=(1,), one=(1,))
    return Facts(native=NativeRuns(workloads=(native,)), counts=Counts(workloads=(counted,)), overheads=FREE)


def found(tmp_path: Path) -> tuple[Finding, ...]:
    # 2^1.9 = 3.732, 2^1.0 = 2
    kit = Kit(workloads=(WORKLOAD,), suite=tmp_path, inputs=tmp_path)
    sides = Sides(
        kit=kit,
        subject=growing(1000, 3732),
        reference=growing(1000, 2000),
        expected={"lru-churn": "right"},
        troubles={},
        pairs={},
        checks={},
    )
    return findings(sides, {})


@pytest.mark.parametrize("render", [console.render, markdown.render, html.render])
def test_a_worse_order_of_growth_is_named_in_every_format(render, tmp_path: Path):
    text = markup.unescape(render(replace(full(), findings=found(tmp_path))))
    said = "workload lru-churn: cost grows like n^1.9, the reference like n^1.0"
    assert said in " ".join(text.split())
    assert said not in render(replace(full(), findings=()))


def test_only_what_is_grave_among_costs_stands_out_and_once():
    def finding(code: str, severity: Severity) -> Finding:
        return Finding(code=code, tool="workloads", message=f"of {code}", severity=severity)

    grave = finding("cost-idle", Severity.HIGH)
    others = (finding("cost-departure", Severity.MEDIUM), finding("B602", Severity.HIGH), grave, grave)
    assert cost_lines(replace(full(), findings=others)) == ["cost-idle: of cost-idle"]


@pytest.mark.parametrize("render", [console.render, markdown.render])
def test_many_and_hostile_ones_stay_few_and_inert(render):
    many = tuple(
        Finding(code="cost-wrong", tool="workloads", message=f"{n} {HOSTILE}", severity=Severity.HIGH)
        for n in range(100)
    )
    text = render(replace(full(), findings=many))
    assert "\x1b" not in text
    assert "more in the JSON report" in text
    assert sum(line.count("cost-wrong") for line in text.splitlines()) < 30


def test_the_page_says_verdict_and_note_of_a_workload():
    idle = {**part("lru-churn", 0.5), "note": "costed at wall time"}
    report = full()
    (cost,) = report.dimensions["efficiency"].measures
    shown = replace(cost, details={**cost.details, "parts": [idle]})
    dimension = replace(report.dimensions["efficiency"], measures=(shown,))
    page = html.render(replace(report, dimensions={**report.dimensions, "efficiency": dimension}))
    assert "slower; costed at wall time" in page
