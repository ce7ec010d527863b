"""NF of many labels under many weights at once, as scoring has it where a dimension does not apply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionScores:
    """Scores by label, added up over the rows in which the same dimensions apply: NF is linear in them.

    `sums[applies]` is labels x len(applies), with `applies` the numbers of those dimensions; `rows` counts by label.
    """

    sums: dict[tuple[int, ...], Array]
    rows: Array

    @classmethod
    def of(cls, cells: Iterable[Sequence[Sequence[float | None]]], dimensions: int) -> DimensionScores:
        """From rows of scores by label, None where one does not apply; ValueError for a label in which nothing does."""
        scores = [np.array(rows, dtype=np.float64).reshape(-1, dimensions) for rows in cells]
        sums: dict[tuple[int, ...], Array] = {}
        rows = np.zeros(len(scores))
        for index, own in enumerate(scores):
            for applies in np.unique(~np.isnan(own), axis=0):
                kept = tuple(int(i) for i in applies.nonzero()[0])
                if not kept:
                    continue
                alike = own[(~np.isnan(own) == applies).all(axis=1)]
                sums.setdefault(kept, np.zeros((len(scores), len(kept))))[index] = alike[:, kept].sum(axis=0)
                rows[index] += len(alike)
        if not rows.all():
            raise ValueError("a label has no row in which a dimension applies")
        return cls(sums=sums, rows=rows)

    def nf(self, matrices: Array) -> Array:
        """NF by draw and label, each draw being a judgement matrix."""
        return self._mean(lambda kept: _weights(matrices[:, kept][:, :, kept]))

    def nf_of_ratios(self, weights: Array) -> Array:
        """NF by draw and label, each draw being the weights of all dimensions: among some of them only ratios count."""
        return self._mean(lambda kept: weights[:, kept] / weights[:, kept].sum(axis=1, keepdims=True))

    def _mean(self, weights_of: Callable[[list[int]], Array]) -> Array:
        parts = [weights_of(list(kept)) @ sums.T for kept, sums in self.sums.items()]
        return np.asarray(sum(parts[1:], parts[0]) / self.rows, dtype=np.float64)


def _weights(matrices: Array) -> Array:
    """The principal eigenvector of each matrix, as `ahp.principal` has it."""
    values, vectors = np.linalg.eig(matrices)
    chosen = np.abs(vectors[np.arange(len(matrices)), :, values.real.argmax(axis=1)].real)
    return np.asarray(chosen / chosen.sum(axis=1, keepdims=True), dtype=np.float64)
