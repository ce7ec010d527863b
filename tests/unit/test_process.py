"""The process door: what it starts ends with it, and tells the truth about how it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest

from qualityscore.errors import ToolError
from qualityscore.runtime import process
from qualityscore.runtime.process import Exited, Limits, OutputFlooded, TimedOut

LIMITS = Limits(
    wall_s=20,
    cpu_s=None,
    memory_bytes=None,
    processes=None,
    file_size_bytes=None,
    open_files=None,
    output_bytes=1 << 20,
)
ENV = {"PATH": "/usr/bin:/bin"}
REPOSITORY = Path(__file__).parents[2]


def python(code: str, *, limits: Limits = LIMITS, env: dict[str, str] = ENV, stdin: bytes = b"", **more):
    argv = (sys.executable, "-c", textwrap.dedent(code))
    return process.run(argv, env=env, cwd=Path("/"), limits=limits, stdin=stdin, **more)


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat[stat.rindex(")") + 2] != "Z"


def test_exit_code_and_both_outputs_are_reported():
    outcome = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)")
    assert isinstance(outcome, Exited)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (7, b"out\n", b"err\n")


def test_death_by_signal_is_a_negative_code():
    outcome = python("import os; os.kill(os.getpid(), 15)")
    assert isinstance(outcome, Exited)
    assert outcome.code == -15


def test_nothing_of_the_environment_is_inherited(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    outcome = process.run(("env",), env={"PATH": "/usr/bin", "ONLY": "1"}, cwd=Path("/"), limits=LIMITS)
    names = {line.split(b"=")[0] for line in outcome.stdout.splitlines()}
    assert names == {b"PATH", b"ONLY", b"QUALITYSCORE_TREE"}


def test_no_descriptor_is_inherited_but_those_passed():
    inherited = os.dup2(1, 200)
    passed = os.dup(1)
    try:
        outcome = python("import os; print(*os.listdir('/proc/self/fd'))", pass_fds=(passed,))
    finally:
        os.close(inherited)
        os.close(passed)
    listed = {int(word) for word in outcome.stdout.split()}
    assert {0, 1, 2, passed} <= listed
    assert inherited not in listed
    assert len(listed) == 5  # and the descriptor of the listing itself


def test_large_input_and_output_pass_through_whole():
    data = os.urandom(3 << 20)
    outcome = process.run(("cat",), env=ENV, cwd=Path("/"), limits=replace(LIMITS, output_bytes=4 << 20), stdin=data)
    assert outcome.stdout == data


def test_a_program_that_ignores_its_input_ends_normally():
    outcome = process.run(("true",), env=ENV, cwd=Path("/"), limits=LIMITS, stdin=b"x" * (1 << 20))
    assert isinstance(outcome, Exited)
    assert outcome.code == 0


def test_deadline_kills_and_keeps_what_was_written():
    began = time.monotonic()
    outcome = python("import time; print('early', flush=True); time.sleep(60)", limits=replace(LIMITS, wall_s=3))
    assert outcome == TimedOut(after_s=3, stdout=b"early\n", stderr=b"")
    assert time.monotonic() - began < 20


def test_output_beyond_the_cap_ends_the_run_and_the_cap_is_kept():
    outcome = process.run(("yes",), env=ENV, cwd=Path("/"), limits=replace(LIMITS, output_bytes=1000))
    assert isinstance(outcome, OutputFlooded)
    assert outcome.stdout == b"y\n" * 500


def test_standard_error_counts_towards_the_cap():
    outcome = python(
        "import sys; sys.stdout.write('a' * 600); sys.stdout.flush(); sys.stderr.write('b' * 600)",
        limits=replace(LIMITS, output_bytes=1000),
    )
    assert isinstance(outcome, OutputFlooded)
    assert len(outcome.stdout) + len(outcome.stderr) == 1000


DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1], "w").write(str(os.getpid()))
        time.sleep(60)
    os._exit(0)
while not (os.path.exists(sys.argv[1]) and open(sys.argv[1]).read()):
    time.sleep(0.01)
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.parametrize(("lingers", "wall_s"), [("0", 30), ("60", 4)], ids=["after its own end", "at the deadline"])
def test_a_daemon_that_holds_the_output_open_dies_with_the_tree(tmp_path, lingers, wall_s):
    note = tmp_path / "pid"
    began = time.monotonic()
    process.run(
        (sys.executable, "-c", DAEMON, str(note), lingers), env=ENV, cwd=tmp_path, limits=replace(LIMITS, wall_s=wall_s)
    )
    assert time.monotonic() - began < 29
    assert not is_alive(int(note.read_text()))


def test_a_stopped_child_dies_with_the_tree(tmp_path):
    note = tmp_path / "pid"
    python(
        f"""
        import os, signal, time
        pid = os.fork()
        if pid == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
        open({str(note)!r}, "w").write(str(pid))
        time.sleep(60)
        """,
        limits=replace(LIMITS, wall_s=4),
    )
    assert not is_alive(int(note.read_text()))


def test_another_child_of_the_caller_is_left_alone():
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        python("print()")
        python("import time; time.sleep(60)", limits=replace(LIMITS, wall_s=0.3))
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_memory_limit_reaches_the_process():
    outcome = python("bytearray(1 << 30)", limits=replace(LIMITS, memory_bytes=256 << 20))
    assert isinstance(outcome, Exited)
    assert b"MemoryError" in outcome.stderr


def test_cpu_limit_ends_a_busy_loop():
    outcome = python("while True: pass", limits=replace(LIMITS, cpu_s=0.5))
    assert isinstance(outcome, Exited)
    assert outcome.code == -signal.SIGXCPU


def test_the_tree_is_pinned_and_the_caller_is_not():
    before = os.sched_getaffinity(0)
    core = max(before)
    outcome = python("import os; print(os.sched_getaffinity(0))", cpus=(core,))
    assert outcome.stdout.decode().strip() == f"{{{core}}}"
    assert os.sched_getaffinity(0) == before


def test_a_missing_program_is_a_tool_error_that_names_it():
    with pytest.raises(ToolError, match="no-such-program cannot be started"):
        process.run(("no-such-program",), env=ENV, cwd=Path("/"), limits=LIMITS)


def lines(code: str, *, line_bytes: int = 1000, limits: Limits = LIMITS):
    return process.stream(
        (sys.executable, "-c", textwrap.dedent(code)), env=ENV, cwd=Path("/"), limits=limits, line_bytes=line_bytes
    )


def test_lines_come_as_they_are_written():
    source = lines("import time; print('one', flush=True); time.sleep(30)")
    began = time.monotonic()
    assert next(source) == b"one"
    assert time.monotonic() - began < 10
    source.close()


def test_the_stream_returns_the_outcome_and_an_unfinished_last_line():
    source = lines("import sys; sys.stdout.write('one\\n\\ntwo'); sys.stderr.write('err'); sys.exit(3)")
    seen = []
    while True:
        try:
            seen.append(next(source))
        except StopIteration as stop:
            outcome = stop.value
            break
    assert seen == [b"one", b"", b"two"]
    assert isinstance(outcome, Exited)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (3, b"", b"err")


def test_an_endless_line_ends_the_stream():
    source = lines("import sys\nwhile True: sys.stdout.write('x' * 1000)", line_bytes=5000)
    with pytest.raises(StopIteration) as stop:
        next(source)
    assert isinstance(stop.value.value, OutputFlooded)


def test_closing_the_stream_early_kills_the_tree(tmp_path):
    note = tmp_path / "pid"
    code = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); print('x', flush=True); time.sleep(60)"
    source = lines(code)
    next(source)
    source.close()
    assert not is_alive(int(note.read_text()))


@pytest.mark.parametrize("end", ["sys.exit()", "fail()"])
def test_a_forked_process_leaves_the_trees_of_its_parent_alone(end):
    script = f"""
        import os, sys
        from concurrent.futures import ThreadPoolExecutor
        from pathlib import Path
        from qualityscore.runtime import process

        def fail():
            with ThreadPoolExecutor(1) as pool, process.killed_on_failure(pool):
                raise OSError("of the child's own")

        limits = process.Limits(wall_s=60, cpu_s=None, memory_bytes=None, processes=None, file_size_bytes=None,
                                open_files=None, output_bytes=1000)
        lines = process.stream(("sh", "-c", "echo first; sleep 1; echo second"), env={{}}, cwd=Path("/"), limits=limits,
                               line_bytes=100)
        print(next(lines).decode())
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            {end}
        os.waitpid(child, 0)
        print(next(lines).decode())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], cwd=REPOSITORY, capture_output=True, text=True, timeout=30
    )
    assert done.stdout.splitlines() == ["first", "second"], done.stderr


