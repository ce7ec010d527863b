"""Many results, or two, as a page: who is ahead, by how much, and whether that can be told at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qualityscore.core.comparison import Changes, Delta, ReportComparison, SetComparison, conclusions
from qualityscore.core.leaderboard import Leaderboard, Mean, Result
from qualityscore.model.outcome import FailureClass
from qualityscore.model.report import Report
from qualityscore.reports import charts
from qualityscore.reports.charts import Interval
from qualityscore.reports.html_page import chart, page
from qualityscore.reports.leaderboard import notes
from qualityscore.reports.tables import number, percent

if TYPE_CHECKING:
    from qualityscore.core.sensitivity import Sensitivity

MOST_CHANGES = 200


def leaderboard_page(
    board: Leaderboard,
    results: Sequence[Result],
    *,
    sensitivity: Sensitivity | None = None,
    comparison: SetComparison | None = None,
    refused: Mapping[str, str] | None = None,
    facts: Sequence[tuple[str, str]] = (),
) -> str:
    """Ranks with intervals, scores by task, classes of failures, what the ranks owe to the weights.

    `sensitivity` and `comparison` (of two labels) are shown where they are given; `refused` names dimensions that could
    not be compared, with the field that differs.
    """
    shown = [row.label for row in board.rows[: charts.MOST_LABELS]]
    context: dict[str, Any] = {
        "title": f"{len(board.rows)} labels over {board.expected} tasks – qualityscore",
        "board": board,
        "refused": sorted((refused or {}).items()),
        "notes": notes(board),
        "facts": list(facts),
        "rank_columns": _rank_columns(board),
        "rank_rows": [_rank_row(row, board) for row in board.rows],
        "rank_chart": _rank_chart(board, shown),
        "dimension_map": _dimension_map(board, shown),
        "heat_maps": _heat_maps(board, results, shown),
        "failure_chart": _failure_chart(board, shown),
        "failure_rows": _failure_rows(board),
        "acceptability": _acceptability(sensitivity, shown),
        "sensitivity": sensitivity,
        "unweighed": [row.label for row in board.rows if sensitivity and row.label not in sensitivity.scores],
        "comparison": _comparison(comparison),
        "left_out": max(0, len(board.rows) - len(shown)),
    }
    context["sections"] = list(_sections(context))
    return page("leaderboard.html.j2", **context)


def comparison_page(comparison: ReportComparison, first: Report, second: Report) -> str:
    """Two reports on one task: scores side by side, tests and findings that are new or gone."""
    scores = {**comparison.scores, **comparison.dimensions}
    drawn = [
        Interval(label=name.replace("_", "-"), value=value, low=low, high=high, series=side)
        for name, delta in scores.items()
        for side, value, report in (("first", delta.first, first), ("second", delta.second, second))
        if value is not None
        for low, high in (_bounds(report, name),)
    ]
    said = ", ".join(f"{row.label} {row.series} {row.value:.3f}" for row in drawn)
    context: dict[str, Any] = {
        "title": f"{_name(first)} and {_name(second)}: {first.task.id} – qualityscore",
        "first": first,
        "second": second,
        "names": (_name(first), _name(second)),
        "rows": [
            [name.replace("_", "-"), number(d.first), number(d.second), _difference(d)] for name, d in scores.items()
        ],
        "chart": chart(
            charts.intervals(drawn, title="score", domain=(0.0, 1.0), describe=f"Scores of both reports: {said}.")
        )
        if drawn
        else None,
        "changes": [
            ("tests", "Failing tests", comparison.tests),
            ("findings", "Findings", comparison.findings),
        ],
        "lists": _lists,
        "sections": [("scores", "Scores"), ("tests", "Tests"), ("findings", "Findings"), ("provenance", "Provenance")],
    }
    return page("comparison.html.j2", **context)


def _bounds(report: Report, name: str) -> tuple[float | None, float | None]:
    """The interval of NF or of a dimension; other scores have none."""
    found = report.non_functional if name == "non_functional" else report.dimensions.get(name)
    return (found.low, found.high) if found else (None, None)


def _lists(changes: Changes) -> list[tuple[str, tuple[str, ...], int]]:
    return [
        (word, items[:MOST_CHANGES], max(0, len(items) - MOST_CHANGES))
        for word, items in (("new", changes.new), ("gone", changes.fixed))
        if items
    ]


def _name(report: Report) -> str:
    return report.subject.label or report.subject.path


def _difference(delta: Delta) -> str:
    if delta.refused:
        return f"not comparable: {delta.refused} differs"
    return "–" if delta.difference is None else f"{delta.difference:+.4f}"


def _sections(context: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "ranks", "Ranks"
    if context["comparison"]:
        yield "comparison", "Comparison"
    if context["heat_maps"]:
        yield "tasks", "Task by task"
    if context["failure_rows"]:
        yield "failures", "Failures"
    if context["acceptability"]:
        yield "weights", "Weights"
    yield "provenance", "Provenance"


def _rank_columns(board: Leaderboard) -> list[str]:
    names = _dimension_names(board)
    first = ["effective", "effective 95 %"] if board.by == "effective" else []
    return ["label", "rank", "group", *first, "F", "F 95 %", "NF", "NF 95 %", "c", *names, "Build", "Full", "tasks"]


def _dimension_names(board: Leaderboard) -> list[str]:
    return list(dict.fromkeys(name for row in board.rows for name in row.dimensions))


def _rank_row(row: Any, board: Leaderboard) -> list[str]:
    first = [percent(row.effective.value), _share_interval(row.effective)] if board.by == "effective" else []
    return [
        f"{row.label} *" if row.marked else row.label,
        str(row.rank),
        row.rank_group,
        *first,
        percent(row.functional.value),
        _share_interval(row.functional),
        percent(row.non_functional.value),
        _share_interval(row.non_functional),
        percent(row.credibility.value, 1),
        *(
            percent(row.dimensions[name].value if name in row.dimensions else None, 1)
            for name in _dimension_names(board)
        ),
        percent(row.build.value, 1),
        percent(row.full.value, 1),
        f"{row.evaluated} of {row.expected}",
    ]


def _share_interval(mean: Mean) -> str:
    return "–" if mean.low is None or mean.high is None else f"{100 * mean.low:.1f} to {100 * mean.high:.1f}"


def _rank_chart(board: Leaderboard, shown: Sequence[str]) -> Any:
    drawn = [
        Interval(label=row.label, value=mean.value, low=mean.low, high=mean.high, series=series)
        for row in board.rows
        if row.label in shown
        for series, mean in (("F", row.functional), ("NF", row.non_functional))
        if mean.value is not None
    ]
    if not drawn:
        return None
    said = ", ".join(f"{row.label} {row.series} {row.value:.2f}" for row in drawn)
    return chart(charts.intervals(drawn, title="score, 95 % interval over tasks", domain=(0, 1), describe=said))


def _dimension_map(board: Leaderboard, shown: Sequence[str]) -> Any:
    names = _dimension_names(board)
    cells = [
        (row.label, name, row.dimensions[name].value if name in row.dimensions else None)
        for row in board.rows
        if row.label in shown
        for name in names
    ]
    if not any(value is not None for _, _, value in cells):
        return None
    return chart(charts.heat_map(cells, x_title="mean by dimension", describe=_said(cells)))


def _heat_maps(board: Leaderboard, results: Sequence[Result], shown: Sequence[str]) -> list[tuple[str, Any]]:
    """F, and NF, of every label on every task; what has no result is a dash."""
    if len(board.tasks) < 2:
        return []
    maps = []
    for name, words in (("functional", "F"), ("non_functional", "NF")):
        values: dict[tuple[str, str], list[float]] = defaultdict(list)
        for result in results:
            value = getattr(result, name)
            if value is not None:
                values[result.label, result.task].append(value)
        cells = [
            (task, label, sum(found) / len(found) if (found := values.get((label, task))) else None)
            for task in board.tasks[: charts.MOST_LABELS]
            for label in shown
        ]
        if any(value is not None for _, _, value in cells):
            maps.append((words, chart(charts.heat_map(cells, x_title="label", describe=f"{words}. {_said(cells)}"))))
    return maps


def _said(cells: Sequence[tuple[str, str, float | None]]) -> str:
    known = [(value, row, column) for row, column, value in cells if value is not None]
    (low, low_row, low_column), (high, high_row, high_column) = min(known), max(known)
    return (
        f"Heat map of {len(known)} scores, from {low:.2f} ({low_row}, {low_column}) "
        f"to {high:.2f} ({high_row}, {high_column})."
    )


def _failure_chart(board: Leaderboard, shown: Sequence[str]) -> Any:
    counts = [
        (row.label, kind.value, row.failures[kind.value])
        for row in board.rows
        if row.label in shown
        for kind in FailureClass
        if row.failures.get(kind.value)
    ]
    if not counts:
        return None
    said = ", ".join(f"{label} {count} {kind.replace('_', '-')}" for label, kind, count in counts)
    return chart(charts.failure_classes(counts, describe=f"Failed tests by class: {said}."))


def _failure_rows(board: Leaderboard) -> list[list[str]]:
    if not any(row.failures for row in board.rows):
        return []
    return [
        [row.label, str(sum(row.failures.values())), *(str(row.failures.get(kind.value, 0)) for kind in FailureClass)]
        for row in board.rows
    ]


def _acceptability(sensitivity: Sensitivity | None, shown: Sequence[str]) -> list[tuple[str, Any]]:
    if sensitivity is None or len(sensitivity.scores) < 2:
        return []
    order = sorted(sensitivity.scores, key=lambda label: (-sensitivity.scores[label], label))
    order = [label for label in order if label in shown][:20]
    if not order:
        return []

    def drawn(shares: Mapping[str, tuple[float, ...]]) -> Any:
        cells = [
            (label, str(rank), share)
            for label in order
            for rank, share in enumerate(shares[label][: len(order)], start=1)
        ]
        return chart(
            charts.heat_map(cells, x_title="rank by NF, per cent of draws", describe=_said(cells), percent=True)
        )

    found = (
        ("every judgement varied by one step of Saaty's scale", sensitivity.within_a_step.shares),
        ("all weights equally likely", sensitivity.all_weights.shares),
    )
    return [(words, drawn(shares)) for words, shares in found if shares is not None]


def _comparison(comparison: SetComparison | None) -> dict[str, Any] | None:
    if comparison is None:
        return None
    drawn = [
        Interval(label=test.quantity, value=test.test.mean_difference, low=test.test.low, high=test.test.high)
        for test in comparison.ratios
        if test.condition == "unbuilt_as_0"
        and test.test.mean_difference is not None
        and not test.quantity.endswith(".ratio")
    ]
    said = ", ".join(f"{row.label} {row.value:+.3f}" for row in drawn)
    return {
        "first": comparison.first,
        "second": comparison.second,
        "tasks": comparison.tasks,
        "says": [*conclusions(comparison), *comparison.notes],
        "chart": chart(
            charts.intervals(
                drawn,
                title="difference, second less first",
                mark=0.0,
                describe=f"Mean differences by quantity: {said}.",
            )
        )
        if drawn
        else None,
    }
