"""pass@k: the probability that at least one of k samples passes, estimated without bias from n samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from qualityscore.core.intervals import cluster_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One generated unit (a class, a method) of one task, with whether each of its tests passed."""

    label: str
    task: str
    unit: str
    level: str
    sample: int
    passed: tuple[bool, ...]

    @property
    def full(self) -> bool:
        """Every test of the unit passes; without a test nothing is shown."""
        return bool(self.passed) and all(self.passed)

    @property
    def partial(self) -> bool:
        """At least one test of the unit passes."""
        return any(self.passed)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassAtK:
    """pass@k of one label at one level, the mean over tasks of the mean over their units.

    Expected are the units that any label has at the level; `tasks` and `units` are those that this label has, and the
    others count 0. `value` is None where it is not available, and `reason` says why.
    """

    label: str
    level: str
    success: str
    k: int
    value: float | None
    low: float | None
    high: float | None
    tasks: int
    units: int
    expected_tasks: int
    expected_units: int
    reason: str | None = None


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """1 - C(n - c, k)/C(n, k) for c of n samples passing; None when n < k (Chen et al. 2021).

    As a product of ratios, so that no binomial coefficient has to be formed.
    """
    if not 0 <= c <= n or k < 1:
        raise ValueError(f"pass@{k} with {c} of {n}")
    if n < k:
        return None
    missed = 1.0
    for i in range(k):
        missed *= max(0, n - c - i) / (n - i)
    return 1.0 - missed


def summarise(samples: Iterable[Sample], ks: Sequence[int], seed: int) -> tuple[PassAtK, ...]:
    """pass@k for each label, level, kind of success and k, with 95 % bootstrap intervals over tasks.

    A unit that another label has at the level and this one does not counts as one without a success, whatever k.
    Every interval starts from `seed`: it depends on nothing but its own values.
    """
    units: dict[tuple[str, str], dict[tuple[str, str], list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for sample in samples:
        units[sample.label, sample.level][sample.task, sample.unit].append(sample)
    expected: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for (_, level), held in units.items():
        expected[level] |= held.keys()
    labels = sorted({label for label, _ in units})
    return tuple(
        _one((label, level), {unit: units[label, level].get(unit, []) for unit in expected[level]}, success, k, seed)
        for label in labels
        for level in sorted(expected)
        for success in ("full", "partial")
        for k in ks
    )


def _one(
    group: tuple[str, str],
    units: dict[tuple[str, str], list[Sample]],
    success: str,
    k: int,
    seed: int,
) -> PassAtK:
    label, level = group
    by_task: dict[str, list[float]] = defaultdict(list)
    held = [unit for unit, samples in units.items() if samples]
    reason = None if held else "no sample at this level"
    for (task, unit), samples in sorted(units.items()):
        passing = sum(s.full if success == "full" else s.partial for s in samples)
        value = pass_at_k(len(samples), passing, k) if samples else 0.0
        if value is None:
            count = "1 sample" if len(samples) == 1 else f"{len(samples)} samples"
            reason = f"{unit} of {task} has {count}, fewer than {k}"
            break
        by_task[task].append(value)
    means = [] if reason else [sum(values) / len(values) for values in by_task.values()]
    interval = cluster_interval(means, np.random.default_rng(seed))
    return PassAtK(
        label=label,
        level=level,
        success=success,
        k=k,
        value=sum(means) / len(means) if means else None,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        tasks=len({task for task, _ in held}),
        units=len(held),
        expected_tasks=len({task for task, _ in units}),
        expected_units=len(units),
        reason=reason,
    )
