"""The `analyze` command: parse its arguments, read the repository, print what was found."""

from __future__ import annotations

import argparse
import json
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qualityscore.commands.output import add_json_option, check_outputs, path, write
from qualityscore.errors import InputError, UsageError

if TYPE_CHECKING:
    from qualityscore.analysers.repository import Repository
    from qualityscore.collectors.context import StaticOutcome
    from qualityscore.model.task import Surface

_MOST_REASONS = 6
_LINE_LIMIT = 5000
"""Characters of one printed line: a path, of which Linux takes 4,096 bytes, and what is said of it."""
_ANALYSERS = ("layers", "fields", "surface", "names")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's subcommands."""
    parser = subparsers.add_parser(
        "analyze",
        help="analyse Python code without running it",
        description=(
            "Analyse a folder or a file without running it: layers (how deep methods and modules build on each other), "
            "fields (attributes read and defined), surface (public names, signatures, stubs), names (names and modules "
            "that do not exist). Where none is named: all of them, and the static measures with what radon, pylint and "
            "bandit find. The exit status is 0 whatever is found."
        ),
    )
    parser.add_argument("analyser", nargs="?", choices=_ANALYSERS, help="one analyser (default: all)")
    parser.add_argument("path", type=path, metavar="PATH", help="a folder or a Python file")
    add_json_option(parser)
    parser.add_argument(
        "--task", metavar="ID_OR_PATH", help="judge imports of other packages by this task's environment"
    )
    parser.add_argument(
        "--site-packages",
        metavar="DIR",
        action="append",
        help="judge them by what is installed in DIR; may be repeated (default: beside qualityscore, as a guess)",
    )
    parser.add_argument(
        "--order", metavar="FILE", help="layers: a layer per line, top first; report imports against it"
    )
    parser.add_argument(
        "--import", metavar="NAME", action="append", default=[], dest="imports", help="surface: only these modules"
    )
    parser.add_argument("--against", metavar="WHAT", help="surface: compare with a surface.json, a folder or a file")
    parser.add_argument("--propose", metavar="FILE", help="surface: write a proposed surface.json to FILE, or -")
    parser.add_argument("--left-out", action="store_true", help="print the Python files that are no production code")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry out the command. Raises InputError for what cannot be read or written."""
    from qualityscore.analysers.documents import document  # noqa: PLC0415
    from qualityscore.analysers.repository import read_repository  # noqa: PLC0415
    from qualityscore.analysers.rules.layers_order import parse_order  # noqa: PLC0415
    from qualityscore.languages.python_source import printable  # noqa: PLC0415
    from qualityscore.model.codec import encodable  # noqa: PLC0415
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415
    from qualityscore.runtime.cache import cache_root, static_results  # noqa: PLC0415

    _check_options(args)
    check_outputs(args.json, args.propose)
    order = parse_order(_text(args.order)) if args.order else ()
    if args.order and not order:
        raise InputError(f"Cannot use {args.order} as a layer order: it names no module.")
    cache = static_results(cache_root())
    repository = read_repository(
        Path(args.path),
        imports=tuple(args.imports),
        reference=_reference(Path(args.against), tuple(args.imports)) if args.against else None,
        order=order,
        site_packages=_site_packages(args),
        assumed=not (args.site_packages or args.task),
        cache=cache,
    )
    if args.analyser:
        result = document(repository, (args.analyser,))
    else:
        result = document(repository, _ANALYSERS, _measure(repository, cache))
    if args.propose:
        from qualityscore.analysers.public import propose  # noqa: PLC0415

        proposal = propose(repository.reading.surface)
        write(args.propose, json.dumps(encodable(proposal.model_dump()), indent=2) + "\n")
    if args.json:
        write(args.json, json.dumps(encodable(result), indent=2) + "\n")
    if "-" not in (args.json, args.propose):
        lines = _lines(result)
        if args.left_out:
            lines += [f"left out: {printable(p)} ({why})" for p, why in repository.left_out]
        sys.stdout.write("".join(f"{inert(line, limit=_LINE_LIMIT)}\n" for line in lines))
    return 0


def _check_options(args: argparse.Namespace) -> None:
    """Raises UsageError for an option that the named analyser has no use for."""
    for option, value, served in (
        ("--task", args.task, ("fields", "surface", "names")),
        ("--site-packages", args.site_packages, ("fields", "surface", "names")),
        ("--order", args.order, ("layers",)),
        ("--import", args.imports, ("surface",)),
        ("--against", args.against, ("surface",)),
        ("--propose", args.propose, ("surface",)),
    ):
        if value and args.analyser and args.analyser not in served:
            one = served[0] if len(served) == 1 else f"{', '.join(served[:-1])} or {served[-1]}"
            raise UsageError(f"{option} says nothing to the analyser {args.analyser}: name {one}, or no analyser.")


def _measure(repository: Repository, cache: Path) -> StaticOutcome:
    """The static measures: radon, pylint, bandit, and `structure.defects` with the analysers' part.

    Judged code is what `evaluate` without a baseline judges: functions that other code names, and public ones.
    """
    from qualityscore.analysers.structure import defects  # noqa: PLC0415
    from qualityscore.branch.project import read_project  # noqa: PLC0415
    from qualityscore.branch.state import public_names  # noqa: PLC0415
    from qualityscore.collectors.static import context_for, measure  # noqa: PLC0415
    from qualityscore.runtime.target import Tree  # noqa: PLC0415

    reading = repository.reading
    tree = Tree(root=repository.root, import_roots=(), files=repository.files, digest="")
    project = read_project(tree)
    public, _ = public_names(replace(tree, import_roots=project.roots), project, cache)
    context = context_for(
        tree,
        judged=None,
        import_roots=reading.project.roots,
        public_names={name.qualname for name in public or ()},
        cache=cache,
    )
    return measure(context, analysed=[f for f in defects(reading) if f.path in repository.production])


def _reference(path: Path, imports: tuple[str, ...]) -> Surface:
    from pydantic import ValidationError  # noqa: PLC0415

    from qualityscore.analysers.public import propose  # noqa: PLC0415
    from qualityscore.analysers.repository import read_repository  # noqa: PLC0415
    from qualityscore.model.task import Surface  # noqa: PLC0415

    if path.is_dir() or path.suffix == ".py":
        return propose(read_repository(path, imports=imports).reading.surface)
    try:
        return Surface.model_validate_json(_text(str(path)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        raise InputError(f"Cannot read {path} as a surface: {where}: {first['msg']}.") from error


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"Cannot read {path}: {reason}.") from error


def _site_packages(args: argparse.Namespace) -> tuple[Path, ...]:
    """The given folders and the given task's, else those of the interpreter that runs us."""
    folders = [Path(path) for path in args.site_packages or ()]
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"Cannot use {folder} as site-packages: it is no folder.")
    if args.task:
        folders += _of_task(args.task)
    if not folders:
        folders = [Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("platlib"))]
    return tuple(dict.fromkeys(folders))