FORKING_CALLER = """
import os, sys
from pathlib import Path
from qualityscore.runtime import process
limits = process.Limits(wall_s=20, cpu_s=None, memory_bytes=None, processes=None, file_size_bytes=None,
                        open_files=None, output_bytes=1000)
lines = process.stream(("sh", "-c", "echo; sleep 30"), env={}, cwd=Path("/"), limits=limits, line_bytes=100)
next(lines)
child = os.fork()
if child == 0:
    process.run((sys.executable, "-c", sys.argv[1], sys.argv[2], "0"), env={}, cwd=Path("/"), limits=limits)
    os._exit(0)
os.waitpid(child, 0)
"""


def test_a_forked_process_finds_its_daemons_as_its_parent_does(tmp_path):
    note = tmp_path / "pid"
    subprocess.run([sys.executable, "-c", FORKING_CALLER, DAEMON, str(note)], cwd=REPOSITORY, timeout=40)
    assert not is_alive(int(note.read_text()))


CALLER = """
import sys
from pathlib import Path
from qualityscore.runtime import process
limits = process.Limits(wall_s=50, cpu_s=None, memory_bytes=None, processes=None, file_size_bytes=None,
                        open_files=None, output_bytes=1000)
process.run((sys.executable, "-c", sys.argv[1], sys.argv[2], "60"), env={}, cwd=Path("/"), limits=limits)
"""


