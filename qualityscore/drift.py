"""Telling how far a fresh measurement of a task's reference has drifted from the committed snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from qualityscore.core.comparability import COST_DIMENSIONS, STATIC_DIMENSIONS, costs_differ, static_tools_differ
from qualityscore.model.measure import Measured, Outcome, Part, Unit
from qualityscore.model.snapshot import Snapshot
from qualityscore.runtime import environment, tasks
from qualityscore.runtime.documents import load_profile
from qualityscore.runtime.fingerprint import fingerprint
from qualityscore.runtime.target import Target
from qualityscore.snapshots import measure_reference, reference_target
from qualityscore.suites.counters import choose, valgrind_version

RELATIVE_NOISE = {Unit.INSTRUCTIONS: 0.001, Unit.SECONDS: 0.05, Unit.BYTES: 0.01}
"""How far two medians of one measure may lie apart without samples to tell (scoring.md section 5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A fresh measurement beside the committed one.

    `lines` has one per measure; `beyond_interval` says whether any lies beyond its interval; `refused` are the measures
    that do not compare here, each with the field of the provenance that differs.
    """

    lines: tuple[str, ...]
    beyond_interval: bool
    refused: Mapping[str, str]


def drift(task: str, *, unsafe: bool = False) -> Drift:
    """Measure the pinned reference again and compare with the committed snapshot of this Python version.

    Costs are neither compared nor measured where the host, counter or sandbox differ from the snapshot's, static
    measures not compared where the tools do.
    """
    loaded = tasks.load_task(task)
    committed = tasks.read_snapshot(tasks.snapshot_path(loaded, environment.python_minor()), loaded)
    with reference_target(loaded, None, unsafe=unsafe) as target:
        costs = costs_differ(committed.provenance, _here(target))
        fresh = measure_reference(target, datetime.now(UTC), with_costs=costs is None)
    return compare(committed, fresh, costs=costs)


def _here(target: Target) -> dict[str, Any]:
    """The provenance of costs that would be measured now."""
    counter = choose("auto").counter
    return {
        "host": asdict(fingerprint()),
        "sandbox": target.sandbox.level.value,
        "counter": counter,
        "cost": {"valgrind": valgrind_version() if counter == "valgrind" else None},
    }


def compare(committed: Snapshot, fresh: Snapshot, *, costs: str | None) -> Drift:
    """The drift of each measure. `costs` is the field that keeps costs from being compared."""
    profile = load_profile("reference")
    units = {m.id: m.unit for d in profile.dimensions for m in d.metrics}
    static = static_tools_differ(committed.provenance, fresh.provenance)
    refused = {
        metric.id: field
        for dimensions, field in ((STATIC_DIMENSIONS, static), (COST_DIMENSIONS, costs))
        for dimension in profile.dimensions
        for metric in dimension.metrics
        if field is not None and dimension.id in dimensions
    }
    lines = []
    beyond = False
    for name in sorted(committed.measures.keys() | fresh.measures.keys()):
        if name in refused:
            lines.append(f"{name}: not compared, {refused[name]}")
            continue
        old, new = committed.measures.get(name), fresh.measures.get(name)
        if not isinstance(old, Measured) or not isinstance(new, Measured):
            moved = type(old) is not type(new)
            lines.append(f"{name}: {'drifted, ' if moved else ''}{_kind(old)} before, {_kind(new)} now")
            beyond |= moved
            continue
        noise = RELATIVE_NOISE.get(units.get(name, Unit.COUNT), 0.0)
        for label, before, after in _pairs(name, old, new):
            apart = _apart(before, after, noise)
            beyond |= apart
            verdict = "drifted beyond its interval" if apart else "within its interval"
            lines.append(f"{label}: {verdict}, {_middle(before):.6g} before, {_middle(after):.6g} now")
    gone = {t.id for t in committed.tests} ^ {t.id for t in fresh.tests}
    if gone:
        beyond = True
        lines.append(f"tests: {len(gone)} ids differ, first {sorted(gone)[0]}")
    return Drift(lines=tuple(lines), beyond_interval=beyond, refused=refused)


def _kind(outcome: Outcome | None) -> str:
    return "absent" if outcome is None else outcome.kind.replace("_", " ")


Samples = tuple[float, ...]


def _pairs(name: str, old: Measured, new: Measured) -> Iterator[tuple[str, Samples, Samples]]:
    """The measure itself, or each of its parts."""
    if not old.parts and not new.parts:
        yield name, old.samples or (old.value,), new.samples or (new.value,)
        return
    fresh = {part.id: part for part in new.parts}
    for part in old.parts:
        yield f"{name} {part.id}", _samples(part), _samples(fresh.get(part.id))


def _samples(part: Part | None) -> Samples:
    if part is None or part.value is None:
        return (float("inf"),)
    return part.samples or (part.value,)


def _middle(samples: Samples) -> float:
    ordered = sorted(samples)
    return ordered[len(ordered) // 2]


def _apart(before: Samples, after: Samples, noise: float) -> bool:
    """Whether the ranges of two sample sets, each widened by the relative noise, do not meet."""
    low = max(min(before) * (1 - noise), min(after) * (1 - noise))
    high = min(max(before) * (1 + noise), max(after) * (1 + noise))
    return low > high
