"""One suite for every sandbox provider, as root and as an ordinary user: what a provider promises is tried.

A promise that a provider does not make is skipped with that reason, so that the report of a run is its matrix.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import pytest

from qualityscore.runtime.process import Exited, Limits, OutputFlooded, ProcessOutcome, TimedOut
from qualityscore.runtime.sandbox import PROVIDERS
from qualityscore.runtime.sandbox.base import Capability, Sandbox
from qualityscore.runtime.sandbox.scenery import package_folders
from qualityscore.runtime.sandbox.seccomp import refused_calls

REPOSITORY = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("sandbox_driver.py")
ORDINARY_UID = 64123  # nobody's, so that limits counted by user see only what a test starts
LIMITS = Limits(
    wall_s=20,
    cpu_s=10,
    memory_bytes=512 << 20,
    processes=40,
    file_size_bytes=32 << 20,
    open_files=256,
    output_bytes=1 << 20,
)
OUTCOMES = {kind.__name__: kind for kind in (Exited, TimedOut, OutputFlooded)}


@functools.cache
def interpreter_of_others() -> str | None:
    """An interpreter that an ordinary user can start, with this checkout readable; None where there is none."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        check = "import sys; open(sys.argv[1]).close(); sys.exit(sys.version_info < (3, 11))"
        command = [*as_ordinary_user(), candidate, "-c", check, str(DRIVER)]
        try:
            if subprocess.run(command, cwd="/", env=driver_env(), capture_output=True, check=False).returncode == 0:
                return candidate
        except OSError:
            continue
    return None


def as_ordinary_user() -> list[str]:
    setpriv = shutil.which("setpriv") or "setpriv"
    change = [setpriv, f"--reuid={ORDINARY_UID}", f"--regid={ORDINARY_UID}", "--clear-groups", "--inh-caps=-all"]
    # setpriv itself executes with root's rights of passage still; the shell no longer has them.
    return [*change, "--", "/bin/sh", "-c", 'exec "$0" "$@"']


def driver_env() -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOST_SECRET": "not for the subject",
    }


