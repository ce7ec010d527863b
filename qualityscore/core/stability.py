"""How much scores and raw measures vary over full reruns of the same subject on the same task."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """One run of one label on one task, of one sample where there are several, each once.

    `values` are scores and raw measures by name, without what has no value.
    """

    label: str
    task: str
    run: str
    values: Mapping[str, float]
    sample: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The spread of one quantity: population SD and CV over the reruns of a task, then median and 95th percentile.

    `pairs` counts the pairs of label and task with the quantity in at least two runs. Percentiles interpolate linearly.
    A CV is 0 where a pair's values are all the same, 0 included, and not defined (left out) where they differ around a
    mean of 0; `cv_pairs` counts those that have one.
    """

    quantity: str
    pairs: int
    sd_median: float
    sd_p95: float
    cv_pairs: int
    cv_median: float | None
    cv_p95: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The order of two labels by the mean of one quantity over `tasks`, in every run that holds both.

    `first_ahead`, `second_ahead` and `tied` are the runs in which each holds; none where no task is left. `left_out`
    counts tasks for which one of them lacks the quantity in one of the runs.
    """

    quantity: str
    first: str
    second: str
    first_ahead: tuple[str, ...]
    second_ahead: tuple[str, ...]
    tied: tuple[str, ...]
    tasks: int
    left_out: int

    @property
    def compared(self) -> bool:
        """Whether there are two runs to compare."""
        return len(self.first_ahead) + len(self.second_ahead) + len(self.tied) > 1

    @property
    def changes(self) -> bool:
        """Whether it is not the same in all runs."""
        return sum(map(bool, (self.first_ahead, self.second_ahead, self.tied))) > 1


@dataclass(frozen=True, slots=True)
class _Cell:
    """One label on one task, by run."""

    runs: dict[str, list[Rerun]] = field(default_factory=lambda: defaultdict(list))

    def values(self, quantity: str) -> dict[str, float]:
        """By run, the mean over the samples that all runs have measured; without the runs that have measured none."""
        held = {
            run: {one.sample: one.values[quantity] for one in reruns if quantity in one.values}
            for run, reruns in self.runs.items()
        }
        measured = {run: samples for run, samples in held.items() if samples}
        shared = set.intersection(*map(set, measured.values())) if measured else set()
        if not shared:
            return {}
        return {run: math.fsum(samples[number] for number in shared) / len(shared) for run, samples in measured.items()}


def anything_rerun(reruns: Iterable[Rerun]) -> bool:
    """Whether some label has the same task in two runs."""
    return any(len(cell.runs) > 1 for cell in _cells(reruns).values())


def without_shared_samples(reruns: Sequence[Rerun]) -> tuple[tuple[str, str], ...]:
    """The pairs of label and task that several runs have, but whose samples are in no case in all of these runs."""
    return tuple(
        pair
        for pair, cell in _cells(reruns).items()
        if len(cell.runs) > 1
        and not set.intersection(*({rerun.sample for rerun in samples} for samples in cell.runs.values()))
    )


def spreads(reruns: Sequence[Rerun]) -> tuple[Spread, ...]:
    """The spread of every quantity over the pairs of label and task that have it in two runs; samples are averaged."""
    cells = _cells(reruns)
    found = []
    for quantity in dict.fromkeys(name for rerun in reruns for name in rerun.values):
        pairs = [np.array(list(values.values())) for cell in cells.values() if len(values := cell.values(quantity)) > 1]
        if not pairs:
            continue
        deviations = [float(values.std()) for values in pairs]
        coefficients = [
            c for values, sd in zip(pairs, deviations, strict=True) if (c := _cv(float(values.mean()), sd)) is not None
        ]
        found.append(
            Spread(
                quantity=quantity,
                pairs=len(pairs),
                sd_median=float(np.median(deviations)),
                sd_p95=float(np.percentile(deviations, 95)),
                cv_pairs=len(coefficients),
                cv_median=float(np.median(coefficients)) if coefficients else None,
                cv_p95=float(np.percentile(coefficients, 95)) if coefficients else None,
            )
        )
    return tuple(found)


def orders(reruns: Sequence[Rerun], quantities: Sequence[str]) -> Iterator[Order]:
    """The order of each two labels by the mean over tasks, run by run.

    A task that a label has in no run counts 0 for it, as in a leaderboard. One for which a label lacks the quantity in
    one of the runs was not measured there: it is left out of every run's mean of both labels.
    """
    tasks = sorted({rerun.task for rerun in reruns})
    labels = sorted({rerun.label for rerun in reruns})
    cells = _cells(reruns)
    runs = {label: {rerun.run for rerun in reruns if rerun.label == label} for label in labels}
    for quantity in quantities:
        values = {pair: cell.values(quantity) for pair, cell in cells.items()}
        for first, second in combinations(labels, 2):
            shared = sorted(runs[first] & runs[second])
            sides = [
                [values.get((label, task), dict.fromkeys(shared, 0.0)) for task in tasks] for label in (first, second)
            ]
            yield _order(quantity, first, second, shared, list(zip(*sides, strict=True)))


def _order(
    quantity: str,
    first: str,
    second: str,
    runs: Sequence[str],
    tasks: Sequence[tuple[Mapping[str, float], ...]],
) -> Order:
    """`tasks` holds the values of both labels by run, for each task."""
    kept = [pair for pair in tasks if all(run in side for side in pair for run in runs)]
    where: dict[int, list[str]] = {1: [], -1: [], 0: []}
    for run in runs if kept else ():
        a, b = (math.fsum(pair[side][run] for pair in kept) / len(kept) for side in (0, 1))
        where[0 if math.isclose(a, b, rel_tol=_ROUNDING, abs_tol=_ROUNDING) else 1 if a > b else -1].append(run)
    return Order(
        quantity=quantity,
        first=first,
        second=second,
        first_ahead=tuple(where[1]),
        second_ahead=tuple(where[-1]),
        tied=tuple(where[0]),
        tasks=len(kept),
        left_out=len(tasks) - len(kept),
    )


def _cells(reruns: Iterable[Rerun]) -> dict[tuple[str, str], _Cell]:
    cells: dict[tuple[str, str], _Cell] = defaultdict(_Cell)
    for rerun in reruns:
        cells[rerun.label, rerun.task].runs[rerun.run].append(rerun)
    return dict(cells)


def _cv(mean: float, deviation: float) -> float | None:
    if mean == 0:
        return 0.0 if deviation == 0 else None
    found = deviation / abs(mean)
    return found if math.isfinite(found) else None
