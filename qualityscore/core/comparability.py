"""What the provenance of two results allows to be compared (scoring.md section 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from qualityscore.errors import IncomparableError
from qualityscore.model.report import Report

STATIC_DIMENSIONS = ("maintainability", "security")
COST_DIMENSIONS = ("efficiency", "resource")
COST_TOOLS = frozenset({"memray", "valgrind", "perf"})
_BESIDE_THE_SUBJECT = frozenset({"pytest", "hypothesis"})  # run in the environment, whose lock decides them


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparability:
    """Why single dimensions, and with them NF, cannot be compared: the name of the differing field, by dimension."""

    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def non_functional(self) -> str | None:
        """Why NF cannot be compared; None where it can."""
        return next(iter(self.refused.values()), None)


def require_comparable(first: Report, second: Report, *, same_task: bool = True) -> Comparability:
    """What remains comparable of two reports.

    Raises IncomparableError, naming the field, where score model, profile or (for `same_task`) task digest differ, or
    where one is of a branch against its own past and the other of a task: then nothing is. Static dimensions also need
    the same tools, costs the same host, counter and sandbox, where both reports measured them.
    """
    pairs: list[tuple[str, Any, Any]] = [
        ("score_model", first.score_model, second.score_model),
        *_field(first, second, "profile_digest"),
    ]
    if same_task:
        pairs.append(("task.id", first.task.id, second.task.id))
    if first.task.id == second.task.id:
        pairs.append(("task.digest", first.task.digest, second.task.digest))
    if (first.branch is None) is not (second.branch is None):
        raise IncomparableError(
            f"The results cannot be compared: task.id differs ({_about(first)} and {_about(second)}), and a branch's "
            "own tests are no task; give reports of branches alone, or of tasks alone."
        )
    for field_name, one, other in pairs:
        if one != other:
            raise IncomparableError(
                f"The results cannot be compared: {field_name} differs ({_short(one)} and {_short(other)}); "
                f"{_remedy(field_name, first, second)}."
            )
    refused: dict[str, str] = {}
    static = _first_difference(_tools(first, second, cost=False))
    cost = _first_difference(_host(first, second))
    both = measured_dimensions(first) & measured_dimensions(second)
    for dimensions, name in ((STATIC_DIMENSIONS, static), (COST_DIMENSIONS, cost)):
        if name is not None:
            refused |= {one: name for one in dimensions if one in both}
    return Comparability(refused=refused)


def measured_dimensions(report: Report) -> frozenset[str]:
    """The dimensions that a report holds a measured value of: on others its tools and its host have no bearing."""
    return frozenset(
        name
        for name, dimension in report.dimensions.items()
        if any(measure.value is not None for measure in dimension.measures)
    )


def measures_of(report: Report) -> frozenset[str]:
    """The measures that a report holds."""
    return frozenset(measure.id for dimension in report.dimensions.values() for measure in dimension.measures)


def _remedy(field_name: str, first: Report, second: Report) -> str:
    """Scores come out again from measures that both hold; what was measured against another task does not."""
    if field_name in _JUDGED and measures_of(first) == measures_of(second):
        return "give qualityscore rescore one of them, with the profile of the other"
    return "evaluate one of them again"


_JUDGED = ("score_model", "profile_digest")
COST_FIELDS = (
    "host.interpreter",
    "host.libc",
    "host.machine",
    "host.cpu_features",
    "sandbox",
    "counter",
    "cost.valgrind",
)
"""What must agree before costs compare that were not measured beside each other (scoring.md section 5)."""
_ONLY_COUNTS = frozenset({"host.cpu_features", "cost.valgrind"})


def costs_differ(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """The first field that keeps costs under two provenances from being compared, with both values; None of none."""
    pairs = ((name, _at(one, name), _at(other, name)) for name in COST_FIELDS)
    return next((_said(*pair) for pair in pairs if pair[1] != pair[2]), None)


def static_tools_differ(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """The first static tool that differs between two provenances, with both versions; None of none."""
    first, second = _mapping(one, "tools"), _mapping(other, "tools")
    names = sorted((first.keys() | second.keys()) - COST_TOOLS - _BESIDE_THE_SUBJECT)
    pairs = ((f"tools.{name}", first.get(name), second.get(name)) for name in names)
    return next((_said(*pair) for pair in pairs if pair[1] != pair[2]), None)


def _at(provenance: Mapping[str, Any], path: str) -> Any:
    value: Any = provenance
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _said(name: str, one: Any, other: Any) -> str:
    return f"{name} differs ({one or 'nothing'} there, {other or 'nothing'} here)"


def require_pinned_costs(snapshot: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Whether the costs in a snapshot may stand for a live reference's (scoring.md section 5).

    Both are laid out as provenance is. CPU seconds go through the calibration workload, which the snapshot must hold,
    so that the processor may be another one.

    Raises IncomparableError, naming the field that differs.
    """
    counted = here.get("counter") != "cpu"
    fields = [name for name in COST_FIELDS if counted or name not in _ONLY_COUNTS]
    pairs = ((name, _at(snapshot, name), _at(here, name)) for name in fields)
    why = next((_said(*pair) for pair in pairs if pair[1] != pair[2]), None)
    if why is None and not counted and _at(snapshot, "cost.calibration.seconds") is None:
        why = "cost.calibration is not in it"
    if why is not None:
        raise IncomparableError(
            f"The snapshot's costs cannot stand for a live reference: {why}; leave out --no-live-reference, "
            "or take the snapshot again on this host."
        )


def _field(first: Report, second: Report, name: str) -> list[tuple[str, Any, Any]]:
    return [(name, first.provenance.get(name), second.provenance.get(name))]


def _tools(first: Report, second: Report, *, cost: bool) -> Iterator[tuple[str, Any, Any]]:
    one, other = _mapping(first.provenance, "tools"), _mapping(second.provenance, "tools")
    for tool in sorted(one.keys() | other.keys()):
        if (tool in COST_TOOLS) is cost and tool not in _BESIDE_THE_SUBJECT:
            yield f"tools.{tool}", one.get(tool), other.get(tool)


def _host(first: Report, second: Report) -> Iterator[tuple[str, Any, Any]]:
    for name in ("counter", "sandbox", "python"):
        yield from _field(first, second, name)
    one, other = _mapping(first.provenance, "host"), _mapping(second.provenance, "host")
    for name in sorted(one.keys() | other.keys()):
        if name != "fingerprint":
            yield f"host.{name}", one.get(name), other.get(name)
    yield "host.fingerprint", one.get("fingerprint"), other.get("fingerprint")
    yield from _tools(first, second, cost=True)


def _first_difference(pairs: Iterator[tuple[str, Any, Any]]) -> str | None:
    return next((name for name, one, other in pairs if one != other), None)


def _mapping(provenance: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = provenance.get(name)
    return value if isinstance(value, dict) else {}


def _about(report: Report) -> str:
    """What a report is about."""
    return f"{report.task.id} of a branch" if report.branch is not None else report.task.id


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 16 else text[:12] + "…"
