"""URL-safe base64 without padding."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

_ENCODED = re.compile(rb"([A-Za-z0-9_-]*)(={0,2})")


def encode(data: bytes) -> bytes:
    """Return the data as base64."""
    return urlsafe_b64encode(data).rstrip(b"=")


def decode(text: bytes) -> bytes:
    """Return the data of a base64 text; raise `ValueError` if it is none.

    Padding may be left out, or must fill the text up to a multiple of four. Bits of the
    last character that belong to no byte must be 0, so that data has one text only.
    """
    match = _ENCODED.fullmatch(text)
    if match is None or (match[2] and len(text) % 4):
        raise ValueError("not URL-safe base64")
    data = urlsafe_b64decode(match[1] + b"=" * (-len(match[1]) % 4))
    if encode(data) != match[1]:
        raise ValueError("base64 with bits left over")
    return data
