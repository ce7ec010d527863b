"""Between the frozen data and JSON. Reading is strict: foreign documents are validated, unknown keys refused."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from functools import cache
from typing import Any, cast, get_args, get_type_hints

from pydantic import ConfigDict, TypeAdapter, with_config

from qualityscore.model.consistency import contradictions
from qualityscore.model.report import Report
from qualityscore.model.snapshot import Snapshot

_STRICT = ConfigDict(extra="forbid", allow_inf_nan=False, populate_by_name=True, serialize_by_alias=True)


class InconsistentReportError(ValueError):
    """A report of the right form whose numbers rule each other out; the message names the key and the numbers."""


def _configure(kind: Any, seen: set[Any]) -> None:
    """Set the strict configuration on a dataclass and on all dataclasses that its fields name.

    pydantic takes no configuration for a dataclass from outside, and a nested one does not inherit its owner's.
    """
    if kind in seen or not isinstance(kind, type):
        for argument in get_args(kind):
            _configure(argument, seen)
        return
    seen.add(kind)
    for argument in get_args(kind):
        _configure(argument, seen)
    if is_dataclass(kind):
        with_config(_STRICT)(kind)
        for hint in get_type_hints(kind).values():
            _configure(hint, seen)


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """The validator and serialiser of one document type, strict at every depth."""
    _configure(kind, set())
    return TypeAdapter(kind)


def dump(document: Any) -> str:
    """JSON in ASCII with sorted keys and a final newline; the same document gives the same bytes.

    Everything beyond ASCII is escaped: a terminal obeys some of it (C1 controls, letters that turn the direction).
    A lone surrogate (from a file name that is not UTF-8, or made by a subject) is written as its escape in words, since
    no JSON reader takes it.
    """
    kind: type = type(document)
    return as_text(adapter(kind).dump_python(document, mode="python", by_alias=True))


def as_text(plain: Any) -> str:
    """Plain data as `dump` writes it."""
    return json.dumps(encodable(plain), indent=2, sort_keys=True, allow_nan=False) + "\n"


def encodable(value: Any) -> Any:
    """Plain data with every lone surrogate, in keys too, as its escape in words; tuples become lists."""
    if isinstance(value, str):
        return str(value).encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encodable(item) for item in value]
    return value


def load_report(text: str | bytes) -> Report:
    """Read a report.

    Raises pydantic.ValidationError on anything that is not one and InconsistentReportError on one that no evaluation
    can have written.
    """
    report = cast(Report, adapter(Report).validate_json(text))
    for contradiction in contradictions(report):
        raise InconsistentReportError(contradiction)
    return report


def load_snapshot(text: str | bytes) -> Snapshot:
    """Read a baseline snapshot. Raises pydantic.ValidationError on anything that is not one."""
    return cast(Snapshot, adapter(Snapshot).validate_json(text))


def report_schema() -> dict[str, Any]:
    """The JSON Schema of the report document, generated from the model."""
    schema = adapter(Report).json_schema(by_alias=True, mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "qualityscore report"
    return schema
