"""What the probes showed, in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from qualityscore.model.outcome import FreshOutcome, Share
from qualityscore.model.report import Report, RobustnessReport


def probe_lines(report: Report, saved: str | None = None) -> Iterator[str]:
    """How many probes were survived, where most were lost, and what fresh inputs showed. Foreign text is not inert.

    `saved` is the file that holds the report, for the command that reproduces a failure.
    """
    found = report.robustness
    if found is None or not (found.total or found.properties):
        return
    interval = "" if found.wilson_low is None else f" ({found.wilson_low:.3f} to {found.wilson_high:.3f})"
    held = sum(p.passed for p in found.properties)
    yield (
        f"{found.survived} of {found.total} probes survived{interval}, "
        f"{held} of {len(found.properties)} properties hold{_worst(found, saved)}"
    )
    if found.fresh is not None:
        yield fresh_line(found.fresh)


def fresh_line(fresh: FreshOutcome) -> str:
    """The two shares of right answers and what follows from them."""
    said = (
        f"fresh inputs (seed {fresh.seed}): {_shown(fresh.fresh_right)} right, "
        f"{_shown(fresh.frozen_right)} of the frozen ones they were drawn from"
    )
    return f"{said}; the two agree" if fresh.agrees else f"{said}; THE FROZEN ONES ARE KNOWN BY HEART"


def _worst(found: RobustnessReport, saved: str | None) -> str:
    """What to begin with: the entry that lost the largest share, hard faults first, else a property that fails."""
    lost = [entry for entry in found.entries if entry.survived < entry.total]
    if lost:
        first = min(lost, key=lambda e: (not e.hard_fault, e.survived / e.total, e.entry)).entry
    else:
        first = next((held.id for held in found.properties if not held.passed), "")
    if not first:
        return ""
    command = shlex.join(("qualityscore", "probes", "reproduce", saved or "report.json", first))
    before = "" if saved else "evaluate with --json report.json, then "
    return f"; begin with {first} ({before}{command})"


def _shown(share: Share) -> str:
    interval = "" if share.low is None else f" ({share.low:.3f} to {share.high:.3f})"
    return f"{share.count} of {share.total}{interval}"
