"""Mutants that a person found to change nothing that can be observed: `equivalent_mutants.toml` of a task."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from qualityscore.errors import TaskError
from qualityscore.model.foreign import first_problem, read_toml

FILE_NAME = "equivalent_mutants.toml"
MOST_OF_A_TASK = 0.15


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Marked(_Strict):
    id: str
    replacement: str
    reason: Annotated[str, Field(min_length=10)]


class _Document(_Strict):
    mutants: list[_Marked] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalents:
    """The reasons by (mutant id, replacement)."""

    reasons: dict[tuple[str, str], str]


def read_equivalents(task_folder: Path) -> Equivalents:
    """The task's marked mutants, none where it has no such file. Raises TaskError with the key that is wrong."""
    file = task_folder / FILE_NAME
    if not file.is_file():
        return Equivalents(reasons={})
    try:
        document = _Document.model_validate(read_toml(file.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TaskError(f"{file} cannot be read: {error}.") from None
    except ValidationError as error:
        known = (*_Document.model_fields, *_Marked.model_fields)
        raise TaskError(f"{file} is not valid: {first_problem(error, known)}.") from None
    return Equivalents(reasons={(m.id, m.replacement): m.reason for m in document.mutants})
