"""Properties of the inflection task: each docstring states the documented claim."""

import inflection
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.lists(st.text("abcdefgh", min_size=2, max_size=6), min_size=1, max_size=5)
REGULAR = st.text("bcdg", min_size=2, max_size=8)


@given(WORDS)
def prop_camel_case_comes_back(words):
    """underscore undoes camelize where words have two letters or more."""
    snake = "_".join(words)
    assert inflection.underscore(inflection.camelize(snake)) == snake
    assert inflection.underscore(inflection.camelize(snake, False)) == snake


@given(WORDS)
def prop_dashes_stand_for_underscores(words):
    """dasherize changes underscores and nothing else."""
    assert inflection.dasherize("_".join(words)) == "-".join(words)


@given(st.integers(-(10**12), 10**12))
def prop_ordinals_end_as_they_are_spoken(number):
    """An ordinal is the number with the ending of its last digit, th for the teens."""
    last = abs(number) % 100
    ending = "th" if last in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(last % 10, "th")
    assert inflection.ordinal(number) == ending
    assert inflection.ordinalize(number) == f"{number}{ending}"


@given(REGULAR)
def prop_regular_words_take_an_s(word):
    """A word that ends in none of the exceptional letters has a plural with s, which singularize undoes."""
    assert inflection.pluralize(word) == f"{word}s"
    assert inflection.singularize(f"{word}s") == word


@given(st.text(max_size=30))
def prop_addresses_are_plain(text):
    """parameterize gives small letters, digits, underscores and single hyphens, none of them at an end, and keeps them."""
    address = inflection.parameterize(text)
    assert set(address) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_")
    assert "--" not in address
    assert not address.startswith("-")
    assert not address.endswith("-")
    assert inflection.parameterize(address) == address


@given(st.text(max_size=30))
def prop_transliterated_texts_are_ascii(text):
    """transliterate gives ASCII, and leaves ASCII alone."""
    plain = inflection.transliterate(text)
    assert plain.isascii()
    assert inflection.transliterate(plain) == plain


@given(WORDS)
def prop_titles_begin_every_word_with_a_capital(words):
    """titleize capitalises the words of an identifier."""
    assert inflection.titleize("_".join([*words, "end"])) == " ".join(word.capitalize() for word in [*words, "end"])
