"""Preparing a measurement keeps off a core on which something else is timed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qualityscore.model.task import Task
from qualityscore.runtime.leases import lease_core
from qualityscore.runtime.process import ProcessOutcome
from qualityscore.runtime.sandbox.base import Launch, Sandbox
from qualityscore.suites.cost_kit import prepare_bench, prepare_kit
from tests.e2e.cost.conftest import MakeTarget


class Watched:
    """The real sandbox, and what was launched in it."""

    def __init__(self, real: Sandbox) -> None:
        self.real = real
        self.launches: list[Launch] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def run(self, launch: Launch) -> ProcessOutcome:
        self.launches.append(launch)
        return self.real.run(launch)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_setting_up_and_compiling_keep_off_a_leased_core(
    make_target: MakeTarget, one_workload: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    target = make_target(of=one_workload)
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path / "cache"))
    watched = Watched(target.sandbox)
    target = replace(target, sandbox=watched)
    with lease_core(deadline_s=1) as lease:
        kit = prepare_kit(target, tmp_path / "kit")
        prepare_bench(target, kit, tmp_path / "tree")
    assert [launch.cpus for launch in watched.launches] == [lease.others] * 3  # setup, suite, tree
