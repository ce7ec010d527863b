"""One commit of a git repository as a folder, fetched without trusting the repository or its server.

Nothing is checked out: the commit leaves git as a tar stream, which is unpacked under the limits of every archive. No
hook, filter, submodule or configuration of the repository is honoured.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from qualityscore.errors import MissingSubjectError, RepositoryFetchError, SubjectError
from qualityscore.runtime.archives import ArchiveLimits, unpack
from qualityscore.runtime.process import Exited, Limits, OutputFlooded, TimedOut, run

SCHEMES = ("https", "http", "ssh", "git", "file")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_NOT_THERE = re.compile(
    r"does not appear to be a git repository|repository\b.* not found|not a valid object name", re.IGNORECASE
)
_PASSED_ON = ("HOME", "PATH", "SSH_AUTH_SOCK", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE")
_ATTRIBUTES = "* -export-ignore -export-subst -text -filter -ident -working-tree-encoding\n"
_LIMITS = Limits(
    wall_s=600.0,
    cpu_s=None,
    memory_bytes=None,
    processes=None,
    file_size_bytes=1 << 30,
    open_files=None,
    output_bytes=1 << 20,
)


def check_origin(url: str, commit: str) -> None:
    """Raise SubjectError unless the URL is text with a scheme that runs nothing and the commit is a full id."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in SCHEMES or not rest or rest.startswith("-") or not url.isprintable():
        raise SubjectError(f"The git URL {url!r} is not one of {', '.join(s + '://' for s in SCHEMES)}.")
    if not _COMMIT.fullmatch(commit):
        raise SubjectError(f"The commit {commit!r} is not a full commit id of 40 or 64 hexadecimal digits.")


def fetch_commit(url: str, commit: str, scratch: Path, limits: ArchiveLimits | None = None) -> Path:
    """The files of a commit in a new folder below `scratch`, an existing empty folder of the caller's.

    Raises SubjectError for an origin that cannot be meant, MissingSubjectError where git says that there is no such
    repository or commit, RepositoryFetchError when git cannot fetch it, and ArchiveError when it is too large.
    """
    check_origin(url, commit)
    store = scratch / "git"
    _git(["init", "--quiet", "--bare", "--template=", str(store)], scratch, url)
    (store / "info").mkdir(exist_ok=True)
    (store / "info" / "attributes").write_text(_ATTRIBUTES, "utf-8")
    here = [f"--git-dir={store}"]
    wanted = [*here, "fetch", "--quiet", "--no-tags", "--depth=1", "--no-recurse-submodules", "--", url, commit]
    try:
        _git(wanted, scratch, url)
    except RepositoryFetchError:
        # A server may refuse to give a commit that is not the tip of a branch: then all branches and tags.
        everything = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]
        _git([*here, "fetch", "--quiet", "--no-recurse-submodules", "--", url, *everything], scratch, url)
    archive = scratch / "commit.tar"
    _git([*here, "archive", "--format=tar", f"--output={archive}", f"{commit}^{{tree}}"], scratch, url)
    folder = scratch / "files"
    unpack(archive, folder, limits, name=f"{url}@{commit}.tar", origins=(str(folder),))
    return folder  # also where it holds one folder alone: a commit is wrapped in none


def _git(arguments: list[str], scratch: Path, url: str) -> None:
    environment = {name: os.environ[name] for name in (*_PASSED_ON, *map(str.lower, _PASSED_ON)) if name in os.environ}
    environment |= {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES),
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
        "LC_ALL": "C.UTF-8",
    }
    safety = ["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "maintenance.auto=false"]
    outcome = run(["git", *safety, *arguments], env=environment, cwd=scratch, limits=_LIMITS)
    match outcome:
        case Exited(code=0):
            return
        case Exited(stderr=stderr):
            reason = _reason(stderr) or f"git ended with status {outcome.code}"
            if _NOT_THERE.search(reason):
                raise MissingSubjectError(
                    f"The git repository {url} does not exist, or its branches and tags lack the commit: {reason}; "
                    "check the URL and the commit."
                )
        case TimedOut(after_s=after_s):
            reason = f"git took longer than {after_s:g} s"
        case OutputFlooded():
            reason = "git wrote too much"
    raise RepositoryFetchError(f"The git repository {url} cannot be fetched: {reason}; check the URL and the network.")


def _reason(stderr: bytes) -> str:
    """The line of git's that says what went wrong: its first error, which advice follows."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "ERROR:", "ssh:"))]
    return next(iter(telling or lines), "").removeprefix("fatal: ").rstrip(".")[:300]
