"""`qualityscore report REPORT… -o FILE.html`: stored results as a page."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from qualityscore.commands.output import check_writable, is_stdout, seed, write

if TYPE_CHECKING:
    from qualityscore.commands.result_sets import ResultSet
    from qualityscore.core.comparison import SetComparison
    from qualityscore.core.sensitivity import Sensitivity

DEFAULT_SEED = 20240229
DRAWS = 2_000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "report",
        help="render stored reports as an HTML page",
        description="One report becomes its page, two reports on one task a comparison, more a leaderboard, and so "
        "does a RAL-Bench artifact; a folder stands for the reports in it. The page is one file that loads nothing.",
    )
    parser.add_argument("results", nargs="+", metavar="REPORT", help="reports, folders of them, a RAL-Bench artifact")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the page; - is standard output")
    parser.add_argument(
        "--by", choices=("functional", "non_functional", "effective"), default="functional", help="what ranks"
    )
    parser.add_argument("--seed", type=seed, default=DEFAULT_SEED, help="seed of bootstrap, randomisation and draws")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, choose the kind of page, write it."""
    from qualityscore.commands.result_sets import load_results, require_distinct  # noqa: PLC0415

    check_writable(arguments.output)
    found = load_results(arguments.results, repeated=True)
    reports = [report for _, report in found.reports]
    if len(reports) == len(found.results) == 1:
        from qualityscore.reports import html  # noqa: PLC0415

        text = html.render(reports[0])
    elif len(reports) == len(found.results) == 2 and len(found.tasks) == 1:
        from qualityscore.core.comparability import require_comparable  # noqa: PLC0415
        from qualityscore.core.comparison import compare_reports  # noqa: PLC0415
        from qualityscore.reports.board_html import comparison_page  # noqa: PLC0415

        first, second = reports
        text = comparison_page(compare_reports(first, second, require_comparable(first, second)), first, second)
    else:
        require_distinct(found)
        text = _leaderboard(found, arguments.by, arguments.seed)
    write(arguments.output, text)
    if not is_stdout(arguments.output):
        sys.stdout.write(f"html: {arguments.output}\n")
    return 0


def _leaderboard(found: ResultSet, by: str, seed: int) -> str:
    from qualityscore.core.leaderboard import build_leaderboard  # noqa: PLC0415
    from qualityscore.reports.board_html import leaderboard_page  # noqa: PLC0415

    board = build_leaderboard(
        found.results,
        expected=len(found.tasks),
        by=by,  # type: ignore[arg-type]
        seed=seed,
    )
    return leaderboard_page(
        board,
        found.results,
        sensitivity=_sensitivity(found, seed),
        comparison=_comparison(found, seed),
        refused=found.refused,
        facts=(
            ("profile", found.profile),
            ("profile digest", found.profile_digest),
            ("tasks", ", ".join(found.tasks)),
            ("results", str(len(found.results))),
            ("seed", str(seed)),
            ("draws of weights", str(DRAWS)),
        ),
    )


def _comparison(found: ResultSet, seed: int) -> SetComparison | None:
    """The paired comparison, where there are two labels over several tasks."""
    from qualityscore.core.comparison import compare_sets  # noqa: PLC0415

    labels = sorted({result.label for result in found.results})
    if len(labels) != 2 or len(found.tasks) < 2:
        return None
    first, second = ([result for result in found.results if result.label == label] for label in labels)
    return compare_sets(first, second, known_tasks=found.tasks, seed=seed)


def _sensitivity(found: ResultSet, seed: int) -> Sensitivity | None:
    """What the ranks owe to the weights of the results' own profile; None where too little was measured."""
    import numpy as np  # noqa: PLC0415

    from qualityscore.core.sensitivity import analyse, cells_of  # noqa: PLC0415
    from qualityscore.errors import InputError  # noqa: PLC0415
    from qualityscore.runtime.documents import load_profile  # noqa: PLC0415

    try:
        profile = load_profile(found.profile or "reference")
    except InputError:
        return None  # scored under a profile that is not here
    if profile.digest != found.profile_digest:
        return None
    names = [dimension.id for dimension in profile.dimensions]
    cells, _ = cells_of(found.results, names, found.tasks)
    if len(cells) < 2:
        return None
    return analyse(profile.matrix, names, cells, draws=DRAWS, rng=np.random.default_rng(seed))
