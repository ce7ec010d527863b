"""What probes must not depend on or touch, made visible while the reference runs: clock, chance, effects outside.

Used when probes are built, never on a subject.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import random
import sys
import time

_CLOCKS = {
    "time": "CLOCK_REALTIME",
    "monotonic": "CLOCK_MONOTONIC",
    "perf_counter": None,
    "process_time": "CLOCK_PROCESS_CPUTIME_ID",
    "thread_time": "CLOCK_THREAD_CPUTIME_ID",
}
_TELLING = (  # what tells of the present moment unless it is given another: name, where that stands, None means now
    ("localtime", 0, True),
    ("gmtime", 0, True),
    ("ctime", 0, True),
    ("asctime", 0, False),
    ("strftime", 1, False),
)
_ALLOWED = ("/tmp/", "/dev/null")
_EVENTS = {
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link", "os.symlink", "os.truncate"),
    *("os.kill", "os.killpg", "os.system", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.putenv"),
    *("os.unsetenv", "subprocess.Popen", "socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"),
    *("shutil.rmtree", "shutil.move", "shutil.copyfile", "tempfile.mkstemp", "tempfile.mkdtemp", "webbrowser.open"),
}


def shift_clock(shift_s, step_s):
    """Make every clock that Python code reads start `shift_s` later and advance by `step_s` per reading, whatever time
    really passes: those of `time`, and the present moment of `time` and `datetime`.

    Call before the reference is imported. What compiled code asks of the kernel itself, and the times of files,
    stay real.
    """
    readers = {}
    for name, number in _CLOCKS.items():
        read = _counted(getattr(time, name)(), shift_s, step_s)
        setattr(time, name, read)
        setattr(time, f"{name}_ns", lambda read=read: int(read() * 10**9))
        readers[getattr(time, number or "", None)] = read
    time.clock_gettime = _by_number(time.clock_gettime, readers, shift_s, step_s)
    time.clock_gettime_ns = lambda clk_id: int(time.clock_gettime(clk_id) * 10**9)
    now, local = time.time, time.localtime
    for name, position, none_is_now in _TELLING:
        moment = now if none_is_now else lambda: local(now())
        setattr(time, name, _told(getattr(time, name), position, none_is_now, moment))
    _shift_datetime(now)


def _counted(start, shift_s, step_s):
    readings = itertools.count(1)
    return lambda: start + shift_s + step_s * next(readings)


def _by_number(original, readers, shift_s, step_s):
    def clock_gettime(clk_id):
        real = original(clk_id)  # raises where there is no such clock
        if clk_id not in readers:
            readers[clk_id] = _counted(real, shift_s, step_s)
        return readers[clk_id]()

    return clock_gettime


def _told(original, position, none_is_now, moment):
    def told(*args):
        if len(args) == position or (none_is_now and args == (None,)):
            return original(*args[:position], moment())
        return original(*args)

    return told


def _shift_datetime(read):
    """Replace what reads the clock in the types of datetime themselves.

    They stay the types of C, so values, their text, exceptions and users of the C interface are as ever; datetime as
    written in Python has other exceptions than the one that a probe is replayed with.
    """
    try:
        # not `datetime`, which would hide a reference's own module of that name
        from _datetime import date, datetime  # noqa: PLC0415
    except ImportError:  # written in Python it asks `time`
        return
    local, utc = vars(datetime)["fromtimestamp"], vars(datetime)["utcfromtimestamp"]
    _replace(datetime, "now", lambda cls, tz=None: local.__get__(None, cls)(read(), tz))
    _replace(datetime, "utcnow", lambda cls: utc.__get__(None, cls)(read()))
    _replace(date, "today", lambda cls: cls.fromtimestamp(time.time()))


def _replace(kind, name, function):
    """Put a class method into a type that was made in C, under its name there."""
    function.__name__, function.__qualname__ = name, f"{kind.__name__}.{name}"
    function.__module__, function.__doc__ = None, vars(kind)[name].__doc__
    gc.get_referents(vars(kind))[0][name] = classmethod(function)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


class Chance:
    """Tells whether a run drew from the global random generator, and repeats it under several seeds if so."""

    seeds = range(8)

    def __init__(self):
        self._before = random.getstate()

    def changes(self, repeat):
        """Whether what `repeat()` gives depends on the generator's state; False where nothing was drawn."""
        if random.getstate() == self._before:
            return False
        results = []
        for seed in self.seeds:
            random.seed(seed)
            results.append(repeat())
        return any(result != results[0] for result in results)


class Effects:
    """Notes effects outside the scratch folder in `seen` from its making on."""

    def __init__(self):
        self.seen = []
        sys.addaudithook(self._note)

    def _note(self, event, arguments):
        if event == "open":
            path, _, flags = arguments
            if type(path) is int or (flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and not _is_scratch(path)):
                self.seen.append(f"open {path!r}")
        elif event in _EVENTS and not (arguments and _is_scratch(arguments[0])):
            self.seen.append(event)


def _is_scratch(path):
    try:
        return os.path.abspath(os.fsdecode(path)).startswith(_ALLOWED)
    except (TypeError, ValueError):
        return False
