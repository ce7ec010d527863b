"""Replacement pairs for some alphabets."""


def _with_capital(pair):
    letter, plain = pair
    if letter != letter.lower() or letter.upper() == letter:
        return [pair]
    return [pair, (letter.upper(), plain.capitalize())]


def _table(*pairs):
    return [entry for pair in pairs for entry in _with_capital(pair)]


CYRILLIC = _table(
    ("\u0451", "e"),
    ("\u044f", "ya"),
    ("\u0445", "h"),
    ("\u0443", "y"),
    ("\u0449", "sch"),
    ("\u044e", "u"),
)

GERMAN = _table(
    ("\u00e4", "ae"),
    ("\u00f6", "oe"),
    ("\u00fc", "ue"),
)

GREEK = _table(
    ("\u03c7", "ch"),
    ("\u03c5", "y"),
    ("\u03cd", "y"),
    ("\u03cb", "y"),
    ("\u03b0", "y"),
) + [
    ("\u039e", "X"),
    ("\u03d2", "Y"),
]

PRE_TRANSLATIONS = CYRILLIC + GERMAN + GREEK
