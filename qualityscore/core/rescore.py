"""A report scored again from the raw measures that it holds: under another profile, or a newer score model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from qualityscore.core.parts import part_of_row
from qualityscore.core.profile import Profile
from qualityscore.core.score import effective, score
from qualityscore.errors import ReportError
from qualityscore.model.foreign import first_problem, non_finite
from qualityscore.model.measure import Fault, Measured, MetricSpec, NotApplicable, Outcome, Part, Unavailable
from qualityscore.model.report import SCORE_MODEL, MeasureReport, Report, Status

_Read = TypeVar("_Read")

RAW_MEASURES_CHANGED: tuple[tuple[str, frozenset[str]], ...] = (
    ("0.2", frozenset({"workload.cost", "import.cost", "peak_heap"})),
    (
        "0.3",
        frozenset({"index.deficit", "complexity.excess", "lint.penalty", "duplication.share", "structure.defects"})
        | {"bandit.risk"},
    ),
)
"""Score models, oldest first, with the measures whose raw value means something else from that model on."""

_OWN_DETAILS = ("parts", "right_share", "mean_over_right", "unavailable", "uncredited", "left_out", "not_applicable")


class _Missing(BaseModel):
    """Why a measure has no value, as its details say it."""

    model_config = ConfigDict(strict=True)

    reason: str
    fault: Literal["subject", "harness", "reference"]


def rescore(
    report: Report,
    profile: Profile,
    rng: np.random.Generator,
    *,
    changes: Sequence[tuple[str, frozenset[str]]] = RAW_MEASURES_CHANGED,
    score_model: str = SCORE_MODEL,
) -> Report:
    """The report with the scores that its raw measures give under `profile` and the current score model.

    Raises ReportError naming what has to be measured again: measures of the profile that the report does not hold,
    measures in another unit, and measures whose raw value changed its meaning since the report's score model. Raises
    ReportError as well for free-form details that do not hold what scoring needs, and for values beyond computing with.
    """
    held = {measure.id: measure for dimension in report.dimensions.values() for measure in dimension.measures}
    specs = [spec for dimension in profile.dimensions for spec in dimension.metrics]
    again = sorted(
        {spec.id for spec in specs if spec.id not in held or not _same_quantity(spec, held[spec.id])}
        | {spec.id for spec in specs if spec.id in _changed_since(report.score_model, changes)}
    )
    if len(again) == len(specs) and not any(spec.id in held for spec in specs):
        raise ReportError(
            f'The report cannot be scored under profile "{profile.name}", which scores none of its measures '
            f"({', '.join(sorted(held)) or 'it holds none'}); give a profile of these, such as "
            f'"{report.provenance.get("profile", "reference")}", or a report of a task that has the others.'
        )
    if again:
        raise ReportError(
            f'The report cannot be scored under profile "{profile.name}" and score model {score_model}: '
            f"{', '.join(again)} {'has' if len(again) == 1 else 'have'} to be measured again; "
            f"run qualityscore evaluate --profile {profile.name}."
        )
    left_out = frozenset(spec.id for spec in specs if held[spec.id].details.get("left_out"))
    try:
        pairs = {spec.id: outcomes_of(held[spec.id]) for spec in specs}
        with np.errstate(all="ignore"):  # what is not finite is refused below
            scored = score(
                profile,
                baseline={name: pair[0] for name, pair in pairs.items() if pair[0] is not None},
                subject={name: pair[1] for name, pair in pairs.items() if pair[1] is not None},
                credibility=report.credibility.score,
                tampered=report.status is Status.TAMPERED,
                left_out=left_out,
                rng=rng,
            )
    except ArithmeticError as error:
        raise ReportError(f"The report holds values beyond computing with ({error}).") from error
    if problem := non_finite({name: asdict(dimension) for name, dimension in scored.dimensions.items()}):
        raise ReportError(f"The report holds values beyond computing with: {problem}.")
    return replace(
        report,
        score_model=score_model,
        non_functional=scored.non_functional,
        dimensions=scored.dimensions,
        effective=effective(report.functional.score, scored.non_functional.score),
        provenance={
            **report.provenance,
            "profile": profile.name,
            "profile_digest": profile.digest,
            "rescored_from": {
                "score_model": report.score_model,
                "profile": report.provenance.get("profile"),
                "profile_digest": report.provenance.get("profile_digest"),
            },
        },
    )


def outcomes_of(measure: MeasureReport) -> tuple[Outcome | None, Outcome | None]:
    """The baseline's and the subject's outcome as a measure of a report holds them; None for what was not delivered.

    Raises ReportError where its details do not hold what scoring needs.
    """
    missing = measure.details.get("unavailable")
    lost = None
    if isinstance(missing, dict):
        read = _held(measure, "unavailable", lambda: _Missing.model_validate(missing))
        lost = Unavailable(reason=read.reason, fault=Fault(read.fault))
    details = {name: value for name, value in measure.details.items() if name not in _OWN_DETAILS}
    given = measure.details.get("parts", ())
    if not isinstance(given, list | tuple):
        raise ReportError(f"The report does not hold what its profile scores: {measure.id}, 'parts' is no list.")
    rows = [_held(measure, f"parts.{n}", partial(part_of_row, row)) for n, row in enumerate(given)]
    baseline: Outcome | None = lost
    if not measure.applicable:
        baseline = NotApplicable(reason=str(measure.details.get("not_applicable")))
    elif measure.baseline is not None or rows:
        references = tuple(reference for _, reference in rows)
        baseline = Measured(value=_or_known(measure.baseline, references), parts=references)
    if measure.value is None and not rows:
        return baseline, lost
    parts = tuple(part for part, _ in rows if part is not None)
    return baseline, Measured(value=_or_known(measure.value, parts), parts=parts, details=details)


def _held(measure: MeasureReport, place: str, read: Callable[[], _Read]) -> _Read:
    try:
        return read()
    except ValidationError as error:
        raise ReportError(
            f"The report does not hold what its profile scores: {measure.id}, {place!r}: {first_problem(error)}."
        ) from error


def _or_known(value: float | None, parts: Sequence[Part]) -> float:
    """The value of a measure, or the sum over those of its parts that have one where the report has no value."""
    return math.fsum(part.value for part in parts if part.value is not None) if value is None else value


def _same_quantity(spec: MetricSpec, measure: MeasureReport) -> bool:
    return (spec.unit, spec.better) == (measure.unit, measure.better)


def _changed_since(score_model: str, changes: Sequence[tuple[str, frozenset[str]]]) -> set[str]:
    """Measures that changed in a score model later than the given one (models are dotted numbers)."""
    return {name for model, names in changes if _version(model) > _version(score_model) for name in names}


def _version(score_model: str) -> tuple[int, ...]:
    return tuple(int(part) for part in score_model.split(".") if part.isdigit())
