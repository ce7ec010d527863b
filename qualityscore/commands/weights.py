"""`qualityscore weights`: judgements, weights and their consistency; how much a ranking owes to them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from qualityscore.commands.output import add_json_option, check_writable, is_stdout, seed, whole_number, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qualityscore.commands.result_sets import ResultSet
    from qualityscore.core.leaderboard import Result
    from qualityscore.core.profile import Profile
    from qualityscore.core.sensitivity import Sensitivity

DEFAULT_SEED = 20240229
_LABELS_NAMED = 10


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "weights",
        help="show a profile's judgements and weights, and what a ranking owes to them",
        description="Without --sensitivity: every matrix with its weights, λmax, CI and CR. With it: how often each "
        "rank holds when every judgement varies within one step of Saaty's scale and under all weights, the smallest "
        "change of one judgement that gives the first place to another label, and the effect of each judgement.",
    )
    parser.add_argument(
        "--profile",
        metavar="NAME_OR_PATH",
        help="a bundled profile or a TOML file; default: that of the results, or reference",
    )
    parser.add_argument("--sensitivity", nargs="+", metavar="RESULTS", help="reports, folders, a RAL-Bench artifact")
    parser.add_argument(
        "--draws",
        type=whole_number(least=1, most=1_000_000),
        default=10_000,
        metavar="N",
        help="Monte Carlo draws (default 10000; at most a million, which take about a minute)",
    )
    parser.add_argument("--seed", type=seed, default=DEFAULT_SEED, help="seed of the draws")
    parser.add_argument(
        "--toml",
        action="store_true",
        help="print the profile as the TOML file that it is: a copy to begin one's own with",
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Weigh, and where results are given vary the weights."""
    import json  # noqa: PLC0415

    from qualityscore.errors import UsageError  # noqa: PLC0415
    from qualityscore.runtime.documents import load_profile, profile_text  # noqa: PLC0415

    check_writable(arguments.json)
    if arguments.toml:
        if arguments.json or arguments.sensitivity:
            raise UsageError("--toml prints the profile alone; leave out --json and --sensitivity.")
        load_profile(arguments.profile or "reference")
        sys.stdout.write(profile_text(arguments.profile or "reference"))
        return 0
    found = None
    if arguments.sensitivity:
        from qualityscore.commands.result_sets import load_results  # noqa: PLC0415

        found = load_results(arguments.sensitivity)
        for name, differing in sorted(found.refused.items()):
            sys.stderr.write(f"note: {name} is left out, since {differing} differs between the results\n")
    profile = load_profile(arguments.profile or (found.profile if found else "") or "reference")
    document = _document(profile)
    text = _text(profile)
    if found is not None:
        analysis = _analyse(arguments, profile, found)
        document["sensitivity"] = {**_plain(analysis), "seed": arguments.seed}
        text = _sensitivity_text(analysis, profile)
    if arguments.json:
        write(arguments.json, json.dumps(document, indent=2, sort_keys=True) + "\n")
    if not is_stdout(arguments.json):
        sys.stdout.write(text)
    return 0


def _document(profile: Profile) -> dict[str, Any]:
    from dataclasses import asdict  # noqa: PLC0415

    from qualityscore.core.ahp import weigh  # noqa: PLC0415
    from qualityscore.core.profile import comparisons_of  # noqa: PLC0415

    def one(names: list[str], matrix: Any) -> dict[str, Any]:
        judged = asdict(weigh(matrix, names))
        return {
            "names": names,
            "matrix": [list(row) for row in matrix],
            "comparisons": list(comparisons_of(matrix, names)),
            **judged,
            "weights": dict(zip(names, judged["weights"], strict=True)),
        }

    return {
        "schema_version": "1.0",
        "kind": "weights",
        "profile": profile.name,
        "profile_digest": profile.digest,
        "dimensions": one([d.id for d in profile.dimensions], profile.matrix),
        "measures": {d.id: one([m.id for m in d.metrics], d.matrix) for d in profile.dimensions},
    }


def _text(profile: Profile) -> str:
    from qualityscore.commands.terminal import terminal_width  # noqa: PLC0415
    from qualityscore.core.ahp import judgement_text, weigh  # noqa: PLC0415
    from qualityscore.reports.tables import number, terminal  # noqa: PLC0415

    def one(title: str, names: list[str], matrix: Any) -> str:
        judged = weigh(matrix, names)
        rows = [
            [name, *(judgement_text(value) for value in row), number(weight)]
            for name, row, weight in zip(names, matrix, judged.weights, strict=True)
        ]
        table = terminal([title, *names, "weight"], rows, width=terminal_width())
        return f"{table}λmax {judged.lambda_max:.4f}  CI {judged.ci:.4f}  CR {judged.cr:.4f}\n"

    blocks = [one(f"profile {profile.name}", [d.id for d in profile.dimensions], profile.matrix)]
    blocks += [one(d.id, [m.id for m in d.metrics], d.matrix) for d in profile.dimensions if len(d.metrics) > 1]
    return "\n".join(blocks)


