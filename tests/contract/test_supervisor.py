"""The supervisor in the sandbox, told by small zygotes written here: what a unit did is what is reported."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from qualityscore.errors import SandboxUnavailableError
from qualityscore.runtime.sandbox.base import HOME_DIR, SUITE_DIR, WORK_DIR
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.supervision import (
    INSIDE_SOURCES,
    EndEvent,
    ForkMode,
    Group,
    GroupEvent,
    GroupState,
    Plan,
    Unit,
    UnitEvent,
    supervise,
)
from qualityscore.runtime.target import Environment, Target, Tree
from qualityscore.runtime.tasks import load_task


@pytest.fixture(scope="module")
def target(tmp_path_factory) -> Target:
    try:
        sandbox = select()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    root = tmp_path_factory.mktemp("subject")
    root.chmod(0o755)
    environment = Environment(
        prefix=Path(sys.prefix),
        base_prefix=Path(sys.base_prefix).resolve(),
        python="/qs/env/bin/python",
        version=sys.version.split()[0],
        lock_digest="",
    )
    tree = Tree(root=root, import_roots=(".",), files=(), digest="")
    return Target(task=load_task("cachetools"), tree=tree, environment=environment, sandbox=sandbox)


def unit(name: str, args: object = None, *, timeout_s: float = 10, cpu_s: float = 10, memory_mib: int = 512) -> Unit:
    return Unit(id=name, args=args, timeout_s=timeout_s, cpu_s=cpu_s, memory_bytes=memory_mib << 20)


@pytest.fixture
def play(target, tmp_path):
    """Run units of a zygote given as source; returns the events."""

    def run(source: str, *units: Unit, total_timeout_s: float = 60, message_bytes: int = 1 << 20, **group):
        tmp_path.chmod(0o755)
        (tmp_path / "toy.py").write_text(textwrap.dedent(source))
        plan = Plan(
            groups=(Group(id="g", zygote=f"{SUITE_DIR}/toy", args={"n": 5}, units=units, **group),),
            total_timeout_s=total_timeout_s,
            message_bytes=message_bytes,
            output_bytes=1000,
        )
        return list(supervise(target, plan, suite=tmp_path))

    return run


def of_units(events) -> dict[str, UnitEvent]:
    found = {event.unit: event for event in events if isinstance(event, UnitEvent)}
    assert len(found) == sum(isinstance(event, UnitEvent) for event in events)
    return found


def test_state_of_the_preparation_reaches_each_unit_and_messages_come_back_in_order(play):
    events = play(
        """
        def prepare(args):
            print("preparing")
            return args["n"]

        def run(state, args, send):
            send(b"first")
            print("working")
            send(str(state + args).encode())
        """,
        unit("a", 1),
        unit("b", 2),
    )
    assert events[0] == GroupEvent(
        group="g", state=GroupState.READY, messages=(), exit=None, signal=None, stderr="preparing\n"
    )
    units = of_units(events)
    assert units["a"].messages == (b"first", b"6")
    assert units["b"].messages == (b"first", b"7")
    assert units["a"].output == "working\n"
    assert all(event.left_normally for event in units.values())
    end = events[-1]
    assert isinstance(end, EndEvent)
    assert end.complete


def test_units_share_nothing_but_the_preparation(play):
    events = play(
        """
        import os
        seen = []

        def prepare(args):
            open("kept", "w").close()
            return None

        def run(state, args, send):
            send(repr((list(seen), sorted(os.listdir(".")))).encode())
            seen.append(args)
            for folder in (".", "/tmp", "/dev/shm"):
                os.makedirs(folder + "/left/behind", exist_ok=True)
                os.chmod(folder + "/left", 0)
        """,
        unit("a"),
        unit("b"),
    )
    assert {event.messages for event in of_units(events).values()} == {(b"([], ['kept'])",)}


ENDINGS = """
import os, signal, sys

def prepare(args):
    return None

def run(state, args, send):
    send(b"done")
    exec(args)
"""


# Waits for the process between zygote and unit to be gone; what a unit left would stay for much longer.
COUNT = """
import time
until = time.monotonic() + 5
while (count := sum(name.isdigit() for name in os.listdir('/proc'))) > 3 and time.monotonic() < until:
    time.sleep(0.01)
