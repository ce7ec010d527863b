"""`qualityscore tasks list | show ID | fetch ID DIR | new NAME==VERSION | validate ID... | defects ID`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qualityscore.commands import defects
from qualityscore.commands.output import path
from qualityscore.commands.terminal import listing_width
from qualityscore.errors import QualityScoreError, TaskError, UnfinishedTaskError, UsageError

if TYPE_CHECKING:
    from qualityscore.model.task import Task

EXIT_VALID, EXIT_UNFINISHED, EXIT_NOT_VALID = 0, 2, 3
_MANY_ENTRIES = 60
_GUIDE = "docs/howto/add-a-task.md"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command and its verbs."""
    parser = subparsers.add_parser(
        "tasks",
        help="list, show, fetch, draft and validate tasks",
        description=f"List, show, fetch, draft and validate tasks. {_GUIDE} leads from nothing to a task of your own.",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("list", help="the bundled tasks").set_defaults(run=run_list)
    show = verbs.add_parser("show", help="one task: requirement, surface, suites")
    show.add_argument("task", metavar="ID_OR_PATH")
    show.set_defaults(run=run_show)
    fetch = verbs.add_parser("fetch", help="unpack the pinned reference's release into a folder, digest checked")
    fetch.add_argument("task", metavar="ID_OR_PATH")
    fetch.add_argument("folder", metavar="DIR")
    fetch.set_defaults(run=run_fetch)
    new = verbs.add_parser(
        "new",
        help="draft a task of your own from a release on the package index",
        description=(
            "Fetch a source release, propose its surface, pin its environment, and draft requirement, tests, "
            "properties and workloads. What a person has to write is marked unfinished, and tasks validate refuses it "
            f"until it is written. {_GUIDE} leads from there to a validated task."
        ),
    )
    new.add_argument("release", metavar="NAME==VERSION", help="a release with sources, such as inflection==0.5.1")
    new.add_argument("--into", type=path, metavar="DIR", help="the task's new folder (default: NAME in this folder)")
    new.add_argument(
        "--import",
        metavar="NAME",
        action="append",
        default=[],
        type=path,
        dest="imports",
        help="a module whose names are the surface; may be repeated (default: every public module)",
    )
    new.add_argument("--unsafe", action="store_true", help="import without a sandbox where none works (dangerous)")
    new.set_defaults(run=run_new)
    validate = verbs.add_parser(
        "validate",
        help="prove that the tasks' suites hold on their references",
        description=(
            "Run a task's suites on its reference: three times, and its tests in other orders, time zones, locales and "
            "hash seeds, with the share of unprotected tests and a comparison with the snapshot. A task with "
            "unfinished parts is refused (exit code 2), one that does not hold ends with 3. "
            f"How a task is made: {_GUIDE}."
        ),
    )
    validate.add_argument("tasks", metavar="ID_OR_PATH", nargs="*", type=path, help="the tasks to validate")
    validate.add_argument("--all", action="store_true", help="all bundled tasks, with a table at the end")
    validate.add_argument("--unsafe", action="store_true", help="run without a sandbox where none works (dangerous)")
    validate.set_defaults(run=run_validate)
    defects.add_parser(verbs)


def run_list(arguments: argparse.Namespace) -> int:
    """One line per bundled task."""
    from qualityscore.reports.tables import listing  # noqa: PLC0415
    from qualityscore.runtime.environment import python_minor  # noqa: PLC0415
    from qualityscore.runtime.tasks import load_task, reference_name, snapshot_path, task_ids  # noqa: PLC0415

    del arguments
    rows, lacking = [], []
    for name in task_ids():
        task = load_task(name)
        spec = task.spec
        if not (has := snapshot_path(task, python_minor()).is_file()):
            lacking.append(spec.id)
        entries = str(len(task.surface.entries))
        rows.append((spec.id, reference_name(task), entries, "yes" if has else "no", spec.title))
    columns = ("id", "reference", "entries", "snapshot", "title")
    sys.stdout.write(listing(columns, rows, width=listing_width(), folded=len(columns) - 1))
    if lacking:
        place = snapshot_path(load_task(lacking[0]), python_minor())
        sys.stdout.write(
            f"\nno baseline snapshot for Python {python_minor()} yet: {', '.join(lacking)}\n"
            f"evaluate needs one; make it with: qualityscore baseline {lacking[0]} -o {place}\n"
        )
    return 0


def run_show(arguments: argparse.Namespace) -> int:
    """The requirement text, then the surface and what judges it."""
    from qualityscore.runtime.tasks import load_task, reference_name  # noqa: PLC0415

    task = load_task(arguments.task)
    spec = task.spec
    lines = [_requirement(task) or f"# {spec.title}", ""]
    lines += ["Surface:"]
    lines += [
        f"  {entry.kind:<9} {entry.name}{entry.signature or ''}" + ("  (no body)" if entry.bodiless else "")
        for entry in task.surface.entries
    ]
    scenario = spec.scenario.replace("_", " ")
    lines += ["", f"Scenario {scenario}, reference {reference_name(task)}"]
    lines += [f"Python {spec.environment.python}, imports {', '.join(spec.surface.imports)}"]
    for suite, limits in spec.suites.items():
        files = ", ".join(p.name for p in task.suite_files(suite))
        lines.append(f"{suite}: {files} ({limits.test_timeout_s:g} s a test, {limits.total_timeout_s:g} s in all)")
    lines.append(f"digest {task.digest}")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _requirement(task: Task) -> str:
    """The requirement's text; empty where there is none. Raises TaskError for one that cannot be read."""
    file = task.folder / "requirement.md"
    if not file.is_file():
        return ""
    try:
        return file.read_text("utf-8").rstrip()
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"The requirement {file} cannot be read: {error}.") from error


