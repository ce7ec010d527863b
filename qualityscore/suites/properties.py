"""Hand-written hypothesis properties of a task, run on a subject, each in a process of its own."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from qualityscore.errors import ReferenceFaultError, TaskError
from qualityscore.inside.decode import parse
from qualityscore.model.outcome import PropertyOutcome
from qualityscore.runtime.sandbox.base import SUBJECT_DIR, SUITE_DIR
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.supervision import EndEvent, Group, GroupEvent, GroupState, Plan, Unit, UnitEvent, supervise
from qualityscore.runtime.target import Target
from qualityscore.suites.manifest import Manifest, Property
from qualityscore.suites.probe_limits import ProbeLimits, limits_of
from qualityscore.suites.probe_replay import how_it_ended, why_failed

FILE_NAME = "probes.py"
EXAMPLES = 100
_TRACED_EXAMPLES = 15  # tracing slows every call down, and a few examples enter what a property calls
_SURVEY_LIMIT_S = 300.0
_PROPERTY_LIMIT_S = 4.0  # of CPU time; a property takes about 0.2 s on a reference
_WAITING = 4  # wall time per CPU time on a busy host
_MEMORY_BYTES = 1 << 30


class _Raised(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    type: str
    text: str


class _Report(BaseModel):
    """The one message of a property's process."""

    model_config = ConfigDict(extra="forbid", strict=True)

    passed: bool
    raised: _Raised | None = None
    notes: str = ""
    entries: list[str] = []


def run(
    target: Target,
    manifest: Manifest,
    *,
    total_s: float,
    seed: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[PropertyOutcome, ...]:
    """One outcome per property of the manifest, in its order, within `total_s`. With a seed, other examples are drawn.

    Properties that the time does not reach have failed.
    """
    reports = _launch(target, manifest.properties, total_s=total_s, seed=seed, trace=False, progress=progress)
    return tuple(_outcome(target, prop, reports.get(prop.id)) for prop in manifest.properties)


def none_run(target: Target, manifest: Manifest, why: str) -> tuple[PropertyOutcome, ...]:
    """The outcomes of all properties where the surface is known not to be importable, for the reason `why`."""
    return tuple(_outcome(target, prop, why) for prop in manifest.properties)


def survey(target: Target) -> list[Property]:
    """The properties of a task's file with the surface entries that each calls, recorded on the reference.

    Raises ReferenceFaultError where a property does not hold on it, or calls nothing of the surface.
    """
    wanted = [
        Property(id=name, entries=[], limit_s=_SURVEY_LIMIT_S, memory_bytes=_MEMORY_BYTES)
        for name in names(target.task.probes_folder / FILE_NAME)
    ]
    reports = _launch(target, wanted, total_s=_SURVEY_LIMIT_S, seed=None, trace=True, progress=None)
    found = []
    for prop in wanted:
        report = reports.get(prop.id)
        if not isinstance(report, _Report) or not report.passed:
            outcome = _outcome(target, prop, report)
            raise ReferenceFaultError(f"the property {prop.id} does not hold on the reference: {outcome.message}")
        if not report.entries:
            raise ReferenceFaultError(f"the property {prop.id} calls no entry of the surface")
        found.append(
            Property(id=prop.id, entries=report.entries, limit_s=_PROPERTY_LIMIT_S, memory_bytes=_MEMORY_BYTES)
        )
    return found


def names(file: Path) -> tuple[str, ...]:
    """The `prop_*` functions of a properties file in order; none without a file. Raises TaskError on bad syntax."""
    if not file.is_file():
        return ()
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError) as error:
        raise TaskError(f"The properties {file} are not Python: {error}.") from error
    return tuple(n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("prop_"))


