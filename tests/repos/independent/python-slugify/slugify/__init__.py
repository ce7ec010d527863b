"""Readable identifiers from any text."""

from ._slugify import slugify
from ._tables import CYRILLIC, GERMAN, GREEK, PRE_TRANSLATIONS
from ._truncate import smart_truncate

__all__ = ["CYRILLIC", "GERMAN", "GREEK", "PRE_TRANSLATIONS", "slugify", "smart_truncate"]
