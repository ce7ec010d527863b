"""`qualityscore rescore PATH`: scores again, from stored raw measures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from qualityscore.commands.output import add_json_option, check_writable, is_stdout, seed, write

DEFAULT_SEED = 20240229


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "rescore",
        help="score stored raw measures again",
        description="Score a RAL-Bench artifact folder from its raw measures, or one of our reports under another "
        "profile or a newer score model.",
    )
    parser.add_argument("path", metavar="PATH", help="a RAL-Bench artifact folder, or a report")
    parser.add_argument(
        "--profile", metavar="NAME_OR_PATH", help="default: ral-bench for RAL-Bench's results, else reference"
    )
    parser.add_argument("--seed", type=seed, default=DEFAULT_SEED, help="seed of the bootstrap")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, render."""
    from qualityscore.runtime.documents import is_folder  # noqa: PLC0415

    check_writable(arguments.json)
    path = Path(arguments.path)
    return _artifact(arguments, path) if is_folder(path) else _report(arguments)


def _artifact(arguments: argparse.Namespace, path: Path) -> int:
    import json  # noqa: PLC0415

    from qualityscore.commands.terminal import terminal_width  # noqa: PLC0415
    from qualityscore.compat.ral_bench import rounded, score_result  # noqa: PLC0415
    from qualityscore.compat.ral_bench_results import read_artifact  # noqa: PLC0415
    from qualityscore.reports.tables import number, terminal  # noqa: PLC0415
    from qualityscore.runtime.documents import load_profile  # noqa: PLC0415

    profile = load_profile(arguments.profile or "ral-bench")
    rows = [rounded(score_result(raw, profile)) for raw in read_artifact(path).results]
    if arguments.json:
        document = {
            "schema_version": "1.0",
            "kind": "rescore",
            "profile": profile.name,
            "profile_digest": profile.digest,
            "rows": rows,
        }
        write(arguments.json, json.dumps(document, indent=2, sort_keys=True) + "\n")
    if not is_stdout(arguments.json):
        columns = list(rows[0])
        cells = [[v if isinstance(v, str) else number(v) for v in row.values()] for row in rows]
        sys.stdout.write(terminal(columns, cells, width=terminal_width()))
    return 0


def _report(arguments: argparse.Namespace) -> int:
    import numpy as np  # noqa: PLC0415

    from qualityscore.commands.terminal import terminal_width  # noqa: PLC0415
    from qualityscore.core.rescore import rescore  # noqa: PLC0415
    from qualityscore.model.codec import dump  # noqa: PLC0415
    from qualityscore.reports.console import render  # noqa: PLC0415
    from qualityscore.runtime.documents import load_profile, read_report  # noqa: PLC0415

    given = read_report(arguments.path)
    profile = load_profile(arguments.profile or ("ral-bench" if "ral_bench" in given.provenance else "reference"))
    report = rescore(given, profile, np.random.default_rng(arguments.seed))
    if arguments.json:
        write(arguments.json, dump(report))
    if not is_stdout(arguments.json):
        sys.stdout.write(render(report, width=terminal_width()))
    return 0
