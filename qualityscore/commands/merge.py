"""`qualityscore merge OUT… -o MERGED`: the outputs of a batch's shards in one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "merge",
        help="join the outputs of a batch's shards",
        description="Join the output folders of the shards of one batch into a folder with all results.",
    )
    parser.add_argument("inputs", nargs="+", metavar="OUT", help="output folders of `batch --shard`")
    parser.add_argument("-o", "--output", required=True, metavar="MERGED", help="the folder of the joined results")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Join; 3 where rows are missing or not fully measured."""
    from qualityscore.execution.merge import merge  # noqa: PLC0415
    from qualityscore.execution.store import State  # noqa: PLC0415

    merged = merge([Path(path) for path in arguments.inputs], Path(arguments.output))
    counts = ", ".join(f"{number} {state}" for state, number in merged.counts.items() if number)
    sys.stdout.write(f"{merged.rows} rows: {counts}\nresults: {arguments.output}/results.jsonl\n")
    if merged.missing:
        sys.stderr.write(f"{merged.missing} rows have no result yet; run their shards again and merge once more\n")
    return 3 if merged.missing or merged.counts[State.HARNESS] else 0
