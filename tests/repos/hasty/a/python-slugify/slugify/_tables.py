"""Replacement pairs for letters of some languages."""


def _with_capitals(*pairs):
    table = []
    for letter, latin in pairs:
        table.append((letter, latin))
        if letter.upper() != letter:
            table.append((letter.upper(), latin[0].upper() + latin[1:]))
    return table


CYRILLIC = _with_capitals(
    ("\u0451", "e"),
    ("\u044f", "ya"),
    ("\u0445", "h"),
    ("\u0443", "y"),
    ("\u0449", "sch"),
    ("\u044e", "u"),
)

GERMAN = _with_capitals(
    ("\u00e4", "ae"),
    ("\u00f6", "oe"),
    ("\u00fc", "ue"),
)

GREEK = _with_capitals(
    ("\u03c7", "ch"),
    ("\u039e", "X"),
    ("\u03d2", "Y"),
    ("\u03c5", "y"),
    ("\u03cd", "y"),
    ("\u03cb", "y"),
    ("\u03b0", "y"),
)

PRE_TRANSLATIONS = CYRILLIC + GERMAN + GREEK
