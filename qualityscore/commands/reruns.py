"""Reruns that people hand in: a path of results per rerun, or a CSV of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from qualityscore.commands.csv_rows import read_rows
from qualityscore.commands.result_sets import comparable_sets, load_results
from qualityscore.core.leaderboard import Result
from qualityscore.core.stability import Rerun, anything_rerun
from qualityscore.errors import ReportError

_KEYS = ("project", "model", "run")
_SCORES = ("functional", "non_functional")
CSV_SCORES = (*_SCORES, *(f"{name}_score" for name in _SCORES))
"""Columns that rank labels, by our own names and by those of RAL-Bench."""

LARGEST = 1e100
"""What a column may hold, so that sums and squares of it stay finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reruns:
    """All reruns, and the scores that rank labels. `refused` names dimensions that do not compare, and the field.

    `absences` say what rows of batches without a report are taken for.
    """

    reruns: tuple[Rerun, ...]
    scores: tuple[str, ...]
    refused: Mapping[str, str] = field(default_factory=dict)
    absences: tuple[str, ...] = ()


def load_reruns(paths: Sequence[str]) -> Reruns:
    """Read all reruns.

    Raises ReportError for what cannot be read and where nothing was run twice, IncomparableError where provenance
    forbids to compare the runs.
    """
    tables = [path for path in paths if Path(path).suffix.lower() == ".csv"]
    if tables and len(tables) != len(paths):
        raise ReportError("Reruns are either CSV files or one path of results per rerun; give only one kind.")
    found = _tables(tables) if tables else _results(paths)
    if len({rerun.run for rerun in found.reruns}) < 2:
        raise ReportError(f"There is only one run in {', '.join(paths)}; give at least two.")
    if not anything_rerun(found.reruns):
        raise ReportError(
            "Nothing was run again: no label has the same task in two runs; give reruns of the same labels and tasks."
        )
    return found


def _results(paths: Sequence[str]) -> Reruns:
    if len(paths) < 2:
        raise ReportError("There is only one rerun; give one path of results per rerun, at least two.")
    sets, refused = comparable_sets([load_results([path]) for path in paths])
    reruns = [
        _rerun(result, f"{number} ({path})", raw, refused)
        for number, (path, found) in enumerate(zip(paths, sets, strict=True), start=1)
        for result, raw in zip(found.results, found.raw, strict=True)
    ]
    absences = tuple(f"{path}, {said}" for path, found in zip(paths, sets, strict=True) for said in found.absences)
    return Reruns(reruns=tuple(reruns), scores=_SCORES, refused=refused, absences=absences)


def _rerun(result: Result, run: str, raw: Mapping[str, Mapping[str, float]], refused: Mapping[str, str]) -> Rerun:
    scores = {
        "functional": result.functional,
        "non_functional": result.non_functional,
        "credibility": result.credibility,
        **result.dimensions,
    }
    values = {name: score for name, score in scores.items() if score is not None}
    for dimension, measures in raw.items():
        values |= measures if dimension not in refused else {}
    return Rerun(label=result.label, task=result.task, run=run, sample=result.sample, values=values)


def _tables(paths: Sequence[str]) -> Reruns:
    reruns: list[Rerun] = []
    columns: dict[str, None] = {}
    once: dict[tuple[str, str, str], str] = {}
    for path in paths:
        begun = len(reruns)
        for where, row in _rows(path):
            identity = (row["project"], row["model"], row["run"])
            if identity in once:
                raise ReportError(
                    f"{where}: run {row['run']} of {row['model']} on {row['project']} is already in {once[identity]}; "
                    "leave one out, or give it another run."
                )
            once[identity] = where
            columns.update(dict.fromkeys(name for name in row if name not in _KEYS))
            reruns.append(_row(row, where))
        if len(reruns) == begun:
            raise ReportError(f"The reruns in {path} have no line.")
    if not columns:
        raise ReportError(
            f"The reruns in {', '.join(paths)} have no column besides {', '.join(_KEYS)}; "
            "add one for each score or measure."
        )
    return Reruns(reruns=tuple(reruns), scores=tuple(name for name in CSV_SCORES if name in columns))


def _rows(path: str) -> Iterator[tuple[str, dict[str, str]]]:
    for line, row in read_rows(path, "reruns", _KEYS):
        for key in _KEYS:
            if not row[key].strip():
                raise ReportError(f"{path}:{line}: column {key} is empty; every row names its project, model and run.")
        yield f"{path}:{line}", row


def _row(row: dict[str, str], where: str) -> Rerun:
    values: dict[str, float] = {}
    for name, text in row.items():
        if name in _KEYS or not text:
            continue
        try:
            values[name] = float(text)
        except ValueError:
            values[name] = math.nan
        if not abs(values[name]) <= LARGEST:
            raise ReportError(
                f'{where}: "{text}" in column {name} is not a number up to {LARGEST:g}; every column besides '
                f"{', '.join(_KEYS)} holds numbers, so correct the cell or leave the column out."
            )
    return Rerun(label=row["model"], task=row["project"], run=row["run"], values=values)