send(str(count).encode())
"""


@pytest.mark.parametrize(
    ("code", "exit_code", "number"),
    [
        ("os._exit(3)", 3, None),
        ("os._exit(0)", 0, None),
        ("os.kill(os.getpid(), signal.SIGTERM)", None, 15),
        ("os.abort()", None, 6),
        ("raise RuntimeError('unheard of')", 70, None),
        ("sys.exit(0)", 70, None),
    ],
)
def test_the_real_exit_status_is_reported(play, code, exit_code, number):
    event = of_units(play(ENDINGS, unit("a", code)))["a"]
    assert (event.exit, event.signal) == (exit_code, number)
    assert event.messages == (b"done",)


def test_leaving_early_with_status_zero_leaves_no_message(play):
    event = of_units(play("import os\ndef prepare(args): pass\ndef run(*_): os._exit(0)", unit("a")))["a"]
    assert (event.exit, event.messages) == (0, ())


def test_an_uncaught_exception_is_shown_in_the_output(play):
    event = of_units(play(ENDINGS, unit("a", "raise RuntimeError('unheard of')")))["a"]
    assert "RuntimeError: unheard of" in event.output


def test_a_hanging_unit_is_ended_at_its_deadline_and_the_next_one_runs(play):
    began = time.monotonic()
    units = of_units(play(ENDINGS, unit("hangs", "import time; time.sleep(60)", timeout_s=0.5), unit("next", "pass")))
    assert time.monotonic() - began < 40
    assert units["hangs"].timed_out
    assert not units["hangs"].left_normally
    assert 0.5 <= units["hangs"].duration_s < 5
    assert units["next"].left_normally


def test_a_busy_unit_is_ended_by_its_processor_time(play):
    code = "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    event = of_units(play(ENDINGS, unit("a", code, timeout_s=30, cpu_s=1)))["a"]
    assert event.timed_out
    assert event.cpu_s < 4


def test_memory_of_one_process_is_bounded(play):
    units = of_units(play(ENDINGS, unit("a", "bytearray(1 << 30)"), unit("b", "pass")))
    assert units["a"].oom
    assert units["b"].left_normally


def test_memory_of_all_processes_together_is_bounded(play):
    code = """
import time
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(os.urandom(1 << 20)) * 150
        time.sleep(60)
time.sleep(60)
"""
    event = of_units(play(ENDINGS, unit("a", code, timeout_s=30)))["a"]
    assert event.oom
    assert event.duration_s < 20


def test_an_orphan_that_holds_the_output_neither_delays_nor_survives(play):
    code = """
pid = os.fork()
if pid == 0:
    os.setsid()
    if os.fork() == 0:
        import time
        time.sleep(25)
    os._exit(0)
os.waitpid(pid, 0)
"""
    began = time.monotonic()
    units = of_units(play(ENDINGS, unit("orphan", code), unit("count", COUNT)))
    assert time.monotonic() - began < 20
    assert units["orphan"].left_normally
    assert units["count"].messages[1] == b"3"  # supervisor, zygote, unit


def test_a_stopped_child_does_not_survive_its_unit(play):
    code = "pid = os.fork()\nif pid == 0:\n    os.kill(os.getpid(), signal.SIGSTOP)\n"
    units = of_units(play(ENDINGS, unit("stopped", code), unit("count", COUNT)))
    assert units["stopped"].left_normally
    assert units["count"].messages[1] == b"3"


def test_a_fork_bomb_ends_with_its_unit(play):
    code = "while True:\n    try: os.fork()\n    except OSError: pass"
    began = time.monotonic()
    units = of_units(play(ENDINGS, unit("bomb", code, timeout_s=1), unit("next", "pass")))
    assert time.monotonic() - began < 25
    assert units["bomb"].timed_out
    assert units["next"].left_normally


def test_a_copy_of_the_unit_that_returns_as_well_is_not_counted(play):
    code = "pid = os.fork()\nif pid: os.waitpid(pid, 0)\nsend(b'end of %d' % (pid > 0))"
    units = of_units(play(ENDINGS, unit("a", code)))
    assert units["a"].messages == (b"done", b"end of 1")
    assert units["a"].exit == 0


def test_messages_of_another_process_are_not_taken(play):
    code = """
