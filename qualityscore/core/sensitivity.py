"""How much a ranking by NF owes to the judgements that weigh the dimensions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from qualityscore.core.ahp import CR_LIMIT, RANDOM_INDEX, SAATY_SCALE, Matrix, principal, with_judgement
from qualityscore.core.leaderboard import Result
from qualityscore.core.weighing import DimensionScores

Array = NDArray[np.float64]
_SEARCH_POINTS = 240
_BISECTIONS = 40
_MOST_AT_ONCE = 10_000
_MOST_CELLS = 20_000_000
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptability:
    """How often each label takes each rank (`shares[label][rank - 1]`, ties share the better rank), over `draws`.

    `shares` is None without a draw, and `reason` says why.
    """

    shares: dict[str, tuple[float, ...]] | None
    draws: int
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """The smallest change (in log) of one judgement that gives the first place to another label."""

    first: str
    second: str
    judgement: float
    changed: float
    cr: float
    leader: str
    new_leader: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one Saaty step of one judgement does.

    The largest change of any label's NF, without a sign, and the change of the leader's margin: None of a single label.
    """

    first: str
    second: str
    judgement: float
    up: float
    down: float
    largest_change_up: float
    largest_change_down: float
    margin_change_up: float | None
    margin_change_down: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """`scores` are NF under the judgements as given. `within_a_step` holds only consistent variations (CR < 0.1)."""

    scores: dict[str, float]
    within_a_step: Acceptability
    rejected: int
    all_weights: Acceptability
    flip: Flip | None
    effects: tuple[Effect, ...]


def analyse(
    matrix: Matrix,
    dimensions: Sequence[str],
    cells: Mapping[str, Sequence[Sequence[float | None]]],
    *,
    draws: int = 10_000,
    rng: np.random.Generator,
) -> Sensitivity:
    """Vary the weights of `dimensions` under fixed dimension scores.

    `cells[label]` holds one row per task with a score per dimension, None where a dimension does not apply to the task.
    A row's NF is that of scoring: its weights come from the judgements among the dimensions that apply. A label's NF is
    the mean over its rows. Raises ValueError for a label without a row in which a dimension applies.
    """
    labels = list(cells)
    scores = DimensionScores.of(cells.values(), len(dimensions))
    given = scores.nf(np.array([matrix]))[0]
    step_by_step = _Tally(len(labels))
    rejected = 0
    for size in _chunks(draws, len(labels)):
        varied = _varied(matrix, size, rng)
        kept = varied[_consistent(varied)]
        rejected += size - len(kept)
        step_by_step.add(scores.nf(kept))
    everywhere = _Tally(len(labels))
    for size in _chunks(draws, len(labels)):
        everywhere.add(scores.nf_of_ratios(rng.dirichlet(np.ones(len(dimensions)), size=size)))
    return Sensitivity(
        scores={label: float(nf) for label, nf in zip(labels, given, strict=True)},
        within_a_step=step_by_step.acceptability(labels),
        rejected=rejected,
        all_weights=everywhere.acceptability(labels),
        flip=_smallest_flip(matrix, dimensions, labels, scores),
        effects=tuple(
            _effect(matrix, (i, j), dimensions, scores, given) for i, j in combinations(range(len(dimensions)), 2)
        ),
    )


def cells_of(
    results: Sequence[Result], dimensions: Sequence[str], tasks: Sequence[str]
) -> tuple[dict[str, list[list[float | None]]], tuple[Result, ...]]:
    """Dimension scores by label, a row per task: samples averaged, 0 without a result, None where one does not apply.

    Also the results that were left out, whose NF is null: a dimension was not measured, or none applies. A label with
    none left is not in it. What applies is the task's doing, so the samples of a task agree in it.
    """
    by_label: dict[str, dict[str, list[list[float | None]]]] = {}
    left_out = []
    for result in results:
        held = {name: result.dimensions[name] for name in dimensions if name in result.dimensions}
        if not held or None in held.values():
            left_out.append(result)
        else:
            scores = [held.get(name) for name in dimensions]
            by_label.setdefault(result.label, {}).setdefault(result.task, []).append(scores)
    incomplete = {(r.label, r.task) for r in left_out}
    cells: dict[str, list[list[float | None]]] = {}
    for label, by_task in by_label.items():
        rows: list[list[float | None]] = []
        for task in tasks:
            if task in by_task:
                rows.append([_known_mean(column) for column in zip(*by_task[task], strict=True)])
            elif (label, task) not in incomplete:
                rows.append([0.0] * len(dimensions))
        cells[label] = rows
    return cells, tuple(left_out)


def _known_mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def step(judgement: float, direction: int) -> float:
    """The next value of Saaty's scale above (+1) or below (-1); the judgement itself at the end of the scale."""
    if direction > 0:
        return min((v for v in SAATY_SCALE if v > judgement * (1 + 1e-9)), default=judgement)
    return max((v for v in SAATY_SCALE if v < judgement * (1 - 1e-9)), default=judgement)


