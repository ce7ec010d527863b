"""Scores as rewards for reinforcement learning: a plain function that callers of TRL or verl wrap in two lines."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from qualityscore.adapters.scoring import Subject, shared_scorer
from qualityscore.errors import UsageError
from qualityscore.execution.scores import EFFECTIVE, check_component


def score_repositories(
    repositories: Sequence[Subject],
    task: str,
    *,
    component: str = EFFECTIVE,
    only: Sequence[str] | None = None,
    profile: str = "reference",
    jobs: int | None = None,
) -> list[float | None]:
    """One number in [0, 1] per repository, in their order: maps of files, or paths of folders and archives.

    `component` is `effective` (F x NF), or one of F, NF, the dimensions and credibility; `only` measures less, faster.
    A repository that cannot even be taken scores 0. None means that a fault of the harness, not of the repository, left
    no number, or that a path does not exist, of which a RuntimeWarning tells: leave such a sample out, do not punish
    it. Workers are started by the first call (`jobs` at a time) and stay warm. Raises InputError for what the caller
    got wrong about all of them, before anything is evaluated.
    """
    if isinstance(repositories, str | Path | Mapping):
        raise UsageError("One repository was given, not a sequence of them; put it into a list.")
    check_component(component, only)
    found = shared_scorer(jobs).score(repositories, task, only=only, profile=profile)
    numbers = [one.number(component) for one in found]
    for one, number in zip(found, numbers, strict=True):
        if one.missing:
            warnings.warn(f"No score: {one.reason}", RuntimeWarning, stacklevel=2)
        elif number is None and not one.harness:
            raise UsageError(f"component={component!r} was {one.reason}; let `only` name what it needs.")
    return numbers