pid = os.fork()
if pid == 0:
    send(b"forged")
    os._exit(0)
os.waitpid(pid, 0)
"""
    assert of_units(play(ENDINGS, unit("a", code)))["a"].messages == (b"done",)


def test_a_large_message_within_the_cap_arrives_whole(play):
    event = of_units(play(ENDINGS, unit("a", "send(bytes(range(256)) * 4000)")))["a"]
    assert event.messages[1] == bytes(range(256)) * 4000


def test_messages_of_exactly_the_cap_fit_and_one_byte_more_does_not(play):
    units = of_units(
        play(ENDINGS, unit("fits", "send(b'x' * 996)"), unit("over", "send(b'x' * 997)"), message_bytes=1000)
    )
    assert units["fits"].left_normally
    assert len(units["fits"].messages[1]) == 996
    assert units["over"].overflow
    assert not units["over"].left_normally
    assert units["over"].messages == (b"done",)


def test_an_endless_stream_of_messages_is_cut_off(play):
    event = of_units(play(ENDINGS, unit("a", "while True: send(b'x' * 100_000)")))["a"]
    assert event.overflow
    assert event.duration_s < 9


def test_a_flood_of_output_is_capped_and_harmless(play):
    event = of_units(play(ENDINGS, unit("a", "for _ in range(100_000): print('x' * 100)")))["a"]
    assert event.left_normally
    assert event.output == ("x" * 100 + "\n") * 9 + "x" * 91


def test_a_preparation_that_raises_is_described(play):
    events = play("import no_such_module\n\ndef prepare(args): pass\ndef run(*_): pass", unit("a"))
    group = events[0]
    assert isinstance(group, GroupEvent)
    assert group.state is GroupState.FAILED
    described = json.loads(group.messages[-1])
    assert described["exception"] == "ModuleNotFoundError"
    assert described["module"] == "no_such_module"
    assert described["frames"][-1] == [f"{SUITE_DIR}/toy.py", 1, "<module>"]
    assert group.exit == 70
    assert of_units(events) == {}
    assert events[-1].complete


def test_a_preparation_that_leaves_with_status_zero_has_failed(play):
    group = play("import os\ndef prepare(args): os._exit(0)", unit("a"))[0]
    assert (group.state, group.exit, group.messages) == (GroupState.FAILED, 0, ())


def test_a_preparation_that_calls_exit_has_failed(play):
    group = play("import sys\ndef prepare(args): sys.exit(0)", unit("a"))[0]
    assert group.state is GroupState.FAILED
    assert json.loads(group.messages[-1])["exception"] == "SystemExit"


def test_a_hanging_preparation_is_a_timeout(play):
    events = play("import time\ndef prepare(args): time.sleep(60)", unit("a"), start_timeout_s=0.5)
    assert events[0].state is GroupState.TIMEOUT
    assert of_units(events) == {}


def test_a_preparation_may_send_as_it_goes(play):
    source = """
    def prepare(args, send):
        send(b"one")
        raise ValueError("then")
    """
    group = play(source, unit("a"))[0]
    assert group.messages[0] == b"one"
    assert json.loads(group.messages[1])["text"] == "then"


THREADED = """
import threading, queue
todo, done = queue.Queue(), queue.Queue()

def work():
    while True:
        done.put(todo.get() + 1)

def prepare(args):
    threading.Thread(target=work, daemon=True).start()
    return args["n"]

def run(state, args, send):
    todo.put(state)
    send(str(done.get(timeout=5)).encode())
