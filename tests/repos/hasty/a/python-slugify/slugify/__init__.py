"""Readable identifiers from any text."""

from ._slug import slugify, smart_truncate
from ._tables import CYRILLIC, GERMAN, GREEK, PRE_TRANSLATIONS

__all__ = ("slugify", "smart_truncate", "CYRILLIC", "GERMAN", "GREEK", "PRE_TRANSLATIONS")
