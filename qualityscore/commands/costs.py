"""Costs of generation, given beside results: a CSV with a column `label`, and columns of numbers."""

from __future__ import annotations

import difflib
import math
from collections import defaultdict
from collections.abc import Collection

from qualityscore.commands.csv_rows import read_rows
from qualityscore.commands.result_sets import some
from qualityscore.errors import ReportError

_NOT_COSTS = ("label", "task", "sample")

LARGEST = 1e100
"""What a column may hold, so that sums and squares of it stay finite."""


def read_costs(path: str, labels: Collection[str]) -> dict[str, dict[str, float]]:
    """The mean of each numeric column over the lines of a label; an empty cell counts nowhere.

    `labels` are those of the results. Raises ReportError, naming file and line, for a row of any other label.
    """
    cells: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line, row in read_rows(path, "costs", ("label",)):
        label = row["label"]
        if label not in labels:
            near = difflib.get_close_matches(label, labels, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the labels are {some(sorted(labels))}."
            raise ReportError(f"{path}:{line}: no result has the label {label!r}; {hint}")
        for name, text in row.items():
            if name not in _NOT_COSTS and text:
                cells[label][name].append(_number(text, path, line, name))
    return {label: {name: math.fsum(v) / len(v) for name, v in columns.items()} for label, columns in cells.items()}


def _number(text: str, path: str, line: int, column: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST:
        raise ReportError(
            f'{path}:{line}: "{text}" in column {column} is not a number up to {LARGEST:g}; every column besides '
            f"{', '.join(_NOT_COSTS)} holds numbers, so correct the cell or leave the column out."
        )
    return value