@pytest.mark.parametrize(
    ("number", "prelude"),
    [
        (signal.SIGINT, ""),
        (signal.SIGINT, "import signal\nsignal.signal(signal.SIGINT, lambda *_: sys.exit(1))\n"),
        (signal.SIGTERM, "import signal\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(1))\n"),
    ],
    ids=["KeyboardInterrupt", "SystemExit", "SystemExit on SIGTERM"],
)
def test_an_interrupt_of_the_caller_kills_the_whole_tree(tmp_path, number, prelude):
    note = tmp_path / "pid"
    code = CALLER.replace("limits =", prelude + "limits =", 1)
    caller = subprocess.Popen(
        [sys.executable, "-c", code, DAEMON, str(note)], cwd=REPOSITORY, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 20
    while not (note.exists() and note.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    caller.send_signal(number)
    caller.communicate(timeout=10)
    assert caller.returncode != 0
    assert not is_alive(int(note.read_text()))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_sudden_death_of_the_caller_takes_the_process_group_along(tmp_path, number):
    note = tmp_path / "pid"
    code = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
    caller = subprocess.Popen([sys.executable, "-c", CALLER, code, str(note)], cwd=REPOSITORY)
    until = time.monotonic() + 20
    while not (note.exists() and note.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    caller.send_signal(number)
    caller.wait(timeout=10)
    until = time.monotonic() + 1
    while is_alive(int(note.read_text())) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_alive(int(note.read_text()))


def test_ctrl_c_ends_what_the_threads_of_a_pool_run(tmp_path):
    marker = "31.4159"
    script = f"""
        import sys
        from concurrent.futures import ThreadPoolExecutor
        from pathlib import Path
        from qualityscore.runtime import process

        limits = process.Limits(wall_s=60, cpu_s=None, memory_bytes=None, processes=None, file_size_bytes=None,
                                open_files=None, output_bytes=1000)

        def sleep(number):
            Path({str(tmp_path)!r}, str(number)).touch()
            return process.run(("sleep", "{marker}"), env={{}}, cwd=Path("/"), limits=limits)

        try:
            with ThreadPoolExecutor(max_workers=2) as pool, process.killed_on_failure(pool):
                list(pool.map(sleep, range(5)))
        except KeyboardInterrupt:
            again = process.run(("true",), env={{}}, cwd=Path("/"), limits=limits)
            sys.exit(40 + again.code)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], cwd=REPOSITORY) as child:
        until = time.monotonic() + 20
        while len(sleepers := _running(marker)) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        assert len(sleepers) == 2
        struck = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.wait(20) == 40
        assert time.monotonic() - struck < 2
    assert _running(marker) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0", "1"]


def _running(argument: str) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and is_alive(int(folder.name)):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[:2] == [b"sleep", argument.encode()]:
                found.append(int(folder.name))
    return found
