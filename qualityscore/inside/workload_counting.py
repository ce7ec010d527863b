"""Counting under valgrind: one zygote imports, then a forked child per unit.

Instructions of all processes of a unit are summed from the files that valgrind writes when they end. While a unit runs
the zygote is stopped, and the files are read after every stray is dead, so that nothing of the subject's can rewrite
them unseen.
"""

import contextlib
import hashlib
import os
import signal
import time

from workload_process import Ended, Failed, clear_strays, descendants, kill, status
from workload_session import not_run

MAX_COUNT_FILE = 256 << 20
END_S = 30.0


class Counting:
    """The counting mode of a session."""

    def __init__(self, session):
        self.session = session
        self.plan = session.plan
        self.emit = session.emit
        self.until = session.until

    def run(self):
        """Every unit forked from one zygote, or from a zygote each when the import leaves threads behind."""
        zygote = None
        loaded = False
        for unit in self.plan["units"]:
            if not self.session.in_time():
                self.emit(not_run(unit))
                continue
            if zygote is None:
                zygote, event = self.prepare(unit)
                loaded = False
                if zygote is None:
                    self.emit(event)
                    continue
            if unit["input"] and self.plan["setup"]["suite"] and not loaded:
                try:
                    zygote.tell({"id": ""})
                    zygote.expect(b"W", self.until(self.plan["start_timeout_s"]))
                    loaded = True
                except (Ended, Failed) as problem:
                    self.emit(self.lost(zygote, unit, problem, "load"))
                    zygote = None
                    continue
            event = self.forked(zygote, unit)
            self.emit(event)
            if event.get("zygote_lost") or (status(zygote.pid)["threads"] or 2) > 1:
                zygote.close()
                clear_strays(set())
                zygote = None
        if zygote is not None:
            zygote.close()
            clear_strays(set())

    def prepare(self, unit):
        zygote = self.session.start(zygote=True)
        try:
            zygote.expect(b"R", self.until(self.plan["start_timeout_s"]))
        except (Ended, Failed) as problem:
            return None, self.lost(zygote, unit, problem, "import")
        return zygote, None

    def lost(self, zygote, unit, problem, stage):
        kill(zygote.pid)
        code = zygote.reap()
        zygote.close()
        clear_strays(set())
        event = {"event": "unit", "unit": unit["id"], "stage": stage, "exit": code if code >= 0 else None}
        event["signal"] = -code if code < 0 else None
        event["output"] = zygote.text.decode("utf-8", "replace")
        if isinstance(problem, Failed):
            return {**event, "state": "failed", "error": problem.payload.decode("utf-8", "replace")}
        if problem.how == "timeout" and not self.session.in_time():
            return not_run(unit)
        return {**event, "state": problem.how}

    def forked(self, zygote, unit):
        self.session.scratch.wipe()
        zygote.forget_messages()
        event = {"event": "unit", "unit": unit["id"], "state": "ok", "stage": "body"}
        deadline = self.until(self.plan["unit_timeout_s"])
        started = time.monotonic()
        pidfd = pid = None
        try:
            zygote.tell(unit)
            pid = int(zygote.expect(b"P", self.until(self.plan["start_timeout_s"])))
            pidfd = self.adopt(zygote, pid)
            kill(zygote.pid, signal.SIGSTOP)
            digest = zygote.expect(b"D", deadline, pidfd=pidfd)
            event.update(digest=hashlib.sha256(digest).hexdigest(), digest_bytes=len(digest))
            zygote.wait_end(self.until(END_S), pidfd=pidfd)
        except Failed as failed:
            event.update(state="failed", error=failed.payload.decode("utf-8", "replace"))
            if pidfd is not None:
                self.settle(zygote, pidfd)
        except (Ended, ValueError, OSError) as problem:
            event["state"] = problem.how if isinstance(problem, Ended) else "nonsense"
            if pid is None:
                event["zygote_lost"] = True
            else:
                kill(pid)
        event["wall_s"] = time.monotonic() - started
        code, alive, ended = self.collect(zygote, pid)
        event.update(
            exit=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            orphans=alive + ended,
            counts=read_counts(self.plan["own"], pid),
        )
        if event["state"] == "ok" and code != 0:
            event["state"] = "exited"
        kill(zygote.pid, signal.SIGCONT)
        if event["state"] == "timeout" and not self.session.in_time():
            return {**not_run(unit), "zygote_lost": True}
        return event

    def adopt(self, zygote, pid):
        """Become the parent of the unit by killing the process between; returns a descriptor of the unit."""
        parents = descendants(os.getpid(), dead=True)
        between = parents.get(pid)
        if parents.get(between) != zygote.pid:
            raise Ended("nonsense")
        pidfd = os.pidfd_open(pid)
        kill(between)
        return pidfd

    def settle(self, zygote, pidfd):
        with contextlib.suppress(Ended):
            zygote.wait_end(self.until(END_S), pidfd=pidfd)

    def collect(self, zygote, pid):
        """Exit code of the unit (None where it was never ours), and its orphans, after the strays are dead."""
        code = None
        for _ in range(500):
            if pid is None:
                break
            try:
                found, raw = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                found = 0  # not yet adopted
            if found:
                code = os.waitstatus_to_exitcode(raw)
                break
            time.sleep(0.002)
        alive, ended, _ = clear_strays({zygote.pid})
        return code, alive, ended


def read_counts(folder, main):
    """Instructions by process from valgrind's files: the unit's own first. None for a file that is not one."""
    names = sorted(os.listdir(folder), key=lambda n: (n != str(main), n))
    return [{"main": name == str(main), "instructions": read_count(f"{folder}/{name}")} for name in names]


def read_count(path):
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(descriptor).st_size
        if size > MAX_COUNT_FILE:
            return None
        file.seek(max(0, size - 200))
        words = file.read(200).split()
    if len(words) < 2 or words[-2] != b"summary:" or not words[-1].isdigit():
        return None
    return int(words[-1])
