"""The function `slugify` and its steps."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ._backends import BACKENDS, transliterate
from ._references import decode
from ._truncate import cut_words, fitting_words, smart_truncate

ALGORITHMS = ("legacy", "modern")
REPLACEMENT_STAGES = ("pre", "post", "both")

_APOSTROPHES = re.compile("'+")
_COMMAS_IN_NUMBERS = re.compile(r"(?<=\d),(?=\d)")
_NO_ASCII_WORD = re.compile("[^-a-zA-Z0-9]+")
_NO_UNICODE_WORD = re.compile(r"[\W_]+")
_DASHES = re.compile("-{2,}")

_JOINERS = "\u200c\u200d"
_VARIATION_SELECTORS = (
    (0x180B, 0x180D),
    (0x180F, 0x180F),
    (0xFE00, 0xFE0F),
    (0xE0100, 0xE01EF),
)


def slugify(
    text: str | bytes | bytearray,
    entities: bool = True,
    decimal: bool = True,
    hexadecimal: bool = True,
    max_length: int = 0,
    word_boundary: bool = False,
    separator: str = "-",
    save_order: bool = False,
    stopwords: Iterable[str] = (),
    regex_pattern: str | re.Pattern[str] | None = None,
    lowercase: bool = True,
    replacements: Iterable[Iterable[str]] = (),
    allow_unicode: bool = False,
    *,
    replacement_stage: str = "both",
    backend: str = "auto",
    algorithm: str = "legacy",
) -> str:
    """Return the slug of a text.

    Args:
        text: the text, or its bytes in UTF-8.
        entities: decode named references (``&amp;``).
        decimal: decode decimal references (``&#381;``).
        hexadecimal: decode hexadecimal references (``&#x17d;``).
        max_length: cut the slug to this length, if it is above 0.
        word_boundary: cut it between words.
        separator: what stands between the words.
        save_order: end a cut slug with the first word that does not fit.
        stopwords: words to leave out.
        regex_pattern: what is not allowed in a word; without one, or with "", the usual rule.
        lowercase: make everything lower case.
        replacements: pairs of a text and what replaces it.
        allow_unicode: keep letters and digits that are not ASCII.
        replacement_stage: replace before ("pre") or after ("post") the rest, or "both".
        backend: the package that transliterates.
        algorithm: "legacy" or "modern".
    """
    _check_choice("algorithm", algorithm, ALGORITHMS)
    _check_choice("replacement_stage", replacement_stage, REPLACEMENT_STAGES)
    _check_choice("backend", backend, BACKENDS)
    modern = algorithm == "modern"
    if modern:
        if isinstance(max_length, bool) or not isinstance(max_length, int):
            raise TypeError("max_length must be an int")
        if not isinstance(separator, str):
            raise TypeError("separator must be a str")
    if isinstance(text, (bytes, bytearray)):
        text = text.decode("utf-8", "ignore")
    elif not isinstance(text, str):
        raise TypeError(f"text must be str or bytes, not {type(text).__name__}")

    rules = [(old, new) for old, new in replacements]
    form = "NFKC" if allow_unicode else "NFKD"

    if replacement_stage != "post":
        text = _replace(text, rules)
    if modern:
        text = decode(text, entities, decimal, hexadecimal, modern=True)
    text = _APOSTROPHES.sub("-", text)
    text = unicodedata.normalize(form, text)
    if not allow_unicode:
        text = transliterate(text, backend)
    if not modern:
        text = decode(text, entities, decimal, hexadecimal, modern=False)
        text = unicodedata.normalize(form, text)
    if lowercase:
        text = text.lower()
    text = text.replace("'", "")
    text = _COMMAS_IN_NUMBERS.sub("", text)
    text = _filter(text, regex_pattern, allow_unicode, modern)
    text = _leave_out(text, stopwords, lowercase)
    if replacement_stage != "pre":
        text = _replace(text, rules)
    if modern:
        return _written(text, max_length, word_boundary, separator, save_order)
    if max_length > 0:
        text = smart_truncate(text, max_length, word_boundary, "-", save_order)
    return text.replace("-", separator)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def _replace(text: str, rules: list[tuple[str, str]]) -> str:
    """Apply literal replacements in order."""
    for old, new in rules:
        text = text.replace(old, new)
    return text


def _filter(
    text: str, pattern: str | re.Pattern[str] | None, allow_unicode: bool, modern: bool
) -> str:
    """Turn what is not allowed into single dashes between words."""
    if pattern not in (None, ""):
        text = re.sub(pattern, "-", text)
    elif not allow_unicode:
        text = _NO_ASCII_WORD.sub("-", text)
    elif modern:
        text = _NO_UNICODE_WORD.sub(_keep_continuation, text)
    else:
        text = _NO_UNICODE_WORD.sub("-", text)
    return _DASHES.sub("-", text).strip("-")


def _keep_continuation(match: re.Match[str]) -> str:
    """Replace characters between words, but keep marks and joiners that continue a word."""
    run, text = match[0], match.string
    kept = 0
    if match.start() > 0:
        while kept < len(run) and (
            _is_mark(run[kept])
            or run[kept] in _JOINERS
            and _is_word_part(text, match.start() + kept + 1, match.end())
        ):
            kept += 1
    return run if kept == len(run) else run[:kept] + "-"


def _is_word_part(text: str, index: int, end_of_run: int) -> bool:
    """Whether a word can go on with the character at an index, in or just after a run."""
    return index < len(text) and (index == end_of_run or _is_mark(text[index]))


def _is_mark(character: str) -> bool:
    """Whether a character is a combining mark that may belong to a word."""
    if unicodedata.category(character) not in ("Mn", "Mc"):
        return False
    code = ord(character)
    return not any(first <= code <= last for first, last in _VARIATION_SELECTORS)


def _leave_out(text: str, stopwords: Iterable[str], lowercase: bool) -> str:
    """Leave out stop words."""
    unwanted = {word.lower() if lowercase else word for word in stopwords}
    if not unwanted:
        return text
    return "-".join(
        word
        for word in text.split("-")
        if (word.lower() if lowercase else word) not in unwanted
    )


def _written(
    text: str, max_length: int, word_boundary: bool, separator: str, save_order: bool
) -> str:
    """Write words out with their separators, cut to at most `max_length` characters."""
    if max_length <= 0:
        return text.replace("-", separator)
    words = text.strip("-").split("-")
    result = separator.join(words)
    if len(result) <= max_length:
        return result
    if word_boundary:
        taken = fitting_words(words, max_length, len(separator), save_order)
        if taken:
            return separator.join(taken)
    return cut_words(words, max_length, separator)
