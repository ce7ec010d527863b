"""Process 1 of a sandbox: starts zygotes and units, and reports how each of them really ended.

Standard library only. Imports neither subject nor suite; what it reports rests on the kernel (exit statuses, sender
pids, clocks), never on what a unit says about itself. Reads a JSON plan from standard input, writes JSON lines to
standard output:

    {"event": "group", "group", "state": "ready" | "failed" | "timeout", "message": [base64],
     "exit", "signal", "stderr"}
    {"event": "unit", "group", "unit", "exit", "signal", "timed_out", "oom", "duration_s", "cpu_s", "maxrss_bytes",
     "messages": [base64], "overflow", "output", "zygote_lost", "prepare_failed"}
    {"event": "end", "complete": bool}

A unit is forked from its group's zygote, twice, so that the supervisor adopts it. A zygote with more than one thread
is not forked from: each unit then gets a process of its own that prepares and runs, as with fork_mode "fresh".
"""

import base64
import contextlib
import ctypes
import errno
import json
import math
import os
import resource
import signal
import socket
import sys
import time
import traceback

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import channel  # noqa: E402
import fence  # noqa: E402
import offspring  # noqa: E402
import scratch  # noqa: E402
import watched  # noqa: E402
import zygote  # noqa: E402

sys.path.remove(FOLDER)

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_FORK_PATIENCE_S = 15.0
_LEAVING_S = 1.0
_EXHAUSTED = frozenset({errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN})


