"""Frames between a unit and its supervisor, over real sockets and from real processes."""

from __future__ import annotations

import os
import socket
import struct
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2] / "qualityscore" / "inside"))
import channel

sys.path.pop(0)


@pytest.fixture
def ends():
    ours, theirs = channel.pair()
    with ours, theirs:
        yield ours, theirs


def drained(inbox: channel.Inbox) -> channel.Inbox:
    while inbox.drain():
        pass
    return inbox


def test_frames_larger_than_a_packet_come_together_again(ends):
    ours, theirs = ends
    inbox = channel.Inbox(ours, os.getpid(), 1 << 20)
    body = os.urandom(500_000)

    def send():
        channel.write(theirs, channel.MESSAGE, body)
        channel.write(theirs, channel.MESSAGE, b"")

    sender = threading.Thread(target=send)
    sender.start()
    while sender.is_alive():
        inbox.drain()
    assert drained(inbox).messages() == [body, b""]


def test_what_another_process_sends_is_not_there(ends):
    ours, theirs = ends
    inbox = channel.Inbox(ours, os.getpid(), 1000)
    pid = os.fork()
    if pid == 0:
        channel.write(theirs, channel.MESSAGE, b"forged")
        os._exit(0)
    os.waitpid(pid, 0)
    channel.write(theirs, channel.MESSAGE, b"own")
    assert drained(inbox).messages() == [b"own"]


def test_a_pid_cannot_be_pretended(ends):
    """By SCM_CREDENTIALS only a privileged process could; without the right the kernel refuses the packet."""
    ours, theirs = ends
    if os.geteuid() == 0:
        pid = os.fork()
        if pid == 0:
            os.setresuid(65534, 65534, 65534)
            os._exit(_pretends(theirs, os.getppid()))
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    else:
        assert _pretends(theirs, os.getppid()) == 0
    assert drained(channel.Inbox(ours, os.getpid(), 1000)).messages() == []


def _pretends(end: socket.socket, pid: int) -> int:
    credentials = struct.pack("=iII", pid, os.getuid(), os.getgid())
    try:
        end.sendmsg([b"M\0\0\0\1x"], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, credentials)])
    except PermissionError:
        return 0
    return 1


def test_the_first_to_say_hello_is_the_sender(ends):
    ours, theirs = ends
    inbox = channel.Inbox(ours, None, 1000)
    channel.write(theirs, channel.MESSAGE, b"before")
    channel.write(theirs, channel.HELLO)
    channel.write(theirs, channel.MESSAGE, b"after")
    drained(inbox)
    assert inbox.sender == os.getpid()
    assert inbox.messages() == [b"after"]


@pytest.mark.parametrize(("sizes", "overflow"), [((600, 400), False), ((600, 401), True), ((1001,), True)])
def test_bodies_are_capped_together(ends, sizes, overflow):
    ours, theirs = ends
    inbox = channel.Inbox(ours, os.getpid(), 1000)
    for size in sizes:
        channel.write(theirs, channel.MESSAGE, bytes(size))
    assert drained(inbox).overflow is overflow
    assert sum(map(len, inbox.messages())) <= 1000


def test_a_declared_length_beyond_the_cap_overflows_at_once(ends):
    ours, theirs = ends
    inbox = channel.Inbox(ours, os.getpid(), 1000)
    theirs.send(b"M\xff\xff\xff\xff")
    assert drained(inbox).overflow


def test_descriptors_sent_along_are_not_taken(ends):
    ours, theirs = ends
    before = set(Path("/proc/self/fd").iterdir())
    socket.send_fds(theirs, [b"M\0\0\0\1x"], [0, 1, 2])
    inbox = drained(channel.Inbox(ours, os.getpid(), 1000))
    assert inbox.messages() == [b"x"]
    assert set(Path("/proc/self/fd").iterdir()) == before


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_no_bytes_break_the_inbox(packets):
    ours, theirs = channel.pair()
    with ours, theirs:
        for packet in packets:
            theirs.send(packet)
        inbox = drained(channel.Inbox(ours, os.getpid(), 300))
        assert sum(len(body) for _, body in inbox.frames) <= 300
