"""How much a ranking by NF owes to the judgements that weigh the dimensions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from qualityscore.core.ahp import CR_LIMIT, RANDOM_INDEX, SAATY_SCALE, Matrix, principal, with_judgement
from qualityscore.core.leaderboard import Result

Array = NDArray[np.float64]
_SEARCH_POINTS = 240
_BISECTIONS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptability:
    """How often each label takes each rank (`shares[label][rank - 1]`, ties share the better rank), over `draws`."""

    shares: dict[str, tuple[float, ...]]
    draws: int


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
    """What one Saaty step of one judgement does: the largest change of any label's NF, and of the leader's margin."""

    first: str
    second: str
    judgement: float
    up: float
    down: float
    largest_change_up: float
    largest_change_down: float
    margin_change_up: float
    margin_change_down: float


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

    `cells[label]` holds one row per task with a score per dimension, None where a dimension does not apply to the task:
    its weight then goes to the others in proportion. A label's NF is the mean over its rows.
    """
    labels = list(cells)
    scores = [np.array(cells[label], dtype=np.float64) for label in labels]
    base = np.array([principal(matrix).weights])
    given = _nf(scores, base)[0]
    varied, rejected = _within_a_step(matrix, draws, rng)
    uniform = rng.dirichlet(np.ones(len(dimensions)), size=draws)
    return Sensitivity(
        scores={label: float(nf) for label, nf in zip(labels, given, strict=True)},
        within_a_step=_acceptability(labels, _nf(scores, varied)),
        rejected=rejected,
        all_weights=_acceptability(labels, _nf(scores, uniform)),
        flip=_smallest_flip(matrix, dimensions, labels, scores),
        effects=tuple(
            _effect(matrix, (i, j), dimensions, scores, given) for i, j in combinations(range(len(dimensions)), 2)
        ),
    )


def cells_of(
    results: Sequence[Result], dimensions: Sequence[str], tasks: Sequence[str]
) -> tuple[dict[str, list[list[float | None]]], int]:
    """Dimension scores by label, a row per task: samples averaged, 0 without a result, None where one does not apply.

    Also how many results were left out because a dimension was not measured. A label with none left is not in it.
    """
    by_label: dict[str, dict[str, list[list[float | None]]]] = {}
    left_out = 0
    for result in results:
        if None in result.dimensions.values():
            left_out += 1
        else:
            scores = [result.dimensions.get(name) for name in dimensions]
            by_label.setdefault(result.label, {}).setdefault(result.task, []).append(scores)
    incomplete = {(r.label, r.task) for r in results}
    cells: dict[str, list[list[float | None]]] = {}
    for label, by_task in by_label.items():
        rows: list[list[float | None]] = []
        for task in tasks:
            if task in by_task:
                rows.append([_known_mean(column) for column in zip(*by_task[task], strict=True)])
            elif (label, task) not in incomplete:
                rows.append([0.0] * len(dimensions))
        cells[label] = rows
    return cells, left_out


def _known_mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def step(judgement: float, direction: int) -> float:
    """The next value of Saaty's scale above (+1) or below (-1); the judgement itself at the end of the scale."""
    if direction > 0:
        return min((v for v in SAATY_SCALE if v > judgement * (1 + 1e-9)), default=judgement)
    return max((v for v in SAATY_SCALE if v < judgement * (1 - 1e-9)), default=judgement)


def _nf(scores: Sequence[Array], weights: Array) -> Array:
    """NF by draw and label: weights is draws x dimensions, each label's scores tasks x dimensions."""
    return np.stack([_mean_nf(label, weights) for label in scores], axis=1)


def _mean_nf(scores: Array, weights: Array) -> Array:
    applies = ~np.isnan(scores)
    filled = np.where(applies, scores, 0.0)
    if applies.all():
        return np.asarray(weights @ filled.mean(axis=0), dtype=np.float64)
    keep = applies.any(axis=1)
    return np.asarray(((weights @ filled[keep].T) / (weights @ applies[keep].T)).mean(axis=1), dtype=np.float64)


def _within_a_step(matrix: Matrix, draws: int, rng: np.random.Generator) -> tuple[Array, int]:
    """Weights after moving every judgement by -1, 0 or +1 step at random, and how many matrices were inconsistent."""
    n = len(matrix)
    varied = np.tile(np.array(matrix), (draws, 1, 1))
    for i, j in combinations(range(n), 2):
        options = np.array([step(matrix[i][j], -1), matrix[i][j], step(matrix[i][j], 1)])
        varied[:, i, j] = options[rng.integers(0, 3, size=draws)]
        varied[:, j, i] = 1 / varied[:, i, j]
    values, vectors = np.linalg.eig(varied)
    largest = values.real.argmax(axis=1)
    rows = np.arange(draws)
    principal_vectors = np.abs(vectors[rows, :, largest].real)
    weights = principal_vectors / principal_vectors.sum(axis=1, keepdims=True)
    index = RANDOM_INDEX[n - 1]
    cr = (values.real[rows, largest] - n) / (n - 1) / index if index else np.zeros(draws)
    consistent = cr < CR_LIMIT
    return weights[consistent], int((~consistent).sum())


def _acceptability(labels: Sequence[str], nf: Array) -> Acceptability:
    ranks = 1 + (nf[:, None, :] > nf[:, :, None] + 1e-12).sum(axis=2)
    shares = {
        label: tuple(float((ranks[:, k] == rank).mean()) for rank in range(1, len(labels) + 1))
        for k, label in enumerate(labels)
    }
    return Acceptability(shares=shares, draws=len(nf))


def _smallest_flip(
    matrix: Matrix, dimensions: Sequence[str], labels: Sequence[str], scores: Sequence[Array]
) -> Flip | None:
    def leader(i: int, j: int, value: float) -> int:
        weights = np.array([principal(with_judgement(matrix, i, j, value)).weights])
        return int(_nf(scores, weights)[0].argmax())

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
    matrix: Matrix, pair: tuple[int, int], dimensions: Sequence[str], scores: Sequence[Array], given: Array
) -> Effect:
    i, j = pair
    up, down = step(matrix[i][j], 1), step(matrix[i][j], -1)
    order = np.argsort(-given, kind="stable")

    def changes(value: float) -> tuple[float, float]:
        weights = np.array([principal(with_judgement(matrix, i, j, value)).weights])
        nf = _nf(scores, weights)[0]
        margin = 0.0
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
