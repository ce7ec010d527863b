"""The `namespace` level: bubblewrap, in the form that holds for root and for an ordinary user.

Started by root, bubblewrap without a user namespace keeps root's identity, and with one is still the host's root for
files. So root gets no user namespace: inside, setpriv changes to a random uid of this launch alone, which has no
capabilities and a process limit of its own. An ordinary user gets a user namespace that cannot be nested.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

from qualityscore.errors import SandboxUnavailableError
from qualityscore.runtime import process
from qualityscore.runtime.process import Exited, Limits, ProcessOutcome
from qualityscore.runtime.sandbox import scenery, seccomp
from qualityscore.runtime.sandbox.base import HOME_DIR, WORK_DIR, Availability, Capability, Launch, Level, Mount
from qualityscore.runtime.sandbox.identity import private_uid
from qualityscore.runtime.sandbox.prlimit import prlimit_words
from qualityscore.runtime.sandbox.probing import probe_launch

_NAMESPACE_UID = 1000
_REMEDY = (
    "install bubblewrap and util-linux (Debian: apt-get install bubblewrap util-linux); for an ordinary user, user "
    "namespaces must be allowed (sysctl kernel.unprivileged_userns_clone=1, "
    "kernel.apparmor_restrict_unprivileged_userns=0)"
)


class Bubblewrap:
    """Namespaces by bubblewrap; everything inside dies with its first process."""

    name = "bubblewrap"
    level = Level.NAMESPACE
    capabilities = frozenset(Capability)

    def probe(self, cpus: tuple[int, ...] | None = None) -> Availability:
        """Try a trivial launch and check what it must hide."""
        for program in ("bwrap", "setpriv", "prlimit"):
            if shutil.which(program) is None:
                return Availability(works=False, detail=f"{program} is not installed", remedy=_REMEDY)
        return probe_launch(self, cpus, remedy=_REMEDY)

    def run(self, launch: Launch) -> ProcessOutcome:
        """Run to the end; everything inside is dead when this returns.

        Raises SandboxUnavailableError when the sandbox itself cannot be set up. A program that was killed by a signal
        and one that left with 128 + the signal's number cannot be told apart; both count as killed.
        """
        with _prepared(launch) as prepared:
            outcome = process.run(
                prepared.argv,
                env={},
                cwd=Path("/"),
                limits=_outer(launch.limits),
                stdin=launch.stdin,
                pass_fds=prepared.descriptors,
                cpus=launch.cpus,
                contained=True,
            )
            return prepared.judge(outcome)

    def stream(self, launch: Launch) -> Generator[bytes, None, ProcessOutcome]:
        """Like `run`, but yield standard output line by line; the generator returns the outcome."""
        with _prepared(launch) as prepared:
            outcome = yield from process.stream(
                prepared.argv,
                env={},
                cwd=Path("/"),
                limits=_outer(launch.limits),
                line_bytes=launch.limits.output_bytes,
                stdin=launch.stdin,
                pass_fds=prepared.descriptors,
                cpus=launch.cpus,
                contained=True,
            )
            return prepared.judge(outcome)


class _Prepared:
    """A command line with the open descriptors it names."""

    def __init__(self, launch: Launch, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._given: list[int] = []
        root = os.geteuid() == 0
        uid = private_uid() if root else _NAMESPACE_UID
        self._status = self._memory(b"")
        files = {target: self._memory(text.encode()) for target, text in scenery.etc_files(uid).items()}
        self.argv = arguments(
            launch,
            uid=uid,
            is_root=root,
            files=files,
            seccomp_fd=self._memory(seccomp.program()),
            status_fd=self._status,
        )
        for mount in launch.mounts:
            if mount.writable and root:
                mount.source.chmod(0o777)

    @property
    def descriptors(self) -> tuple[int, ...]:
        return tuple(self._given)

    def _memory(self, content: bytes) -> int:
        descriptor = os.memfd_create("qualityscore")
        self._stack.callback(os.close, descriptor)
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        self._given.append(descriptor)
        return descriptor

    def judge(self, outcome: ProcessOutcome) -> ProcessOutcome:
        """Tell the command's own end from a failure of bubblewrap, which reports an exit code only for the command."""
        if not isinstance(outcome, Exited):
            return outcome
        code = next((status["exit-code"] for status in self._statuses() if "exit-code" in status), None)
        if code is None:
            said = outcome.stderr.decode(errors="replace").strip() or f"status {outcome.code}"
            raise SandboxUnavailableError(f"the sandbox could not be set up: {said[:500]}; {_REMEDY}")
        return replace(outcome, code=128 - code if 128 < code < 160 else code)

    def _statuses(self) -> Iterator[dict[str, int]]:
        os.lseek(self._status, 0, os.SEEK_SET)
        with open(self._status, "rb", closefd=False) as status:
            for line in status:
                yield json.loads(line)


