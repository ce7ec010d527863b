"""`qualityscore serve`: the scoring service."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from qualityscore.errors import HarnessError, UsageError

if TYPE_CHECKING:
    from qualityscore.server.settings import Settings

TOKENS_VARIABLE = "QUALITYSCORE_TOKENS"
_MOST = 1e12


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "serve",
        help="run the scoring service",
        description="Evaluate over HTTP; see /openapi.json. Needs the extra: pip install 'qualityscore[server]'.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (loopback unless told otherwise)")
    parser.add_argument("--port", type=int, default=8321, help="the port to listen on (8321); 0 for any free one")
    parser.add_argument("--data", metavar="DIR", help="the folder of the queue (default: the user's state folder)")
    parser.add_argument("--token-file", metavar="FILE", help=f"lines NAME TOKEN; ${TOKENS_VARIABLE} is taken otherwise")
    parser.add_argument("--root", action="append", default=[], metavar="DIR", help="requests may name paths below it")
    parser.add_argument("--task", action="append", default=[], metavar="ID_OR_PATH", help="serve these tasks only")
    parser.add_argument("--jobs", type=int, metavar="N", help="evaluations at a time (default: one for each core)")
    parser.add_argument("--queue", type=int, default=256, metavar="N", help="how many may wait (256)")
    parser.add_argument("--max-body", type=int, default=32 << 20, metavar="BYTES", help="largest request (32 MiB)")
    parser.add_argument("--rate", type=float, default=20.0, metavar="R", help="subjects a second per token (20)")
    parser.add_argument("--timeout", type=float, default=3600.0, metavar="S", help="seconds per subject (3600)")
    parser.add_argument("--keep", type=float, default=86_400.0, metavar="S", help="seconds to keep results (a day)")
    parser.add_argument("--unsafe", action="store_true", help="run without a sandbox where none works (dangerous)")
    parser.add_argument(
        "--require-sandbox", metavar="LEVEL", help="container, namespace or landlock: refuse to run in a weaker one"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until told to end."""
    try:
        import uvicorn  # noqa: PLC0415

        from qualityscore.server.app import build_app  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(
            f"The service needs packages that are not installed ({error.name}); pip install 'qualityscore[server]'."
        ) from error
    settings = _settings(arguments)
    settings.check()
    listening = _listening(settings.host, settings.port)
    sys.stderr.write(f"qualityscore starts {settings.lanes} workers; wait for /healthz to answer\n")
    sys.stderr.flush()
    app = build_app(settings)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            for server in self.servers:
                for listening in server.sockets:
                    address = listening.getsockname()
                    host = f"[{address[0]}]" if ":" in address[0] else address[0]
                    sys.stderr.write(f"qualityscore serves on http://{host}:{address[1]}\n")
            sys.stderr.flush()

    server = Server(config)
    with contextlib.suppress(KeyboardInterrupt):  # it has shut down by then; ending is what a service is told to do
        server.run(sockets=listening)
    if not server.started:
        raise HarnessError(f"The service does not start on {settings.host}:{settings.port}; its log says why.")
    return 0


def _listening(host: str, port: int) -> list[socket.socket]:
    """Sockets bound to every address of a host. Raises UsageError where there is none that can be had."""
    found: list[socket.socket] = []
    problem: OSError | None = None
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in dict.fromkeys(addresses):
            try:
                one = socket.socket(family, kind, protocol)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                one.bind(address)
                found.append(one)
            except OSError as error:
                problem = error
                if error.errno == errno.EADDRINUSE:
                    break
    except (OSError, OverflowError, UnicodeError) as error:
        raise _no_place(host, port, error) from error
    if problem is not None and (problem.errno == errno.EADDRINUSE or not found):
        for one in found:
            one.close()
        raise _no_place(host, port, problem)
    return found


def _no_place(host: str, port: int, error: Exception) -> UsageError:
    taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
    reason = "another program listens there" if taken else (error.strerror if isinstance(error, OSError) else error)
    return UsageError(f"The service cannot listen on {host}:{port}: {reason}; give another --port or --host.")


def _settings(arguments: argparse.Namespace) -> Settings:
    import platformdirs  # noqa: PLC0415

    from qualityscore.execution.local_engine import LONGEST_S, default_lanes  # noqa: PLC0415
    from qualityscore.server.settings import Limits, Settings  # noqa: PLC0415

    for name in ("queue", "max_body", "rate", "timeout", "keep"):
        given, most = getattr(arguments, name), LONGEST_S if name == "timeout" else _MOST
        if not 0 < given <= most:
            raise UsageError(f"--{name.replace('_', '-')} {given:g} is not above 0 and up to {most:.0f}.")
    if arguments.jobs is not None and not 1 <= arguments.jobs <= 4096:
        raise UsageError(f"--jobs {arguments.jobs} is not a number from 1 to 4096.")
    roots = tuple(Path(root).resolve() for root in arguments.root)
    for root in roots:
        if not root.is_dir():
            raise UsageError(f"--root {root} is not a folder.")
    data = Path(arguments.data) if arguments.data else platformdirs.user_state_path("qualityscore") / "server"
    return Settings(
        host=arguments.host,
        port=arguments.port,
        data=data.resolve(),
        tokens=_tokens(arguments.token_file),
        roots=roots,
        tasks=tuple(arguments.task),
        lanes=arguments.jobs or default_lanes(),
        unsafe=arguments.unsafe,
        require_sandbox=arguments.require_sandbox,
        limits=Limits(
            queued=arguments.queue,
            body_bytes=arguments.max_body,
            rate_per_s=arguments.rate,
            burst=max(64, int(arguments.rate * 10)),
            evaluation_s=arguments.timeout,
            keep_s=arguments.keep,
        ),
    )


def _tokens(file: str | None) -> dict[str, str]:
    from qualityscore.server.settings import read_tokens  # noqa: PLC0415

    if file is not None:
        try:
            return read_tokens(Path(file).read_text("utf-8").splitlines(), file)
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"The token file {file} cannot be read: {error}.") from error
    if os.environ.get(TOKENS_VARIABLE):
        return read_tokens(os.environ[TOKENS_VARIABLE].splitlines(), f"${TOKENS_VARIABLE}")
    return {}
