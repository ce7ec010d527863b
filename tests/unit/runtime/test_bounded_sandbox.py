"""A sandbox under a time budget."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from qualityscore.errors import BudgetError
from qualityscore.runtime.process import Exited, Limits, TimedOut
from qualityscore.runtime.sandbox.base import Launch
from qualityscore.runtime.sandbox.bounded import Bounded
from qualityscore.runtime.sandbox.select import select

LIMITS = Limits(
    wall_s=30.0,
    cpu_s=10.0,
    memory_bytes=None,
    processes=16,
    file_size_bytes=1 << 20,
    open_files=64,
    output_bytes=1 << 16,
)


def launch(script: str) -> Launch:
    return Launch(argv=("/bin/sh", "-c", script), mounts=(), env={}, limits=LIMITS, scratch_bytes=1 << 20, cpus=None)


def test_what_fits_is_the_sandboxes_own_outcome():
    sandbox = Bounded(select(), time.monotonic() + 20)
    outcome = sandbox.run(launch("echo done"))
    assert isinstance(outcome, Exited)
    assert outcome.stdout == b"done\n"
    assert list(sandbox.stream(launch("echo one; echo two"))) == [b"one", b"two"]


def test_what_the_budget_cuts_off_is_no_outcome_of_the_subject():
    began = time.monotonic()
    with pytest.raises(BudgetError, match="^budget: "):
        Bounded(select(), began + 0.5).run(launch("sleep 25"))
    with pytest.raises(BudgetError):
        list(Bounded(select(), time.monotonic() + 0.5).stream(launch("sleep 25")))
    assert time.monotonic() - began < 10


def test_a_limit_of_the_launch_itself_stays_the_subjects():
    short = replace(launch("sleep 25"), limits=replace(LIMITS, wall_s=0.5))
    assert isinstance(Bounded(select(), time.monotonic() + 20).run(short), TimedOut)


def test_nothing_begins_after_the_budgets_end(tmp_path: Path):
    class Untouched:
        name, level, capabilities = "none", None, frozenset()

        def run(self, launch):
            raise AssertionError("it was launched")

        stream = run

    spent = Bounded(Untouched(), time.monotonic())
    with pytest.raises(BudgetError):
        spent.run(launch("true"))
    with pytest.raises(BudgetError):
        list(spent.stream(launch("true")))
