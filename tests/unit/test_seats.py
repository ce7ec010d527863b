"""Seats: one core for each process that evaluates, told apart by lock files."""

import os

import pytest

from qualityscore.errors import HarnessError
from qualityscore.execution.seats import seated
from qualityscore.runtime.leases import physical_cores


@pytest.fixture(autouse=True)
def own_locks(monkeypatch, tmp_path):
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path))


def test_a_seat_keeps_the_process_to_its_core_and_gives_it_back():
    before = os.sched_getaffinity(0)
    with seated(deadline_s=1) as core:
        assert os.sched_getaffinity(0) == set(core.cpus)
    assert os.sched_getaffinity(0) == before


def test_the_seat_of_before_is_taken_again_where_it_is_free():
    last = physical_cores()[-1].name
    with seated(before=last, deadline_s=1) as core:
        assert core.name == last


def test_no_two_hold_one_seat():
    with seated(deadline_s=1) as core:
        os.sched_setaffinity(0, core.cpus)  # nothing else may be had
        with pytest.raises(HarnessError, match="taken by other evaluations"), seated(deadline_s=0.3):
            pass
