"""What probes must not depend on or touch, made visible while the reference runs: clock, chance, effects outside.

Used when probes are built, never on a subject.
"""

from __future__ import annotations

import itertools
import os
import random
import sys
import time

_START_S = 400 * 86_400
_ALLOWED = ("/tmp/", "/dev/null")
_EVENTS = {
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link", "os.symlink", "os.truncate"),
    *("os.kill", "os.killpg", "os.system", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.putenv"),
    *("os.unsetenv", "subprocess.Popen", "socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"),
    *("shutil.rmtree", "shutil.move", "shutil.copyfile", "tempfile.mkstemp", "tempfile.mkdtemp", "webbrowser.open"),
}


def shift_clock(step_s):
    """Make every clock of `time` start elsewhere and advance by `step_s` per reading, whatever time really passes.

    Call before the reference is imported.
    """
    for name in ("time", "monotonic", "perf_counter", "process_time"):
        read = _counted(getattr(time, name)(), step_s)
        setattr(time, name, read)
        setattr(time, f"{name}_ns", lambda read=read: int(read() * 10**9))
    for name in ("localtime", "gmtime"):
        original = getattr(time, name)
        setattr(time, name, lambda secs=None, original=original: original(time.time() if secs is None else secs))


def _counted(start, step_s):
    readings = itertools.count(1)
    return lambda: start + _START_S + step_s * next(readings)


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
