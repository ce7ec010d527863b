"""Signing with a shared secret."""

from __future__ import annotations

import hmac
import json
import re
import sys
import warnings

from .exceptions import InsecureKeyLengthWarning, InvalidKeyError

HASHES = {"HS256": "sha256", "HS384": "sha384", "HS512": "sha512"}
"""The algorithms that sign, with their hashes."""

_HASH_SIZES = {"HS256": 32, "HS384": 48, "HS512": 64}

_PEM = re.compile(rb"^\s*-----BEGIN [A-Z0-9 ]+-----", re.MULTILINE)
_SSH = re.compile(
    rb"\s*(?:ssh-(?:rsa|dss|ed25519|ed448)|ecdsa-sha2-[\w-]+|sk-[\w-]+|"
    rb"---- BEGIN SSH2)(?:-cert-v\d+)?(?:@openssh\.com)?(?:\s|$)"
)


def sign(algorithm: str, secret: bytes, data: bytes) -> bytes:
    """Return the signature of the data."""
    return hmac.digest(secret, data, HASHES[algorithm])


def check_secret(algorithm: str, secret: str | bytes, enforce_length: bool) -> bytes:
    """Return the secret as bytes; raise `InvalidKeyError` if it cannot be used.

    :param algorithm: the algorithm that it is for
    :param secret: the secret
    :param enforce_length: refuse a secret shorter than the hash instead of warning
    """
    if isinstance(secret, str):
        secret = secret.encode("utf-8")
    elif not isinstance(secret, bytes):
        raise TypeError("a key must be a text, bytes or a PyJWK")
    if not secret:
        raise InvalidKeyError("the secret is empty")
    if _PEM.search(secret) or _SSH.match(secret) or _is_json_key(secret):
        raise InvalidKeyError("an asymmetric or JSON key is no shared secret")
    size = _HASH_SIZES[algorithm]
    if len(secret) < size:
        message = f"the secret has {len(secret)} bytes; {algorithm} needs at least {size}"
        if enforce_length:
            raise InvalidKeyError(message)
        warnings.warn(message, InsecureKeyLengthWarning, stacklevel=_caller_level())
    return secret


def _is_json_key(secret: bytes) -> bool:
    if not secret.lstrip().startswith(b"{"):
        return False
    try:
        data = json.loads(secret)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "kty" in data


def _caller_level() -> int:
    """Return the stack level, seen from the calling function, outside of this package."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
        level += 1
    return level