class Supervisor:
    """Carries a plan out, one unit at a time."""

    def __init__(self, plan, report):
        self._report = report
        self._message_bytes = plan["message_bytes"]
        self._output_bytes = plan["output_bytes"]
        self._groups = plan["groups"]
        self._ends_at = time.monotonic() + plan["total_timeout_s"]
        self._scratch = scratch.Scratch(private=offspring.is_alone())
        self._limits = _own_limits()
        self._group_told, self._units_told = set(), set()

    def run(self):
        """Carry it all out. Whatever breaks after our own limits were changed was broken by the subject."""
        try:
            complete = self._run_groups()
        except OSError:
            if _own_limits() == self._limits:
                raise
            self._give_up()
            complete = True
        self._emit(event="end", complete=complete and not self._is_over())

    def _run_groups(self):
        complete = True
        for group in self._groups:
            began, ends_at = time.monotonic(), self._ends_at
            beside_s = group.get("beside_total_s")
            if beside_s is not None:
                self._ends_at += beside_s
            complete = self._run_group(group) and complete
            if beside_s is not None:
                self._ends_at = ends_at + time.monotonic() - began
            offspring.kill_all(set())
            self._scratch.reset()
            if self._is_over():
                break
        return complete

    def _give_up(self):
        """Report what is left as lost; the end of process 1 kills what still runs."""
        for group in self._groups:
            if group["id"] not in self._group_told:
                self._emit_group(group, "failed")
            for unit in group["units"]:
                if (group["id"], unit["id"]) not in self._units_told:
                    self._emit_unit(group, unit, zygote_lost=True)

    def _is_over(self):
        return time.monotonic() >= self._ends_at

    def _run_group(self, group):
        """True when every unit of the group was reported."""
        if group.get("fork_mode", "zygote") == "fresh":
            return self._run_fresh(group, announced=False)
        mother = self._start_zygote(group, announce=True)
        if mother is None:
            return not self._is_over()
        if offspring.thread_count(mother.pid) > 1:
            self._end_zygote(mother)
            return self._run_fresh(group, announced=True)
        self._scratch.remember()
        restarts = 1
        for unit in group["units"]:
            done = False
            while not done:
                if self._is_over():
                    return False
                if mother is not None and mother.has_ended():
                    self._end_zygote(mother)
                    mother = None
                if mother is None and restarts:
                    restarts -= 1
                    mother = self._start_zygote(group, announce=False)
                if mother is None:
                    self._emit_unit(group, unit, zygote_lost=True)
                    break
                done = self._run_forked(group, unit, mother)
                if not done:
                    self._end_zygote(mother)
                    mother = None
        if mother is not None:
            self._end_zygote(mother)
        return True

    def _start_zygote(self, group, *, announce):
        """A zygote that is ready, or None; reported when `announce`."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        mother = self._fork(
            lambda end, control: zygote.serve(FOLDER, group["zygote"], group["args"], control, end),
            theirs,
            make=lambda inbox, output: watched.Zygote(inbox, output, self._output_bytes, ours),
        )
        state = self._await_ready(mother, group["start_timeout_s"], channel.READY)
        code = self._finish(mother, keep=set()) if state != "ready" else None
        if announce:
            self._emit_group(group, state, mother, code)
        if state != "ready":
            mother.close()
            return None
        mother.kept = offspring.others(set())
        return mother

    def _end_zygote(self, mother):
        offspring.kill_all(set())
        mother.close()

    def _fork(self, body, *sockets, make=None):
        """Fork a child that runs `body(its end, *sockets)` and never returns from it."""
        ours, theirs = channel.pair()
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                body(*zygote.begin(writing, [theirs, *sockets]))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(zygote.UNCAUGHT_STATUS)
        theirs.close()
        for end in sockets:
            end.close()
        os.close(writing)
        inbox = channel.Inbox(ours, pid, self._message_bytes)
        child = make(inbox, reading) if make else watched.Watched(inbox, reading, self._output_bytes)
        child.watch_exit()
        return child

    def _await_ready(self, child, timeout_s, kind):
        """ "ready" when a frame of `kind` has come, "timeout", or "failed" (it said so, ended, or took too much)."""
        until = min(time.monotonic() + timeout_s, self._ends_at)
        while True:
            child.wait(until)
            if child.inbox.body_of(kind) is not None:
                return "ready"
            if child.inbox.body_of(channel.FAILED) is not None or child.inbox.overflow:
                # It is about to leave by itself; its own status is worth a moment.
                until = min(until, time.monotonic() + _LEAVING_S)
                while not child.has_ended() and time.monotonic() < until:
                    child.wait(until)
                return "failed"
            if child.has_ended():
                return "failed"
            if time.monotonic() >= until:
                return "timeout"
            if self._is_too_much(offspring.others(set()), resource.getrlimit(resource.RLIMIT_AS)[0]):
                return "failed"

    def _run_forked(self, group, unit, mother):
        """Run a unit from the zygote; False when the zygote did not give one."""
        ours, theirs = channel.pair()
        reading, writing = os.pipe()
        child = watched.Watched(channel.Inbox(ours, None, self._message_bytes), reading, self._output_bytes)
        try:
            with contextlib.suppress(OSError):
                os.kill(mother.pid, signal.SIGCONT)  # an earlier unit may have stopped it
                socket.send_fds(mother.control, [zygote.FORK], [theirs.fileno(), writing])
            theirs.close()
            os.close(writing)
            until = min(time.monotonic() + _FORK_PATIENCE_S, self._ends_at)
            while child.inbox.body_of(channel.HELLO) is None:
                child.wait(until)
                mother.read_output()
                if time.monotonic() >= until or (child.inbox.sender is None and mother.has_ended()):
                    return False
            child.pid = child.inbox.sender
            child.watch_exit()
            self._run_unit(group, unit, child, mother.kept)
            return True
        finally:
            child.close()

    def _run_fresh(self, group, *, announced):
        """Prepare and run each unit in a process of its own; the first one's preparation speaks for the group."""
        self._scratch.remember()
        for unit in group["units"]:
            if self._is_over():
                return False

            def body(end):
                prepared = zygote.prepare(FOLDER, group["zygote"], group["args"], end)
                if prepared is None:
                    os._exit(zygote.UNCAUGHT_STATUS)
                zygote.unit(prepared, end)

            child = self._fork(body)
            try:
                state = self._await_ready(child, group["start_timeout_s"], channel.HELLO)
                code = self._finish(child, keep=set()) if state != "ready" else None
                if not announced:
                    self._emit_group(group, state, child, code)
                    announced = True
                    if state != "ready":
                        return not self._is_over()
                elif state != "ready":
                    self._emit_unit(group, unit, child, code, prepare_failed=True, timed_out=state == "timeout")
                    continue
                # What it said so far belongs to the preparation.
                child.inbox.frames.clear()
                child.text.clear()
                self._run_unit(group, unit, child, set())
            finally:
                child.close()
        return True

    def _run_unit(self, group, unit, child, kept):
        """Let a unit that has said hello go, until it has ended; report it."""
        limit = unit["memory_bytes"]
        before_s = offspring.cpu_seconds(child.pid)
        _lower(child.pid, resource.RLIMIT_AS, limit)
        _lower(child.pid, resource.RLIMIT_CPU, math.ceil(before_s + unit["cpu_s"]))
        began = time.monotonic()
        until = min(began + unit["timeout_s"], self._ends_at)
        timed_out = oom = False
        child.inbox.end.settimeout(max(0.001, until - began))
        with contextlib.suppress(OSError):
            channel.write(child.inbox.end, channel.GO, json.dumps(unit["args"]).encode())
        child.inbox.end.setblocking(False)
        look_at = began + watched.TICK_S
        try:
            while not child.has_ended():
                now = time.monotonic()
                if now >= until:
                    timed_out = True
                    break
                if child.inbox.overflow:
                    break
                if now >= look_at:
                    look_at = now + watched.TICK_S
                    if oom := self._is_too_much(offspring.others(kept), limit):
                        break
                child.wait(until)
        except OSError as error:
            if error.errno not in _EXHAUSTED:
                raise
            oom = True  # the kernel had no memory or no file left for us while the unit ran
        duration_s = time.monotonic() - began
        code = self._finish(child, keep=kept)
        self._scratch.clear()
        self._emit_unit(
            group, unit, child, code, timed_out=timed_out, oom=oom, duration_s=duration_s, cpu_before_s=before_s
        )

    def _is_too_much(self, pids, limit):
        """Whether processes together hold more than each of them may, or the scratch too many files."""
        bounded = limit if limit != resource.RLIM_INFINITY else math.inf
        return offspring.memory_bytes(pids, bounded) > bounded or self._scratch.is_crowded()

    def _finish(self, child, *, keep):
        """Kill a child and all that is not kept, take in the rest of what it wrote, collect it: (status, rusage)."""
        if not child.has_ended():
            with contextlib.suppress(OSError):
                os.kill(child.pid, signal.SIGKILL)
        offspring.kill_all(keep, leave=child.pid)
        child.drain()
        for _ in range(1000):
            try:
                pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            except ChildProcessError:
                return None
            if pid:
                return status, usage
            time.sleep(0.001)
        return None

    def _emit_group(self, group, state, child=None, code=None):
        self._group_told.add(group["id"])
        exit_code, number = _ending(code)
        told = child.inbox.body_of(channel.FAILED) if child else None
        messages = (child.inbox.messages() if child else []) + ([told] if told is not None else [])
        self._emit(
            event="group",
            group=group["id"],
            state=state,
            message=_encoded(messages),
            exit=exit_code,
            signal=number,
            stderr=child.text.decode("utf-8", "replace") if child else "",
        )

    def _emit_unit(
        self,
        group,
        unit,
        child=None,
        code=None,
        *,
        timed_out=False,
        oom=False,
        duration_s=0.0,
        cpu_before_s=0.0,
        zygote_lost=False,
        prepare_failed=False,
    ):
        self._units_told.add((group["id"], unit["id"]))
        exit_code, number = _ending(code)
        usage = code[1] if code else None
        cpu_s = max(0.0, usage.ru_utime + usage.ru_stime - cpu_before_s) if usage else 0.0
        if number == signal.SIGXCPU or (number == signal.SIGKILL and cpu_s >= unit["cpu_s"]):
            timed_out = True
        messages = child.inbox.messages() if child else []
        told = child.inbox.body_of(channel.FAILED) if child and prepare_failed else None
        self._emit(
            event="unit",
            group=group["id"],
            unit=unit["id"],
            exit=exit_code,
            signal=number,
            timed_out=timed_out,
            oom=oom or exit_code == zygote.NO_MEMORY_STATUS,
            duration_s=round(duration_s, 6),
            cpu_s=round(cpu_s, 6),
            maxrss_bytes=usage.ru_maxrss * 1024 if usage else 0,
            messages=_encoded(messages + ([told] if told is not None else [])),
            overflow=bool(child and child.inbox.overflow),
            output=child.text.decode("utf-8", "replace") if child else "",
            zygote_lost=zygote_lost,
            prepare_failed=prepare_failed,
        )

    def _emit(self, **event):
        self._report.write(json.dumps(event).encode() + b"\n")
        self._report.flush()


