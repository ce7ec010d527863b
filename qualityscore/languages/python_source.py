"""Python source files as the interpreter would read them: bytes, decoded text, syntax tree.

Every consumer (the static collectors and the analysers) reads through this module, so all of them see the same text of
the same files, and what one of them cannot read is unreadable for all.
"""

from __future__ import annotations

import ast
import hashlib
import io
import os
import re
import stat
import sys
import tokenize
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAX_SOURCE_BYTES = 4 * 1024 * 1024
SOURCE_SUFFIXES = (".py", ".pyw")
CANNOT_READ = "cannot be read"

_SHEBANG = re.compile(rb"^#![^\n]*\bpython[0-9.]*\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A decoded source file.

    `path` is relative to the repository, with forward slashes. `raw` is the file's content and `digest` its SHA-256;
    `text` is decoded by BOM or PEP 263 cookie, with every line end turned into a newline and without the BOM.
    """

    path: str
    raw: bytes
    digest: str
    encoding: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unparsable:
    """A file that some tool cannot make sense of.

    `tool` names it, `line` and `column` start at 1 where a place is known. `code_lines` are the file's non-blank lines
    that are not comments, the size that scoring.md section 4 gives such a file.
    """

    path: str
    tool: str
    reason: str
    line: int | None = None
    column: int | None = None
    code_lines: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFile:
    """A file's bytes before anybody has decoded them."""

    path: str
    raw: bytes
    digest: str


def printable(path: str) -> str:
    """The path as it can be written into a report: undecodable bytes shown as backslash escapes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def count_code_lines(raw: bytes) -> int:
    """Non-blank physical lines that do not start with a comment, whatever the encoding."""
    lines = (line.strip() for line in raw.replace(b"\r", b"\n").split(b"\n"))
    return sum(1 for line in lines if line and not line.startswith(b"#"))


def read_raw(root: Path, path: str, *, max_bytes: int = MAX_SOURCE_BYTES) -> RawFile | Unparsable:
    """Read one regular file under `root`; never follows a link, never blocks on a pipe or device."""
    try:
        with _open_regular(root / path) as handle:
            raw = handle.read(max_bytes + 1)
            if len(raw) <= max_bytes:
                return RawFile(path=path, raw=raw, digest=hashlib.sha256(raw).hexdigest())
            reason = f"larger than {max_bytes} bytes"
            raw += handle.read(7 * max_bytes)
    except (OSError, ValueError) as error:
        raw, reason = b"", f"{CANNOT_READ}: {(error.strerror if isinstance(error, OSError) else None) or error}"
    return Unparsable(
        path=path,
        tool="reader",
        reason=reason,
        code_lines=count_code_lines(raw),
        digest=hashlib.sha256(raw).hexdigest(),
    )


def read_head(root: Path, path: str, size: int) -> bytes:
    """The first `size` bytes of a regular file; empty where it cannot be read."""
    try:
        with _open_regular(root / path) as handle:
            return handle.read(size)
    except (OSError, ValueError):
        return b""


def _open_regular(full: Path) -> BinaryIO:
    # lstat first: opening a device or a pipe can have effects. The file may be replaced before open, so fstat decides;
    # O_NONBLOCK keeps a pipe from hanging us meanwhile.
    if not stat.S_ISREG(full.lstat().st_mode):
        raise ValueError("not a regular file")
    handle = os.fdopen(os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
        handle.close()
        raise ValueError("not a regular file")
    return handle


def decode(raw: bytes) -> tuple[str, str]:
    """Decode source bytes as the interpreter does: (text, encoding), newlines universal, no BOM.

    Raises SyntaxError for an unknown or contradicted cookie, UnicodeError where the bytes do not fit the encoding, and
    LookupError where the cookie names a codec that is not a text encoding (PEP 263).
    """
    # The interpreter translates line ends before it looks for a cookie; no source encoding hides a CR in another byte.
    raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    text = raw.decode(encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def decode_file(file: RawFile) -> SourceFile | Unparsable:
    """Decode a file that was read."""
    try:
        text, encoding = decode(file.raw)
    except (SyntaxError, UnicodeError, LookupError, ValueError, OverflowError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        return Unparsable(
            path=file.path,
            tool="decoder",
            reason=f"cannot be decoded: {reason}",
            line=1,
            code_lines=count_code_lines(file.raw),
            digest=file.digest,
        )
    return SourceFile(path=file.path, raw=file.raw, digest=file.digest, encoding=encoding, text=text)


def read_source(root: Path, path: str, *, max_bytes: int = MAX_SOURCE_BYTES) -> SourceFile | Unparsable:
    """Read and decode one file under `root`."""
    file = read_raw(root, path, max_bytes=max_bytes)
    return decode_file(file) if isinstance(file, RawFile) else file


def parse(source: SourceFile) -> ast.Module | Unparsable:
    """Parse with the running interpreter's own grammar.

    Never raises for bad input. Text from an untrusted subject belongs into a worker process all the same: the parser
    is C code, and its time and memory are the subject's choice.
    """
    line = column = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.text)
    except SyntaxError as error:
        reason, line, column = error.msg, error.lineno, error.offset
    except RecursionError:
        reason = "nested too deeply for the parser"
    except MemoryError:
        reason = "too complex for the parser"
    except ValueError as error:  # null bytes before 3.12, lone surrogates, integers beyond the digit limit
        reason = str(error)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return Unparsable(
        path=source.path,
        tool=f"python {version}",
        reason=reason,
        line=max(1, line) if line else 1,
        column=max(1, column) if column else None,
        code_lines=count_code_lines(source.raw),
        digest=source.digest,
    )


def has_python_shebang(head: bytes) -> bool:
    """Whether a file without suffix starts as a Python script."""
    return _SHEBANG.match(head) is not None