"""


def test_a_preparation_with_threads_is_repeated_for_each_unit(play):
    events = play(THREADED, unit("a"), unit("b"))
    assert events[0].state is GroupState.READY
    assert [event.messages for event in of_units(events).values()] == [(b"6",), (b"6",)]


def test_fresh_units_prepare_for_themselves(play):
    source = """
    import time
    def prepare(args, send):
        send(b"prepared")
        print("preparing")
        return time.monotonic_ns()

    def run(state, args, send):
        send(str(state).encode())
    """
    events = play(source, unit("a"), unit("b"), fork_mode=ForkMode.FRESH)
    assert events[0].state is GroupState.READY
    assert events[0].messages == (b"prepared",)
    assert events[0].stderr == "preparing\n"
    units = of_units(events)
    assert units["a"].messages != units["b"].messages
    assert units["a"].left_normally
    assert units["a"].output == ""


def test_a_fresh_unit_whose_preparation_fails_says_so(play):
    source = f"""
    import os
    def prepare(args):
        if os.path.exists("{HOME_DIR}/flag"):
            raise ValueError("only once")
        os.mkdir("{HOME_DIR}/flag")

    def run(state, args, send):
        os.rename("{HOME_DIR}/flag", "{WORK_DIR}/flag")  # out of the way of the clearing
        os.rename("{WORK_DIR}/flag", "{HOME_DIR}/flag")
        import subprocess
        send(b"ran")
    """
    events = play(source, unit("a"), unit("b"), fork_mode=ForkMode.FRESH)
    units = of_units(events)
    assert units["a"].messages == (b"ran",)
    assert units["b"].messages == (b"ran",)  # what the first one left is gone


def test_a_zygote_that_dies_is_started_once_more_and_then_given_up(play):
    kill = "os.kill(-1, signal.SIGKILL)"
    units = of_units(play(ENDINGS, *(unit(name, kill) for name in "abcd")))
    assert [units[name].zygote_lost for name in "abcd"] == [False, False, True, True]
    assert units["a"].exit == 0  # kill(2) with -1 spares the caller
    assert units["d"].exit is None


def test_the_total_limit_keeps_what_had_a_verdict(play):
    sleep = "import time; time.sleep(60)"
    began = time.monotonic()
    events = play(ENDINGS, unit("a", "pass"), unit("b", sleep, timeout_s=50), unit("c", "pass"), total_timeout_s=6)
    assert time.monotonic() - began < 30
    units = of_units(events)
    assert units["a"].left_normally
    assert units["b"].timed_out
    assert "c" not in units
    assert events[-1].complete is False
    assert events[-1].detail == "the total time limit struck"


def test_several_groups_have_nothing_in_common(target, tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "toy.py").write_text(
        "import os\n"
        "def prepare(args): open('/tmp/home/' + args, 'w').close()\n"
        "def run(state, args, send): send(repr(os.listdir('/tmp/home')).encode())\n"
    )
    groups = tuple(Group(id=name, zygote=f"{SUITE_DIR}/toy", args=name, units=(unit("u"),)) for name in ("g", "h"))
    events = list(supervise(target, Plan(groups=groups, total_timeout_s=30), suite=tmp_path))
    assert [event.messages for event in events if isinstance(event, UnitEvent)] == [(b"['g']",), (b"['h']",)]


HOSTILE = [
    ("writes to the supervisor's memory", "open('/proc/1/mem', 'r+b').read(1)"),
    ("reads the supervisor's descriptors", "print(os.listdir('/proc/1/fd'))"),
    ("reads the supervisor's environment", "print(open('/proc/1/environ').read())"),
]


@pytest.mark.parametrize("code", [code for _, code in HOSTILE], ids=[name for name, _ in HOSTILE])
def test_the_supervisor_is_out_of_reach(play, code):
    event = of_units(play(ENDINGS, unit("a", code)))["a"]
    assert event.exit == 70
    assert "PermissionError" in event.output


@pytest.mark.parametrize("number", ["SIGKILL", "SIGINT", "SIGTERM", "SIGSTOP", "SIGSEGV", "SIGCHLD"])
def test_signals_to_the_supervisor_do_nothing(play, number):
    units = of_units(play(ENDINGS, unit("a", f"os.kill(1, signal.{number})"), unit("b", "pass")))
    assert units["a"].left_normally
    assert units["b"].left_normally


def test_a_unit_holds_no_descriptor_of_the_supervisor(play):
    code = """
