from .languages import CYRILLIC, GERMAN, GREEK, PRE_TRANSLATIONS
from .words import smart_truncate, slugify

__all__ = ["CYRILLIC", "GERMAN", "GREEK", "PRE_TRANSLATIONS", "slugify", "smart_truncate"]