@dataclass
class Place:
    """A provider as seen by one user."""

    provider: Sandbox
    user: str
    elapsed_s: float = 0.0  # of the last run

    def command(self) -> list[str]:
        """The driver's command line, with an interpreter that the sandboxed user can reach."""
        hides_by_mounts = Capability.HOST_FILES_HIDDEN in self.provider.capabilities
        if os.geteuid() != 0 or (self.user == "root" and hides_by_mounts):
            return [sys.executable, str(DRIVER)]
        change = as_ordinary_user() if self.user == "user" else []
        return [*change, str(interpreter_of_others()), str(DRIVER)]

    def ask(self, **request) -> dict:
        done = subprocess.run(
            self.command(),
            input=json.dumps({"provider": self.provider.name, **request}),
            capture_output=True,
            text=True,
            cwd="/",
            env=driver_env(),
            check=False,
            timeout=100,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def run(self, code: str, *, scratch_bytes: int = 16 << 20, limits: dict | None = None, **more) -> ProcessOutcome:
        fields = {name: getattr(LIMITS, name) for name in LIMITS.__dataclass_fields__} | (limits or {})
        answer = self.ask(action="run", code=textwrap.dedent(code), limits=fields, scratch_bytes=scratch_bytes, **more)
        kind = OUTCOMES[answer.pop("kind")]
        self.elapsed_s = answer.pop("elapsed_s")
        for name in ("stdout", "stderr"):
            answer[name] = base64.b64decode(answer[name])
        return kind(**answer)

    def says(self, code: str, **more) -> str:
        """Standard output of a program that must end well."""
        outcome = self.run(code, **more)
        assert isinstance(outcome, Exited), outcome
        assert outcome.code == 0, outcome.stderr.decode()
        return outcome.stdout.decode().strip()


@pytest.fixture(
    scope="module",
    params=[(provider, user) for provider in PROVIDERS for user in ("root", "user")],
    ids=lambda param: f"{param[0].name}-{param[1]}",
)
def anywhere(request) -> Place:
    provider, user = request.param
    if user == "root" and os.geteuid() != 0:
        pytest.skip("needs root")
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is not installed, so no other user can be tried")
        if interpreter_of_others() is None:
            pytest.skip("no interpreter that an ordinary user can start, or the checkout is closed to others")
    place = Place(provider, user)
    availability = place.ask(action="probe")
    if not availability["works"]:
        pytest.skip(f"{provider.name} does not work here: {availability['detail']}")
    return place


@pytest.fixture
def place(anywhere, request) -> Place:
    """Where the promise of the test's marker is made."""
    promise = request.node.get_closest_marker("promise").args[0]
    if promise not in anywhere.provider.capabilities:
        pytest.skip(f"{anywhere.provider.name} does not promise: {promise}")
    return anywhere


def promise(capability: Capability):
    return pytest.mark.promise(capability)


def alive(marker: str) -> list[str]:
    """Pids on the host whose command line holds `marker`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes():
                    found.append(entry.name)
            except OSError:
                continue
    return [pid for pid in found if pid != str(os.getpid())]


# --- identity ---------------------------------------------------------------------------------------------------


@promise(Capability.NO_PRIVILEGES)
def test_no_capability_is_left_and_none_can_be_gained(place):
    status = place.says("print(open('/proc/self/status').read())")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert int(fields[name], 16) == 0, name
    assert fields["NoNewPrivs"] == "1"
    assert "0" not in fields["Uid"].split()
    assert "0" not in fields["Gid"].split()
    assert fields.get("Groups", "").split() in ([], fields["Gid"].split()[:1])


@promise(Capability.NO_PRIVILEGES)
def test_a_setuid_program_gives_nothing(place):
    code = """
    import subprocess
    print(subprocess.run(["/usr/bin/su", "-c", "id -u"], capture_output=True, stdin=subprocess.DEVNULL).returncode != 0)
    """
    assert place.says(code) == "True"


@promise(Capability.NO_PRIVILEGES)
def test_two_launches_by_root_have_different_users(place):
    if place.user != "root":
        pytest.skip("an ordinary user has no other identities to give")
    uids = {place.says("import os; print(os.getuid())") for _ in range(3)}
    assert len(uids) == 3


@promise(Capability.HOME)
def test_the_user_has_a_name_a_home_and_a_temporary_folder(place):
    code = """
    import getpass, os, pathlib, pwd, tempfile
    home = pathlib.Path.home()
    (home / "x").write_text("x")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "x").write_text("x")
        assert len(folder) < 60, folder
    assert os.environ["USER"] == getpass.getuser()
    assert pwd.getpwuid(os.getuid()).pw_dir
    pathlib.Path("here").write_text("x")
    print(sorted(p.name for p in home.iterdir()), os.listdir())
    """
    assert place.says(code) == "['x'] ['here']"


@pytest.fixture
def folder():
    """A folder that every user can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="qs-test-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


# --- files ------------------------------------------------------------------------------------------------------


@promise(Capability.HOST_FILES_UNREADABLE)
def test_secrets_of_the_host_cannot_be_read(place, folder):
    secret = folder / "secret"
    secret.write_text("x")
    secret.chmod(0o644)
    code = """
    import sys
    for path in ["/etc/shadow", "/root/.bashrc", "/var/log/dpkg.log", "/proc/1/environ", *sys.argv[1:]]:
        try:
            open(path).read(1)
        except OSError:
            continue
        if path != "/proc/1/environ" or "not for the subject" in open(path).read():
            print("readable:", path)
    """
    assert place.says(code, args=[str(secret), __file__]) == ""


