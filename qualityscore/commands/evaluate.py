"""`qualityscore evaluate REPO` against a task or an earlier state: one evaluation from the copy to the report."""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import sys
from typing import TYPE_CHECKING

from qualityscore.commands.output import add_json_option, check_outputs, drop_stdout, is_stdout, path, to_stdout, write
from qualityscore.commands.progress import shown
from qualityscore.errors import OutputError, UsageError

if TYPE_CHECKING:
    from qualityscore.model.branch import GateReport
    from qualityscore.model.report import Report


BY_CHANCE = "by chance"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "evaluate",
        help="evaluate a repository against a task, or a branch against an earlier state",
        description="With --task: run a task's suites on a repository in a sandbox, measure its code, and report the "
        "scores. With --baseline: run its own tests, compare with the earlier state, and decide a gate. With neither: "
        "what its qualityscore.toml names, else raw measures.",
    )
    parser.add_argument(
        "repository", type=path, metavar="REPO", help="the folder of the repository; it is copied, never changed"
    )
    parser.add_argument(
        "--task",
        metavar="ID_OR_PATH",
        help="a bundled task, the folder of your own, or one of RAL-Bench's YAML files",
    )
    parser.add_argument(
        "--baseline",
        type=path,
        metavar="SNAPSHOT|GIT_REF|PATH",
        help="the earlier state of the repository to compare with",
    )
    parser.add_argument(
        "--gate", metavar="FILE", help="conditions (TOML) that the report must meet; a comparison has a default one"
    )
    parser.add_argument(
        "--accept-removed", action="store_true", help="let removed, newly skipped and weakened tests pass the gate"
    )
    parser.add_argument(
        "--only",
        metavar="LIST",
        help="functional and dimensions, comma-separated; the rest is left out without fault (all dimensions but "
        "resource run the functional suite and the probes too, for credibility)",
    )
    parser.add_argument("--profile", metavar="NAME_OR_PATH", help="weights and measures; reference unless given")
    parser.add_argument(
        "--requirements", metavar="LOCK", help="hash-locked requirements of the environment, for RAL-Bench's files"
    )
    add_json_option(parser)
    parser.add_argument(
        "--format",
        action="append",
        default=[],
        metavar="NAME[=FILE]",
        help="console, json, markdown, html, sarif, gitlab or junit, to FILE or standard output; may be "
        "repeated, with one document at most on standard output",
    )
    parser.add_argument("--quiet", action="store_true", help="print neither progress nor the table")
    parser.add_argument("--label", help="a name for the subject, such as the model that wrote it")
    parser.add_argument("--sample", type=_sample, metavar="N", help="the number of the sample, from 0")
    parser.add_argument("--unsafe", action="store_true", help="run without a sandbox where none works (dangerous)")
    parser.add_argument(
        "--require-sandbox", metavar="LEVEL", help="container, namespace or landlock: refuse to run in a weaker one"
    )
    parser.add_argument("--counter", default="auto", help="auto, instructions, valgrind or cpu")
    parser.add_argument(
        "--time-budget",
        type=float,
        metavar="SECONDS",
        help="for the stages that run the subject; what does not fit is unmeasured",
    )
    parser.add_argument(
        "--no-live-reference",
        action="store_true",
        help="compare costs with the snapshot's, where it was taken on a host of this kind",
    )
    parser.add_argument(
        "--fresh",
        nargs="?",
        type=int,
        const=BY_CHANCE,
        metavar="SEED",
        help="also draw inputs that nobody has seen, from SEED or by chance, and compare them with the frozen probes",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, render, and say by the exit code what became of it."""
    from qualityscore.model.measure import Fault  # noqa: PLC0415
    from qualityscore.model.report import Status  # noqa: PLC0415
    from qualityscore.pipeline import Interrupted, evaluate  # noqa: PLC0415

    outputs = _outputs(arguments)
    only = None
    if arguments.only is not None:
        only = tuple(part.strip() for part in arguments.only.split(",") if part.strip())
        if not only:
            raise UsageError("--only names nothing; give functional or dimensions, such as --only functional,security.")
    interrupted = False
    with shown(quiet=arguments.quiet) as progress:
        try:
            report = evaluate(
                arguments.repository,
                task=arguments.task,
                baseline=arguments.baseline,
                gate=arguments.gate,
                accept_removed=arguments.accept_removed,
                only=only,
                profile=arguments.profile,
                label=arguments.label,
                sample=arguments.sample,
                unsafe=arguments.unsafe,
                require_sandbox=arguments.require_sandbox,
                counter=arguments.counter,
                requirements=arguments.requirements,
                time_budget_s=arguments.time_budget,
                live_reference=not arguments.no_live_reference,
                fresh=_seed(arguments.fresh),
                progress=progress,
            )
        except Interrupted as stop:
            report, interrupted = stop.report, True
    code = 0
    if interrupted and report.status is Status.FAILED:
        sys.stderr.write("interrupted before anything was measured; no report was written\n")
        return 130
    if interrupted:
        sys.stderr.write("interrupted; the report holds what had been measured\n")
        code = 130
    elif report.status is Status.TAMPERED:
        code = 4
    elif any(f.fault is not Fault.SUBJECT for f in report.faults):
        code = 3
    elif report.gate is not None and not report.gate.passed:
        code = 1
    if report.gate is not None and (arguments.quiet or any(is_stdout(target) for _, target in outputs)):
        _say_failed(report.gate)
    try:
        _emit(report, outputs, quiet=arguments.quiet)
    except OutputError as error:
        # The place could be written to when the work began: the host failed, not the caller.
        sys.stderr.write(f"error {error.code}: {error}\n")
        return code if code in (130, 4) else 3
    except BrokenPipeError:
        drop_stdout()
    return code


def _seed(given: int | str | None) -> int | None:
    """The seed of fresh inputs: none asked for, the one given, or one that nobody knew before."""
    if isinstance(given, str):
        return secrets.randbits(32)
    if given is not None and given < 0:
        raise UsageError(f"--fresh {given} is no seed; give a whole number that is not negative, or none.")
    return given


def _say_failed(gate: GateReport) -> None:
    """The conditions that failed or could not be decided, with their numbers, where no table shows them."""
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415

    for condition in gate.failed:
        sys.stderr.write(f"gate failed: {inert(condition.name)}: {inert(condition.numbers)}\n")
        for example in condition.examples:
            sys.stderr.write(f"    {inert(example, limit=160)}\n")
    for condition in gate.undecided:
        sys.stderr.write(f"gate {inert(condition.name)}: {inert(condition.numbers)}\n")


def _sample(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def _outputs(arguments: argparse.Namespace) -> tuple[tuple[str, str], ...]:
    """(format, target) of every document that was asked for, checked before the work starts."""
    from qualityscore.catalog import RENDERERS  # noqa: PLC0415

    wanted = [("json", arguments.json)] if arguments.json is not None else []
    for text in arguments.format:
        name, given, target = text.partition("=")
        if name not in RENDERERS or (given and not target):
            raise UsageError(f"--format {text!r} is not NAME or NAME=FILE; the names are {', '.join(RENDERERS)}.")
        wanted.append((name, target if given else "-"))
    check_outputs(*(target for _, target in wanted))
    return tuple(wanted)


def _emit(report: Report, outputs: tuple[tuple[str, str], ...], *, quiet: bool) -> None:
    """Write the documents; show the table unless standard output belongs to one of them."""
    from qualityscore.catalog import RENDERERS  # noqa: PLC0415
    from qualityscore.reports import console  # noqa: PLC0415

    for name, target in outputs:
        write(target, RENDERERS[name](report))
    if quiet or any(is_stdout(target) for _, target in outputs):
        return
    width = shutil.get_terminal_size((100, 24)).columns
    color = sys.stdout.isatty() and not _no_color()
    places = [f"{name}: {target}" for name, target in outputs] or ["the whole report: add --json FILE"]
    saved = next((target for name, target in outputs if name == "json"), None)
    to_stdout(console.render(report, width=min(width, 140), color=color, saved=saved) + "\n" + "\n".join(places) + "\n")


def _no_color() -> bool:
    return bool(os.environ.get("NO_COLOR"))
