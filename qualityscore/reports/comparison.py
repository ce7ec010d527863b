"""A comparison as tables and sentences, and as its JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from qualityscore.core.comparison import Changes, Delta, ReportComparison, SetComparison, conclusions
from qualityscore.reports.plain_text import inert
from qualityscore.reports.tables import number, p_value, terminal

SHOWN_CHANGES = 12


def set_document(comparison: SetComparison, *, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Plain JSON data of two labels over tasks."""
    return {
        "schema_version": "1.0",
        "kind": "comparison",
        **asdict(comparison),
        "provenance": dict(provenance),
    }


def report_document(comparison: ReportComparison, *, names: tuple[str, str]) -> dict[str, Any]:
    """Plain JSON data of two single reports; `names` say which they are."""
    return {
        "schema_version": "1.0",
        "kind": "report_comparison",
        "first": names[0],
        "second": names[1],
        **asdict(comparison),
    }


def set_console(comparison: SetComparison, *, width: int = 100) -> str:
    """The tests with their effect sizes, then what may be concluded."""
    first, second = comparison.first, comparison.second
    binary = [
        [
            test.quantity,
            str(test.test.n),
            str(test.test.only_first),
            str(test.test.only_second),
            _signed(test.test.difference),
            _interval(test.test.low, test.test.high),
            p_value(test.test.p),
            p_value(test.p_holm),
        ]
        for test in comparison.binary
    ]
    ratios = [
        [
            test.quantity,
            test.condition.replace("_", " "),
            str(test.test.n),
            str(test.test.differing),
            _signed(test.test.mean_difference),
            _interval(test.test.low, test.test.high),
            _signed(test.test.rank_biserial),
            p_value(test.test.p),
            p_value(test.p_holm),
        ]
        for test in comparison.ratios
    ]
    effect = ["difference", "95 %"]
    has = comparison.tasks - comparison.neither
    text = (
        f"{inert(first)} (results for {has - len(comparison.only_second)}) and {inert(second)} "
        f"(for {has - len(comparison.only_first)}) on {comparison.tasks} tasks\n"
        "Differences and rank-biserial are the second less the first.\n\n"
    )
    text += terminal(
        ["outcome", "n", "only first", "only second", *effect, "p", "Holm"], binary, width=width, title="McNemar, exact"
    )
    text += "\n" + terminal(
        ["quantity", "tasks", "n", "differ", *effect, "rank-biserial", "p", "Holm"],
        ratios,
        width=width,
        title="Wilcoxon, signed ranks",
    )
    text += "\nWhat may be concluded\n"
    says = [*conclusions(comparison), *comparison.notes]
    return text + "".join(f"  {inert(sentence, limit=2000)}\n" for sentence in says)


def report_console(comparison: ReportComparison, *, names: tuple[str, str], width: int = 100) -> str:
    """Scores side by side, then tests and findings that are new or fixed."""
    deltas = {**comparison.scores, **comparison.dimensions}
    rows = [[name, number(d.first), number(d.second), _difference(d)] for name, d in deltas.items()]
    text = f"first:  {inert(names[0], limit=1000)}\nsecond: {inert(names[1], limit=1000)}\n"
    text += "Differences are the second less the first.\n\n"
    text += terminal(["", "first", "second", "difference"], rows, width=width)
    text += _changes("failing tests", comparison.tests) + _changes("findings", comparison.findings)
    return text


def _changes(what: str, changes: Changes) -> str:
    text = f"\n{what}: {len(changes.new)} new, {len(changes.fixed)} fixed, {changes.unchanged} unchanged\n"
    for sign, items in (("+", changes.new), ("-", changes.fixed)):
        text += "".join(f"  {sign} {inert(item)}\n" for item in items[:SHOWN_CHANGES])
        if len(items) > SHOWN_CHANGES:
            text += f"  {sign} and {len(items) - SHOWN_CHANGES} more in the JSON document\n"
    return text


def _difference(delta: Delta) -> str:
    return f"not comparable: {delta.refused} differs" if delta.refused else _signed(delta.difference)


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.4f}"


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{low:+.3f} to {high:+.3f}"
