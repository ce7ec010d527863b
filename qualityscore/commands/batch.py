"""`qualityscore batch MANIFEST -o OUT`: many subjects, resumable at any point."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from qualityscore.errors import UsageError

if TYPE_CHECKING:
    from qualityscore.execution.batch import MakeEngine, Tally, Watch

_LINE_INTERVAL_S = 10.0


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "batch",
        help="evaluate the subjects of a manifest",
        description="Evaluate every row of a manifest once. Started again, it goes on where it was, whatever ended it.",
    )
    parser.add_argument("manifest", metavar="MANIFEST", help="JSON Lines or CSV, one subject per row")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="the folder of the results, made if needed"
    )
    parser.add_argument("--task", metavar="ID_OR_PATH", help="the task of rows that name none")
    parser.add_argument("--only", metavar="LIST", help="functional and dimensions, of rows that name none")
    parser.add_argument("--profile", metavar="NAME_OR_PATH", help="the profile of rows that name none")
    parser.add_argument("--counter", help="the counter of rows that name none: auto, instructions, valgrind or cpu")
    parser.add_argument("--jobs", type=int, metavar="N", help="evaluations at a time (default: one for each core)")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="take every N-th row from the I-th on (from 1)")
    parser.add_argument("--engine", default="local", choices=("local", "ray"), help="here, or on $RAY_ADDRESS")
    parser.add_argument(
        "--timeout", type=float, default=3600.0, metavar="S", help="seconds per subject (default: 3600)"
    )
    parser.add_argument("--unsafe", action="store_true", help="run without a sandbox where none works (dangerous)")
    parser.add_argument(
        "--require-sandbox", metavar="LEVEL", help="container, namespace or landlock: refuse to run in a weaker one"
    )
    parser.add_argument(
        "--replace", action="store_true", help="drop the results of rows that MANIFEST, or the shard, does not have"
    )
    parser.add_argument("--quiet", action="store_true", help="print neither progress nor the summary")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run or resume the batch; the exit code says the worst that happened to a row."""
    from qualityscore.execution.batch import Settings, run_batch  # noqa: PLC0415
    from qualityscore.execution.local_engine import LONGEST_S  # noqa: PLC0415
    from qualityscore.execution.manifest import check_options, parse_shard, placed  # noqa: PLC0415
    from qualityscore.runtime.documents import profile_names  # noqa: PLC0415
    from qualityscore.runtime.tasks import task_ids  # noqa: PLC0415

    if not 0 < arguments.timeout <= LONGEST_S:
        raise UsageError(f"--timeout {arguments.timeout:g} is not above 0 and up to {LONGEST_S:.0f} seconds.")
    only = None
    if arguments.only is not None:
        only = [part.strip() for part in arguments.only.split(",") if part.strip()]
    check_options(only, arguments.counter)
    settings = Settings(
        manifest=Path(arguments.manifest),
        folder=Path(arguments.output),
        defaults={
            "task": placed(arguments.task, Path.cwd(), task_ids()) if arguments.task else None,
            "only": only,
            "profile": placed(arguments.profile, Path.cwd(), profile_names()) if arguments.profile else None,
            "counter": arguments.counter,
        },
        shard=parse_shard(arguments.shard),
        unsafe=arguments.unsafe,
        require_sandbox=arguments.require_sandbox,
        timeout_s=arguments.timeout,
        replace=arguments.replace,
    )
    make_engine = _engine(arguments)
    try:
        with _progress(quiet=arguments.quiet) as watch:
            outcome = run_batch(settings, make_engine, watch)
    except KeyboardInterrupt:
        sys.stderr.write(
            f"interrupted; {settings.folder} holds what is known, and the same command goes on from there\n"
        )
        return 130
    if not arguments.quiet:
        sys.stdout.write(summary(outcome.tally, tampered=outcome.tampered, folder=settings.folder))
    return outcome.exit_code


def summary(tally: Tally, *, tampered: int, folder: Path) -> str:
    """What became of the rows, and where it stands."""
    fresh = tally.done - tally.begun_done
    pieces = [f"{fresh} evaluated"] if fresh or not tally.done else []
    pieces += [f"{tally.begun_done} known from before"] if tally.begun_done else []
    pieces += [f"{tampered} tampered with"] if tampered else []
    pieces += [f"{tally.refused} refused"] if tally.refused else []
    pieces += [f"{tally.harness} not fully measured (run again to retry)"] if tally.harness else []
    return f"{tally.rows} rows: {', '.join(pieces)}\nresults: {folder}/results.jsonl, reports in {folder}/reports\n"


def _engine(arguments: argparse.Namespace) -> MakeEngine:
    from qualityscore.execution.jobs import Engine  # noqa: PLC0415
    from qualityscore.execution.local_engine import LocalEngine, default_lanes  # noqa: PLC0415

    if arguments.jobs is not None and not 1 <= arguments.jobs <= 4096:
        raise UsageError(f"--jobs {arguments.jobs} is not a number from 1 to 4096.")

    if arguments.engine == "ray":
        from qualityscore.execution.ray_engine import RayEngine  # noqa: PLC0415

        address = os.environ.get("RAY_ADDRESS")
        return lambda _: RayEngine(lanes=arguments.jobs, address=address)

    def local(scratch: Path) -> Engine:
        return LocalEngine(lanes=arguments.jobs or default_lanes(), scratch=scratch, longest_s=arguments.timeout)

    return local


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Watch]:
    """On standard error: a bar in a terminal, a line now and then elsewhere, nothing when quiet."""
    if quiet:
        yield lambda _: None
        return
    if not sys.stderr.isatty():
        said = [0.0]

        def line(tally: Tally) -> None:
            if tally.settled in (tally.begun_done, tally.rows) or time.monotonic() - said[0] > _LINE_INTERVAL_S:
                said[0] = time.monotonic()
                sys.stderr.write(standing(tally) + "\n")
                sys.stderr.flush()

        yield line
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

    with Progress(BarColumn(24), TextColumn("{task.description}"), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda tally: bar.update(task, total=tally.rows, completed=tally.settled, description=standing(tally))


def standing(tally: Tally) -> str:
    """Such as `120 of 400 rows, 31.5 a minute, about 9 min left, 2 not fully measured`."""
    pieces = [f"{tally.settled} of {tally.rows} rows"]
    rate, remaining = tally.rate_per_s, tally.remaining_s
    if rate is not None and remaining is not None:
        pieces += [f"{rate * 60:.1f} a minute"]
        pieces += [f"about {_duration(remaining)} left"] if remaining else []
    pieces += [f"{tally.refused} refused"] if tally.refused else []
    pieces += [f"{tally.harness} not fully measured"] if tally.harness else []
    return ", ".join(pieces)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
