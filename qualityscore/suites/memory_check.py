"""Where two kinds of run contradict each other about memory. Sizes in bytes; nothing here is run."""

from __future__ import annotations

from dataclasses import dataclass

HEAP_EXCESS = 0.5
HEAP_EXCESS_BYTES = 2 << 20
COLLECTOR_EXCESS = 0.25
COLLECTOR_EXCESS_BYTES = 4 << 20
"""What honest code stays below: docs/adr/0005-costs.md says what was measured."""


def _exceeds(value: float, foreseen: float, share: float, least: int) -> bool:
    return value > (1 + share) * foreseen and value - foreseen > least


@dataclass(frozen=True, slots=True, kw_only=True)
class HeapCheck:
    """The heap that memray saw beside what was resident above idle in plain runs.

    Resident are also the inputs, which memray does not see, and what the allocator holds and does not use. Both are in
    what the reference's resident memory has beyond its heap, which is therefore taken off.
    """

    heap: float
    resident: float
    reference_heap: float
    reference_resident: float

    @property
    def foreseen(self) -> float:
        """The heap that the resident memory lets expect."""
        return max(0.0, self.resident - max(0.0, self.reference_resident - self.reference_heap))

    @property
    def contradicted(self) -> bool:
        """Whether more was resident than a heap of that size explains."""
        return _exceeds(self.foreseen, self.heap, HEAP_EXCESS, HEAP_EXCESS_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorCheck:
    """Resident memory above idle in plain runs, with the collector on, and in timed ones, with it off."""

    plain: float
    timed: float
    reference_plain: float
    reference_timed: float | None

    @property
    def hungrier(self) -> bool:
        """Whether timed runs took more than plain ones, beyond what they do of the reference."""
        usual = 1.0
        if self.reference_timed is not None and self.reference_plain > 0:
            usual = max(1.0, self.reference_timed / self.reference_plain)
        return _exceeds(self.timed, usual * max(0.0, self.plain), COLLECTOR_EXCESS, COLLECTOR_EXCESS_BYTES)
