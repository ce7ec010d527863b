"""What a number of RAL-Bench's may be: counts, return codes, seconds, MiB, per cent and points."""

from __future__ import annotations

import math
from typing import Any

COUNTS = frozenset({"passed", "failed", "skipped", "total", "high_risk_count"})
_LARGEST = 1_000_000_000
_LARGEST_CODE = 1 << 31
_RANGES: dict[str, tuple[float, float]] = {"returncode": (-_LARGEST_CODE, _LARGEST_CODE), "mi_min": (0, 100)}


def number_of(value: Any, quantity: str) -> float | None:
    """The value as a number, None where there is none. Raises ValueError saying what it should be.

    `quantity` is one of COUNTS, `returncode`, `timeout` (a truth value too), `elapsed_s`, `memory`, `cpu` or `mi_min`.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    whole = quantity in COUNTS or quantity == "returncode"
    low, high = _RANGES.get(quantity, (0, _LARGEST))
    number = math.nan
    if not isinstance(value, bool) or quantity == "timeout":
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
    if not low <= number <= high or (whole and number != int(number)):
        raise ValueError(f"{str(value)[:40]!r} is no {'whole number' if whole else 'number'} from {low:g} to {high:g}")
    return number
