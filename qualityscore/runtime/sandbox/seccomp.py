"""The system-call filter of the sandboxes, as a classic BPF program (seccomp(2)), assembled here.

A list of refusals, not of permissions: subjects are arbitrary programs, and what the filter must take away is the
kernel's rarely used and often broken surface, not what honest code needs. Refused calls fail with EPERM (ENOSYS where
the C library then falls back), so that a program that merely tries gets an ordinary error.
"""

from __future__ import annotations

import errno
import platform

from qualityscore.errors import SandboxUnavailableError
from qualityscore.inside import bpf
from qualityscore.runtime.sandbox.system_calls import ARCHITECTURES, Architecture

_REFUSED_FAMILY = bpf.ERRNO | errno.EAFNOSUPPORT
_X32_BIT = 0x40000000

# linux/sched.h: NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NEW_NAMESPACES = 0x80 | 0x20000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16

# Judged by their arguments, or answered with another error than EPERM.
_SPECIAL = frozenset({"clone", "clone3", "ioctl", "socket"})
# SysV objects and memory files are memory that neither an rlimit nor the scratch's size bounds; SysV objects and POSIX
# message queues also outlive the test that made them.
_ABSENT = frozenset({"shmget", "semget", "msgget", "mq_open", "memfd_create", "memfd_secret"})


def refused_calls(machine: str | None = None) -> frozenset[str]:
    """Names of the calls that are refused whatever their arguments are."""
    return frozenset(_architecture(machine).numbers) - _SPECIAL


def program(*, machine: str | None = None, network: bool = True) -> bytes:
    """The filter for this machine (or `machine`, as `uname -m` names it): an array of `struct sock_filter`.

    With `network` off, sockets of every family are refused (socketpair(2) is not), for sandboxes without a network
    namespace: there even AF_UNIX reaches servers of the host.

    Raises SandboxUnavailableError for an architecture whose numbers are not known here.
    """
    architecture = _architecture(machine)
    numbers = architecture.numbers
    code = [
        *bpf.unless(bpf.OFFSET_ARCH, bpf.JUMP_EQUAL, bpf.AUDIT_ARCHITECTURES[architecture.machine], bpf.KILL_PROCESS),
        bpf.load(bpf.OFFSET_NUMBER),
    ]
    if architecture.has_x32:
        code += [bpf.jump(bpf.JUMP_GREATER_EQUAL, _X32_BIT, 0, 1), bpf.answer(bpf.ERRNO | errno.ENOSYS)]
    for name in sorted(refused_calls(machine)):
        error = errno.ENOSYS if name in _ABSENT else errno.EPERM
        code += [bpf.jump(bpf.JUMP_EQUAL, numbers[name], 0, 1), bpf.answer(bpf.ERRNO | error)]
    # The flags of clone3 lie in memory, out of a filter's reach; the C library falls back to clone.
    code += [bpf.jump(bpf.JUMP_EQUAL, numbers["clone3"], 0, 1), bpf.answer(bpf.ERRNO | errno.ENOSYS)]
    code += bpf.on_argument(
        numbers["clone"], 0, [bpf.jump(bpf.JUMP_SET, _NEW_NAMESPACES, 0, 1), bpf.answer(bpf.ERRNO | errno.EPERM)]
    )
    code += bpf.on_argument(
        numbers["ioctl"],
        1,
        [
            bpf.jump(bpf.JUMP_EQUAL, _TIOCSTI, 1, 0),
            bpf.jump(bpf.JUMP_EQUAL, _TIOCLINUX, 0, 1),
            bpf.answer(bpf.ERRNO | errno.EPERM),
        ],
    )
    code += bpf.on_argument(numbers["socket"], 0, _families() if network else [bpf.answer(_REFUSED_FAMILY)])
    code.append(bpf.answer(bpf.ALLOW))
    return b"".join(code)


def _families() -> list[bytes]:
    """Judge the family in the accumulator; of AF_NETLINK only NETLINK_ROUTE (0), which getaddrinfo(3) asks."""
    usual = (_AF_UNIX, _AF_INET, _AF_INET6)
    netlink = [
        bpf.jump(bpf.JUMP_EQUAL, _AF_NETLINK, 0, 2),
        bpf.load(bpf.argument_offset(2)),
        bpf.jump(bpf.JUMP_EQUAL, 0, 1, 0),
        bpf.answer(_REFUSED_FAMILY),
    ]
    left = len(usual) + len(netlink) - 1
    return [*(bpf.jump(bpf.JUMP_EQUAL, family, left - i, 0) for i, family in enumerate(usual)), *netlink]


def oci_profile(machine: str | None = None) -> dict[str, object]:
    """The same refusals (with a network) as a profile of the OCI runtime specification, for container engines."""

    def refused(names: list[str], error: int, *args: dict[str, object]) -> dict[str, object]:
        return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": list(args)}

    plain = refused_calls(machine)
    namespaces = [flag for flag in (1 << bit for bit in range(32)) if flag & _NEW_NAMESPACES]
    families = (_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK)
    # Conditions on one call are joined by "and" within an entry, and no family but these is below 46.
    strange = [family for family in range(46) if family not in families]
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "syscalls": [
            refused(sorted(plain - _ABSENT), errno.EPERM),
            refused(sorted(plain & _ABSENT), errno.ENOSYS),
            refused(["clone3"], errno.ENOSYS),
            *(
                refused(
                    ["clone"],
                    errno.EPERM,
                    {"index": 0, "value": flag, "valueTwo": flag, "op": "SCMP_CMP_MASKED_EQ"},
                )
                for flag in namespaces
            ),
            *(
                refused(["ioctl"], errno.EPERM, {"index": 1, "value": command, "op": "SCMP_CMP_EQ"})
                for command in (_TIOCSTI, _TIOCLINUX)
            ),
            *(
                refused(["socket"], errno.EAFNOSUPPORT, {"index": 0, "value": family, "op": "SCMP_CMP_EQ"})
                for family in strange
            ),
            refused(
                ["socket"],
                errno.EAFNOSUPPORT,
                {"index": 0, "value": _AF_NETLINK, "op": "SCMP_CMP_EQ"},
                {"index": 2, "value": 0, "op": "SCMP_CMP_NE"},
            ),
        ],
    }


def _architecture(machine: str | None) -> Architecture:
    name = machine or platform.machine()
    try:
        return ARCHITECTURES[name]
    except KeyError:
        known = " and ".join(sorted(ARCHITECTURES))
        raise SandboxUnavailableError(
            f"no system-call filter is known for {name}, only for {known}; evaluate on one of these"
        ) from None
