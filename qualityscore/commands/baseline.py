"""`qualityscore baseline REPO_OR_TASK -o FILE` and `qualityscore baseline verify TASK`."""

from __future__ import annotations

import argparse
import sys

from qualityscore.commands.output import check_writable, write
from qualityscore.errors import IncomparableError, UsageError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command. `verify` is a word in the first place; a folder of that name is given as ./verify."""
    parser = subparsers.add_parser(
        "baseline",
        help="write a baseline snapshot, or verify the committed one",
        usage="%(prog)s REPO_OR_TASK -o FILE [--task ID_OR_PATH]\n       %(prog)s verify TASK",
        description="Measure a task's pinned reference (or another repository under a task) and write the snapshot. "
        "Of a repository without a task: its state and its own tests' verdicts, for evaluate --baseline.",
    )
    parser.add_argument(
        "what", metavar="REPO_OR_TASK", help="a task, or a repository: as reference of --task, or its own state"
    )
    parser.add_argument("task_to_verify", nargs="?", metavar="TASK", help="with verify: the task")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the snapshot goes; - for standard output")
    parser.add_argument("--task", metavar="ID_OR_PATH", help="the task whose suites judge the repository")
    parser.add_argument("--unsafe", action="store_true", help="run without a sandbox where none works (dangerous)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write a snapshot, or compare a fresh one with the committed one."""
    from qualityscore.drift import drift  # noqa: PLC0415
    from qualityscore.model.codec import dump  # noqa: PLC0415
    from qualityscore.snapshots import is_repository, lacks_times, take_snapshot, too_small  # noqa: PLC0415

    if arguments.what == "verify":
        if arguments.task_to_verify is None:
            raise UsageError("baseline verify needs a task: qualityscore baseline verify TASK.")
        drifted = drift(arguments.task_to_verify, unsafe=arguments.unsafe)
        for line in drifted.lines:
            sys.stdout.write(line + "\n")
        if drifted.refused:
            measure, field = next(iter(drifted.refused.items()))
            raise IncomparableError(
                f"{len(drifted.refused)} measures, first {measure}, cannot be compared with the snapshot: {field}; "
                "verify where the snapshot was made, or write it again here."
            )
        return 3 if drifted.beyond_interval else 0
    if arguments.task_to_verify is not None:
        raise UsageError(f"baseline takes one repository or task, not also {arguments.task_to_verify!r}.")
    if arguments.output is None:
        raise UsageError("baseline needs -o FILE, the place of the snapshot.")
    check_writable(arguments.output)
    if arguments.task is None and is_repository(arguments.what):
        from qualityscore.branch.evaluate import take_state  # noqa: PLC0415

        write(arguments.output, dump(take_state(arguments.what, unsafe=arguments.unsafe)))
        return 0
    snapshot = take_snapshot(arguments.what, task=arguments.task, unsafe=arguments.unsafe)
    write(arguments.output, dump(snapshot))
    if problem := lacks_times(snapshot):
        sys.stderr.write(
            f"warning: the snapshot holds no times ({problem}). With --no-live-reference all costs beside it are "
            "unmeasured; write it again while the host is quiet.\n"
        )
    for text in too_small(snapshot):
        sys.stderr.write(f"warning: {text}. tasks validate refuses it, and a snapshot after the change is needed.\n")
    return 0
