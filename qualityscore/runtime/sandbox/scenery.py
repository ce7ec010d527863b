"""What every provider shows inside besides the mounts: system folders, synthetic /etc, environment variables."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from qualityscore.runtime.sandbox.base import HOME_DIR

USER_NAME = "subject"
HOST_NAME = "sandbox"

_LIBRARY_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# Taken over from the host: what the loader, TLS and service names need, and nothing that names the host.
_ETC_FROM_HOST = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
)


_HIDDEN = ("local", "src", "games")  # below /usr
_PACKAGE_FOLDERS = frozenset({"site-packages", "dist-packages"})
_CODE = (".py", ".pyc", ".whl", ".egg")
_NEEDED = re.compile(r"lib\w*/(python3?(\.\d+)?|valgrind)")  # the standard library, and what counts instructions
_ARCHITECTURE = re.compile(r".+-linux-\w+")  # the loader's own folders on a multiarch system


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a launch: the defaults that `Launch` promises, then `extra`."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": HOME_DIR,
        "USER": USER_NAME,
        "LOGNAME": USER_NAME,
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        **extra,
    }


def etc_files(uid: int) -> dict[str, str]:
    """Synthetic files: the user has a name and a home, `localhost` resolves, and nothing else does."""
    shell = "/bin/sh"
    return {
        "/etc/passwd": (
            "root:x:0:0:root:/root:/usr/sbin/nologin\n"
            f"{USER_NAME}:x:{uid}:{uid}::{HOME_DIR}:{shell}\n"
            "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
        ),
        "/etc/group": f"root:x:0:\n{USER_NAME}:x:{uid}:\nnogroup:x:65534:\n",
        "/etc/hosts": f"127.0.0.1 localhost {HOST_NAME}\n::1 localhost\n",
        "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
        "/etc/resolv.conf": "",
    }


def etc_from_host() -> Iterator[str]:
    """Paths under /etc that are shown as they are, where they exist."""
    return (path for path in _ETC_FROM_HOST if Path(path).exists())


def root_links() -> Iterator[tuple[str, str]]:
    """(link, its text) for top-level folders that are links into /usr, as on a merged-/usr system."""
    for name in _LIBRARY_FOLDERS:
        folder = Path("/", name)
        if folder.is_symlink():
            yield str(folder), str(folder.readlink())


def root_folders() -> Iterator[str]:
    """/usr and the top-level library folders that are folders of their own."""
    yield "/usr"
    for name in _LIBRARY_FOLDERS:
        folder = Path("/", name)
        if folder.is_dir() and not folder.is_symlink():
            yield str(folder)


def hidden_places() -> Iterator[str]:
    """Folders and files below /usr that are covered: they may hold the reference, or tell about the host."""
    for name in _HIDDEN:
        if Path("/usr", name).is_dir():
            yield f"/usr/{name}"
    yield from package_folders(Path("/usr"))
    yield from python_places(Path("/usr"))


def package_folders(prefix: Path) -> Iterator[str]:
    """Where an interpreter installation keeps third-party packages (also the wheels that ensurepip carries)."""
    for pattern in ("lib*/python3*/site-packages", "lib*/python3*/dist-packages", "lib*/python3*/ensurepip/_bundled"):
        for folder in sorted(prefix.glob(pattern)):
            if folder.is_dir() and not folder.is_symlink():
                yield str(folder)


def parents(target: str) -> list[str]:
    """Folders above `target`, outermost first, without the root."""
    return [str(folder) for folder in reversed(Path(target).parents) if str(folder) != "/"]


@functools.cache
def python_places(prefix: Path) -> tuple[str, ...]:
    """Folders of programs below `prefix` that bring Python code with them, and files of it beside such folders.

    Large programs bring copies of libraries, and a library may be one file. They are looked for once in a process; it
    takes a second where /usr is large.
    """
    return tuple(_python_places(prefix, prefix))


def _python_places(area: Path, prefix: Path) -> Iterator[str]:
    try:
        with os.scandir(area) as entries:
            children = sorted((child for child in entries if not child.is_symlink()), key=lambda child: child.name)
    except PermissionError:  # as lost+found is: nobody can read it inside either
        return
    for child in children:
        name = child.path.removeprefix(f"{prefix}/")
        if not child.is_dir():
            if name.endswith(_CODE):
                yield child.path
        elif (area == prefix and name not in _HIDDEN) or _ARCHITECTURE.fullmatch(child.name):
            yield from _python_places(Path(child.path), prefix)
        elif area != prefix and not _NEEDED.fullmatch(name) and _holds_python(Path(child.path)):
            yield child.path


def _holds_python(folder: Path) -> bool:
    for _, folders, names in os.walk(folder):
        if any(name.endswith(_CODE) for name in names) or not _PACKAGE_FOLDERS.isdisjoint(folders):
            return True
    return False
