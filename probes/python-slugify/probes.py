"""Properties of the python-slugify task: each docstring states the documented claim."""

import re
import unicodedata

import slugify
from hypothesis import given
from hypothesis import strategies as st

TEXT = st.text(max_size=60)
ASCII = st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="&"), max_size=60)
WORD = st.text(st.sampled_from("abcdefghijkmnopqrstuvwyz0123456789"), min_size=1, max_size=8)
WORDS = st.lists(WORD, max_size=8)
ALGORITHM = st.sampled_from(["legacy", "modern"])


@given(TEXT, ALGORITHM)
def prop_a_slug_has_only_lower_case_letters_digits_and_single_dashes(text, algorithm):
    """By default a slug consists of lower-case ASCII letters and digits with single dashes between words."""
    slug = slugify.slugify(text, algorithm=algorithm)
    assert re.fullmatch(r"(?:[a-z0-9]+(?:-[a-z0-9]+)*)?", slug)


@given(TEXT, ALGORITHM)
def prop_a_slug_of_a_slug_is_itself(text, algorithm):
    """A slug has nothing left to change."""
    slug = slugify.slugify(text, algorithm=algorithm)
    assert slugify.slugify(slug, algorithm=algorithm) == slug


@given(WORDS, st.lists(st.sampled_from([" ", "  ", "!", " - ", "_", "... ", "'", "\n", "(", "/"]), min_size=9, max_size=9))
def prop_words_stay_and_what_is_between_becomes_a_dash(words, gaps):
    """Letters and digits stay, and every run of other characters between them is one dash."""
    text = gaps[0] + "".join(word + gap for word, gap in zip(words, gaps[1:] + gaps))
    assert slugify.slugify(text) == "-".join(words)
    assert slugify.slugify(text.upper()) == "-".join(words)
    assert slugify.slugify(text.upper(), lowercase=False) == "-".join(words).upper()


@given(WORDS, st.text(max_size=5), ALGORITHM)
def prop_the_separator_takes_the_place_of_dashes(words, separator, algorithm):
    """Every dash of the slug becomes the separator, whatever that is."""
    assert slugify.slugify(" ".join(words), separator=separator, algorithm=algorithm) == separator.join(words)


@given(WORDS, st.lists(WORD, max_size=4))
def prop_stop_words_are_left_out(words, stopwords):
    """Words that are stop words, whatever their case, are left out and the others stay in order."""
    expected = "-".join(word for word in words if word not in stopwords)
    assert slugify.slugify(" ".join(words), stopwords=[word.upper() for word in stopwords]) == expected


@given(TEXT, st.integers(1, 40), st.booleans(), st.booleans(), ALGORITHM)
def prop_a_slug_is_never_longer_than_its_limit(text, limit, word_boundary, save_order, algorithm):
    """With a one-character separator a slug has at most max_length characters and no separator at its ends."""
    options = {"max_length": limit, "word_boundary": word_boundary, "save_order": save_order, "algorithm": algorithm}
    slug = slugify.slugify(text, **options)
    whole = slugify.slugify(text, algorithm=algorithm)
    assert len(slug) <= limit
    assert slug.strip("-") == slug
    assert slug == whole if len(whole) <= limit else len(slug) < len(whole)


@given(WORDS, st.integers(1, 30), st.text(min_size=2, max_size=4))
def prop_modern_limits_count_separators_as_written(words, limit, separator):
    """By the modern algorithm the slug with its separators has at most max_length characters."""
    options = {"max_length": limit, "separator": separator, "algorithm": "modern"}
    assert len(slugify.slugify(" ".join(words), **options)) <= limit
    assert len(slugify.slugify(" ".join(words), word_boundary=True, **options)) <= limit


@given(WORDS, st.integers(1, 40), st.booleans())
def prop_smart_truncate_takes_whole_words_that_fit(words, limit, save_order):
    """Whole words are taken from the left while the result fits; without any that fits the text is cut at the limit."""
    text = " ".join(words)
    taken = []
    for word in words:
        if len(" ".join([*taken, word])) <= limit:
            taken.append(word)
        elif save_order:
            break
    expected = " ".join(taken) if taken else text[:limit].strip()
    assert slugify.smart_truncate(text, limit, True, " ", save_order) == expected


@given(TEXT)
def prop_composition_makes_no_difference(text):
    """The same text in composed and in decomposed form gives the same slug."""
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert slugify.slugify(composed) == slugify.slugify(decomposed)
    assert slugify.slugify(composed, allow_unicode=True) == slugify.slugify(decomposed, allow_unicode=True)


@given(ASCII.filter(lambda text: "'" not in text))
def prop_algorithms_agree_on_plain_text(text):
    """Without references, marks and limits both algorithms give the same slug."""
    assert slugify.slugify(text) == slugify.slugify(text, algorithm="modern")
    assert slugify.slugify(text, allow_unicode=True) == slugify.slugify(text, allow_unicode=True, algorithm="modern")


@given(TEXT)
def prop_bytes_give_the_slug_of_their_text(text):
    """UTF-8 bytes give the slug of the text that they hold."""
    text = text.encode("utf-8", "ignore").decode()
    assert slugify.slugify(text.encode()) == slugify.slugify(text)
    assert slugify.slugify(bytearray(text.encode()), algorithm="modern") == slugify.slugify(text, algorithm="modern")


@given(TEXT)
def prop_unicode_slugs_hold_letters_and_digits_only(text):
    """With allow_unicode a slug holds Unicode letters and digits with single dashes between words."""
    slug = slugify.slugify(text, allow_unicode=True)
    assert all(part.isalnum() for part in slug.split("-")) or slug == ""
