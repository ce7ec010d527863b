"""`qualityscore probes build TASK | review TASK | reproduce REPORT ENTRY`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from qualityscore.commands.output import check_writable, seed, write


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command and its three verbs."""
    parser = subparsers.add_parser("probes", help="build and review a task's probes, show what a subject fails on")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    build = verbs.add_parser(
        "build",
        help="freeze probes of the task's reference in its manifest",
        description="Make inputs from the reference, keep what it answers steadily, and check that it survives all.",
    )
    build.add_argument("task", metavar="ID_OR_PATH")
    build.add_argument("--seed", type=seed, default=0, metavar="N", help="the seed that inputs are drawn from (0)")
    build.add_argument("-o", "--output", metavar="FILE", help="instead of manifest.json among the task's probes")
    build.add_argument("--unsafe", action="store_true", help="run without a sandbox where none works (dangerous)")
    build.set_defaults(run=run_build)
    review = verbs.add_parser("review", help="list what a reviewer decides on: raise sites and classes of input")
    review.add_argument("task", metavar="ID_OR_PATH")
    review.set_defaults(run=run_review)
    reproduce = verbs.add_parser("reproduce", help="print the smallest failing input of an entry as a program")
    reproduce.add_argument("report", metavar="REPORT", help="a JSON report of qualityscore evaluate")
    reproduce.add_argument("entry", metavar="ENTRY", help="a surface entry, or a property, as the report names it")
    reproduce.set_defaults(run=run_reproduce)


def run_build(arguments: argparse.Namespace) -> int:
    """Write the manifest when the reference survives it; exit 3 when it does not."""
    from qualityscore.probing import build, summary  # noqa: PLC0415
    from qualityscore.runtime.tasks import load_task  # noqa: PLC0415
    from qualityscore.suites import manifest  # noqa: PLC0415

    task = load_task(arguments.task)
    output = arguments.output or str(task.probes_folder / manifest.FILE_NAME)
    check_writable(output)
    built = build(task, arguments.seed, unsafe=arguments.unsafe, say=_say)
    write(output, manifest.dump(built))
    for line in summary(built):
        _say(line)
    _say(f"manifest: {output}")
    return 0


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def run_review(arguments: argparse.Namespace) -> int:
    """The list, from the manifest as it is."""
    from qualityscore.runtime.tasks import load_task  # noqa: PLC0415
    from qualityscore.suites import manifest, probe_review  # noqa: PLC0415

    task = load_task(arguments.task)
    frozen = manifest.load(task.probes_folder)
    sys.stdout.write(probe_review.listing(frozen))
    return 0


def run_reproduce(arguments: argparse.Namespace) -> int:
    """The program on standard output, so that it can be run: qualityscore probes reproduce REPORT ENTRY | python -."""
    from qualityscore.errors import InputError  # noqa: PLC0415
    from qualityscore.runtime.documents import read_report  # noqa: PLC0415
    from qualityscore.runtime.tasks import load_task  # noqa: PLC0415
    from qualityscore.suites.snippet import smallest_failing  # noqa: PLC0415

    report = read_report(arguments.report)
    try:
        folder = load_task(report.task.id).probes_folder
    except InputError:  # a task of one's own
        folder = Path()
    sys.stdout.write(smallest_failing(report, arguments.entry, folder))
    return 0
