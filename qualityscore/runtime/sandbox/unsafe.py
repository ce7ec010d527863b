"""The level `none`: no containment at all, used only when a person asks for it with `--unsafe`."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

from qualityscore.runtime import process
from qualityscore.runtime.process import ProcessOutcome
from qualityscore.runtime.sandbox.base import Availability, Capability, Launch, Level
from qualityscore.runtime.sandbox.translation import scratch, translated


class Unsafe:
    """Runs the command as the calling user, with a private scratch folder, deadline, output cap and rlimits only."""

    name = "unsafe"
    level = Level.NONE
    capabilities = frozenset(
        {
            Capability.ENVIRONMENT_CLEARED,
            Capability.SHARED_MEMORY,
            Capability.MEMORY_LIMIT,
            Capability.WALL_LIMIT,
            Capability.CPU_LIMIT,
            Capability.FILE_SIZE_LIMIT,
            Capability.OPEN_FILES_LIMIT,
            Capability.OUTPUT_LIMIT,
            Capability.DIES_WITH_CALLER,
        }
    )

    def probe(self, cpus: tuple[int, ...] | None = None) -> Availability:  # noqa: ARG002
        """Always works, and contains nothing."""
        return Availability(works=True, detail="contains nothing")

    def run(self, launch: Launch) -> ProcessOutcome:
        """Run to the end; the process tree is dead and the scratch gone when this returns."""
        with _translated(launch) as there:
            return process.run(
                there.argv,
                env=there.env,
                cwd=Path(there.cwd),
                limits=there.limits,
                stdin=there.stdin,
                cpus=there.cpus,
            )

    def stream(self, launch: Launch) -> Generator[bytes, None, ProcessOutcome]:
        """Like `run`, but yield standard output line by line; the generator returns the outcome."""
        with _translated(launch) as there:
            return (
                yield from process.stream(
                    there.argv,
                    env=there.env,
                    cwd=Path(there.cwd),
                    limits=there.limits,
                    line_bytes=there.limits.output_bytes,
                    stdin=there.stdin,
                    cpus=there.cpus,
                )
            )


@contextlib.contextmanager
def _translated(launch: Launch) -> Iterator[Launch]:
    """Without the process limit: not having a user of its own, it would count every process of the caller."""
    with scratch() as folder:
        yield translated(replace(launch, limits=replace(launch.limits, processes=None)), folder)
