"""`qualityscore tasks defects TASK`: inject defects into a task's reference and count what its suites detect."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from qualityscore.commands.output import add_json_option, check_outputs, check_writable, is_stdout, seed, write
from qualityscore.runtime.scratch import scratch_folder

if TYPE_CHECKING:
    from qualityscore.defects.summary import Summary
    from qualityscore.runtime.target import Target

DEFAULT_SEED = 20240229
MUTANTS_PER_TASK = 40


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "defects",
        help="inject defects into the reference and count what the suites detect",
        description="Mutants of the functions that the functional suite enters are judged in the sandbox. Exit code 1 "
        "when less than 90 % of those that are not marked equivalent are detected. 40 mutants of a small "
        "task take about 3 minutes on two processors; docs/howto/defects.md tells what to do with a survivor.",
    )
    parser.add_argument("task", metavar="TASK", help="a bundled task, or the folder of your own")
    parser.add_argument(
        "--mutants",
        type=int,
        default=MUTANTS_PER_TASK,
        metavar="N",
        help="covered mutants to judge (default %(default)s)",
    )
    parser.add_argument("--seed", type=seed, default=DEFAULT_SEED, help="seed of the choice (default %(default)s)")
    parser.add_argument(
        "--store", metavar="FILE", help="JSON Lines of verdicts; an interrupted campaign is taken up again"
    )
    parser.add_argument(
        "--workers", type=int, default=2, metavar="N", help="mutants judged at the same time (default %(default)s)"
    )
    parser.add_argument("--unsafe", action="store_true", help="run without a sandbox where none works (dangerous)")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Choose, inject, judge, report."""
    import json  # noqa: PLC0415

    from qualityscore.defects import campaign as defects  # noqa: PLC0415
    from qualityscore.defects.equivalents import read_equivalents  # noqa: PLC0415
    from qualityscore.defects.summary import document, summarise  # noqa: PLC0415
    from qualityscore.errors import ReferenceFaultError, UsageError  # noqa: PLC0415
    from qualityscore.runtime import tasks  # noqa: PLC0415
    from qualityscore.suites import functional, tracing  # noqa: PLC0415
    from qualityscore.suites.expectation import discover  # noqa: PLC0415

    check_outputs(arguments.json, arguments.store)
    check_writable(arguments.store, appended=True)
    if arguments.mutants < 1 or arguments.workers < 1:
        raise UsageError("--mutants and --workers must be at least 1.")
    task = tasks.load_task(arguments.task)
    equivalents = read_equivalents(task.folder)
    with _reference(arguments) as target:
        expected = discover(target)
        trace = tracing.trace(target, expected)
        sources = defects.read_sources(target, {function.path for function in trace.judged})
        mutants = defects.candidates(sources, trace.judged, arguments.seed, defects.spare(arguments.mutants))

        def functional_stage(changed: Target) -> tuple[str, ...]:
            outcome = functional.run(changed, expected)
            return tuple(test.id for test in outcome.tests if test.outcome.value != "passed")

        failing = functional_stage(target)
        if failing or not expected:
            raise ReferenceFaultError(f"The reference fails its own functional suite ({failing[:1] or 'no tests'}).")
        verdicts = defects.run_campaign(
            target,
            defects.Campaign(
                task=task.id, task_digest=task.digest, reference_digest=target.tree.digest, seed=arguments.seed
            ),
            mutants,
            [("functional", functional_stage)],
            count=arguments.mutants,
            store=Path(arguments.store) if arguments.store else None,
            workers=arguments.workers,
            progress=_progress,
        )
    summary = summarise(verdicts, equivalents)
    if arguments.json:
        plain = document(summary, task=task.id, seed=arguments.seed)
        write(arguments.json, json.dumps(plain, indent=2, sort_keys=True) + "\n")
    if not is_stdout(arguments.json):
        sys.stdout.write(_text(summary, task.id))
    return 0 if summary.sound else 1


@contextmanager
def _reference(arguments: argparse.Namespace) -> Iterator[Target]:
    from qualityscore.runtime import environment, reference, tasks, workspace  # noqa: PLC0415
    from qualityscore.runtime.cache import cache_root  # noqa: PLC0415
    from qualityscore.runtime.sandbox.select import select  # noqa: PLC0415
    from qualityscore.runtime.target import Target  # noqa: PLC0415

    task = tasks.load_task(arguments.task)
    root = cache_root()
    with scratch_folder("qualityscore-") as folder:
        source = reference.fetch(task, root)
        copied = workspace.copy(source, folder / "subject", tuple(task.spec.surface.imports))
        built = environment.ensure(task.folder / task.spec.environment.lock, task.spec.environment.python, root)
        sandbox = select(unsafe=arguments.unsafe)
        yield Target(task=task, tree=copied.tree, environment=built, sandbox=sandbox, is_reference=True)


def _progress(done: int, total: int) -> None:
    sys.stderr.write(f"\r{done} of {total} mutants{'' if done < total else chr(10)}")
    sys.stderr.flush()


def _text(summary: Summary, task: str) -> str:
    from qualityscore.commands.terminal import terminal_width  # noqa: PLC0415
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415
    from qualityscore.reports.tables import percent, terminal  # noqa: PLC0415

    rates = [("all", summary.everything), ("held out", summary.held_out), *summary.operators.items()]
    rows = [[name, str(r.detected), str(r.detectable), percent(r.share, 1)] for name, r in rates]
    text = terminal(["operators", "detected", "of", "%"], rows, width=terminal_width(), title=f"defects in {task}")
    stages = ", ".join(f"{count} by {name}" for name, count in sorted(summary.stages.items()))
    text += f"\ndetected: {stages or 'none'}; {summary.not_covered} more were on places that no test runs\n"
    for verdict, reason in summary.equivalent:
        text += f"equivalent: {inert(verdict.id)}: {inert(reason)}\n"
    for verdict in summary.survivors:
        shown = "".join(f"  {inert(line)}\n" for line in verdict.diff.splitlines())
        text += f"\nsurvivor {inert(verdict.id)}\n{shown}"
    return text
