"""The documentation site's generated part, as a hook of MkDocs: the reference out of the code, the navigation.

The pages of commands, formats and measures are made while the site is built, so they cannot lag behind the code; those
of errors and analysers are committed, since people read them in the repository too, and a test keeps them current.
"""

from __future__ import annotations

import argparse
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from qualityscore.catalog import RENDERERS
from qualityscore.cli import build_parser
from qualityscore.core.ahp import weigh
from qualityscore.core.explain import quantity
from qualityscore.core.profile import Profile
from qualityscore.model.measure import Direction, MetricSpec, Scoring
from qualityscore.runtime.documents import load_profile

PROFILES = ("reference", "ral-bench")
SECTIONS = (
    ("Tutorials", "tutorials"),
    ("How to", "howto"),
    ("Reference", "reference"),
    ("Explanation", "guide"),
    ("Decisions", "adr"),
)
FORMAT_USES = {
    "console": ("a person at a terminal", "`.txt`"),
    "json": ("`explain`, `compare`, `leaderboard`, `report`, your own programs", "`.json`"),
    "markdown": ("a pull request's comment, a job summary", "`.md`"),
    "html": ("a person with a browser; one file that loads nothing", "`.html`"),
    "sarif": ("GitHub code scanning, editors", "`.sarif`"),
    "gitlab": ("GitLab's code quality widget", "`.json`"),
    "junit": ("test dashboards: Jenkins, GitLab, GitHub actions", "`.xml`"),
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for path, text in generated().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Navigation by folder: a page is listed by being there. Tutorials keep the order of `tutorials/index.md`."""
    docs = Path(config.docs_dir)
    nav: list[Any] = ["index.md"]
    for title, folder in SECTIONS:
        pages = {path.relative_to(docs).as_posix() for path in (docs / folder).rglob("*.md")}
        pages |= {path for path in generated() if path.startswith(f"{folder}/")}
        nav.append({title: sorted(pages, key=lambda page: (page.count("/"), page))})
    nav.append("upgrade.md")
    config.nav = nav
    return config


def generated() -> dict[str, str]:
    """Path below docs/ to text, of every page that is made from the code."""
    return {
        "reference/commands.md": commands_page(),
        "reference/formats.md": formats_page(),
        "reference/measures.md": measures_page(),
    }


def commands_page() -> str:
    """Every command with its arguments, out of the parsers."""
    parser = build_parser()
    lines = ["# Commands", "", parser.description or "", "", parser.epilog or "", ""]
    for name, sub in _subparsers(parser):
        lines += list(_command(f"qualityscore {name}", sub, "##"))
    return "\n".join(lines) + "\n"


def _subparsers(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def _command(name: str, parser: argparse.ArgumentParser, heading: str) -> Iterator[str]:
    usage = textwrap.fill(
        re.sub(r"\s+", " ", parser.format_usage().removeprefix("usage: ")),
        width=88,
        subsequent_indent="    ",
        break_on_hyphens=False,
    )
    yield from (f"{heading} {name}", "", parser.description or "", "", "```text", usage, "```", "")
    rows = [row for action in parser._actions if (row := _argument(parser, action))]
    if rows:
        yield from ("| argument | meaning |", "|---|---|", *rows, "")
    for sub_name, sub in _subparsers(parser):
        yield from _command(f"{name} {sub_name}", sub, heading + "#")


def _argument(parser: argparse.ArgumentParser, action: argparse.Action) -> str | None:
    if isinstance(action, argparse._HelpAction | argparse._SubParsersAction) or action.help == argparse.SUPPRESS:
        return None
    metavar = action.metavar if isinstance(action.metavar, str) else None
    if action.choices:
        metavar = "|".join(str(choice) for choice in action.choices)
    name = ", ".join(action.option_strings) or metavar or action.dest
    if action.option_strings and action.nargs != 0:
        name += f" {metavar or action.dest.upper()}"
    meaning = (action.help or "") % {**vars(action), "prog": parser.prog} if action.help else ""
    return f"| `{name}` | {_cell(meaning)} |"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").strip()


def formats_page() -> str:
    """Every format of `--format`, out of the catalog."""
    lines = [
        "# Formats",
        "",
        "`--format NAME[=FILE]` may be given several times; all documents come from one evaluation. Without `=FILE` a",
        "document goes to standard output, which then holds nothing else; only one can. `--json FILE` is short for",
        "`--format json=FILE`. The same report gives the same bytes, and no name or message from a subject has any",
        "effect in a document: control characters, markup, mentions and directions are shown, not obeyed.",
        "",
        "| name | for | file |",
        "|---|---|---|",
    ]
    lines += [f"| [`{name}`](#{name}) | {FORMAT_USES[name][0]} | {FORMAT_USES[name][1]} |" for name in RENDERERS]
    for name, render in RENDERERS.items():
        module = inspect.getmodule(render)
        about = [(module.__doc__ or "").strip(), inspect.cleandoc(render.__doc__ or "")]
        lines += ["", f"## {name}", "", *about]
    lines += [
        "",
        "The JSON document's schema ships with the package as `qualityscore/model/report.schema.json`. Unknown keys",
        "are refused when a report is read, at every depth.",
    ]
    return "\n".join(lines) + "\n"


def measures_page() -> str:
    """Every measure with its formula and weight, out of the profiles."""
    lines = [
        "# Measures",
        "",
        "g is the subject's value, b the reference's, ε the smoothing in the measure's unit, δ the tolerance, c",
        "[credibility](../guide/scoring.md). r is the ratio before it is capped at 1. What the words of each measure",
        "mean is told in [How a score comes about](../guide/scoring.md); `qualityscore explain REPORT MEASURE` shows",
        "a formula with the numbers of one report.",
    ]
    for name in PROFILES:
        lines += ["", *_profile(load_profile(name))]
    return "\n".join(lines) + "\n"


def _profile(profile: Profile) -> Iterator[str]:
    weights = weigh(profile.matrix, [d.id for d in profile.dimensions]).weights
    yield from (f"## Profile {profile.name}", "", f"{profile.title}", "")
    yield from ("| dimension | measure | weight in NF | unit | better | formula |", "|---|---|---|---|---|---|")
    for dimension, weight in zip(profile.dimensions, weights, strict=True):
        own = weigh(dimension.matrix, [m.id for m in dimension.metrics]).weights
        for metric, share in zip(dimension.metrics, own, strict=True):
            yield (
                f"| {dimension.id} | `{metric.id}`: {metric.title} | {weight * share:.4f} | "
                f"{metric.unit.value.replace('_', ' ')} | {metric.better.value} | {_formula(metric)} |"
            )


def _formula(metric: MetricSpec) -> str:
    smoothing = ""
    if metric.epsilon or metric.epsilon_share:
        smoothing = " + ε"
    above, below = ("b", "g") if metric.better is Direction.LOWER else ("g", "b")
    tolerance = f" / (1 − {metric.tolerance:g})" if metric.tolerance else ""
    ratio = f"({above}{smoothing}) / ({below}{smoothing})" if smoothing else f"{above} / {below}"
    match metric.scoring:
        case Scoring.VALUE:
            text = f"min(1, {ratio}{tolerance})"
        case Scoring.PARTS:
            text = f"mean over the workloads of min(1, {ratio}{tolerance}), 0 where the result is wrong"
        case Scoring.SATURATING:
            text = "r / (1 + r), r = g / b"
        case Scoring.SHARE:
            text = "g itself"
    if metric.credible:
        text += " × c"
    if smoothing:
        least = quantity(metric.epsilon, metric.unit)
        share = f" or {100 * metric.epsilon_share:g} % of b, whichever is more" if metric.epsilon_share else ""
        text += f", ε = {least}{share}"
    return text
