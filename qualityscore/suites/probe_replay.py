"""Replaying the probes of many entries: rounds of sandboxed runs until every probe has been seen or has had its turn.

A crash or a hang ends the process of its entry and costs that probe only: the rest of the entry is run in the next
round. After three hangs of an entry its remaining probes count as hangs. Nothing is judged here.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from qualityscore.inside.decode import parse
from qualityscore.runtime import contention
from qualityscore.runtime.supervision import EndEvent, Event, Group, GroupEvent, GroupState, Plan, Unit, UnitEvent
from qualityscore.suites.observed import Ended, GaveValue, RaisedError, Seen, read_unit

MAX_HANGS = 3
UNIT_LIMIT_S = 20.0
_MESSAGE_BYTES = 4 << 20

Launcher = Callable[[Plan], Iterator[Event]]
Step = tuple[int, list[str], str] | tuple[int, list[str], str, list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What one entry's process is given: the sensible call, the probes as (index, setup, call), and limits.

    `unit_s` bounds all of it in CPU time and, stretched on a busy host, in wall time.
    Where probes are built, each has a fourth item: expressions for its arguments.
    """

    entry: str
    sensible: tuple[list[str], str]
    probes: tuple[Step, ...]
    limit_s: float
    memory_bytes: int
    unit_s: float = UNIT_LIMIT_S


@dataclass(slots=True, kw_only=True)
class EntryRecord:
    """What was seen of one entry. `absent` says why its sensible call did not return; then nothing else was run.
    `unprepared`: the surface could not be imported for it.

    `before` and `after` hold the sensible call's outcome just before and after each probe.
    """

    sensible: Seen | None = None
    absent: str | None = None
    unprepared: bool = False
    seen: dict[int, Seen] = field(default_factory=dict)
    before: dict[int, Seen] = field(default_factory=dict)
    after: dict[int, Seen] = field(default_factory=dict)
    cpu_s: dict[int, float] = field(default_factory=dict)
    effects: dict[int, tuple[str, ...]] = field(default_factory=dict)
    maxrss_bytes: int = 0
    odd: list[str] = field(default_factory=list)
    hangs: int = 0


def replay(
    scripts: Iterable[Script],
    launch: Launcher,
    zygote_args: dict[str, Any],
    *,
    total_s: float,
    start_s: float,
    output_bytes: int = 16 << 10,
    progress: Callable[[int], None],
) -> dict[str, EntryRecord]:
    """Run all scripts; every entry has a record, and every probe of a present entry has been seen.

    `total_s` bounds everything, `start_s` one import of the surface, `output_bytes` what one process prints.
    `progress` is told the number of probes that are done. What the total limit cuts off counts as hanging.

    Raises HarnessError where a run is broken, else as `launch` does.
    """
    todo = {script.entry: script for script in scripts}
    records = {entry: EntryRecord() for entry in todo}
    deadline = time.monotonic() + total_s
    while todo:
        left = deadline - time.monotonic()
        if left <= 0:
            for entry, script in todo.items():
                _give_up(records[entry], script, "the time for all probes was up")
            break
        plan = _plan(todo.values(), zygote_args, left, start_s, output_bytes)
        again: dict[str, Script] = {}
        answered: set[str] = set()
        for event in launch(plan):
            if isinstance(event, EndEvent):
                event.check()
                break
            if isinstance(event, GroupEvent):
                if event.state is not GroupState.READY:
                    for entry in todo:
                        records[entry].absent = records[entry].absent or why_failed(event)
                        records[entry].unprepared = records[entry].sensible is None
                        answered.add(entry)
                continue
            script = todo[event.unit]
            answered.add(event.unit)
            rest = _take(records[event.unit], script, event)
            if rest:
                again[event.unit] = replace(script, probes=rest)
            progress(sum(len(r.seen) for r in records.values()))
        for entry in todo.keys() - answered:
            _give_up(records[entry], todo[entry], "the time for all probes was up")
        todo = again
    return records


