"""The robustness suite: frozen probes and hand-written properties, run on a subject and judged outside.

The rules are scoring.md section 4, Robustness; `survival.py` holds them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from qualityscore.errors import ReferenceFaultError
from qualityscore.model.outcome import EntryOutcome, Evidence, ProbeFailure, RobustnessOutcome
from qualityscore.runtime.sandbox.base import SUBJECT_DIR
from qualityscore.runtime.supervision import Event, Plan, supervise
from qualityscore.runtime.target import Target
from qualityscore.suites import properties
from qualityscore.suites.manifest import Manifest, Probe, ProbedEntry, Raised, Returned
from qualityscore.suites.observed import Ended
from qualityscore.suites.probe_limits import ProbeLimits, limits_of
from qualityscore.suites.probe_replay import EntryRecord, Script, replay
from qualityscore.suites.readable import show
from qualityscore.suites.snippet import program
from qualityscore.suites.survival import Verdict, gives_evidence, judge

_SHOWN = 5


def run(target: Target, manifest: Manifest, *, progress: Callable[[int, int], None] | None = None) -> RobustnessOutcome:
    """Replay the manifest's probes and run its properties on the target.

    `progress(done, total)` counts probes and properties. A subject's fault is in the outcome; on the reference, a
    surface that cannot be imported is a ReferenceFaultError. Where an import does not end nothing is run again.
    """
    began = time.monotonic()
    tell = progress or _silent
    probes = sum(len(entry.probes) for entry in manifest.entries)
    total = probes + len(manifest.properties)
    limits = limits_of(target.task)
    why = next(iter(target.stopped.values()), None)
    if why is not None:
        records = {entry.name: EntryRecord(absent=why) for entry in manifest.entries}
    else:
        records = answers(target, manifest, limits, progress=lambda done: tell(done, total))
        why = next((record.absent for record in records.values() if record.unprepared), None)
    entries = tuple(judge_entry(target, manifest, entry, records[entry.name]) for entry in manifest.entries)
    if target.is_reference and entries and all(entry.absent for entry in entries):
        raise ReferenceFaultError(f"the reference of task {target.task.id} answers no probe: {entries[0].details}")
    if why is not None:
        proven = properties.none_run(target, manifest, why)
    else:
        left_s = limits.total_s - min(limits.probes_s, time.monotonic() - began)
        proven = properties.run(target, manifest, total_s=left_s, progress=lambda done: tell(probes + done, total))
    return RobustnessOutcome(
        entries=entries,
        properties=proven,
        evidence=_evidence(records),
        duration_s=time.monotonic() - began,
    )


def _silent(done: int, total: int) -> None:
    del done, total


def answers(
    target: Target,
    manifest: Manifest,
    limits: ProbeLimits,
    *,
    progress: Callable[[int], None],
    env: Mapping[str, str] | None = None,
) -> dict[str, EntryRecord]:
    """What the target does on every probe of the manifest, by entry. `env` is added to the sandbox's environment."""
    return replay(
        [script(entry, limits) for entry in manifest.entries],
        launcher(target, processes=limits.processes, env=env),
        zygote_args(target),
        total_s=limits.probes_s,
        start_s=limits.start_s,
        output_bytes=limits.output_bytes,
        progress=progress,
    )


def script(entry: ProbedEntry, limits: ProbeLimits) -> Script:
    """What an entry's process is given: no kinds, no outcomes, nothing that says what would be right.

    The reference's own run set the entry's limits; the task's caps them, and a busy host stretches the time.
    """
    return Script(
        entry=entry.name,
        sensible=(entry.sensible.setup, entry.sensible.call),
        probes=tuple((index, probe.setup, probe.call) for index, probe in enumerate(entry.probes)),
        limit_s=min(entry.limit_s, limits.test_s) * limits.stretch,
        memory_bytes=min(entry.memory_bytes, limits.memory_bytes),
    )


def launcher(target: Target, **options: Any) -> Callable[[Plan], Iterator[Event]]:
    """Runs plans on the target; `options` are those of `supervise`."""
    return partial(supervise, target, **options)


def zygote_args(target: Target) -> dict[str, Any]:
    """What the zygote needs in order to import the surface."""
    paths = [SUBJECT_DIR if root == "." else f"{SUBJECT_DIR}/{root}" for root in target.tree.import_roots]
    return {"paths": paths, "imports": list(target.task.spec.surface.imports)}


