"""`qualityscore leaderboard RESULTS…`: a table per model or label, with intervals and ranks."""

from __future__ import annotations

import argparse
import sys

from qualityscore.commands.output import add_json_option, check_outputs, is_stdout, seed, whole_number, write

DEFAULT_SEED = 20240229


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "leaderboard",
        help="compare many results in one table",
        description="Average results per label over tasks, with 95 % bootstrap intervals over tasks. Labels that "
        "share a letter of their group cannot be told apart. A task without a result counts 0.",
    )
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="reports, folders of them, a RAL-Bench artifact")
    parser.add_argument(
        "--by", choices=("functional", "non_functional", "effective"), default="functional", help="what ranks"
    )
    parser.add_argument(
        "--expected",
        type=whole_number(least=1, most=100_000),
        metavar="N",
        help="tasks expected of each label, if more than are seen",
    )
    parser.add_argument(
        "--costs", metavar="FILE", help="CSV of label and columns of numbers to average beside the scores"
    )
    parser.add_argument("--seed", type=seed, default=DEFAULT_SEED, help="seed of bootstrap and randomisation")
    add_json_option(parser)
    parser.add_argument("--csv", metavar="FILE", help="write CSV to FILE, or to standard output with -")
    parser.add_argument("--markdown", metavar="FILE", help="write Markdown to FILE, or to standard output with -")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, average, rank, render."""
    import json  # noqa: PLC0415

    from qualityscore.commands.costs import read_costs  # noqa: PLC0415
    from qualityscore.commands.result_sets import load_results  # noqa: PLC0415
    from qualityscore.commands.terminal import terminal_width  # noqa: PLC0415
    from qualityscore.core.leaderboard import build_leaderboard  # noqa: PLC0415
    from qualityscore.reports import leaderboard as render  # noqa: PLC0415

    targets = (arguments.json, arguments.csv, arguments.markdown)
    check_outputs(*targets)
    found = load_results(arguments.results)
    costs = read_costs(arguments.costs, {result.label for result in found.results}) if arguments.costs else {}
    board = build_leaderboard(
        found.results,
        expected=max(arguments.expected or 0, len(found.tasks)),
        by=arguments.by,
        costs=costs,
        seed=arguments.seed,
    )
    for name, field in sorted(found.refused.items()):
        sys.stderr.write(f"note: {name} and NF are left out, since {field} differs between the results\n")
    if arguments.json:
        provenance = {
            "profile": found.profile,
            "profile_digest": found.profile_digest,
            "seeds": {"leaderboard": arguments.seed},
            "refused": dict(found.refused),
        }
        document = render.document(board, provenance=provenance)
        write(arguments.json, json.dumps(document, indent=2, sort_keys=True) + "\n")
    if arguments.csv:
        write(arguments.csv, render.as_csv(board))
    if arguments.markdown:
        write(arguments.markdown, render.as_markdown(board))
    if not any(map(is_stdout, targets)):
        sys.stdout.write(render.console(board, width=terminal_width()))
    return 0
