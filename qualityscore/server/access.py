"""Who may ask, how much, and how fast."""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections.abc import Callable, Collection

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qualityscore.errors import AccessError, BusyError, UsageError
from qualityscore.server.settings import Settings, token_digest

ANYBODY = "anybody"
HEALTH = "/healthz"
_BUSY_S = 5


class ProblemError(Exception):
    """An answer that is not a success: HTTP status, stable code, one sentence, and headers."""

    def __init__(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers or {}


def problem_response(error: ProblemError) -> JSONResponse:
    """The error document."""
    content = {"error": {"code": error.code, "message": str(error)}}
    return JSONResponse(content, status_code=error.status, headers=error.headers)


def owner_of(settings: Settings, authorization: str | None) -> str:
    """The name of the token that a request bears. Raises ProblemError 401 where one is needed and none fits."""
    if not settings.tokens:
        return ANYBODY
    scheme, _, token = (authorization or "").partition(" ")
    # The digest is looked up, so the time that this takes says nothing about the token.
    given = token.strip() if scheme.lower() == "bearer" else ""
    name = settings.tokens.get(token_digest(given))
    if name is None:
        why = (
            "The token is none of this service's; ask its operator."
            if given
            else "This service needs a token, as the header 'Authorization: Bearer TOKEN'; ask its operator for one."
        )
        raise ProblemError(401, AccessError.code, why, {"WWW-Authenticate": "Bearer"})
    return name


class RateLimit:
    """A token bucket per owner (owners are the configured tokens, so there are never many)."""

    def __init__(self, rate_per_s: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate_per_s
        self._burst = burst
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, owner: str, amount: int) -> None:
        """Take `amount` from an owner's bucket. Raises ProblemError 429, which says when to come again."""
        with self._lock:
            now = self._clock()
            level, then = self._buckets.get(owner, (float(self._burst), now))
            level = min(float(self._burst), level + (now - then) * self._rate)
            if level < min(amount, self._burst):
                wait = math.ceil((min(amount, self._burst) - level) / self._rate)
                raise too_many("You ask faster than this service allows", wait)
            self._buckets[owner] = (level - amount, now)


def too_many(what: str, wait_s: float) -> ProblemError:
    """429 with the time after which to come again."""
    seconds = max(1, math.ceil(wait_s))
    return ProblemError(429, BusyError.code, f"{what}; come again in {seconds} s.", {"Retry-After": str(seconds)})


class BodyLimit:
    """ASGI middleware that refuses a request's body beyond a number of bytes, whatever its header says.

    And one that has not come whole `within_s` seconds after it was begun to be read.
    """

    def __init__(self, app: ASGIApp, largest: int, within_s: float) -> None:
        self._app = app
        self._largest = largest
        self._within_s = within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not declared.isdigit() or int(declared) > self._largest:
            await self._too_large(scope, receive, send)
            return
        seen = 0
        started = False
        whole = False
        due: float | None = None

        async def counted() -> Message:
            nonlocal seen, whole, due
            if whole:  # what comes now is the end of the connection, which has time
                return await receive()
            due = due or asyncio.get_running_loop().time() + self._within_s
            try:
                async with asyncio.timeout_at(due):
                    message = await receive()
            except TimeoutError:
                raise _TooSlowError from None
            whole = not message.get("more_body", False)
            seen += len(message.get("body", b""))
            if seen > self._largest:
                raise _TooLargeError
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, counted, noted)
        except _TooLargeError:
            if not started:
                await self._too_large(scope, receive, send)
        except _TooSlowError:
            if not started:
                why = f"The request did not come whole within {self._within_s:g} s; send less at a time."
                await _close(ProblemError(408, UsageError.code, why))(scope, receive, send)

    async def _too_large(self, scope: Scope, receive: Receive, send: Send) -> None:
        why = f"The request is larger than {self._largest} bytes; send less at a time."
        await _close(ProblemError(413, UsageError.code, why))(scope, receive, send)


def _close(error: ProblemError) -> JSONResponse:
    """An answer after which the connection ends, whatever was still to come."""
    error.headers["Connection"] = "close"
    return problem_response(error)


class RequestLimit:
    """ASGI middleware that answers more than `most` requests at a time with 503, and when to come again.

    Whether the service is alive (`HEALTH`) is answered always.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == HEALTH:
            await self._app(scope, receive, send)
            return
        if self._open >= self._most:
            wait = {"Retry-After": str(_BUSY_S), "Connection": "close"}
            why = f"The service is at {self._most} requests already; come again in {_BUSY_S} s."
            await problem_response(ProblemError(503, BusyError.code, why, wait))(scope, receive, send)
            return
        self._open += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open -= 1


class _TooLargeError(Exception):
    pass


class HostCheck:
    """ASGI middleware that answers only requests for one of `names`, whatever their port; None stands for any."""

    def __init__(self, app: ASGIApp, names: Collection[str] | None) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._names is not None:
            host = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
            if re.sub(r":\d*$", "", host).lower() not in self._names:
                why = (
                    f"Without a token this service answers requests for {', '.join(self._names)} only, not for "
                    f"{host[:200]!r}; ask for one of these, or start it with --token-file."
                )
                await problem_response(ProblemError(400, AccessError.code, why))(scope, receive, send)
                return
        await self._app(scope, receive, send)


class _TooSlowError(Exception):
    pass


class OwnPagesOnly:
    """ASGI middleware that refuses what a browser sends on behalf of another site's page (Fetch, Origin header).

    A form of any page can be posted here without asking first (no preflight), and needs no answer to do harm.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _is_foreign(Headers(scope=scope)):
            why = "Without a token this service answers no web page of another site; start it with --token-file."
            await _close(ProblemError(403, AccessError.code, why))(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_foreign(headers: Headers) -> bool:
    origin = headers.get("origin")
    site = headers.get("sec-fetch-site", "none")
    return site in ("cross-site", "same-site") or (
        origin is not None and origin.partition("://")[2] != headers.get("host", "")
    )


def allowed_hosts(settings: Settings) -> list[str] | None:
    """The names in Host headers that are answered, None for all.

    On loopback without a token only its own, so that no web page of a browser on this machine can ask by way of a name
    of its own.
    """
    return ["localhost", "127.0.0.1", "[::1]"] if settings.is_loopback and not settings.tokens else None
