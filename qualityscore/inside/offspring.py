"""The processes below the supervisor: who is alive, collecting the dead, killing what a unit leaves behind.

Standard library only; runs inside the sandbox. As process 1 of a PID namespace the supervisor sees its offspring and
nothing else in /proc; elsewhere it is a child subreaper and follows parent links.
"""

import contextlib
import os
import signal
import time

_PATIENCE_S = 5.0
_ROUNDS_BEFORE_SWEEP = 50
_PAGE = os.sysconf("SC_PAGE_SIZE")


def is_alone():
    """Whether this process is the first of a PID namespace, so that every other process is its offspring."""
    return os.getpid() == 1


def others(keep):
    """Pids of all offspring outside `keep`, zombies included."""
    if is_alone():
        return {int(name) for name in os.listdir("/proc") if name.isdigit()} - {1} - keep
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (stat := _stat(int(name))):
            children.setdefault(stat[1], []).append(int(name))
    found, queue = set(), [os.getpid()]
    while queue:
        below = children.get(queue.pop(), [])
        found.update(below)
        queue.extend(below)
    return found - keep


def exists(pid):
    """Whether the pid is in use, if only by a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _stat(pid):
    """(state, parent) of a process, or None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return None
    state, parent = text[text.rindex(b")") + 2 :].split(b" ", 2)[:2]
    return state, int(parent)


def collect_dead(leave=None):
    """Collect zombies until there is none, or until `leave` is the next; True when `leave` has ended.

    `leave` stays a zombie, so that its pid cannot be taken by another process while its messages are read.
    """
    while True:
        try:
            seen = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return False
        if seen is None:
            return False
        if seen.si_pid == leave:
            return True
        os.waitpid(seen.si_pid, os.WNOHANG)


def kill_all(keep, leave=None):
    """Kill all offspring but `keep` until none is left. `leave` is a zombie whose status is still wanted.

    What outruns the kills for many rounds (a fork bomb) is swept by one kill(2) to every process of the namespace,
    which is atomic; that takes `keep` along.
    """
    give_up = time.monotonic() + _PATIENCE_S
    rounds = 0
    while True:
        collect_dead(leave)
        doomed = others(keep | {leave})
        if rounds > 2:
            doomed = {pid for pid in doomed if (stat := _stat(pid)) and stat[0] not in b"ZX"}
        if not doomed or time.monotonic() > give_up:
            return
        if rounds > 1:
            time.sleep(0.0005)
        for pid in doomed:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(pid, os.WNOHANG)
        rounds += 1
        if rounds > _ROUNDS_BEFORE_SWEEP and is_alone():
            with contextlib.suppress(OSError):
                os.kill(-1, signal.SIGKILL)


def memory_bytes(pids, above):
    """Memory held by `pids` together: proportional set sizes, asked for only when resident sizes exceed `above`."""
    resident = {pid: _resident(pid) for pid in pids}
    total = sum(resident.values())
    if total <= above:
        return total
    return sum(_proportional(pid, size) for pid, size in resident.items())


def _resident(pid):
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _proportional(pid, otherwise):
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return otherwise


def cpu_seconds(pid):
    """User and system time of a living process, from /proc/PID/stat (fields 14 and 15)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return 0.0
    fields = text[text.rindex(b")") + 2 :].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def thread_count(pid):
    """Threads of a process; 0 when it is gone."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0
