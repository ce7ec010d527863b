"""Running groups of units under the supervisor in the sandbox, and reading what it reports.

The supervisor (`inside/supervisor.py`) is process 1 of the sandbox; a plan goes to its standard input, events come
back as JSON lines. Everything that a unit sent is foreign data: it is handed on as bytes, and judged elsewhere.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from qualityscore.errors import HarnessError
from qualityscore.runtime.leases import spare_cpus
from qualityscore.runtime.process import Exited, Limits, OutputFlooded, ProcessOutcome, TimedOut
from qualityscore.runtime.sandbox.base import ENV_DIR, INSIDE_DIR, SUBJECT_DIR, SUITE_DIR, Launch, Mount
from qualityscore.runtime.sandbox.scenery import package_folders
from qualityscore.runtime.target import Target

INSIDE_SOURCES = Path(__file__).parents[1] / "inside"

_GRACE_S = 20.0  # for the interpreter's start and the last kills; the supervisor keeps the plan's own limit
_LARGEST_REPORT = 512 << 20
# Numeric libraries start a pool of threads at import otherwise, and a process with threads is not forked from.
_SINGLE_THREADED = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class ForkMode(StrEnum):
    """Where a unit's process comes from: a fork of the group's prepared zygote, or a preparation of its own."""

    ZYGOTE = "zygote"
    FRESH = "fresh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One process to run. Times in seconds, `memory_bytes` for each of its processes and for all together."""

    id: str
    args: Any  # JSON-able; handed to `run(state, args, send)`
    timeout_s: float
    cpu_s: float
    memory_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Units that share a preparation by `inside/<zygote>.py` (or by a module at an absolute path inside).

    The time of a group `beside_total` does not count towards the plan's; only its own limits bound it.
    """

    id: str
    zygote: str
    args: Any  # JSON-able; handed to `prepare(args)`
    units: tuple[Unit, ...]
    start_timeout_s: float = 30.0
    fork_mode: ForkMode = ForkMode.ZYGOTE
    beside_total: bool = False

    @property
    def longest_s(self) -> float:
        """Seconds that all its limits come to."""
        return self.start_timeout_s + sum(unit.timeout_s for unit in self.units)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Groups, carried out in order. `message_bytes` and `output_bytes` hold for each unit and each preparation."""

    groups: tuple[Group, ...]
    total_timeout_s: float
    message_bytes: int = 1 << 20
    output_bytes: int = 1 << 16

    @property
    def longest_s(self) -> float:
        """Seconds that it may take with the groups beside its total."""
        return self.total_timeout_s + sum(group.longest_s for group in self.groups if group.beside_total)


