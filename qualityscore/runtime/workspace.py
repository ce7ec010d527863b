"""A private copy of the subject: regular files only, nothing that leads outside, bounded in size and number."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from qualityscore.errors import HarnessError, InputError, MissingSubjectError, SubjectError
from qualityscore.languages.python_layout import import_roots
from qualityscore.runtime.blame import is_path
from qualityscore.runtime.target import Tree

LEFT_BEHIND = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        "__pycache__",
        ".venv",
        "venv",
        "node_modules",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".pytest_cache",
    }
)
"""Names of files and folders that are no part of the sources, wherever they lie."""
_NO_SOURCES = "not part of the sources"
_PYTHON = (".py", ".pyi", ".pyx")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceLimits:
    """How large a subject may be."""

    files: int = 20_000
    file_bytes: int = 32 << 20
    total_bytes: int = 512 << 20
    depth: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectFile:
    """One file of a subject: its relative name, its content, and whether its owner may execute it."""

    name: str
    data: bytes
    executable: bool

    @property
    def share(self) -> bytes:
        """What it adds to its tree's digest: its name, its content, and the right to execute it where there is one.

        A name never begins with a null, so the mark cannot be taken for the next file's beginning.
        """
        mark = b"\0" if self.executable else b""
        return self.name.encode("utf-8", "surrogateescape") + b"\0" + hashlib.sha256(self.data).digest() + mark

    def write_below(self, root: Path) -> None:
        """Write it, and the folders that it needs. Raises OSError."""
        target = root / self.name
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        target.write_bytes(self.data)
        target.chmod(0o755 if self.executable else 0o644)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A subject's tree and what was not copied: (relative path, reason)."""

    tree: Tree
    skipped: tuple[tuple[str, str], ...]