def run_fetch(arguments: argparse.Namespace) -> int:
    """Unpack the reference and say where it lies."""
    from qualityscore.runtime.cache import cache_root  # noqa: PLC0415
    from qualityscore.runtime.reference import copy_to  # noqa: PLC0415
    from qualityscore.runtime.tasks import load_task, reference_name  # noqa: PLC0415

    task = load_task(arguments.task)
    folder = copy_to(task, Path(arguments.folder), cache_root())
    sys.stdout.write(f"{reference_name(task)} is in {folder}\n")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def run_new(arguments: argparse.Namespace) -> int:
    """Draft the task and say what is to be done next."""
    from qualityscore.drafting import draft  # noqa: PLC0415

    into = Path(arguments.into) if arguments.into else None
    made = draft(arguments.release, into, imports=tuple(arguments.imports), unsafe=arguments.unsafe, say=_say_aside)
    shown = made.folder if made.folder.is_absolute() else f"./{made.folder}"
    release = made.release
    sys.stdout.write(
        f"{release.distribution} {release.version} is drafted in {shown}: {len(release.surface.entries)} surface "
        f"entries of {', '.join(release.imports)}, {len(made.unfinished)} parts to write\n"
        f"they are listed by: qualityscore tasks validate {shown}\n"
        f"the way from here: {_GUIDE}\n"
    )
    if len(release.imports) > 1 and len(release.surface.entries) > _MANY_ENTRIES:
        sys.stdout.write(
            "that is much for one task: to start again with the modules that users import, remove the folder and name "
            f"them, such as --import {release.imports[0]}\n"
        )
    return 0


def _say_aside(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    """What became of one task: a word, the exit code it asks for, seconds, and what is wrong, in words."""

    task: str
    word: str
    code: int
    wall_s: float
    problems: tuple[str, ...] = ()


def run_validate(arguments: argparse.Namespace) -> int:
    """Exit 0 when everything holds, 3 with the list of what does not (the reference or the suites are at fault).

    2 for a task with unfinished parts, which are listed. Of several tasks the worst decides: 2 before 3.
    """
    from qualityscore.runtime.tasks import task_ids  # noqa: PLC0415

    names: Sequence[str] = arguments.tasks
    if arguments.all == bool(names):
        raise UsageError("Name the tasks to validate, or give --all for the bundled ones; not both.")
    if len(names) == 1:
        verdict = _validate(names[0], unsafe=arguments.unsafe, snapshot=False)
        if verdict.code == EXIT_UNFINISHED:
            count = f"{len(verdict.problems)} unfinished part{'s' * (len(verdict.problems) > 1)}"
            raise UnfinishedTaskError(f"The task {names[0]} has {count}; finish what is listed above ({_GUIDE}).")
        return verdict.code
    verdicts = []
    for name in task_ids() if arguments.all else names:
        _say(f"== {name}")
        started_s = time.monotonic()
        try:
            verdicts.append(_validate(name, unsafe=arguments.unsafe, snapshot=arguments.all))
        except QualityScoreError as error:
            spent_s = time.monotonic() - started_s
            _say(f"error {error.code}: {error}")
            problems = (f"{error.code}: {error}",)
            verdicts.append(
                _Verdict(task=name, word="not measured", code=error.exit_code, wall_s=spent_s, problems=problems)
            )
    return _summary(verdicts)


def _validate(name: str, *, unsafe: bool, snapshot: bool) -> _Verdict:
    """Validate one task, or find what it lacks, and say so."""
    from qualityscore.runtime.tasks import load_task  # noqa: PLC0415
    from qualityscore.validation import lacking, validate  # noqa: PLC0415

    started_s = time.monotonic()
    here = f"{Path.cwd()}{os.sep}"
    parts = tuple(str(part).removeprefix(here) for part in lacking(load_task(name), snapshot=snapshot))
    if parts:
        for part in parts:
            _say(f"unfinished: {part}")
        wall_s = time.monotonic() - started_s
        return _Verdict(task=name, word="unfinished", code=EXIT_UNFINISHED, wall_s=wall_s, problems=parts)
    problems = validate(name, unsafe=unsafe, say=_say)
    for problem in problems:
        _say(f"not valid: {problem}")
    if not problems:
        _say("the task is valid")
    return _Verdict(
        task=name,
        word="not valid" if problems else "valid",
        code=EXIT_NOT_VALID if problems else EXIT_VALID,
        wall_s=time.monotonic() - started_s,
        problems=problems,
    )


def _summary(verdicts: Sequence[_Verdict]) -> int:
    """The table of several tasks; returns the exit code."""
    from qualityscore.reports.tables import listing  # noqa: PLC0415

    columns = ("task", "verdict", "seconds", "problems", "first problem")
    rows = [
        (v.task, v.word, f"{v.wall_s:.0f}", str(len(v.problems)), v.problems[0] if v.problems else "") for v in verdicts
    ]
    _say("")
    sys.stdout.write(listing(columns, rows, width=listing_width(), folded=len(columns) - 1))
    valid = sum(v.code == EXIT_VALID for v in verdicts)
    _say(f"\n{valid} of {len(verdicts)} tasks are valid")
    return min((v.code for v in verdicts if v.code != EXIT_VALID), default=EXIT_VALID)