class GroupState(StrEnum):
    """How a preparation ended."""

    READY = "ready"
    FAILED = "failed"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEvent:
    """A preparation. `messages` are what it sent and, when it raised, last a JSON description of the exception.

    `exit` and `signal` are set when it failed; `stderr` holds its standard output and error, capped.
    """

    group: str
    state: GroupState
    messages: tuple[bytes, ...]
    exit: int | None
    signal: int | None
    stderr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitEvent:
    """A unit's end as the kernel told it: `exit` or `signal`; neither when it ran out of our sight or never ran.

    `oom`: it was killed for the memory (or the files) of all its processes, or left on a MemoryError. `overflow`: it
    sent more than the plan's message_bytes, and was killed. `maxrss_bytes` is never below what the zygote held.
    """

    group: str
    unit: str
    exit: int | None
    signal: int | None
    timed_out: bool
    oom: bool
    duration_s: float
    cpu_s: float
    maxrss_bytes: int
    messages: tuple[bytes, ...]
    overflow: bool
    output: str
    zygote_lost: bool
    prepare_failed: bool

    @property
    def left_normally(self) -> bool:
        """It came to its end by itself, with status 0 and within its limits."""
        return self.exit == 0 and not (self.timed_out or self.oom or self.overflow or self.zygote_lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndEvent:
    """Always the last event. Not `complete`: units without an event did not run, for the reason in `detail`.

    `broken`: the sandbox ended before the supervisor said that it was done or that the time was up.
    """

    complete: bool
    detail: str
    outcome: ProcessOutcome | None = None
    broken: bool = False

    def check(self) -> None:
        """Raise HarnessError where the run is broken: units that did not run are then nobody's fault but ours."""
        if self.broken:
            raise HarnessError(f"The run was cut short: {self.detail}.")


Event = GroupEvent | UnitEvent | EndEvent


def standard_mounts(target: Target, suite: Path | None = None) -> tuple[Mount, ...]:
    """Interpreter, environment, subject, our inside code and, if given, the suite, where the sandbox has them."""
    environment = target.environment
    mounts = [
        Mount(source=environment.base_prefix, target=str(environment.base_prefix)),
        Mount(source=environment.prefix, target=ENV_DIR),
        Mount(source=target.tree.root, target=SUBJECT_DIR),
        Mount(source=INSIDE_SOURCES, target=INSIDE_DIR),
    ]
    if suite is not None:
        mounts.append(Mount(source=suite, target=SUITE_DIR))
    return tuple(mounts)


def standard_hidden(target: Target) -> tuple[str, ...]:
    """Folders of the interpreter's installation that may hold packages, the reference among them."""
    return tuple(package_folders(target.environment.base_prefix))


def supervise(
    target: Target,
    plan: Plan,
    *,
    suite: Path | None = None,
    mounts: tuple[Mount, ...] = (),
    env: Mapping[str, str] | None = None,
    memory_bytes: int | None = 4 << 30,
    processes: int = 128,
    file_size_bytes: int = 64 << 20,
    open_files: int = 512,
    scratch_bytes: int = 128 << 20,
    cpus: tuple[int, ...] | None = None,
) -> Generator[Event, None, None]:
    """Carry out `plan` in one sandbox; the events come as things happen, an EndEvent last.

    `mounts` and `env` are added to the standard ones. The limits hold for the sandbox; those of units are in the plan.
    Closing the generator kills everything.

    Raises SandboxUnavailableError when the sandbox cannot be set up, and HarnessError when the supervisor itself
    breaks.
    """
    launch = Launch(
        argv=(target.environment.python, "-sPB", f"{INSIDE_DIR}/supervisor.py"),
        mounts=standard_mounts(target, suite) + mounts,
        env={**_SINGLE_THREADED, **(env or {})},
        limits=Limits(
            wall_s=plan.longest_s + _GRACE_S,
            cpu_s=plan.longest_s + _GRACE_S,
            memory_bytes=memory_bytes,
            processes=processes,
            file_size_bytes=file_size_bytes,
            open_files=open_files,
            output_bytes=_LARGEST_REPORT,
        ),
        scratch_bytes=scratch_bytes,
        stdin=encode_plan(plan),
        cpus=cpus or spare_cpus(),
        hidden=standard_hidden(target),
    )
    with contextlib.closing(target.sandbox.stream(launch)) as lines:
        yield from read_events(lines, plan)


def read_events(lines: Generator[bytes, None, ProcessOutcome], plan: Plan) -> Iterator[Event]:
    """Decode a supervisor's lines; see `supervise`."""
    reader = _Reader(plan)
    while True:
        try:
            line = next(lines)
        except StopIteration as stop:
            yield reader.end(stop.value)
            return
        event = reader.event(line)
        if event is not None:
            yield event


def encode_plan(plan: Plan) -> bytes:
    """The plan as the supervisor reads it."""
    return json.dumps(
        {
            "groups": [
                {
                    "id": group.id,
                    "zygote": group.zygote,
                    "args": group.args,
                    "start_timeout_s": group.start_timeout_s,
                    "fork_mode": group.fork_mode,
                    "beside_total_s": group.longest_s if group.beside_total else None,
                    "units": [
                        {
                            "id": unit.id,
                            "args": unit.args,
                            "timeout_s": unit.timeout_s,
                            "cpu_s": unit.cpu_s,
                            "memory_bytes": unit.memory_bytes,
                        }
                        for unit in group.units
                    ],
                }
                for group in plan.groups
            ],
            "total_timeout_s": plan.total_timeout_s,
            "message_bytes": plan.message_bytes,
            "output_bytes": plan.output_bytes,
        }
    ).encode()


class _Reader:
    """Checks each line against the plan: known ids, each reported once, sizes within the caps."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._groups = {group.id for group in plan.groups}
        self._units = {(group.id, unit.id) for group in plan.groups for unit in group.units}
        self._complete: bool | None = None

    def event(self, line: bytes) -> GroupEvent | UnitEvent | None:
        try:
            document = json.loads(line)
            match document["event"]:
                case "group":
                    self._groups.remove(document["group"])
                    return self._group(document)
                case "unit":
                    self._units.remove((document["group"], document["unit"]))
                    return self._unit(document)
                case "end":
                    self._complete = bool(document["complete"])
                    return None
                case other:
                    raise ValueError(f"unknown event {other!r}")
        except (ValueError, KeyError, TypeError, RecursionError, binascii.Error) as error:
            raise HarnessError(
                f"the supervisor wrote a line that cannot be read ({error!r}): {line[:200]!r}"
            ) from error

    def end(self, outcome: ProcessOutcome) -> EndEvent:
        match outcome:
            case Exited(code=0) if self._complete is not None:
                detail = "" if self._complete else "the total time limit struck"
                return EndEvent(complete=self._complete, detail=detail, outcome=outcome)
            case Exited():
                said = outcome.stderr.decode(errors="replace").strip()[-1000:]
                if outcome.code == 1 and said:
                    raise HarnessError(f"the supervisor broke: {said}")
                detail = f"the sandbox ended early with status {outcome.code}"
            case TimedOut():
                detail = f"the sandbox was killed after {outcome.after_s} s"
            case OutputFlooded():
                detail = "the sandbox reported more than can be taken in"
        return EndEvent(complete=False, detail=detail, outcome=outcome, broken=True)

    def _group(self, document: dict[str, Any]) -> GroupEvent:
        return GroupEvent(
            group=document["group"],
            state=GroupState(document["state"]),
            messages=self._messages(document["message"]),
            exit=_optional_int(document["exit"]),
            signal=_optional_int(document["signal"]),
            stderr=self._text(document["stderr"]),
        )

    def _unit(self, document: dict[str, Any]) -> UnitEvent:
        return UnitEvent(
            group=document["group"],
            unit=document["unit"],
            exit=_optional_int(document["exit"]),
            signal=_optional_int(document["signal"]),
            timed_out=bool(document["timed_out"]),
            oom=bool(document["oom"]),
            duration_s=float(document["duration_s"]),
            cpu_s=float(document["cpu_s"]),
            maxrss_bytes=int(document["maxrss_bytes"]),
            messages=self._messages(document["messages"]),
            overflow=bool(document["overflow"]),
            output=self._text(document["output"]),
            zygote_lost=bool(document["zygote_lost"]),
            prepare_failed=bool(document["prepare_failed"]),
        )

    def _messages(self, encoded: list[str]) -> tuple[bytes, ...]:
        messages = tuple(base64.b64decode(text, validate=True) for text in encoded)
        if sum(map(len, messages)) > self._plan.message_bytes:
            raise ValueError("more message bytes than the plan allows")
        return messages

    def _text(self, text: str) -> str:
        if len(text) > self._plan.output_bytes:
            raise ValueError("more output than the plan allows")
        return text


def _optional_int(value: object) -> int | None:
    if value is None or type(value) is int:
        return value
    raise ValueError(f"{value!r} is not a whole number")
