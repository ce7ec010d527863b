"""Cost and memory on a report's page, out of what measures keep for the reader in their details."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from qualityscore.core.explain import quantity
from qualityscore.core.intervals import median_interval
from qualityscore.model.report import MeasureReport, Report
from qualityscore.reports import charts
from qualityscore.reports.charts import Interval
from qualityscore.reports.cost_lines import cost_lines
from qualityscore.reports.html_page import chart

TOLERANCE = 0.03
"""What counts as equal in a measured cost: within this share (scoring.md section 3)."""

MOST_CURVES = 12
_FARTHEST = 1e6
Finite = Annotated[float, Field(allow_inf_nan=False)]
Points = Annotated[list[tuple[Finite, Finite]], Field(max_length=200)]
Curves = dict[str, dict[str, Points]]


class _Part(BaseModel):
    """One workload of a measure, as reports keep it; other keys do not matter here."""

    model_config = ConfigDict(frozen=True)

    id: str
    value: Finite | None = None
    baseline: Finite | None = None
    ratio: Finite | None = None
    score: Finite | None = None
    right: bool = False
    verdict: str | None = None
    note: str | None = None
    log_ratios: list[Finite] = []
    widening: Finite = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Charts and tables of cost and memory, and in `lines` what stands out among them.

    `growth` and `memory` are None where there is nothing to draw.
    """

    ratios: tuple[tuple[str, Any], ...]
    growth: Any
    memory: Any
    rows: tuple[list[str], ...]
    growth_rows: tuple[list[str], ...]
    lines: tuple[str, ...]


def costs(report: Report) -> Costs:
    """What the efficiency and resource measures tell. Details of another shape are passed over."""
    measures = [
        m for name in ("efficiency", "resource") if name in report.dimensions for m in report.dimensions[name].measures
    ]
    parts = [(measure, _read(list[_Part], measure.details.get("parts")) or []) for measure in measures]
    return Costs(
        ratios=tuple(drawn for measure, own in parts if (drawn := _ratios(measure, own)) is not None),
        growth=_curves(measures, "by_size", charts.growth, "cost"),
        memory=_curves(measures, "over_time", charts.over_time, "bytes"),
        rows=tuple(_row(measure, part) for measure, own in parts for part in own),
        growth_rows=tuple(row for measure in measures for row in _growth_rows(measure.details)),
        lines=tuple(cost_lines(report)),
    )


def _read(kind: Any, value: object) -> Any:
    """`value` as `kind`, or None where it is not of that shape."""
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return None


def _ratios(measure: MeasureReport, parts: Sequence[_Part]) -> tuple[str, Any] | None:
    rows = [row for part in parts[: charts.MOST_LABELS] if (row := _interval(part)) is not None]
    if len(rows) < 2:
        return None  # a single dot tells no more than its row in the table
    said = ", ".join(f"{row.label} {row.value:.2f}" for row in rows)
    return measure.title, chart(
        charts.intervals(
            rows,
            describe=f"{measure.title}: the reference's over the subject's, by workload: {said}.",
            title="reference ÷ subject (right of the line is better)",
            log=True,
            mark=1.0,
            band=(1 - TOLERANCE, 1 / (1 - TOLERANCE)) if measure.verdict else None,
        )
    )


def _interval(part: _Part) -> Interval | None:
    """The ratio of one workload with the interval of its pairs' median, by order statistics."""
    if part.ratio is None or part.ratio <= 0 or not part.right:
        return None
    found = median_interval(part.log_ratios) if part.log_ratios else None
    low = high = None
    if found is not None:
        low, high = _within(found[0] - part.widening), _within(found[1] + part.widening)
    return Interval(label=part.id, value=_within(math.log(part.ratio)), low=low, high=high)


def _within(log: float) -> float:
    """A ratio by its logarithm, no farther from 1 than a chart can show."""
    farthest = math.log(_FARTHEST)
    return math.exp(max(-farthest, min(farthest, log)))


def _row(measure: MeasureReport, part: _Part) -> list[str]:
    return [
        part.id,
        measure.id,
        "–" if part.value is None else quantity(part.value, measure.unit),
        "–" if part.baseline is None else quantity(part.baseline, measure.unit),
        "–" if part.ratio is None else f"{part.ratio:.3f}",
        "–" if part.score is None else f"{part.score:.3f}",
        "; ".join(said for said in (part.verdict, part.note) if said),
    ]


def _growth_rows(details: Mapping[str, Any]) -> Iterator[list[str]]:
    mine = _read(dict[str, Finite | None], details.get("growth")) or {}
    theirs = _read(dict[str, Finite | None], details.get("reference_growth")) or {}
    for workload, own in sorted(mine.items()):
        other = theirs.get(workload)
        if own is not None and other is not None:
            yield [workload, f"{own:.2f}", f"{other:.2f}", f"{own - other:+.2f}"]


def _curves(measures: Sequence[MeasureReport], key: str, draw: Callable[..., str], title: str) -> Any:
    """Curves of both sides by workload, where a measure's details have them."""
    found = [
        (workload, side, sides[side])
        for measure in measures
        for workload, sides in sorted((_read(Curves, measure.details.get(key)) or {}).items())[:MOST_CURVES]
        for side in ("subject", "reference")
        if sides.get(side)
    ]
    if not found:
        return None
    names = ", ".join(dict.fromkeys(workload for workload, _, _ in found))
    return chart(draw(found, title=title, describe=f"{title} of subject and reference for {names}."))
