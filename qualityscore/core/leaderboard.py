"""Many results as one table: a row per label (a model), intervals over tasks, and who cannot be told apart."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np

from qualityscore.core.intervals import cluster_interval
from qualityscore.core.paired import holm, sign_flip

Ranking = Literal["functional", "non_functional", "effective"]
SIGNIFICANCE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One evaluated subject. A score is None where it was not measured or left out; that is not 0.

    `dimensions` are scores, without those that do not apply, and `ratios` geometric means of uncapped ratios, by
    dimension. `build`, `test` and `full` are shares (0 or 1 for build and full). `failures` counts by class.
    """

    label: str
    task: str
    sample: int = 0
    functional: float | None = None
    non_functional: float | None = None
    effective: float | None = None
    credibility: float | None = None
    dimensions: Mapping[str, float | None] = field(default_factory=dict)
    ratios: Mapping[str, float | None] = field(default_factory=dict)
    build: float | None = None
    test: float | None = None
    full: float | None = None
    failures: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean over tasks with its 95 % bootstrap interval; `tasks` were averaged, `missing` have no value."""

    value: float | None
    low: float | None
    high: float | None
    tasks: int
    missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One label. Its rank is 1 + the labels with a higher mean; those that share a `rank_group` letter may be equal."""

    label: str
    rank: int
    rank_group: str
    evaluated: int
    expected: int
    functional: Mean
    non_functional: Mean
    effective: Mean
    credibility: Mean
    dimensions: dict[str, Mean]
    build: Mean
    test: Mean
    full: Mean
    failures: dict[str, int]
    costs: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """Rows from the first rank down. `by` is the score that ranks, `tasks` what is expected of each label."""

    rows: tuple[Row, ...]
    by: Ranking
    expected: int
    tasks: tuple[str, ...]


def build_leaderboard(
    results: Sequence[Result],
    *,
    expected: int | None = None,
    by: Ranking = "functional",
    costs: Mapping[str, Mapping[str, float]] | None = None,
    rng: np.random.Generator,
) -> Leaderboard:
    """Average each label's results over the expected tasks.

    Expected are the tasks that any label has, or `expected` where that is more. A task without a result of the label
    counts 0. Repeated samples of a task are averaged first. A result whose score is None is left out of that score's
    mean and counted as missing. Test (F given Build) is over built tasks only.
    """
    tasks = tuple(sorted({result.task for result in results}))
    total = max(len(tasks), expected or 0)
    by_label: dict[str, dict[str, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        by_label[result.label][result.task].append(result)
    dimensions = tuple(dict.fromkeys(name for result in results for name in result.dimensions))
    cells = {label: _cells(by_task, by, tasks, total) for label, by_task in by_label.items()}
    # What has no mean ranks last: a score that nobody measured is not ahead of a measured one.
    means = {label: -1.0 if (m := _average(values)) is None else m for label, values in cells.items()}
    order = sorted(by_label, key=lambda label: (-means[label], label))
    groups = _groups(order, cells, rng)
    rows = tuple(
        _row(
            label,
            by_label[label],
            rank=1 + sum(means[other] > means[label] for other in order),
            rank_group=groups[label],
            expected=total,
            dimensions=dimensions,
            costs=dict((costs or {}).get(label, {})),
            rng=rng,
        )
        for label in order
    )
    return Leaderboard(rows=rows, by=by, expected=total, tasks=tasks)


def _row(
    label: str,
    by_task: Mapping[str, Sequence[Result]],
    *,
    rank: int,
    rank_group: str,
    expected: int,
    dimensions: Sequence[str],
    costs: dict[str, float],
    rng: np.random.Generator,
) -> Row:
    def mean(pick: Callable[[Result], float | None]) -> Mean:
        return _mean([_average([pick(r) for r in samples]) for samples in by_task.values()], expected, rng)

    built = [samples for samples in by_task.values() if not all(r.build == 0 for r in samples)]
    given_build = [_average([r.test for r in samples]) for samples in built]
    failures: Counter[str] = Counter()
    for samples in by_task.values():
        for result in samples:
            failures.update(result.failures)
    return Row(
        label=label,
        rank=rank,
        rank_group=rank_group,
        evaluated=len(by_task),
        expected=expected,
        functional=mean(lambda r: r.functional),
        non_functional=mean(lambda r: r.non_functional),
        effective=mean(lambda r: r.effective),
        credibility=mean(lambda r: r.credibility),
        dimensions={name: mean(partial(_dimension, name)) for name in dimensions},
        build=mean(lambda r: r.build),
        test=_mean(given_build, len(given_build), rng),
        full=mean(lambda r: r.full),
        failures=dict(failures),
        costs=costs,
    )


def _dimension(name: str, result: Result) -> float | None:
    return result.dimensions.get(name)


def letters(order: Sequence[str], told_apart: set[frozenset[str]]) -> dict[str, str]:
    """Letters that two labels share if and only if they are not told apart (insert and absorb, Piepho 2004)."""
    columns: list[set[str]] = [set(order)]
    for pair in (frozenset(p) for p in combinations(order, 2)):
        if pair not in told_apart:
            continue
        for column in [c for c in columns if pair <= c]:
            columns.remove(column)
            for one in pair:
                rest = column - {one}
                if not any(rest <= other for other in columns):
                    columns = [other for other in columns if not other < rest]
                    columns.append(rest)
    columns.sort(key=lambda column: sorted(order.index(label) for label in column))
    return {label: "".join(_letter(i) for i, column in enumerate(columns) if label in column) for label in order}


def _letter(index: int) -> str:
    return chr(ord("a") + index) if index < 26 else f"({index + 1})"


def _groups(
    order: Sequence[str], cells: Mapping[str, Sequence[float | None]], rng: np.random.Generator
) -> dict[str, str]:
    """Every pair is tested by flipping signs of the differences over tasks, Holm over all pairs."""
    pairs = list(combinations(order, 2))
    if not pairs:
        return dict.fromkeys(order, "a")
    columns = [
        [np.nan if a is None or b is None else a - b for a, b in zip(cells[first], cells[second], strict=True)]
        for first, second in pairs
    ]
    adjusted = holm(sign_flip(np.array(columns, dtype=np.float64).T, rng))
    return letters(order, {frozenset(pair) for pair, p in zip(pairs, adjusted, strict=True) if p < SIGNIFICANCE})


def _cells(
    by_task: Mapping[str, Sequence[Result]], by: Ranking, tasks: Sequence[str], total: int
) -> list[float | None]:
    found = [_average([getattr(r, by) for r in by_task[task]]) if task in by_task else 0.0 for task in tasks]
    return found + [0.0] * (total - len(tasks))


def _mean(values: Sequence[float | None], total: int, rng: np.random.Generator) -> Mean:
    """The mean over `total` tasks, those beyond `values` being 0 and those that are None left out."""
    known = [value for value in values if value is not None]
    missing = len(values) - len(known)
    if not known:
        # The absent alone would make this 0, where nobody has measured anything.
        return Mean(value=None, low=None, high=None, tasks=0, missing=missing)
    cells = known + [0.0] * (total - len(values))
    interval = cluster_interval(cells, rng)
    return Mean(
        value=math.fsum(cells) / len(cells),
        low=max(0.0, interval[0]) if interval else None,
        high=min(1.0, interval[1]) if interval else None,
        tasks=len(cells),
        missing=missing,
    )


def _average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