def judge_entry(target: Target, manifest: Manifest, entry: ProbedEntry, record: EntryRecord) -> EntryOutcome:
    """The outcome of one entry. Where the sensible call did not return nothing is survived (absent)."""
    values = sum(probe.value for probe in entry.probes)
    if record.absent is not None:
        return EntryOutcome(
            entry=entry.name,
            survived=0,
            total=len(entry.probes),
            hard_fault=isinstance(record.sensible, Ended),
            absent=True,
            value_probes=values,
            failures=(_absence(target, entry, record),),
            details=record.absent,
        )
    verdicts = verdicts_of(target, manifest, entry, record)
    right = {
        probe.outcome.digest
        for index, (probe, verdict) in enumerate(zip(entry.probes, verdicts, strict=True))
        if verdict.right and isinstance(probe.outcome, Returned) and gives_evidence(probe, record.seen[index])
    }
    pairs = sorted(zip(entry.probes, verdicts, strict=True), key=_by_size)
    settled = [(probe, verdict) for probe, verdict in pairs if probe.kind != "hostile" and verdict.survived]
    different = [(probe, verdict) for probe, verdict in settled if not verdict.right]
    unsettled = [verdict for probe, verdict in pairs if probe.kind == "hostile" and verdict.survived]
    return EntryOutcome(
        entry=entry.name,
        survived=sum(verdict.survived for verdict in verdicts),
        total=len(entry.probes),
        hard_fault=any(verdict.hard for verdict in verdicts),
        right_values=len(right),
        value_probes=values,
        failures=tuple(failure(target, p, v) for p, v in [pair for pair in pairs if not pair[1].survived][:_SHOWN]),
        settled=len(settled),
        different=len(different),
        unsettled_different=sum(not verdict.right for verdict in unsettled),
        differences=tuple(failure(target, probe, verdict) for probe, verdict in different[:_SHOWN]),
    )


def verdicts_of(target: Target, manifest: Manifest, entry: ProbedEntry, record: EntryRecord) -> list[Verdict]:
    """One verdict per probe of a present entry, in order."""
    documented = frozenset(target.task.spec.documented_exceptions)
    return [
        judge(
            probe,
            record.seen[index],
            record.before.get(index),
            record.after.get(index),
            documented=documented,
            tolerance=manifest.float_tolerance,
        )
        for index, probe in enumerate(entry.probes)
    ]


def failure(target: Target, probe: Probe, verdict: Verdict) -> ProbeFailure:
    """A probe that was not survived, with the program that shows it."""
    wanted = expected(probe)
    note = f"expected: {wanted}\nseen: {verdict.seen}"
    return ProbeFailure(
        id=probe.id,
        kind=probe.kind,
        snippet=program(target.task.spec.surface.imports, probe.setup, probe.call, note),
        expected=wanted,
        seen=verdict.seen,
        hard=verdict.hard,
    )


def _absence(target: Target, entry: ProbedEntry, record: EntryRecord) -> ProbeFailure:
    """The sensible call that does not return, with the program that shows it."""
    wanted, seen = "a value", record.absent or ""
    note = f"expected: {wanted}\nseen: {seen}"
    return ProbeFailure(
        id=f"{entry.name}#sensible",
        kind="valid",
        snippet=program(target.task.spec.surface.imports, entry.sensible.setup, entry.sensible.call, note),
        expected=wanted,
        seen=seen,
        hard=isinstance(record.sensible, Ended),
    )


def expected(probe: Probe) -> str:
    """What the kind of a probe demands, in words."""
    match probe.kind, probe.outcome:
        case "valid", Returned() as outcome:
            return f"a value (the reference returns {show(outcome.value) if not outcome.large else outcome.shown})"
        case "guarded", Raised() as outcome:
            return f"a clean exception (the reference raises {outcome.type.rpartition('.')[2]})"
        case _:
            return "a value or a clean exception, and no hard fault"


def _by_size(pair: tuple[Probe, Verdict]) -> tuple[bool, int]:
    """Hard faults first, then the smallest input."""
    probe, verdict = pair
    return not verdict.hard, sum(map(len, probe.setup)) + len(probe.call)


def _evidence(records: dict[str, EntryRecord]) -> tuple[Evidence, ...]:
    odd = [(entry, note) for entry, record in records.items() for note in record.odd]
    return tuple(Evidence(kind="probe messages", message=f"{entry}: {note}") for entry, note in dict.fromkeys(odd))