def _launch(
    target: Target,
    wanted: list[Property],
    *,
    total_s: float,
    seed: int | None,
    trace: bool,
    progress: Callable[[int], None] | None,
) -> dict[str, _Report | str]:
    """Per property its report, or in words why there is none. Raises HarnessError where the run is broken."""
    if not wanted:
        return {}
    reports: dict[str, _Report | str] = {}
    with scratch_folder("qualityscore-properties-") as suite:
        suite.chmod(0o755)
        shutil.copyfile(target.task.probes_folder / FILE_NAME, suite / FILE_NAME)
        limits = limits_of(target.task)
        plan = _plan(target, wanted, limits, total_s=total_s, seed=seed, trace=trace)
        for event in supervise(target, plan, suite=suite, processes=limits.processes):
            match event:
                case GroupEvent() if event.state is not GroupState.READY:
                    reports = {prop.id: why_failed(event) for prop in wanted}
                case UnitEvent():
                    reports[event.unit] = _report(event)
                    if progress is not None:
                        progress(len(reports))
                case EndEvent():
                    event.check()
                case GroupEvent():
                    pass
    for prop in wanted:
        reports.setdefault(prop.id, "the time for all properties was up")
    return reports


def _plan(
    target: Target, wanted: list[Property], limits: ProbeLimits, *, total_s: float, seed: int | None, trace: bool
) -> Plan:
    """Limits are those of the manifest, capped by the task's; where properties are surveyed, no cap on the time."""
    paths = [SUBJECT_DIR if root == "." else f"{SUBJECT_DIR}/{root}" for root in target.tree.import_roots]
    args: dict[str, Any] = {
        "paths": paths,
        "imports": list(target.task.spec.surface.imports),
        "file": f"{SUITE_DIR}/{FILE_NAME}",
        "examples": _TRACED_EXAMPLES if trace else EXAMPLES,
        "seed": seed,
        "entries": [entry.name for entry in target.task.surface.entries if not entry.bodiless],
    }

    def cpu_s(prop: Property) -> float:
        return prop.limit_s if trace else min(prop.limit_s, limits.test_s)

    units = tuple(
        Unit(
            id=prop.id,
            args={"property": prop.id, "trace": trace},
            timeout_s=cpu_s(prop) * _WAITING * limits.stretch,
            cpu_s=cpu_s(prop),
            memory_bytes=min(prop.memory_bytes, limits.memory_bytes),
        )
        for prop in wanted
    )
    start_s = _SURVEY_LIMIT_S if trace else limits.start_s
    group = Group(id="properties", zygote="probe_properties", args=args, units=units, start_timeout_s=start_s)
    return Plan(groups=(group,), total_timeout_s=total_s, output_bytes=limits.output_bytes)


def _report(event: UnitEvent) -> _Report | str:
    if not event.left_normally:
        ended = how_it_ended(event)
        return f"its process did not end well: {ended.how}{f' ({ended.detail})' if ended.detail else ''}"
    if len(event.messages) != 1:
        return "its process sent no report, or several"
    try:
        return _Report.model_validate(parse(event.messages[0]))
    except ValueError:
        return "its process sent what is no report"


def _outcome(target: Target, prop: Property, report: _Report | str | None) -> PropertyOutcome:
    if isinstance(report, _Report) and report.passed:
        return PropertyOutcome(id=prop.id, passed=True, entries=tuple(prop.entries))
    claim = _claim(target, prop.id)
    if not isinstance(report, _Report):
        message = report or "it was not run"
        return PropertyOutcome(id=prop.id, passed=False, entries=tuple(prop.entries), message=f"{claim} {message}")
    raised = f"{report.raised.type.rpartition('.')[2]}: {report.raised.text}".rstrip(": ") if report.raised else ""
    return PropertyOutcome(
        id=prop.id,
        passed=False,
        entries=tuple(prop.entries),
        message=f"{claim} {raised}".strip(),
        snippet=_snippet(report.notes),
    )


def _snippet(notes: str) -> str | None:
    """Hypothesis's smallest failing example as a call, where it gave one."""
    for words in ("Failing test case: ", "Falsifying example: "):  # hypothesis changed its words
        _, found, example = notes.partition(words)
        if found:
            return example.strip()
    return None


def _claim(target: Target, name: str) -> str:
    """The documented claim: the property's docstring."""
    try:
        tree = ast.parse((target.task.probes_folder / FILE_NAME).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ""
    body = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name), None)
    return (ast.get_docstring(body) or "") if body else ""
