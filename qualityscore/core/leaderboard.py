"""Many results as one table: a row per label (a model), intervals over tasks, and who cannot be told apart."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from operator import attrgetter
from typing import Literal

import numpy as np

from qualityscore.core.intervals import BLOCK, cluster_interval
from qualityscore.core.paired import ROUNDING, flips_for, holm, paired_differences, sign_flip

Ranking = Literal["functional", "non_functional", "effective"]
SIGNIFICANCE = 0.05
MOST_LETTERS = 200
REFUSED = "refused"
"""The status of a row of a batch that was refused for what its subject holds: it counts 0."""
MISSING = "missing"
"""The status of a row without a result that is not the subject's doing: it counts nowhere."""
MARKED = ("tampered", "failed", REFUSED, MISSING)
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One evaluated subject. A score is None where it was not measured or left out; that is not 0.

    `dimensions` are scores, without those that do not apply, and `ratios` geometric means of uncapped ratios, by
    dimension. `build`, `test` and `full` are shares (0 or 1 for build and full). `failures` counts by class. `status`
    is that of the report, REFUSED or MISSING where there is none, and `containment` the level its subject ran under,
    None where nothing tells.
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
    status: str = "complete"
    containment: str | None = None


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
    """One label. Its rank is 1 + the labels with a higher mean; those that share a `rank_group` letter may be equal.

    `marked` counts the results whose status is one of `MARKED`; their scores are in the means as they are. `contained`
    counts the results of subjects that were run by level of containment, `unknown` among them.
    """

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
    marked: dict[str, int] = field(default_factory=dict)
    contained: dict[str, int] = field(default_factory=dict)
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
    seed: int,
) -> Leaderboard:
    """Average each label's results over the expected tasks.

    Expected are the tasks that any label has, or `expected` where that is more. A task without a result of the label
    counts 0. Repeated samples of a task are averaged first. A result whose score is None is left out of that score's
    mean and counted as missing. Test (F given Build) is over built tasks only.

    Every interval starts from `seed` and takes the tasks in their order: it depends on nothing but the label's own
    values and the tasks, and labels see the same resampled tasks.
    """
    tasks = tuple(sorted({result.task for result in results}))
    total = max(len(tasks), expected or 0)
    by_label: dict[str, dict[str, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        by_label[result.label][result.task].append(result)
    dimensions = tuple(dict.fromkeys(name for result in results for name in result.dimensions))
    cells = {label: _cells(by_task, attrgetter(by), tasks) for label, by_task in by_label.items()}
    ranks = _ranks({label: _known_mean(values, total - len(tasks)) for label, values in cells.items()})
    order = sorted(by_label, key=lambda label: (ranks[label], label))
    groups = _groups(order, cells, seed)
    rows = tuple(
        _row(
            label,
            by_label[label],
            rank=ranks[label],
            rank_group=groups[label],
            tasks=tasks,
            expected=total,
            dimensions=dimensions,
            costs=dict((costs or {}).get(label, {})),
            seed=seed,
        )
        for label in order
    )
    return Leaderboard(rows=rows, by=by, expected=total, tasks=tasks)


def _ranks(means: Mapping[str, float | None]) -> dict[str, int]:
    """1 + the labels with a higher mean, beyond rounding. What has no mean ranks behind every measured one."""
    ranks: dict[str, int] = {}
    above, rank = math.inf, 1
    order = sorted(means, key=lambda label: -1.0 if (mean := means[label]) is None else mean, reverse=True)
    for position, label in enumerate(order, start=1):
        found = means[label]
        mean = -1.0 if found is None else found
        if above - mean > ROUNDING * abs(above):
            rank = position
        ranks[label], above = rank, mean
    return ranks


def _row(
    label: str,
    by_task: Mapping[str, Sequence[Result]],
    *,
    rank: int,
    rank_group: str,
    tasks: Sequence[str],
    expected: int,
    dimensions: Sequence[str],
    costs: dict[str, float],
    seed: int,
) -> Row:
    def mean(pick: Callable[[Result], float | None]) -> Mean:
        cells = _cells(by_task, pick, tasks)
        # Where nothing was measured the tasks without a result are None too, and are not missing.
        missing = min(cells.count(None), len(by_task))
        return _mean(cells, expected - len(tasks), missing, seed)

    built = [by_task[task] for task in sorted(by_task) if not all(r.build == 0 for r in by_task[task])]
    given_build = [_average([r.test for r in samples]) for samples in built]
    failures: Counter[str] = Counter()
    marked: Counter[str] = Counter()
    contained: Counter[str] = Counter()
    for samples in by_task.values():
        for result in samples:
            failures.update(result.failures)
            if result.status not in (REFUSED, MISSING):
                contained[result.containment or UNKNOWN] += 1
            if result.status in MARKED:
                marked[result.status] += 1
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
        test=_mean(given_build, 0, given_build.count(None), seed),
        full=mean(lambda r: r.full),
        failures=dict(failures),
        marked=dict(marked),
        contained=dict(contained),
        costs=costs,
    )


def _dimension(name: str, result: Result) -> float | None:
    return result.dimensions.get(name)


def letters(order: Sequence[str], told_apart: set[frozenset[str]]) -> dict[str, str]:
    """Letters that two labels share if and only if they are not told apart (Piepho 2004).

    One letter for each largest set of labels of which no two are told apart. There can be exponentially many: beyond
    200, and as many as labels, a subset of them is taken that covers every pair.
    """
    n = len(order)
    alike = [
        sum(1 << j for j in range(n) if j != i and frozenset((order[i], order[j])) not in told_apart) for i in range(n)
    ]
    columns = _largest_sets(alike, max(MOST_LETTERS, n))
    if columns is None:
        columns = _covering_sets(alike)
    columns.sort(key=lambda column: [i for i in range(n) if column >> i & 1])
    return {
        label: "".join(_letter(k) for k, column in enumerate(columns) if column >> i & 1)
        for i, label in enumerate(order)
    }


def _largest_sets(alike: Sequence[int], most: int) -> list[int] | None:
    """All maximal cliques, as bits, adding one label after the other; None beyond `most`.

    A part of the labels has never more maximal cliques than all of them, so nothing on the way is larger than the end.
    """
    columns = [0]
    for i, neighbours in enumerate(alike):
        extended: list[int] = []
        for shared in sorted({column & neighbours for column in columns}, key=int.bit_count, reverse=True):
            if not any(shared & other == shared for other in extended):
                extended.append(shared)
        columns = [column for column in columns if column & ~neighbours] + [shared | 1 << i for shared in extended]
        if len(columns) > most:
            return None
    return columns


def _covering_sets(alike: Sequence[int]) -> list[int]:
    """Maximal cliques such that every label, and every pair that is alike, is in one: at most one for each of them.

    Each grows by the label that shares the fewest sets yet with its members, so that few are needed.
    """
    n = len(alike)
    covered = [0] * n
    columns: list[int] = []
    for i, neighbours in enumerate(alike):
        while neighbours & ~covered[i] or not covered[i]:
            column, candidates = 1 << i, neighbours
            while candidates:
                inside = [j for j in range(n) if candidates >> j & 1]
                best = max(inside, key=lambda j: (column & ~covered[j]).bit_count())
                column |= 1 << best
                candidates &= alike[best]
            for j in range(n):
                if column >> j & 1:
                    covered[j] |= column
            columns.append(column)
    return columns


def _letter(index: int) -> str:
    return chr(ord("a") + index) if index < 26 else f"({index + 1})"


def _groups(order: Sequence[str], cells: Mapping[str, Sequence[float | None]], seed: int) -> dict[str, str]:
    """Every pair is tested by flipping signs of the differences over tasks, Holm over all pairs."""
    pairs = list(combinations(order, 2))
    if not pairs:
        return dict.fromkeys(order, "a")
    values = {label: np.array(cells[label], dtype=np.float64) for label in order}
    draws = flips_for(len(pairs))
    p_values: list[float] = []
    at_once = max(1, BLOCK // len(values[order[0]]))
    for start in range(0, len(pairs), at_once):
        block = [paired_differences(values[a], values[b]) for a, b in pairs[start : start + at_once]]
        p_values += sign_flip(np.array(block).T, np.random.default_rng(seed), draws).tolist()
    adjusted = holm(p_values)
    return letters(order, {frozenset(pair) for pair, p in zip(pairs, adjusted, strict=True) if p < SIGNIFICANCE})


def _cells(
    by_task: Mapping[str, Sequence[Result]], pick: Callable[[Result], float | None], tasks: Sequence[str]
) -> list[float | None]:
    """A value per task: 0 without a result, None where it was not measured, all None where nothing was measured."""
    measured = {task: _average([pick(result) for result in samples]) for task, samples in by_task.items()}
    if all(value is None for value in measured.values()):
        # The absent alone would make a mean of 0, where nobody has measured anything.
        return [None] * len(tasks)
    return [measured.get(task, 0.0) for task in tasks]


def _mean(values: Sequence[float | None], absent: int, missing: int, seed: int) -> Mean:
    """The mean over `values` and `absent` zeros more, without those that are None, of which `missing` are said."""
    known = [value for value in values if value is not None]
    if not known:
        return Mean(value=None, low=None, high=None, tasks=0, missing=missing)
    cells = known + [0.0] * absent
    interval = cluster_interval(cells, np.random.default_rng(seed))
    return Mean(
        value=math.fsum(cells) / len(cells),
        low=max(0.0, interval[0]) if interval else None,
        high=min(1.0, interval[1]) if interval else None,
        tasks=len(cells),
        missing=missing,
    )


def _known_mean(values: Sequence[float | None], absent: int) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / (len(known) + absent) if known else None


def _average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
