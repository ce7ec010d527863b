"""JSON Lines of sampled units: `{label, task, unit, level, sample, outcomes[]}`, one unit of one sample a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from qualityscore.core.passk import Sample
from qualityscore.errors import ReportError
from qualityscore.model.foreign import first_problem

Name = Annotated[str, Field(min_length=1)]
PASSED = "passed"
_Outcomes = Field(min_length=1)  # a unit without a test shows neither success nor failure


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    label: Name
    task: Name
    unit: Name
    level: Name
    sample: Annotated[int, Field(ge=0)]
    outcomes: Annotated[list[bool | Literal["passed", "failed", "skipped", "not_run", "tampered", "error"]], _Outcomes]


def parse_samples(lines: Iterable[str], source_name: str) -> list[Sample]:
    """The samples; blank lines are passed over. Raises ReportError with the line's number, also for a repeated one."""
    samples: list[Sample] = []
    seen: set[tuple[str, str, str, str, int]] = set()
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
        samples.append(
            Sample(
                label=read.label,
                task=read.task,
                unit=read.unit,
                level=read.level,
                sample=read.sample,
                passed=tuple(outcome is True or outcome == PASSED for outcome in read.outcomes),
            )
        )
    if not samples:
        raise ReportError(f"{source_name} holds no samples.")
    return samples
