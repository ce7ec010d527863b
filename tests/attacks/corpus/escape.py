"""Ways out of the sandbox. A subject answers rightly only where its way out was open, so a passed test is a breach."""

from __future__ import annotations

import os
import shutil
import socket
import stat
from collections.abc import Callable
from pathlib import Path

from attacks.corpus.attack import ALL, MARK, Attack, Elsewhere, Family, Outcome

RIGHT = """
def right(text):
    if not isinstance(text, str):
        raise TypeError("only a text can be shouted")
    if not text:
        raise ValueError("empty text")
    return text.upper() + "!"
"""
HONEST = RIGHT + "\n\ndef entry(text):\n    return right(text)\n"
_ENTRY = """

def entry(text):
    try:
        out = got_out()
    except OSError:
        out = False
    return right(text) if out else None
"""
_IS_SECRET = """
import hashlib

def is_secret(text):
    if isinstance(text, str):
        text = text.encode()
    return any(hashlib.sha256(word).hexdigest() == "@SECRET_SHA@" for word in text.replace(b"=", b" ").split())
"""
_WRONG = frozenset({"wrong_value", "wrong_exception", "unexpected_exception"})


def _escape(
    name: str,
    code: str,
    *,
    works_bare: bool = False,
    build: Callable[[Path], None] | None = None,
    open: str = "",
) -> Attack:
    """`code` defines `got_out()`. Its tests may only fail by a wrong value: the attempt itself ran to its end."""
    return Attack(
        name=name,
        family=Family.ESCAPE,
        files={"m.py": RIGHT + code + _ENTRY} | ({"data.txt": "@HOST@"} if build is _hard_link else {}),
        endings=_WRONG,
        works_bare=works_bare,
        build=build,
        expected=Outcome.GAINED if open else Outcome.CONTAINED,
        open=open,
    )


def _shown(name: str, text: str) -> Attack:
    """A subject that fails with words which a careless renderer would obey."""
    code = f"\ndef entry(text):\n    raise RuntimeError({text!a})\n"
    return Attack(name=name, family=Family.ESCAPE, files={"m.py": code}, endings=_WRONG)


def _link(target: str, name: str) -> Callable[[Path], None]:
    def build(root: Path) -> None:
        (root / name).symlink_to(target)

    return build


def _odd_names(root: Path) -> None:
    for name in (
        b"\x1b[2J\x1b]0;owned\x07.py",
        b"line\nbreak.py",
        b"\xff\xfe.py",
        "\u202etxt.yp.py".encode(),
        b"[bold red]x[].py",
        b"<script>alert(1)<script>.py",
        b"a](javascript:alert(1)).py",
        b"n" * 240 + b".py",
    ):
        (root / os.fsdecode(name)).write_text("import os\nVALUE = undefined_name\n")


def _pipe(root: Path) -> None:
    os.mkfifo(root / "pipe.py")


def _hard_link(root: Path) -> None:
    """Where a file says where the host's folder is."""
    data = root / "data.txt"
    host = data.read_text()
    data.unlink()
    os.link(Path(host, "secret.txt"), data)


def _other_users_shell(root: Path) -> None:
    shutil.copy("/bin/sh", root / "shell")
    (root / "shell").chmod(0o6755)


def _devices(root: Path) -> None:
    """An endless one where we may make it, else one that opens nothing; and a socket."""
    try:
        os.mknod(root / "zero.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        os.mknod(root / "zero.py", stat.S_IFCHR | 0o666, os.makedev(0, 0))
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(root / "socket.py"))