def _analyse(arguments: argparse.Namespace, profile: Profile, found: ResultSet) -> Sensitivity:
    import numpy as np  # noqa: PLC0415

    from qualityscore.commands.result_sets import some  # noqa: PLC0415
    from qualityscore.core.sensitivity import analyse, cells_of  # noqa: PLC0415
    from qualityscore.errors import ReportError  # noqa: PLC0415
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415

    names = [d.id for d in profile.dimensions]
    held = {name for result in found.results for name in result.dimensions}
    held.update(name for _, report in found.reports for name in report.dimensions)
    if unknown := [name for name in names if name not in held]:
        raise ReportError(
            f'Profile "{profile.name}" weighs {", ".join(unknown)}, which the results do not hold '
            f"(they hold {', '.join(sorted(held))}); give a profile of their dimensions, or evaluate again under it."
        )
    cells, left_out = cells_of(found.results, names, found.tasks)
    if not cells:
        raise ReportError(
            "No result has a measured score in every dimension of the profile; there is nothing to rank. "
            f"Missing: {_missing(left_out, names)}."
        )
    if left_out:
        absent = sorted({result.label for result in left_out} - cells.keys())
        gone = f"; nothing is left of {some([inert(label) for label in absent])}" if absent else ""
        sys.stderr.write(
            f"note: results without a score in every dimension are left out ({len(left_out)} in all: "
            f"{_missing(left_out, names)}){gone}\n"
        )
    return analyse(profile.matrix, names, cells, draws=arguments.draws, rng=np.random.default_rng(arguments.seed))


def _missing(left_out: Sequence[Result], names: Sequence[str]) -> str:
    """The labels with what each lacks."""
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415

    lacking: dict[str, set[str]] = {}
    for result in left_out:
        unmeasured = {name for name in names if name in result.dimensions and result.dimensions[name] is None}
        lacking.setdefault(result.label, set()).update(unmeasured or names)
    said = [f"{inert(label)} lacks {', '.join(n for n in names if n in lacks)}" for label, lacks in lacking.items()]
    return "; ".join(said[:_LABELS_NAMED]) + (
        f"; and {len(said) - _LABELS_NAMED} labels more" if len(said) > _LABELS_NAMED else ""
    )


def _plain(analysis: Sensitivity) -> dict[str, Any]:
    from dataclasses import asdict  # noqa: PLC0415

    return asdict(analysis)


def _sensitivity_text(analysis: Sensitivity, profile: Profile) -> str:
    from qualityscore.commands.terminal import terminal_width  # noqa: PLC0415
    from qualityscore.core.ahp import judgement_text  # noqa: PLC0415
    from qualityscore.reports.plain_text import inert  # noqa: PLC0415
    from qualityscore.reports.tables import number, percent, terminal  # noqa: PLC0415

    def signed(change: float | None) -> str:
        return "–" if change is None else f"{change:+.4f}"

    width = terminal_width()
    labels = sorted(analysis.scores, key=lambda label: (-analysis.scores[label], label))
    places = [str(rank) for rank in range(1, len(labels) + 1)]
    text = ""
    for title, acceptability in (
        ("how often each rank holds, per cent, when every judgement varies by one step", analysis.within_a_step),
        ("the same under all weights", analysis.all_weights),
    ):
        if acceptability.shares is None:
            text += f"{title}: not available, since {acceptability.reason}.\n\n"
            continue
        shares = acceptability.shares
        rows = [[label, number(analysis.scores[label]), *(percent(s, 1) for s in shares[label])] for label in labels]
        text += terminal(["label", "NF", *places], rows, width=width, title=title)
        text += f"{acceptability.draws} draws\n\n"
    text += f"{analysis.rejected} draws had a CR of 0.1 or more and were left out.\n\n"
    if len(labels) == 1:
        text += "Only one label: there is no first place that could change, and no lead.\n\n"
    elif analysis.flip is None:
        text += "No change of a single judgement within Saaty's scale changes the first place.\n\n"
    else:
        flip = analysis.flip
        text += (
            f"The first place goes from {inert(flip.leader)} to {inert(flip.new_leader)} when {flip.first} over "
            f"{flip.second} is {judgement_text(flip.changed)} instead of "
            f"{judgement_text(flip.judgement)} (CR {flip.cr:.3f}).\n\n"
        )
    rows = [
        [
            f"{e.first} over {e.second}",
            judgement_text(e.judgement),
            judgement_text(e.down),
            number(e.largest_change_down),
            signed(e.margin_change_down),
            judgement_text(e.up),
            number(e.largest_change_up),
            signed(e.margin_change_up),
        ]
        for e in analysis.effects
    ]
    columns = ["judgement", "now", "step down", "largest |ΔNF|", "Δ lead", "step up", "largest |ΔNF|", "Δ lead"]
    title = f"effect of each judgement of {profile.name}: on the NF of the label that moves most, and on the lead"
    return text + terminal(columns, rows, width=width, title=title)
