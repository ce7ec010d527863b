"""Readable identifiers from any text."""

from .core import slugify, smart_truncate
from .tables import CYRILLIC, GERMAN, GREEK, PRE_TRANSLATIONS

__all__ = [
    "slugify",
    "smart_truncate",
    "CYRILLIC",
    "GERMAN",
    "GREEK",
    "PRE_TRANSLATIONS",
]
