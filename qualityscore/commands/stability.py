"""`qualityscore stability RERUNS…`: the spread of scores and raw measures over full reruns."""

from __future__ import annotations

import argparse
import sys

from qualityscore.commands.output import add_json_option, check_writable, write


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "stability",
        help="measure the spread over reruns",
        description="Population SD and CV of every score and raw measure over the reruns of a task, their median and "
        "95th percentile over tasks, and the labels whose order changes between reruns. Give one path per rerun, or a "
        "CSV with the columns project, model and run.",
    )
    parser.add_argument("reruns", nargs="+", metavar="RERUNS", help="folders or artifacts, one per rerun; or CSV files")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, summarise, render."""
    import json  # noqa: PLC0415
    from dataclasses import asdict  # noqa: PLC0415

    from qualityscore.commands.reruns import load_reruns  # noqa: PLC0415
    from qualityscore.commands.terminal import terminal_width  # noqa: PLC0415
    from qualityscore.core.stability import order_changes, spreads  # noqa: PLC0415
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415
    from qualityscore.reports.tables import number, terminal  # noqa: PLC0415

    check_writable(arguments.json)
    reruns, scores = load_reruns(arguments.reruns)
    found = spreads(reruns)
    changes = order_changes(reruns, scores)
    labels, runs = {r.label for r in reruns}, sorted({r.run for r in reruns})
    if arguments.json:
        document = {
            "schema_version": "1.0",
            "kind": "stability",
            "runs": runs,
            "quantities": [asdict(spread) for spread in found],
            "order_changes": [asdict(change) for change in changes],
        }
        write(arguments.json, json.dumps(document, indent=2, sort_keys=True) + "\n")
    if arguments.json == "-":
        return 0
    rows = [
        [s.quantity, str(s.tasks), *(number(v, 6) for v in (s.sd_median, s.sd_p95, s.cv_median, s.cv_p95))]
        for s in found
    ]
    columns = ["quantity", "tasks", "SD median", "SD 95th", "CV median", "CV 95th"]
    sys.stdout.write(terminal(columns, rows, width=terminal_width()))
    if len(labels) < 2:
        sys.stdout.write("\nOnly one label: there is no order that could change.\n")
    elif not changes:
        sys.stdout.write(f"\nThe order of the labels is the same in all {len(runs)} runs.\n")
    for change in changes:
        first, second = inert(change.first), inert(change.second)
        ahead = [
            f"{who} in {', '.join(map(inert, which))}"
            for who, which in (
                (f"{first} is ahead", change.first_ahead),
                (f"{second} is ahead", change.second_ahead),
                ("they are level", change.tied),
            )
            if which
        ]
        sys.stdout.write(f"\n{change.quantity}: {'; '.join(ahead)}.\n")
    return 0
