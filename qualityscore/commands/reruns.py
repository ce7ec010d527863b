"""Reruns that people hand in: a path of results per rerun, or a CSV of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from qualityscore.commands.csv_rows import read_rows
from qualityscore.commands.result_sets import load_results
from qualityscore.core.leaderboard import Result
from qualityscore.core.stability import Rerun
from qualityscore.errors import ReportError
from qualityscore.model.report import Report

_KEYS = ("project", "model", "run")
_CSV_SCORES = ("functional_score", "non_functional_score")
_SCORES = ("functional", "non_functional")

LARGEST = 1e100
"""What a column may hold, so that sums and squares of it stay finite."""


def load_reruns(paths: Sequence[str]) -> tuple[tuple[Rerun, ...], tuple[str, ...]]:
    """All reruns, and the names of the scores that rank labels. Raises ReportError for what cannot be read."""
    tables = [path for path in paths if Path(path).suffix == ".csv"]
    if tables and len(tables) != len(paths):
        raise ReportError("Reruns are either CSV files or one path of results per rerun; give only one kind.")
    if tables:
        return tuple(rerun for path in tables for rerun in _read_table(path)), _CSV_SCORES
    if len(paths) < 2:
        raise ReportError("There is only one rerun; give one path of results per rerun, at least two.")
    reruns: list[Rerun] = []
    for number, path in enumerate(paths, start=1):
        found = load_results([path])
        measured = [_raw_measures(report) for _, report in found.reports]
        measured += [{}] * (len(found.results) - len(measured))
        reruns += [
            _rerun(result, f"{number} ({path})", raw) for result, raw in zip(found.results, measured, strict=True)
        ]
    return tuple(reruns), _SCORES


def _rerun(result: Result, run: str, raw: dict[str, float]) -> Rerun:
    scores = {
        "functional": result.functional,
        "non_functional": result.non_functional,
        "credibility": result.credibility,
        **result.dimensions,
    }
    values = {name: value for name, value in scores.items() if value is not None}
    return Rerun(label=result.label, task=result.task, run=run, values=values | raw)


def _raw_measures(report: Report) -> dict[str, float]:
    return {
        measure.id: measure.value
        for dimension in report.dimensions.values()
        for measure in dimension.measures
        if measure.value is not None
    }


def _read_table(path: str) -> list[Rerun]:
    rows = [_row(row, path, line) for line, row in read_rows(path, "reruns", _KEYS)]
    if not rows:
        raise ReportError(f"The reruns in {path} have no line.")
    return rows


def _row(row: dict[str, str], path: str, line: int) -> Rerun:
    values: dict[str, float] = {}
    for name, text in row.items():
        if name in _KEYS or not text:
            continue
        try:
            values[name] = float(text)
        except ValueError:
            values[name] = math.nan
        if not abs(values[name]) <= LARGEST:
            raise ReportError(f'{path}:{line}: "{text}" in column {name} is not a number up to {LARGEST:g}.')
    return Rerun(label=row["model"], task=row["project"], run=row["run"], values=values)
