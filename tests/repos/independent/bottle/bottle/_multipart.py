"""Bodies of type ``multipart/form-data``."""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import BinaryIO

#: What exceeds this is kept in temporary files
MEMORY_LIMIT = 100 * 1024
_BLOCK = 64 * 1024
_HEADER_LIMIT = 16 * 1024
_OPTION = re.compile(r';\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))', re.DOTALL)


class MultipartError(ValueError):
    """The body is not what its type says."""


def parse_options(header: str) -> tuple[str, dict[str, str]]:
    """The value of a header in lower case, and its options."""
    value, _, _ = header.partition(";")
    options = {}
    for match in _OPTION.finditer(header, len(value)):
        name, quoted, plain = match.groups()
        if quoted is not None:
            plain = re.sub(r'\\(["\\])', r"\1", quoted)
        options.setdefault(name.lower(), plain.strip() if quoted is None else plain)
    return value.strip().lower(), options


class FileUpload:
    """An uploaded file."""

    def __init__(self, file: BinaryIO, name: str, filename: str, content_type: str = "") -> None:
        self.file = file
        self.name = name
        self.raw_filename = filename
        self.content_type = content_type

    @property
    def filename(self) -> str:
        """The name of the file without path and odd characters, never empty."""
        text = unicodedata.normalize("NFKD", self.raw_filename)
        text = text.encode("ascii", "ignore").decode("ascii")
        text = re.split(r"[/\\]", text)[-1]
        text = re.sub(r"[^A-Za-z0-9_.\-\s]", "", text).strip()
        text = re.sub(r"[-\s]+", "-", text).strip(".-")
        return text[:255] or "empty"

    def save(
        self,
        destination: str | os.PathLike | BinaryIO,
        overwrite: bool = False,
        chunk_size: int = _BLOCK,
    ) -> None:
        """Write the content to a path, a file in a folder, or an open file.

        An existing file raises :exc:`IOError` unless *overwrite* is true.
        """
        position = self.file.tell()
        self.file.seek(0)
        try:
            if isinstance(destination, (str, os.PathLike)):
                path = os.fspath(destination)
                if os.path.isdir(path):
                    path = os.path.join(path, self.filename)
                with open(path, "wb" if overwrite else "xb") as target:
                    shutil.copyfileobj(self.file, target, chunk_size)
            else:
                shutil.copyfileobj(self.file, destination, chunk_size)
        finally:
            self.file.seek(position)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {self.raw_filename!r}>"


class _Reader:
    """Reads a file up to delimiters."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._buffer = b""
        self._position = 0

    def _fill(self) -> None:
        block = self._file.read(_BLOCK)
        if not block:
            raise MultipartError("the body ends too early")
        self.put_back(b"", block)

    def put_back(self, head: bytes, tail: bytes = b"") -> None:
        """Add to the beginning (and the end) of what is not used."""
        self._buffer = head + self._buffer[self._position :] + tail
        self._position = 0

    def _advance(self, end: int) -> bytes:
        taken = self._buffer[self._position : end]
        self._position = end
        return taken

    def take(self, size: int) -> bytes:
        """The next *size* bytes."""
        while len(self._buffer) - self._position < size:
            self._fill()
        return self._advance(self._position + size)

    def until(self, delimiter: bytes) -> Iterator[bytes]:
        """Blocks up to the delimiter, which is dropped."""
        while (found := self._buffer.find(delimiter, self._position)) < 0:
            safe = len(self._buffer) - len(delimiter) + 1
            if safe > self._position:
                yield self._advance(safe)
            self._fill()
        block = self._advance(found)
        self._position += len(delimiter)
        yield block

    def line(self) -> bytes:
        """The rest of the line."""
        line = b""
        for block in self.until(b"\r\n"):
            line += block
            if len(line) > _HEADER_LIMIT:
                raise MultipartError("a header is too long")
        return line


def _read_headers(reader: _Reader) -> dict[str, str]:
    headers: dict[str, str] = {}
    size = 0
    while line := reader.line():
        size += len(line)
        if size > _HEADER_LIMIT:
            raise MultipartError("the headers are too long")
        name, colon, value = line.decode("utf-8", "replace").partition(":")
        if not colon:
            raise MultipartError("a header has no colon")
        headers[name.strip().lower()] = value.strip()
    return headers


def parse(body: BinaryIO, boundary: str) -> Iterator[tuple[str, str | FileUpload]]:
    """Names with texts or uploaded files."""
    delimiter = b"\r\n--" + boundary.encode("latin-1", "replace")
    reader = _Reader(body)
    reader.put_back(b"\r\n")  # so that the first boundary looks like the others
    for _ in reader.until(delimiter):
        pass  # what stands before the first boundary has no meaning
    while (end := reader.take(2)) != b"--":
        if end != b"\r\n":
            reader.put_back(end)
            end = reader.line()
        if end.strip():
            raise MultipartError("a boundary is not followed by a line break")
        headers = _read_headers(reader)
        kind, options = parse_options(headers.get("content-disposition", ""))
        name, filename = options.get("name"), options.get("filename")
        if kind != "form-data" or name is None:
            raise MultipartError("a part has no name")
        if filename is None:
            content = b"".join(reader.until(delimiter))
            charset = parse_options(headers.get("content-type", ""))[1].get("charset", "utf-8")
            try:
                yield name, content.decode(charset, "replace")
            except LookupError:
                raise MultipartError(f"unknown charset {charset!r}") from None
        else:
            file = SpooledTemporaryFile(max_size=MEMORY_LIMIT)
            for block in reader.until(delimiter):
                file.write(block)
            file.seek(0)
            yield name, FileUpload(file, name, filename, headers.get("content-type", ""))  # type: ignore[arg-type]

