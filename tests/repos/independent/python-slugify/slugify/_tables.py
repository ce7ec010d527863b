"""Replacement pairs for letters that some languages transliterate in their own way."""

from __future__ import annotations


def _with_capitals(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Add to each pair of a lower-case letter the one of its capital."""
    result = []
    for letter, replacement in pairs:
        result.append((letter, replacement))
        if letter.islower():
            result.append((letter.upper(), replacement.capitalize()))
    return result


CYRILLIC = _with_capitals(
    [("ё", "e"), ("я", "ya"), ("х", "h"), ("у", "y"), ("щ", "sch"), ("ю", "u")]
)

GERMAN = _with_capitals([("ä", "ae"), ("ö", "oe"), ("ü", "ue")])

# ϒ is the hooked upsilon, a capital already as Ξ is.
GREEK = _with_capitals(
    [
        ("χ", "ch"),
        ("Ξ", "X"),
        ("ϒ", "Y"),
        ("υ", "y"),
        ("ύ", "y"),
        ("ϋ", "y"),
        ("ΰ", "y"),
    ]
)

PRE_TRANSLATIONS = CYRILLIC + GERMAN + GREEK
