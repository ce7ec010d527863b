"""Degradation matrix: each dimension of each task's reference made worse in three grades, the others left alone.

    python tests/bench/bench_degradation.py [TASK ...]

Prints the matrix and leaves with status 1 where the degraded dimension does not fall from grade to grade, another moves
by more than 0.02 from the reference's own evaluation, or NF does not fall. Memory stays below the 256 MiB that probes
allow an entry above the reference: who holds more fails probes as well, and robustness rightly falls with it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import qualityscore
from qualityscore.defects.degradations import complicate, endanger, hoard, make_brittle, slow_down
from qualityscore.model.report import DIMENSIONS, Report
from qualityscore.reports.tables import terminal
from qualityscore.runtime import reference, tasks
from qualityscore.runtime.cache import cache_root

MOST_OF_THE_OTHERS = 0.02

Change = Callable[[str], str]
Changes = Mapping[str, Change]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A function of a reference, by its file and its dotted name there."""

    path: str
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where a reference is degraded.

    `complicated` is a function that tests enter but workloads seldom do; its file gets the findings. Every workload
    works in some of `worked`, which says how many loop turns in each call are about a tenth of a workload's cost, and
    calls some of `hoarding`; neither runs while modules are imported, and what loads several files of `hoarding` calls
    one of them only, since each takes memory of its own (`mebibytes`: less where the modules themselves take much of
    what probes allow). Probes give the `brittle` functions wrong arguments.
    """

    complicated: Place
    worked: Mapping[Place, int]
    hoarding: tuple[Place, ...]
    brittle: tuple[Place, ...]
    mebibytes: tuple[int, int, int] = (20, 60, 200)


def within(path: str, *functions: str) -> tuple[Place, ...]:
    """Several functions of one file."""
    return tuple(Place(path=path, function=function) for function in functions)


def at(path: str, function: str) -> Place:
    """One function."""
    return Place(path=path, function=function)


PLACES = {
    "bottle": Places(
        complicated=at("bottle.py", "static_file"),
        worked={at("bottle.py", "_hkey"): 40, at("bottle.py", "MultiDict.append"): 6},
        hoarding=within("bottle.py", "Bottle.wsgi"),
        brittle=within(
            "bottle.py",
            "Bottle.route.decorator",
            "Bottle.install",
            "Router._itertokens",
            "Bottle.mount",
            "MultiDict.getall",
        ),
    ),
    "cachetools": Places(
        complicated=at("src/cachetools/__init__.py", "Cache.__init__"),
        worked={at("src/cachetools/__init__.py", "Cache.__setitem__"): 10},
        hoarding=within("src/cachetools/__init__.py", "Cache.__init__"),
        brittle=within(
            "src/cachetools/__init__.py",
            "Cache.__init__",
            "Cache.__setitem__",
            "cached",
            "cachedmethod",
            "TLRUCache.__init__",
        ),
    ),
    "click": Places(
        complicated=at("src/click/termui.py", "prompt"),
        worked={
            at("src/click/parser.py", "_normalize_opt"): 60,
            at("src/click/core.py", "Context.__enter__"): 90,
            at("src/click/_compat.py", "strip_ansi"): 15,
            at("src/click/utils.py", "echo"): 25,
        },
        hoarding=(at("src/click/core.py", "Command.make_context"), at("src/click/termui.py", "style")),
        brittle=(
            at("src/click/core.py", "Context.find_object"),
            at("src/click/decorators.py", "command.decorator"),
            at("src/click/types.py", "FuncParamType.__init__"),
            at("src/click/exceptions.py", "NoSuchCommand.__init__"),
            at("src/click/core.py", "Context.invoke"),
        ),
    ),
    "humanize": Places(
        complicated=at("src/humanize/time.py", "naturaldate"),
        worked={
            at("src/humanize/i18n.py", "get_translation"): 30,
            at("src/humanize/number.py", "fractional"): 90,
            at("src/humanize/lists.py", "natural_list"): 40000,
        },
        hoarding=(
            at("src/humanize/i18n.py", "get_translation"),
            at("src/humanize/number.py", "fractional"),
            at("src/humanize/lists.py", "natural_list"),
        ),
        brittle=(
            at("src/humanize/filesize.py", "naturalsize"),
            at("src/humanize/lists.py", "natural_list"),
            at("src/humanize/time.py", "naturalday"),
            at("src/humanize/time.py", "naturaldelta"),
            at("src/humanize/time.py", "precisedelta"),
        ),
    ),
    "markdown": Places(
        complicated=at("markdown/core.py", "Markdown.convertFile"),
        worked={at("markdown/treeprocessors.py", "InlineProcessor.__handleInline"): 200},
        hoarding=within("markdown/core.py", "Markdown.convert"),
        brittle=(
            at("markdown/core.py", "Markdown.set_output_format"),
            at("markdown/extensions/toc.py", "slugify"),
            at("markdown/core.py", "Markdown.registerExtensions"),
            at("markdown/core.py", "Markdown.convertFile"),
            at("markdown/util.py", "Registry.register"),
        ),
    ),
    "petl": Places(
        complicated=at("petl/util/lookups.py", "lookupone"),
        worked={at("petl/util/base.py", "Record.__getattr__"): 40, at("petl/comparison.py", "Comparable.__init__"): 12},
        hoarding=within("petl/util/base.py", "asindices"),
        brittle=(
            at("petl/util/base.py", "header"),
            at("petl/transform/sorts.py", "SortView._iternocache"),
            at("petl/util/base.py", "asindices"),
            at("petl/transform/basics.py", "iterrowslice"),
            at("petl/transform/selects.py", "iterrowselect"),
        ),
    ),
    "pyjwt": Places(
        complicated=at("jwt/api_jwt.py", "PyJWT._validate_iat"),
        worked={at("jwt/utils.py", "base64url_encode"): 50},
        hoarding=within("jwt/algorithms.py", "HMACAlgorithm.prepare_key"),
        brittle=(
            at("jwt/api_jwk.py", "PyJWK.__init__"),
            at("jwt/utils.py", "force_bytes"),
            at("jwt/api_jwt.py", "PyJWT._encode_payload"),
            at("jwt/api_jws.py", "PyJWS.encode"),
            at("jwt/api_jwk.py", "PyJWKSet.from_json"),
        ),
    ),
    "python-slugify": Places(
        complicated=at("slugify/slugify.py", "_decode_entities"),
        worked={at("slugify/slugify.py", "slugify"): 200},
        hoarding=within("slugify/slugify.py", "slugify"),
        brittle=(
            at("slugify/_legacy.py", "smart_truncate"),
            at("slugify/slugify.py", "_modern_slugify"),
            at("slugify/slugify.py", "slugify"),
        ),
    ),
    "stegano": Places(
        complicated=at("stegano/wav/wav.py", "hide"),
        worked={
            at("stegano/tools.py", "Hider.encode_pixel"): 25,
            at("stegano/rdh/histogram_shifting.py", "_flatten"): 3000,
            at("stegano/lsb/generators.py", "triangular_numbers"): 60000,
        },
        hoarding=(at("stegano/tools.py", "open_image"), at("stegano/lsb/generators.py", "triangular_numbers")),
        brittle=(
            at("stegano/tools.py", "open_image"),
            at("stegano/lsb/generators.py", "ackermann_fast"),
            at("stegano/wav/wav.py", "hide"),
            at("stegano/wav/wav.py", "reveal"),
            at("stegano/exifHeader/exifHeader.py", "hide"),
        ),
        mebibytes=(2, 5, 12),
    ),
    "tinydb": Places(
        complicated=at("tinydb/storages.py", "JSONStorage.read"),
        worked={at("tinydb/table.py", "Document.__init__"): 30},
        hoarding=within("tinydb/database.py", "TinyDB.__init__"),
        brittle=within(
            "tinydb/operations.py",
            "decrement.transform",
            "delete.transform",
            "subtract.transform",
            "increment.transform",
            "set.transform",
        ),
    ),
    "watchdog": Places(
        complicated=at("src/watchdog/events.py", "generate_sub_moved_events"),
        worked={
            at("src/watchdog/utils/dirsnapshot.py", "DirectorySnapshot.inode"): 12,
            at("src/watchdog/utils/dirsnapshot.py", "DirectorySnapshot.__init__"): 20000,
            at("src/watchdog/utils/patterns.py", "_full_match"): 65,
        },
        hoarding=(
            at("src/watchdog/utils/dirsnapshot.py", "DirectorySnapshot.__init__"),
            at("src/watchdog/utils/patterns.py", "_match_path"),
        ),
        brittle=(
            at("src/watchdog/utils/dirsnapshot.py", "DirectorySnapshot.path"),
            at("src/watchdog/events.py", "generate_sub_moved_events"),
            at("src/watchdog/observers/api.py", "ObservedWatch.__init__"),
            at("src/watchdog/utils/patterns.py", "filter_paths"),
            at("src/watchdog/utils/dirsnapshot.py", "DirectorySnapshot.__init__"),
        ),
    ),
    "xmltodict": Places(
        complicated=at("xmltodict.py", "unparse"),
        worked={at("xmltodict.py", "_DictSAXHandler.startElement"): 10},
        hoarding=within("xmltodict.py", "parse"),
        brittle=within("xmltodict.py", "_DictSAXHandler.__init__", "parse", "unparse"),
    ),
}


def main(names: list[str]) -> int:
    """Evaluate everything; the exit code."""
    failures = [failure for name in names or list(PLACES) for failure in matrix(name)]
    for failure in failures:
        sys.stdout.write(f"FAILED {failure}\n")
    return 1 if failures else 0


def matrix(name: str) -> Iterator[str]:
    """Print one task's matrix; gives what does not hold."""
    places = PLACES[name]
    source = reference.fetch(tasks.load_task(name), cache_root())
    base = evaluate(source, name, {})
    rows = [row("reference", base)]
    for dimension, grades in degradations(places).items():
        before = base
        for title, changes in grades:
            report = evaluate(source, name, changes)
            rows.append(row(f"{dimension}: {title}", report))
            yield from broken(f"{name}, {dimension}, {title}", dimension, base, before, report)
            before = report
    sys.stdout.write(terminal(["degraded", *DIMENSIONS, "NF"], rows, title=name) + "\n")


