"""How much scores and raw measures vary over full reruns of the same subject on the same task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """One run of one label on one task. `values` are scores and raw measures by name, without what has no value."""

    label: str
    task: str
    run: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The spread of one quantity: population SD and CV over the reruns of a task, then median and 95th percentile.

    Percentiles interpolate linearly. A CV is 0 where a task's values are all 0, and not defined (left out) where they
    differ around a mean of 0.
    """

    quantity: str
    tasks: int
    sd_median: float
    sd_p95: float
    cv_median: float | None
    cv_p95: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderChange:
    """Two labels whose order by one quantity is not the same in all reruns.

    `first_ahead`, `second_ahead` and `tied` are the runs in which each holds.
    """

    quantity: str
    first: str
    second: str
    first_ahead: tuple[str, ...]
    second_ahead: tuple[str, ...]
    tied: tuple[str, ...]


def spreads(reruns: Sequence[Rerun]) -> tuple[Spread, ...]:
    """The spread of every quantity over (label, task) pairs with at least two runs that have it."""
    values: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for rerun in reruns:
        for quantity, value in rerun.values.items():
            values[quantity][rerun.label, rerun.task].append(value)
    found = []
    for quantity, by_task in values.items():
        samples = [np.asarray(v) for v in by_task.values() if len(v) > 1]
        if not samples:
            continue
        deviations = [float(s.std()) for s in samples]
        coefficients = [
            c for s, d in zip(samples, deviations, strict=True) if (c := _cv(float(s.mean()), d)) is not None
        ]
        found.append(
            Spread(
                quantity=quantity,
                tasks=len(samples),
                sd_median=float(np.median(deviations)),
                sd_p95=float(np.percentile(deviations, 95)),
                cv_median=float(np.median(coefficients)) if coefficients else None,
                cv_p95=float(np.percentile(coefficients, 95)) if coefficients else None,
            )
        )
    return tuple(found)


def order_changes(reruns: Sequence[Rerun], quantities: Sequence[str]) -> tuple[OrderChange, ...]:
    """The pairs of labels whose order, by the mean over all tasks (a missing one is 0), changes between runs.

    Only runs that hold both labels are looked at.
    """
    tasks = {rerun.task for rerun in reruns}
    changes = []
    for quantity in quantities:
        totals: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for rerun in reruns:
            totals[rerun.run][rerun.label] += rerun.values.get(quantity, 0.0) / len(tasks)
        for first, second in combinations(sorted({rerun.label for rerun in reruns}), 2):
            runs = {run: t[first] - t[second] for run, t in totals.items() if first in t and second in t}
            ahead = tuple(sorted(run for run, d in runs.items() if d > 0))
            behind = tuple(sorted(run for run, d in runs.items() if d < 0))
            tied = tuple(sorted(run for run, d in runs.items() if d == 0))
            if sum(map(bool, (ahead, behind, tied))) > 1:
                changes.append(
                    OrderChange(
                        quantity=quantity,
                        first=first,
                        second=second,
                        first_ahead=ahead,
                        second_ahead=behind,
                        tied=tied,
                    )
                )
    return tuple(changes)


def _cv(mean: float, deviation: float) -> float | None:
    if mean == 0:
        return 0.0 if deviation == 0 else None
    return deviation / abs(mean)
