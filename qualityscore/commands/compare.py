"""`qualityscore compare A B`: two labels over the same tasks, or two single reports."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from qualityscore.commands.output import add_json_option, check_writable, is_stdout, seed, whole_number, write

if TYPE_CHECKING:
    from qualityscore.commands.result_sets import ResultSet

DEFAULT_SEED = 20240229


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "compare",
        help="compare two sets of results, or two reports",
        description="Two sets are compared paired by task: exact McNemar for build and full, Wilcoxon's signed ranks "
        "for scores, Holm over all. Two single reports on one task: differences, new and fixed tests and findings.",
    )
    for name in ("first", "second"):
        parser.add_argument(
            name,
            metavar="A" if name == "first" else "B",
            help="a report, a folder of reports, or a RAL-Bench folder; PATH::LABEL picks one label of several",
        )
    parser.add_argument(
        "--expected",
        type=whole_number(least=1, most=100_000),
        metavar="N",
        help="tasks that both sets were to solve, if more than are seen",
    )
    parser.add_argument("--seed", type=seed, default=DEFAULT_SEED, help="seed of the bootstrap")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read both sides, compare, render."""
    import json  # noqa: PLC0415

    from qualityscore.commands.result_sets import comparable_sets, load_label  # noqa: PLC0415
    from qualityscore.commands.terminal import terminal_width  # noqa: PLC0415
    from qualityscore.core.comparability import require_comparable  # noqa: PLC0415
    from qualityscore.core.comparison import compare_reports, compare_sets  # noqa: PLC0415
    from qualityscore.errors import UsageError  # noqa: PLC0415
    from qualityscore.reports import comparison as render  # noqa: PLC0415
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415

    check_writable(arguments.json)
    first, second = load_label(arguments.first), load_label(arguments.second)
    if _single(first) and _single(second):
        if arguments.expected:
            raise UsageError("--expected counts the tasks of two sets; these are two single reports. Leave it out.")
        (one_path, one), (other_path, other) = first.reports[0], second.reports[0]
        compared = compare_reports(one, other, require_comparable(one, other))
        names = (f"{first.results[0].label} ({one_path})", f"{second.results[0].label} ({other_path})")
        document = render.report_document(compared, names=names)
        text = render.report_console(compared, names=names, width=terminal_width())
        if one == other:
            text += "\nBoth sides are the same report: nothing can differ.\n"
    else:
        (first, second), refused = comparable_sets((first, second))
        sets = compare_sets(
            first.results,
            second.results,
            known_tasks={*first.tasks, *second.tasks},
            expected=arguments.expected,
            seed=arguments.seed,
        )
        for name, field in sorted(refused.items()):
            sys.stderr.write(f"note: {name} and NF are left out, since {field} differs between the results\n")
        for side in (first, second):
            for absence in side.absences:
                sys.stderr.write(f"note: rows of {inert(absence)}\n")
        provenance = {
            "profile": first.profile or second.profile,
            "profile_digest": first.profile_digest or second.profile_digest,
            "seeds": {"compare": arguments.seed},
            "refused": dict(refused),
        }
        document = render.set_document(sets, provenance=provenance)
        text = render.set_console(sets, width=terminal_width())
    if arguments.json:
        write(arguments.json, json.dumps(document, indent=2, sort_keys=True) + "\n")
    if not is_stdout(arguments.json):
        sys.stdout.write(text)
    return 0


def _single(found: ResultSet) -> bool:
    return len(found.reports) == len(found.results) == 1
