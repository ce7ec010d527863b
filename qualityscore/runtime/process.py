"""The one door through which processes are started.

Deadline, output cap, environment and limits have no defaults: whoever starts a process says what it may do. When a
call returns or raises (KeyboardInterrupt and SystemExit included) the whole tree is dead: the process, its process
group, its session, and what it left behind as a daemon. When the calling process itself is killed, its trees' process
groups die too, unless it dies in the very moment between starting one and telling the guardian of it.

Linux only. While a process runs, the calling one is a child subreaper (prctl(2)): orphans come to it rather than to
init.
"""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import IO, ClassVar

from qualityscore.errors import ToolError
from qualityscore.runtime.guardian import guarded, stand_by
from qualityscore.runtime.process_tree import TREE_VARIABLE, ProcessTree, adopting_orphans

_CHUNK = 65536
_PIDFD_FALLBACK_TICK_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on one process tree. Sizes in bytes, times in seconds; None leaves a limit off (trusted tools only).

    `wall_s` and `output_bytes` (standard output and standard error together) hold for the tree; `processes` for the
    tree where the sandbox gives it a user of its own; the others are rlimits, so they hold for each process.
    """

    wall_s: float
    cpu_s: float | None
    memory_bytes: int | None
    processes: int | None
    file_size_bytes: int | None
    open_files: int | None
    output_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exited:
    """The process ended by itself with `code` (negative: killed by that signal, as subprocess reports it)."""

    code: int
    stdout: bytes
    stderr: bytes
    wall_s: float
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """The deadline struck; the whole tree was killed."""

    after_s: float
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFlooded:
    """It wrote more than `output_bytes`; the whole tree was killed."""

    stdout: bytes
    stderr: bytes
    wall_s: float


ProcessOutcome = Exited | TimedOut | OutputFlooded


class Stopped(BaseException):
    """This process is giving up: the tree was killed, or not started at all."""


class _Stop:
    """Whether nothing may run any more, and an eventfd per running tree that tells it so."""

    lock = threading.Lock()
    struck = False
    bells: ClassVar[set[int]] = set()


def _forget() -> None:
    """In a forked process: what runs is its parent's, and so is the say over it."""
    _Stop.lock, _Stop.struck, _Stop.bells = threading.Lock(), False, set()


os.register_at_fork(after_in_child=_forget)


@contextlib.contextmanager
def killed_on_failure(pool: Executor) -> Iterator[None]:
    """Let an exception in the block (KeyboardInterrupt included) end at once what the threads of `pool` run.

    A signal reaches the main thread only, and leaving a pool waits for its threads. So the trees that run are killed,
    by Stopped in their threads, and what is queued is dropped, before the exception goes on. Every tree of this
    process is killed, whoever started it; when the pool is empty, processes can be started again.
    """
    try:
        yield
    except BaseException:
        with _Stop.lock:
            _Stop.struck = True
            for bell in _Stop.bells:
                os.eventfd_write(bell, 1)
        try:
            pool.shutdown(cancel_futures=True)
        finally:
            with _Stop.lock:
                _Stop.struck = False
        raise


def check_stopped() -> None:
    """Raise Stopped where this process is giving up: for threads that wait for something that is no tree of ours."""
    with _Stop.lock:
        if _Stop.struck:
            raise Stopped


@contextlib.contextmanager
def _stoppable() -> Iterator[int]:
    """A descriptor that becomes readable when everything is to stop; raises Stopped where that is so already."""
    bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
    try:
        with _Stop.lock:
            if _Stop.struck:
                raise Stopped
            _Stop.bells.add(bell)
        yield bell
    finally:
        with _Stop.lock:
            _Stop.bells.discard(bell)
        os.close(bell)


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    limits: Limits,
    stdin: bytes = b"",
    pass_fds: Sequence[int] = (),
    cpus: Sequence[int] | None = None,
    contained: bool = False,
) -> ProcessOutcome:
    """Run `argv` to its end with exactly `env`; nothing else is inherited but `pass_fds`.

    `cpus` pins the tree to these cores. `contained` says that `argv` is a sandbox whose own end is the end of all it
    started (a PID namespace), so that no search for daemons is needed after a normal exit.

    Raises ToolError when the program cannot be started.
    """
    pump = _pump(argv, env=env, cwd=cwd, limits=limits, stdin=stdin, pass_fds=pass_fds, cpus=cpus, contained=contained)
    collected: list[bytes] = []
    while True:
        try:
            collected.append(next(pump))
        except StopIteration as stop:
            outcome: ProcessOutcome = stop.value
            return replace(outcome, stdout=b"".join(collected))


