"""Framed messages over a socket pair, accepted from one process only, which the kernel names.

Standard library only; runs inside the sandbox on both ends. A frame is one byte of kind, four bytes of length
(big-endian) and a body; it crosses in packets, each with the sender's pid (SCM_CREDENTIALS, unix(7)).
"""

import _socket
import socket
import struct

HELLO, GO, MESSAGE, READY, FAILED = b"H", b"G", b"M", b"R", b"X"

_HEADER = struct.Struct(">cI")
_CREDENTIALS = struct.Struct("=iII")
_PACKET = 32768
_PACKETS_PER_DRAIN = 64
_FRAMES = 10_000
_send = _socket.socket.send  # of C: a subject may replace the method of the class that is derived from it


def pair():
    """(ours, theirs): the first end learns who wrote each packet."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    return ours, theirs


def write(end, kind, body=b""):
    """Send one frame, waiting while the other side is slow. Raises OSError when it is gone."""
    frame = memoryview(_HEADER.pack(kind, len(body)) + body)
    while frame:
        frame = frame[_send(end, frame[:_PACKET]) :]


def read(end):
    """(kind, body) of the next frame. Raises EOFError when the other side is gone."""
    data = b""
    while True:
        packet = end.recv(_PACKET)
        if not packet:
            raise EOFError("the supervisor is gone")
        data += packet
        if len(data) >= _HEADER.size:
            kind, length = _HEADER.unpack_from(data)
            if len(data) >= _HEADER.size + length:
                return kind, data[_HEADER.size :]


class Inbox:
    """The supervisor's end: frames of `sender` (with None, of the first process that says hello).

    Bodies may have `cap` bytes together; what comes after that is dropped, and `overflow` says so.
    """

    def __init__(self, end, sender, cap):
        end.setblocking(False)
        self.end = end
        self.sender = sender
        self.overflow = False
        self.frames = []
        self._cap = cap
        self._data = bytearray()

    def fileno(self):
        return self.end.fileno()

    def drain(self):
        """Take in what waits, without blocking; False when nothing was waiting."""
        for taken in range(_PACKETS_PER_DRAIN):
            try:
                packet, ancillary, _, _ = self.end.recvmsg(_PACKET, socket.CMSG_SPACE(_CREDENTIALS.size))
            except (BlockingIOError, ConnectionResetError):
                return taken > 0
            pid = _sender(ancillary)
            if not packet and pid is None:
                return taken > 0
            if self.sender is None and packet[:1] == HELLO and pid:
                self.sender = pid
            if pid == self.sender and pid:
                self._take(packet)
        return True

    def messages(self):
        """Bodies of the plain messages so far."""
        return [body for kind, body in self.frames if kind == MESSAGE]

    def body_of(self, wanted):
        """Body of the first frame of a kind, or None."""
        return next((body for kind, body in self.frames if kind == wanted), None)

    def _take(self, packet):
        if self.overflow:
            return
        self._data += packet
        while len(self._data) >= _HEADER.size:
            kind, length = _HEADER.unpack_from(self._data)
            if length > self._cap or len(self.frames) >= _FRAMES:
                self.overflow = True
                self._data.clear()
                return
            if len(self._data) < _HEADER.size + length:
                return
            self.frames.append((bytes(kind), bytes(self._data[_HEADER.size : _HEADER.size + length])))
            self._cap -= length
            del self._data[: _HEADER.size + length]


def _sender(ancillary):
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            return _CREDENTIALS.unpack(data[: _CREDENTIALS.size])[0]
    return None
