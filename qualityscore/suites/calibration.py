"""The A/A gate of this host: kept for an hour where it is open, tried again where it is closed."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Protocol

from qualityscore.core.costs import PAIRS_FIRST, Gate
from qualityscore.runtime.fingerprint import fingerprint
from qualityscore.runtime.leases import Lease
from qualityscore.suites.cost_kit import Bench
from qualityscore.suites.pairs import Calibration, calibrate

KEPT_S = 3600.0
CLOSED_KEPT_S = 300.0
ATTEMPTS = 3


class Steps(Protocol):
    """Progress of the launches."""

    def plan(self, launches: int) -> None:
        """More launches are coming."""

    def step(self) -> None:
        """One is done."""


def host_calibration(bench: Bench, folder: Path, lease: Lease, root: Path, steps: Steps) -> Calibration:
    """The kept calibration where it is young enough, else a new one, which is kept.

    An open gate holds for an hour. What closes one may be a burst of other work on the host: it is taken up to three
    times in a row, and a gate that stayed closed holds for five minutes only.
    """
    file = root / "counts" / f"gate-{fingerprint().digest}-{bench.target.environment.minor}.json"
    kept = _read(file, now_s=time.time())
    if kept is not None:
        return kept
    for attempt in range(ATTEMPTS):
        steps.plan(PAIRS_FIRST)
        found = calibrate(bench, folder / str(attempt), lease, steps.step)
        if found.gate.problem is None or not bench.left_s:
            break
    # a calibration that was cut short, and is closed, was not tried again: it says nothing about the next minutes
    if found.gate.half_width is not None and (found.gate.problem is None or bench.left_s):
        _keep(file, found, now_s=time.time())
    return found


def _read(file: Path, *, now_s: float) -> Calibration | None:
    try:
        document = json.loads(file.read_text("utf-8"))
        age_s = now_s - float(document["at_s"])
        gate = Gate(half_width=document["half_width"], bias=document["bias"])
        found = Calibration(gate=gate, seconds=float(document["seconds"]))
        kept_s = KEPT_S if gate.problem is None else CLOSED_KEPT_S
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if 0 <= age_s < kept_s else None  # a clock that was set back makes it too old, not young


def _keep(file: Path, found: Calibration, *, now_s: float) -> None:
    document = {
        "at_s": now_s,
        "half_width": found.gate.half_width,
        "bias": found.gate.bias,
        "seconds": found.seconds,
    }
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            json.dump(document, out)
        Path(name).replace(file)