class _Tally:
    """How often each label took each rank, over draws that come in pieces."""

    def __init__(self, labels: int) -> None:
        self._counts = np.zeros((labels, labels), dtype=np.int64)
        self._draws = 0

    def add(self, nf: Array) -> None:
        """NF by draw and label; labels within rounding of each other share the better rank."""
        for index, own in enumerate(nf.T):
            ranks = (nf > own[:, None] + _ROUNDING).sum(axis=1)
            self._counts[index] += np.bincount(ranks, minlength=len(self._counts))
        self._draws += len(nf)

    def acceptability(self, labels: Sequence[str]) -> Acceptability:
        """The shares so far."""
        if not self._draws:
            return Acceptability(shares=None, draws=0, reason="every draw contradicted itself (a CR of 0.1 or more)")
        shares = self._counts / self._draws
        return Acceptability(
            shares={label: tuple(map(float, own)) for label, own in zip(labels, shares, strict=True)},
            draws=self._draws,
        )


def _chunks(draws: int, labels: int) -> Iterator[int]:
    """Sizes of pieces that fit into memory."""
    size = max(1, min(_MOST_AT_ONCE, _MOST_CELLS // labels))
    for begun in range(0, draws, size):
        yield min(size, draws - begun)


def _varied(matrix: Matrix, draws: int, rng: np.random.Generator) -> Array:
    """The matrix with every judgement moved by -1, 0 or +1 step at random."""
    varied = np.tile(np.array(matrix), (draws, 1, 1))
    for i, j in combinations(range(len(matrix)), 2):
        options = np.array([step(matrix[i][j], -1), matrix[i][j], step(matrix[i][j], 1)])
        varied[:, i, j] = options[rng.integers(0, 3, size=draws)]
        varied[:, j, i] = 1 / varied[:, i, j]
    return varied


def _consistent(matrices: Array) -> NDArray[np.bool_]:
    n = matrices.shape[1]
    index = RANDOM_INDEX[n - 1]
    if not index:
        return np.ones(len(matrices), dtype=np.bool_)
    largest = np.linalg.eigvals(matrices).real.max(axis=1)
    return np.asarray((largest - n) / (n - 1) / index < CR_LIMIT, dtype=np.bool_)


def _smallest_flip(
    matrix: Matrix, dimensions: Sequence[str], labels: Sequence[str], scores: DimensionScores
) -> Flip | None:
    def leader(i: int, j: int, value: float) -> int:
        return int(scores.nf(np.array([with_judgement(matrix, i, j, value)]))[0].argmax())

    if len(labels) < 2:
        return None
    best: tuple[float, int, int, float, int] | None = None
    for i, j in combinations(range(len(dimensions)), 2):
        first = leader(i, j, matrix[i][j])
        start = math.log(matrix[i][j])
        for end in (math.log(SAATY_SCALE[-1]), math.log(SAATY_SCALE[0])):
            inside = start
            for outside in np.linspace(start, end, _SEARCH_POINTS)[1:]:
                if best is not None and abs(inside - start) >= best[0]:
                    break
                if leader(i, j, math.exp(outside)) != first:
                    low, high = inside, float(outside)
                    for _ in range(_BISECTIONS):
                        middle = (low + high) / 2
                        low, high = (middle, high) if leader(i, j, math.exp(middle)) == first else (low, middle)
                    if best is None or abs(high - start) < best[0]:
                        best = (abs(high - start), i, j, math.exp(high), leader(i, j, math.exp(high)))
                    break
                inside = float(outside)
    if best is None:
        return None
    _, i, j, value, new = best
    return Flip(
        first=dimensions[i],
        second=dimensions[j],
        judgement=matrix[i][j],
        changed=value,
        cr=principal(with_judgement(matrix, i, j, value)).cr,
        leader=labels[leader(i, j, matrix[i][j])],
        new_leader=labels[new],
    )


def _effect(
    matrix: Matrix, pair: tuple[int, int], dimensions: Sequence[str], scores: DimensionScores, given: Array
) -> Effect:
    i, j = pair
    up, down = step(matrix[i][j], 1), step(matrix[i][j], -1)
    order = np.argsort(-given, kind="stable")

    def changes(value: float) -> tuple[float, float | None]:
        nf = scores.nf(np.array([with_judgement(matrix, i, j, value)]))[0]
        margin = None
        if len(given) > 1:
            margin = float((nf[order[0]] - nf[order[1]]) - (given[order[0]] - given[order[1]]))
        return float(np.abs(nf - given).max()), margin

    (most_up, margin_up), (most_down, margin_down) = changes(up), changes(down)
    return Effect(
        first=dimensions[i],
        second=dimensions[j],
        judgement=matrix[i][j],
        up=up,
        down=down,
        largest_change_up=most_up,
        largest_change_down=most_down,
        margin_change_up=margin_up,
        margin_change_down=margin_down,
    )
