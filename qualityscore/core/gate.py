"""A gate: conditions over the numbers of a report, read strictly from TOML, decided without any effect.

Three kinds of condition, told apart by their keys:

    number = "branch.tests.broken.count"      any number of the report's JSON, by its path; `count` is a list's length,
    max = 0                                   and an entry of a list is named by its id; `min` and `max` bound it

    findings = "new"                          new, fixed or all findings; only those of `severity` (at least) and `code`
    severity = "high"                         count
    max = 0

    drop = "maintainability"                  a dimension, `functional`, `credibility`, or a measure: how far it lies
    max = 0.05                                below 1, its whole interval, so that noise fails nothing
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from qualityscore.core.asked import Asked, has_findings
from qualityscore.errors import SettingsError
from qualityscore.model.branch import NOT_ASKED, SEVERITIES, Condition, GateReport
from qualityscore.model.finding import Severity
from qualityscore.model.foreign import first_problem, read_toml

_EXAMPLES = 5
_CLOSE = 1e-9


class ConditionSpec(BaseModel):
    """One condition as written. `accepts_removed` says that --accept-removed switches it off; `if_measured` that a
    number which the report does not have passes."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str | None = None
    number: str | None = None
    findings: Literal["new", "fixed", "all"] | None = None
    drop: str | None = None
    severity: Literal["high", "medium", "low", "info"] | None = None
    code: str | None = None
    min: Annotated[float | None, Field(allow_inf_nan=False)] = None
    max: Annotated[float | None, Field(allow_inf_nan=False)] = None
    accepts_removed: bool = False
    if_measured: bool = False

    @model_validator(mode="after")
    def _one_kind(self) -> ConditionSpec:
        if sum(kind is not None for kind in (self.number, self.findings, self.drop)) != 1:
            raise ValueError("give exactly one of number, findings or drop")
        if self.min is None and self.max is None:
            raise ValueError("give min, max or both")
        if self.findings is None and (self.severity or self.code):
            raise ValueError("severity and code belong to a condition on findings")
        if self.drop is not None and (self.max is None or self.min is not None):
            raise ValueError("a drop needs max, and no min")
        return self

    @model_validator(mode="after")
    def _can_be_met_and_missed(self) -> ConditionSpec:
        """What the bounds alone make impossible, or certain, is a mistake. Counts have no upper bound, drops lie in
        0 to 1."""
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min:g} is above max {self.max:g}, so that nothing can meet it")
        if self.drop is not None and self.max is not None and not 0 <= self.max < 1:
            why = "nothing can meet it" if self.max < 0 else "everything meets it"
            raise ValueError(f"a drop lies between 0 and 1, so that {why} with max {self.max:g}")
        if self.findings is not None or (self.number or "").endswith(".count"):
            if self.max is not None and self.max < 0:
                raise ValueError(f"a count is never below 0, so that nothing can meet max {self.max:g}")
            if self.max is None and self.min is not None and self.min <= 0:
                raise ValueError(f"a count is never below 0, so that everything meets min {self.min:g}")
        return self


class GateSpec(BaseModel):
    """A gate as written; `default` puts the default conditions before its own."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    default: bool = False
    condition: list[ConditionSpec] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Conditions with where they come from."""

    source: str
    conditions: tuple[ConditionSpec, ...]


KEYS = (*GateSpec.model_fields, *ConditionSpec.model_fields)


def parse_gate(text: str, source: str, default: Gate | None = None) -> Gate:
    """Read a gate from TOML. Raises SettingsError with one sentence; an unknown key gets a suggestion."""
    try:
        spec = GateSpec.model_validate(read_toml(text))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"The gate {source} is not TOML: {error}.") from error
    except ValidationError as error:
        raise SettingsError(f"The gate {source} is not valid: {first_problem(error, KEYS)}.") from error
    return gate_of(spec, source, default)


def gate_of(spec: GateSpec, source: str, default: Gate | None) -> Gate:
    """A gate from its validated form. Raises SettingsError for one that asks for nothing."""
    before = default.conditions if spec.default and default is not None else ()
    conditions = (*before, *spec.condition)
    if not conditions:
        raise SettingsError(f"The gate {source} has no condition; write one, or default = true.")
    return Gate(source=source, conditions=conditions)


def decide(gate: Gate, report: Mapping[str, Any], *, accept_removed: bool = False) -> GateReport:
    """Decide every condition on a report in its JSON form; one on what the caller did not ask for is met.

    One on what was asked for and not measured, though no fault of the subject kept it from that, is undecided.
    Raises SettingsError for a path that the report does not have.
    """
    decided = tuple(
        _decide(spec, report, gate.source) for spec in gate.conditions if not (spec.accepts_removed and accept_removed)
    )
    return GateReport(
        source=gate.source,
        passed=all(one.passed for one in decided),
        conditions=decided,
        accept_removed=accept_removed,
    )


