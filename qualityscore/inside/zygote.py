"""What happens in a zygote and in the units forked from it, before and after the group's own module is called.

Standard library only; runs inside the sandbox. From the group's module on, everything here belongs to the subject:
nothing in this file is a defence, the supervisor is.

A group's module offers `prepare(args) -> state` (or `prepare(args, send) -> state`) and `run(state, args, send)`.
`send(bytes)` gives one message to the supervisor. The module may import its neighbours in this folder by their plain
names at its top; they are taken out of `sys.modules` again, so that a subject may have modules of the same names.
Our modules are loaded with built-ins of their own and send through functions that were bound before, so that a subject
that replaces `len` or `json.dumps` changes nothing of what is recorded.
"""

import array
import builtins
import contextlib
import ctypes
import fcntl
import importlib.machinery
import importlib.util
import io
import json
import os
import signal
import socket
import struct
import sys
import traceback
import types

import channel
import fence

FORK = b"F"
UNCAUGHT_STATUS = 70
NO_MEMORY_STATUS = 71

_LOWEST_DESCRIPTOR = 100  # out of the way of code that closes or compares small descriptors
_PR_SET_DUMPABLE = 4
_BUILT_INS = dict(vars(builtins))
_SELF = sys.modules[__name__]
_LANDLOCK_SCOPE_SIGNAL = 1 << 1
_prctl = ctypes.CDLL(None).prctl


def begin(output, sockets):
    """Make a fresh child presentable: own session, `output` as its outputs, no descriptor but `sockets`, fenced.

    Returns the sockets at descriptors that an exec closes.
    """
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    moved = [_out_of_the_way(end.detach()) for end in sockets]
    _close_others(moved)
    _prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
    if os.getppid() != 1:
        _shield_supervisor()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    fence.install()
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.argv = [""]
    return [socket.socket(fileno=descriptor) for descriptor in moved]


def _shield_supervisor():
    """Let no signal from here or below reach the supervisor, where it is no namespace's first process.

    A Landlock domain of our own (landlock(7), scope of signals); the kernel refuses it outside a sandbox, which has no
    shield to offer then.
    """
    libc = ctypes.CDLL(None)
    fields = struct.pack("=QQQ", 0, 0, _LANDLOCK_SCOPE_SIGNAL)
    rules = libc.syscall(ctypes.c_long(444), fields, ctypes.c_size_t(len(fields)), ctypes.c_uint32(0))
    if rules >= 0:
        libc.syscall(ctypes.c_long(446), rules, ctypes.c_uint32(0))
        os.close(rules)


def _out_of_the_way(descriptor):
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _LOWEST_DESCRIPTOR)
    os.close(descriptor)
    return moved


def _close_others(kept):
    low = 3
    for descriptor in sorted(kept):
        # os.closerange with an empty range of its own would close everything.
        if low < descriptor:
            os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))


def prepare(folder, name, args, end):
    """(module, state, the module `wire`), or None after the failure was told over `end`."""
    try:
        wire = _load(folder, "wire")
        module = _load(folder, name, {"wire": wire, "channel": wire.channel, "zygote": _SELF})
        takes_send = module.prepare.__code__.co_argcount > 1
        state = module.prepare(args, wire.sender(end)) if takes_send else module.prepare(args)
        return module, state, wire
    except BaseException as error:
        channel.write(end, channel.FAILED, _describe(error))
        return None


def _load(folder, name, loaded=None):
    """Import `folder/name.py` (`name` may be an absolute path); modules of `folder` are importable meanwhile only.

    `loaded` are modules that it finds loaded, by name.
    """
    path = os.path.join(folder, name + ".py")
    name = os.path.basename(name)
    specification = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, path))
    module = importlib.util.module_from_spec(specification)
    sys.modules.update(loaded or {})
    sys.modules[name] = module
    neighbours = _Neighbours(folder)
    sys.meta_path.insert(0, neighbours)
    try:
        specification.loader.exec_module(module)
    finally:
        sys.meta_path.remove(neighbours)
    for other, found in list(sys.modules.items()):
        if found is module or os.path.dirname(getattr(found, "__file__", None) or "") == folder:
            del sys.modules[other]
    return module


class _Loader(importlib.machinery.SourceFileLoader):
    """Gives a module built-ins that nobody else can replace."""

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__builtins__ = _BUILT_INS
        return module


class _Neighbours:
    """Finds the modules of a folder, before any of the same name elsewhere."""

    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, path=None, target=None):
        del target
        file = os.path.join(self._folder, name + ".py")
        if path is not None or not os.path.isfile(file):
            return None
        return importlib.util.spec_from_file_location(name, file, loader=_Loader(name, file))


def _describe(error):
    try:
        text = str(error)
    except BaseException:
        text = ""
    frames = [(f.filename, f.lineno, f.name) for f in traceback.extract_tb(error.__traceback__, 200)]
    described = {"exception": type(error).__name__, "text": text[:2000], "frames": frames[-50:]}
    if isinstance(error, SyntaxError):
        described["location"] = [str(error.filename), error.lineno]
    if isinstance(error, ModuleNotFoundError):
        described["module"] = str(error.name)
    return json.dumps(described).encode()


def serve(folder, name, args, control, report):
    """Prepare, then fork a unit for each request; leaves when the supervisor does.

    While it serves, its memory and settings in /proc are closed to its units.
    """
    prepared = prepare(folder, name, args, report)
    _flush()
    if prepared is None:
        os._exit(UNCAUGHT_STATUS)
    _prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    channel.write(report, channel.READY)
    report.close()
    try:
        home = os.getcwd()
    except OSError:  # the subject may have removed it while it was imported
        home = os.path.sep
    while True:
        request, descriptors = _receive(control)
        if request != FORK:
            os._exit(0)
        middle = os.fork()
        if middle == 0:
            if os.fork() == 0:
                control.close()
                end, output = (_out_of_the_way(descriptor) for descriptor in descriptors)
                os.setsid()
                os.dup2(output, 1)
                os.dup2(output, 2)
                os.close(output)
                with contextlib.suppress(OSError):
                    os.chdir(home)  # an earlier unit may have removed the folder that we stand in
                unit(prepared, socket.socket(fileno=end))
            os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)
        os.waitpid(middle, 0)


def _receive(control):
    fds = array.array("i")
    request, ancillary, _, _ = control.recvmsg(16, socket.CMSG_SPACE(2 * fds.itemsize))
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
    return request, list(fds)


def unit(prepared, end):
    """Run one unit in this process and leave; a copy of the process that comes back here as well is not the unit."""
    module, state, wire = prepared
    own = os.getpid()
    _prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # the zygote is not; a unit may look at itself
    status = 0
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(line_buffering=True)
        channel.write(end, channel.HELLO)
        _, body = channel.read(end)
        module.run(state, wire.loads(body), wire.sender(end))
    except MemoryError:
        status = NO_MEMORY_STATUS
    except BaseException:
        status = UNCAUGHT_STATUS
        if os.getpid() == own:
            traceback.print_exc()
    if os.getpid() == own:
        _flush()
    os._exit(status)


def _flush():
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
