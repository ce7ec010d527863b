"""Deadlines are stretched by the number of processes that share a core."""

import os

from qualityscore.runtime import contention


def test_the_stretch_follows_the_load_within_its_bounds(monkeypatch):
    cores = len(os.sched_getaffinity(0))
    for load, stretch in ((0.0, 1.0), (0.5 * cores, 1.0), (3.0 * cores, 3.0), (50.0 * cores, 8.0)):
        monkeypatch.setattr(os, "getloadavg", lambda load=load: (load, 0.0, 0.0))
        assert contention.stretch() == stretch
