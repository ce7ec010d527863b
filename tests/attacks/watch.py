"""What an attack must leave as it was: processes, files and sockets of the host, laid out as bait."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import secrets
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from attacks.corpus.attack import MARK

SECRET_VARIABLE = "HOST_SECRET"
_PATIENCE_S = 3.0
_PR_SET_CHILD_SUBREAPER = 36
_SHARED = ("/tmp", "/var/tmp", "/dev/shm", "/")


class Watch:
    """Bait below a folder of its own, `place/home` and in our environment, and what became of it.

    Several may watch a place, one after the other or in turn; the secret is the place's. `facts` are what an attack may
    know: names and numbers of the bait, and the digest of the secret.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._host = Path(tempfile.mkdtemp(prefix="host-", dir=place))
        self._host.chmod(0o755)
        key = place / "home" / ".ssh" / "id_key"
        key.parent.mkdir(parents=True, exist_ok=True)
        if not key.exists():
            key.write_text(f"key={secrets.token_hex(24)}\n")
        secret = key.read_text().strip().removeprefix("key=")
        os.environ[SECRET_VARIABLE] = secret
        (self._host / "open").mkdir()
        (self._host / "open").chmod(0o777)
        (self._host / "secret.txt").write_text(f"token={secret}\n")
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._file = socket.socket(socket.AF_UNIX)
        self._file.bind(str(self._host / "socket"))
        (self._host / "socket").chmod(0o777)
        abstract = f"qs-{secrets.token_hex(8)}"
        self._abstract = socket.socket(socket.AF_UNIX)
        self._abstract.bind(f"\0{abstract}")
        for end in self._ears():
            end.setblocking(False)
            end.listen(16)
        # what is orphaned comes to us, so that nothing of an evaluation can leave our sight
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._bystander = _bystander()
        self._known: set[int] = set()
        self._left: set[str] = set()
        self._bait = self._digest()
        self.facts = {
            "HOST": str(self._host),
            "HOME": str(place / "home"),
            "PORT": str(self._tcp.getsockname()[1]),
            "UNIX": str(self._host / "socket"),
            "ABSTRACT": abstract,
            "SECRET_SHA": hashlib.sha256(secret.encode()).hexdigest(),
            "PID": str(os.getpid()),
            "BYSTANDER": str(self._bystander.pid),
        }

    def settle(self) -> None:
        """Take the processes that we have now for our own, and the temporary files that are there for others'.

        A process that was killed at its deadline leaves some, and they go only when its last descendant does.
        """
        self._known = {child.pid for child in psutil.Process().children(recursive=True)}
        self._left = {left.name for left in (self._place / "tmp").iterdir()}

    def traces(self) -> list[str]:
        """What the last evaluation left behind or reached; the bait is put back."""
        return [*self._processes(), *self._connections(), *self._files()]

    def close(self) -> None:
        """End the bystander and close the sockets."""
        self._bystander.kill()
        self._bystander.wait()
        for end in self._ears():
            end.close()

    def _ears(self) -> tuple[socket.socket, ...]:
        return self._tcp, self._file, self._abstract

    def _processes(self) -> Iterator[str]:
        if self._bystander.poll() is not None:
            yield "a process of the host was killed"
            self._bystander = _bystander()
            self.facts["BYSTANDER"] = str(self._bystander.pid)
        until = time.monotonic() + _PATIENCE_S
        while left := self._strangers():
            if time.monotonic() > until:
                for process in left:
                    with contextlib.suppress(psutil.Error):
                        yield f"a process is left: {' '.join(process.cmdline())[:80]}"
                        process.kill()
                return
            time.sleep(0.05)

    def _strangers(self) -> list[psutil.Process]:
        found = psutil.Process().children(recursive=True)
        return [child for child in found if child.pid not in self._known and child.pid != self._bystander.pid]

    def _connections(self) -> Iterator[str]:
        for end in self._ears():
            with contextlib.suppress(BlockingIOError):
                while True:
                    end.accept()[0].close()
                    yield "a socket of the host was reached"

    def _files(self) -> Iterator[str]:
        if self._digest() != self._bait:
            yield "files of the host were changed"
        for folder in (*_SHARED, str(self._host / "open"), str(self._place / "home")):
            file = Path(folder, MARK)
            if file.exists():
                yield f"a file was left: {file}"
                with contextlib.suppress(OSError):
                    file.unlink()
        present = {left.name for left in (self._place / "tmp").iterdir()}
        yield from (f"a temporary file was left: {name}" for name in sorted(present - self._left))
        self._left = present  # each is told once, of the attack that left it
        self._bait = self._digest()

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for path in sorted(self._host.rglob("*")):
            status = path.lstat()
            digest.update(f"{path} {status.st_mode:o} {status.st_size} {status.st_mtime_ns}\n".encode())
        return digest.hexdigest()


def _bystander() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "7200"], start_new_session=True)


def digest_of(folder: Path) -> str:
    """Names, kinds, modes, sizes, times and content of everything in a repository, links not followed."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        digest.update(os.fsencode(path) + f" {status.st_mode:o} {status.st_size} {status.st_mtime_ns}\n".encode())
        if path.is_file() and not path.is_symlink() and status.st_size < 1 << 20:
            digest.update(path.read_bytes())
    return digest.hexdigest()
