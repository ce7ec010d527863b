"""Functions for use in functions that answer requests."""

from __future__ import annotations

import functools
import mimetypes
import os
import re
from collections.abc import Callable, Mapping
from email.utils import formatdate, parsedate_to_datetime
from typing import Any, BinaryIO, NoReturn
from urllib.parse import urljoin

from bottle._context import request, response
from bottle._response import HTTPError, HTTPResponse


def abort(code: int = 500, text: str = "Unknown Error.") -> NoReturn:
    """Answer with an error."""
    raise HTTPError(code, text)


def redirect(url: str, code: int | None = None) -> NoReturn:
    """Answer with another address; keeps headers and cookies that were set."""
    if code is None:
        code = 303 if request.environ.get("SERVER_PROTOCOL") == "HTTP/1.1" else 302
    answer = HTTPResponse()
    answer.adopt(response)
    answer.status = code
    answer.headers.pop("Content-Length", None)
    answer.set_header("Location", urljoin(request.url, url))
    raise answer


class _FilePart:
    """A part of a file, to be read from its beginning to its end."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file = file
        self._left = size
        file.seek(start)

    def read(self, size: int = -1) -> bytes:
        """Up to *size* bytes."""
        if size < 0 or size > self._left:
            size = self._left
        data = self._file.read(size)
        self._left -= len(data)
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _parse_date(text: str | None) -> float | None:
    """The time of a date in a header."""
    if not text:
        return None
    try:
        return parsedate_to_datetime(text.partition(";")[0].strip()).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _parse_range(header: str, size: int) -> tuple[int, int] | None:
    """The first range that is within *size* as start and end, or None."""
    for text in header.partition("=")[2].split(","):
        match = re.fullmatch(r"\s*([0-9]{0,18})-([0-9]{0,18})\s*", text)
        if match is None or match[0].strip() == "-":
            continue
        if not match[1]:
            start, end = max(0, size - int(match[2])), size
        else:
            start = int(match[1])
            end = min(size, int(match[2]) + 1) if match[2] else size
        if start < end:
            return start, end
    return None


def _guess_type(filename: str) -> str:
    kind, encoding = mimetypes.guess_type(filename)
    if encoding is not None:
        return "application/gzip" if encoding == "gzip" else f"application/x-{encoding}"
    return kind or "application/octet-stream"


def static_file(
    filename: str,
    root: str | os.PathLike,
    mimetype: bool | str = True,
    download: bool | str = False,
    charset: str | None = "UTF-8",
    etag: str | None = None,
    headers: Mapping[str, Any] | None = None,
) -> HTTPResponse:
    """Answer with a file below *root*.

    *etag* and *headers* are sent as they are.
    """
    base = os.path.join(os.path.abspath(os.fspath(root)), "")
    path = os.path.abspath(os.path.join(base, filename.strip("/\\")))
    if not os.path.join(path, "").startswith(base):
        return HTTPError(403, "Access denied.")
    if "\0" in path or not os.path.isfile(path):
        return HTTPError(404, "File does not exist.")
    if not os.access(path, os.R_OK):
        return HTTPError(403, "You do not have permission to access this file.")

    kind = mimetype if isinstance(mimetype, str) else None
    if kind is None:
        kind = _guess_type(path) if mimetype else "application/octet-stream"
    if kind.startswith("text/") and charset and "charset=" not in kind.lower():
        kind = f"{kind}; charset={charset}"

    info = os.stat(path)
    modified = int(info.st_mtime)
    answer = HTTPResponse()
    answer.content_type = kind
    answer.set_header("Last-Modified", formatdate(modified, usegmt=True))
    answer.set_header("Accept-Ranges", "bytes")
    if etag:
        answer.set_header("ETag", etag)
    if download:
        name = os.path.basename(download if isinstance(download, str) else path)
        name = re.sub(r'(["\\])', r"\\\1", re.sub(r"[\x00-\x1f\x7f]", "", name))
        answer.set_header("Content-Disposition", f'attachment; filename="{name}"')

    for header, value in (headers or {}).items():
        answer.set_header(header, value)

    known = request.get_header("If-None-Match")
    if etag and known:
        unchanged = known.strip() == "*" or etag in [tag.strip() for tag in known.split(",")]
    else:
        since = _parse_date(request.get_header("If-Modified-Since"))
        unchanged = since is not None and modified <= since
    if unchanged:
        answer.status = 304
        return answer

    start, end = 0, info.st_size
    wanted = request.get_header("Range", "").strip()
    if wanted.lower().startswith("bytes=") and _range_holds(modified, etag):
        part = _parse_range(wanted, info.st_size)
        if part is None:
            error = HTTPError(416, "Requested Range Not Satisfiable")
            error.set_header("Content-Range", f"bytes */{info.st_size}")
            return error
        start, end = part
        answer.status = 206
        answer.set_header("Content-Range", f"bytes {start}-{end - 1}/{info.st_size}")
    answer.set_header("Content-Length", str(end - start))
    if request.method != "HEAD":
        try:
            file = open(path, "rb")
        except OSError:
            return HTTPError(403, "You do not have permission to access this file.")
        answer.body = file if answer.status_code == 200 else _FilePart(file, start, end - start)
    return answer


def _range_holds(modified: int, etag: str | None) -> bool:
    """Whether ``If-Range`` allows to send a part."""
    condition = request.get_header("If-Range")
    return condition is None or condition == etag or _parse_date(condition) == modified


def auth_basic(
    check: Callable[[str, str], Any], realm: str = "private", text: str = "Access denied"
) -> Callable[[Callable], Callable]:
    """Ask for user and password, unless ``check(user, password)`` is true."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            auth = request.auth
            if auth is None or not check(*auth):
                error = HTTPError(401, text)
                quoted = re.sub(r'(["\\])', r"\\\1", realm)
                error.set_header("WWW-Authenticate", f'Basic realm="{quoted}"')
                return error
            return function(*args, **kwargs)

        return wrapper

    return decorate
