"""Applications."""

from __future__ import annotations

import functools
import html
import inspect
import io
import itertools
import json
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from bottle import _server
from bottle._context import Context, bind, current, request
from bottle._request import Request
from bottle._response import HTTPError, HTTPResponse, Response
from bottle._routing import Router, Rule
from bottle._structures import BottleException, recode

_BLOCK = 64 * 1024
_HOOKS = ("before_request", "after_request")

Decorator = Callable[[Callable], Callable]


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple, set)) else [value]


def _close(body: Any) -> None:
    close = getattr(body, "close", None)
    if close is not None:
        close()


def _default_path(callback: Callable) -> str:
    """The path for a function that is bound without one."""
    path = "/" + callback.__name__
    for parameter in inspect.signature(callback).parameters.values():
        is_named = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        if is_named and parameter.default is parameter.empty:
            path += f"/<{parameter.name}>"
    return path


class Route:
    """A function that is bound to a path, with its decorators."""

    def __init__(
        self,
        app: Bottle,
        rule: Rule,
        method: str,
        callback: Callable,
        name: str | None,
        apply: list[Decorator],
        skip: Any,
        config: dict[str, Any],
    ) -> None:
        self.app = app
        self.rule = rule
        self.method = method
        self.callback = callback
        self.name = name
        self.apply = apply
        self.skip = skip
        self.config = config
        self._decorated: Callable | None = None

    def reset(self) -> None:
        """Decorate the function anew at the next request."""
        self._decorated = None

    def _decorate(self) -> Callable:
        skip_all = self.skip is True
        skipped = [] if skip_all else _as_list(self.skip)
        installed = [] if skip_all else [p for p in self.app.plugins if p not in skipped]
        function = self.callback
        for decorator in reversed([*installed, *self.apply]):
            function = decorator(function)
        return function

    def call(self, **values: Any) -> Any:
        """Call the decorated function."""
        function = self._decorated
        if function is None:
            function = self._decorated = self._decorate()
        return function(**values)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.method} {self.rule.text}>"


class _Stream:
    """A body that is sent piece by piece, with its own request at hand."""

    def __init__(self, pieces: Iterator[Any], source: Any, context: Context, charset: str) -> None:
        self._pieces = pieces
        self._source = source
        self._context = context
        self._charset = charset

    def __iter__(self) -> _Stream:
        return self

    def __next__(self) -> bytes:
        before = bind(self._context)
        try:
            piece = next(self._pieces)
        finally:
            if before is not None:
                bind(before)
        if isinstance(piece, str):
            return piece.encode(self._charset)
        if not isinstance(piece, bytes):
            raise TypeError(f"a body consists of text or bytes, not {type(piece).__name__}")
        return piece

    def close(self) -> None:
        """Close what the pieces come from."""
        _close(self._source)


