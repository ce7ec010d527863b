"""One measured process as its supervisor sees it: how it starts, what it says, what the kernel says about it.

Clocks are the kernel's, read from outside while the process waits; nothing the process reports about its own cost is
used.
"""

import contextlib
import ctypes
import errno
import fcntl
import marshal
import os
import resource
import select
import signal
import time

import fence

CONTROL = 3
REPORT = 4
HEAD = 5
OUTPUT_KEPT = 8192
ADDR_NO_RANDOMIZE = 0x0040000
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
_LIBC = ctypes.CDLL(None, use_errno=True)


class Ended(Exception):
    """The process will not say what was waited for; `how` is exited, timeout, flooded or nonsense."""

    def __init__(self, how):
        super().__init__(how)
        self.how = how


class Failed(Exception):
    """The process reported an exception; `payload` describes it."""

    def __init__(self, payload):
        super().__init__("error")
        self.payload = payload


def guard_self():
    """Make this process unreadable to its children, and the parent of every orphan below it."""
    _LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    _LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cpu_clock_s(pid):
    """CPU seconds of a living process, all threads, to the nanosecond (clock_getcpuclockid(3))."""
    return time.clock_gettime((~pid << 3) | 2)


def scheduled_s(pid):
    """Seconds on a core and seconds waiting for one, of the main thread; None where the kernel does not tell."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            run, wait, _ = file.read().split()
    except (OSError, ValueError):
        return None
    return int(run) / 1e9, int(wait) / 1e9


def status(pid):
    """Threads, VmHWM and VmRSS in bytes, and open descriptors, of a living process."""
    found = {"threads": None, "hwm_bytes": None, "rss_bytes": None, "descriptors": None}
    names = {"Threads": "threads", "VmHWM": "hwm_bytes", "VmRSS": "rss_bytes"}
    try:
        with open(f"/proc/{pid}/status") as file:
            for line in file:
                key, _, value = line.partition(":")
                if key in names:
                    number = int(value.split()[0])
                    found[names[key]] = number if key == "Threads" else number * 1024
        found["descriptors"] = len(os.listdir(f"/proc/{pid}/fd"))
    except (OSError, ValueError):
        pass
    return found


def written_bytes(pid):
    """Bytes that a living process and its ended children gave to write(2) and its like; None where it is closed."""
    try:
        with open(f"/proc/{pid}/io") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("wchar:"))
    except (OSError, StopIteration, ValueError):
        return None


def descendants(root, dead=False):
    """Processes below `root`, with their parents; zombies only where `dead` is set."""
    parents = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                text = file.read()
        except OSError:
            continue
        state, parent = text[text.rindex(b")") + 2 :].split(b" ", 2)[:2]
        if dead or state not in b"ZX":
            parents[int(name)] = int(parent)
    found = {}
    grew = True
    while grew:
        more = {p: q for p, q in parents.items() if p not in found and (q == root or q in found)}
        found.update(more)
        grew = bool(more)
    return found


def tree_bytes(pids):
    """Resident memory of several processes in sum, as one process's VmRSS counts it.

    Anonymous and shared memory is each process's proportional share, so that pages shared after a fork count once.
    Pages of files count as in the process that has most of them: all map the same interpreter and libraries.
    """
    total = files = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup") as file:
                shares = [int(line.split()[1]) for line in file if line.startswith(("Pss_Anon:", "Pss_Shmem:"))]
            with open(f"/proc/{pid}/status") as file:
                mapped = next(int(line.split()[1]) for line in file if line.startswith("RssFile:"))
        except (OSError, StopIteration, ValueError):
            continue  # it has ended
        total += sum(shares) * 1024
        files = max(files, mapped * 1024)
    return total + files


class Process:
    """A started process with its pipes. `rusage` is set when it was reaped."""

    def __init__(self, argv, env, limits, cpus, fixed_addresses=False):
        control_r, self.control = os.pipe()
        self.report, report_w = os.pipe()
        self.output, output_w = os.pipe()
        self.text = bytearray()
        self.limit = limits["message_bytes"]
        self.rusage = self.code = None
        self.begun = time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (control_r, report_w, output_w)]
                null = os.open("/dev/null", os.O_RDONLY)
                for source, target in zip((null, high[2], high[2], high[0], high[1]), range(5), strict=True):
                    os.dup2(source, target, inheritable=True)
                os.closerange(5, 256)
                if fixed_addresses:
                    _LIBC.personality(ADDR_NO_RANDOMIZE)  # tables keyed by address are walked alike each time
                if cpus:
                    os.sched_setaffinity(0, cpus)
                for kind, value in (
                    (resource.RLIMIT_CPU, limits["cpu_s"]),
                    (resource.RLIMIT_AS, limits["memory_bytes"]),
                    (resource.RLIMIT_FSIZE, limits["file_bytes"]),
                    (resource.RLIMIT_CORE, 0),
                ):
                    if value is not None:
                        resource.setrlimit(kind, (value, value))
                fence.install()
                os.execve(argv[0], argv, env)
            except BaseException as error:
                os.write(2, f"cannot start {argv[0]}: {error}".encode())
            finally:
                os._exit(127)
        for fd in (control_r, report_w, output_w):
            os.close(fd)
        for fd in (self.report, self.output):
            os.set_blocking(fd, False)
        self.pidfd = os.pidfd_open(self.pid)
        self.buffer = bytearray()
        self.open = {self.report, self.output}

    def tell(self, message=b""):
        """Send one frame; marshalled where it is not bytes already. A process that is gone is noticed by `expect`."""
        payload = message if isinstance(message, bytes) else marshal.dumps(message)
        with contextlib.suppress(BrokenPipeError):
            os.write(self.control, len(payload).to_bytes(4, "big") + payload)

    def expect(self, kind, deadline, tick=None, pidfd=None):
        """The payload of the next frame, which must be of `kind`. `tick()` is called about every 5 ms.

        Raises Ended or Failed. `pidfd` names another process whose end ends the wait.
        """
        while True:
            frame = self._frame()
            if frame is not None:
                if frame[0] == b"E":
                    raise Failed(frame[1])
                if frame[0] != kind:
                    raise Ended("nonsense")
                return frame[1]
            left = deadline - time.monotonic()
            if left <= 0:
                raise Ended("timeout")
            end = pidfd or self.pidfd
            ready, _, _ = select.select([*self.open, end], [], [], min(left, 0.005) if tick else left)
            if tick:
                tick()
            if self.output in ready:
                self.drain()
            if self.report in ready:
                self._fill()
                if len(self.buffer) > self.limit + HEAD:
                    raise Ended("flooded")
            elif end in ready and self._frame(peek=True) is None:
                raise Ended("exited")

    def wait_end(self, deadline, pidfd=None):
        """Wait until the process (or the one of `pidfd`) is dead; raises Ended on the deadline."""
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Ended("timeout")
            end = pidfd or self.pidfd
            ready, _, _ = select.select([end, *self.open & {self.output}], [], [], left)
            if self.output in ready:
                self.drain()
            if end in ready:
                return

    def _fill(self):
        """Take what the report pipe holds now; False when that was nothing."""
        try:
            part = os.read(self.report, 1 << 16)
        except BlockingIOError:
            return False
        if not part:
            self.open.discard(self.report)
        self.buffer += part
        return bool(part)

    def _frame(self, peek=False):
        if len(self.buffer) < HEAD:
            return None
        size = int.from_bytes(self.buffer[1:HEAD], "big")
        if size > self.limit:
            raise Ended("flooded")
        if len(self.buffer) < HEAD + size:
            return None
        frame = bytes(self.buffer[:1]), bytes(self.buffer[HEAD : HEAD + size])
        if not peek:
            del self.buffer[: HEAD + size]
        return frame

    def drain(self):
        """Take what was printed; only the first bytes are kept."""
        try:
            while part := os.read(self.output, 1 << 16):
                self.text += part[: max(0, OUTPUT_KEPT - len(self.text))]
            self.open.discard(self.output)
        except BlockingIOError:
            pass

    def forget_messages(self):
        """Throw away what is still in the pipe of reports."""
        while self._fill():
            self.buffer.clear()
        self.buffer.clear()

    def reap(self):
        """Collect the exit; the process must be dead or dying."""
        if self.code is None:
            _, raw, self.rusage = os.wait4(self.pid, 0)
            self.code = os.waitstatus_to_exitcode(raw)
        return self.code

    def close(self):
        """Kill and reap what still runs, and close the pipes."""
        if self.code is None:
            kill(self.pid)
            self.reap()
        self.drain()
        for fd in (self.control, self.report, self.output, self.pidfd):
            os.close(fd)


def kill(pid, number=signal.SIGKILL):
    """Send a signal to a process that may be gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def clear_strays(spare):
    """Kill and reap every process below this one but those in `spare`, until none is left.

    Returns how many were alive, how many had ended on their own, and the CPU seconds of both.
    """
    alive = ended = 0
    cpu_s = 0.0
    own = os.getpid()
    give_up = time.monotonic() + 5.0
    seen = set()
    while True:
        living = {p for p in descendants(own) if p not in spare}
        for pid in living:
            kill(pid)
        alive += len(living - seen)
        seen |= living
        reaped = False
        for pid in _waitable(spare):
            _, _, usage = os.wait4(pid, 0)
            cpu_s += usage.ru_utime + usage.ru_stime
            ended += pid not in seen
            reaped = True
        if not living and not reaped:
            return alive, ended, cpu_s
        if time.monotonic() > give_up:
            raise OSError(errno.EBUSY, f"processes {sorted(living)} survive SIGKILL")
        time.sleep(0.0005)


def _waitable(spare):
    """Dead children of this process that nobody has collected; `spare` are collected by their owners."""
    found = []
    own = str(os.getpid()).encode()
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in spare:
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    text = file.read()
            except OSError:
                continue
            state, parent = text[text.rindex(b")") + 2 :].split(b" ", 2)[:2]
            if state == b"Z" and parent == own:
                found.append(int(name))
    return found
