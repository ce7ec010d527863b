"""Restricts itself and becomes the command; its parent half keeps the tree together. Standard library only.

Started as `python -ISB landlock_launcher.py SPECIFICATION_FD STATUS_FD`. The parent half is the subreaper of all that
the command starts: when the command ends, it kills the rest, and writes "status N" (a wait status) or "error TEXT".
Imports little, since every launch waits for it.
"""

import ctypes
import marshal
import os
import resource
import sys

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 22, 24, 36, 38
_SECCOMP_FILTER = 2
_SIGKILL = 9
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1

# linux/landlock.h: rights by bit, and the version of the interface that brought those which came later
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_ALL_OF_FIRST_VERSION = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_LATER = ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV))
_TCP = (1 << 0) | (1 << 1)
_ABSTRACT_SOCKETS_AND_SIGNALS = (1 << 0) | (1 << 1)
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_KINDS = {
    "read": _EXECUTE | _READ_FILE | _READ_DIR,
    "data": _READ_FILE | _READ_DIR,
    "list": _READ_DIR,
    "device": _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV,
    "all": -1,
}


class _Ruleset(ctypes.Structure):
    _fields_ = [
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    ]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def ruleset(rules: list[list[str]], abi: int) -> int:
    """A descriptor of the Landlock rules; paths are opened now, with the rights of now."""
    handled = _ALL_OF_FIRST_VERSION
    for since, right in _LATER:
        handled |= right if abi >= since else 0
    # Older kernels take a shorter structure.
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    fields = _Ruleset(handled, _TCP if abi >= 4 else 0, _ABSTRACT_SOCKETS_AND_SIGNALS if abi >= 6 else 0)
    rules_fd = _checked(
        _libc.syscall(ctypes.c_long(_CREATE_RULESET), ctypes.byref(fields), ctypes.c_size_t(size), ctypes.c_uint32(0)),
        "Landlock",
    )
    for path, kind in rules:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        rights = _KINDS[kind] & handled
        if not os.path.isdir(path):
            rights &= _OF_FILES
        rule = _PathBeneath(rights, place)
        _checked(
            _libc.syscall(ctypes.c_long(_ADD_RULE), rules_fd, _PATH_BENEATH, ctypes.byref(rule), ctypes.c_uint32(0)),
            f"a Landlock rule for {path}",
        )
        os.close(place)
    return rules_fd


def _limit(specification: dict) -> None:  # type: ignore[type-arg]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if (cpu_s := specification["cpu_s"]) is not None:
        soft = max(1, int(-(-cpu_s // 1)))
        resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 1))
    processes = specification["processes"]
    if processes is not None and specification["uid"] is None:
        processes += _tasks_of(os.getuid()) - 1  # this one becomes the command
    for kind, value in (
        (resource.RLIMIT_AS, specification["memory_bytes"]),
        (resource.RLIMIT_FSIZE, specification["file_size_bytes"]),
        (resource.RLIMIT_NOFILE, specification["open_files"]),
        (resource.RLIMIT_NPROC, processes),
    ):
        if value is not None:
            ceiling = resource.getrlimit(kind)[1]
            value = value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)  # noqa: PLW2901
            resource.setrlimit(kind, (value, value))


def _tasks_of(uid: int) -> int:
    """Threads that a user has now: an ordinary user's process limit counts them all."""
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == uid:
                    count += len(os.listdir(f"/proc/{name}/task"))
            except OSError:
                continue
    return count


def become(specification: dict) -> None:  # type: ignore[type-arg]
    """Give up everything that the specification does not grant, then execute the command; returns only by raising."""
    rules = ruleset(specification["rules"], specification["abi"])
    _limit(specification)
    if (uid := specification["uid"]) is not None:
        for capability in range(64):
            _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    _libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    os.chdir(specification["cwd"])
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _checked(_libc.syscall(ctypes.c_long(_RESTRICT_SELF), rules, ctypes.c_uint32(0)), "Landlock")
    os.close(rules)
    code = specification["seccomp"]
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    _checked(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_FILTER, ctypes.byref(program), 0, 0), "seccomp")
    os.execve(specification["argv"][0], specification["argv"], specification["env"])


def main() -> None:
    specification_fd, status_fd = map(int, sys.argv[1:])
    with os.fdopen(specification_fd, "rb") as file:
        specification = marshal.loads(file.read())
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    trouble, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(status_fd)
            os.close(trouble)
            become(specification)
        except BaseException as error:
            os.write(tell, str(error).encode()[:1000])
        os._exit(125)
    os.close(tell)
    with os.fdopen(trouble, "rb") as file:
        said = file.read()
    _, status = os.waitpid(pid, 0)
    _kill_the_rest()
    os.write(status_fd, b"error " + said if said else b"status %d" % status)


def _kill_the_rest() -> None:
    """All that is left hangs below this process; without a child of its own, nothing is."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, os.path.join(here, "..", "..", "inside"))
    import offspring  # type: ignore[import-not-found]  # noqa: PLC0415 - seldom needed

    offspring.kill_all(set())


if __name__ == "__main__":
    main()
