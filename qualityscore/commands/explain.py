"""`qualityscore explain REPORT [MEASURE]`: the formula with its numbers, from NF down to the raw value."""

from __future__ import annotations

import argparse
import sys

from qualityscore.errors import ReportError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser("explain", help="show how a report's scores came about")
    parser.add_argument("report", metavar="REPORT", help="a JSON report")
    parser.add_argument(
        "measure",
        nargs="?",
        metavar="MEASURE",
        help="functional (F), credibility (c), non_functional (NF), one dimension or measure, such as bandit.risk",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the derivation."""
    from qualityscore.core.explain import explain, lines  # noqa: PLC0415
    from qualityscore.model.report import SCORE_MODEL  # noqa: PLC0415
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415
    from qualityscore.runtime.documents import load_profile, read_report  # noqa: PLC0415

    report = read_report(arguments.report)
    if report.score_model != SCORE_MODEL:
        raise ReportError(
            f"The report {arguments.report} is of score model {report.score_model}, this version explains "
            f"{SCORE_MODEL}; score it again with: qualityscore rescore."
        )
    name = str(report.provenance.get("profile", "reference"))
    profile = load_profile(name)
    if profile.digest != report.provenance.get("profile_digest"):
        raise ReportError(
            f"The report {arguments.report} was scored under another profile than {name} is now; "
            "score it again with: qualityscore rescore."
        )
    try:
        text = [inert(line, limit=2000) for line in lines(explain(report, profile, arguments.measure))]
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:  # details are free-form
        raise ReportError(f"The report {arguments.report} does not hold what its profile scores: {error}.") from error
    sys.stdout.write("\n".join(text) + "\n")
    return 0