def degradations(places: Places) -> dict[str, list[tuple[str, Changes]]]:
    """Three graded changes for each dimension."""
    complicated, count = places.complicated, len(places.brittle)
    return {
        "maintainability": [
            (f"complexity + {n}", changes((complicated,), lambda text, place, n=n: complicate(text, place.function, n)))
            for n in (30, 60, 120)
        ],
        "security": [
            (f"{n} high findings", {complicated.path: lambda text, n=n: endanger(text, n)}) for n in (1, 3, 10)
        ],
        "robustness": [
            (
                f"{n} brittle functions",
                changes(places.brittle[:n], lambda text, place: make_brittle(text, (place.function,))),
            )
            for n in sorted({1, (count + 1) // 2, count})
        ],
        "efficiency": [
            (
                f"work + {tenths * 10} %",
                changes(
                    places.worked,
                    lambda text, place, n=tenths: slow_down(text, place.function, n * places.worked[place]),
                ),
            )
            for tenths in (1, 6, 30)
        ],
        "resource": [
            (f"{n} MiB more", changes(places.hoarding, lambda text, place, n=n: hoard(text, place.function, n)))
            for n in places.mebibytes
        ],
    }


def changes(places: Iterable[Place], change: Callable[[str, Place], str]) -> Changes:
    """A change made at each of the places, by file."""
    files: dict[str, list[Place]] = {}
    for place in places:
        files.setdefault(place.path, []).append(place)
    return {path: lambda text, held=held: reduce(change, held, text) for path, held in files.items()}


def evaluate(source: Path, task: str, changes: Changes) -> Report:
    """Evaluate a copy of the reference with some files changed."""
    with tempfile.TemporaryDirectory(prefix="qualityscore-bench-") as folder:
        root = Path(folder) / "subject"
        shutil.copytree(source, root)
        for path, change in changes.items():
            (root / path).write_text(change((root / path).read_text("utf-8")), "utf-8")
        return qualityscore.evaluate(root, task=task)


def broken(what: str, dimension: str, base: Report, before: Report, report: Report) -> Iterator[str]:
    """What a grade violates."""
    for name in DIMENSIONS:
        now, then = report.dimensions[name].score, base.dimensions[name].score
        if now is None or then is None:
            yield f"{what}: {name} was not measured"
        elif name != dimension and abs(now - then) > MOST_OF_THE_OTHERS:
            yield f"{what}: {name} moved from {then:.3f} to {now:.3f}"
    worse, better = report.dimensions[dimension].score, before.dimensions[dimension].score
    if worse is not None and better is not None and worse >= better:
        yield f"{what}: {dimension} did not fall ({better:.3f} to {worse:.3f})"
    nf, was = report.non_functional.score, base.non_functional.score
    if nf is not None and was is not None and nf >= was:
        yield f"{what}: NF did not fall ({was:.3f} to {nf:.3f})"


def row(title: str, report: Report) -> list[str]:
    """One line of the matrix."""
    scores = [report.dimensions[name].score for name in DIMENSIONS] + [report.non_functional.score]
    return [title, *("–" if score is None else f"{score:.3f}" for score in scores)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
