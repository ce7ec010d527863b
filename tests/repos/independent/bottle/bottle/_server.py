"""The server."""

from __future__ import annotations

import argparse
import importlib
import os
import socket
import sys
import warnings
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


class _Server(ThreadingMixIn, WSGIServer):
    """Answers each connection in a thread of its own."""

    daemon_threads = True


class _ServerV6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    def address_string(self) -> str:
        """The client's address, without asking for its name."""
        return self.client_address[0]


class _QuietHandler(_Handler):
    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


def load(target: str) -> Any:
    """The object that is written as ``MODULE:NAME``."""
    module_name, colon, name = target.partition(":")
    if not colon or not module_name or not name:
        raise ValueError(f"an application is written as MODULE:NAME, not {target!r}")
    found = importlib.import_module(module_name)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def run(
    app: Any = None,
    server: str = "wsgiref",
    host: str = "127.0.0.1",
    port: int = 8080,
    interval: float = 1,
    reloader: bool = False,
    quiet: bool = False,
    plugins: Iterable[Callable] | None = None,
    debug: bool | None = None,
    config: dict[str, Any] | None = None,
    **kargs: Any,
) -> None:
    """Serve an application, an object or ``MODULE:NAME``, until the process ends.

    *plugins*, *debug* and *config* are passed to the application, other
    arguments to :func:`wsgiref.simple_server.make_server`.
    """
    if isinstance(app, str):
        app = load(app)
    if not callable(app):
        raise ValueError(f"not an application: {app!r}")
    if server != "wsgiref":
        raise ValueError(f"the only server is 'wsgiref', not {server!r}")
    if reloader:
        warnings.warn("reloader is not supported", stacklevel=2)
    for plugin in plugins or ():
        app.install(plugin)
    if debug is not None:
        app.debug = debug
    if config:
        app.config.update(config)
    options = {
        "server_class": _ServerV6 if ":" in host else _Server,
        "handler_class": _QuietHandler if quiet else _Handler,
        **kargs,
    }
    with make_server(host, int(port), app, **options) as httpd:
        if not quiet:
            shown = f"[{host}]" if ":" in host else host
            print(f"Listening on http://{shown}:{httpd.server_port}/", file=sys.stderr, flush=True)
        try:
            httpd.serve_forever()
        except KeyboardInterrupt:
            pass


def _split_address(address: str) -> tuple[str, int]:
    """Host and port."""
    host, colon, port = address.rpartition(":")
    if not colon or (address.startswith("[") and address.endswith("]")):
        host, port = address, "8080"
    return host.strip("[]") or "127.0.0.1", int(port)


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bottle", description="Serve an application.")
    parser.add_argument("app", metavar="MODULE:NAME", help="the application")
    parser.add_argument("--bind", metavar="HOST:PORT", default="127.0.0.1:8080")
    parser.add_argument("--quiet", action="store_true", help="write no log")
    options = parser.parse_args(arguments)
    try:
        host, port = _split_address(options.bind)
    except ValueError:
        parser.error(f"not an address: {options.bind!r}")
    sys.path.insert(0, os.getcwd())
    try:
        app = load(options.app)
    except (ValueError, ImportError, AttributeError) as error:
        parser.error(str(error))
    run(app, host=host, port=port, quiet=options.quiet)
