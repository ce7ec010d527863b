"""JSON Lines of sampled units: `{label, task, unit, level, sample, outcomes[]}`, one unit of one sample a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from qualityscore.core.passk import Sample
from qualityscore.errors import ReportError
from qualityscore.model.foreign import first_problem

Name = Annotated[str, Field(min_length=1)]
PASSED = "passed"
FAILED = ("failed", "skipped", "not_run", "tampered", "error")


def _outcome(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value == PASSED or value in FAILED:
        return value == PASSED
    raise ValueError(f"an outcome is true, false or one of the words {', '.join((PASSED, *FAILED))}")


def _tested(outcomes: list[bool]) -> list[bool]:
    if not outcomes:  # shows neither success nor failure
        raise ValueError("the list is empty; give an outcome for each test of the unit")
    return outcomes


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    label: Name
    task: Name
    unit: Name
    level: Name
    sample: Annotated[int, Field(ge=0)]
    outcomes: Annotated[list[Annotated[bool, BeforeValidator(_outcome)]], AfterValidator(_tested)]


def parse_samples(lines: Iterable[str], source_name: str) -> list[Sample]:
    """The samples; blank lines are passed over.

    Raises ReportError with the line's number, also for a repeated one and for a unit with another number of outcomes
    than before: with fewer tests it would be easier to pass.
    """
    samples: list[Sample] = []
    seen: set[tuple[str, str, str, str, int]] = set()
    tests: dict[tuple[str, str, str], tuple[int, int]] = {}
    for number, text in enumerate(lines, start=1):
        line = text.removeprefix("\ufeff") if number == 1 else text
        if not line.strip():
            continue
        try:
            read = _Line.model_validate_json(line)
        except ValidationError as error:
            raise ReportError(f"{source_name}:{number}: {first_problem(error, _Line.model_fields)}.") from None
        identity = (read.label, read.task, read.unit, read.level, read.sample)
        if identity in seen:
            raise ReportError(
                f"{source_name}:{number}: sample {read.sample} of {read.unit} ({read.task}, {read.label}) is repeated."
            )
        seen.add(identity)
        count = len(read.outcomes)
        before, begun = tests.setdefault((read.level, read.task, read.unit), (count, number))
        if count != before:
            raise ReportError(
                f"{source_name}:{number}: {read.unit} of {read.task} has {count} outcomes here and {before} in line "
                f"{begun}; give one for each test of the unit, not_run for one that did not run."
            )
        samples.append(
            Sample(
                label=read.label,
                task=read.task,
                unit=read.unit,
                level=read.level,
                sample=read.sample,
                passed=tuple(read.outcomes),
            )
        )
    if not samples:
        raise ReportError(f"{source_name} holds no samples.")
    return samples