def _decide(spec: ConditionSpec, report: Mapping[str, Any], source: str) -> Condition:
    if spec.findings is not None:
        return _on_findings(spec, report)
    if spec.drop is not None:
        return _on_drop(spec, report, source)
    assert spec.number is not None
    value, owner = look_up(report, spec.number, source)
    name = spec.name or spec.number
    if not Asked(report).number(spec.number):
        return Condition(name=name, passed=True, numbers=NOT_ASKED)
    if value is None:
        return _unmeasured(name, spec.number, report, passed=spec.if_measured)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SettingsError(f"The gate {source} bounds {spec.number!r}, which is no number but {_kind(value)}.")
    if spec.number.startswith(("findings.", "branch.findings.")) and _is_open(value, spec, report):
        return _unmeasured(name, "a part of the findings", report, passed=False)
    passed = _within(value, spec)
    advice = "" if passed or not spec.accepts_removed else "; --accept-removed accepts it"
    return Condition(
        name=name,
        passed=passed,
        numbers=f"{spec.number} is {_short(value)}, {_bounds(spec)}{advice}",
        examples=() if passed else _examples(owner[:_EXAMPLES]),
    )


def _on_findings(spec: ConditionSpec, report: Mapping[str, Any]) -> Condition:
    branch = report.get("branch")
    found: Sequence[Mapping[str, Any]] = report.get("findings", ())
    compared = branch["findings"] if branch else None
    if spec.findings != "all":
        found = compared[spec.findings] if compared else ()
    least = list(SEVERITIES).index(Severity(spec.severity)) if spec.severity else len(SEVERITIES)
    chosen = [
        finding
        for finding in found
        if list(SEVERITIES).index(Severity(finding["severity"])) <= least
        and (spec.code is None or finding["code"] == spec.code)
    ]
    name = spec.name or _kind_of_findings(spec, "findings")
    if not Asked(report).findings():
        return Condition(name=name, passed=True, numbers=NOT_ASKED)
    if spec.findings != "all" and not branch:
        return Condition(name=name, passed=spec.if_measured, numbers="there is no baseline to compare findings with")
    if spec.findings != "all" and not compared:
        return _unmeasured(name, f"what findings are {spec.findings}", report, passed=spec.if_measured)
    if _is_open(len(chosen), spec, report):
        return _unmeasured(name, "a part of the findings", report, passed=False)
    passed = _within(len(chosen), spec)
    counted = _kind_of_findings(spec, "finding" if len(chosen) == 1 else "findings")
    return Condition(
        name=name,
        passed=passed,
        numbers=f"{len(chosen)} {counted}, {_bounds(spec)}",
        examples=tuple(_example(finding) for finding in chosen[:_EXAMPLES]) if not passed else (),
    )


def _kind_of_findings(spec: ConditionSpec, noun: str) -> str:
    """Which findings a condition counts, in words."""
    words = (
        "" if spec.findings == "all" else str(spec.findings),
        spec.code or "",
        noun,
        f"of severity {spec.severity} or above" if spec.severity and spec.severity != "high" else "",
        "of high severity" if spec.severity == "high" else "",
    )
    return " ".join(word for word in words if word)


def _on_drop(spec: ConditionSpec, report: Mapping[str, Any], source: str) -> Condition:
    assert spec.drop is not None
    assert spec.max is not None
    name = spec.name or f"drop of {spec.drop}"
    scored = _scored(report, spec.drop, source)
    if not Asked(report).score(spec.drop):
        return Condition(name=name, passed=True, numbers=NOT_ASKED)
    score, high = scored.get("score"), scored.get("high", scored.get("score"))
    if scored.get("applicable") is False or (score is None and spec.if_measured and not _cause(report)):
        return Condition(name=name, passed=True, numbers=f"{spec.drop} does not apply")
    if score is None or high is None:
        return _unmeasured(name, spec.drop, report, passed=False)
    lost = max(0.0, 1.0 - high)
    interval = f" (up to {high:.3f})" if high - score > 0.0005 else ""
    return Condition(
        name=name,
        passed=lost <= spec.max + _CLOSE,
        numbers=f"{spec.drop} is {score:.3f}{interval} of the baseline's, at most {spec.max:g} may be lost",
    )


