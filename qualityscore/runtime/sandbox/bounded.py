"""A sandbox under a time budget: no launch begins after its end, and none outlives it."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace

from qualityscore.errors import BudgetError
from qualityscore.runtime.process import ProcessOutcome, TimedOut
from qualityscore.runtime.sandbox.base import Availability, Launch, Sandbox


class Bounded:
    """A provider whose launches end at `deadline` (time.monotonic()); what that cuts off raises BudgetError."""

    def __init__(self, inner: Sandbox, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline
        self.name = inner.name
        self.level = inner.level
        self.capabilities = inner.capabilities

    def probe(self, cpus: tuple[int, ...] | None = None) -> Availability:
        """The provider's own answer."""
        return self._inner.probe(cpus)

    def run(self, launch: Launch) -> ProcessOutcome:
        """Run to the end, or to the budget's."""
        hurried, cut = self._hurried(launch)
        outcome = self._inner.run(hurried)
        if cut and isinstance(outcome, TimedOut):
            raise BudgetError
        return outcome

    def stream(self, launch: Launch) -> Generator[bytes, None, ProcessOutcome]:
        """Like `run`, line by line."""
        hurried, cut = self._hurried(launch)
        outcome = yield from self._inner.stream(hurried)
        if cut and isinstance(outcome, TimedOut):
            raise BudgetError
        return outcome

    def _hurried(self, launch: Launch) -> tuple[Launch, bool]:
        left_s = self._deadline - time.monotonic()
        if left_s <= 0:
            raise BudgetError
        if left_s >= launch.limits.wall_s:
            return launch, False
        return replace(launch, limits=replace(launch.limits, wall_s=left_s)), True
