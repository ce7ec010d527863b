"""`qualityscore tasks list | show ID | fetch ID DIR | validate ID | defects ID`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from qualityscore.commands import defects
from qualityscore.commands.terminal import listing_width


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command and its four verbs."""
    parser = subparsers.add_parser("tasks", help="list, show, fetch and validate tasks")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("list", help="the bundled tasks").set_defaults(run=run_list)
    show = verbs.add_parser("show", help="one task: requirement, surface, suites")
    show.add_argument("task", metavar="ID_OR_PATH")
    show.set_defaults(run=run_show)
    fetch = verbs.add_parser("fetch", help="unpack the pinned reference's release into a folder, digest checked")
    fetch.add_argument("task", metavar="ID_OR_PATH")
    fetch.add_argument("folder", metavar="DIR")
    fetch.set_defaults(run=run_fetch)
    validate = verbs.add_parser("validate", help="prove that the task's suites hold on its reference")
    validate.add_argument("task", metavar="ID_OR_PATH")
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
    requirement = task.folder / "requirement.md"
    lines = [requirement.read_text("utf-8").rstrip() if requirement.is_file() else f"# {spec.title}", ""]
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


def run_fetch(arguments: argparse.Namespace) -> int:
    """Unpack the reference and say where it lies."""
    from qualityscore.runtime.cache import cache_root  # noqa: PLC0415
    from qualityscore.runtime.reference import copy_to  # noqa: PLC0415
    from qualityscore.runtime.tasks import load_task  # noqa: PLC0415

    task = load_task(arguments.task)
    folder = copy_to(task, Path(arguments.folder), cache_root())
    sys.stdout.write(f"{task.spec.reference.distribution} {task.spec.reference.version} is in {folder}\n")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def run_validate(arguments: argparse.Namespace) -> int:
    """Exit 0 when everything holds, 3 with the list of what does not (the reference or the suites are at fault)."""
    from qualityscore.validation import validate  # noqa: PLC0415

    problems = validate(arguments.task, unsafe=arguments.unsafe, say=_say)
    for problem in problems:
        sys.stdout.write(f"not valid: {problem}\n")
    sys.stdout.write("the task is valid\n" if not problems else "")
    return 3 if problems else 0