names = []
for n in os.listdir('/proc/self/fd'):
    try:
        names.append(os.readlink('/proc/self/fd/' + n))
    except FileNotFoundError:
        pass  # the listing's own
send(' '.join(names).encode())
"""
    names = of_units(play(ENDINGS, unit("a", code)))["a"].messages[1].decode().split()
    assert sorted(name.partition(":")[0] for name in names) == ["/dev/null", "pipe", "pipe", "socket"]


def test_the_main_module_is_not_the_supervisor(play):
    code = "import sys; send(repr(sorted(n for n in vars(sys.modules['__main__']) if n[0] != '_')).encode())"
    assert of_units(play(ENDINGS, unit("a", code)))["a"].messages[1] == b"[]"


MARKS = {
    "its memory": (
        "import ctypes; kept = ctypes.create_string_buffer(b'clean'); at = ctypes.addressof(kept)",
        "with open(f'/proc/{zygote}/mem', 'r+b', 0) as m: m.seek(at); m.write(b'dirty')",
        "kept.value",
    ),
    "what a core dump holds": (
        "import re",
        "open(f'/proc/{zygote}/coredump_filter', 'w').write('0x77')",
        "open('/proc/self/coredump_filter').read()",
    ),
    "its name": ("", "open(f'/proc/{zygote}/comm', 'w').write('dirty')", "open('/proc/self/comm').read()"),
    "its timer slack": (
        "",
        "open(f'/proc/{zygote}/timerslack_ns', 'wb', 0).write(b'77777')",
        "open('/proc/self/timerslack_ns').read()",
    ),
    "its limits": (
        "import resource",
        "resource.prlimit(zygote, resource.RLIMIT_SIGPENDING, (77, 77))",
        "resource.getrlimit(resource.RLIMIT_SIGPENDING)",
    ),
    "its priority": ("", "os.setpriority(os.PRIO_PROCESS, zygote, 7)", "os.getpriority(os.PRIO_PROCESS, 0)"),
    "its group's priority": ("", "os.setpriority(os.PRIO_PGRP, zygote, 7)", "os.getpriority(os.PRIO_PROCESS, 0)"),
    "its user's priority": (
        "",
        "os.setpriority(os.PRIO_USER, os.getuid(), 7)",
        "os.getpriority(os.PRIO_PROCESS, 0)",
    ),
    "its scheduling": (
        "",
        "os.sched_setscheduler(zygote, os.SCHED_BATCH, os.sched_param(0))",
        "os.sched_getscheduler(0)",
    ),
    "its cores": (
        "cores = os.sched_getaffinity(0)",
        "os.sched_setaffinity(zygote, {min(cores)})",
        "(len(cores), os.sched_getaffinity(0) == cores)",
    ),
}


@pytest.mark.parametrize("mark", MARKS)
def test_a_unit_leaves_no_mark_on_the_process_that_the_next_is_forked_from(play, mark):
    kept, leave, look = MARKS[mark]
    source = f"""
import os
{kept}

def prepare(args):
    return os.getpid()

def run(zygote, args, send):
    send(repr({look}).encode())
    try:
        {leave}
    except OSError as error:
        send(type(error).__name__.encode())
"""
    units = of_units(play(source, unit("a"), unit("b")))
    assert units["a"].messages[1:] == (b"PermissionError",)
    assert units["b"].messages == units["a"].messages


@pytest.mark.parametrize(
    "code",
    [
        "import resource; resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))",
        "import resource; resource.prlimit(1, resource.RLIMIT_NPROC, (0, 0))",
        "os.setpriority(os.PRIO_PROCESS, 1, 19)",
        "os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))",
        "open('/proc/1/oom_score_adj', 'w').write('1000')",
    ],
)
def test_a_unit_cannot_cripple_the_supervisor(play, code):
    units = of_units(play(ENDINGS, unit("a", code), unit("b", "pass")))
    assert units["a"].exit == 70
    assert "PermissionError" in units["a"].output
    assert units["b"].left_normally


def test_a_unit_may_set_what_is_its_own(play):
    code = """
