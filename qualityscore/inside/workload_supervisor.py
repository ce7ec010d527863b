"""PID 1 of a cost measurement: starts the measured processes, reads the kernel's clocks, reports JSON lines.

The plan comes on standard input as JSON, is never shown to the measured processes, and says which of three modes:

- `single`: each unit in a fresh process; clocks, memory, what was left behind.
- `heap`: the same under memray, whose record is read afterwards in a process of its own.
- `count`: forked children of a zygote under valgrind (workload_counting).

It imports the standard library only, never the subject or the suite.
"""

import hashlib
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from workload_counting import Counting
from workload_process import (
    HEAD,
    Ended,
    Failed,
    Process,
    clear_strays,
    cpu_clock_s,
    descendants,
    guard_self,
    kill,
    scheduled_s,
    status,
    tree_bytes,
    written_bytes,
)
from workload_session import Session, last_pid, not_run

sys.path.pop(0)

PEAK_READ_S = 60.0


class Supervisor(Session):
    """Runs one plan."""

    def run(self):
        """Every unit of the plan; units after the total deadline are reported as not run."""
        if self.plan["mode"] == "count":
            Counting(self).run()
            return
        for unit in self.plan["units"]:
            self.emit(self.fresh(unit) if self.in_time() else not_run(unit))

    def fresh(self, unit):
        """One unit in a process of its own."""
        process = self.start(zygote=False)
        event = {"event": "unit", "unit": unit["id"], "state": "ok", "stage": "import"}
        watch = TreeWatch(process.pid) if self.plan["sample"] else None
        try:
            self.converse(process, unit, event, watch)
        except Failed as failed:
            event.update(state="failed", error=failed.payload.decode("utf-8", "replace"))
        except Ended as ended:
            event["state"] = ended.how
            if ended.how != "exited":
                kill(process.pid)
        finally:
            self.finish(process, event)
        if event["state"] == "timeout" and not self.in_time():
            return not_run(unit)
        if watch and watch.peak_bytes:
            event["tree_peak_bytes"] = watch.peak_bytes
        if watch:
            event["alone_peak_bytes"] = watch.alone_bytes
        if self.plan["mode"] == "heap" and event["state"] == "ok" and unit["workload"]:
            self.read_record(event)
        return event

    def converse(self, process, unit, event, watch):
        tick = watch.tick if watch else None
        if self.plan["mode"] == "heap":
            event["stage"] = "tool"
            process.expect(b"M", self.until(self.plan["start_timeout_s"]))
            event["stage"] = "import"
        before = last_pid()
        process.expect(b"R", self.until(self.plan["start_timeout_s"]), tick)
        event["import_cpu_s"] = cpu_clock_s(process.pid)
        threads = status(process.pid)["threads"]
        event["threads_at_import"] = threads
        process.tell()
        process.expect(b"W", self.until(self.plan["start_timeout_s"]), tick)
        event["stage"] = "load"
        ready_s = cpu_clock_s(process.pid)
        deadline = self.until(self.plan["unit_timeout_s"])
        process.tell(unit)
        process.expect(b"L", deadline, tick)
        event["stage"] = "body"
        loaded_s = cpu_clock_s(process.pid)
        event.update(start_cpu_s=ready_s, load_cpu_s=loaded_s - ready_s)
        event["rss_loaded_bytes"] = status(process.pid)["rss_bytes"]
        written = written_bytes(process.pid)
        scheduled = scheduled_s(process.pid)
        started = time.monotonic()
        process.tell()
        digest = process.expect(b"D", deadline, tick)
        event["body_wall_s"] = time.monotonic() - started
        event["body_own_cpu_s"] = cpu_clock_s(process.pid) - loaded_s
        later = scheduled_s(process.pid)
        if scheduled and later:
            event["body_queued_s"] = later[1] - scheduled[1]
        left = status(process.pid)
        after = last_pid()
        if tick:
            tick()
        event.update(
            hwm_bytes=left["hwm_bytes"],
            threads_left=(left["threads"] or 1) - 1,
            descriptors_left=left["descriptors"],
            written_bytes=written_since(written, written_bytes(process.pid), HEAD + len(digest)),
            digest=hashlib.sha256(digest).hexdigest(),
            digest_bytes=len(digest),
            tasks_started=None if before is None or after is None else after - before,
        )
        event["stage"] = "exit"
        process.tell()
        process.wait_end(self.until(5.0))
        event["stage"] = "done"

    def finish(self, process, event):
        """Reap the unit, kill what it left, and add what the kernel accounts for it."""
        code = process.reap()
        event["wall_s"] = time.monotonic() - process.begun
        usage = process.rusage
        alive, ended, orphans_cpu_s = clear_strays(set())
        event.update(
            exit=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            cpu_s=usage.ru_utime + usage.ru_stime + orphans_cpu_s,
            maxrss_bytes=usage.ru_maxrss * 1024,
            processes_left=alive,
            orphans=alive + ended,
            temp_bytes=self.scratch.size_bytes(),
        )
        process.close()
        event["output"] = process.text.decode("utf-8", "replace")
        if event["state"] == "ok" and code != 0:
            event["state"] = "exited"

    def read_record(self, event):
        """The high-water mark, read by a process without the subject."""
        argv = [*self.plan["peak_argv"], f"{self.plan['own']}/record", "all" if self.plan["statistics"] else "peak"]
        reader = Process(argv, self.plan["env"], {**self.plan["limits"], "memory_bytes": None}, None)
        try:
            reader.wait_end(self.until(PEAK_READ_S))
            reader.drain()
            event["heap"] = json.loads(bytes(reader.text)) if reader.reap() == 0 else None
            if event["heap"] is None:
                event["heap_error"] = bytes(reader.text).decode("utf-8", "replace")
        except (Ended, ValueError) as error:
            event.update(heap=None, heap_error=f"the record was not read: {error}")
        finally:
            reader.close()
            clear_strays(set())


def written_since(before, now, reported):
    """Bytes written between two readings without the report's own; None where the kernel did not tell."""
    return None if before is None or now is None else max(0, now - before - reported)


class TreeWatch:
    """Peak memory of a process tree, sampled: of several processes in sum, and of the process while it is alone.

    The kernel's own high-water mark of a process is exact, but the process can set it back (proc(5), clear_refs).
    """

    def __init__(self, root):
        self.root = root
        self.peak_bytes = 0
        self.alone_bytes = 0

    def tick(self):
        members = descendants(os.getpid())
        if len(members) > 1:
            self.peak_bytes = max(self.peak_bytes, tree_bytes(members))
        else:
            self.alone_bytes = max(self.alone_bytes, status(self.root)["rss_bytes"] or 0)


def main():
    """Read the plan, take standard output away from everything below, run, say that it is complete."""
    guard_self()
    plan = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)

    def emit(event):
        out.write(json.dumps(event) + "\n")
        out.flush()

    if plan["keeper_cpus"]:
        os.sched_setaffinity(0, plan["keeper_cpus"])
    Supervisor(plan, emit).run()
    emit({"event": "end", "complete": True})


if __name__ == "__main__":
    main()