def missed(skipped: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Of (relative path, reason), what may belong to the sources: all but version control, caches and environments."""
    return tuple((path, reason) for path, reason in skipped if reason != _NO_SOURCES)


@contextmanager
def called(folder: Path, name: str) -> Iterator[None]:
    """Errors that are raised within call the subject in `folder` what its owner calls it."""
    try:
        yield
    except (InputError, HarnessError) as error:
        error.args = (without_folder(str(error), folder, name),)
        raise


def without_folder(text: str, folder: Path, name: str) -> str:
    """A sentence with a subject's name in place of the folder that it was put into."""
    paths = {str(folder)}
    with contextlib.suppress(OSError, ValueError, RuntimeError):  # of what can be no path there is no other name
        paths.add(str(folder.resolve()))
    for path in paths:
        text = text.replace(path, name)
    return text


def copy(source: Path, destination: Path, imports: tuple[str, ...], limits: WorkspaceLimits | None = None) -> Copied:
    """Copy a repository into `destination` (which must not exist) and describe it.

    Symbolic links inside the tree are followed by copying what they name; one that leads outside, or nowhere, or in a
    circle, is refused. Devices, sockets and pipes are skipped with their reason. Version control, caches and virtual
    environments are left behind. Raises MissingSubjectError where the path leads nowhere, SubjectError when it cannot
    be taken or a limit is passed, HarnessError when the host cannot read it or the copy cannot be written.
    """
    found, skipped = _take(source, limits or WorkspaceLimits())
    digest = hashlib.sha256()
    for file in _read(source, found):
        try:
            file.write_below(destination)
        except OSError as error:
            raise HarnessError(
                f"Stage copy: {file.name!r} of {source} cannot be copied to {destination.parent}: {error.strerror}; "
                "make room there, or set TMPDIR to a folder with more."
            ) from error
        digest.update(file.share)
    files = tuple(name for name, _ in found)
    tree = Tree(root=destination, import_roots=import_roots(files, imports), files=files, digest=digest.hexdigest())
    return Copied(tree=tree, skipped=tuple(skipped))


def subject_digest(source: Path, limits: WorkspaceLimits | None = None) -> str:
    """The digest that `copy` would give a repository, without copying it. Raises as `copy` does."""
    return digest_of(contents(source, limits)[0])


def contents(
    source: Path, limits: WorkspaceLimits | None = None
) -> tuple[Iterator[SubjectFile], tuple[tuple[str, str], ...]]:
    """The files that `copy` would copy, read one by one, and what it would not. Raises as `copy` does."""
    found, skipped = _take(source, limits or WorkspaceLimits())
    return _read(source, found), tuple(skipped)


def digest_of(files: Iterable[SubjectFile]) -> str:
    """The digest of a tree of these files, which come in the order that `contents` gives them in."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.share)
    return digest.hexdigest()


def _read(source: Path, found: list[tuple[str, Path]]) -> Iterator[SubjectFile]:
    for name, path in found:
        try:
            yield SubjectFile(name=name, data=path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))
        except OSError as error:
            if is_path(error):
                raise SubjectError(
                    f"{name!r} in {source} cannot be read: {error.strerror}; mend or remove it."
                ) from error
            raise _host_failed(source, error) from error


def _host_failed(source: Path, error: OSError) -> HarnessError:
    return HarnessError(f"{source} cannot be read here: {error.strerror}; the host is at fault, so try again later.")


def _take(source: Path, limits: WorkspaceLimits) -> tuple[list[tuple[str, Path]], list[tuple[str, str]]]:
    """(files to copy, what is left behind and why); refuses what is no repository with Python code."""
    _check_source(source)
    skipped: list[tuple[str, str]] = []
    try:
        found = _walk(source.resolve(), limits, skipped)
    except OSError as error:
        if is_path(error):
            raise SubjectError(f"{source} cannot be read: {error.strerror}; check its names and depth.") from error
        raise _host_failed(source, error) from error
    if not any(name.endswith(_PYTHON) for name, _ in found):
        raise SubjectError(f"{source} {_lack(found, missed(skipped))}; give a repository with Python code.")
    return found, skipped


def _lack(found: list[tuple[str, Path]], left_out: tuple[tuple[str, str], ...]) -> str:
    """What is wrong with a tree that has no Python file, to complete `REPOSITORY …`."""
    for name, reason in left_out:
        if name.endswith(_PYTHON):
            return f"holds no Python file that can be taken: {name!r} is left out ({reason})"
    return "holds no Python file" if found or left_out else "is empty"


def _check_source(source: Path) -> None:
    give = "give the folder of the repository to evaluate"
    try:
        mode = source.stat().st_mode
    except FileNotFoundError as error:
        raise MissingSubjectError(f"{source} does not exist; {give}.") from error
    except (OSError, ValueError) as error:  # a name that is too long, or holds a null character
        if isinstance(error, OSError) and not is_path(error):
            raise _host_failed(source, error) from error
        reason = error.strerror if isinstance(error, OSError) else error
        if isinstance(error, OSError) and error.errno == errno.ELOOP:
            reason = "it is, or lies below, a symbolic link that leads back to itself"
        raise MissingSubjectError(f"{source} cannot be read: {reason}; {give}.") from error
    if not stat.S_ISDIR(mode):
        raise SubjectError(f"{source} is not a folder; {give}.")
    if not os.access(source, os.R_OK | os.X_OK):
        raise MissingSubjectError(f"{source} cannot be read; check its permissions.")


def _walk(root: Path, limits: WorkspaceLimits, skipped: list[tuple[str, str]]) -> list[tuple[str, Path]]:
    """All regular files as (relative name, path to read), sorted by name."""
    found: list[tuple[str, Path]] = []
    total = seen = 0
    stack = [(root, "")]
    while stack:
        folder, prefix = stack.pop()
        if prefix.count("/") > limits.depth:
            raise SubjectError(f"{prefix!r} in the repository is nested more than {limits.depth} folders deep.")
        try:
            entries = sorted(os.scandir(folder), key=lambda e: e.name)
        except PermissionError:
            skipped.append((prefix.rstrip("/"), "folder cannot be read"))
            continue
        for entry in entries:
            name = prefix + entry.name
            path = Path(entry.path)
            seen += 1
            if seen > limits.files:
                raise _too_large(root, limits)
            if entry.name in LEFT_BEHIND:
                skipped.append((name, _NO_SOURCES))
                continue
            if entry.is_symlink():
                path = _follow(root, path, name)
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode):
                if entry.is_symlink():
                    raise SubjectError(f"{name!r} in the repository is a link to a folder; replace it by the folder.")
                else:
                    stack.append((path, name + "/"))
            elif not stat.S_ISREG(status.st_mode):
                skipped.append((name, "not a regular file"))
            elif not os.access(path, os.R_OK):
                skipped.append((name, "file cannot be read"))
            elif status.st_size > limits.file_bytes:
                skipped.append((name, f"larger than {limits.file_bytes} bytes"))
            else:
                total += status.st_size
                found.append((name, path))
                if total > limits.total_bytes:
                    raise _too_large(root, limits)
    return sorted(found, key=lambda item: os.fsencode(item[0]))


def _too_large(root: Path, limits: WorkspaceLimits) -> SubjectError:
    return SubjectError(
        f"The repository {root} has more than {limits.files} files or {limits.total_bytes} bytes; "
        "remove what is not source code."
    )


def _follow(root: Path, path: Path, name: str) -> Path:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise SubjectError(f"{name!r} in the repository is a symbolic link that leads nowhere; remove it.") from error
    if not target.is_relative_to(root):
        raise SubjectError(f"{name!r} in the repository is a symbolic link that leads outside it; remove it.")
    return target


def remove(folder: Path) -> None:
    """Remove a scratch folder, whatever modes its content has."""
    shutil.rmtree(folder, ignore_errors=True)
