"""Other scripts, accents, and references to characters."""

import slugify


def test_accents_are_taken_off():
    assert slugify.slugify("Ångström, naïve façade, Øresund") == "angstrom-naive-facade-oresund"
    assert slugify.slugify("Żółć gęślą jaźń") == "zolc-gesla-jazn"
    assert slugify.slugify("straße Æther œuvre") == "strasse-aether-oeuvre"


def test_other_scripts_are_transliterated():
    assert slugify.slugify("影師嗎") == "ying-shi-ma"
    assert slugify.slugify("Компьютер и мышь") == "kompiuter-i-mysh"
    assert slugify.slugify("Αθήνα") == "athena"


def test_composed_and_decomposed_text_give_the_same():
    composed, decomposed = "\u00e9t\u00e9 \u00e0 Z\u00fcrich", "e\u0301te\u0301 a\u0300 Zu\u0308rich"
    assert slugify.slugify(composed) == "ete-a-zurich"
    assert slugify.slugify(decomposed) == "ete-a-zurich"
    assert slugify.slugify(decomposed, allow_unicode=True) == "\u00e9t\u00e9-\u00e0-z\u00fcrich"


def test_compatibility_characters_become_plain_ones():
    assert slugify.slugify("ﬁne ２０２４ ①②") == "fine-2024-12"
    assert slugify.slugify("ﬁne ２０２４ Ⅷ", allow_unicode=True) == "fine-2024-viii"


def test_unicode_words_are_kept_on_request():
    assert slugify.slugify("Привет, мир! 你好", allow_unicode=True) == "привет-мир-你好"
    assert slugify.slugify("Ünïcode_Ört ÇA", allow_unicode=True) == "ünïcode-ört-ça"
    assert slugify.slugify("I ♥ Köln 🚀 now", allow_unicode=True) == "i-köln-now"


def test_symbols_and_pictures_are_dropped():
    assert slugify.slugify("i love 🦄 and 🐙🐙 much") == "i-love-and-much"
    assert slugify.slugify("left → right", allow_unicode=True) == "left-right"


def test_named_references_are_decoded():
    assert slugify.slugify("fish &amp; chips &lt;b&gt;") == "fish-chips-b"
    assert slugify.slugify("salt&nbsp;water &copy; me", allow_unicode=True) == "salt-water-me"
    assert slugify.slugify("fish &amp; chips", entities=False) == "fish-amp-chips"


def test_decimal_references_are_decoded():
    assert slugify.slugify("a&#98;c &#49;") == "abc-1"
    assert slugify.slugify("&#1046;ук", allow_unicode=True) == "жук"
    assert slugify.slugify("a&#98;c", decimal=False) == "a-98-c"


def test_hexadecimal_references_are_decoded():
    assert slugify.slugify("x&#x79;z &#x4E;") == "xyz-n"
    assert slugify.slugify("&#x416;ук", allow_unicode=True) == "жук"
    assert slugify.slugify("x&#x79;z", hexadecimal=False) == "x-x79-z"


def test_references_are_decoded_after_transliteration():
    assert slugify.slugify("caf&eacute;s") == "cafe-s"
    assert slugify.slugify("&#x17d;ilina and &#381;iar") == "z-ilina-and-z-iar"
    assert slugify.slugify("rock&#39;n&#x27;roll") == "rocknroll"


def test_the_ready_tables_transliterate_by_language():
    assert slugify.slugify("Über Größe, Äpfel", replacements=slugify.GERMAN) == "ueber-groesse-aepfel"
    assert slugify.slugify("Щука я хочу ёлку", replacements=slugify.CYRILLIC) == "schyka-ya-hochy-elky"
    assert slugify.slugify("Ξ χύμα", replacements=slugify.GREEK) == "x-chyma"
    assert slugify.slugify("ÜBER", replacements=slugify.GERMAN, lowercase=False) == "UeBER"


def test_all_tables_together():
    assert slugify.slugify("Юла über χάος", replacements=slugify.PRE_TRANSLATIONS) == "ula-ueber-chaos"
    assert [("ß", "ss") in slugify.GERMAN, ("ö", "oe") in slugify.GERMAN, ("Ö", "Oe") in slugify.PRE_TRANSLATIONS] == [
        False,
        True,
        True,
    ]
    assert len(slugify.PRE_TRANSLATIONS) == 30
