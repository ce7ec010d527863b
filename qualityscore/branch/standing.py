"""Where raw measures stand among the pinned references, for a repository without any baseline."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from qualityscore.core.profile import Profile
from qualityscore.model.branch import Percentile
from qualityscore.model.measure import Direction, Measured, Outcome

CORPUS = Path(__file__).resolve().parent / "corpus.json"


@cache
def corpus() -> dict[str, dict[str, float]]:
    """Raw static measures of the pinned references, by measure and reference, read as code without a task is."""
    document = json.loads(CORPUS.read_text("utf-8"))
    return {str(m): {str(r): float(v) for r, v in values.items()} for m, values in document["measures"].items()}


def percentiles(values: Mapping[str, Outcome], profile: Profile) -> tuple[Percentile, ...]:
    """For each measured value the share of references that are no better, in percent; ties count half.

    This is the percentile rank in the form of the mean of strict and weak ranks (as scipy.stats.percentileofscore's
    kind `mean`).
    """
    found = []
    directions = {metric.id: metric.better for dimension in profile.dimensions for metric in dimension.metrics}
    for measure, known in corpus().items():
        outcome = values.get(measure)
        if not isinstance(outcome, Measured) or measure not in directions:
            continue
        sign = 1.0 if directions[measure] is Direction.LOWER else -1.0
        worse = sum(sign * other > sign * outcome.value for other in known.values())
        equal = sum(other == outcome.value for other in known.values())
        rank = 100.0 * (worse + equal / 2) / len(known)
        found.append(Percentile(measure=measure, value=outcome.value, percentile=rank, references=len(known)))
    return tuple(found)