def stream(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    limits: Limits,
    line_bytes: int,
    stdin: bytes = b"",
    pass_fds: Sequence[int] = (),
    cpus: Sequence[int] | None = None,
    contained: bool = False,
) -> Generator[bytes, None, ProcessOutcome]:
    """Like `run`, but yield standard output line by line (without the newline) as it comes.

    A line longer than `line_bytes` ends the run as OutputFlooded. The return value of the generator is the outcome
    (its stdout empty). Closing the generator early kills the tree.
    """
    pump = _pump(argv, env=env, cwd=cwd, limits=limits, stdin=stdin, pass_fds=pass_fds, cpus=cpus, contained=contained)
    started = time.monotonic()
    pending = bytearray()
    try:
        while True:
            try:
                pending += next(pump)
            except StopIteration as stop:
                outcome: ProcessOutcome = stop.value
                break
            *lines, rest = pending.split(b"\n") if b"\n" in pending else [pending]
            for line in lines:
                yield bytes(line)
            pending = bytearray(rest)
            if len(pending) > line_bytes:
                return OutputFlooded(stdout=b"", stderr=b"", wall_s=time.monotonic() - started)
        if pending:
            yield bytes(pending)
        return outcome
    finally:
        pump.close()


def _pump(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    limits: Limits,
    stdin: bytes,
    pass_fds: Sequence[int],
    cpus: Sequence[int] | None,
    contained: bool,
) -> Generator[bytes, None, ProcessOutcome]:
    """Yield standard output in chunks; return the outcome (its stdout empty) when the whole tree is dead."""
    token = secrets.token_hex(8)
    environment = dict(env) if contained else {**env, TREE_VARIABLE: token}
    started = time.monotonic()
    deadline = started + limits.wall_s
    errors = bytearray()
    budget = limits.output_bytes
    process: subprocess.Popen[bytes] | None = None
    owner = os.getpid()
    stand_by()
    with _stoppable() as bell, adopting_orphans():
        try:
            with _deferred_interrupts():
                process = _start(argv, env=environment, cwd=cwd, limits=limits, pass_fds=pass_fds, cpus=cpus)
            with contextlib.ExitStack() as stack:
                stack.enter_context(guarded(process.pid))
                selector = stack.enter_context(selectors.DefaultSelector())
                selector.register(bell, selectors.EVENT_READ, None)
                exit_fd = _watch_exit(process.pid, stack)
                if exit_fd is not None:
                    selector.register(exit_fd, selectors.EVENT_READ, None)
                assert process.stdin is not None
                assert process.stdout is not None
                assert process.stderr is not None
                for source in (process.stdout, process.stderr):
                    stack.enter_context(source)
                    os.set_blocking(source.fileno(), False)
                    selector.register(source, selectors.EVENT_READ, source)
                feeder = _Feeder(stack.enter_context(process.stdin), stdin, selector)
                exited = False
                while not exited:
                    remaining = deadline - time.monotonic()
                    if remaining <= 0:
                        return TimedOut(after_s=limits.wall_s, stdout=b"", stderr=bytes(errors))
                    ready = selector.select(
                        remaining if exit_fd is not None else min(remaining, _PIDFD_FALLBACK_TICK_S)
                    )
                    if any(key.fd == bell for key, _ in ready):
                        raise Stopped
                    exited = _has_exited(process.pid)
                    if exited and not contained:
                        ProcessTree(process.pid, token).kill()
                    sources = [process.stdout, process.stderr] if exited else [key.data for key, _ in ready if key.data]
                    for source in sources:
                        if source is process.stdin:
                            feeder.feed()
                            continue
                        for chunk in _available(source, selector, rounds=None if exited else 1):
                            budget -= len(chunk)
                            kept = chunk if budget >= 0 else chunk[: max(0, len(chunk) + budget)]
                            if source is process.stderr:
                                errors += kept
                            elif kept:
                                yield kept
                            if budget < 0:
                                return OutputFlooded(
                                    stdout=b"", stderr=bytes(errors), wall_s=time.monotonic() - started
                                )
                code = process.wait()
                return Exited(code=code, stdout=b"", stderr=bytes(errors), wall_s=time.monotonic() - started)
        finally:
            # A forked process ends with copies of the trees of its parent.
            if process is not None and process.returncode is None and os.getpid() == owner:
                with _deferred_interrupts():
                    ProcessTree(process.pid, token).kill()
                    process.wait()


