"""Requests."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from functools import cached_property
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO
from urllib.parse import parse_qsl, quote

from bottle import _cookies, _multipart
from bottle._response import HTTPError
from bottle._structures import FormsDict, RequestHeaders, recode

_BLOCK = 64 * 1024
_LINE_LIMIT = 8 * 1024
_PATH_SAFE = "/:@!$&'()*+,;=~"


def _read_sized(stream: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0:
        block = stream.read(min(size, _BLOCK))
        if not block:
            return
        size -= len(block)
        yield block


def _read_chunked(stream: BinaryIO) -> Iterator[bytes]:
    """The content of a body in chunked transfer."""

    def line() -> bytes:
        text = stream.readline(_LINE_LIMIT)
        if not text.endswith(b"\n"):
            raise HTTPError(400, "Error while reading the chunked body.")
        return text.strip()

    while True:
        number = line().partition(b";")[0].strip()
        if not number or number.strip(b"0123456789abcdefABCDEF"):
            raise HTTPError(400, "Error while reading the chunked body.")
        size = int(number, 16)
        if size == 0:
            break
        for block in _read_sized(stream, size):
            size -= len(block)
            yield block
        if size or line():
            raise HTTPError(400, "Error while reading the chunked body.")
    while stream.readline(_LINE_LIMIT).strip():
        pass  # headers after the body


def _parse_pairs(text: str) -> FormsDict:
    return FormsDict(parse_qsl(text, keep_blank_values=True, errors="replace"))


class Request:
    """A request, as the WSGI environment describes it."""

    def __init__(self, environ: dict[str, Any]) -> None:
        self.environ = environ
        self.url_args: dict[str, Any] = {}

    # -- address ------------------------------------------------------------

    @property
    def method(self) -> str:
        """The method in upper case."""
        return self.environ.get("REQUEST_METHOD", "GET").upper()

    @property
    def path(self) -> str:
        """The path, decoded, beginning with a slash."""
        path = recode(self.environ.get("PATH_INFO", ""))
        return path if path.startswith("/") else "/" + path

    @property
    def query_string(self) -> str:
        """What follows the question mark."""
        return self.environ.get("QUERY_STRING", "")

    @property
    def script_name(self) -> str:
        """The part of the address in front of the path."""
        return recode(self.environ.get("SCRIPT_NAME", ""))

    @property
    def url(self) -> str:
        """The whole address."""
        environ = self.environ
        scheme = environ.get("wsgi.url_scheme", "http")
        host = environ.get("HTTP_HOST")
        if not host:
            host = environ.get("SERVER_NAME", "127.0.0.1")
            port = str(environ.get("SERVER_PORT", ""))
            if port and port != {"http": "80", "https": "443"}.get(scheme):
                host += f":{port}"
        path = quote(self.script_name.rstrip("/") + self.path, safe=_PATH_SAFE)
        query = self.query_string
        return f"{scheme}://{host}{path}" + (f"?{query}" if query else "")

    @property
    def remote_addr(self) -> str | None:
        """The client's address."""
        return self.environ.get("REMOTE_ADDR")

    # -- headers ------------------------------------------------------------

    @property
    def headers(self) -> RequestHeaders:
        """The headers by name, whatever its case."""
        return RequestHeaders(self.environ)

    def get_header(self, name: str, default: Any = None) -> Any:
        """The value of a header."""
        return self.headers.get(name, default)

    @property
    def content_type(self) -> str:
        """The type of the body in lower case; empty if unknown."""
        return self.environ.get("CONTENT_TYPE", "").lower()

    @property
    def content_length(self) -> int:
        """The length of the body, -1 if unknown."""
        text = self.environ.get("CONTENT_LENGTH") or ""
        return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1

    @property
    def is_xhr(self) -> bool:
        """Whether a script asks."""
        return self.get_header("X-Requested-With", "").lower() == "xmlhttprequest"

    @property
    def auth(self) -> tuple[str, str] | None:
        """User and password of basic authentication."""
        scheme, _, data = self.get_header("Authorization", "").strip().partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            raw = base64.b64decode(data.strip(), validate=True)
        except (binascii.Error, ValueError):
            return None
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
        user, colon, password = text.partition(":")
        return (user, password) if colon else None

    @cached_property
    def cookies(self) -> FormsDict:
        """The cookies by name."""
        return FormsDict(_cookies.parse(self.environ.get("HTTP_COOKIE", "")))

    def get_cookie(self, name: str, default: Any = None, secret: str | bytes | None = None) -> Any:
        """A cookie; with *secret* only if it was signed with that."""
        value = self.cookies.get(name)
        if value is None:
            return default
        return value if secret is None else _cookies.unsign(name, value, secret, default)

    # -- values -------------------------------------------------------------

    @cached_property
    def query(self) -> FormsDict:
        """The values of the query string."""
        return _parse_pairs(recode(self.query_string))

    @cached_property
    def _body(self) -> BinaryIO:
        stream = self.environ.get("wsgi.input")
        body = SpooledTemporaryFile(max_size=_multipart.MEMORY_LIMIT)
        if stream is not None:
            codings = self.get_header("Transfer-Encoding", "").lower()
            if "chunked" in [coding.strip() for coding in codings.split(",")]:
                blocks = _read_chunked(stream)
            else:
                blocks = _read_sized(stream, self.content_length)
            for block in blocks:
                body.write(block)
        return body  # type: ignore[return-value]

    @property
    def body(self) -> BinaryIO:
        """The body as an open file, at its beginning."""
        self._body.seek(0)
        return self._body

    @property
    def body_was_read(self) -> bool:
        """Whether the server's stream is used up."""
        return "_body" in self.__dict__

    @property
    def _media_type(self) -> str:
        return self.content_type.partition(";")[0].strip()

    @cached_property
    def _form_values(self) -> tuple[FormsDict, FormsDict]:
        """Texts and uploaded files of the body."""
        forms, files = FormsDict(), FormsDict()
        if self._media_type == "application/x-www-form-urlencoded":
            forms = _parse_pairs(self.body.read().decode("utf-8", "replace"))
        elif self._media_type == "multipart/form-data":
            _, options = _multipart.parse_options(self.environ["CONTENT_TYPE"])
            if not options.get("boundary"):
                raise HTTPError(400, "The multipart body has no boundary.")
            try:
                for name, value in _multipart.parse(self.body, options["boundary"]):
                    (forms if isinstance(value, str) else files).append(name, value)
            except _multipart.MultipartError as error:
                raise HTTPError(400, f"Invalid multipart body: {error}.", error) from error
        return forms, files

    @property
    def forms(self) -> FormsDict:
        """The texts of a form."""
        return self._form_values[0]

    @property
    def files(self) -> FormsDict:
        """The uploaded files of a form."""
        return self._form_values[1]

    @cached_property
    def params(self) -> FormsDict:
        """The values of the query string, and then those of the form."""
        params = FormsDict(self.query)
        for name in self.forms:
            for value in self.forms.getall(name):
                params.append(name, value)
        return params

    @cached_property
    def json(self) -> Any:
        """The body, if its type is ``application/json``, else None."""
        if self._media_type != "application/json":
            return None
        try:
            return json.loads(self.body.read())
        except (ValueError, RecursionError) as error:
            raise HTTPError(400, "Invalid JSON.", error) from error

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.method} {self.path}>"
