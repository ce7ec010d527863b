"""What a service is told when it starts."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from qualityscore.errors import UsageError
from qualityscore.runtime.archives import ArchiveLimits
from qualityscore.runtime.sandbox.select import required_level

LEAST_TOKEN_CHARACTERS = 16
_NAME_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the service takes. Sizes in bytes, times in seconds."""

    body_bytes: int = 32 << 20
    body_s: float = 120.0
    queued: int = 256
    batch: int = 64
    streams: int = 64
    requests: int = 512
    rate_per_s: float = 20.0
    burst: int = 200
    evaluation_s: float = 3600.0
    wait_s: float = 3600.0
    keep_s: float = 86_400.0
    keep: int = 20_000
    archive: ArchiveLimits = field(
        default_factory=lambda: ArchiveLimits(archive_bytes=32 << 20, total_bytes=128 << 20, members=10_000)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """`tokens` maps the SHA-256 of a bearer token to its name; without any, everybody who reaches the port may ask.

    `tasks` are ids of bundled tasks and paths of others; `roots` are the folders below which a request may name paths.
    """

    host: str = "127.0.0.1"
    port: int = 8321
    data: Path
    tokens: dict[str, str] = field(default_factory=dict)
    roots: tuple[Path, ...] = ()
    tasks: tuple[str, ...] = ()
    lanes: int = 1
    unsafe: bool = False
    require_sandbox: str | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        return is_loopback(self.host)

    def check(self) -> None:
        """Raise UsageError for an unknown level, and for a service open to other machines without a token."""
        required_level(self.require_sandbox)
        if not self.is_loopback and not self.tokens:
            raise UsageError(
                f"The service will not listen on {self.host} without a token, since others can reach it there; "
                "give --token-file, or leave out --host."
            )


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own; a name other than localhost may be anybody's."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_tokens(lines: Iterable[str], origin: str) -> dict[str, str]:
    """Tokens by their digest, from lines `NAME TOKEN` (or `TOKEN` alone); empty lines and `#` lines are left out.

    A token without a name is named by its digest, wherever it stands. Raises UsageError for a token too short to be
    secret, and for a name or a token that occurs twice.
    """
    tokens: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        token = words[-1]
        digest = token_digest(token)
        name = words[0] if len(words) == 2 else f"token-{digest[:_NAME_DIGITS]}"
        if len(words) > 2 or len(token) < LEAST_TOKEN_CHARACTERS:
            shape = f"NAME TOKEN with at least {LEAST_TOKEN_CHARACTERS} characters of token"
            raise UsageError(f"{origin}, line {number}, is not {shape}.")
        if name in tokens.values():
            raise UsageError(f"{origin}, line {number}: the name {name!r} occurs twice.")
        if digest in tokens:
            raise UsageError(f"{origin}, line {number}: the token of {name!r} is that of {tokens[digest]!r}, too.")
        tokens[digest] = name
    if not tokens:
        raise UsageError(f"{origin} holds no token.")
    return tokens


def token_digest(token: str) -> str:
    """What of a token is kept."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
