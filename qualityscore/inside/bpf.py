"""Instructions of system-call filters: classic BPF over struct seccomp_data (seccomp(2), linux/filter.h).

Standard library only; runs inside the sandbox, and outside where a sandbox's own filter is assembled.
"""

from __future__ import annotations

import struct

# linux/filter.h, linux/seccomp.h
LOAD_WORD, JUMP_EQUAL, JUMP_GREATER_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
OFFSET_NUMBER, OFFSET_ARCH = 0, 4

AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH_* of linux/audit.h, by the machine's name as `uname -m` has it."""


def instruction(code: int, if_true: int, if_false: int, operand: int) -> bytes:
    """One `struct sock_filter`; jumps count the instructions that are passed over."""
    return struct.pack("=HBBI", code, if_true, if_false, operand)


def load(offset: int) -> bytes:
    """Put a word of the call's data into the accumulator."""
    return instruction(LOAD_WORD, 0, 0, offset)


def jump(kind: int, operand: int, if_true: int, if_false: int) -> bytes:
    """Compare the accumulator with a constant."""
    return instruction(kind, if_true, if_false, operand)


def answer(action: int) -> bytes:
    """End the filter with a verdict."""
    return instruction(RETURN, 0, 0, action)


def unless(offset: int, kind: int, operand: int, action: int) -> list[bytes]:
    """End with `action` unless the comparison of a word holds."""
    return [load(offset), jump(kind, operand, 1, 0), answer(action)]


def argument_offset(argument: int) -> int:
    """Of its low word in struct seccomp_data (number, architecture, instruction pointer, arguments); little-endian."""
    return 16 + 8 * argument


def on_argument(number: int, argument: int, body: list[bytes]) -> list[bytes]:
    """Run `body` on the low word of an argument when the call is `number`; the accumulator holds the number again."""
    return [
        jump(JUMP_EQUAL, number, 0, len(body) + 1),
        load(argument_offset(argument)),
        *body,
        load(OFFSET_NUMBER),
    ]