def _start(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    limits: Limits,
    pass_fds: Sequence[int],
    cpus: Sequence[int] | None,
) -> subprocess.Popen[bytes]:
    with _affinity(cpus):
        try:
            process = subprocess.Popen(
                list(argv),
                env=dict(env),
                cwd=cwd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                close_fds=True,
                pass_fds=tuple(pass_fds),
            )
        except OSError as error:
            raise ToolError(
                f"{argv[0]} cannot be started: {error.strerror or error}; check that it is installed"
            ) from error
        # Set from outside once the program is loaded: a hook between fork and exec is unsafe beside threads.
        for kind, soft, hard in _rlimits(limits):
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(process.pid, kind, (soft, hard))
        return process


def _rlimits(limits: Limits) -> Iterator[tuple[int, int, int]]:
    yield resource.RLIMIT_CORE, 0, 0
    if limits.cpu_s is not None:
        soft = max(1, int(-(-limits.cpu_s // 1)))
        yield resource.RLIMIT_CPU, soft, soft + 1
    for kind, value in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_size_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, limits.processes),
    ):
        if value is not None:
            ceiling = resource.getrlimit(kind)[1]
            bounded = value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)
            yield kind, bounded, bounded


@contextlib.contextmanager
def _affinity(cpus: Sequence[int] | None) -> Iterator[None]:
    """Pin the calling thread for the moment of the fork; the child inherits it."""
    if cpus is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def _deferred_interrupts() -> Iterator[None]:
    """Hold back SIGINT and SIGTERM handlers, so that no child is lost between its fork and our knowing of it.

    A signal mask would be inherited by the child; replaced handlers are not.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[tuple[int, FrameType | None]] = []
    handlers = {
        number: signal.getsignal(number)
        for number in (signal.SIGINT, signal.SIGTERM)
        if callable(signal.getsignal(number))
    }
    for number in handlers:
        signal.signal(number, lambda caught, frame: pending.append((caught, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for caught, frame in pending:
            handler = handlers[signal.Signals(caught)]
            if callable(handler):
                handler(caught, frame)


def _watch_exit(pid: int, stack: contextlib.ExitStack) -> int | None:
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return None
    stack.callback(os.close, descriptor)
    return descriptor


def _has_exited(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _available(source: IO[bytes], selector: selectors.BaseSelector, *, rounds: int | None) -> Iterator[bytes]:
    """What can be read now without waiting; unregisters the source at its end."""
    while rounds is None or rounds > 0:
        try:
            chunk = os.read(source.fileno(), _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            with contextlib.suppress(KeyError):
                selector.unregister(source)
            return
        yield chunk
        if rounds is not None:
            rounds -= 1


class _Feeder:
    """Writes standard input as fast as the child takes it, then closes it."""

    def __init__(self, target: IO[bytes], data: bytes, selector: selectors.BaseSelector) -> None:
        self._target = target
        self._rest = memoryview(data)
        self._selector = selector
        os.set_blocking(target.fileno(), False)
        selector.register(target, selectors.EVENT_WRITE, target)

    def feed(self) -> None:
        try:
            if self._rest:
                self._rest = self._rest[os.write(self._target.fileno(), self._rest[:_CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._rest = self._rest[:0]
        if not self._rest:
            self._selector.unregister(self._target)
            self._target.close()