class Bottle:
    """An application: a WSGI callable that answers requests by functions.

    With ``catchall=False`` exceptions of the functions reach the server.
    Other arguments are kept in ``config``.
    """

    def __init__(self, **kwargs: Any) -> None:
        self.catchall: bool = kwargs.pop("catchall", True)
        self.debug: bool = kwargs.pop("debug", False)
        self.config: dict[str, Any] = kwargs
        self.routes: list[Route] = []
        self.plugins: list[Decorator] = []
        self._router = Router()
        self._named: dict[str, Route] = {}
        self._errors: dict[int, Callable[[HTTPError], Any]] = {}
        self._hooks: dict[str, list[Callable[[], Any]]] = {name: [] for name in _HOOKS}

    # -- routes -------------------------------------------------------------

    def route(
        self,
        path: str | Iterable[str] | None = None,
        method: str | Iterable[str] = "GET",
        callback: Callable | None = None,
        name: str | None = None,
        apply: Decorator | Iterable[Decorator] | None = None,
        skip: Any = None,
        **config: Any,
    ) -> Any:
        """Bind a function to requests, as a decorator or with *callback*.

        *skip* names installed decorators that this route does without; True
        stands for all of them.
        """
        if callable(path):
            path, callback = None, path

        def bind_route(function: Callable) -> Callable:
            for text in _as_list(path) or [_default_path(function)]:
                rule = Rule(text)
                for verb in _as_list(method):
                    self._add_route(
                        Route(
                            self, rule, verb.upper(), function, name, _as_list(apply), skip, config
                        )
                    )
            return function

        return bind_route if callback is None else bind_route(callback)

    def _add_route(self, route: Route) -> None:
        self.routes.append(route)
        self._router.add(route.rule, route.method, route)
        if route.name is not None:
            self._named.setdefault(route.name, route)

    def get(self, path: Any = None, method: Any = "GET", **options: Any) -> Any:
        """Bind a function to GET requests."""
        return self.route(path, method, **options)

    def post(self, path: Any = None, method: Any = "POST", **options: Any) -> Any:
        """Bind a function to POST requests."""
        return self.route(path, method, **options)

    def put(self, path: Any = None, method: Any = "PUT", **options: Any) -> Any:
        """Bind a function to PUT requests."""
        return self.route(path, method, **options)

    def delete(self, path: Any = None, method: Any = "DELETE", **options: Any) -> Any:
        """Bind a function to DELETE requests."""
        return self.route(path, method, **options)

    def patch(self, path: Any = None, method: Any = "PATCH", **options: Any) -> Any:
        """Bind a function to PATCH requests."""
        return self.route(path, method, **options)

    def get_url(self, routename: str, **kargs: Any) -> str:
        """The address of a named route; BottleException if there is none."""
        route = self._named.get(routename)
        if route is None:
            raise BottleException(f"no route has the name {routename!r}")
        context = current()
        base = context.request.environ.get("SCRIPT_NAME", "") if context is not None else ""
        return base.rstrip("/") + route.rule.build(kargs)

    def error(self, code: int = 500, callback: Callable[[HTTPError], Any] | None = None) -> Any:
        """Bind a function to answers with an error code."""

        def bind_error(function: Callable[[HTTPError], Any]) -> Callable[[HTTPError], Any]:
            self._errors[int(code)] = function
            return function

        return bind_error if callback is None else bind_error(callback)

    def hook(self, name: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
        """Run a function before or after requests."""
        if name not in self._hooks:
            raise ValueError(f"hooks are {' and '.join(_HOOKS)}, not {name!r}")

        def bind_hook(function: Callable[[], Any]) -> Callable[[], Any]:
            self._hooks[name].append(function)
            return function

        return bind_hook

    def install(self, plugin: Decorator) -> Decorator:
        """Put a decorator around all routes."""
        if not callable(plugin):
            raise TypeError("a decorator has to be callable")
        self.plugins.append(plugin)
        self._reset()
        return plugin

    def uninstall(self, plugin: Decorator) -> None:
        """Take a decorator off again."""
        self.plugins = [installed for installed in self.plugins if installed != plugin]
        self._reset()

    def _reset(self) -> None:
        for route in self.routes:
            route.reset()

    def mount(self, prefix: str, app: Any, **options: Any) -> None:
        """Pass requests below a prefix to another application."""
        if not (prefix.startswith("/") and prefix.endswith("/")):
            raise ValueError(f"a prefix begins and ends with a slash: {prefix!r}")
        if not isinstance(app, Bottle):
            options.setdefault("method", "ANY")
            self.route(f"{prefix}<rest:re:.*>", callback=_wsgi_callback(app), **options)
            return
        for inner in list(app.routes):
            callback = functools.update_wrapper(functools.partial(inner.call), inner.callback)
            self.route(
                prefix + inner.rule.text.lstrip("/"),
                **{"method": inner.method, "name": inner.name, "callback": callback, **options},
            )

    def run(self, **kwargs: Any) -> None:
        """Serve the application until the process ends."""
        _server.run(self, **kwargs)

    # -- requests -----------------------------------------------------------

    def __call__(self, environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
        context = Context(Request(environ), Response())
        bind(context)
        body = self._answer(context)
        bind(context)
        body = self._finish(context, body)
        start_response(context.response.status_line, context.response.header_list())
        return body

    def _answer(self, context: Context) -> Any:
        """Run hooks and function; returns a list of bytes, or a stream of them."""
        after = self._hooks["after_request"][::-1]
        try:
            body = self._attempt(context, lambda: self._dispatch(context.request))
        except BaseException:
            for hook in after:
                hook()
            raise
        for hook in after:
            try:
                hook()
            except Exception as error:
                _close(body)
                body = self._attempt(context, functools.partial(_reraise, error))
        return body

    def _dispatch(self, current_request: Request) -> Any:
        for hook in self._hooks["before_request"]:
            hook()
        path, method = current_request.path, current_request.method
        methods = [method, "ANY"]
        if method == "HEAD":
            methods.insert(1, "GET")
        found = self._router.find(path, methods)
        if found is None:
            allowed = self._router.allowed(path)
            if allowed:
                return HTTPError(405, "Method not allowed.", Allow=",".join(allowed))
            return HTTPError(404, f"Not found: {path!r}")
        route, current_request.url_args = found
        return route.call(**current_request.url_args)

    def _attempt(
        self, context: Context, produce: Callable[[], Any], use_handlers: bool = True
    ) -> Any:
        """The body for what *produce* returns or raises."""
        try:
            return self._cast(context, produce(), use_handlers)
        except HTTPResponse as raised:
            answer = raised
        except Exception as error:
            if not self.catchall:
                raise
            trace = traceback.format_exc()
            errors = context.request.environ.get("wsgi.errors", sys.stderr)
            errors.write(trace)
            errors.flush()
            answer = HTTPError(500, "Internal Server Error", error, trace)
        return self._attempt(context, lambda: answer, use_handlers)

    def _cast(self, context: Context, output: Any, use_handlers: bool) -> Any:
        """The body for what a function returned."""
        response = context.response
        if isinstance(output, HTTPResponse):
            response.adopt(output)
            if not isinstance(output, HTTPError):
                return self._cast(context, output.body, use_handlers)
            handler = self._errors.get(output.status_code) if use_handlers else None
            if handler is None:
                return [self._error_page(output).encode(response.charset, "xmlcharrefreplace")]
            return self._attempt(context, functools.partial(handler, output), use_handlers=False)
        if output is None or output is False:
            return []
        if isinstance(output, dict):
            text = json.dumps(output)
            response.content_type = "application/json"
            return [text.encode("utf-8")]
        if isinstance(output, str):
            return [output.encode(response.charset)] if output else []
        if isinstance(output, (bytes, bytearray, memoryview)):
            return [bytes(output)] if output else []
        if isinstance(output, (list, tuple)):
            return self._join(output, response.charset)
        if hasattr(output, "read"):
            return self._cast_file(context, output)
        return self._cast_iterable(context, output, use_handlers)

    @staticmethod
    def _join(pieces: Iterable[str | bytes], charset: str) -> list[bytes]:
        joined = b"".join(p.encode(charset) if isinstance(p, str) else p for p in pieces)
        return [joined] if joined else []

    @staticmethod
    def _cast_file(context: Context, file: Any) -> Any:
        wrapper = context.request.environ.get("wsgi.file_wrapper")
        if wrapper is not None and not isinstance(file, io.TextIOBase):
            return wrapper(file, _BLOCK)
        blocks = iter(lambda: file.read(_BLOCK) or None, None)
        return _Stream(blocks, file, context, context.response.charset)

    def _cast_iterable(self, context: Context, output: Any, use_handlers: bool) -> Any:
        """Take the first piece, so that errors and headers before it count."""
        iterator = iter(output)
        first = next((piece for piece in iterator if piece), None)
        if first is None:
            _close(output)
            return []
        if isinstance(first, HTTPResponse):
            _close(output)
            return self._cast(context, first, use_handlers)
        if not isinstance(first, (str, bytes)):
            _close(output)
            raise TypeError(f"a body consists of text or bytes, not {type(first).__name__}")
        pieces = itertools.chain([first], iterator)
        return _Stream(pieces, output, context, context.response.charset)

    def _error_page(self, error: HTTPError) -> str:
        status = html.escape(error.status_line)
        message = "" if error.body is None else html.escape(str(error.body))
        trace = f"<pre>{html.escape(error.traceback)}</pre>" if self.debug and error.traceback else ""
        return (
            f'<!DOCTYPE html>\n<html><head><meta charset="UTF-8"><title>Error: {status}</title>'
            f"</head>\n<body><h1>Error: {status}</h1>\n<p>{message}</p>{trace}</body></html>\n"
        )

    @staticmethod
    def _finish(context: Context, body: Any) -> Any:
        """Complete the headers; drop the body where none is sent."""
        response = context.response
        headers = response.headers
        code = response.status_code
        is_head = context.request.method == "HEAD"
        if code < 200 or code in (204, 304):
            for name in ("Content-Type", "Content-Length"):
                headers.pop(name, None)
            _close(body)
            return []
        headers.setdefault("Content-Type", response.default_content_type)
        if isinstance(body, list) and not (is_head and "Content-Length" in headers):
            headers["Content-Length"] = str(sum(map(len, body)))
        if is_head:
            _close(body)
            return []
        return body


def _reraise(error: Exception) -> Any:
    raise error


def _wsgi_callback(app: Callable) -> Callable[[str], HTTPResponse]:
    """A function that answers by a WSGI application."""

    def call_application(rest: str) -> HTTPResponse:
        environ = dict(request.environ)
        if request.body_was_read:  # type: ignore[attr-defined]
            environ["wsgi.input"] = request.body
            if request.content_length < 0:
                size = request.body.seek(0, io.SEEK_END)
                request.body  # back to the beginning
                environ["CONTENT_LENGTH"] = str(size)
                environ.pop("HTTP_TRANSFER_ENCODING", None)
        path = request.path
        base = path[: len(path) - len(rest)].rstrip("/")
        environ["SCRIPT_NAME"] = environ.get("SCRIPT_NAME", "").rstrip("/") + _wsgi_text(base)
        environ["PATH_INFO"] = "/" + _wsgi_text(rest)

        answer = HTTPResponse()
        started = False
        written: list[bytes] = []

        def start_response(status: str, headers: list, exc_info: Any = None) -> Callable:
            nonlocal started
            started = True
            code, _, reason = status.partition(" ")
            answer.status = f"{code} {reason}" if reason.strip() else int(code)
            answer.headers.clear()
            for name, value in headers:
                answer.add_header(name, recode(value))
            return written.append

        context = current()
        try:
            source = app(environ, start_response)
            iterator = iter(source)
            first = list(itertools.islice(iterator, 1)) if not started else []
        finally:
            bind(context)
        if not started:
            raise RuntimeError("the mounted application did not call start_response")
        if isinstance(source, (list, tuple)) and not written:
            answer.body = list(source)
        else:
            answer.body = _Chain(itertools.chain(written, first, iterator), source)
        return answer

    return call_application


class _Chain:
    """An iterator that closes its source."""

    def __init__(self, pieces: Iterator[bytes], source: Any) -> None:
        self._pieces = pieces
        self._source = source

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        """Close the source."""
        _close(self._source)


def _wsgi_text(text: str) -> str:
    return text.encode("utf-8").decode("latin-1")
