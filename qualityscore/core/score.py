"""The top of the arithmetic: outcomes of a subject and of the baseline into dimension scores and NF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from qualityscore.core.aggregate import combine_dimensions, combine_measures
from qualityscore.core.normalise import Normalised, normalise
from qualityscore.core.profile import Profile
from qualityscore.model.measure import Outcome
from qualityscore.model.report import DimensionReport, FaultReport, NonFunctionalReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Everything that the profile makes of the outcomes. `faults` name each missing measure and who caused it."""

    dimensions: dict[str, DimensionReport]
    non_functional: NonFunctionalReport
    faults: tuple[FaultReport, ...] = ()


def score(
    profile: Profile,
    *,
    baseline: Mapping[str, Outcome],
    subject: Mapping[str, Outcome],
    credibility: float | None,
    tampered: bool,
    left_out: frozenset[str] = frozenset(),
    rng: np.random.Generator,
) -> Scored:
    """Score a subject's outcomes (by measure id) against the baseline's.

    A measure that is not in `baseline` is not applicable. `credibility` is between 0 and 1, None where it could not be
    measured. `left_out` holds ids of dimensions or measures that the caller did not ask for. `rng` seeds the bootstrap
    of costs that were measured in pairs; nothing else is random.
    """
    if credibility is not None and not 0 <= credibility <= 1:
        raise ValueError(f"credibility {credibility} is not between 0 and 1")
    normalised: dict[str, list[Normalised]] = {
        dimension.id: [
            normalise(
                spec,
                subject.get(spec.id),
                baseline.get(spec.id),
                credibility=credibility,
                tampered=tampered,
                left_out=dimension.id in left_out or spec.id in left_out,
                rng=rng,
            )
            for spec in dimension.metrics
        ]
        for dimension in profile.dimensions
    }
    combined = [combine_measures(dimension, normalised[dimension.id]) for dimension in profile.dimensions]
    reports, non_functional = combine_dimensions(profile.matrix, combined)
    return Scored(
        dimensions={d.id: report for d, report in zip(profile.dimensions, reports, strict=True)},
        non_functional=non_functional,
        faults=tuple(fault for measures in normalised.values() for m in measures for fault in m.faults),
    )


def effective(functional: float | None, non_functional: float | None) -> float | None:
    """F x NF, null where either is."""
    return None if functional is None or non_functional is None else functional * non_functional
