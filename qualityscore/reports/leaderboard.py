"""The leaderboard as a table, as CSV, as Markdown, and as its JSON document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from qualityscore.core.intervals import FEW_TASKS, TOO_NARROW
from qualityscore.core.leaderboard import MARKED, MISSING, REFUSED, UNKNOWN, Leaderboard, Mean, Row
from qualityscore.model.report import CONTAINMENT
from qualityscore.reports.plain_text import inert
from qualityscore.reports.tables import comma_separated, markdown, markdown_escaped, percent, percent_interval, terminal

SCHEMA_VERSION = "1.0"
_LARGEST_WRITTEN_OUT = 1e12
_LEVELS = (*CONTAINMENT, UNKNOWN)


def document(board: Leaderboard, *, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Plain JSON data. Scores are between 0 and 1; intervals are [low, high] or null."""
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "leaderboard",
        "by": board.by,
        "expected": board.expected,
        "tasks": list(board.tasks),
        "models": [_model(row) for row in board.rows],
        "notes": notes(board),
        "provenance": dict(provenance),
    }


def console(board: Leaderboard, *, width: int = 100) -> str:
    """Scores in per cent; a second table shows the classes of failures where there are any."""
    text = terminal(_columns(board), [_cells(row, board) for row in board.rows], width=width)
    text += f"\n{legend(board)}\n"
    absent = _absent(board)
    text += f"\n{inert(absent, limit=2000)}\n" if absent else ""
    missing = [row.label for row in board.rows if row.non_functional.missing]
    if missing:
        text += f"\nResults without a measured NF are left out of its mean: {', '.join(map(inert, missing))}.\n"
    text += "".join(f"\n{inert(note, limit=2000)}\n" for note in notes(board))
    failures = _failure_table(board)
    return text + (f"\n{terminal(*failures, width=width, title='failed tests by class, per cent')}" if failures else "")


def as_markdown(board: Leaderboard) -> str:
    """The same table in Markdown."""
    text = markdown(_columns(board), [_cells(row, board) for row in board.rows])
    text += f"\n{legend(board)}\n"
    text += "\nA task without a result counts 0.\n" if _absent(board) else ""
    text += "".join(f"\n{markdown_escaped(note, limit=2000)}\n" for note in notes(board))
    failures = _failure_table(board)
    return text + (f"\nFailed tests by class, per cent:\n\n{markdown(*failures)}" if failures else "")


def legend(board: Leaderboard) -> str:
    """What ranks, and what the columns are, on one line."""
    words = {"functional": "F", "non_functional": "NF", "effective": "effective, which is F times NF of each result"}
    return (
        f"Ranked by {words[board.by]}. Scores and shares are means over tasks in per cent, with 95 % bootstrap "
        "intervals; c is credibility. Build: tasks that build; Test: F of those; Full: tasks with every test passed. "
        "Labels that share a letter of their group cannot be told apart."
    )


def notes(board: Leaderboard) -> list[str]:
    """What to beware of, a sentence each: intervals over few tasks, tampering, failures, what contained."""
    found = []
    shown = [(row.label, pick(row)) for row in board.rows for _, pick in _shown(board)]
    few = list(dict.fromkeys(label for label, m in shown if m.low is not None and m.tasks < FEW_TASKS))
    if few:
        found.append(f"{TOO_NARROW}: {', '.join(few)}.")
    if marked := [row for row in board.rows if row.marked]:
        said = "; ".join(
            f"{row.label} has {' and '.join(f'{count} {status}' for status, count in sorted(row.marked.items()))}"
            for row in marked
        )
        found.append(f"* {_marks(marked)}: {said}.")
    return [*found, *_contained(board)]


def _marks(rows: Sequence[Row]) -> str:
    """What the marks of these rows mean."""
    words = {
        "tampered": "were tampered with",
        "failed": "failed to be measured",
        REFUSED: "were refused for what they hold, which counts 0",
        MISSING: "are missing, not by the subject's fault, and left out",
    }
    return "Results that " + ", or ".join(
        words[status] for status in MARKED if any(row.marked.get(status) for row in rows)
    )


def _contained(board: Leaderboard) -> Iterator[str]:
    """How many results each level of containment has, strongest first, and whose ran with none."""
    counts = {level: sum(row.contained.get(level, 0) for row in board.rows) for level in _LEVELS}
    said = [f"{level} {count}" for level, count in counts.items() if count]
    if not said:
        return
    bare = [row.label for row in board.rows if row.contained.get("none")]
    yield f"Contained by: {', '.join(said)}." + (f" Results without a sandbox: {', '.join(bare)}." if bare else "")


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
        "marked": dict(sorted(row.marked.items())),
        "contained": dict(sorted(row.contained.items())),
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
    for status in MARKED:
        yield f"results_{status}", str(row.marked.get(status, 0))
    for level in _LEVELS:
        yield f"contained_{level}", str(row.contained.get(level, 0))
    for name, cost in sorted(row.costs.items()):
        yield f"cost_{name}", repr(cost)


def _columns(board: Leaderboard) -> list[str]:
    columns = ["label", "rank", "group", *(name for title, _ in _shown(board) for name in (title, f"{title} 95 %"))]
    return [*columns, "c", *_dimension_names(board), "Build", "Test", "Full", "tasks", *_cost_names(board)]


def _shown(board: Leaderboard) -> list[tuple[str, Callable[[Row], Mean]]]:
    """The scores with their intervals; what ranks is always among them."""
    shown: list[tuple[str, Callable[[Row], Mean]]] = [("F", lambda row: row.functional)]
    shown.append(("NF", lambda row: row.non_functional))
    return [("effective", lambda row: row.effective), *shown] if board.by == "effective" else shown


def _cells(row: Row, board: Leaderboard) -> list[str]:
    scores = [pick(row) for _, pick in _shown(board)]
    return [
        f"{row.label} *" if row.marked else row.label,
        str(row.rank),
        row.rank_group,
        *(cell for mean in scores for cell in (percent(mean.value), percent_interval(mean.low, mean.high))),
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
    """Two decimals, or four significant digits where these would show little or be many."""
    if value is None:
        return "–"
    return f"{value:,.2f}" if value == 0 or 1 <= abs(value) < _LARGEST_WRITTEN_OUT else f"{value:.4g}"


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
