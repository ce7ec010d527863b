from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from qualityscore.compat import ral_bench_run
from qualityscore.errors import HarnessError
from qualityscore.runtime import leases
from qualityscore.runtime.leases import Core, lease_core, lock_folder, physical_cores, spare_cpus
from qualityscore.runtime.sandbox.base import Availability, Launch, Level
from qualityscore.runtime.sandbox.probing import probe_launch
from qualityscore.runtime.sandbox.select import select

TWO = (Core(cpus=(0, 2)), Core(cpus=(1, 3)))


def test_two_leases_never_share_a_core_and_the_third_is_refused_with_the_place(tmp_path: Path):
    with (
        lease_core(deadline_s=0.1, folder=tmp_path, cores=TWO) as first,
        lease_core(deadline_s=0.1, folder=tmp_path, cores=TWO) as second,
    ):
        assert {first.cpu, second.cpu} == {0, 1}
        with (
            pytest.raises(HarnessError, match=r"All 2 cores .* locks in .*"),
            lease_core(deadline_s=0.1, folder=tmp_path, cores=TWO),
        ):
            pass


def test_the_siblings_of_a_leased_core_stay_idle(tmp_path: Path):
    with lease_core(deadline_s=0.1, folder=tmp_path, cores=TWO) as lease:
        assert (lease.cpu, lease.others) == (1, (0, 2))


def test_with_one_core_the_rest_shares_it(tmp_path: Path):
    with lease_core(deadline_s=0.1, folder=tmp_path, cores=(Core(cpus=(5,)),)) as lease:
        assert (lease.cpu, lease.others) == (5, (5,))


def test_a_lease_is_free_again_after_the_block_and_after_its_process_is_killed(tmp_path: Path):
    one = TWO[:1]
    with lease_core(deadline_s=0.1, folder=tmp_path, cores=one):
        pass
    ready, tell = multiprocessing.Pipe()
    pid = os.fork()
    if pid == 0:
        with lease_core(deadline_s=1, folder=tmp_path, cores=one):
            tell.send(True)
            time.sleep(60)
            os._exit(0)
    assert ready.poll(10)
    with pytest.raises(HarnessError), lease_core(deadline_s=0.1, folder=tmp_path, cores=one):
        pass
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    with lease_core(deadline_s=1, folder=tmp_path, cores=one) as lease:
        assert lease.cpu == 0


def test_siblings_are_read_from_the_kernels_topology(tmp_path: Path):
    for cpu, siblings in {0: "0,4", 1: "1,5", 4: "0,4", 5: "1,5"}.items():
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(siblings + "\n")
    zero, one, seven = (0, 4), (1, 5), (7,)
    whole = (Core(cpus=zero, siblings=zero), Core(cpus=one, siblings=one))
    assert physical_cores(frozenset({0, 1, 4, 5}), tmp_path) == whole
    parts = (Core(cpus=(1,), siblings=one), Core(cpus=(4,), siblings=zero))
    assert physical_cores(frozenset({1, 4}), tmp_path) == parts
    assert physical_cores(frozenset({7}), tmp_path) == (Core(cpus=seven, siblings=seven),)


def test_a_core_is_leased_once_though_two_processes_may_use_different_siblings_of_it(tmp_path: Path):
    first, second = (Core(cpus=(cpu,), siblings=(0, 4)) for cpu in (0, 4))
    with lease_core(deadline_s=0.1, folder=tmp_path, cores=(first,)) as lease:
        assert lease.cpu == 0
        with pytest.raises(HarnessError), lease_core(deadline_s=0.1, folder=tmp_path, cores=(second,)):
            pass


def test_the_locks_are_the_users_own_and_leave_nothing_in_the_temporary_folder(tmp_path: Path, monkeypatch):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path / "cache"))
    with lease_core(deadline_s=0.1, cores=TWO):
        assert [file.name for file in lock_folder().iterdir()] == ["core-1.lock"]
    assert lock_folder().is_relative_to(tmp_path / "cache")
    assert list(temporary.iterdir()) == []


def test_what_is_not_timed_keeps_to_the_cores_that_nothing_holds(tmp_path: Path):
    assert spare_cpus(tmp_path, TWO) is None
    with lease_core(deadline_s=0.1, folder=tmp_path, cores=TWO):
        assert spare_cpus(tmp_path, TWO) == (0, 2)
        with lease_core(deadline_s=0.1, folder=tmp_path, cores=TWO):
            assert spare_cpus(tmp_path, TWO) is None  # nowhere to go
    assert spare_cpus(tmp_path, TWO) is None


class Reached(Exception):
    """A launch came so far."""


class Sandbox:
    """Runs nothing, and keeps what it was asked to."""

    name = "kept"
    level = Level.NAMESPACE
    launch: Launch | None = None

    def probe(self, cpus: tuple[int, ...] | None = None) -> Availability:
        return probe_launch(self, cpus, remedy="")

    def run(self, launch: Launch) -> None:
        self.launch = launch
        raise Reached


def try_a_provider(sandbox: Sandbox, _: Path) -> None:
    select(providers=(sandbox,))


def run_a_suite(sandbox: Sandbox, suites: Path) -> None:
    (suites / "tests").mkdir()
    (suites / "tests" / "test_a.py").touch()
    package = SimpleNamespace(name="a")
    task = SimpleNamespace(
        test_suite={"resource": "tests/test_a.py"}, suite_timeouts_s={}, project="a", task_id="a", package=package
    )
    environment = SimpleNamespace(python="python", base_prefix=suites, prefix=suites)
    bench = ral_bench_run.Bench(task=task, suites=suites, environment=environment, sandbox=sandbox)
    bench.run("resource", SimpleNamespace(root=suites))


@pytest.mark.parametrize("launches", [try_a_provider, run_a_suite])
def test_trying_a_sandbox_and_running_another_benchmarks_suites_keep_off_a_leased_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launches
):
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(leases, "physical_cores", lambda: TWO)
    sandbox = Sandbox()
    with lease_core(deadline_s=0.1) as lease, pytest.raises(Reached):
        launches(sandbox, tmp_path)
    assert sandbox.launch is not None
    assert sandbox.launch.cpus == lease.others == (0, 2)
