"""Trying a provider: a launch that looks for what it must not find."""

from __future__ import annotations

from typing import Protocol

from qualityscore.errors import QualityScoreError
from qualityscore.runtime.process import Exited, Limits, ProcessOutcome
from qualityscore.runtime.sandbox.base import Availability, Launch

# Plain shell, so that the answer depends on no interpreter: identity, files of the host, capabilities, escalation.
_CHECK = """
[ "$(id -u)" != 0 ] || { echo 'still root'; exit 1; }
! cat /etc/shadow >/dev/null 2>&1 || { echo '/etc/shadow is readable'; exit 1; }
while read -r key value; do
  case "$key" in
    CapEff:|CapPrm:|CapInh:|CapAmb:) [ "$value" = 0000000000000000 ] || { echo "$key $value"; exit 1; } ;;
    NoNewPrivs:) [ "$value" = 1 ] || { echo 'new privileges are possible'; exit 1; } ;;
    Seccomp:) [ "$value" = 2 ] || { echo 'no system-call filter'; exit 1; } ;;
  esac
done </proc/self/status
echo x >/tmp/probe || { echo '/tmp is not writable'; exit 1; }
echo held
"""

_LIMITS = Limits(
    wall_s=10, cpu_s=5, memory_bytes=256 << 20, processes=16, file_size_bytes=1 << 20, open_files=64, output_bytes=65536
)


class _Runs(Protocol):
    def run(self, launch: Launch) -> ProcessOutcome: ...


def probe_launch(sandbox: _Runs, cpus: tuple[int, ...] | None, *, remedy: str) -> Availability:
    """Whether a shell under `sandbox` starts and finds itself contained."""
    launch = Launch(
        argv=("/bin/sh", "-c", _CHECK),
        mounts=(),
        env={},
        limits=_LIMITS,
        scratch_bytes=1 << 20,
        cpus=cpus,
        cwd="/tmp",
    )
    try:
        outcome = sandbox.run(launch)
    except (QualityScoreError, OSError) as error:
        return Availability(works=False, detail=str(error), remedy=remedy)
    if isinstance(outcome, Exited) and outcome.code == 0 and outcome.stdout.strip() == b"held":
        return Availability(works=True, detail="a trial launch was contained")
    said = (outcome.stdout + outcome.stderr).decode(errors="replace").strip()
    return Availability(works=False, detail=f"a trial launch was not contained: {said[:300] or outcome}", remedy=remedy)
