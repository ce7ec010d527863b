"""From a row of a manifest to a folder to evaluate: a folder as it is, an archive unpacked, a commit fetched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from qualityscore.execution.manifest import Row
from qualityscore.runtime import archives, git_source, workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A subject's folder, the digest of its content, and what of it no evaluation takes: (relative path, reason)."""

    folder: Path
    digest: str
    left_out: tuple[tuple[str, str], ...]


@contextmanager
def prepared(row: Row, base: Path, scratch: Path) -> Iterator[Prepared]:
    """Make a row's subject ready. `base` is what relative paths start from; `scratch`, a new folder, goes at the end.

    Raises MissingSubjectError where there is none, SubjectError for what cannot be taken, and RepositoryFetchError for
    what cannot be fetched.
    """
    scratch.mkdir(mode=0o755)
    try:
        folder = _folder(row, base, scratch)
        yield identified(folder, row.source)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def identified(folder: Path, name: str) -> Prepared:
    """A subject in a folder, which errors call `name`. Raises as `workspace.copy` does."""
    with workspace.called(folder, name):
        files, skipped = workspace.contents(folder)
        return Prepared(folder=folder, digest=workspace.digest_of(files), left_out=workspace.missed(skipped))


def _folder(row: Row, base: Path, scratch: Path) -> Path:
    if row.repository is None:
        assert row.git is not None
        assert row.commit is not None
        return git_source.fetch_commit(row.git, row.commit, scratch)
    path = base / row.repository
    if os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises for overlong names
        return archives.unpack(path, scratch / "files")
    return path
