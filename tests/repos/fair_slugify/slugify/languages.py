"""Replacement tables by language."""


def _with_capitals(pairs):
    table = []
    for letter, latin in pairs:
        capital = letter.upper()
        table.append((letter, latin))
        if capital != letter:
            table.append((capital, latin.capitalize()))
    return table


CYRILLIC = _with_capitals(zip("ёяхущю", ["e", "ya", "h", "y", "sch", "u"]))
GERMAN = _with_capitals([("ä", "ae"), ("ö", "oe"), ("ü", "ue")])
GREEK = _with_capitals([("χ", "ch"), ("Ξ", "X"), ("ϒ", "Y"), ("υ", "y"), ("ύ", "y"), ("ϋ", "y"), ("ΰ", "y")])
PRE_TRANSLATIONS = CYRILLIC + GERMAN + GREEK
