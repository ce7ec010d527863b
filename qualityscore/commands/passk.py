"""`qualityscore passk FILE`: pass@k of generated classes and methods."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from qualityscore.commands.output import add_json_option, check_writable, is_stdout, seed, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qualityscore.core.passk import PassAtK, Sample

DEFAULT_SEED = 20240229


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "passk",
        help="estimate pass@k from repeated samples",
        description="Each line of FILE is a JSON object {label, task, unit, level, sample, outcomes}, where outcomes "
        "are true or false (or passed, failed, ...) for each test of the unit. Full success needs every test, partial "
        "success one. A unit that only other labels have counts 0. Not available where one has fewer than k samples.",
    )
    parser.add_argument("file", metavar="FILE", help="JSON Lines, or - for standard input")
    parser.add_argument("--k", default="1,3,5", metavar="LIST", help="values of k, comma-separated (default 1,3,5)")
    parser.add_argument("--seed", type=seed, default=DEFAULT_SEED, help="seed of the bootstrap")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, estimate, render."""
    import json  # noqa: PLC0415
    from dataclasses import asdict  # noqa: PLC0415

    from qualityscore.commands.terminal import terminal_width  # noqa: PLC0415
    from qualityscore.core.intervals import FEW_TASKS, TOO_NARROW  # noqa: PLC0415
    from qualityscore.core.passk import summarise  # noqa: PLC0415
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415
    from qualityscore.reports.tables import percent, percent_interval, terminal  # noqa: PLC0415

    check_writable(arguments.json)
    ks = _ks(arguments.k)
    found = summarise(_read(arguments.file), ks, arguments.seed)
    few = [one for one in found if one.low is not None and one.expected_tasks < FEW_TASKS]
    narrow = sorted({f"{one.label} {one.level}" for one in few})
    notes = _absent(found) + ([f"{TOO_NARROW}: {', '.join(narrow)}."] if narrow else [])
    if arguments.json:
        document = {
            "schema_version": "1.0",
            "kind": "passk",
            "results": [asdict(one) for one in found],
            "notes": notes,
            "seeds": {"passk": arguments.seed},
        }
        write(arguments.json, json.dumps(document, indent=2, sort_keys=True) + "\n")
    if not is_stdout(arguments.json):
        rows = [
            [
                one.label,
                one.level,
                one.success,
                str(one.k),
                percent(one.value) if one.value is not None else f"not available: {one.reason}",
                percent_interval(one.low, one.high),
                f"{one.tasks} of {one.expected_tasks}",
                f"{one.units} of {one.expected_units}",
            ]
            for one in found
        ]
        columns = ["label", "level", "success", "k", "pass@k %", "95 %", "tasks", "units"]
        sys.stdout.write(terminal(columns, rows, width=terminal_width()))
        sys.stdout.write("".join(f"\n{inert(note, limit=2000)}\n" for note in notes))
    return 0


def _absent(found: Sequence[PassAtK]) -> list[str]:
    """Whose means hold zeros for units that were not handed in; nothing where each label has all."""
    short = dict.fromkeys(
        f"{one.label} has {one.units} of {one.expected_units} at level {one.level}"
        for one in found
        if 0 < one.units < one.expected_units
    )
    return [f"A unit without a sample counts 0: {', '.join(short)}."] if short else []


def _ks(text: str) -> list[int]:
    from qualityscore.errors import UsageError  # noqa: PLC0415

    try:
        ks = sorted({int(part) for part in text.split(",")})
    except ValueError:
        ks = [0]
    if ks[0] < 1:
        raise UsageError(f"--k {text!r} is not a list of whole numbers above 0, such as 1,3,5.")
    return ks


def _read(path: str) -> list[Sample]:
    from qualityscore.compat.sample_lines import parse_samples  # noqa: PLC0415
    from qualityscore.errors import ReportError  # noqa: PLC0415

    if path == "-":
        return parse_samples(sys.stdin, "standard input")
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            return parse_samples(file, path)
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"The samples in {path} cannot be read: {error}.") from None
