"""`qualityscore stability RERUNS…`: the spread of scores and raw measures over full reruns."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from qualityscore.commands.output import add_json_option, check_writable, is_stdout, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qualityscore.commands.reruns import Reruns
    from qualityscore.core.stability import Order, Spread

_PAIRS_NAMED = 5
_MOST_NOTES = 10
_LARGEST_WRITTEN_OUT = 1e12


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "stability",
        help="measure the spread over reruns",
        description="Population SD and CV of every score and raw measure over the reruns of a task, their median and "
        "95th percentile over pairs of label and task, and the labels whose order by F or NF changes between reruns. "
        "Give one path per rerun, or a CSV with the columns project, model and run, whose other columns are numbers.",
    )
    parser.add_argument("reruns", nargs="+", metavar="RERUNS", help="folders or artifacts, one per rerun; or CSV files")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, summarise, render."""
    import json  # noqa: PLC0415
    from dataclasses import asdict  # noqa: PLC0415

    from qualityscore.commands.reruns import load_reruns  # noqa: PLC0415
    from qualityscore.core.stability import orders, spreads, without_shared_samples  # noqa: PLC0415
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415

    check_writable(arguments.json)
    found = load_reruns(arguments.reruns)
    for name, differs in sorted(found.refused.items()):
        sys.stderr.write(f"note: {name} and NF are left out, since {differs} differs between the results\n")
    for absence in found.absences:
        sys.stderr.write(f"note: rows of {inert(absence)}\n")
    for label, task in without_shared_samples(found.reruns)[:_MOST_NOTES]:
        sys.stderr.write(f"note: {inert(label)} on {inert(task)}: no sample is in all its runs, nothing is compared\n")
    quantities = spreads(found.reruns)
    compared = list(orders(found.reruns, found.scores))
    runs = sorted({rerun.run for rerun in found.reruns})
    if arguments.json:
        document = {
            "schema_version": "1.0",
            "kind": "stability",
            "runs": runs,
            "ranked_by": list(found.scores),
            "quantities": [asdict(spread) for spread in quantities],
            "order_changes": [asdict(order) for order in compared if order.changes],
            "not_compared": [_pair(order) for order in compared if not order.compared],
            "left_out": [{**_pair(order), "tasks": order.left_out} for order in compared if order.left_out],
            "refused": dict(found.refused),
        }
        write(arguments.json, json.dumps(document, indent=2, sort_keys=True, allow_nan=False) + "\n")
    if not is_stdout(arguments.json):
        sys.stdout.write(_text(quantities, compared, found, len(runs)))
    return 0


def _pair(order: Order) -> dict[str, str]:
    return {"quantity": order.quantity, "first": order.first, "second": order.second}


def _text(quantities: Sequence[Spread], compared: Sequence[Order], found: Reruns, runs: int) -> str:
    from qualityscore.commands.terminal import terminal_width  # noqa: PLC0415
    from qualityscore.reports.tables import terminal  # noqa: PLC0415

    rows = [
        [s.quantity, str(s.pairs), *(_shown(v) for v in (s.sd_median, s.sd_p95, s.cv_median, s.cv_p95))]
        for s in quantities
    ]
    columns = ["quantity", "pairs", "SD median", "SD 95th", "CV median", "CV 95th"]
    text = terminal(columns, rows, width=terminal_width())
    if len({rerun.label for rerun in found.reruns}) < 2:
        return text + "\nOnly one label: there is no order that could change.\n"
    if not found.scores:
        return text + "\nNo column holds F or NF (functional, non_functional): nothing is said of the labels' order.\n"
    sure = [order for order in compared if order.compared]
    if sure and not any(order.changes for order in sure):
        whole = len(sure) == len(compared)
        text += (
            f"\nThe order of the labels is the same in all {runs} runs" + ("" if whole else ", where compared") + ".\n"
        )
    text += "".join(f"\n{_change(order)}\n" for order in sure if order.changes)
    unsure = [_named(order) for order in compared if not order.compared]
    if unsure:
        why = "they share no two runs, or no task with the score in all of these"
        text += f"\nNot compared, since {why}: {_some(unsure)}.\n"
    partly = [f"{_named(o)} {o.left_out} of {o.left_out + o.tasks}" for o in sure if o.left_out]
    if partly:
        text += f"\nTasks left out of the order, since a score is missing in one of the runs: {_some(partly)}.\n"
    return text


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.6f}" if value < _LARGEST_WRITTEN_OUT else f"{value:.6e}"


def _change(order: Order) -> str:
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415

    first, second = inert(order.first), inert(order.second)
    ahead = [
        f"{who} in {', '.join(map(inert, which))}"
        for who, which in (
            (f"{first} is ahead", order.first_ahead),
            (f"{second} is ahead", order.second_ahead),
            ("they are level", order.tied),
        )
        if which
    ]
    return f"{order.quantity}: {'; '.join(ahead)}."


def _named(order: Order) -> str:
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415

    return f"{order.quantity} of {inert(order.first)} and {inert(order.second)}"


def _some(pairs: Sequence[str]) -> str:
    more = len(pairs) - _PAIRS_NAMED
    return ", ".join(pairs[:_PAIRS_NAMED]) + (f" and {more} more" if more > 0 else "")