@promise(Capability.HOST_FILES_HIDDEN)
def test_folders_of_the_host_are_not_there(place, folder):
    code = """
    import os, sys
    print(*[path for path in sys.argv[1:] if os.path.lexists(path)])
    """
    names = ["/var/lib/dpkg", "/home", "/opt", "/srv", "/boot", "/mnt", str(folder), __file__, "/usr/local/bin"]
    assert place.says(code, args=names) == ""


@promise(Capability.HOST_FILES_HIDDEN)
def test_folders_above_a_mount_are_open_to_the_sandboxed_user(place, folder):
    (folder / "file").write_text("x")
    code = "import os; print(oct(os.stat('/one/two').st_mode & 0o777), open('/one/two/three/file').read())"
    assert place.says(code, mounts=[(str(folder), "/one/two/three", False)]) == "0o755 x"


@promise(Capability.HOST_FILES_UNREADABLE)
@pytest.mark.parametrize("mounts", [[], [("/usr", "/usr", False)]], ids=["elsewhere", "in /usr"])
def test_python_code_of_the_systems_programs_cannot_be_read(place, mounts):
    """Large programs bring copies of libraries with them, and one may be the reference."""
    code = """
    import os
    for above, folders, names in os.walk("/usr"):
        folders[:] = [name for name in folders if not name.startswith("python3.")]  # the standard library
        for name in names:
            if name.endswith((".py", ".whl", ".egg")) and not "/valgrind" in above:
                try:
                    open(os.path.join(above, name), "rb").read(1)
                except OSError:
                    continue
                print("readable:", os.path.join(above, name))
    """
    assert place.says(code, mounts=mounts, hidden=list(package_folders(Path("/usr"))) if mounts else []) == ""


@promise(Capability.HOST_FILES_UNREADABLE)
def test_packages_of_the_system_and_hidden_folders_cannot_be_read(place, folder):
    """A copy of the reference may lie among them."""
    inner = folder / "site-packages" / "reference"
    inner.mkdir(parents=True)
    (inner / "__init__.py").write_text("x")
    (folder / "file").write_text("x")
    code = """
    import glob, os
    found = glob.glob("/usr/lib/python3*/*-packages/**/*.py") + ["/qs/env/site-packages/reference/__init__.py"]
    for path in found:
        try:
            open(path).read()
        except OSError:
            continue
        print("readable:", path)
    print(open("/qs/env/file").read())
    """
    mounts = [(str(folder), "/qs/env", False)]
    assert place.says(code, mounts=mounts, hidden=["/qs/env/site-packages"]) == "x"


@promise(Capability.HOST_FILES_UNREADABLE)
def test_a_library_that_is_a_file_of_its_own_below_usr_cannot_be_read(place, folder):
    """It would lie beside the programs' folders; here another folder of the host stands for /usr."""
    shown = "/qs/env" if place.provider.name == "landlock" else str(folder)  # which translates targets to their sources
    for name in ("library.py", "file"):
        (folder / name).write_text("x")
    code = f"""
    for name in ("library.py", "file"):
        try:
            print(name, open("{shown}/" + name).read())
        except OSError:
            pass
    """
    mounts = [(str(folder), shown, False)]
    assert place.says(code, mounts=mounts, covers=[str(folder / "library.py")]) == "file x"
    assert place.says(code, mounts=mounts) == "library.py x\nfile x"