import multiprocessing, resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
resource.prlimit(0, resource.RLIMIT_NOFILE, (60, 60))
assert resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE) == (60, 60)
assert resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)[0] > 60
os.sched_setaffinity(0, os.sched_getaffinity(0))
nice = os.nice(1)
os.setpriority(os.PRIO_PROCESS, 0, min(19, nice + 1))
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
lower = lambda resource=resource: resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
ask = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
assert subprocess.check_output([sys.executable, "-c", ask], preexec_fn=lower).strip() == b"50"
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
assert open("/proc/self/environ", "rb").read() is not None
send(b"all of it")
"""
    event = of_units(play(ENDINGS, unit("a", code)))["a"]
    assert event.messages[1:] == (b"all of it",), event.output


def test_a_stopped_zygote_is_continued_for_the_next_unit(play):
    began = time.monotonic()
    stop = "os.kill(os.getppid() if os.getppid() > 1 else -1, signal.SIGSTOP)"
    units = of_units(play(ENDINGS, *(unit(name, stop) for name in "abc")))
    assert all(event.left_normally for event in units.values())
    assert time.monotonic() - began < 14  # less than it waits for a zygote that does not answer


def test_a_supervisor_whose_limits_were_changed_blames_the_subject(tmp_path):
    (tmp_path / "toy.py").write_text(ENDINGS)
    units = [
        {"id": name, "args": code, "timeout_s": 60, "cpu_s": 60, "memory_bytes": 1 << 40}
        for name, code in (("a", "pass"), ("b", "import time; time.sleep(50)"), ("c", "pass"))
    ]
    group = {"zygote": str(tmp_path / "toy"), "args": None, "start_timeout_s": 30, "units": units}
    plan = {
        "groups": [{"id": name, **group} for name in "gh"],
        "total_timeout_s": 100,
        "message_bytes": 1000,
        "output_bytes": 1000,
    }
    supervisor = subprocess.Popen(
        [sys.executable, "-sPB", str(INSIDE_SOURCES / "supervisor.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={"TMPDIR": str(tmp_path), "HOME": str(tmp_path)},
    )
    supervisor.stdin.write(json.dumps(plan).encode())
    supervisor.stdin.close()
    events = [json.loads(supervisor.stdout.readline()) for _ in range(2)]  # the group, the first unit
    resource.prlimit(supervisor.pid, resource.RLIMIT_NOFILE, (0, 0))
    events += map(json.loads, supervisor.stdout)
    said = supervisor.stderr.read()
    assert supervisor.wait() == 0, said
    told = [(e["event"], e.get("group"), e.get("unit"), e.get("state"), e.get("zygote_lost")) for e in events]
    assert told == [
        ("group", "g", None, "ready", None),
        ("unit", "g", "a", None, False),
        ("unit", "g", "b", None, True),
        ("unit", "g", "c", None, True),
        ("group", "h", None, "failed", None),
        *(("unit", "h", name, None, True) for name in "abc"),
        ("end", None, None, None, None),
    ]


def test_interrupts_work_in_units_as_in_any_program(play):
    code = "try:\n    signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt:\n    send(b'caught')"
    assert of_units(play(ENDINGS, unit("a", code)))["a"].messages[1] == b"caught"


def test_a_unit_that_signals_its_process_group_harms_nobody(play):
    units = of_units(play(ENDINGS, unit("a", "os.kill(0, signal.SIGKILL)"), unit("b", "pass")))
    assert units["a"].signal == 9
    assert units["b"].left_normally


def test_closing_all_descriptors_is_survived(play):
    units = of_units(play(ENDINGS, unit("a", "os.closerange(0, 500)"), unit("b", "pass")))
    assert units["a"].exit == 0
    assert units["b"].left_normally


def test_closing_the_events_early_ends_everything(target, tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "toy.py").write_text(ENDINGS)
    units = (unit("a", "pass"), unit("b", "import time; time.sleep(50)", timeout_s=50))
    plan = Plan(groups=(Group(id="g", zygote=f"{SUITE_DIR}/toy", args=None, units=units),), total_timeout_s=60)
    events = supervise(target, plan, suite=tmp_path)
    began = time.monotonic()
    next(events)
    next(events)
    events.close()
    assert time.monotonic() - began < 40
