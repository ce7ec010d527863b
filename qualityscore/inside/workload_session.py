"""What the modes of a cost measurement share: the plan and its deadlines, starting a process, writable places."""

import os
import shutil
import time

from scratch import remove
from workload_process import Process


class Session:
    """One plan under way. `emit` writes one event."""

    def __init__(self, plan, emit):
        self.plan = plan
        self.emit = emit
        self.deadline = time.monotonic() + plan["total_timeout_s"]
        self.scratch = Places(plan["writable"], plan["own"])

    def in_time(self):
        return time.monotonic() < self.deadline

    def until(self, timeout_s):
        return min(self.deadline, time.monotonic() + timeout_s)

    def start(self, zygote):
        self.scratch.wipe()
        plan = self.plan
        process = Process(plan["argv"], plan["env"], plan["limits"], plan["cpus"], fixed_addresses=zygote)
        process.tell({**self.plan["setup"], "zygote": zygote})
        return process


def not_run(unit):
    return {"event": "unit", "unit": unit["id"], "state": "not_run", "stage": "budget"}


def last_pid():
    """The last id given to a process or thread in this PID namespace; None where the kernel does not tell."""
    try:
        with open("/proc/sys/kernel/ns_last_pid") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


class Places:
    """The places that a measured process can write to, and our own folder among them."""

    def __init__(self, writable, own):
        self.writable = writable
        self.own = own

    def entries(self):
        for place in self.writable:
            try:
                yield from (e for e in os.scandir(place) if e.path not in self.writable and e.path != self.own)
            except OSError:
                continue

    def wipe(self):
        """Nothing that one process wrote is there for the next."""
        for entry in self.entries():
            remove(entry.path)
        shutil.rmtree(self.own, ignore_errors=True)
        os.makedirs(self.own, 0o700)

    def size_bytes(self):
        """Bytes of the files that were left."""
        return sum(size_of(entry) for entry in self.entries())


def size_of(entry):
    try:
        if not entry.is_dir(follow_symlinks=False):
            return entry.stat(follow_symlinks=False).st_size
        return sum(size_of(inner) for inner in os.scandir(entry.path))
    except OSError:
        return 0