@promise(Capability.READ_ONLY)
def test_nothing_outside_the_scratch_can_be_written(place, folder):
    shown = folder / "shown"
    shown.mkdir()
    (shown / "file").write_text("as it was")
    for path in (shown, shown / "file"):
        path.chmod(0o777)
    code = """
    import os, sys
    def tries():
        yield lambda: open("/qs/subject/file", "w")
        yield lambda: open("/qs/subject/new", "w")
        yield lambda: os.unlink("/qs/subject/file")
        yield lambda: os.rename("/qs/subject/file", "/qs/subject/other")
        yield lambda: open("/usr/new", "w")
        yield lambda: open("/new", "w")
        yield lambda: open("/etc/new", "w")
        yield lambda: open("/dev/new", "w")
        yield lambda: open("/etc/passwd", "a")
        yield lambda: open("/proc/sys/kernel/hostname", "w")
        yield lambda: os.mknod("/tmp/device", 0o60666, os.makedev(8, 0))
    for number, attempt in enumerate(tries()):
        try:
            attempt()
        except OSError:
            continue
        print("done:", number)
    """
    assert place.says(code, mounts=[(str(shown), "/qs/subject", False)]) == ""
    assert [path.name for path in shown.iterdir()] == ["file"]
    assert (shown / "file").read_text() == "as it was"


@promise(Capability.MODES_PROTECTED)
def test_modes_and_times_of_shown_files_cannot_be_changed(place, folder):
    shown = folder / "shown"
    shown.mkdir()
    (shown / "file").write_text("")
    if os.geteuid() == 0 and place.user == "user":
        os.chown(shown / "file", ORDINARY_UID, ORDINARY_UID)
    before = (shown / "file").stat()
    code = """
    import os
    for attempt in (lambda: os.chmod("/qs/subject/file", 0), lambda: os.utime("/qs/subject/file", (0, 0))):
        try:
            attempt()
        except OSError:
            pass
    """
    place.says(code, mounts=[(str(shown), "/qs/subject", False)])
    after = (shown / "file").stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


@promise(Capability.READ_ONLY)
def test_a_writable_mount_can_be_written(place, folder):
    out = folder / "out"
    out.mkdir()
    if os.geteuid() == 0 and place.user == "user":
        os.chown(out, ORDINARY_UID, ORDINARY_UID)
    place.says("open('/qs/out/file', 'w').write('x')", mounts=[(str(out), "/qs/out", True)])
    assert (out / "file").read_text() == "x"


# --- processes --------------------------------------------------------------------------------------------------


@promise(Capability.PROCESSES_HIDDEN)
def test_no_other_process_is_visible(place):
    assert place.says("import os; print([p for p in os.listdir('/proc') if p.isdigit()], os.getpid())") == "['1'] 1"


@promise(Capability.PROCESSES_PROTECTED)
def test_a_process_of_the_same_user_outside_cannot_be_signalled(place):
    command = ["sleep", "30"]
    if place.user == "user" and os.geteuid() == 0:
        command = [*as_ordinary_user(), *command]
    bystander = subprocess.Popen(command)
    try:
        code = """
        import os, sys
        for pid in (int(sys.argv[1]), -1):
            try:
                os.kill(pid, 9)
            except OSError:
                pass
        """
        place.run(code, args=[str(bystander.pid)])
        time.sleep(0.1)
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


@promise(Capability.DIES_TOGETHER)
@pytest.mark.parametrize("stopped", [False, True], ids=["daemon", "stopped daemon"])
def test_a_daemon_is_dead_within_a_second_of_the_deadline(place, stopped):
    marker = f"daemon-{uuid.uuid4().hex}"
    code = """
    import os, signal, sys, time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            if sys.argv[2] == "True":
                os.kill(os.getpid(), signal.SIGSTOP)
            time.sleep(100)
        os._exit(0)
    os.setsid() if os.getpid() == 1 and os.getsid(0) != os.getpid() else None
    time.sleep(100)
    """
    took = []
    for _ in range(3):  # the bound is on the sandbox, not on a machine that is busy with other things
        outcome = place.run(code, args=[marker, str(stopped)], limits={"wall_s": 2})
        assert isinstance(outcome, TimedOut)
        assert alive(marker) == []
        took.append(place.elapsed_s)
        if took[-1] < 2 + 1:
            return
    pytest.fail(f"it took {took} seconds")


