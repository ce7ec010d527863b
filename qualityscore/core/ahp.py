"""Weights from pairwise judgements (Saaty's analytic hierarchy process; scoring.md section 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from qualityscore.errors import ProfileError

Matrix = tuple[tuple[float, ...], ...]

RANDOM_INDEX = (0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49)
"""RI for n = 1..10 (Saaty)."""

CR_LIMIT = 0.1
SAATY_SCALE = tuple(sorted({float(k) for k in range(1, 10)} | {1.0 / k for k in range(2, 10)}))
"""1/9, 1/8, ..., 1/2, 1, 2, ..., 9: the judgements that a person gives."""

LARGEST_JUDGEMENT = 1e9
"""Far beyond any judgement of a person; where entries differ by much more, an eigenvector rounds weights to 0."""

_RECIPROCITY = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The principal eigenvector, summing to 1, with the consistency of the judgements behind it.

    `cr` is 0 for fewer than three rows, where every reciprocal matrix is consistent.
    """

    weights: tuple[float, ...]
    lambda_max: float
    ci: float
    cr: float


def weigh(matrix: Sequence[Sequence[float]], names: Sequence[str] | None = None) -> Weights:
    """The weights of a reciprocal matrix whose consistency ratio is below 0.1.

    Raises ProfileError, naming the offending pair or triad by `names` (or by number), for a matrix that is not square,
    positive and reciprocal, that has more than ten rows, or whose judgements contradict each other.
    """
    checked = check(matrix, names)
    result = principal(checked)
    if result.cr >= CR_LIMIT:
        raise ProfileError(_contradiction(checked, result, _names(len(checked), names)))
    return result


def check(matrix: Sequence[Sequence[float]], names: Sequence[str] | None = None) -> Matrix:
    """The matrix as tuples, when it is square, positive and reciprocal and has 1 to 10 rows; ProfileError otherwise.

    Every judgement lies within a factor of `LARGEST_JUDGEMENT`, so every weight is above 0.
    """
    n = len(matrix)
    if n == 0:
        raise ProfileError("A judgement matrix needs at least one row.")
    if n > len(RANDOM_INDEX):
        raise ProfileError(f"A judgement matrix has at most {len(RANDOM_INDEX)} rows, this one has {n}; group them.")
    labels = _names(n, names)
    for i, row in enumerate(matrix):
        if len(row) != n:
            raise ProfileError(
                f"The judgement matrix is not square: the row of {labels[i]} has {len(row)} entries instead of {n}."
            )
    for i, j in ((i, j) for i in range(n) for j in range(n)):
        value = matrix[i][j]
        if math.isnan(value) or value <= 0:
            raise ProfileError(f"The judgement of {labels[i]} over {labels[j]} is {value:g}; it must be above 0.")
        if not 1 / LARGEST_JUDGEMENT <= value <= LARGEST_JUDGEMENT:
            raise ProfileError(
                f"The judgement of {labels[i]} over {labels[j]} is {value:g}; "
                f"it must lie between {1 / LARGEST_JUDGEMENT:g} and {LARGEST_JUDGEMENT:g}."
            )
    for i in range(n):
        if abs(matrix[i][i] - 1) > _RECIPROCITY:
            raise ProfileError(f"{labels[i]} compared with itself is {matrix[i][i]:g}; it must be 1.")
    for i, j in combinations(range(n), 2):
        forth, back = matrix[i][j], matrix[j][i]
        if abs(forth * back - 1) > _RECIPROCITY:
            raise ProfileError(
                f"The judgement matrix is not reciprocal: {labels[i]} over {labels[j]} is {judgement_text(forth)}, "
                f"but {labels[j]} over {labels[i]} is {judgement_text(back)} instead of {judgement_text(1 / forth)}."
            )
    return tuple(tuple(float(v) for v in row) for row in matrix)


def principal(matrix: Sequence[Sequence[float]]) -> Weights:
    """The principal eigenvector of a positive reciprocal matrix, whatever its consistency (submatrices vary)."""
    a: NDArray[np.float64] = np.asarray(matrix, dtype=np.float64)
    n = a.shape[0]
    values, vectors = np.linalg.eig(a)
    largest = int(np.argmax(values.real))
    vector = np.abs(vectors[:, largest].real)
    weights = vector / vector.sum()
    # Rounding may leave the eigenvalue of a consistent matrix a hair below n, which would be a negative inconsistency.
    lambda_max = max(float(n), float(values[largest].real))
    ci = (lambda_max - n) / (n - 1) if n > 1 else 0.0
    index = RANDOM_INDEX[n - 1]
    return Weights(
        weights=tuple(float(w) for w in weights),
        lambda_max=lambda_max,
        ci=ci,
        cr=ci / index if index else 0.0,
    )


