"""A scoring profile: dimensions, their measures, and the judgements that weigh them. Read strictly from TOML text."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from itertools import combinations
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from qualityscore.core.ahp import Matrix, check, combine_experts, consistent, judgement_text, weigh
from qualityscore.errors import ProfileError
from qualityscore.model.foreign import first_problem, leading, read_toml
from qualityscore.model.measure import Direction, MetricSpec, Scoring, Unit

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.-]*$")]
_COMPARISON = re.compile(r"^\s*(\S+)\s+over\s+(\S+)\s*:\s*(\S+)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionSpec:
    """One dimension: its measures, and the judgement matrix among them in the same order."""

    id: str
    title: str
    metrics: tuple[MetricSpec, ...]
    matrix: Matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How measures become scores. `matrix` compares the dimensions, in their order. `digest` covers all that scores."""

    name: str
    title: str
    dimensions: tuple[DimensionSpec, ...]
    matrix: Matrix
    digest: str

    @property
    def measure_ids(self) -> tuple[str, ...]:
        """Every measure of the profile, in order."""
        return tuple(metric.id for dimension in self.dimensions for metric in dimension.metrics)


def _judgement(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError('a judgement is a number, or a fraction in quotes such as "1/3"')
    return value


_Judgement = Annotated[float | str, BeforeValidator(_judgement)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Expert(_Strict):
    name: str
    matrix: list[list[_Judgement]] | None = None
    comparisons: list[str] | None = None


class _Judgements(_Strict):
    matrix: list[list[_Judgement]] | None = None
    comparisons: list[str] | None = None
    weights: dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]] | None = None
    experts: list[_Expert] | None = None


class _Measure(_Strict):
    id: Name
    title: str
    unit: Unit
    better: Direction
    epsilon: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    epsilon_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    tolerance: Annotated[float, Field(ge=0, lt=1)] = 0.0
    floor_share: Annotated[float, Field(ge=0, lt=1)] = 0.0
    scoring: Scoring = Scoring.VALUE
    credible: bool = False


class _Dimension(_Strict):
    id: Name
    title: str
    measures: Annotated[list[_Measure], Field(min_length=1)]
    judgements: _Judgements | None = None


class _Document(_Strict):
    name: str
    title: str
    dimensions: Annotated[list[_Dimension], Field(min_length=1)]
    judgements: _Judgements | None = None


_TABLES: dict[tuple[str, ...], type[BaseModel]] = {
    (): _Document,
    ("judgements",): _Judgements,
    ("judgements", "experts"): _Expert,
    ("dimensions",): _Dimension,
    ("dimensions", "measures"): _Measure,
    ("dimensions", "judgements"): _Judgements,
    ("dimensions", "judgements", "experts"): _Expert,
}


def parse_profile(text: str, source_name: str) -> Profile:
    """The profile in a TOML text; `source_name` stands in error messages for where the text came from.

    Judgements are given as a `matrix` (numbers or fractions such as "1/2"), as `comparisons`
    ("security over efficiency: 3", one per pair), as `weights` (the consistent matrix of their ratios), or as several
    `experts`, whose judgements are combined by geometric mean.

    Raises ProfileError for anything else, unknown keys and contradicting judgements included.
    """
    try:
        document = _Document.model_validate(read_toml(text))
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{source_name} is not TOML: {error}.") from None
    except ValidationError as error:
        raise ProfileError(f"{source_name}: {_problem(error)}") from None
    try:
        return _build(document)
    except ProfileError as error:
        raise ProfileError(f"{source_name}: {error}") from None


def with_matrix(profile: Profile, dimension: str | None, matrix: Matrix) -> Profile:
    """The profile with other judgements among its dimensions, or among the measures of one of them."""
    if dimension is None:
        changed = replace(profile, matrix=matrix)
    else:
        changed = replace(
            profile,
            dimensions=tuple(replace(d, matrix=matrix) if d.id == dimension else d for d in profile.dimensions),
        )
    return replace(changed, digest=_digest(changed.dimensions, changed.matrix))


def parse_comparisons(comparisons: Sequence[str], names: Sequence[str]) -> Matrix:
    """The matrix of one comparison per pair, each written "A over B: 3" (or "1/3"). Raises ProfileError."""
    n = len(names)
    cells: dict[tuple[int, int], float] = {}
    for line in comparisons:
        match = _COMPARISON.match(line)
        if match is None:
            raise ProfileError(f'The comparison "{line}" is not of the form "A over B: 3".')
        i, j = (_index(name, names, line) for name in match.group(1, 2))
        if i == j:
            raise ProfileError(f'The comparison "{line}" compares {names[i]} with itself.')
        if (i, j) in cells:
            raise ProfileError(f"{names[i]} and {names[j]} are compared twice; keep one comparison.")
        value = _number(match.group(3), f'the comparison "{line}"')
        if value <= 0:
            raise ProfileError(f'The comparison "{line}" must have a value above 0.')
        cells[i, j], cells[j, i] = value, 1 / value
    missing = [f"{names[i]} with {names[j]}" for i, j in combinations(range(n), 2) if (i, j) not in cells]
    if missing:
        raise ProfileError(
            f"Every pair needs a comparison ({n * (n - 1) // 2} in all); missing: {', '.join(missing)}. "
            'Add one for each, such as "A over B: 3".'
        )
    return tuple(tuple(1.0 if i == j else cells[i, j] for j in range(n)) for i in range(n))


