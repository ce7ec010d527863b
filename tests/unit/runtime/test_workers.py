"""The pool: a worker that dies costs the job that it was at, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qualityscore.errors import ToolError
from qualityscore.runtime.workers import Done, Job, JobOutcome, Lost, Raised, deal, run_jobs

MEMORY = 2 << 30


def job(id_: str, call: str, cpu_s: float = 10.0, **args: object) -> Job:
    return Job(id=id_, call=call, args=args, cpu_s=cpu_s)


def run(lanes: list[list[Job]], tmp_path: Path, wall_s: float = 60.0, memory: int = MEMORY) -> dict[str, JobOutcome]:
    return run_jobs(lanes, scratch=tmp_path, wall_s=wall_s, memory_bytes=memory)


def pid(id_: str) -> Job:
    return job(id_, "os:getpid")


def value(outcome: JobOutcome) -> object:
    assert isinstance(outcome, Done)
    return outcome.value


def survivors() -> list[int]:
    """Living workers of stages that this process started; an engine kept for other tests has workers of its own."""
    children = [p for p in Path("/proc").iterdir() if p.name.isdigit() and _parent(int(p.name)) == os.getpid()]
    return [int(p.name) for p in children if b"runtime.worker_main" in (p / "cmdline").read_bytes()]


def _parent(process: int) -> int:
    """The parent of a living process, else -1."""
    try:
        state, parent = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return -1
    return -1 if state in "ZX" else int(parent)


def test_each_lane_has_one_worker_and_keeps_its_order(tmp_path: Path) -> None:
    seen: list[str] = []
    outcomes = run_jobs(
        [[pid("a"), pid("b")], [pid("c")]],
        scratch=tmp_path,
        wall_s=60,
        memory_bytes=MEMORY,
        on_outcome=lambda id_, _: seen.append(id_),
    )
    a, b, c = (value(outcomes[id_]) for id_ in "abc")
    assert a == b != c
    assert os.getpid() not in (a, c)
    assert seen.index("a") < seen.index("b")
    assert survivors() == []


def test_results_and_arguments_are_plain_data_of_any_text(tmp_path: Path) -> None:
    text = "ü\n\udcff"
    assert value(run([[job("a", "json:loads", s='["\\udcff", null, 1.5]')]], tmp_path)["a"]) == ["\udcff", None, 1.5]
    assert value(run([[job("b", "posixpath:basename", p="x/" + text)]], tmp_path)["b"]) == text


def test_an_exception_is_the_jobs_answer_and_the_worker_goes_on(tmp_path: Path) -> None:
    outcomes = run([[pid("a"), job("b", "json:loads", s="{"), pid("c")]], tmp_path)
    assert isinstance(outcomes["b"], Raised)
    assert outcomes["b"].error.startswith("JSONDecodeError: ")
    assert value(outcomes["a"]) == value(outcomes["c"])


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (job("x", "os:abort"), "crashed with SIGABRT"),
        (job("x", "os:_exit", status=3), "ended with status 3"),
        (job("x", "re:fullmatch", cpu_s=0.5, pattern="(a+)+b", string="a" * 40), "time limit"),
        (job("x", "signal:pause", cpu_s=0.1), "time limit"),
    ],
    ids=["abort", "exit", "processor time", "clock"],
)
def test_a_dying_worker_costs_its_job_and_no_other(tmp_path: Path, bad: Job, reason: str) -> None:
    outcomes = run([[pid("a"), bad, pid("b"), pid("c")], [pid("d")]], tmp_path)
    assert outcomes["x"] == Lost(reason=reason)
    assert value(outcomes["b"]) == value(outcomes["c"]) != value(outcomes["a"])
    assert isinstance(outcomes["d"], Done)
    assert survivors() == []


def test_a_worker_killed_from_outside_costs_no_job(tmp_path: Path) -> None:
    def kill(id_: str, outcome: JobOutcome) -> None:
        if id_ == "a":
            process = value(outcome)
            assert isinstance(process, int)
            os.kill(process, signal.SIGKILL)

    waiting = job("x", "multiprocessing.connection:wait", object_list=[], timeout=1)
    outcomes = run_jobs(
        [[pid("a"), waiting, pid("b")]],
        scratch=tmp_path,
        wall_s=60,
        memory_bytes=MEMORY,
        on_outcome=kill,
    )
    assert outcomes["x"] == Done(value=[])
    assert value(outcomes["a"]) != value(outcomes["b"])
    assert survivors() == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGRTMIN + 2])
def test_a_second_kill_from_outside_at_the_same_job_is_the_hosts_fault(tmp_path: Path, number: int) -> None:
    kill_group = ["sh", "-c", f"kill -{int(number)} 0"]  # the worker leads its group
    with pytest.raises(ToolError, match="killed from outside twice at the same work"):
        run([[pid("a"), job("x", "subprocess:call", args=kill_group), pid("b")]], tmp_path)
    assert survivors() == []


def test_memory_is_limited_and_a_spoilt_worker_is_replaced(tmp_path: Path) -> None:
    outcomes = run([[pid("a"), job("x", "builtins:bytearray", source=8 << 30), pid("b")]], tmp_path)
    assert outcomes["x"] == Raised(error="MemoryError: ")
    assert value(outcomes["a"]) != value(outcomes["b"])


def test_the_stages_limit_gives_every_job_an_outcome(tmp_path: Path) -> None:
    started = time.monotonic()
    outcomes = run([[pid("a"), job("x", "signal:pause"), pid("b")]], tmp_path, wall_s=1.5)
    assert time.monotonic() - started < 20
    assert isinstance(outcomes["a"], Done)
    assert outcomes["x"] == outcomes["b"] == Lost(reason="the stage's limit of 1.5 s", stage_limit=True)
    assert survivors() == []


def test_what_a_job_prints_is_no_answer(tmp_path: Path) -> None:
    outcomes = run([[job("a", "builtins:print", sep='{"done": "a", "value": 7}')]], tmp_path)
    assert value(outcomes["a"]) is None


def test_workers_import_nothing_from_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "colorsys.py").write_text("raise SystemExit('hijacked')\n")
    (tmp_path / "sitecustomize.py").write_text("import os; os._exit(9)\n")
    (tmp_path / "usercustomize.py").write_text("import os; os._exit(9)\n")
    assert value(run([[job("a", "colorsys:rgb_to_hsv", r=0, g=0, b=1)]], tmp_path)["a"]) == [4 / 6, 1.0, 1]


def test_workers_die_with_their_parent(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from qualityscore.runtime.workers import *\n"
        "j = [Job(id='p', call='os:getpid', args={}, cpu_s=9), Job(id='s', call='signal:pause', args={}, cpu_s=60)]\n"
        "run_jobs([j], scratch=Path(sys.argv[1]), wall_s=60, memory_bytes=2 << 30,"
        " on_outcome=lambda i, o: print(o.value, flush=True))"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    give_up = time.monotonic() + 10
    while _parent(worker) != -1 and time.monotonic() < give_up:
        time.sleep(0.05)
    assert _parent(worker) == -1


def test_work_is_dealt_in_order_into_runs_of_about_equal_weight() -> None:
    jobs = [pid(str(n)) for n in range(6)]
    assert [[j.id for j in lane] for lane in deal(jobs, [1, 1, 1, 1, 1, 5], 2)] == [["0", "1", "2", "3", "4"], ["5"]]
    assert [[j.id for j in lane] for lane in deal(jobs, [1] * 6, 3)] == [["0", "1"], ["2", "3"], ["4", "5"]]
    assert deal([], [], 2) == []
