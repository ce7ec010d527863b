"""A child as the supervisor sees it: what it sends, what it prints, and when it ends.

Standard library only; runs inside the sandbox.
"""

import contextlib
import os
import select
import time

import offspring

TICK_S = 0.05
_TICK_WITHOUT_PIDFD_S = 0.002


class Watched:
    """A child: its inbox, its output so far (capped), and a descriptor that tells its end."""

    def __init__(self, inbox, output, output_cap):
        os.set_blocking(output, False)
        self.inbox = inbox
        self.output = output
        self.text = bytearray()
        self.pid = inbox.sender
        self._cap = output_cap
        self._pidfd = None
        self._open = {inbox.fileno(), output}

    def watch_exit(self):
        """Open the descriptor that becomes readable at its end, where the kernel has one."""
        with contextlib.suppress(OSError):
            self._pidfd = os.pidfd_open(self.pid)
            self._open.add(self._pidfd)

    def has_ended(self):
        """Whether it is a zombie of ours, or gone; collects all other dead on the way."""
        return offspring.collect_dead(self.pid) or not offspring.exists(self.pid)

    def wait(self, until):
        """Sleep until something happens, a tick has passed or `until` has come; takes in what was written."""
        poll = select.poll()
        for descriptor in self._open:
            poll.register(descriptor, select.POLLIN)
        tick = TICK_S if self._pidfd is not None or self.pid is None else _TICK_WITHOUT_PIDFD_S
        ready = poll.poll(max(0.0, min(tick, until - time.monotonic())) * 1000)
        self.inbox.drain()
        self.read_output()
        for descriptor, event in ready:
            # Without writers it stays readable: do not spin on it. The end itself is looked for by the caller.
            if event & select.POLLHUP or descriptor == self._pidfd:
                self._open.discard(descriptor)

    def read_output(self):
        """Take in output; what exceeds the cap is dropped. False when nothing was waiting."""
        try:
            chunk = os.read(self.output, 65536)
        except BlockingIOError:
            return False
        self.text += chunk[: max(0, self._cap - len(self.text))]
        return bool(chunk)

    def drain(self):
        """Take in all that waits, when no writer is left (bounded all the same)."""
        for _ in range(4096):
            if not (self.inbox.drain() | self.read_output()):
                return

    def close(self):
        self.inbox.end.close()
        os.close(self.output)
        if self._pidfd is not None:
            os.close(self._pidfd)


class Zygote(Watched):
    """A prepared process that forks units on request over `control`."""

    def __init__(self, inbox, output, output_cap, control):
        super().__init__(inbox, output, output_cap)
        self.control = control
        self.kept = set()  # itself and what it had started when it was ready

    def close(self):
        self.control.close()
        super().close()
