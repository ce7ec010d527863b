"""The request that is being answered, in each thread its own."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple, cast

from bottle._request import Request
from bottle._response import Response


class Context(NamedTuple):
    """A request and what is sent besides the body."""

    request: Request
    response: Response


class _Current(threading.local):
    context: Context | None = None


_current = _Current()


def bind(context: Context | None) -> Context | None:
    """Make *context* the current one; returns the one before."""
    before = _current.context
    _current.context = context
    return before


def current() -> Context | None:
    """The current context, if there is one."""
    return _current.context


class _Proxy:
    """Stands for a part of the current context."""

    __slots__ = ("_part",)
    _part: str

    def __init__(self, part: str) -> None:
        object.__setattr__(self, "_part", part)

    def _target(self) -> Any:
        if _current.context is None:
            raise RuntimeError(f"no request is being answered: there is no {self._part}")
        return getattr(_current.context, self._part)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._target(), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._target(), name)

    def __dir__(self) -> list[str]:
        return dir(self._target()) if _current.context else []

    def __repr__(self) -> str:
        return repr(self._target()) if _current.context else f"<no {self._part}>"


request = cast(Request, _Proxy("request"))
response = cast(Response, _Proxy("response"))
