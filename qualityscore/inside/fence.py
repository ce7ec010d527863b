"""What a process below a supervisor may not do to another one: set its limits, its cores or its priority.

All processes of a sandbox have one user, and to the kernel that is permission enough for these calls. A test could so
cripple the supervisor, or leave a mark on the process that the next test is forked from. Standard library only; runs
inside the sandbox, on top of the sandbox's own filter.
"""

from __future__ import annotations

import ctypes
import errno
import os

import bpf

# arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux
NUMBERS = {
    "x86_64": {
        "setpriority": 141,
        "sched_setparam": 142,
        "sched_setscheduler": 144,
        "sched_setaffinity": 203,
        "ioprio_set": 251,
        "prlimit64": 302,
        "sched_setattr": 314,
    },
    "aarch64": {
        "ioprio_set": 30,
        "sched_setparam": 118,
        "sched_setscheduler": 119,
        "sched_setaffinity": 122,
        "setpriority": 140,
        "prlimit64": 261,
        "sched_setattr": 274,
    },
}

_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 22, 38
_SECCOMP_FILTER = 2
_PRIO_PROCESS, _IOPRIO_WHO_PROCESS = 0, 1
_REFUSED = bpf.answer(bpf.ERRNO | errno.EPERM)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def program(machine: str) -> bytes | None:
    """The filter for a machine as `uname -m` names it: an array of `struct sock_filter`; None where none is known.

    A process is named by its id, which a filter cannot compare with the caller's: only 0, the caller itself, passes.
    Limits of others can be read.
    """
    numbers = NUMBERS.get(machine)
    if numbers is None:
        return None
    code = [
        *bpf.unless(bpf.OFFSET_ARCH, bpf.JUMP_EQUAL, bpf.AUDIT_ARCHITECTURES[machine], bpf.KILL_PROCESS),
        bpf.load(bpf.OFFSET_NUMBER),
    ]
    for name in ("sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"):
        code += bpf.on_argument(numbers[name], 0, [bpf.jump(bpf.JUMP_EQUAL, 0, 1, 0), _REFUSED])
    for name, process in (("setpriority", _PRIO_PROCESS), ("ioprio_set", _IOPRIO_WHO_PROCESS)):
        body = [
            bpf.jump(bpf.JUMP_EQUAL, process, 1, 0),
            _REFUSED,
            bpf.load(bpf.argument_offset(1)),
            bpf.jump(bpf.JUMP_EQUAL, 0, 1, 0),
            _REFUSED,
        ]
        code += bpf.on_argument(numbers[name], 0, body)
    new_limit = bpf.argument_offset(2)
    body = [
        bpf.jump(bpf.JUMP_EQUAL, 0, 5, 0),
        bpf.load(new_limit),
        bpf.jump(bpf.JUMP_EQUAL, 0, 0, 2),
        bpf.load(new_limit + 4),
        bpf.jump(bpf.JUMP_EQUAL, 0, 1, 0),
        _REFUSED,
    ]
    code += bpf.on_argument(numbers["prlimit64"], 0, body)
    code.append(bpf.answer(bpf.ALLOW))
    return b"".join(code)


def install() -> None:
    """Put this process, and all that it will start, behind the filter. Raises OSError where the kernel refuses."""
    code = program(os.uname().machine)
    if code is None:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_ = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_FILTER, ctypes.byref(filter_), 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"the system-call filter of tests: {os.strerror(number)}")


def check() -> None:
    """Try it in a child. Raises OSError where it cannot be installed."""
    pid = os.fork()
    if pid == 0:
        try:
            install()
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(pid, 0)[1] != 0:
        raise OSError(errno.EPERM, "the system-call filter of tests cannot be installed")
