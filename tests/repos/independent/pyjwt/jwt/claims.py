"""The checks of a token's payload."""

from __future__ import annotations

import math
import time
from collections.abc import Container, Iterable, Mapping
from datetime import timedelta
from typing import Any

from .exceptions import (
    DecodeError,
    ExpiredSignatureError,
    ImmatureSignatureError,
    InvalidAudienceError,
    InvalidIssuedAtError,
    InvalidIssuerError,
    InvalidJTIError,
    InvalidSubjectError,
    InvalidTokenError,
    MissingRequiredClaimError,
)

Payload = Mapping[str, Any]


def check_claims(
    payload: Payload,
    options: Mapping[str, Any],
    audience: str | Iterable[str] | None,
    subject: str | None,
    issuer: str | Container[str] | None,
    leeway: float | timedelta,
) -> None:
    """Raise a subclass of `InvalidTokenError` for the first claim that is wrong."""
    if isinstance(leeway, timedelta):
        leeway = leeway.total_seconds()
    if not (audience is None or isinstance(audience, (str, Iterable))):
        raise TypeError("audience must be a text, an iterable of texts or None")
    required = options["require"]
    for claim in (required,) if isinstance(required, str) else required:
        if payload.get(claim) is None:
            raise MissingRequiredClaimError(claim)

    now = time.time()
    if options["verify_iat"] and "iat" in payload:
        if _number(payload, "iat", InvalidIssuedAtError) > now + leeway:
            raise ImmatureSignatureError("the token is not valid yet (iat)")
    if options["verify_nbf"] and "nbf" in payload:
        if _number(payload, "nbf", DecodeError) > now + leeway:
            raise ImmatureSignatureError("the token is not valid yet (nbf)")
    if options["verify_exp"] and "exp" in payload:
        if _number(payload, "exp", DecodeError) <= now - leeway:
            raise ExpiredSignatureError("the token has expired")
    if options["verify_iss"] and issuer is not None:
        _check_issuer(payload, issuer)
    if options["verify_aud"]:
        _check_audience(payload, audience, bool(options["strict_aud"]))
    if options["verify_sub"]:
        _check_subject(payload, subject)
    if options["verify_jti"] and not isinstance(payload.get("jti", ""), str):
        raise InvalidJTIError("the token's ID (jti) must be a text")


def _number(payload: Payload, claim: str, error: type[InvalidTokenError]) -> int | float:
    value = payload[claim]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise error(f"the claim {claim} must be a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise error(f"the claim {claim} must be a finite number")
    return value


def _check_issuer(payload: Payload, issuer: str | Container[str]) -> None:
    found = payload.get("iss")
    if found is None:
        raise MissingRequiredClaimError("iss")
    if not isinstance(found, str):
        raise InvalidIssuerError("the issuer (iss) must be a text")
    if not (found == issuer if isinstance(issuer, str) else found in issuer):
        raise InvalidIssuerError("the issuer is another")


def _check_audience(
    payload: Payload, audience: str | Iterable[str] | None, strict: bool
) -> None:
    found = payload.get("aud")
    if found is None:
        if audience is not None:
            raise MissingRequiredClaimError("aud")
        return
    if strict:
        if not (isinstance(found, str) and isinstance(audience, str) and found == audience):
            raise InvalidAudienceError("the audience is not exactly that one")
        return
    if isinstance(found, str):
        found = [found]
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise InvalidAudienceError("the audience (aud) must be a text or a list of texts")
    if audience is None:
        raise InvalidAudienceError("the token has an audience, but none was asked for")
    wanted = [audience] if isinstance(audience, str) else audience
    if not any(each in found for each in wanted):
        raise InvalidAudienceError("the audience is another")


def _check_subject(payload: Payload, subject: str | None) -> None:
    if "sub" not in payload:
        if subject is not None:
            raise InvalidSubjectError("the token has no subject")
        return
    found = payload["sub"]
    if not isinstance(found, str):
        raise InvalidSubjectError("the subject (sub) must be a text")
    if subject is not None and found != subject:
        raise InvalidSubjectError("the subject is another")