def _lower(pid, kind, value):
    """Lower a limit of another process; a value above its present limit changes nothing."""
    with contextlib.suppress(OSError, ValueError):
        ceiling = resource.prlimit(pid, kind)[1]
        if ceiling == resource.RLIM_INFINITY or value < ceiling:
            hard = value + 1 if kind == resource.RLIMIT_CPU else value
            resource.prlimit(pid, kind, (value, hard if ceiling == resource.RLIM_INFINITY else min(hard, ceiling)))


def _own_limits():
    """Every limit of this process, by kind; getrlimit(2) needs no file."""
    kinds = sorted(name for name in vars(resource) if name.startswith("RLIMIT_"))
    return [resource.getrlimit(getattr(resource, name)) for name in kinds]


def _ending(code):
    """(exit code, signal) of what _finish returned."""
    if code is None:
        return None, None
    status = code[0]
    return (None, os.WTERMSIG(status)) if os.WIFSIGNALED(status) else (os.WEXITSTATUS(status), None)


def _encoded(messages):
    return [base64.b64encode(message).decode() for message in messages]


def _take_streams():
    """(plan, report): standard input read to its end, standard output moved; both closed to children from here on."""
    plan = json.load(sys.stdin)
    report = os.fdopen(os.dup(1), "wb")
    complaints = os.fdopen(os.dup(2), "w")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)

    def complain(kind, error, trace):
        traceback.print_exception(kind, error, trace, file=complaints)
        complaints.flush()

    sys.excepthook = complain
    return plan, report


def main():
    plan, report = _take_streams()
    libc = ctypes.CDLL(None, use_errno=True)
    # Same-uid code could otherwise write to our memory, and an interrupt sent to process 1 would raise here.
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if not offspring.is_alone():
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    fence.check()
    Supervisor(plan, report).run()


if __name__ == "__main__":
    main()
