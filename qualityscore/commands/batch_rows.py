"""Rows of a batch that have no report, read from its results.jsonl: a subject's zero, or a result that is missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from qualityscore.core.leaderboard import MISSING, REFUSED, Result
from qualityscore.errors import ReportError, TaskError
from qualityscore.execution.manifest import LARGEST_LINE_BYTES
from qualityscore.execution.output import REPORTS, RESULTS
from qualityscore.model.foreign import first_problem
from qualityscore.model.report import DIMENSIONS
from qualityscore.runtime.documents import is_file, is_folder
from qualityscore.runtime.tasks import load_task

_LONGEST_BYTES = 16 * LARGEST_LINE_BYTES
"""A line repeats what its row of the manifest says, escaped."""
_Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Line(BaseModel):
    """What is read of a line of results.jsonl. `report` names a file beside it, which says all there is to say."""

    model_config = ConfigDict(frozen=True, strict=True)

    row: int
    label: str | None
    sample: int | None
    repository: str
    task: str
    state: Literal["done", "refused", "harness"]
    components: dict[str, _Share | None] | None
    report: str | None


def results_files(files: Iterable[Path], folder: Path) -> Iterator[Path]:
    """The results.jsonl of every batch among the files below `folder`, and of the batch whose reports it is itself."""
    yield from (f for f in files if f.name == RESULTS and is_file(f) and is_folder(f.parent / REPORTS))
    if folder.resolve().name == REPORTS and is_file(folder.resolve().parent / RESULTS):
        yield folder.resolve().parent / RESULTS


def lines_of(file: Path) -> dict[int, Line]:
    """The last line of every row: a batch that is running appends. Raises ReportError for a line that is none."""
    found: dict[int, Line] = {}
    read = 0
    try:
        with file.open("rb") as lines:
            while text := lines.readline(_LONGEST_BYTES):
                read += 1
                line = Line.model_validate(json.loads(text))
                found[line.row] = line
    except OSError as error:
        raise ReportError(f"{file} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        raise ReportError(f"{file}, line {read}, is not a batch's: {first_problem(error)}.") from error
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{file}, line {read}, is not JSON; let the batch write it again.") from error
    return found


def task_names(lines: Iterable[Line], ids: Mapping[str, str]) -> dict[str, str]:
    """The id of each task that the lines name, which may do so by its folder; `ids` are those of rows with a report."""
    return {line.task: ids.get(line.task) or _id_of(line.task) for line in lines}


def _id_of(task: str) -> str:
    try:
        return load_task(task).id
    except TaskError:
        return Path(task).name  # the folder is not on this machine


def result_of_line(line: Line, task: str) -> Result:
    """A row without a report as a result.

    Refused for what the subject holds: 0 in all that was asked for, and not built. Not there, or the harness's fault:
    nothing is known, so that every score is None.
    """
    label = line.label or Path(line.repository).name or line.repository
    scores = line.components
    if line.state != "refused" or scores is None:
        return Result(label=label, task=task, sample=line.sample or 0, status=MISSING)
    functional, non_functional = scores.get("F"), scores.get("NF")
    return Result(
        label=label,
        task=task,
        sample=line.sample or 0,
        functional=functional,
        non_functional=non_functional,
        effective=None if functional is None or non_functional is None else functional * non_functional,
        credibility=scores.get("credibility"),
        dimensions={name: scores.get(name) for name in DIMENSIONS},
        build=functional,
        full=functional,
        status=REFUSED,
    )
