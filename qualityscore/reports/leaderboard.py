"""The leaderboard as a table, as CSV, as Markdown, and as its JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qualityscore.core.leaderboard import Leaderboard, Mean, Row
from qualityscore.reports.plain_text import inert
from qualityscore.reports.tables import comma_separated, markdown, percent, percent_interval, terminal

SCHEMA_VERSION = "1.0"


def document(board: Leaderboard, *, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Plain JSON data. Scores are between 0 and 1; intervals are [low, high] or null."""
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "leaderboard",
        "by": board.by,
        "expected": board.expected,
        "tasks": list(board.tasks),
        "models": [_model(row) for row in board.rows],
        "provenance": dict(provenance),
    }


def console(board: Leaderboard, *, width: int = 100) -> str:
    """Scores in per cent; a second table shows the classes of failures where there are any."""
    names = _dimension_names(board)
    columns = ["label", "rank", "group", "F", "95 %", "NF", "95 %", "c", *names, "Build", "Test", "Full", "tasks"]
    columns += _cost_names(board)
    text = terminal(columns, [_cells(row, board) for row in board.rows], width=width)
    absent = _absent(board)
    text += f"\n{inert(absent, limit=2000)}\n" if absent else ""
    missing = [row.label for row in board.rows if row.non_functional.missing]
    if missing:
        text += f"\nResults without a measured NF are left out of its mean: {', '.join(map(inert, missing))}.\n"
    failures = _failure_table(board)
    return text + (f"\n{terminal(*failures, width=width, title='failed tests by class, per cent')}" if failures else "")


def as_markdown(board: Leaderboard) -> str:
    """The same table in Markdown."""
    names = _dimension_names(board)
    columns = ["label", "rank", "group", "F", "95 %", "NF", "95 %", "c", *names, "Build", "Test", "Full", "tasks"]
    text = markdown([*columns, *_cost_names(board)], [_cells(row, board) for row in board.rows])
    text += "\nA task without a result counts 0.\n" if _absent(board) else ""
    failures = _failure_table(board)
    return text + (f"\nFailed tests by class, per cent:\n\n{markdown(*failures)}" if failures else "")


def as_csv(board: Leaderboard) -> str:
    """One line per label; scores between 0 and 1 in full precision, empty where there is none."""
    rows = [dict(_flat(row)) for row in board.rows]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return comma_separated(columns, [[row.get(column, "") for column in columns] for row in rows])


def _model(row: Row) -> dict[str, Any]:
    means = dict(_means(row))
    return {
        "label": row.label,
        "rank": row.rank,
        "rank_group": row.rank_group,
        "evaluated": row.evaluated,
        "expected": row.expected,
        **{name: mean.value for name, mean in means.items() if "." not in name},
        "dimensions": {name: mean.value for name, mean in row.dimensions.items()},
        "intervals": {
            name: None if mean.low is None or mean.high is None else [mean.low, mean.high]
            for name, mean in means.items()
        },
        "missing": {name: mean.missing for name, mean in means.items() if mean.missing},
        "failures": dict(sorted(row.failures.items())),
        "costs": dict(sorted(row.costs.items())),
    }


def _means(row: Row) -> Iterator[tuple[str, Mean]]:
    yield "functional", row.functional
    yield "non_functional", row.non_functional
    yield "effective", row.effective
    yield "credibility", row.credibility
    yield "build", row.build
    yield "test", row.test
    yield "full", row.full
    for name, mean in row.dimensions.items():
        yield f"dimensions.{name}", mean


def _flat(row: Row) -> Iterator[tuple[str, str]]:
    yield from (("label", row.label), ("rank", str(row.rank)), ("rank_group", row.rank_group))
    yield from (("evaluated", str(row.evaluated)), ("expected", str(row.expected)))
    for name, mean in _means(row):
        for suffix, value in (("", mean.value), ("_low", mean.low), ("_high", mean.high)):
            yield name.removeprefix("dimensions.") + suffix, "" if value is None else repr(value)
    for name, count in sorted(row.failures.items()):
        yield f"failures_{name}", str(count)
    for name, cost in sorted(row.costs.items()):
        yield f"cost_{name}", repr(cost)


def _cells(row: Row, board: Leaderboard) -> list[str]:
    f, nf = row.functional, row.non_functional
    return [
        row.label,
        str(row.rank),
        row.rank_group,
        percent(f.value),
        percent_interval(f.low, f.high),
        percent(nf.value),
        percent_interval(nf.low, nf.high),
        percent(row.credibility.value, 1),
        *(percent(row.dimensions[name].value, 1) for name in _dimension_names(board)),
        percent(row.build.value, 1),
        percent(row.test.value, 1),
        percent(row.full.value, 1),
        f"{row.evaluated} of {row.expected}",
        *(_cost(row.costs.get(name)) for name in _cost_names(board)),
    ]


def _absent(board: Leaderboard) -> str:
    """Whose means hold zeros for tasks that nobody handed in; empty where each label has all."""
    short = [f"{row.label} has {row.evaluated} of {row.expected}" for row in board.rows if row.evaluated < row.expected]
    return f"A task without a result counts 0: {', '.join(short)}." if short else ""


def _cost(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


def _dimension_names(board: Leaderboard) -> list[str]:
    return list(dict.fromkeys(name for row in board.rows for name in row.dimensions))


def _cost_names(board: Leaderboard) -> list[str]:
    return sorted({name for row in board.rows for name in row.costs})


def _failure_table(board: Leaderboard) -> tuple[Sequence[str], list[list[str]]] | None:
    classes = sorted({name for row in board.rows for name in row.failures})
    if not classes:
        return None
    rows = []
    for row in board.rows:
        total = sum(row.failures.values())
        shares = [percent(row.failures.get(name, 0) / total, 1) if total else "–" for name in classes]
        rows.append([row.label, str(total), *shares])
    return ["label", "failed", *(name.replace("_", " ") for name in classes)], rows
