"""What this host offers, found by trying."""

from __future__ import annotations

import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import uv

from qualityscore.runtime.leases import spare_cpus
from qualityscore.runtime.process import Exited, Limits, run
from qualityscore.runtime.sandbox import PROVIDERS

_SHORT = Limits(
    wall_s=20.0,
    cpu_s=None,
    memory_bytes=None,
    processes=None,
    file_size_bytes=None,
    open_files=None,
    output_bytes=1 << 16,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that a host has or lacks; `needed` says that nothing works without it."""

    name: str
    works: bool
    detail: str
    remedy: str | None = None
    needed: bool = False


def facts() -> tuple[Fact, ...]:
    """Sandboxes, counters and tools in a fixed order."""
    found = [_python()]
    sandboxes = [(provider.name, provider.level, provider.probe(spare_cpus())) for provider in PROVIDERS]
    contained = any(a.works for _, level, a in sandboxes if level.value != "none")
    for name, level, availability in sandboxes:
        if level.value == "none":
            continue
        remedy = None if availability.works else availability.remedy
        found.append(Fact(name=f"sandbox {name}", works=availability.works, detail=availability.detail, remedy=remedy))
    found.append(
        Fact(
            name="any sandbox",
            works=contained,
            detail="subject code can be contained" if contained else "evaluate refuses without --unsafe",
            remedy=None if contained else "apt-get install bubblewrap",
            needed=True,
        )
    )
    found.append(_tool("valgrind", "counts instructions", "apt-get install valgrind"))
    found.append(_perf())
    found.append(_uv())
    found.append(_memray())
    return tuple(found)


def _python() -> Fact:
    good = sys.version_info >= (3, 11)
    return Fact(
        name="python",
        works=good,
        detail=sys.version.split()[0],
        remedy=None if good else "install Python 3.11 or newer",
        needed=True,
    )


def _version_line(argv: tuple[str, ...]) -> str | None:
    outcome = run(argv, env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}, cwd=Path("/"), limits=_SHORT)
    if isinstance(outcome, Exited) and outcome.code == 0:
        return outcome.stdout.decode("utf-8", "replace").strip().splitlines()[0]
    return None


def _tool(name: str, purpose: str, remedy: str) -> Fact:
    path = shutil.which(name)
    version = _version_line((path, "--version")) if path else None
    if version is None:
        return Fact(name=name, works=False, detail=f"not found ({purpose})", remedy=remedy)
    return Fact(name=name, works=True, detail=f"{version} ({purpose})")


def _perf() -> Fact:
    level = Path("/proc/sys/kernel/perf_event_paranoid")
    events = Path("/sys/bus/event_source/devices/cpu/events/instructions")
    works = events.is_file()
    setting = level.read_text().strip() if level.is_file() else "absent"
    return Fact(
        name="hardware counters",
        works=works,
        detail=f"instructions event {'offered' if works else 'not offered'}, perf_event_paranoid {setting}",
        remedy=None if works else "none on most virtual machines; valgrind counts instead",
    )


def _memray() -> Fact:
    """memray is installed into each task's environment; what the host must offer is a platform that it is built for."""
    here = f"{platform.system()} {platform.machine()}"
    works = here in ("Linux x86_64", "Linux aarch64")
    return Fact(
        name="memray",
        works=works,
        detail=f"{'' if works else 'not '}built for {here} (each task's environment brings its own)",
        remedy=None if works else "peak_heap is unmeasured here; use Linux on x86_64 or aarch64",
    )


def _uv() -> Fact:
    try:
        path = uv.find_uv_bin()
    except FileNotFoundError:
        return Fact(name="uv", works=False, detail="not found", remedy="pip install uv", needed=True)
    version = _version_line((path, "--version"))
    return Fact(name="uv", works=version is not None, detail=version or "does not run", needed=True)
