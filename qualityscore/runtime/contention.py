"""How much slower than an idle one a busy host lets us run: deadlines in wall time must not fail a subject for it."""

from __future__ import annotations

import os

_MOST = 8.0


def stretch() -> float:
    """Runnable processes per core of ours over the last minute, between 1 and 8.

    A deadline of t seconds on an idle host is t · stretch() on this one; limits on CPU time need no such correction.
    """
    cores = len(os.sched_getaffinity(0))
    return min(_MOST, max(1.0, os.getloadavg()[0] / cores))