@contextlib.contextmanager
def _prepared(launch: Launch) -> Iterator[_Prepared]:
    with contextlib.ExitStack() as stack:
        yield _Prepared(launch, stack)


def _outer(limits: Limits) -> Limits:
    """Limits for bubblewrap itself; those on the command are set inside."""
    return replace(limits, cpu_s=None, memory_bytes=None, processes=None, file_size_bytes=None, open_files=None)


def arguments(
    launch: Launch, *, uid: int, is_root: bool, files: dict[str, int], seccomp_fd: int, status_fd: int
) -> list[str]:
    """The command line of one launch; `files` are open descriptors by the path that shows their content inside."""
    words = ["bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if is_root:
        words += ["--cap-drop", "ALL"]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            words += ["--cap-add", capability]
    else:
        words += ["--unshare-user", *_against_nesting(), "--uid", str(uid), "--gid", str(uid)]
    words += ["--as-pid-1", "--die-with-parent", "--hostname", scenery.HOST_NAME]
    words += ["--json-status-fd", str(status_fd), "--seccomp", str(seccomp_fd)]
    words += _filesystem(launch, files)
    words += ["--chdir", launch.cwd, "--clearenv"]
    for name, value in scenery.environment(launch.env).items():
        words += ["--setenv", name, value]
    words += ["--", *prlimit_words(launch.limits)]
    if is_root:
        words += ["/usr/bin/setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        words += ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"]
    return [*words, *launch.argv]


@functools.cache
def _against_nesting() -> list[str]:
    """Bubblewrap's own bar to nested user namespaces (since 0.8.0); the filter refuses them as well."""
    limits = Limits(
        wall_s=10,
        cpu_s=None,
        memory_bytes=None,
        processes=None,
        file_size_bytes=None,
        open_files=None,
        output_bytes=1 << 20,
    )
    told = process.run(("bwrap", "--help"), env={"PATH": os.environ["PATH"]}, cwd=Path("/"), limits=limits)
    option = "--disable-userns"
    return [option] if option.encode() in told.stdout + told.stderr else []


def _cover(place: Path) -> Iterator[str]:
    """An empty folder over a folder of the host's; over a file of its, a device that nobody may open."""
    if place.is_file():
        yield from ("--ro-bind", os.devnull, str(place))
    else:
        yield from _empty(str(place))


def _empty(folder: str) -> Iterator[str]:
    yield from ("--perms", "0755", "--size", "4096", "--tmpfs", folder, "--remount-ro", folder)


def _filesystem(launch: Launch, files: dict[str, int]) -> Iterator[str]:
    made: set[str] = set()

    def above(target: str) -> Iterator[str]:
        # bubblewrap makes missing parents itself, but closed to everyone else.
        for folder in scenery.parents(target):
            if folder not in made:
                made.add(folder)
                yield from ("--perms", "0755", "--dir", folder)

    def shown(mount: Mount) -> Iterator[str]:
        yield from above(mount.target)
        yield from ("--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target)

    for folder in scenery.root_folders():
        yield from ("--ro-bind", folder, folder)
    for link, text in scenery.root_links():
        yield from ("--symlink", text, link)
    hidden = [Path(place) for place in scenery.hidden_places()]
    for place in hidden:
        yield from _cover(place)
    for target, descriptor in files.items():
        yield from above(target)
        yield from ("--perms", "0444", "--file", str(descriptor), target)
    for path in scenery.etc_from_host():
        yield from above(path)
        yield from ("--ro-bind", path, path)
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--perms", "1777", "--size", str(launch.shm_bytes), "--tmpfs", "/dev/shm", "--remount-ro", "/dev")
    yield from ("--perms", "1777", "--size", str(launch.scratch_bytes), "--tmpfs", "/tmp")
    for folder in (HOME_DIR, WORK_DIR):
        yield from ("--perms", "0777", "--dir", folder)
    for mount in launch.mounts:
        yield from shown(mount)
    for place in hidden:  # again where a mount shows them: the interpreter's installation may be /usr
        ends = [Path(mount.target) for mount in launch.mounts]
        if any(place.is_relative_to(end) for end in ends) and not any(end.is_relative_to(place) for end in ends):
            yield from _cover(place)
    for folder in launch.hidden:
        yield from _empty(folder)
    yield from ("--remount-ro", "/")
