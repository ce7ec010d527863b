"""The reference's side of a cost measurement out of a snapshot, where no live reference is wanted."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from qualityscore.core.costs import Repeat
from qualityscore.errors import SnapshotError
from qualityscore.model.measure import Fault, Measured, Outcome, Part
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Kit, Workload
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.counting import Counted, Counts, Overheads
from qualityscore.suites.memory import Heap, Native, NativeRuns
from qualityscore.suites.timed import Timed

_TIMED = TypeAdapter(dict[str, Timed])
_SECONDS = TypeAdapter(tuple[float, ...])
_NOT_KEPT = Trouble(reason="the snapshot does not hold this workload", fault=Fault.REFERENCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedCosts:
    """What a snapshot holds of its reference's costs. `calibration_s` is what a second was worth on its host."""

    measures: Mapping[str, Outcome]
    digests: Mapping[str, str]
    calibration_s: float | None = None

    @classmethod
    def of(
        cls, measures: Mapping[str, Outcome], digests: Mapping[str, str], provenance: Mapping[str, Any]
    ) -> PinnedCosts:
        """From the parts of a snapshot; its provenance tells the calibration."""
        calibration = provenance.get("cost", {}).get("calibration") or {}
        return cls(measures=measures, digests=digests, calibration_s=calibration.get("seconds"))

    def parts(self, measure: str) -> dict[str, Part]:
        """The parts of a measure by id; empty where it was not measured."""
        outcome = self.measures.get(measure)
        return {part.id: part for part in outcome.parts} if isinstance(outcome, Measured) else {}

    def details(self, measure: str, name: str) -> dict[str, Any]:
        """One table of a measure's details; empty where the snapshot has none."""
        outcome = self.measures.get(measure)
        found = outcome.details.get(name) if isinstance(outcome, Measured) else None
        return found if isinstance(found, dict) else {}

    def facts(self, kit: Kit, overheads: Overheads | None) -> Facts:
        """The reference as the live stage would have found it; with `overheads`, its counts too."""
        counts = None
        if overheads is not None:
            imported = self.parts("import.cost").get("import")
            counts = Counts(
                workloads=tuple(self._counted(w, overheads) for w in kit.workloads),
                imported=None
                if imported is None or imported.value is None
                else Repeat(value=imported.value + overheads.empty, relative=0.0),
            )
        return Facts(
            native=NativeRuns(workloads=tuple(self._native(w) for w in kit.workloads)),
            heaps=tuple(self._heap(w) for w in kit.workloads),
            counts=counts,
            overheads=overheads,
        )

    @property
    def holds_times(self) -> bool:
        """Whether there is anything to check a count by."""
        return self.calibration_s is not None and bool(self._import_times() or self.details("workload.cost", "timed"))

    def timed(self, seconds: float) -> dict[str, Timed]:
        """The reference's times by workload, turned into this host's by its calibration of `seconds`."""
        if self.calibration_s is None:
            return {}
        try:
            kept = _TIMED.validate_python(self.details("workload.cost", "timed"))
        except ValidationError as error:
            raise SnapshotError(f"The times in the snapshot cannot be read: {error.errors()[0]['msg']}.") from error
        return {id_: timed.scaled(seconds / self.calibration_s) for id_, timed in kept.items()}

    def import_seconds(self, seconds: float) -> tuple[float, ...]:
        """The CPU seconds of the reference's import, turned into this host's."""
        if self.calibration_s is None:
            return ()
        return tuple(value * seconds / self.calibration_s for value in self._import_times())

    def _import_times(self) -> tuple[float, ...]:
        """Kept beside the count of the import, or its samples where it was timed alone."""
        outcome = self.measures.get("import.cost")
        if not isinstance(outcome, Measured):
            return ()
        timed = outcome.details.get("timed", outcome.parts[0].samples if outcome.parts else ())
        try:
            return _SECONDS.validate_python(timed)
        except ValidationError as error:
            raise SnapshotError(f"The times in the snapshot cannot be read: {error.errors()[0]['msg']}.") from error

    def _native(self, workload: Workload) -> Native:
        id_ = workload.id
        peak, digest = self.parts("peak_rss").get(id_), self.digests.get(id_)
        if peak is None or peak.value is None or not peak.samples or digest is None:
            return Native(id=id_, digests=(), full=(), one=(), trouble=_NOT_KEPT)
        cost = self.parts("workload.cost").get(id_)
        return Native(
            id=id_,
            digests=(digest,),
            full=tuple(round(sample) for sample in peak.samples),
            one=(round(statistics.median(peak.samples) - peak.value),),
            cpu_s=cost.value or 0.0 if cost else 0.0,
        )

    def _heap(self, workload: Workload) -> Heap:
        part = self.parts("peak_heap").get(workload.id)
        if part is None or not part.samples:
            return Heap(id=workload.id, trouble=_NOT_KEPT)
        return Heap(id=workload.id, samples=tuple(round(sample) for sample in part.samples))

    def _counted(self, workload: Workload, overheads: Overheads) -> Counted:
        """Counts with this host's loading on top, which the same arithmetic takes off again."""
        id_, loading = workload.id, overheads.loading[workload.id]
        part, start = self.parts("workload.cost").get(id_), self.details("workload.cost", "start").get(id_)
        if part is None or part.value is None or start is None:
            return Counted(id=id_, trouble=_NOT_KEPT)
        net = {int(size): float(value) for size, value in self.details("workload.cost", "counts").get(id_, {}).items()}
        net |= {1: float(start), workload.full: part.value + start}
        return Counted(
            id=id_,
            by_size={
                size: Repeat(value=value + loading[size], relative=0.0)
                for size, value in net.items()
                if size in loading
            },
        )


def kept_times(timed: Mapping[str, Timed]) -> dict[str, dict[str, Any]]:
    """Times as plain JSON data for a snapshot."""
    return {id_: asdict(one) for id_, one in timed.items()}
