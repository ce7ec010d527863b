"""Answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from bottle import _cookies
from bottle._structures import BottleException, Headers

_REASONS = {int(status): status.phrase for status in HTTPStatus}
_STATUS_LINE = re.compile(r"([0-9]{3}) +([^\r\n\0]*[^\s\0][^\r\n\0]*)\Z")
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s;\"]+)\"?", re.IGNORECASE)


class Response:
    """What is sent: status, headers, cookies and a body."""

    default_status = 200
    default_content_type = "text/html; charset=UTF-8"

    def __init__(
        self,
        body: Any = "",
        status: int | str | None = None,
        headers: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
        **more_headers: Any,
    ) -> None:
        self.body = body
        self._headers = Headers()
        self._cookies: dict[str, str] = {}
        self._status_line = ""
        self._status_code = 0
        self.status = status if status is not None else self.default_status
        if headers is not None:
            for name, value in headers.items() if isinstance(headers, Mapping) else headers:
                self.add_header(name, value)
        for name, value in more_headers.items():
            self.set_header(name.replace("_", "-"), value)

    # -- status -------------------------------------------------------------

    @property
    def status(self) -> str:
        """Code and reason; can be set as a number, or as text with a reason."""
        return self._status_line

    @status.setter
    def status(self, status: int | str) -> None:
        if isinstance(status, int):
            code, line = int(status), f"{int(status)} {_REASONS.get(status, 'Unknown')}"
        else:
            match = _STATUS_LINE.match(str(status).strip())
            if match is None:
                raise ValueError(f"a status is a number, or a number and a reason: {status!r}")
            code, line = int(match[1]), f"{match[1]} {match[2]}"
        if not 100 <= code <= 999:
            raise ValueError(f"status codes are between 100 and 999: {status!r}")
        self._status_code, self._status_line = code, line

    @property
    def status_code(self) -> int:
        """The number."""
        return self._status_code

    @property
    def status_line(self) -> str:
        """Number and reason, as in ``404 Not Found``."""
        return self._status_line

    # -- headers ------------------------------------------------------------

    @property
    def headers(self) -> Headers:
        """The headers by name, whatever its case."""
        return self._headers

    def set_header(self, name: str, value: Any) -> None:
        """Replace a header."""
        self._headers[name] = value

    def add_header(self, name: str, value: Any) -> None:
        """Add a header, besides those of the same name."""
        self._headers.append(name, value)

    def get_header(self, name: str, default: Any = None) -> Any:
        """The (last) value of a header."""
        return self._headers.get(name, default)

    @property
    def content_type(self) -> str:
        """The type of the body."""
        return self._headers.get("Content-Type", self.default_content_type)

    @content_type.setter
    def content_type(self, value: str) -> None:
        self._headers["Content-Type"] = value

    @property
    def charset(self) -> str:
        """The charset of the type, UTF-8 if it has none."""
        match = _CHARSET.search(self.content_type)
        return match[1] if match else "UTF-8"

    @charset.setter
    def charset(self, value: str) -> None:
        self.content_type = f"{_CHARSET.sub('', self.content_type)}; charset={value}"

    # -- cookies ------------------------------------------------------------

    def set_cookie(
        self,
        name: str,
        value: Any,
        secret: str | bytes | None = None,
        max_age: int | timedelta | None = None,
        path: str | None = None,
        httponly: bool = False,
        secure: bool = False,
        samesite: str | None = None,
        domain: str | None = None,
        expires: Any = None,
    ) -> None:
        """Send a cookie.

        With *secret* the value is signed and may be any Python literal,
        without it is text.  *expires* is a date or a time stamp.
        """
        if secret is not None:
            value = _cookies.sign(name, value, secret)
        elif not isinstance(value, str):
            raise TypeError(f"cookies that are not signed are text, not {type(value).__name__}")
        self._cookies[name] = _cookies.build(
            name,
            value,
            max_age=max_age,
            path=path,
            httponly=httponly,
            secure=secure,
            samesite=samesite,
            domain=domain,
            expires=expires,
        )

    def delete_cookie(self, name: str, **options: Any) -> None:
        """Let the client forget a cookie; the path has to be the one it was set with."""
        self.set_cookie(name, "", **{"max_age": 0, "expires": 0, **options})

    # -- sending ------------------------------------------------------------

    def adopt(self, other: Response) -> None:
        """Take status, headers and cookies over from *other*."""
        self._status_code, self._status_line = other._status_code, other._status_line
        self._headers = other._headers.copy()
        self._cookies = dict(other._cookies)

    def header_list(self) -> list[tuple[str, str]]:
        """The headers as WSGI wants them: bytes as Latin-1."""
        pairs = self._headers.pairs() + [("Set-Cookie", text) for text in self._cookies.values()]
        return [(name, value.encode("utf-8", "replace").decode("latin-1")) for name, value in pairs]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._status_line}>"


class HTTPResponse(Response, BottleException):
    """An answer of its own, which can be returned or raised."""


class HTTPError(HTTPResponse):
    """An answer for errors; *body* is the message."""

    default_status = 500

    def __init__(
        self,
        status: int | str | None = None,
        body: Any = None,
        exception: BaseException | None = None,
        traceback: str | None = None,
        **more_headers: Any,
    ) -> None:
        super().__init__(body, status, **more_headers)
        self.exception = exception
        self.traceback = traceback
