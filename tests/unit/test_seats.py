"""Seats: one core for each process that evaluates, told apart by lock files."""

import os

import pytest

from qualityscore.errors import HarnessError
from qualityscore.execution.seats import seated
from qualityscore.runtime.leases import Core, lease_core, physical_cores


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


@pytest.mark.skipif(len(physical_cores()) < 2, reason="needs two cores")
def test_no_seat_is_taken_where_something_is_timed_while_another_core_is_free():
    with lease_core(deadline_s=1) as lease, seated(before=core_of(lease.cpu).name, deadline_s=1) as core:
        assert lease.cpu not in core.cpus


def core_of(cpu: int) -> Core:
    return next(core for core in physical_cores() if cpu in core.cpus)


def test_a_seat_is_taken_on_a_timed_core_where_there_is_no_other_and_the_timing_there_waits():
    only = physical_cores()[0]
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, only.cpus)
    try:
        with lease_core(deadline_s=1), seated(deadline_s=1) as core:
            assert core.cpus == only.cpus
            with pytest.raises(HarnessError, match="leased to other timings"), lease_core(deadline_s=0.2):
                pass
    finally:
        os.sched_setaffinity(0, before)


def test_no_two_hold_one_seat():
    with seated(deadline_s=1) as core:
        os.sched_setaffinity(0, core.cpus)  # nothing else may be had
        with pytest.raises(HarnessError, match="taken by other evaluations"), seated(deadline_s=0.3):
            pass
