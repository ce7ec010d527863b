"""Unpacking archives that nobody vouches for: tar, zip, wheel and sdist.

There are limits on size, number, depth and names. Only regular files, folders and links that stay inside are taken.
Sizes are counted as bytes come out of the decompressor, never believed from a header, and no link is written through.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import posixpath
import stat
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, cast

from qualityscore.errors import ArchiveError, HarnessError, QualityScoreError
from qualityscore.runtime.blame import is_content, is_path
from qualityscore.runtime.workspace import LEFT_BEHIND

SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".zip", ".whl")
_CHUNK = 1 << 16
_LARGEST_HEADER = 1 << 20
_XZ_MEMORY = 128 << 20
_LARGEST_DIRECTORY_ENTRY = 1 << 10
_END_OF_ZIP, _END_BYTES = b"PK\x05\x06", 22
_ZIP64_LOCATOR, _LOCATOR_BYTES = b"PK\x06\x07", 20
_DIRECTORY_ENTRY_BYTES = 46
_NAME_BYTES = 255
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """What an archive may hold. Sizes in bytes; `members` counts the folders on the way, too, `depth` folders.

    One of them may be the folder around the repository, which is one more than an evaluation takes.
    """

    archive_bytes: int = 256 << 20
    total_bytes: int = 512 << 20
    members: int = 20_000
    depth: int = 65


def unpack(
    archive: Path,
    destination: Path,
    limits: ArchiveLimits | None = None,
    *,
    name: str | None = None,
    origins: Sequence[str] = (),
) -> Path:
    """Unpack into the folder `destination` (made here) and return the repository's folder in it.

    A single top folder that is not itself a package, as an sdist has it, is stepped into. `name`, by default the
    file's, tells the kind and is what the archive is called. `origins`: it is a tar that we had made of a folder,
    of these absolute paths, and all is taken that an evaluation of that folder takes: any name, hard links, and links
    by an absolute path that lead back into it; devices and pipes are left out. Raises ArchiveError, a
    SubjectError, for whatever is wrong with the archive, and HarnessError where the host fails; what was unpacked until
    then is the caller's to remove.
    """
    limits = limits or ArchiveLimits()
    name = name if name is not None else archive.name
    if not name.lower().endswith(SUFFIXES):
        raise ArchiveError(f"{name} is not an archive of a known kind; the kinds are {', '.join(SUFFIXES)}.")
    what = f"The archive {name}"
    try:
        with archive.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
    except OSError as error:
        if is_path(error):
            raise ArchiveError(f"The archive {archive} cannot be read: {error.strerror}.") from error
        raise _host_failed(what, error) from error
    if size > limits.archive_bytes:
        raise ArchiveError(f"{what} is larger than {limits.archive_bytes} bytes.")
    with _blamed(what):
        writer = TreeWriter(destination, limits, what=what, origins=origins)
        if name.lower().endswith((".zip", ".whl")):
            _unpack_zip(archive, writer, limits)
        else:
            _unpack_tar(archive, writer)
        writer.finish()
        return _top(destination)


@contextmanager
def _blamed(what: str) -> Iterator[None]:
    """ArchiveError for what the content is to blame for, HarnessError for what it is not: no room, no descriptor.

    Memory is bounded whatever an archive holds, so where there is too little of it, the host is at fault. All else that
    the readers raise, and they raise almost anything, follows from the bytes that they read.
    """
    try:
        yield
    except QualityScoreError:
        raise
    except _Refused as error:
        raise ArchiveError(f"{what} {error}.") from error
    except OSError as error:
        if is_content(error):
            raise ArchiveError(f"{what} is damaged or cannot be unpacked: {error.strerror or error}.") from error
        raise _host_failed(what, error) from error
    except MemoryError as error:
        raise HarnessError(f"{what} cannot be unpacked here: there is not enough memory.") from error
    except Exception as error:
        raise ArchiveError(f"{what} is damaged or cannot be unpacked: {str(error) or type(error).__name__}.") from error


def _host_failed(what: str, error: OSError) -> HarnessError:
    return HarnessError(f"{what} cannot be unpacked here: {error.strerror}; make room, or ask again later.")


class _Refused(Exception):
    """The archive does what none should; the text completes `The archive NAME …`."""


@dataclass(slots=True)
class TreeWriter:
    """Writes named files below a folder, refusing names that lead elsewhere and more than the limits allow."""

    root: Path
    limits: ArchiveLimits
    what: str
    origins: Sequence[str] = ()
    written: int = 0
    names: set[PurePosixPath] = field(default_factory=set)
    folders: set[PurePosixPath] = field(default_factory=set)
    links: list[tuple[PurePosixPath, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root.mkdir(mode=0o755, parents=True)

    def file(self, name: str, pieces: Iterable[bytes], *, executable: bool = False) -> None:
        """Write one file from its pieces."""
        path = self._claim(name)
        target = self._below(path)
        with target.open("xb") as file:
            for piece in pieces:
                self.written += len(piece)
                if self.written > self.limits.total_bytes:
                    raise self._refused(f"unpacks to more than {self.limits.total_bytes} bytes")
                file.write(piece)
        target.chmod(0o755 if executable else 0o644)

    def folder(self, name: str) -> None:
        """Make a folder."""
        path = self._checked(name)
        if path.parts:
            self._make_folder(path)

    def link(self, name: str, aim: str) -> None:
        """Note a symbolic link that stays inside; it is made when all files are written."""
        path = self._claim(name)
        aim = self._from_origin(path, aim)
        if aim.startswith("/") or "\0" in aim or _climbs_above(path, aim):
            raise self._refused(f"holds the link {name!r} that leads outside it")
        self.links.append((path, aim))

    def same(self, name: str, earlier: str) -> None:
        """Write a file like one that was written before."""
        source = self.root / self._checked(earlier)
        if not source.is_file():  # symbolic links are only made when all is written, so none is followed
            raise self._refused(f"holds {name[:200]!r}, a hard link to what is no file in it")
        with source.open("rb") as content:
            self.file(name, _pieces(content), executable=bool(source.stat().st_mode & 0o100))

    def finish(self) -> None:
        """Make the links."""
        for path, aim in self.links:
            self._below(path).symlink_to(aim)

    def _from_origin(self, path: PurePosixPath, aim: str) -> str:
        """The same link as a relative one, where it leads back into the folder that was packed."""
        for origin in self.origins:
            beside = posixpath.join(origin, path.parent)
            place = posixpath.normpath(posixpath.join(beside, aim))
            if place.startswith(f"{origin}/"):
                return posixpath.relpath(place, beside)
        return aim

    def _refused(self, why: str) -> ArchiveError:
        return ArchiveError(f"{self.what} {why}.")

    def _claim(self, name: str) -> PurePosixPath:
        path = self._checked(name)
        if not path.parts or path in self.names or path in self.folders:
            raise self._refused(f"holds {name[:200]!r} twice, or as a file and a folder")
        self._count(path)
        return path

    def _count(self, path: PurePosixPath) -> None:
        self.names.add(path)
        if len(self.names) > self.limits.members:
            raise self._refused(f"holds more than {self.limits.members} members")

    def _checked(self, name: str) -> PurePosixPath:
        path = PurePosixPath(name)
        strange = "\\" in name or any(ord(character) < 32 or ord(character) == 127 for character in name)
        if path.is_absolute() or ".." in path.parts or (strange and not self.origins):
            raise self._refused(f"holds the name {name[:200]!r}, which leads outside it or is no file name")
        if any(len(os.fsencode(part)) > _NAME_BYTES for part in path.parts):
            raise self._refused(f"holds a name longer than {_NAME_BYTES} bytes")
        return path

    def _below(self, path: PurePosixPath) -> Path:
        if path.parent.parts:
            self._make_folder(path.parent)
        return self.root / path

    def _make_folder(self, path: PurePosixPath) -> None:
        if len(path.parts) > self.limits.depth:
            raise self._refused(f"is nested more than {self.limits.depth} folders deep")
        for folder in (*reversed(path.parents), path):
            if not folder.parts or folder in self.folders:
                continue
            self._count(folder)  # also one that no member of its own stands for
            try:
                (self.root / folder).mkdir(mode=0o755)
            except FileExistsError:
                raise self._refused(f"holds {str(folder)[:200]!r} as a file and as a folder") from None
            self.folders.add(folder)


def _climbs_above(path: PurePosixPath, aim: str) -> bool:
    """Whether a relative link steps above the top on its way, even if it comes back."""
    level = len(path.parts) - 1
    for part in PurePosixPath(aim).parts:
        level += -1 if part == ".." else 1
        if level < 0:
            return True
    return False


class _Forward:
    """A decompressed stream as tarfile wants it: it only goes forwards, gives no more than a bound, never much at once.

    tarfile reads extended headers whole, whatever size they claim, and holds all that belong to one member; no honest
    member needs a mebibyte of them.
    """

    def __init__(self, source: IO[bytes], bound: int) -> None:
        self._source = source
        self._bound = bound
        self._at = 0
        self._headers_end: int | None = _LARGEST_HEADER

    def expect_content(self) -> None:
        """A member's content comes, which is read in pieces."""
        self._headers_end = None

    def expect_headers(self) -> None:
        """The headers of the next member come."""
        self._headers_end = self._at + _LARGEST_HEADER

    def tell(self) -> int:
        return self._at

    def seek(self, place: int) -> int:
        if place < self._at:
            raise _Refused("refers back to what it held before")
        while self._at < place and self.read(min(_CHUNK, place - self._at)):
            pass
        return self._at

    def read(self, size: int) -> bytes:
        if size < 0 or (self._headers_end is not None and self._at + size > self._headers_end):
            raise _Refused("has a header larger than any honest one")
        pieces = []
        while size > 0 and (piece := self._source.read(size)):
            pieces.append(piece)
            size -= len(piece)
            self._at += len(piece)
            if self._at > self._bound:
                raise _Refused("unpacks to more than is allowed")
        return b"".join(pieces)


