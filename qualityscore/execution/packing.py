"""A subject as bytes, to evaluate it on another machine: the files that an evaluation here would copy, no others."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from qualityscore.runtime import workspace
from qualityscore.runtime.workspace import SubjectFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A subject to send: a compressed tar, the digest of what is in it, and what was left out: (name, reason)."""

    data: bytes
    digest: str
    not_copied: tuple[tuple[str, str], ...]


def pack(folder: Path) -> Parcel:
    """Pack a subject for `unpack`. Raises SubjectError for what an evaluation would refuse."""
    files, not_copied = workspace.contents(folder)
    digest = hashlib.sha256()
    with _packing() as (buffer, tar):
        for file in files:
            _add(tar, file.name, file)
            digest.update(file.share)
    return Parcel(data=buffer.getvalue(), digest=digest.hexdigest(), not_copied=not_copied)


def unpack(data: bytes, folder: Path) -> None:
    """Write below `folder` exactly what `pack` packed. Raises OSError; only for data of our own making."""
    folder.mkdir(mode=0o755)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz", encoding="utf-8", errors="surrogateescape") as tar:
        for member in tar:
            content = tar.extractfile(member)
            assert content is not None
            executable = bool(member.mode & 0o100)
            SubjectFile(name=member.name, data=content.read(), executable=executable).write_below(folder)


def upload_of(folder: Path) -> bytes:
    """Pack a subject as an archive for a service. Raises SubjectError for what an evaluation would refuse."""
    files, _ = workspace.contents(folder)
    with _packing() as (buffer, tar):
        # An empty folder that no evaluation takes: beside it no other is the only one, which would be stepped into.
        beside = tarfile.TarInfo("__pycache__")
        beside.type, beside.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(beside)
        for file in files:
            _add(tar, file.name, file)
    return buffer.getvalue()


@contextmanager
def _packing() -> Iterator[tuple[io.BytesIO, tarfile.TarFile]]:
    buffer = io.BytesIO()
    with tarfile.open(
        fileobj=buffer,
        mode="w:gz",
        compresslevel=1,
        format=tarfile.PAX_FORMAT,
        encoding="utf-8",
        errors="surrogateescape",
    ) as tar:
        yield buffer, tar


def _add(tar: tarfile.TarFile, name: str, file: SubjectFile) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(file.data)
    member.mode = 0o755 if file.executable else 0o644
    tar.addfile(member, io.BytesIO(file.data))
