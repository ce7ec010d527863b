"""Making and checking tokens."""

from __future__ import annotations

import hmac
import json
from calendar import timegm
from collections.abc import Container, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from . import _base64
from .algorithms import HASHES, check_secret, sign
from .claims import check_claims
from .exceptions import (
    DecodeError,
    InvalidAlgorithmError,
    InvalidKeyError,
    InvalidSignatureError,
    InvalidTokenError,
)
from .keys import PyJWK

Key = str | bytes | PyJWK | None

_CHECKS = ("exp", "nbf", "iat", "aud", "iss", "sub", "jti")


class _Default(str):
    """The default algorithm; an object of its own to tell it from one that is given."""


_DEFAULT_ALGORITHM = _Default("HS256")


class _Parts(NamedTuple):
    """A token taken apart."""

    header: dict[str, Any]
    payload: bytes
    signature: bytes
    signed: bytes


class PyJWT:
    """Makes and checks tokens, with default options of its own."""

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        """Keep the options as the defaults of every call.

        Besides those of `decode`, `enforce_minimum_key_length` makes secrets that are
        shorter than the hash raise `InvalidKeyError`.
        """
        self.options = dict(options or {})

    def encode(
        self,
        payload: dict[str, Any],
        key: Key,
        algorithm: str | None = _DEFAULT_ALGORITHM,
        headers: dict[str, Any] | None = None,
        json_encoder: type[json.JSONEncoder] | None = None,
        sort_headers: bool = True,
    ) -> str:
        """Return a token.

        :param payload: the claims; times may be `datetime` objects
        :param key: the secret
        :param algorithm: what to sign with; None for an unsigned token
        :param headers: adds to the header or replaces parts of it
        :param json_encoder: writes what JSON cannot
        :param sort_headers: sort the names in the header
        """
        if not isinstance(payload, dict):
            raise TypeError("the payload must be a dictionary")
        if not isinstance(payload.get("iss", ""), str):
            raise TypeError("the issuer (iss) must be a text")
        headers = dict(headers or {})
        if not isinstance(headers.get("kid", ""), str):
            raise InvalidTokenError("the key ID (kid) must be a text")

        if headers.get("alg") is not None:
            algorithm = headers["alg"]
        elif isinstance(key, PyJWK) and algorithm is _DEFAULT_ALGORITHM:
            algorithm = key.algorithm_name
        if algorithm is None:
            algorithm = "none"
        secret = self._signing_secret(algorithm, key)

        header: dict[str, Any] = {"typ": "JWT", "alg": algorithm}
        header.update(headers)
        header["alg"] = str(algorithm)
        if header["typ"] is None:
            del header["typ"]
        claims = {
            name: timegm(value.utctimetuple())
            if name in ("exp", "iat", "nbf") and isinstance(value, datetime)
            else value
            for name, value in payload.items()
        }
        signed = b".".join(
            _base64.encode(
                json.dumps(
                    part, separators=(",", ":"), cls=json_encoder, sort_keys=sort
                ).encode("utf-8")
            )
            for part, sort in ((header, sort_headers), (claims, False))
        )
        signature = b"" if secret is None else sign(algorithm, secret, signed)
        return (signed + b"." + _base64.encode(signature)).decode("ascii")

    def decode(
        self,
        jwt: str | bytes,
        key: Key = "",
        algorithms: Iterable[str] | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        audience: str | Iterable[str] | None = None,
        subject: str | None = None,
        issuer: str | Container[str] | None = None,
        leeway: float | timedelta = 0,
    ) -> dict[str, Any]:
        """Check a token and return its payload; see `decode_complete`."""
        complete = self.decode_complete(
            jwt,
            key,
            algorithms,
            options,
            audience=audience,
            subject=subject,
            issuer=issuer,
            leeway=leeway,
        )
        return complete["payload"]

    def decode_complete(
        self,
        jwt: str | bytes,
        key: Key = "",
        algorithms: Iterable[str] | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        audience: str | Iterable[str] | None = None,
        subject: str | None = None,
        issuer: str | Container[str] | None = None,
        leeway: float | timedelta = 0,
    ) -> dict[str, Any]:
        """Check a token and return its `header`, `payload` and `signature`.

        What is wrong with the token raises a subclass of `InvalidTokenError`.

        :param jwt: the token
        :param key: the secret
        :param algorithms: the algorithms that are accepted
        :param options: which checks to make
        :param audience: the accepted audience or audiences
        :param subject: the accepted subject
        :param issuer: the accepted issuer or issuers
        :param leeway: how far clocks may differ, in seconds or as a `timedelta`
        """
        merged = self._merged_options(options)
        parts = _take_apart(jwt)
        if merged["verify_signature"]:
            self._check_signature(parts, key, algorithms, merged)
        payload = _json_object(parts.payload, "payload")
        check_claims(payload, merged, audience, subject, issuer, leeway)
        return {"header": parts.header, "payload": payload, "signature": parts.signature}

    def _merged_options(self, options: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return all options, with their defaults."""
        if options is not None and not isinstance(options, Mapping):
            raise TypeError("the options must be a dictionary")
        given = {**self.options, **(options or {})}
        checking = bool(given.get("verify_signature", True))
        merged: dict[str, Any] = {f"verify_{name}": checking for name in _CHECKS}
        merged.update(
            verify_signature=checking,
            require=(),
            strict_aud=False,
            enforce_minimum_key_length=False,
        )
        merged.update(given)
        return merged

    def _signing_secret(self, algorithm: Any, key: Key) -> bytes | None:
        """Return the secret to sign with, None for an unsigned token."""
        if algorithm == "none":
            if isinstance(key, PyJWK) or key not in (None, "", b""):
                raise InvalidKeyError("an unsigned token needs no key")
            return None
        if not isinstance(algorithm, str) or algorithm not in HASHES:
            raise NotImplementedError(f"the algorithm {algorithm!r} is not supported")
        enforce = bool(self.options.get("enforce_minimum_key_length", False))
        return check_secret(algorithm, _secret_of(key), enforce)

    @staticmethod
    def _check_signature(
        parts: _Parts, key: Key, algorithms: Iterable[str] | None, options: Mapping[str, Any]
    ) -> None:
        """Raise an error if the signature, or the algorithm, is not the right one."""
        allowed = (algorithms,) if isinstance(algorithms, str) else tuple(algorithms or ())
        if isinstance(key, PyJWK):
            if algorithms is None or key.algorithm_name in allowed:
                allowed = (key.algorithm_name,)
            else:
                allowed = ()
        elif not allowed:
            raise DecodeError("the accepted algorithms must be given")

        algorithm = parts.header.get("alg")
        if not isinstance(algorithm, str):
            raise InvalidAlgorithmError("the header names no algorithm")
        if algorithm not in allowed:
            raise InvalidAlgorithmError("the algorithm is not allowed")
        if algorithm == "none":
            raise InvalidSignatureError("the token is not signed")
        if algorithm not in HASHES:
            raise InvalidAlgorithmError("the algorithm is not supported")
        secret = check_secret(
            algorithm, _secret_of(key), bool(options["enforce_minimum_key_length"])
        )
        if not hmac.compare_digest(sign(algorithm, secret, parts.signed), parts.signature):
            raise InvalidSignatureError("the signature does not fit")


def _secret_of(key: Key) -> Any:
    return key.key if isinstance(key, PyJWK) else key


def _take_apart(token: str | bytes) -> _Parts:
    """Return the parts of a token; raise an error if it is malformed."""
    if isinstance(token, str):
        try:
            token = token.encode("ascii")
        except UnicodeEncodeError as error:
            raise DecodeError("a token has ASCII characters only") from error
    elif not isinstance(token, bytes):
        raise DecodeError("a token must be a text or bytes")
    encoded = token.split(b".", 3)
    if len(encoded) != 3:
        raise DecodeError("a token must have three parts")
    decoded = []
    for name, part in zip(("header", "payload", "signature"), encoded):
        try:
            decoded.append(_base64.decode(part))
        except ValueError as error:
            raise DecodeError(f"the {name} is not base64") from error
    header = _json_object(decoded[0], "header")
    _check_header(header)
    return _Parts(header, decoded[1], decoded[2], token[: token.rindex(b".")])


def _json_object(data: bytes, name: str) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DecodeError(f"the {name} is not JSON") from error
    if not isinstance(value, dict):
        raise DecodeError(f"the {name} is no JSON object")
    return value


def _check_header(header: Mapping[str, Any]) -> None:
    """Raise an error for a `kid` or a `crit` that is not accepted."""
    if not isinstance(header.get("kid", ""), str):
        raise InvalidTokenError("the key ID (kid) must be a text")
    if "crit" in header:
        names = header["crit"]
        if not isinstance(names, list) or not names:
            raise InvalidTokenError("crit must be a list that is not empty")
        if any(name != "b64" for name in names):
            raise InvalidTokenError("crit names an extension that is not supported")
    if header.get("b64") is False:
        raise DecodeError("a payload that is not base64 is not supported")


_default = PyJWT()


def encode(
    payload: dict[str, Any],
    key: Key,
    algorithm: str | None = _DEFAULT_ALGORITHM,
    headers: dict[str, Any] | None = None,
    json_encoder: type[json.JSONEncoder] | None = None,
    sort_headers: bool = True,
) -> str:
    """Return a token from a payload; see `PyJWT.encode`."""
    return _default.encode(payload, key, algorithm, headers, json_encoder, sort_headers)


def decode(
    jwt: str | bytes,
    key: Key = "",
    algorithms: Iterable[str] | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    audience: str | Iterable[str] | None = None,
    subject: str | None = None,
    issuer: str | Container[str] | None = None,
    leeway: float | timedelta = 0,
) -> dict[str, Any]:
    """Check a token and return its payload; see `PyJWT.decode_complete`."""
    complete = decode_complete(
        jwt,
        key,
        algorithms,
        options,
        audience=audience,
        subject=subject,
        issuer=issuer,
        leeway=leeway,
    )
    return complete["payload"]


def decode_complete(
    jwt: str | bytes,
    key: Key = "",
    algorithms: Iterable[str] | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    audience: str | Iterable[str] | None = None,
    subject: str | None = None,
    issuer: str | Container[str] | None = None,
    leeway: float | timedelta = 0,
) -> dict[str, Any]:
    """Check a token and return all of it; see `PyJWT.decode_complete`."""
    return _default.decode_complete(
        jwt,
        key,
        algorithms,
        options,
        audience=audience,
        subject=subject,
        issuer=issuer,
        leeway=leeway,
    )


def get_unverified_header(jwt: str | bytes) -> dict[str, Any]:
    """Return the header of a token without checking the signature."""
    return _take_apart(jwt).header