@promise(Capability.DIES_TOGETHER)
def test_what_is_left_after_a_normal_end_is_dead(place):
    marker = f"left-{uuid.uuid4().hex}"
    code = """
    import os, time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(100)
        os._exit(0)
    time.sleep(0.3)
    """
    outcome = place.run(code, args=[marker])
    assert isinstance(outcome, Exited)
    assert alive(marker) == []


@promise(Capability.DIES_WITH_CALLER)
def test_killing_the_caller_leaves_no_process(place, folder):
    folder.chmod(0o777)
    marker = f"orphan-{uuid.uuid4().hex}"
    limits = {name: getattr(LIMITS, name) for name in LIMITS.__dataclass_fields__}
    request = {"provider": place.provider.name, "action": "run", "limits": limits, "scratch_bytes": 1 << 20}
    request |= {"code": "import time; time.sleep(18)", "args": [marker]}
    caller = subprocess.Popen(
        place.command(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd="/",
        env={**driver_env(), "TMPDIR": str(folder)},
    )
    caller.stdin.write(json.dumps(request).encode())
    caller.stdin.close()
    until = time.monotonic() + 10
    while not alive(marker) and time.monotonic() < until:
        time.sleep(0.05)
    assert alive(marker)
    time.sleep(0.5)  # seen as soon as it is there: its caller is told of it, and tells the guardian, a moment later
    caller.kill()
    caller.wait()
    caller.stdout.close()
    until = time.monotonic() + 5  # nothing waits on the way, but a busy host may take its time to run the guardian
    while alive(marker) and time.monotonic() < until:
        time.sleep(0.02)
    assert alive(marker) == []


def test_an_interrupt_leaves_no_process_and_no_folder(anywhere, folder):
    """Ctrl-C, for every provider, whatever it promises."""
    folder.chmod(0o777)
    marker = f"interrupted-{uuid.uuid4().hex}"
    limits = {name: getattr(LIMITS, name) for name in LIMITS.__dataclass_fields__} | {"wall_s": 60}
    request = {"provider": anywhere.provider.name, "action": "run", "limits": limits, "scratch_bytes": 1 << 20}
    code = "import os, time\nif os.fork() == 0: os.setsid(); os.fork()\ntime.sleep(30)"
    request |= {"code": code, "args": [marker]}
    caller = subprocess.Popen(
        anywhere.command(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env={**driver_env(), "TMPDIR": str(folder)},
    )
    caller.stdin.write(json.dumps(request).encode())
    caller.stdin.close()
    until = time.monotonic() + 20
    while len(alive(marker)) < 3 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(alive(marker)) >= 3
    caller.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in caller.stderr.read()
    caller.wait(timeout=20)
    assert alive(marker) == []
    assert list(folder.iterdir()) == []


# --- network ----------------------------------------------------------------------------------------------------


@promise(Capability.NETWORK_UNREACHABLE)
def test_the_network_cannot_be_reached(place):
    code = """
    import socket
    for family, address in [(socket.AF_INET, ("192.0.2.1", 80)), (socket.AF_INET6, ("2001:db8::1", 80))]:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                with socket.socket(family, kind) as s:
                    s.settimeout(1)
                    s.connect(address)
                    s.send(b"x")
            except TimeoutError:
                print("routed:", address)
            except OSError:
                continue
            else:
                print("reached:", address)
    try:
        print(socket.getaddrinfo("example.com", 80))
    except OSError:
        pass
    """
    assert place.says(code) == ""


@promise(Capability.NETWORK_UNREACHABLE)
def test_servers_of_the_host_cannot_be_reached(place):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0qs-{uuid.uuid4().hex}")
        abstract.listen()
        code = """
        import socket, sys
        port, name = sys.argv[1:]
        for family, address in [(socket.AF_INET, ("127.0.0.1", int(port))), (socket.AF_UNIX, "\\0" + name)]:
            try:
                with socket.socket(family) as s:
                    s.connect(address)
            except OSError:
                continue
            print("reached:", address)
        """
        name = abstract.getsockname()[1:].decode()
        assert place.says(code, args=[str(server.getsockname()[1]), name]) == ""


@promise(Capability.OWN_LOOPBACK)
def test_a_server_on_localhost_can_be_reached_from_inside(place):
    code = """
    import http.server, threading, urllib.request
    server = http.server.HTTPServer(("localhost", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with urllib.request.urlopen(f"http://localhost:{server.server_port}/") as answer:
        print(answer.status)
    """
    assert place.says(code) == "200"


# --- kernel -----------------------------------------------------------------------------------------------------


@promise(Capability.CALLS_FILTERED)
def test_dangerous_system_calls_are_refused(place):
    """Each call with arguments that would give another error than EPERM or ENOSYS if the kernel looked at them."""
    from qualityscore.runtime.sandbox import seccomp

    numbers = seccomp._architecture(None).numbers
    calls = {name: numbers[name] for name in sorted(refused_calls())}
    assert len(calls) >= 40
    code = """
    import ctypes, errno, json, sys
    libc = ctypes.CDLL(None, use_errno=True)
    for name, number in json.loads(sys.argv[1]).items():
        ctypes.set_errno(0)
        result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(-1)] * 6)
        if result != -1 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
            print(name, result, ctypes.get_errno())
    """
    assert place.says(code, args=[json.dumps(calls)]) == ""


@promise(Capability.CALLS_FILTERED)
def test_a_nested_user_namespace_is_refused(place):
    code = """
    import ctypes, errno, os, platform, subprocess
    libc = ctypes.CDLL(None, use_errno=True)
    NEWUSER = 0x10000000
    print(libc.unshare(NEWUSER), ctypes.get_errno() == errno.EPERM)
    clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    pid = libc.syscall(ctypes.c_long(clone), ctypes.c_long(NEWUSER | 17), *[ctypes.c_long(0)] * 4)
    if pid == 0:
        os._exit(0)
    print(pid, ctypes.get_errno() == errno.EPERM)
    print(libc.syscall(ctypes.c_long(435), ctypes.c_long(0), ctypes.c_long(0)), ctypes.get_errno() == errno.ENOSYS)
    print(subprocess.run(["unshare", "-U", "true"], capture_output=True).returncode != 0)
    """
    assert place.says(code).splitlines() == ["-1 True", "-1 True", "-1 True", "True"]


@promise(Capability.CALLS_FILTERED)
def test_ordinary_programs_do_not_meet_the_filter(place):
    code = """
    import concurrent.futures, os, select, signal, socket, sqlite3, ssl, subprocess, threading
    a, b = socket.socketpair()
    a.send(b"x"), b.recv(1)
    select.epoll().close()
    os.pidfd_open(os.getpid())
    sqlite3.connect("x.db").execute("create table t (x)")
    ssl.create_default_context()
    subprocess.run(["sh", "-c", "exit 3"]).returncode == 3 or print("sh")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        print(sum(pool.map(int, "1234")))
    """
    assert place.says(code) == "10"


@promise(Capability.CALLS_FILTERED)
def test_rare_socket_families_are_refused(place):
    code = """
    import socket
    for family in (socket.AF_PACKET, socket.AF_ALG, socket.AF_VSOCK, socket.AF_CAN):
        try:
            socket.socket(family, socket.SOCK_DGRAM)
        except OSError:
            continue
        print("opened:", family)
    """
    assert place.says(code) == ""


@promise(Capability.ENVIRONMENT_CLEARED)
def test_the_environment_holds_what_was_given_and_nothing_of_the_caller(place):
    code = "import os; print(sorted(k for k in os.environ if k not in ('PWD', 'LC_CTYPE')))"
    names = place.says(code, env={"GIVEN": "1"})
    expected = ["GIVEN", "HOME", "LANG", "LOGNAME", "PATH", "PYTHONHASHSEED", "TMPDIR", "TZ", "USER"]
    assert [name for name in eval(names) if not name.startswith("QUALITYSCORE_")] == expected


@promise(Capability.ENVIRONMENT_CLEARED)
def test_only_the_standard_descriptors_are_open(place):
    code = "import os; print(sorted(os.listdir('/proc/self/fd'), key=int))"
    assert place.says(code) == "['0', '1', '2', '3']"  # the last is the listing's own


@promise(Capability.SHARED_MEMORY)
def test_multiprocessing_works(place):
    code = """
    import concurrent.futures, multiprocessing, multiprocessing.shared_memory
    if __name__ == "__main__":
        with multiprocessing.Lock():
            pass
        block = multiprocessing.shared_memory.SharedMemory(create=True, size=1 << 20)
        block.buf[-1] = 7
        again = multiprocessing.shared_memory.SharedMemory(block.name)
        print(again.buf[-1])
        del again
        block.close()
        block.unlink()
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            print(list(pool.map(abs, [-1, -2])))
    """
    assert place.says(code).splitlines() == ["7", "[1, 2]"]


TOY = """
import os, signal, time

def prepare(args):
    return args

def run(state, args, send):
    send(b"ran")
    if args == "orphan" and os.fork() == 0:
        os.setsid()
        time.sleep(60)
    if args == "hang":
        time.sleep(60)
    if args == "exit":
        os._exit(4)
    if args == "assassin":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(os.getppid(), number)
            except OSError:
                pass
"""


def supervised(place: Place, folder: Path, names: tuple[str, ...]) -> list[dict]:
    (folder / "toy.py").write_text(TOY)
    plan = {
        "groups": [
            {
                "id": "g",
                "zygote": "/qs/suite/toy",
                "args": None,
                "start_timeout_s": 10,
                "units": [
                    {"id": name, "args": name, "timeout_s": 1, "cpu_s": 5, "memory_bytes": 256 << 20} for name in names
                ],
            }
        ],
        "total_timeout_s": 20,
        "message_bytes": 1000,
        "output_bytes": 1000,
    }
    outcome = place.run(
        "",
        script=["/qs/inside/supervisor.py"],
        stdin=json.dumps(plan),
        mounts=[(str(folder), "/qs/suite", False), (str(REPOSITORY / "qualityscore/inside"), "/qs/inside", False)],
    )
    assert isinstance(outcome, Exited)
    return [json.loads(line) for line in outcome.stdout.splitlines()]


@promise(Capability.PROCESSES_PROTECTED)
def test_a_unit_cannot_kill_the_supervisor(place, folder):
    events = supervised(place, folder, ("assassin", "last"))
    assert [event.get("exit") for event in events] == [None, 0, 0, None]
    assert events[-1]["complete"]


def test_the_supervisor_reports_units_under_every_provider(anywhere, folder):
    events = supervised(anywhere, folder, ("plain", "orphan", "hang", "exit", "last"))
    assert events[0]["state"] == "ready"
    seen = {event["unit"]: (event["exit"], event["timed_out"], len(event["messages"])) for event in events[1:-1]}
    assert seen == {
        "plain": (0, False, 1),
        "orphan": (0, False, 1),
        "hang": (None, True, 1),
        "exit": (4, False, 1),
        "last": (0, False, 1),
    }
    assert events[-1] == {"event": "end", "complete": True}


# --- exhaustion -------------------------------------------------------------------------------------------------


@promise(Capability.PROCESS_LIMIT)
def test_a_fork_bomb_is_bounded(place):
    code = """
    import os, time
    count = 0
    try:
        for _ in range(200):
            if os.fork() == 0:
                time.sleep(30)
                os._exit(0)
            count += 1
    except BlockingIOError:
        pass
    print(count)
    """
    assert 10 <= int(place.says(code)) < LIMITS.processes


@promise(Capability.MEMORY_LIMIT)
def test_a_memory_bomb_is_bounded(place):
    code = """
    try:
        held = bytearray(1 << 30)
    except MemoryError:
        print("bounded")
    """
    assert place.says(code) == "bounded"


@promise(Capability.MEMORY_LIMIT)
def test_memory_outside_of_address_spaces_is_bounded(place):
    code = """
    import ctypes, os
    try:
        os.memfd_create("x")
        print("memory file")
    except OSError:
        pass
    libc = ctypes.CDLL(None)
    if libc.shmget(0, 1 << 20, 0o1600) >= 0:
        print("segment")
    """
    if Capability.CALLS_FILTERED not in place.provider.capabilities:
        pytest.skip(f"{place.provider.name} filters no calls")
    assert place.says(code) == ""


@promise(Capability.SCRATCH_LIMIT)
@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_filling_the_disk_is_bounded(place, folder):
    code = """
    import errno, sys
    written = 0
    try:
        for number in range(64):
            with open(f"{sys.argv[1]}/{number}", "wb", buffering=0) as file:
                for _ in range(4):
                    written += file.write(bytes(1 << 20))
    except OSError as error:
        assert error.errno == errno.ENOSPC
    print(written)
    """
    assert int(place.says(code, args=[folder], scratch_bytes=16 << 20)) <= 16 << 20


@promise(Capability.OPEN_FILES_LIMIT)
def test_open_files_are_bounded(place):
    """Counted by the sandboxed program itself; a child has no more, and the limit cannot be raised."""
    code = """
    import errno, os, resource, sys
    def opened():
        held = []
        try:
            while True:
                held.append(os.open("/dev/null", os.O_RDONLY))
        except OSError as error:
            assert error.errno == errno.EMFILE, error
        print(max(held) + 1, flush=True)
        for descriptor in held:
            os.close(descriptor)
    opened()
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    except (OSError, ValueError):
        print("not raised", flush=True)
    if os.fork() == 0:
        opened()
        os._exit(0)
    os.wait()
    """
    first, raised, child = place.says(code, limits={"open_files": 100}).splitlines()
    assert (int(first), raised, int(child)) == (100, "not raised", 100)


@promise(Capability.WALL_LIMIT)
def test_wall_time_is_bounded(place):
    outcome = place.run("import time; time.sleep(60)", limits={"wall_s": 1})
    assert isinstance(outcome, TimedOut)
    assert outcome.after_s < 15


@promise(Capability.FILE_SIZE_LIMIT)
def test_one_file_is_bounded(place):
    code = """
    import signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with open("file", "wb") as file:
            file.truncate(1 << 30)
    except OSError as error:
        print(error.strerror)
    """
    assert place.says(code) == "File too large"


@promise(Capability.OUTPUT_LIMIT)
def test_a_flood_of_output_ends_the_run(place):
    outcome = place.run("while True: print('x' * 1000)")
    assert isinstance(outcome, OutputFlooded)
    assert len(outcome.stdout) <= LIMITS.output_bytes


@promise(Capability.OUTPUT_LIMIT)
def test_an_exit_code_and_both_outputs_come_back(place):
    outcome = place.run("import sys; print(sys.stdin.read()); print('err', file=sys.stderr); sys.exit(5)", stdin="in")
    assert isinstance(outcome, Exited)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (5, b"in\n", b"err\n")


@promise(Capability.OUTPUT_LIMIT)
def test_death_by_signal_is_a_negative_code(place):
    outcome = place.run("import ctypes; ctypes.string_at(0)")
    assert isinstance(outcome, Exited)
    assert outcome.code == -11


@promise(Capability.CPU_LIMIT)
def test_processor_time_is_bounded(place):
    outcome = place.run("while True: pass", limits={"cpu_s": 1, "wall_s": 80})
    assert isinstance(
        outcome, Exited
    )  # long before the deadline, unless other things keep the processor for themselves
    assert outcome.code < 0
