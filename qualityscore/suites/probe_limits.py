"""The limits of a task's robustness suite, as task.toml gives them, for one host."""

from __future__ import annotations

from dataclasses import dataclass

from qualityscore.model.task import SuiteSpec, Task
from qualityscore.runtime import contention

_PROBES_SHARE = 0.6  # of the total time; the properties have what the probes leave of the whole
_START_SHARE = 0.4
_RUNNING_SHARE = 0.98  # of a suite's total time; what is left ends its processes
_LEAST_START_S = 10.0  # hypothesis is imported as well


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeLimits:
    """Seconds of wall time on this host, and bytes.

    `start_s` bounds one import of the surface, `probes_s` all probes, `total_s` probes and properties together,
    `test_s` one probe, or the CPU time of one property, on an idle host. `memory_bytes` bounds one process,
    `output_bytes` what one prints. `stretch` is by how much longer things take on this host than on an idle one.
    """

    start_s: float
    probes_s: float
    total_s: float
    test_s: float
    memory_bytes: int
    processes: int
    output_bytes: int
    stretch: float


def limits_of(task: Task) -> ProbeLimits:
    """The limits of `[suites.robustness]`, or of its defaults where the task has no such table."""
    spec = task.spec.suites.get("robustness") or SuiteSpec(files=["probes.py"])
    stretch = contention.stretch()
    total_s = spec.total_timeout_s * stretch * _RUNNING_SHARE
    return ProbeLimits(
        start_s=min(max(spec.test_timeout_s, _LEAST_START_S) * stretch, total_s * _START_SHARE),
        probes_s=total_s * _PROBES_SHARE,
        total_s=total_s,
        test_s=spec.test_timeout_s,
        memory_bytes=spec.memory_mib << 20,
        processes=spec.processes,
        output_bytes=spec.output_kib << 10,
        stretch=stretch,
    )
