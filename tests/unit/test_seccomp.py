"""The system-call filter, run by a small interpreter of classic BPF written from seccomp(2) and bpf(4)."""

from __future__ import annotations

import errno
import importlib
import re
import struct
from pathlib import Path

import pytest

from qualityscore.errors import SandboxUnavailableError
from qualityscore.runtime.sandbox import seccomp
from qualityscore.runtime.supervision import INSIDE_SOURCES

ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # linux/audit.h


def verdict(machine: str, number: int, *arguments: int, arch: int | None = None, network: bool = True) -> int:
    """The sandbox's action for one call."""
    return action(seccomp.program(machine=machine, network=network), machine, number, *arguments, arch=arch)


def action(code: bytes, machine: str, number: int, *arguments: int, arch: int | None = None) -> int:
    """The action for one call; the program must be one that the kernel accepts (jumps forward, ends in a return)."""
    instructions = list(struct.iter_unpack("=HBBI", code))
    assert len(instructions) <= 4096  # BPF_MAXINSNS
    values = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, AUDIT[machine] if arch is None else arch, 0, *values)
    accumulator = position = 0
    while True:
        kind, if_true, if_false, operand = instructions[position]
        position += 1
        match kind:
            case 0x20:
                accumulator = struct.unpack_from("<I", data, operand)[0]
            case 0x15:
                position += if_true if accumulator == operand else if_false
            case 0x35:
                position += if_true if accumulator >= operand else if_false
            case 0x45:
                position += if_true if accumulator & operand else if_false
            case 0x06:
                return operand
            case _:
                pytest.fail(f"unknown instruction {kind:#x}")


# From the kernel's tables: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
DENIED = {
    "x86_64": {
        "ptrace": 101,
        "mount": 165,
        "keyctl": 250,
        "bpf": 321,
        "perf_event_open": 298,
        "userfaultfd": 323,
        "io_uring_setup": 425,
        "unshare": 272,
        "setns": 308,
        "process_vm_writev": 311,
        "open_by_handle_at": 304,
    },
    "aarch64": {
        "ptrace": 117,
        "mount": 40,
        "keyctl": 219,
        "bpf": 280,
        "perf_event_open": 241,
        "userfaultfd": 282,
        "io_uring_setup": 425,
        "unshare": 97,
        "setns": 268,
        "process_vm_writev": 271,
        "open_by_handle_at": 265,
    },
}
CLONE = {"x86_64": 56, "aarch64": 220}
SOCKET = {"x86_64": 41, "aarch64": 198}
IOCTL = {"x86_64": 16, "aarch64": 29}
ORDINARY = {
    "x86_64": {"read": 0, "openat": 257, "mmap": 9, "execve": 59, "prctl": 157, "socketpair": 53},
    "aarch64": {
        "read": 63,
        "openat": 56,
        "mmap": 222,
        "execve": 221,
        "personality": 92,
        "prctl": 167,
        "socketpair": 199,
    },
}
MACHINES = ("x86_64", "aarch64")


@pytest.mark.parametrize(
    ("machine", "number"), [pytest.param(m, n, id=f"{m}-{name}") for m in MACHINES for name, n in DENIED[m].items()]
)
def test_dangerous_calls_fail_with_eperm(machine, number):
    assert verdict(machine, number) == ERRNO | errno.EPERM


@pytest.mark.parametrize(
    ("machine", "number"), [pytest.param(m, n, id=f"{m}-{name}") for m in MACHINES for name, n in ORDINARY[m].items()]
)
def test_ordinary_calls_pass(machine, number):
    assert verdict(machine, number) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_processes_and_threads_can_be_made_and_namespaces_cannot(machine):
    fork, thread, new_user, new_net = 17, 0x3D0F00, 0x10000000, 0x40000000
    assert verdict(machine, CLONE[machine], fork) == ALLOW
    assert verdict(machine, CLONE[machine], thread) == ALLOW
    assert verdict(machine, CLONE[machine], fork | new_user) == ERRNO | errno.EPERM
    assert verdict(machine, CLONE[machine], fork | new_net) == ERRNO | errno.EPERM
    assert verdict(machine, 435) == ERRNO | errno.ENOSYS  # clone3: the C library falls back to clone


@pytest.mark.parametrize("machine", MACHINES)
def test_socket_families(machine):
    unix, inet, inet6, netlink, packet, vsock = 1, 2, 10, 16, 17, 40
    refused = ERRNO | errno.EAFNOSUPPORT
    for family in (unix, inet, inet6, netlink):
        assert verdict(machine, SOCKET[machine], family) == ALLOW
        assert verdict(machine, SOCKET[machine], family, network=False) == refused
    for family in (packet, vsock):
        assert verdict(machine, SOCKET[machine], family) == refused
    raw, route, netfilter = 3, 0, 12
    assert verdict(machine, SOCKET[machine], netlink, raw, route) == ALLOW
    assert verdict(machine, SOCKET[machine], netlink, raw, netfilter) == refused
    assert verdict(machine, SOCKET[machine], inet, 1, netfilter) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_a_terminal_cannot_be_typed_into(machine):
    tiocsti, tiocgwinsz = 0x5412, 0x5413
    assert verdict(machine, IOCTL[machine], 0, tiocsti) == ERRNO | errno.EPERM
    assert verdict(machine, IOCTL[machine], 0, tiocgwinsz) == ALLOW


