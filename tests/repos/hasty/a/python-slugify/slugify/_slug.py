"""slugify and smart_truncate."""

import importlib
import re
import unicodedata
from html.entities import name2codepoint

ALGORITHMS = ("legacy", "modern")
STAGES = ("pre", "post", "both")
BACKENDS = ("auto", "text-unidecode", "unidecode", "anyascii")

_FUNCTIONS = {
    "text-unidecode": ("text_unidecode", "unidecode"),
    "unidecode": ("unidecode", "unidecode"),
    "anyascii": ("anyascii", "anyascii"),
}

_REFERENCE = re.compile(r"&(?:#([0-9]+)|#([xX])([0-9a-fA-F]+)|([A-Za-z][A-Za-z0-9]*));")
_SELECTORS = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_JOINERS = "\u200c\u200d"


def _transliterate(text, backend):
    if text.isascii():
        return text
    if backend == "auto":
        try:
            return _transliterate(text, "unidecode")
        except ModuleNotFoundError:
            backend = "text-unidecode"
    module, function = _FUNCTIONS[backend]
    return getattr(importlib.import_module(module), function)(text)


def _decode_references(text, entities, decimal, hexadecimal, capital_x):
    def decode(match):
        number, x, digits, name = match.groups()
        if name:
            code = name2codepoint.get(name) if entities else None
        elif number:
            code = _code(number, 10) if decimal else None
        else:
            code = _code(digits, 16) if hexadecimal and (capital_x or x == "x") else None
        return match[0] if code is None else chr(code)

    return _REFERENCE.sub(decode, text)


def _code(digits, base):
    digits = digits.lstrip("0") or "0"
    if len(digits) > 7:
        return None
    code = int(digits, base)
    return None if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF else code


def _replace(text, pairs):
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def _continues(char):
    """Whether a character can be a further part of a word."""
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc")


def _filter_with_marks(text):
    text = _SELECTORS.sub("", text)
    result = []
    inside = False
    for i, char in enumerate(text):
        if char.isalnum():
            inside = True
        elif inside and char in _JOINERS:
            rest = i + 1
            while rest < len(text) and text[rest] in _JOINERS:
                rest += 1
            inside = rest < len(text) and _continues(text[rest])
        else:
            inside = inside and _continues(char)
        result.append(char if inside else "-")
    return "".join(result)


def slugify(
    text,
    entities=True,
    decimal=True,
    hexadecimal=True,
    max_length=0,
    word_boundary=False,
    separator="-",
    save_order=False,
    stopwords=(),
    regex_pattern=None,
    lowercase=True,
    replacements=(),
    allow_unicode=False,
    *,
    replacement_stage="both",
    backend="auto",
    algorithm="legacy",
):
    """The slug of a text."""
    if algorithm not in ALGORITHMS:
        raise ValueError(f"unknown algorithm {algorithm!r}")
    if replacement_stage not in STAGES:
        raise ValueError(f"unknown replacement_stage {replacement_stage!r}")
    if backend not in BACKENDS:
        raise ValueError(f"unknown backend {backend!r}")
    modern = algorithm == "modern"
    if modern:
        if not isinstance(max_length, int) or isinstance(max_length, bool):
            raise TypeError("max_length must be an int")
        if not isinstance(separator, str):
            raise TypeError("separator must be a str")
    if isinstance(text, (bytes, bytearray)):
        text = text.decode("utf-8", "ignore")
    elif not isinstance(text, str):
        raise TypeError(f"text must be str or bytes, not {type(text).__name__}")
    replacements = list(replacements or ())
    form = "NFKC" if allow_unicode else "NFKD"

    if replacement_stage != "post":
        text = _replace(text, replacements)
    if modern:
        text = _decode_references(text, entities, decimal, hexadecimal, True)
    text = re.sub("'+", "-", text)
    text = unicodedata.normalize(form, text)
    if not allow_unicode:
        text = _transliterate(text, backend)
    if not modern:
        text = _decode_references(text, entities, decimal, hexadecimal, False)
        text = unicodedata.normalize(form, text)
    if lowercase:
        text = text.lower()
    text = text.replace("'", "")
    text = re.sub(r"(?<=\d),(?=\d)", "", text)

    if regex_pattern is not None and regex_pattern != "":
        text = re.sub(regex_pattern, "-", text)
    elif not allow_unicode:
        text = re.sub("[^-a-zA-Z0-9]+", "-", text)
    elif modern:
        text = _filter_with_marks(text)
    else:
        text = re.sub(r"[\W_]+", "-", text)
    text = re.sub("-{2,}", "-", text).strip("-")

    fold = str.casefold if lowercase else str
    stop = {fold(word) for word in stopwords or ()}
    if stop:
        text = "-".join(word for word in text.split("-") if fold(word) not in stop)
    if replacement_stage != "pre":
        text = _replace(text, replacements)

    if modern and max_length > 0:
        return _truncate_words(text.strip("-").split("-"), max_length, word_boundary, separator, save_order)
    if max_length > 0:
        text = smart_truncate(text, max_length, word_boundary, "-", save_order)
    return text.replace("-", separator)


def _choose_words(words, max_length, separator, save_order):
    """The words from the left that fit, joined; empty if none does."""
    chosen = []
    length = -len(separator)
    for word in words:
        if not word:
            continue
        longer = length + len(separator) + len(word)
        if longer <= max_length:
            chosen.append(word)
            length = longer
        elif save_order:
            break
    return separator.join(chosen)


def _truncate_words(words, max_length, word_boundary, separator, save_order):
    text = separator.join(words)
    if len(text) <= max_length:
        return text
    if word_boundary:
        chosen = _choose_words(words, max_length, separator, save_order)
        if chosen:
            return chosen
    # Cut off after the last character of a word within the limit.
    start = end = 0
    for word in words:
        if start >= max_length:
            break
        if word:
            end = min(start + len(word), max_length)
        start += len(word) + len(separator)
    return text[:end]


def _strip(text, separator):
    if not separator:
        return text
    start, end = 0, len(text)
    while text.startswith(separator, start):
        start += len(separator)
    while text.endswith(separator, start, end):
        end -= len(separator)
    return text[start:end]


def smart_truncate(string, max_length=0, word_boundary=False, separator=" ", save_order=False):
    """A text cut to a length, at a word's end if asked."""
    string = _strip(string, separator)
    if max_length <= 0 or len(string) <= max_length:
        return string
    if word_boundary:
        if not separator:
            raise ValueError("whole words need a separator")
        chosen = _choose_words(string.split(separator), max_length, separator, save_order)
        if chosen:
            return chosen
    return _strip(string[:max_length], separator)
