"""What a number is: its unit, its direction, and the three ways in which it can be missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal


class Direction(StrEnum):
    """Which way a measure is better."""

    HIGHER = "higher"
    LOWER = "lower"


class Unit(StrEnum):
    """The unit of a measure's raw value."""

    POINTS = "points"
    SHARE = "share"
    PER_100_LINES = "per_100_lines"
    PER_1000_LINES = "per_1000_lines"
    BYTES = "bytes"
    SECONDS = "seconds"
    INSTRUCTIONS = "instructions"
    RATIO = "ratio"
    PERCENT = "percent"
    COUNT = "count"


class Fault(StrEnum):
    """Who caused a missing or bad outcome (scoring.md section 1)."""

    SUBJECT = "subject"
    HARNESS = "harness"
    REFERENCE = "reference"


class Scoring(StrEnum):
    """How a measure becomes a score.

    `VALUE` normalises one value against the baseline's. `PARTS` is the arithmetic mean, over the baseline's parts,
    of the capped score of each part (a missing or wrong part scores 0). `SATURATING` is r/(1 + r) for the ratio r of
    a higher-is-better measure to its baseline, and `SHARE` takes the value, between 0 and 1, as the score: RAL-Bench's
    rules for its maintainability and its robustness.
    """

    VALUE = "value"
    PARTS = "parts"
    SATURATING = "saturating"
    SHARE = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec:
    """The definition of one scored measure.

    `epsilon` is the smoothing in the measure's unit; the smoothing that applies is
    `max(epsilon, epsilon_share * baseline)`. `tolerance` is the delta of scoring.md section 3 (0 for none).
    `floor_share` is the least share of the baseline that a value (or part) counts as (0 for none). `credible` says that
    the score is multiplied by credibility.
    """

    id: str
    title: str
    unit: Unit
    better: Direction
    epsilon: float
    epsilon_share: float = 0.0
    tolerance: float = 0.0
    floor_share: float = 0.0
    scoring: Scoring = Scoring.VALUE
    credible: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One workload's share of a measure made of parts.

    `value` is in the unit of the measure. `right` is False where the workload's result differs from the reference's
    (the part then scores 0). `log_ratios` are paired samples of log(reference/subject) where the cost was measured in
    pairs; empty for deterministic counts and for the reference itself. `widening` is what their median may be off by
    beyond their scatter, as a logarithm. `fault` says whose doing a missing value is where it is not the subject's: the
    part is then unmeasured rather than worth 0.
    """

    id: str
    value: float | None
    right: bool = True
    samples: tuple[float, ...] = ()
    log_ratios: tuple[float, ...] = ()
    widening: float = 0.0
    note: str | None = None
    fault: Fault | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A number that was measured. `details` is plain JSON data for the report."""

    value: float
    samples: tuple[float, ...] = ()
    parts: tuple[Part, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    kind: Literal["measured"] = "measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """A number that could not be had, and whose fault that is."""

    reason: str
    fault: Fault
    details: dict[str, Any] = field(default_factory=dict)
    kind: Literal["unavailable"] = "unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """A number that the baseline does not define: no fault, and out of the matrix for both sides."""

    reason: str
    kind: Literal["not_applicable"] = "not_applicable"


Outcome = Measured | Unavailable | NotApplicable
