"""All that two sides of a cost measurement have shown, and what a workload without a value is worth. Nothing is run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from qualityscore.model.measure import Fault, Part, Unavailable
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import Kit
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.counting import Counted
from qualityscore.suites.memory import Native
from qualityscore.suites.timed import ImportPairs, Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """All that two sides have shown. `pairs` holds the workloads whose cost was decided by pairs.

    `alone` says that a reference stands on both sides: nothing is scored by its counts, and nothing checks them.
    `gate_problem` says why times could not decide, or could not even check.
    """

    kit: Kit
    subject: Facts
    reference: Facts
    expected: Mapping[str, str]
    troubles: Mapping[str, Trouble]
    pairs: Mapping[str, Pairs]
    checks: Mapping[str, Pairs]
    import_pairs: ImportPairs | None = None
    import_check: ImportPairs | None = None
    gate_problem: str | None = None
    alone: bool = False
    timed_growth: Mapping[str, float | None] = field(default_factory=dict)
    timed_reference_growth: Mapping[str, float | None] = field(default_factory=dict)


def verdict_on_result(native: Native | None, expected: str | None) -> Trouble | None:
    """Why a workload's result does not count; None where it is right in every run."""
    if native is None:
        return Trouble(reason="it was not run", fault=Fault.HARNESS)
    wrong = [d for d in native.digests if d != expected]
    if wrong and len(wrong) < len(native.digests):
        return Trouble(
            reason=f"flaky: {len(wrong)} of {len(native.digests)} runs without the right result"
            + (f" ({native.trouble.reason})" if native.trouble else ""),
            fault=Fault.SUBJECT,
        )
    if native.trouble is not None:
        return native.trouble
    if wrong:
        kinds = len(set(wrong))
        varies = f", and from run to run: {kinds} different ones in {len(wrong)} runs" if kinds > 1 else ""
        return Trouble(reason=f"the result differs from the reference's{varies}", fault=Fault.SUBJECT)
    return None


def expected_digests(reference: Facts, pinned: Mapping[str, str] | None) -> tuple[dict[str, str], dict[str, Trouble]]:
    """The right result of each workload, and for each that has none why: a fault of the reference."""
    digests: dict[str, str] = {}
    troubles: dict[str, Trouble] = {}
    for native in reference.native.workloads:
        wanted = pinned.get(native.id) if pinned else None
        if native.trouble is not None:
            troubles[native.id] = native.trouble
        elif native.digest is None:
            kinds = Counter(native.digests).most_common()
            troubles[native.id] = Trouble(
                reason="the reference's result is not deterministic: "
                f"{len(kinds)} different ones in {len(native.digests)} runs",
                fault=Fault.REFERENCE,
            )
        elif wanted is not None and native.digest != wanted:
            troubles[native.id] = Trouble(
                reason="the reference gives another result on this host than in the snapshot", fault=Fault.REFERENCE
            )
        else:
            digests[native.id] = native.digest
    return digests, troubles


def nothing(reason: Trouble) -> Unavailable:
    """A measure of which no part could be had."""
    return Unavailable(reason=reason.reason, fault=reason.fault)


def missing(id_: str, why: Trouble) -> Part:
    """A part without a value: worth 0 by the subject's fault, unmeasured by anybody else's."""
    fault = None if why.fault is Fault.SUBJECT else why.fault
    return Part(id=id_, value=None, right=fault is not None, note=why.reason, fault=fault)


def total(parts: tuple[Part, ...]) -> float:
    """The sum over the parts that have a value."""
    return math.fsum(part.value for part in parts if part.value is not None)


def by_id(facts: Facts) -> dict[str, tuple[Native | None, Counted | None]]:
    """Plain runs and counts of each workload; None for what there is not."""
    natives = {n.id: n for n in facts.native.workloads}
    counts = {c.id: c for c in facts.counts.workloads} if facts.counts else {}
    return _Defaulted({id_: (natives.get(id_), counts.get(id_)) for id_ in natives | counts})


class _Defaulted(dict[str, tuple[Native | None, Counted | None]]):
    def __missing__(self, key: str) -> tuple[None, None]:
        return None, None
