"""Reading a git repository: what a ref names, the files of a commit, the files of the working tree.

Nothing is checked out: objects are read and written out as files, so that no hook, filter, attribute or submodule
setting of the repository runs or decides anything, and neither index nor working tree is touched.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from qualityscore.errors import BaselineError, SubjectError, ToolError
from qualityscore.runtime.process import Exited, Limits, run

MAX_OBJECTS_BYTES = 1 << 30
_LIMITS = Limits(
    wall_s=120.0,
    cpu_s=None,
    memory_bytes=None,
    processes=None,
    file_size_bytes=None,
    open_files=None,
    output_bytes=MAX_OBJECTS_BYTES,
)
_SAFE = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never"),
    *("-c", "core.quotePath=false"),
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A working tree: `top` is its root, `prefix` the folder that was asked about, relative to it ("" for the root)."""

    top: Path
    prefix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A commit to compare with. `forked` says that the ref has moved on and this is where the histories part."""

    commit: str
    forked: bool = False


def repository_of(folder: Path) -> Repository | None:
    """The repository whose working tree holds `folder`; None where there is none, or no git.

    Raises SubjectError where git refuses to read it, with git's own reason.
    """
    if shutil.which("git") is None:
        return None
    outcome = _git(folder, "rev-parse", "--show-toplevel", "--show-prefix")
    if outcome.code != 0:
        said = _said(outcome)
        if "not a git repository" in said:
            return None
        raise SubjectError(f"git cannot read the repository {folder}: {said}")
    top, _, prefix = outcome.stdout.decode("utf-8", "surrogateescape").partition("\n")
    return Repository(top=Path(top), prefix=prefix.strip("\n").rstrip("/"))


def resolve(repository: Repository, ref: str) -> str | None:
    """The commit that a ref names; None where it names none."""
    outcome = _git(repository.top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    return outcome.stdout.decode().strip() if outcome.code == 0 else None


def earlier(repository: Repository, ref: str) -> Earlier:
    """The commit to compare the working tree with: the ref's, or, where it has moved on since, where they part.

    Raises BaselineError with the likeliest cause where there is none.
    """
    commit = resolve(repository, ref)
    if commit is None:
        raise BaselineError(_unknown(repository, ref))
    base = _git(repository.top, "merge-base", "HEAD", commit)
    found = base.stdout.decode().strip()
    if base.code == 0 and found and found != commit:
        return Earlier(commit=found, forked=True)
    return Earlier(commit=commit)


def _unknown(repository: Repository, ref: str) -> str:
    """Why a ref names no commit, and what to do."""
    kind = b"" if ref.startswith("-") else _git(repository.top, "cat-file", "-t", ref).stdout.strip()
    if kind in (b"blob", b"tree"):
        what = "a file" if kind == b"blob" else "a folder"
        return f"{ref!r} names {what} in {repository.top}, not a commit; name a branch, tag or commit."
    remotes = _git(repository.top, "remote").stdout.decode("utf-8", "replace").split()
    for remote in remotes:
        if resolve(repository, f"{remote}/{ref}") is not None:
            return f"There is no ref {ref!r} in {repository.top}; did you mean {f'{remote}/{ref}'!r}?"
    if _git(repository.top, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
        return f"The clone {repository.top} is shallow and does not hold the ref {ref!r}; {_deepen(ref, remotes)}."
    if resolve(repository, "HEAD") is None:
        return f"The repository {repository.top} has no commit yet, so there is no ref {ref!r} to compare with."
    listed = _git(repository.top, "for-each-ref", "--format=%(refname:short)").stdout.decode("utf-8", "replace")
    near = difflib.get_close_matches(ref, listed.split(), n=1)
    if near:
        return f"There is no ref {ref!r} in {repository.top}; did you mean {near[0]!r}?"
    return (
        f"{ref!r} is neither a ref of {repository.top}, nor a snapshot, nor a folder; "
        "name a branch, tag or commit, or fetch it first."
    )


def _deepen(ref: str, remotes: Sequence[str]) -> str:
    """How a shallow clone gets a ref with its history: named in full, since a clone of one branch tracks no other."""
    if not re.fullmatch(r"[A-Za-z0-9][\w./-]*", ref) or re.fullmatch(r"[0-9a-f]{7,40}", ref):
        return "fetch it first with git fetch --unshallow (in CI: a checkout with the whole history)"
    remote = next((one for one in remotes if ref.startswith(f"{one}/")), remotes[0] if remotes else "origin")
    branch = ref.removeprefix(f"{remote}/")
    return (
        f"fetch it first with git fetch --unshallow {remote} {branch}:refs/remotes/{remote}/{branch}, "
        f"then give --baseline {remote}/{branch} (in CI: a checkout with the whole history)"
    )


def filters(repository: Repository, names: Sequence[str]) -> dict[str, str]:
    """The filter that the attributes of the working tree name for files, such as `lfs`; only files that have one.

    `names` are relative to the repository's prefix. No filter is run.
    """
    request = b"".join(os.fsencode(name) + b"\0" for name in names)
    folder = repository.top / repository.prefix
    outcome = _git(folder, "check-attr", "--stdin", "-z", "filter", stdin=request)
    words = [os.fsdecode(word) for word in outcome.stdout.split(b"\0")] if outcome.code == 0 else []
    named = zip(words[::3], words[2::3], strict=False)
    return {name: value for name, value in named if value not in ("unspecified", "unset", "set")}


def require_clean_submodules(repository: Repository) -> None:
    """Raise SubjectError where a submodule holds changes that no commit of the repository could name."""
    outcome = _checked(
        repository.top, "status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=none"
    )
    for record in outcome.split(b"\0"):
        words = record.split(b" ", 8)
        if words[0] == b"1" and len(words) == 9 and words[2][:1] == b"S" and words[2][2:] != b"..":
            name = words[8].decode("utf-8", "replace")
            raise SubjectError(
                f"The submodule {name!r} has changes that are in no commit; commit them there, or undo them."
            )


def write_commit(repository: Repository, commit: str, destination: Path) -> None:
    """Write the files of a commit, below the repository's prefix, into a folder that does not exist yet.

    Submodules are read from their own repositories in the working tree. Raises BaselineError where the commit has no
    such folder, or a submodule's commit is not there.
    """
    destination.mkdir(parents=True, mode=0o755)
    _write_tree(repository.top, commit, repository.prefix, destination)
    if not any(destination.iterdir()):
        raise BaselineError(f"The folder {repository.prefix or '.'!r} has no files at {commit[:12]}; name a later ref.")


def write_working_tree(repository: Repository, destination: Path) -> None:
    """Copy the files that git tracks or would track (nothing that it ignores) below the prefix, links as links."""
    destination.mkdir(parents=True, mode=0o755)
    for name in sorted(_working_files(repository.top, repository.prefix)):
        source = repository.top / repository.prefix / name
        target = destination / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        if source.is_symlink():
            target.symlink_to(source.readlink())
        elif source.is_file():
            shutil.copy(source, target)


def _working_files(top: Path, prefix: str) -> Iterator[str]:
    scope = ("--", prefix) if prefix else ()
    listed = _checked(top, "ls-files", "-z", "--cached", "--others", "--exclude-standard", *scope)
    for name in {os.fsdecode(word) for word in listed.split(b"\0") if word}:
        inner = name[len(prefix) :].lstrip("/") if prefix else name
        place = top / name
        if place.is_dir() and not place.is_symlink():
            if (place / ".git").exists():
                yield from (f"{inner}/{below}" for below in _working_files(place, ""))
        elif place.is_symlink() or place.exists():
            yield inner


def _write_tree(top: Path, commit: str, prefix: str, destination: Path) -> None:
    listed = _checked(top, "ls-tree", "-r", "-z", "--full-tree", f"{commit}:{prefix}" if prefix else commit)
    files: list[tuple[str, str, str]] = []
    for record in listed.split(b"\0"):
        if not record:
            continue
        about, _, raw = record.partition(b"\t")
        mode, kind, name = about.split()[0].decode(), about.split()[1].decode(), os.fsdecode(raw)
        identity = about.split()[2].decode()
        if PurePosixPath(name).is_absolute() or {"..", ".git"} & set(PurePosixPath(name).parts):
            raise BaselineError(f"The commit {commit[:12]} holds a file called {name!r}, which cannot be written.")
        if kind == "commit":
            _write_submodule(top, prefix, name, identity, destination)
        else:
            files.append((name, mode, identity))
    blobs = _read_blobs(top, [identity for _, _, identity in files])
    for (name, mode, _), data in zip(files, blobs, strict=True):
        target = destination / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        if mode == "120000":
            target.symlink_to(os.fsdecode(data))
        else:
            target.write_bytes(data)
            target.chmod(0o755 if mode == "100755" else 0o644)


def _write_submodule(top: Path, prefix: str, name: str, commit: str, destination: Path) -> None:
    place = top / prefix / name
    holds = (place / ".git").exists() and _git(place, "cat-file", "-e", f"{commit}^{{commit}}").code == 0
    if not holds:
        raise BaselineError(
            f"The submodule {name!r} lacks the commit {commit[:12]} that the baseline names; "
            "run git submodule update --init, and fetch in it."
        )
    (destination / name).mkdir(parents=True, mode=0o755)
    _write_tree(place, commit, "", destination / name)


def _read_blobs(top: Path, identities: Sequence[str]) -> Iterator[bytes]:
    request = "".join(f"{identity}\n" for identity in identities).encode()
    data = _checked(top, "cat-file", "--batch", stdin=request) if identities else b""
    position = 0
    for identity in identities:
        end = data.index(b"\n", position)
        head = data[position:end].decode("ascii", "replace").split()
        if len(head) != 3 or head[1] != "blob":
            raise BaselineError(f"git has no content for the object {identity[:12]}; fetch the whole history.")
        size = int(head[2])
        yield data[end + 1 : end + 1 + size]
        position = end + 1 + size + 1


def _checked(folder: Path, *words: str, stdin: bytes = b"") -> bytes:
    outcome = _git(folder, *words, stdin=stdin)
    if outcome.code != 0:
        raise BaselineError(f"git {words[0]} failed in {folder}: {_said(outcome)}")
    return outcome.stdout


def _git(folder: Path, *words: str, stdin: bytes = b"") -> Exited:
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.environ.get("HOME", "/"), **_ENVIRONMENT}
    outcome = run(
        ("git", "--literal-pathspecs", *_SAFE, *words), env=environment, cwd=folder, limits=_LIMITS, stdin=stdin
    )
    if not isinstance(outcome, Exited):
        raise ToolError(f"git {words[0]} in {folder} took more than {_LIMITS.wall_s:g} s or gave too much output.")
    return outcome


def _said(outcome: Exited) -> str:
    text = " ".join(outcome.stderr.decode("utf-8", "replace").split()).removeprefix("fatal: ")
    return text[:300] or f"status {outcome.code}"