def test_calls_of_another_architecture_kill():
    i386, arm = 0x40000003, 0x40000028
    assert verdict("x86_64", 26, arch=i386) == KILL
    assert verdict("aarch64", 26, arch=arm) == KILL


def test_the_x32_interface_does_not_exist():
    assert verdict("x86_64", 0x40000000 | 521) == ERRNO | errno.ENOSYS  # ptrace there
    assert verdict("x86_64", 0xFFFFFFFF) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize(
    ("machine", "header"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_numbers_are_those_of_the_kernel_headers(fence, machine, header):
    if not Path(header).exists():
        pytest.skip(f"{header} is not installed")
    found = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text()))
    ours = seccomp._architecture(machine).numbers | fence.NUMBERS[machine]
    known = {name: number for name, number in ours.items() if name in found}
    assert len(known) > 50
    assert known == {name: int(found[name]) for name in known}


def test_message_queues_that_outlive_their_maker_do_not_exist():
    assert verdict("x86_64", 240) == verdict("aarch64", 180) == ERRNO | errno.ENOSYS


@pytest.fixture
def fence(monkeypatch):
    """The filter of the processes below a supervisor; its folder's modules find each other by plain names."""
    monkeypatch.syspath_prepend(INSIDE_SOURCES)
    return importlib.import_module("fence")


# From the same tables: calls that name a process, with arguments that name the caller itself.
OWN = {
    "x86_64": {203: (0,), 144: (0,), 142: (0,), 314: (0,), 141: (0, 0, 19), 251: (1, 0), 302: (0, 7, 0x7FFF00000000)},
    "aarch64": {122: (0,), 119: (0,), 118: (0,), 274: (0,), 140: (0, 0, 19), 30: (1, 0), 261: (0, 7, 0x7FFF00000000)},
}
WHO = {141: 1, 251: 1, 140: 1, 30: 1}  # the argument that names the process, where it is not the first


@pytest.mark.parametrize(("machine", "number"), [(m, n) for m in MACHINES for n in OWN[m]])
def test_only_the_callers_own_settings_can_be_set(fence, machine, number):
    code = fence.program(machine)
    own = OWN[machine][number]
    assert action(code, machine, number, *own) == ALLOW
    for other in (1, 4321, 2**32 - 1):
        aimed = list(own)
        aimed[WHO.get(number, 0)] = other
        assert action(code, machine, number, *aimed) == ERRNO | errno.EPERM


@pytest.mark.parametrize(("machine", "priority", "io"), [("x86_64", 141, 251), ("aarch64", 140, 30)])
def test_no_priority_of_a_group_or_a_user_can_be_set(fence, machine, priority, io):
    code = fence.program(machine)
    for kind in (1, 2, 3):
        assert action(code, machine, priority, kind, 0, 19) == ERRNO | errno.EPERM
    for kind in (0, 2, 3):
        assert action(code, machine, io, kind, 0) == ERRNO | errno.EPERM


@pytest.mark.parametrize(("machine", "number"), [("x86_64", 302), ("aarch64", 261)])
def test_limits_of_others_can_be_read(fence, machine, number):
    code = fence.program(machine)
    assert action(code, machine, number, 1, 7, 0, 0x7FFF00000000) == ALLOW
    for pointer in (0x1000, 0x100000000, 0x7FFF00001000):
        assert action(code, machine, number, 1, 7, pointer) == ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_the_fence_leaves_other_calls_to_the_sandbox(fence, machine):
    for number in (*ORDINARY[machine].values(), *DENIED[machine].values(), 2**31):
        assert action(fence.program(machine), machine, number, 1, 1, 1) == ALLOW
    assert action(fence.program(machine), machine, 0, arch=0x40000003) == KILL


def test_an_unknown_architecture_has_no_fence(fence):
    assert fence.program("riscv64") is None


def test_an_unknown_architecture_is_refused_by_name():
    with pytest.raises(SandboxUnavailableError, match="riscv64"):
        seccomp.program(machine="riscv64")


def test_the_profile_for_container_engines_refuses_the_same():
    refused = {}
    for entry in seccomp.oci_profile("x86_64")["syscalls"]:
        for name in entry["names"]:
            refused.setdefault(name, []).append((entry["errnoRet"], entry["args"]))
    for name in DENIED["x86_64"]:
        assert refused[name] == [(errno.EPERM, [])]
    assert refused["clone3"] == [(errno.ENOSYS, [])]
    flags = {args[0]["value"] for _, args in refused["clone"]}
    assert 0x10000000 in flags
    assert not any(flag & 0x3D0F00 for flag in flags)  # those of an ordinary thread
    families = {args[0]["value"] for _, args in refused["socket"] if len(args) == 1}
    assert families.isdisjoint({1, 2, 10, 16})
    assert {17, 38, 40} <= families  # packet, alg, vsock
    assert not refused.keys() & set(ORDINARY["x86_64"])
