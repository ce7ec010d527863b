"""The A/A gate of this host, kept for an hour."""

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


class Steps(Protocol):
    """Progress of the launches."""

    def plan(self, launches: int) -> None:
        """More launches are coming."""

    def step(self) -> None:
        """One is done."""


def host_calibration(bench: Bench, folder: Path, lease: Lease, root: Path, steps: Steps) -> Calibration:
    """The kept calibration where it is younger than an hour, else a new one, which is kept."""
    file = root / "counts" / f"gate-{fingerprint().digest}-{bench.target.environment.minor}.json"
    kept = _read(file, now_s=time.time())
    if kept is not None:
        return kept
    steps.plan(PAIRS_FIRST)
    found = calibrate(bench, folder, lease, steps.step)
    if found.gate.half_width is not None:  # a calibration that was cut short says nothing about the next hour
        _keep(file, found, now_s=time.time())
    return found


def _read(file: Path, *, now_s: float) -> Calibration | None:
    try:
        document = json.loads(file.read_text("utf-8"))
        age_s = now_s - float(document["at_s"])
        gate = Gate(half_width=document["half_width"], bias=document["bias"])
        found = Calibration(gate=gate, seconds=float(document["seconds"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if 0 <= age_s < KEPT_S else None  # a clock that was set back makes it too old, not young


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