def _plan(
    scripts: Iterable[Script], zygote_args: dict[str, Any], left_s: float, start_s: float, output_bytes: int
) -> Plan:
    units = tuple(
        Unit(
            id=script.entry,
            args={
                "sensible": [-1, *script.sensible],
                "probes": [list(probe) for probe in script.probes],
                "limit_s": script.limit_s,
            },
            timeout_s=max(script.unit_s * contention.stretch(), 2 * script.limit_s),
            cpu_s=max(script.unit_s, 2 * script.limit_s),
            memory_bytes=script.memory_bytes,
        )
        for script in scripts
    )
    group = Group(
        id="probes", zygote="probe_zygote", args=zygote_args, units=units, start_timeout_s=min(start_s, left_s)
    )
    return Plan(groups=(group,), total_timeout_s=left_s, message_bytes=_MESSAGE_BYTES, output_bytes=output_bytes)


def _take(record: EntryRecord, script: Script, event: UnitEvent) -> tuple[Step, ...]:
    """Enter one unit's report; what is left to run is returned."""
    asked = [step[0] for step in script.probes]
    unit = read_unit(event.messages, asked)
    record.odd += unit.odd
    record.cpu_s |= unit.cpu_s
    record.effects |= unit.effects
    record.maxrss_bytes = max(record.maxrss_bytes, event.maxrss_bytes)
    if record.sensible is None:
        record.sensible = unit.sensible or how_it_ended(event)
        if not isinstance(record.sensible, GaveValue):
            record.absent = _why_absent(record.sensible)
            return ()
    before = unit.sensible
    for position, index in enumerate(asked):
        if index not in unit.probes or before is None:
            ended = how_it_ended(event)
            record.seen[index] = ended
            return _rest(record, script, position, ended)
        record.seen[index] = unit.probes[index]
        record.before[index] = before
        if index not in unit.after:
            ended = how_it_ended(event)
            record.after[index] = ended
            return _rest(record, script, position, ended)
        before = record.after[index] = unit.after[index]
    return ()


def _rest(record: EntryRecord, script: Script, position: int, ended: Ended) -> tuple[Step, ...]:
    rest = script.probes[position + 1 :]
    if ended.how == "hang":
        record.hangs += 1
        if record.hangs >= MAX_HANGS:
            for index, *_ in rest:
                record.seen[index] = Ended(how="hang", detail=f"not run: {MAX_HANGS} probes of this entry hung before")
            return ()
    return rest


def _give_up(record: EntryRecord, script: Script, why: str) -> None:
    if record.sensible is None:
        record.absent = record.absent or why
    for index, *_ in script.probes:
        record.seen.setdefault(index, Ended(how="hang", detail=why))


def how_it_ended(event: UnitEvent) -> Ended:
    """Which ending the kernel and the supervisor told."""
    if event.oom:
        return Ended(how="memory", detail="")
    if event.timed_out or event.signal in (signal.SIGALRM, signal.SIGXCPU):
        return Ended(how="hang", detail="")
    if event.overflow:
        return Ended(how="exit", detail="flooded the result channel")
    if event.signal is not None:
        return Ended(how="signal", detail=_signal_name(event.signal))
    if event.zygote_lost:
        return Ended(how="signal", detail="its parent process was lost")
    return Ended(how="exit", detail=f"exit status {event.exit}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _why_absent(sensible: Seen) -> str:
    match sensible:
        case Ended():
            words = {"hang": "hangs", "signal": "crashes", "exit": "leaves the process", "memory": "fills the memory"}
            return f"its sensible call {words[sensible.how]}{f' ({sensible.detail})' if sensible.detail else ''}"
        case RaisedError():
            return f"its sensible call raises {sensible.type.rpartition('.')[2]}: {sensible.text}"
        case GaveValue():
            return ""


def why_failed(event: GroupEvent) -> str:
    """Why the surface could not be imported, in words."""
    if event.state is GroupState.TIMEOUT:
        return "importing the surface does not end"
    try:
        told = parse(event.messages[-1])
        return f"the surface cannot be imported: {told['exception']}: {told['text']}"[:500]
    except (ValueError, LookupError, TypeError):
        ending = _signal_name(event.signal) if event.signal is not None else f"exit status {event.exit}"
        return f"importing the surface ends the process ({ending})"
