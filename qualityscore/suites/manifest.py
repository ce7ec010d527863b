"""The frozen probes of a task: `probes/<task>/manifest.json`, read strictly."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from qualityscore.errors import HarnessError, TaskError
from qualityscore.model.foreign import first_problem, non_finite
from qualityscore.runtime.documents import MAX_REPORT_BYTES, read_at_most

SCHEMA_VERSION = 1
FILE_NAME = "manifest.json"

VALUE_DEPTH = 150
"""Levels of JSON objects and arrays that a value in a manifest may have. Its parser bears 200 in all, six of which are
above a value; `inside/encode.py` gives up to four for each level of a value."""

Kind = Literal["valid", "guarded", "hostile"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def bears(value: Any, most: int = VALUE_DEPTH) -> bool:
    """Whether an encoded value has at most so many levels of objects and arrays; by default what a manifest holds."""
    level = [value]
    for _ in range(most + 1):
        inner = [item for item in level if isinstance(item, dict | list)]
        if not inner:
            return True
        level = [part for item in inner for part in (item.values() if isinstance(item, dict) else item)]
    return False


class Returned(_Strict):
    """The reference gave a value: its digest and, where it is not large, the encoded value itself. A value nested
    beyond VALUE_DEPTH counts as large.

    `mutates` names the plain built-in arguments that the reference changed; a subject may change these too.
    """

    kind: Literal["returned"] = "returned"
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    value: Any = None
    large: bool = False
    shown: str
    mutates: list[str] = []

    @field_validator("value")
    @classmethod
    def _value_is_borne(cls, value: Any) -> Any:
        if not bears(value):
            raise ValueError(f"a value is nested more than {VALUE_DEPTH} levels deep")
        if non_finite(value):
            raise ValueError("a value should hold finite numbers only")
        return value


class Raised(_Strict):
    """The reference raised: the exception's type and the raise site as the review names it."""

    kind: Literal["raised"] = "raised"
    type: str
    site: str
    mutates: list[str] = []


class Call(_Strict):
    """Statements that prepare, and the expression that is the probe, in a namespace with the surface's modules."""

    setup: list[str]
    call: str


class Probe(_Strict):
    """One frozen input of one entry.

    `inputs` names the accepted-input class that the review decided on. `value` marks a probe whose right value is
    evidence of credibility: valid, non-trivial, not an argument returned, and unlike the entry's other value probes.
    """

    id: str
    kind: Kind
    setup: list[str]
    call: str
    inputs: str
    outcome: Annotated[Returned | Raised, Field(discriminator="kind")]
    value: bool = False

    @model_validator(mode="after")
    def _kind_fits_outcome(self) -> Probe:
        needed = {"valid": "returned", "guarded": "raised"}.get(self.kind)
        if needed is not None and self.outcome.kind != needed:
            raise ValueError(f"probe {self.id} is {self.kind}, but the reference {self.outcome.kind}")
        if self.value and self.kind != "valid":
            raise ValueError(f"probe {self.id} is a value probe and not valid")
        return self


class ProbedEntry(_Strict):
    """A surface entry with its sensible call (required arguments only), limits and probes.

    `limit_s` bounds one run; `memory_bytes` bounds the process that runs all of them.
    """

    name: str
    sensible: Call
    limit_s: Annotated[float, Field(ge=2.0)]
    memory_bytes: Annotated[int, Field(ge=256 << 20)]
    probes: Annotated[list[Probe], Field(min_length=1)]


class Property(_Strict):
    """A hypothesis property: the surface entries that it calls on the reference, and the limits of its process."""

    id: str
    entries: list[str]
    limit_s: Annotated[float, Field(ge=2.0)]
    memory_bytes: Annotated[int, Field(ge=256 << 20)]


class NotProbed(_Strict):
    """A surface entry, or one of its parameters, for which nothing could be made, and why."""

    entry: str
    parameter: str | None = None
    reason: str


class Manifest(_Strict):
    """All probes of a task. `dropped` counts, per reason, candidates that the reference did not survive steadily."""

    schema_version: Literal[1]
    task_id: str
    reference: str
    seed: int
    hash_seeds: list[int]
    float_tolerance: Annotated[float, Field(ge=0, lt=1)]
    entries: list[ProbedEntry]
    properties: list[Property] = []
    not_probed: list[NotProbed] = []
    dropped: dict[str, int] = {}

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Manifest:
        for ids in ([e.name for e in self.entries], [p.id for e in self.entries for p in e.probes]):
            twice = min((i for i, count in Counter(ids).items() if count > 1), default=None)
            if twice is not None:
                raise ValueError(f"{twice!r} occurs twice")
        return self

    @property
    def digest(self) -> str:
        """SHA-256 of the manifest as it is written."""
        return hashlib.sha256(dump(self).encode()).hexdigest()


def dump(manifest: Manifest) -> str:
    """JSON with sorted keys and one probe's field per line; the same manifest gives the same bytes."""
    plain = manifest.model_dump(mode="json", exclude_defaults=False)
    return json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=True, allow_nan=False) + "\n"


def load(probes_folder: Path) -> Manifest:
    """Read the manifest in a task's probes folder. Raises TaskError with one sentence where there is no valid one."""
    file = probes_folder / FILE_NAME
    try:
        raw = read_at_most(file, MAX_REPORT_BYTES)
    except OSError as error:
        raise TaskError(
            f"The probe manifest {file} cannot be read ({error.strerror}); build it with: qualityscore probes build."
        ) from error
    if raw is None:
        raise TaskError(f"The probe manifest {file} is larger than {MAX_REPORT_BYTES} bytes; build it again.")
    try:
        return Manifest.model_validate_json(raw)
    except ValidationError as error:
        raise TaskError(f"The probe manifest {file} is not valid: {first_problem(error)}; build it again.") from error


def as_read(manifest: Manifest) -> Manifest:
    """The manifest as it is when it has been written and loaded. Raises HarnessError where it would not be the same."""
    text = dump(manifest)
    try:
        again = Manifest.model_validate_json(text)
    except ValidationError as error:
        raise HarnessError(f"The manifest that was built could not be loaded: {first_problem(error)}.") from error
    if dump(again) != text:
        raise HarnessError("The manifest that was built would be loaded as another one.")
    return again