def _unmeasured(name: str, what: str, report: Mapping[str, Any], *, passed: bool) -> Condition:
    """A condition on what was not measured: open where that is nobody's but the harness's or the caller's doing."""
    cause = _cause(report)
    if cause is None:
        return Condition(name=name, passed=passed, numbers=f"{what} was not measured")
    return Condition(name=name, passed=False, undecided=True, numbers=f"not decided: {what} was not measured ({cause})")


def _cause(report: Mapping[str, Any]) -> str | None:
    """The first fault that is not the subject's; None where there is none."""
    return next((str(fault["reason"]) for fault in report.get("faults", ()) if fault["fault"] != "subject"), None)


def _is_open(count: float, spec: ConditionSpec, report: Mapping[str, Any]) -> bool:
    """Whether findings that a fault kept from being made could change what a condition on their number says."""
    if _cause(report) is None or (spec.max is not None and count > spec.max + _CLOSE):
        return False
    if spec.max is None and spec.min is not None and count >= spec.min - _CLOSE:
        return False
    return any(
        dimension.get("score") is None and dimension.get("applicable", True) and not dimension.get("left_out", False)
        for name, dimension in report["dimensions"].items()
        if has_findings(name)
    )


def _scored(report: Mapping[str, Any], name: str, source: str) -> Mapping[str, Any]:
    """The part of the report that has a score: a dimension, a measure, or one of the totals."""
    totals = {key: report[key] for key in ("functional", "credibility", "non_functional")}
    dimensions = report["dimensions"]
    measures = {measure["id"]: measure for dimension in dimensions.values() for measure in dimension["measures"]}
    known: dict[str, Mapping[str, Any]] = {**measures, **dimensions, **totals}
    if name not in known:
        raise SettingsError(f"The gate {source} names {name!r}, which has no score; {near(name, known)}")
    return known[name]


def look_up(document: Any, path: str, source: str) -> tuple[Any, Sequence[Any]]:
    """The value at a path of the report, and the list that it counts (empty where it counts none).

    A null on the way gives a null. Raises SettingsError for a path that the report does not have.
    """
    owner: Sequence[Any] = ()
    rest = path
    while rest:
        if document is None:
            return None, ()
        if isinstance(document, list | tuple):
            if rest == "count":
                return len(document), document
            names = {str(item.get("id")): item for item in document if isinstance(item, Mapping)}
        elif isinstance(document, Mapping):
            names = dict(document)
        else:
            names = {}
        step = next((n for n in sorted(names, key=len, reverse=True) if rest == n or rest.startswith(f"{n}.")), None)
        if step is None:
            raise SettingsError(
                f"The gate {source} names {path!r}, which the report does not have; {near(rest, _offered(names))}"
            )
        document, rest = names[step], rest[len(step) + 1 :]
    return document, owner


def _offered(names: Mapping[str, Any]) -> Iterator[str]:
    yield from names


def near(name: str, known: Any) -> str:
    """What was probably meant by a name, or what there is, as the end of a sentence."""
    names = sorted(map(str, known))
    near = difflib.get_close_matches(name.partition(".")[0], names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"there it has {', '.join(names[:20])}." if names else "there it has nothing to name."


def _within(value: float, spec: ConditionSpec) -> bool:
    return (spec.min is None or value >= spec.min - _CLOSE) and (spec.max is None or value <= spec.max + _CLOSE)


def _bounds(spec: ConditionSpec) -> str:
    words = []
    if spec.min is not None:
        words.append(f"at least {spec.min:g}")
    if spec.max is not None:
        words.append(f"at most {spec.max:g}")
    return " and ".join(words) + (" is allowed" if spec.min is None else " is asked for")


def _short(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _examples(items: Sequence[Any]) -> tuple[str, ...]:
    """One line each; what only repeats the reason of the one before says so instead."""
    reasons = [item.get("reason") if isinstance(item, Mapping) else None for item in items]
    return tuple(
        _example({**item, "reason": "the same as above"} if i and reasons[i] and reasons[i] == reasons[i - 1] else item)
        for i, item in enumerate(items)
    )


def _example(item: Any) -> str:
    """One line about a test, a name or a finding."""
    if not isinstance(item, Mapping):
        return str(item)
    if "code" in item and "message" in item:
        place = f"{item.get('path') or '(project)'}" + (f":{item['line']}" if item.get("line") else "")
        return f"{place} {item['code']}: {item['message']}"
    label = str(item.get("id") or item.get("name") or "")
    reason = item.get("reason")
    return f"{label}: {reason}" if reason else label


def _kind(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "a list (bound its count)"
    if isinstance(value, Mapping):
        return "a group of numbers (bound one of them)"
    return f"{value!r}"