def consistent(ratios: Sequence[float]) -> Matrix:
    """The matrix of w_i / w_j, whose weights are the given ratios."""
    return tuple(tuple(a / b for b in ratios) for a in ratios)


def submatrix(matrix: Matrix, keep: Sequence[int]) -> Matrix:
    """The judgements among the kept rows only."""
    return tuple(tuple(matrix[i][j] for j in keep) for i in keep)


def combine_experts(matrices: Sequence[Matrix]) -> Matrix:
    """Several experts' judgements as one: the geometric mean of each entry stays reciprocal (Aczel and Saaty)."""
    stacked = np.log(np.asarray(matrices, dtype=np.float64))
    return tuple(tuple(float(v) for v in row) for row in np.exp(stacked.mean(axis=0)))


def with_judgement(matrix: Matrix, i: int, j: int, value: float) -> Matrix:
    """The matrix with the judgement of i over j, and its reciprocal, replaced."""
    rows = [list(row) for row in matrix]
    rows[i][j], rows[j][i] = value, 1 / value
    return tuple(tuple(row) for row in rows)


def judgement_text(value: float) -> str:
    """A judgement as people write it: 3, 1/3, or a decimal."""
    if value >= 1:
        return f"{value:.4g}"
    inverse = 1 / value
    return f"1/{inverse:.4g}" if abs(inverse - round(inverse)) < 1e-6 else f"{value:.4g}"


def worst_triad(matrix: Matrix) -> tuple[int, int, int]:
    """The three rows whose judgements contradict each other most: the largest |log(a_ij · a_jk / a_ik)|."""

    def contradiction(triad: tuple[int, int, int]) -> float:
        i, j, k = triad
        return abs(math.log(matrix[i][j] * matrix[j][k] / matrix[i][k]))

    return max(combinations(range(len(matrix)), 3), key=contradiction)


def smallest_mend(matrix: Matrix, pairs: Sequence[tuple[int, int]]) -> tuple[int, int, float, float] | None:
    """The smallest change (in log) of one of the judgements, to a value of Saaty's scale, that brings CR below 0.1.

    Gives (i, j, new value, new CR), or None where no single change is enough.
    """
    best: tuple[float, int, int, float, float] | None = None
    for i, j in pairs:
        for value in SAATY_SCALE:
            distance = abs(math.log(value / matrix[i][j]))
            if best is not None and distance >= best[0]:
                continue
            cr = principal(with_judgement(matrix, i, j, value)).cr
            if cr < CR_LIMIT:
                best = (distance, i, j, value, cr)
    return None if best is None else best[1:]


def _contradiction(matrix: Matrix, result: Weights, labels: Sequence[str]) -> str:
    i, j, k = worst_triad(matrix)
    a, b, c = labels[i], labels[j], labels[k]
    head = (
        f"The judgements contradict each other (CR {result.cr:.3f}, must be below {CR_LIMIT}), most of all "
        f"{a} over {b} = {judgement_text(matrix[i][j])}, {b} over {c} = {judgement_text(matrix[j][k])}, but "
        f"{a} over {c} = {judgement_text(matrix[i][k])} (the first two imply "
        f"{judgement_text(matrix[i][j] * matrix[j][k])})"
    )
    everywhere = tuple(combinations(range(len(matrix)), 2))
    mend = smallest_mend(matrix, ((i, j), (j, k), (i, k))) or smallest_mend(matrix, everywhere)
    if mend is None:
        return f"{head}; no single change mends this, so reconsider these three first."
    p, q, value, cr = mend
    return f"{head}; {labels[p]} over {labels[q]} = {judgement_text(value)} would mend it (CR {cr:.3f})."


def _names(n: int, names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return tuple(f"row {i + 1}" for i in range(n))
    if len(names) != n:
        raise ProfileError(f"The judgement matrix has {n} rows for {len(names)} names ({', '.join(names)}).")
    return tuple(names)
