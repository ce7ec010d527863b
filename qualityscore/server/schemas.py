"""The documents of the service's interface. Requests are read strictly; unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from qualityscore.execution.manifest import Counter, Part

MOST_SUBJECTS = 1024
"""Of one request, whatever the service's own limit is."""
_SHORT = Annotated[str, Field(min_length=1, max_length=4096)]
_FILES = Annotated[dict[str, str], Field(min_length=1, max_length=10_000)]
_EXAMPLE = "def slugify(text, **options):\n    return '-'.join(text.lower().split())\n"
_EXAMPLE_FILES: dict[str, JsonValue] = {"slugify/__init__.py": _EXAMPLE}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Asked(_Strict):
    """How a subject is to be evaluated: as `qualityscore evaluate` takes it."""

    task: Annotated[str, Field(min_length=1, max_length=4096, description="a task's id, from /v1/tasks")]
    only: Annotated[
        tuple[Part, ...] | None,
        Field(strict=False, description="functional and dimensions; the rest is left out without fault"),
    ] = None
    profile: _SHORT = "reference"
    counter: Counter = "auto"

    @model_validator(mode="after")
    def _only_names_something(self) -> Asked:
        if self.only is not None and not self.only:
            raise ValueError("'only' names nothing; leave it out to measure everything")
        return self


class Subject(_Strict):
    """A subject's sources: a map of files, or a path below one of the service's roots."""

    files: Annotated[_FILES | None, Field(description="relative path to text")] = None
    path: Annotated[_SHORT | None, Field(description="a folder or an archive below an allowed root")] = None
    label: _SHORT | None = None
    sample: Annotated[int, Field(ge=0, lt=1 << 31)] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Subject:
        if (self.files is None) == (self.path is None):
            raise ValueError("give either 'files' or 'path'")
        return self


class EvaluationRequest(Asked, Subject):
    """One evaluation."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        json_schema_extra={
            "examples": [{"task": "python-slugify", "only": ["functional"], "files": _EXAMPLE_FILES, "label": "a"}]
        },
    )


class ScoreRequest(Asked):
    """Subjects to score while the caller waits."""

    subjects: Annotated[tuple[Subject, ...], Field(min_length=1, max_length=MOST_SUBJECTS, strict=False)]
    timeout_s: Annotated[float, Field(gt=0, le=86_400, strict=False)] = 600.0

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        json_schema_extra={
            "examples": [{"task": "python-slugify", "only": ["functional"], "subjects": [{"files": _EXAMPLE_FILES}]}]
        },
    )


class Progress(BaseModel):
    """Where a running evaluation is."""

    stage: str
    done: int
    total: int


class EvaluationState(BaseModel):
    """How far an evaluation is. Its score stands apart, in `result`, and in the report."""

    id: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    task: str
    label: str | None
    sample: int | None
    created: str
    started: str | None
    ended: str | None
    progress: Progress | None = None
    code: str | None = None
    reason: str | None = None
    result: Score | None = None
    links: dict[str, str]


class Score(BaseModel):
    """`score` is F x NF; `components`: F, NF, the dimensions, credibility. Null where not measured: see `reason`."""

    score: float | None
    components: dict[str, float | None] | None
    status: str | None
    reason: str | None
    id: str | None = None


class Scores(BaseModel):
    """One score per subject, in their order; `score` and `components` are the first one's."""

    score: float | None
    components: dict[str, float | None] | None
    results: list[Score]


class TaskEntry(BaseModel):
    """A task that can be asked for."""

    id: str
    title: str
    language: str
    level: str
    reference: str
    digest: str


class Problem(BaseModel):
    """What was wrong: a stable code and one sentence."""

    code: str
    message: str


class ErrorDocument(BaseModel):
    """Every answer that is not a success."""

    error: Problem

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"error": {"code": "QS-101", "message": "Give either 'files' or 'path'."}}]}
    )


EvaluationState.model_rebuild()

_ID = "1f0e9c7d4b5a46f2a4a1c3d5e7f90b21"
_COMPONENTS: dict[str, JsonValue] = {
    "F": 0.75,
    "NF": None,
    "maintainability": None,
    "security": None,
    "robustness": None,
    "efficiency": None,
    "resource": None,
    "credibility": 1.0,
}
_SCORE: dict[str, JsonValue] = {
    "score": None,
    "components": _COMPONENTS,
    "status": "ok",
    "reason": "not asked for: maintainability, security, robustness, efficiency, resource",
    "id": _ID,
}
STATE_EXAMPLE: dict[str, JsonValue] = {
    "id": _ID,
    "status": "queued",
    "task": "python-slugify",
    "label": "a",
    "sample": None,
    "created": "2026-01-01T12:00:00.000+00:00",
    "started": None,
    "ended": None,
    "progress": None,
    "code": None,
    "reason": None,
    "result": None,
    "links": {
        "self": f"/v1/evaluations/{_ID}",
        "report": f"/v1/evaluations/{_ID}/report",
        "events": f"/v1/evaluations/{_ID}/events",
    },
}
ENDED_EXAMPLE: dict[str, JsonValue] = {
    **STATE_EXAMPLE,
    "status": "succeeded",
    "started": "2026-01-01T12:00:01.000+00:00",
    "ended": "2026-01-01T12:00:03.000+00:00",
    "result": _SCORE,
}
SCORES_EXAMPLE: dict[str, JsonValue] = {"score": None, "components": _COMPONENTS, "results": [_SCORE]}
TASKS_EXAMPLE: list[JsonValue] = [
    {
        "id": "python-slugify",
        "title": "Slugs from Unicode text",
        "language": "python",
        "level": "repository",
        "reference": "python-slugify 8.0.4",
        "digest": "0" * 64,
    }
]
HEALTH_EXAMPLE: dict[str, JsonValue] = {"status": "ok", "queued": 3, "running": 2}
UPLOAD_EXAMPLE: dict[str, JsonValue] = {"archive": "model-a.tar.gz", "only": "functional", "label": "a", "sample": 0}
"""In place of the archive stands its file's name."""

UPLOAD_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["archive", "task"],
    "properties": {
        "archive": {"type": "string", "format": "binary", "description": "a tar, zip, wheel or sdist, with its name"},
        "task": {"type": "string", "minLength": 1, "maxLength": 4096},
        "only": {"type": "string", "description": "functional and dimensions, comma-separated"},
        "profile": {"type": "string", "minLength": 1},
        "counter": {"type": "string", "enum": ["auto", "instructions", "valgrind", "cpu"]},
        "label": {"type": "string", "minLength": 1, "maxLength": 4096},
        "sample": {"type": "integer", "minimum": 0},
    },
    "additionalProperties": False,
}
