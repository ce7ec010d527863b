"""Which counter this host offers for costs, in the order of scoring.md section 5, and why not the ones before it."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from qualityscore.errors import ToolError, UsageError
from qualityscore.runtime.fingerprint import fingerprint
from qualityscore.runtime.process import Exited, Limits, run
from qualityscore.runtime.sandbox.base import Level

CounterName = Literal["instructions", "valgrind", "cpu"]
COUNTERS: tuple[CounterName, ...] = ("instructions", "valgrind", "cpu")
VALGRIND = Path("/usr/bin/valgrind")
PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
HARDWARE_EVENTS = Path("/sys/bus/event_source/devices/cpu/events/instructions")
USER_COUNTING = 2  # the level up to which a user may count in processes of his own (perf_event_open(2))
_LIMITS = Limits(
    wall_s=10.0,
    cpu_s=10.0,
    memory_bytes=None,
    processes=None,
    file_size_bytes=1 << 20,
    open_files=64,
    output_bytes=4096,
)
_INSTALL = "install it (Debian: apt-get install valgrind)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The counter to use; `passed_over` says why each better one is not."""

    counter: CounterName
    passed_over: dict[str, str]


@cache
def valgrind_version() -> str | None:
    """Such as `valgrind-3.19.0`; None where it is not installed or does not start."""
    if not VALGRIND.is_file() or not os.access(VALGRIND, os.X_OK):
        return None
    outcome = run((str(VALGRIND), "--version"), env={"PATH": "/usr/bin:/bin"}, cwd=Path("/"), limits=_LIMITS)
    if not isinstance(outcome, Exited) or outcome.code != 0:
        return None
    return outcome.stdout.decode("ascii", "replace").strip()


def hardware_problem(paranoid: Path = PARANOID, events: Path = HARDWARE_EVENTS) -> str:
    """Why hardware instructions are not counted here; there is always a reason as yet."""
    try:
        level = int(paranoid.read_text("ascii"))
    except (OSError, ValueError):
        return "the kernel was built without performance counters"
    if not events.is_file():
        return "the kernel offers no hardware instruction counter, as on most virtual machines"
    if level > USER_COUNTING:
        return f"the kernel refuses it: perf_event_paranoid is {level}, above {USER_COUNTING}"
    return "the sandbox refuses perf_event_open(2) to what runs in it"


def problem(counter: CounterName) -> str | None:
    """Why a counter cannot be used here; None where it can."""
    match counter:
        case "instructions":
            return hardware_problem()
        case "valgrind":
            if valgrind_version() is None:
                return f"{VALGRIND} does not work; {_INSTALL}"
            return None
        case "cpu":
            return None


def cost_host(counter: CounterName, level: Level) -> dict[str, Any]:
    """What decides here whether a snapshot's costs may be compared with, laid out as provenance is."""
    return {
        "counter": counter,
        "sandbox": level.value,
        "host": asdict(fingerprint()),
        "cost": {"valgrind": valgrind_version() if counter == "valgrind" else None},
    }


def choose(wanted: str) -> Choice:
    """The counter that `wanted` names, or the best one for `auto`.

    Raises UsageError for an unknown name, ToolError for a counter that does not work here.
    """
    if wanted != "auto":
        named = next((c for c in COUNTERS if c == wanted), None)
        if named is None:
            raise UsageError(f"--counter {wanted!r} is unknown; the counters are auto, {', '.join(COUNTERS)}.")
        reason = problem(named)
        if reason is not None:
            raise ToolError(f"The counter {named} cannot be used here: {reason}.")
        return Choice(counter=named, passed_over={})
    passed_over: dict[str, str] = {}
    for counter in COUNTERS:
        reason = problem(counter)
        if reason is None:
            return Choice(counter=counter, passed_over=passed_over)
        passed_over[counter] = reason
    raise AssertionError("paired CPU seconds need nothing")
