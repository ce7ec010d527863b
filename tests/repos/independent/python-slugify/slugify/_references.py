"""Decoding of character references as HTML has them."""

from __future__ import annotations

import re
from html.entities import name2codepoint

_NAMED = re.compile("&(%s);" % "|".join(name2codepoint))
_DECIMAL = re.compile("&#([0-9]+);")
_HEXADECIMAL = re.compile("&#x([0-9a-fA-F]+);")
_HEXADECIMAL_ANY_X = re.compile("&#[xX]([0-9a-fA-F]+);")

_LAST_CODE_POINT = 0x10FFFF


def decode(
    text: str, named: bool, decimal: bool, hexadecimal: bool, *, modern: bool
) -> str:
    """Decode the references of the given kinds, one kind after the other.

    Those to code points that do not exist stay.  `modern` also keeps those to surrogates,
    and lets the x of hexadecimal ones be a capital.
    """
    if "&" not in text:
        return text
    if named:
        text = _NAMED.sub(lambda match: chr(name2codepoint[match[1]]), text)
    if decimal:
        text = _DECIMAL.sub(lambda match: _character(match, 10, modern), text)
    if hexadecimal:
        pattern = _HEXADECIMAL_ANY_X if modern else _HEXADECIMAL
        text = pattern.sub(lambda match: _character(match, 16, modern), text)
    return text


def _character(match: re.Match[str], base: int, modern: bool) -> str:
    """Return the character that a numeric reference stands for, or the reference itself."""
    digits = match[1].lstrip("0")
    if len(digits) > 7:  # more than any code point has
        return match[0]
    code = int(digits or "0", base)
    if code > _LAST_CODE_POINT or modern and 0xD800 <= code <= 0xDFFF:
        return match[0]
    return chr(code)