class _Xz:
    """A reader of xz streams that refuses the gibibytes of dictionary that a header may ask for; LZMAFile does not."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decoder = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def read(self, size: int) -> bytes:
        while True:
            if self._decoder.eof:
                rest = self._decoder.unused_data or self._file.read(_CHUNK)
                if not rest:
                    return b""
                self._decoder = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
                data = self._decoder.decompress(rest, size)
            elif self._decoder.needs_input:
                coded = self._file.read(_CHUNK)
                if not coded:
                    raise EOFError("the compressed data ends early")
                data = self._decoder.decompress(coded, size)
            else:
                data = self._decoder.decompress(b"", size)
            if data:
                return data


@contextmanager
def _decompressed(archive: Path) -> Iterator[IO[bytes]]:
    """The content of a file that may be compressed, told by its first bytes."""
    with archive.open("rb") as file:
        head = file.read(6)
        file.seek(0)
        kind = next((name for magic, name in _MAGIC if head.startswith(magic)), "")
        match kind:
            case "gz":
                yield cast(IO[bytes], gzip.GzipFile(fileobj=file))
            case "bz2":
                yield bz2.BZ2File(file)
            case "xz":
                yield cast(IO[bytes], _Xz(file))
            case _:
                yield file


_MAGIC = ((b"\x1f\x8b", "gz"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "xz"))


def _unpack_tar(archive: Path, writer: TreeWriter) -> None:
    # Padding and headers: a kibibyte and a half for each member.
    bound = writer.limits.total_bytes + 1536 * writer.limits.members + (1 << 20)
    with _decompressed(archive) as raw:
        stream = _Forward(raw, bound)
        with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r:", errors="surrogateescape") as tar:
            for number, member in enumerate(tar):
                if number > writer.limits.members:  # tarfile keeps each, also of a folder that comes again and again
                    raise _Refused(f"holds more than {writer.limits.members} members")
                stream.expect_content()
                _take_member(tar, member, writer)
                stream.expect_headers()
        stream.expect_content()
        while stream.read(_CHUNK):
            pass  # to the end, where the compressed data's checksum is


def _take_member(tar: tarfile.TarFile, member: tarfile.TarInfo, writer: TreeWriter) -> None:
    name = member.name.removeprefix("./")
    if member.isdir():
        writer.folder(name)
    elif member.isreg():
        content = tar.extractfile(member)
        assert content is not None
        writer.file(name, _pieces(content), executable=bool(member.mode & 0o100))
    elif _is_left_behind(name):
        return
    elif member.issym():
        writer.link(name, member.linkname)
    elif writer.origins and member.islnk():
        writer.same(name, member.linkname)
    elif not writer.origins:
        raise _Refused(f"holds {name[:200]!r}, which is a device, a pipe or a hard link")


def _is_left_behind(name: str) -> bool:
    """Whether it is no part of the sources, so that what no archive may hold does no harm there."""
    return not LEFT_BEHIND.isdisjoint(PurePosixPath(name).parts)


def _pieces(content: IO[bytes]) -> Iterator[bytes]:
    while piece := content.read(_CHUNK):
        yield piece


def _unpack_zip(archive: Path, writer: TreeWriter, limits: ArchiveLimits) -> None:
    _check_directory(archive, limits)
    with zipfile.ZipFile(archive) as zipped:
        for member in zipped.infolist():
            mode = member.external_attr >> 16
            if member.compress_type not in _ZIP_METHODS:  # zipfile bounds neither bzip2's nor lzma's output and memory
                raise _Refused(
                    f"compresses {member.filename[:200]!r} by a method other than deflate; pack it with that"
                )
            if not member.filename:
                raise _Refused("holds a member without a name")
            if member.is_dir():
                writer.folder(member.filename)
            elif stat.S_IFMT(mode) in (0, stat.S_IFREG):
                with zipped.open(member) as content:
                    writer.file(member.filename, _pieces(content), executable=bool(mode & 0o100))
            elif _is_left_behind(member.filename):
                continue
            elif stat.S_ISLNK(mode):
                if member.file_size > 4096:
                    raise _Refused(f"holds the link {member.filename[:200]!r} to an overlong name")
                with zipped.open(member) as content:
                    writer.link(member.filename, content.read(4097).decode("utf-8", "surrogateescape"))
            else:
                raise _Refused(f"holds {member.filename[:200]!r}, which is no regular file")


def _check_directory(archive: Path, limits: ArchiveLimits) -> None:
    """Refuse a central directory that would not fit into memory before zipfile reads it whole (APPNOTE 4.3.12, 4.3.16).

    zipfile goes by the directory's size, not by the number of entries that the end record claims, and prefers what a
    zip64 record says wherever there is one.
    """
    with archive.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        tail_at = file.seek(max(0, size - _LOCATOR_BYTES - _END_BYTES - (1 << 16)))
        tail = file.read()
        at = len(tail) - _END_BYTES
        if tail[at : at + 4] != _END_OF_ZIP or tail[-2:] != b"\0\0":
            at = tail.rfind(_END_OF_ZIP)
        if at < 0 or len(tail) - at < _END_BYTES:
            raise _Refused("is not a zip file")
        entries = int.from_bytes(tail[at + 10 : at + 12], "little")
        directory_bytes = int.from_bytes(tail[at + 12 : at + 16], "little")
        located = tail[max(0, at - _LOCATOR_BYTES) : at].startswith(_ZIP64_LOCATOR)
        if located or entries == 0xFFFF or directory_bytes == 0xFFFFFFFF:
            raise _Refused("is a zip64 archive, which no repository needs")
        if directory_bytes > tail_at + at:
            raise _Refused("is not a zip file")
        if directory_bytes > limits.members * _LARGEST_DIRECTORY_ENTRY or entries > limits.members:
            raise _Refused(f"holds more than {limits.members} members")
        file.seek(tail_at + at - directory_bytes)
        for _ in range(limits.members):
            if directory_bytes <= 0:
                return
            entry = file.read(_DIRECTORY_ENTRY_BYTES)
            named = sum(int.from_bytes(entry[place : place + 2], "little") for place in (28, 30, 32))
            file.seek(named, os.SEEK_CUR)
            directory_bytes -= _DIRECTORY_ENTRY_BYTES + named
        if directory_bytes > 0:
            raise _Refused(f"holds more than {limits.members} members")


def _top(folder: Path) -> Path:
    """The folder of the repository: what is inside a single top folder that is no package."""
    inner = list(folder.iterdir())
    if len(inner) == 1 and inner[0].is_dir() and not inner[0].is_symlink() and not (inner[0] / "__init__.py").exists():
        return inner[0]
    return folder


def write_files(files: dict[str, str], destination: Path, limits: ArchiveLimits | None = None) -> Path:
    """Write a map of relative names to texts below `destination` (made here), under the same limits.

    Raises ArchiveError for names that lead elsewhere or are none and for too much, HarnessError where the host fails.
    """
    what = "The map of files"
    with _blamed(what):
        writer = TreeWriter(destination, limits or ArchiveLimits(), what=what)
        for name, text in files.items():
            writer.file(name, (text.encode("utf-8", "surrogatepass"),))
    return destination