def _of_task(name: str) -> list[Path]:
    from qualityscore.runtime.cache import cache_root  # noqa: PLC0415
    from qualityscore.runtime.environment import ensure  # noqa: PLC0415
    from qualityscore.runtime.tasks import load_task  # noqa: PLC0415

    task = load_task(name)
    built = ensure(task.folder / task.spec.environment.lock, task.spec.environment.python, cache_root())
    return sorted(built.prefix.glob("lib/python*/site-packages"))


def _lines(result: dict[str, Any]) -> list[str]:
    """What is printed, line by line; text from the subject is not inert yet and may itself break lines."""
    from qualityscore.analysers.registry import RULES  # noqa: PLC0415

    lines: list[str] = []
    general = {rule.hint for rule in RULES if rule.hint}
    repeated = Counter(f["suggestion"] for f in result["findings"] if f["suggestion"] in general)
    for finding in result["findings"]:
        hint = f" ({finding['suggestion']})" if finding["suggestion"] and repeated[finding["suggestion"]] <= 1 else ""
        place = ":".join(str(p) for p in (finding["path"], finding["line"], finding["column"]) if p)
        lines.append(f"{place}: {finding['code']} [{finding['severity']}] {finding['message']}{hint}")
    if lines:
        lines.append("")
    lines += [f"hint for {times} findings: {text}" for text, times in repeated.items() if times > 1]
    lines.append(
        f"{_count(len(result['findings']), 'finding')} in {_count(result['files'], 'file')}, "
        f"{_count(result['sloc'], 'line')} of code"
    )
    lines += _measure_lines(result.get("measures", {}))
    parts = result.get("analysers") or {result["analyser"]: result}
    for name, part in parts.items():
        lines.append(f"{name}: {_summary(name, part['summary'])}")
        lines += _reasons(name, part["summary"])
        lines += [f"  module {absent} is not here" for absent in part.get("missing_modules", ())]
        lines += _unmatched(part.get("unmatched_order", ()))
    return lines


def _measure_lines(measures: dict[str, Any]) -> Iterator[str]:
    """A line per measure, and one for all that lack a value for the same reason."""
    lacking: dict[str, list[str]] = {}
    for name, measured in measures.items():
        if measured["value"] is None:
            lacking.setdefault(measured["reason"], []).append(name)
        else:
            yield f"{name}: {measured['value']:.3f}"
    for reason, names in lacking.items():
        yield f"{', '.join(names)}: not measured, {reason}"


def _summary(name: str, summary: dict[str, Any]) -> str:
    if name == "layers":
        centres = (
            f"{key} {_number(summary[key]['mean'])} / {_number(summary[key]['median'])}"
            for key in ("layers", "methods", "loc")
        )
        return (
            f"{_count(summary['classes'], 'class', 'classes')}, mean / median of {', '.join(centres)}; "
            f"{_count(summary['modules'], 'module')} in {_count(summary['module_layers'], 'layer')}, "
            f"{_count(summary['cycles'], 'import cycle')}"
        )
    if name == "fields":
        classes = _count(summary["classes"], "class", "classes")
        return f"{summary['judged']} of {_count(summary['reads'], 'read')} in {classes} judged"
    if name == "surface":
        stubs = _count(summary["stubs"], "stub")
        return f"{_count(summary['names'], 'public name')}, {summary['documented']} documented, {stubs}"
    return f"{summary['imports_judged']} of {_count(summary['imports'], 'imported name')} judged"


def _reasons(name: str, summary: dict[str, Any]) -> Iterator[str]:
    """A line for each of the most frequent reasons why an analyser left something unjudged."""
    unjudged: dict[str, int] = summary.get({"fields": "unjudged", "names": "imports_unjudged"}.get(name, ""), {})
    shown = list(unjudged.items())[:_MOST_REASONS]
    yield from (f"  {count} not judged: {reason}" for reason, count in shown)
    rest = sum(unjudged.values()) - sum(count for _, count in shown)
    if rest:
        yield f"  {rest} not judged for other reasons"


def _unmatched(names: Iterable[dict[str, Any]]) -> Iterator[str]:
    for one in names:
        hint = f" (did you mean {one['suggestion']}?)" if one["suggestion"] else ""
        yield f"  the order's {one['name']!r} is no module here: nothing is checked against it{hint}"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
