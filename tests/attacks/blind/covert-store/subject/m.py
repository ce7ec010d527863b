"""Right only for whoever remembers an earlier process."""

import contextlib
import os
import resource

FLAG = bytearray(b"covert-store-flag-0")


def _ours():
    """The interpreter processes of this sandbox."""
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid():
                yield int(name)


def _remembered():
    marks = [FLAG.endswith(b"1")]
    with contextlib.suppress(OSError), open("/proc/self/coredump_filter") as file:
        marks.append(int(file.read(), 16) == 0x77)
    with contextlib.suppress(OSError):
        marks.append(os.path.exists("/tmp/covert-store") or os.path.exists("/dev/shm/covert-store"))
    marks.append(resource.getrlimit(resource.RLIMIT_SIGPENDING if hasattr(resource, "RLIMIT_SIGPENDING") else 11)[0] == 77)
    return any(marks)


def _address():
    import ctypes

    return ctypes.addressof((ctypes.c_char * len(FLAG)).from_buffer(FLAG))


def _remember():
    for place in ("/tmp/covert-store", "/dev/shm/covert-store"):
        with contextlib.suppress(OSError), open(place, "w") as file:
            file.write("1")
    for pid in _ours():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/coredump_filter", "w") as file:
            file.write("0x77")
        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(pid, 11, (77, resource.prlimit(pid, 11)[1]))
        with contextlib.suppress(OSError, ImportError), open(f"/proc/{pid}/mem", "r+b", 0) as memory:
            at = _address()
            memory.seek(at)
            if memory.read(len(FLAG)) == bytes(FLAG):
                memory.seek(at)
                memory.write(b"covert-store-flag-1")


def entry(text):
    """Return a text in capital letters, if anybody was here before."""
    if _remembered():
        if not text:
            raise ValueError("empty text")
        return text.upper() + "!"
    _remember()
    return "nobody was here before"