def comparisons_of(matrix: Matrix, names: Sequence[str]) -> tuple[str, ...]:
    """The inverse of `parse_comparisons`, for showing a matrix in words."""
    n = len(names)
    return tuple(
        f"{names[i]} over {names[j]}: {judgement_text(matrix[i][j])}" for i in range(n) for j in range(i + 1, n)
    )


def _build(document: _Document) -> Profile:
    _unique([d.id for d in document.dimensions], "dimension")
    _unique([m.id for d in document.dimensions for m in d.measures], "measure")
    dimensions = tuple(
        DimensionSpec(
            id=d.id,
            title=d.title,
            metrics=tuple(MetricSpec(**m.model_dump()) for m in d.measures),
            matrix=_matrix(d.judgements, [m.id for m in d.measures], f"dimension {d.id}"),
        )
        for d in document.dimensions
    )
    matrix = _matrix(document.judgements, [d.id for d in document.dimensions], "the dimensions")
    return Profile(
        name=document.name,
        title=document.title,
        dimensions=dimensions,
        matrix=matrix,
        digest=_digest(dimensions, matrix),
    )


def _digest(dimensions: tuple[DimensionSpec, ...], matrix: Matrix) -> str:
    scoring: dict[str, Any] = {
        "matrix": matrix,
        "dimensions": [
            {"id": d.id, "matrix": d.matrix, "metrics": [_without_title(m) for m in d.metrics]} for d in dimensions
        ],
    }
    return hashlib.sha256(json.dumps(scoring, sort_keys=True).encode()).hexdigest()


def _without_title(metric: MetricSpec) -> dict[str, Any]:
    return {key: value for key, value in asdict(metric).items() if key != "title"}


def _matrix(judgements: _Judgements | None, names: list[str], where: str) -> Matrix:
    given = [] if judgements is None else [k for k, v in judgements.model_dump().items() if v is not None]
    if not given and len(names) == 1:
        return ((1.0,),)
    if judgements is None or len(given) != 1:
        raise ProfileError(
            f"The judgements of {where} need exactly one of matrix, comparisons, weights or experts"
            + (f", not {' and '.join(given)}." if given else ".")
        )
    try:
        return _judged(judgements, names)
    except ProfileError as error:
        raise ProfileError(f"The judgements of {where} cannot be used ({given[0]}). {error}") from None


def _judged(judgements: _Judgements, names: list[str]) -> Matrix:
    if judgements.weights is not None:
        for name in judgements.weights:
            _index(name, names, "weights")
        missing = [name for name in names if name not in judgements.weights]
        if missing:
            raise ProfileError(f"Missing in weights: {', '.join(missing)}.")
        return check(consistent([judgements.weights[name] for name in names]), names)
    if judgements.experts is not None:
        if not judgements.experts:
            raise ProfileError("The list of experts is empty.")
        combined = combine_experts([_expert_matrix(expert, names) for expert in judgements.experts])
        weigh(combined, names)
        return combined
    return _one_matrix(judgements.matrix, judgements.comparisons, names)


def _expert_matrix(expert: _Expert, names: list[str]) -> Matrix:
    if (expert.matrix is None) == (expert.comparisons is None):
        raise ProfileError(f"Expert {expert.name} needs exactly one of matrix or comparisons.")
    try:
        return _one_matrix(expert.matrix, expert.comparisons, names)
    except ProfileError as error:
        raise ProfileError(f"Expert {expert.name}: {error}") from None


def _one_matrix(matrix: list[list[float | str]] | None, comparisons: list[str] | None, names: list[str]) -> Matrix:
    if matrix is not None:
        numbers = [[_number(v, "the judgement matrix") for v in row] for row in matrix]
        judged = check(numbers, names)
    else:
        judged = parse_comparisons(comparisons or [], names)
    weigh(judged, names)
    return judged


def _number(value: float | str, where: str) -> float:
    if isinstance(value, int | float):
        return float(value)
    above, slash, below = value.partition("/")
    try:
        return float(above) / float(below) if slash else float(above)
    except (ValueError, ZeroDivisionError):
        raise ProfileError(f'"{value}" in {where} is not a number or a fraction such as 1/3.') from None


def _index(name: str, names: Sequence[str], where: str) -> int:
    if name not in names:
        raise ProfileError(f'"{name}" in "{where}" is not one of {", ".join(names)}{_suggestion(name, names)}.')
    return names.index(name)


def _unique(names: list[str], what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ProfileError(f"The {what} {name} is defined twice.")


def _suggestion(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _problem(error: ValidationError) -> str:
    table = _TABLES.get(tuple(str(p) for p in leading(error)["loc"][:-1] if not isinstance(p, int)))
    return first_problem(error, tuple(table.model_fields) if table else ()) + "."