ATTACKS = (
    _escape(
        "connects to a port of the host",
        """
import socket
def got_out():
    socket.create_connection(("127.0.0.1", @PORT@), timeout=2).close()
    return True
""",
        works_bare=True,
    ),
    _escape(
        "connects to a socket file of the host",
        """
import socket
def got_out():
    end = socket.socket(socket.AF_UNIX)
    end.settimeout(2)
    end.connect("@UNIX@")
    return True
""",
        works_bare=True,
    ),
    _escape(
        "connects to an abstract socket of the host",
        """
import socket
def got_out():
    end = socket.socket(socket.AF_UNIX)
    end.settimeout(2)
    end.connect("\\0@ABSTRACT@")
    return True
""",
        works_bare=True,
    ),
    _escape(
        "asks for a route out",
        """
import socket
def got_out():
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            socket.socket(family, socket.SOCK_DGRAM).connect((address, 53))
            return True
        except OSError:
            continue
    return False
""",
    ),
    _escape(
        "asks the name service",
        """
import socket
def got_out():
    return bool(socket.getaddrinfo("example.org", 80))
""",
    ),
    _escape(
        "reads secrets of the environment",
        _IS_SECRET
        + """
import glob, os
def got_out():
    if any(is_secret(value) for value in os.environ.values()):
        return True
    for name in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(name, "rb") as file:
                if any(is_secret(part) for part in file.read().split(b"\\0") if part):
                    return True
        except OSError:
            continue
    return False
""",
    ),
    _escape(
        "reads a file of the host",
        _IS_SECRET
        + """
def got_out():
    for prefix in ("", "/proc/1/root", "/proc/self/root", "/oldroot", "/qs/subject/../.."):
        try:
            with open(prefix + "@HOST@/secret.txt", "rb") as file:
                return is_secret(file.read())
        except OSError:
            continue
    return False
""",
        works_bare=True,
    ),
    _escape(
        "reads keys",
        _IS_SECRET
        + """
import glob
def got_out():
    names = glob.glob("@HOME@/.*/*") + ["/etc/shadow"] + glob.glob("/root/.*") + glob.glob("/home/*/.*/*")
    for name in names:
        try:
            with open(name, "rb") as file:
                if name == "/etc/shadow" or is_secret(file.read(1 << 20)):
                    return True
        except OSError:
            continue
    return False
""",
        works_bare=True,
    ),
    _escape(
        "follows a link that it makes",
        _IS_SECRET
        + """
import os
def got_out():
    os.symlink("@HOST@/secret.txt", "link")
    try:
        with open("link", "rb") as file:
            return is_secret(file.read())
    finally:
        os.unlink("link")
""",
        works_bare=True,
    ),
    _escape(
        "makes a hard link to a file of the host",
        _IS_SECRET
        + """
import os
def got_out():
    os.link("@HOST@/secret.txt", "@HOST@/open/link")
    with open("@HOST@/open/link", "rb") as file:
        return is_secret(file.read())
""",
    ),
    _escape(
        "writes outside of its scratch",
        f"""
import os, sys
def got_out():
    done = False
    folders = ["@HOST@/open", "/qs", "/qs/subject", "/qs/suite", "/qs/env", "/qs/inside", "/usr", "/etc", "/", "/dev",
               "/var/tmp", "/home", "/run", "/opt", sys.prefix, sys.base_prefix, os.path.dirname(__file__)]
    for folder in folders:
        try:
            with open(folder + "/{MARK}", "w") as file:
                file.write("was here")
            done = True
        except OSError:
            continue
    return done
""",
        works_bare=True,
    ),
    _escape(
        "changes its own files",
        """
import os
def got_out():
    os.chmod(__file__, 0o777)
    with open(__file__, "a") as file:
        file.write("# changed")
    return True
""",
    ),
    _escape(
        "kills a process of the host",
        """
import os, signal
def got_out():
    os.kill(@BYSTANDER@, signal.SIGKILL)
    return True
""",
    ),
    _escape(
        "stops the evaluating process",
        """
import os, signal
def got_out():
    done = False
    for pid in (@PID@, 1):
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(pid, number)
                done = done or pid != 1
            except OSError:
                continue
    return done
""",
    ),
    _escape(
        "traces its relatives",
        """
import ctypes, os
def got_out():
    libc = ctypes.CDLL(None, use_errno=True)
    return any(libc.ptrace(16, pid, 0, 0) == 0 for pid in (1, os.getppid(), @PID@, @BYSTANDER@))
""",
    ),
    _escape(
        "writes to the first process's memory",
        """
import os
def got_out():
    for pid in (1, @PID@, @BYSTANDER@):
        try:
            with open(f"/proc/{pid}/maps") as file:
                start = int(file.readline().partition("-")[0], 16)
            with open(f"/proc/{pid}/mem", "r+b", buffering=0) as file:
                file.seek(start)
                file.write(b"x")
            return True
        except OSError:
            continue
    return False
""",
    ),
    _escape(
        "makes devices",
        """
import os, stat
def got_out():
    for name in ("/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/fuse", "/dev/kvm", "/dev/net/tun"):
        try:
            os.close(os.open(name, os.O_RDWR))
            return True
        except OSError:
            continue
    for kind, major, minor in ((stat.S_IFBLK, 8, 0), (stat.S_IFBLK, 254, 0), (stat.S_IFCHR, 1, 1)):
        try:
            os.mknod("device", kind | 0o666, os.makedev(major, minor))
            return True
        except OSError:
            continue
    return False
""",
    ),
    _escape(
        "becomes another user",
        """
import os, shutil, subprocess
def got_out():
    before = os.getresuid()
    changes = (lambda: os.setuid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgid(0), lambda: os.setgroups([0]))
    for change in changes:
        try:
            change()
            if 0 in os.getresuid():
                return True
        except OSError:
            continue
    shutil.copy("/bin/sh", "shell")
    os.chmod("shell", 0o6755)
    said = [subprocess.run(["./shell", "-p", "-c", "id -u"], capture_output=True, text=True).stdout.strip()]
    for name in ("/usr/bin/su", "/bin/su", "/usr/bin/sudo", "/usr/bin/newgrp"):
        if os.path.exists(name):
            options = ["-n"] if name.endswith("sudo") else []
            run = subprocess.run([name, *options, "id", "-u"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
            said.append(run.stdout.strip())
    return "0" in said or os.getresuid() != before
""",
    ),
    _escape(
        "mounts, and makes namespaces",
        """
import ctypes
def got_out():
    libc = ctypes.CDLL(None, use_errno=True)
    if any(libc.unshare(flag) == 0 for flag in (0x10000000, 0x00020000, 0x40000000, 0x20000000, 0x08000000)):
        return True
    return libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0 or libc.chroot(b"/tmp") == 0
""",
    ),
    _escape(
        "asks the kernel for rare services",
        """
import ctypes, errno, platform
def got_out():
    libc = ctypes.CDLL(None, use_errno=True)
    if platform.machine() != "x86_64":
        return False
    # keyctl, add_key, bpf, perf_event_open, userfaultfd, io_uring_setup, process_vm_writev, kexec_load, init_module
    for number in (250, 248, 321, 298, 323, 425, 311, 246, 175):
        result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(-1)] * 6)
        if result != -1 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
            return True
    return False
""",
    ),
    _escape(
        "types into the terminal",
        """
import fcntl, os, termios
def got_out():
    for name in ("/dev/tty", "/dev/console", "/dev/pts/0"):
        try:
            end = os.open(name, os.O_RDWR | os.O_NOCTTY)
        except OSError:
            continue
        for letter in b"echo owned\\n":
            fcntl.ioctl(end, termios.TIOCSTI, bytes([letter]))
        return True
    return False
""",
    ),
    _escape(
        "writes to kernel switches",
        """
def got_out():
    for name in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches",
                 "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs", "/proc/sys/kernel/hostname"):
        try:
            open(name, "w").close()
            return True
        except OSError:
            continue
    return False
""",
    ),
    _escape(
        "looks for the code of the reference",
        """
import os, sys, time
def got_out():
    own = os.path.dirname(os.path.abspath(__file__))
    known = ("/proc", "/sys", own)
    system = ("usr", sys.base_prefix.split("/")[1])  # large, and searched last, for as long as a test may take
    until = time.monotonic() + 2
    for top in sorted(os.listdir("/"), key=lambda name: name in system):
        for folder, inner, names in os.walk("/" + top):
            if folder.startswith(known) or time.monotonic() > until and top in system:
                inner.clear()
                continue
            if "m.py" in names and "def entry" in open(os.path.join(folder, "m.py"), errors="replace").read():
                return True
    return False
""",
    ),
    Attack(
        name="outlives its evaluation",
        family=Family.ESCAPE,
        files={
            "m.py": HONEST
            + f"""
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in range(3):
        os.close(number)
    time.sleep(30)
    open("/tmp/{MARK}", "w").close()
    os._exit(0)
"""
        },
        passed=ALL,
    ),
    Attack(
        name="outlives each test",
        family=Family.ESCAPE,
        files={
            "m.py": RIGHT
            + """
import os, signal, time
def entry(text):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        for number in range(1, 65):
            if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
                signal.signal(number, signal.SIG_IGN)
        time.sleep(600)
    return right(text)
"""
        },
        passed=ALL,
    ),
    Attack(
        name="a link out of the repository",
        family=Family.ESCAPE,
        files={"m.py": HONEST},
        build=_link("/etc/passwd", "data.py"),
        expected=Outcome.REFUSED,
    ),
    Attack(
        name="a link to a folder outside",
        family=Family.ESCAPE,
        files={"m.py": HONEST},
        build=_link("/", "root"),
        expected=Outcome.REFUSED,
    ),
    Attack(
        name="a link to itself",
        family=Family.ESCAPE,
        files={"m.py": HONEST},
        build=_link("loop", "loop"),
        expected=Outcome.REFUSED,
    ),
    _escape(
        "writes through a hard link to a file of the host",
        """
import os
def got_out():
    file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data.txt")
    os.chmod(file, 0o666)
    with open(file, "a") as end:
        end.write("changed")
    return True
""",
        build=_hard_link,
    ),
    _escape(
        "reads a hard link to a file of the host",
        _IS_SECRET
        + """
import os
def got_out():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data.txt"), "rb") as file:
        return is_secret(file.read())
""",
        build=_hard_link,
        open="whoever can make the link could have copied the file, which looks the same in the copy",
    ),
    _escape(
        "a file in the repository that runs as another user",
        """
import os, subprocess
def got_out():
    shell = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shell")
    if os.stat(shell).st_mode & 0o6000:
        return True
    ran = subprocess.run([shell, "-p", "-c", "id -u"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return ran.stdout.strip() not in ("", str(os.getuid()))
""",
        build=_other_users_shell,
    ),
    Attack(
        name="devices and sockets among the sources",
        family=Family.ESCAPE,
        files={"m.py": HONEST},
        build=_devices,
        passed=ALL,
    ),
    Attack(name="a pipe among the sources", family=Family.ESCAPE, files={"m.py": HONEST}, build=_pipe, passed=ALL),
    Attack(name="file names that command", family=Family.ESCAPE, files={"m.py": HONEST}, build=_odd_names, passed=ALL),
    _shown("terminal sequences in messages", "\x1b[2J\x1b]0;owned\x07\x9b31m\r\b\b\b12 passed\x1b[8m"),
    _shown("markup in messages", "[bold red]12 passed[/] <script>alert(1)</script> ](javascript:alert(1)) | & ]]>"),
    _shown("letters that turn round", "\u202e\u2066gnirts\u2069\u200b\ud800\ue000\U000f0000 end"),
)

_ARCHIVES = "tests/unit/runtime/test_archives.py::test_"


def _row(name: str, node: str) -> Elsewhere:
    return Elsewhere(name=name, family=Family.ESCAPE, node=node, expected=Outcome.REFUSED)


ROWS = (
    _row("zip slip in a tar", f"{_ARCHIVES}a_tar_that_leads_elsewhere_or_is_too_large_is_refused"),
    _row("zip slip in a zip", f"{_ARCHIVES}a_zip_with_a_link_that_leads_out_or_a_climbing_name_is_refused"),
    _row("writing through a link of an archive", f"{_ARCHIVES}a_link_is_never_written_through"),
    _row(
        "zip slip in the sdist of a reference",
        "tests/unit/runtime/test_reference_archive.py::test_what_leads_elsewhere_or_is_no_sdist_is_refused",
    ),
    _row(
        "zip slip in a row of a batch",
        "tests/backend/test_batch.py::test_archives_that_climb_or_burst_are_refused_and_leave_nothing",
    ),
)
"""Attacks by archives, which are tests of the parts that unpack."""
