"""Whether a subject can be imported through its task's surface: the first of the five stages."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass

from qualityscore.errors import HarnessError
from qualityscore.model.outcome import ModuleState
from qualityscore.runtime import contention
from qualityscore.runtime.sandbox.base import SUBJECT_DIR
from qualityscore.runtime.supervision import (
    EndEvent,
    Event,
    Group,
    GroupEvent,
    GroupState,
    Plan,
    Unit,
    UnitEvent,
    supervise,
)
from qualityscore.runtime.target import Target
from qualityscore.suites import failures
from qualityscore.suites.derived_files import START_S, start_timeout_s, suite_spec, zygote_arguments
from qualityscore.suites.observation import MALFORMED, read_raised

GROUP = "imports"
_AFTER_A_HANG = 0.5
_ENDING_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Imports:
    """The state of every module of the surface, in its order.

    `stopped` are those whose import hung or ended its process, with the reason: trying again would be waiting again.
    """

    modules: tuple[ModuleState, ...]
    stopped: Mapping[str, str]


class ImportStoppedError(Exception):
    """A module of the surface hung or ended its process when it was imported: the run is to be begun without it."""


class ImportTrial:
    """The imports of a surface, each tried once: in front of a run that happens anyway, and alone what that left.

    After an import that hangs, half a start time-out is left for all other modules; those below a module that was
    stopped, and those that find no time, are stopped as well.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._names = tuple(target.task.spec.surface.imports)
        self._start_s = start_timeout_s(suite_spec(target.task)) * contention.stretch()
        self._states: dict[str, ModuleState] = {}
        self._stopped: dict[str, str] = {}
        self._todo = self._names
        self._deadline: float | None = None
        self._lost: set[str] = set()

    def group(self) -> Group | None:
        """What is still to be imported, as a group for the front of a plan; None when nothing is."""
        return self._group(self._start_s) if self._todo else None

    def take(self, event: Event) -> bool:
        """Take in an event of that group; whether it was one, and the run may go on.

        Raises ImportStoppedError where a suite file would wait for, or end at, the same import.
        """
        if isinstance(event, EndEvent) or event.group != GROUP:
            return False
        if isinstance(event, UnitEvent) and self._take(event):
            raise ImportStoppedError
        return True

    def finish(self) -> Imports:
        """Try what no run tried yet, in sandboxes of its own.

        Raises HarnessError where the run is broken, else as `supervise` does.
        """
        while self._todo:
            left_s = self._start_s if self._deadline is None else self._deadline - time.monotonic()
            if left_s <= 0:
                reason = "not imported: the time for imports was spent by one that did not end"
                self._stopped |= dict.fromkeys(self._todo, reason)
                self._todo = ()
                break
            before = self._todo, len(self._lost)
            self._import_until_one_stops(min(self._start_s, left_s))
            if (self._todo, len(self._lost)) == before:
                self._stopped |= dict.fromkeys(self._todo, "its import did not come to its turn")
                self._todo = ()
        stopped = {name: self._stopped[name] for name in self._names if name in self._stopped}
        modules = tuple(
            self._states.get(name) or ModuleState(module=name, state="broken", message=stopped[name])
            for name in self._names
        )
        return Imports(modules=modules, stopped=stopped)

    def _take(self, event: UnitEvent) -> bool:
        """Note how one import ended; whether it was stopped. One that got no process is tried once more."""
        if event.zygote_lost and event.unit not in self._lost:
            self._lost.add(event.unit)
            return True
        self._states[event.unit], reason = _state(event)
        if reason is not None:
            self._stopped[event.unit] = reason
            for name in self._names:
                if name.startswith(f"{event.unit}."):
                    self._stopped.setdefault(name, reason)
        if event.timed_out and self._deadline is None:
            self._deadline = time.monotonic() + _AFTER_A_HANG * self._start_s
        self._todo = tuple(n for n in self._todo if n not in self._states and n not in self._stopped)
        return reason is not None

    def _group(self, timeout_s: float) -> Group:
        spec = suite_spec(self._target.task)
        return Group(
            id=GROUP,
            zygote="import_zygote",
            args={"roots": zygote_arguments(self._target, (), trace=False)["roots"], "subject": SUBJECT_DIR},
            units=tuple(
                Unit(
                    id=name,
                    args={"module": name},
                    timeout_s=timeout_s,
                    cpu_s=timeout_s,
                    memory_bytes=spec.memory_mib << 20,
                )
                for name in self._todo
            ),
            start_timeout_s=START_S * contention.stretch(),
            beside_total=True,
        )

    def _import_until_one_stops(self, timeout_s: float) -> None:
        """Import in order, up to the first that hangs or ends its process."""
        spec = suite_spec(self._target.task)
        plan = Plan(groups=(self._group(timeout_s),), total_timeout_s=_ENDING_S)
        with contextlib.closing(
            supervise(self._target, plan, memory_bytes=spec.memory_mib << 20, processes=spec.processes)
        ) as events:
            for event in events:
                if isinstance(event, GroupEvent) and event.state is not GroupState.READY:
                    raise HarnessError(f"What imports the surface did not start: {event.stderr.strip()[-300:]}.")
                if isinstance(event, UnitEvent) and self._take(event):
                    break
                if isinstance(event, EndEvent):
                    event.check()


def _state(event: UnitEvent) -> tuple[ModuleState, str | None]:
    """The state of a module, and why its import is not to be tried again, if it hung or ended its process."""
    name = event.unit
    ending = failures.of_unit(event)
    if ending is not None:
        return _stopped(name, ending.message)
    try:
        document = json.loads(event.messages[0])
        state, raised = document["state"], read_raised(document["raised"])
        if state == "importable":
            return ModuleState(module=name, state="importable"), None
        if raised is None:
            return ModuleState(module=name, state="missing", message="it is not in the repository"), None
        failure = failures.of_collection(raised)
        found = ModuleState(
            module=name,
            state="missing" if state == "missing" else "broken",
            message=failure.message,
            location=failure.location,
        )
        return found, None
    except MALFORMED:
        return _stopped(name, "the process ended with status 0")


def _stopped(name: str, how: str) -> tuple[ModuleState, str]:
    reason = f"importing {name}: {how}"
    return ModuleState(module=name, state="broken", message=reason), reason
