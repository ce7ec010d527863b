"""The slug of a text."""

import importlib
import re
import unicodedata
from html.entities import name2codepoint

ALGORITHMS = ("legacy", "modern")
STAGES = ("pre", "post", "both")
BACKENDS = ("auto", "text-unidecode", "unidecode", "anyascii")

_JOINERS = "\u200c\u200d"


# -- arguments


def _check_choice(name, value, allowed):
    if value not in allowed:
        raise ValueError("%s must be one of %s" % (name, ", ".join(allowed)))


def _to_text(text):
    if isinstance(text, str):
        return text
    if isinstance(text, (bytes, bytearray)):
        return text.decode("utf-8", "ignore")
    raise TypeError("text must be str or bytes, not %s" % type(text).__name__)


# -- characters


def _load(module, function):
    return getattr(importlib.import_module(module), function)


def _transliterator(backend):
    if backend == "anyascii":
        return _load("anyascii", "anyascii")
    if backend == "unidecode":
        return _load("unidecode", "unidecode")
    if backend == "text-unidecode":
        return _load("text_unidecode", "unidecode")
    try:
        return _load("unidecode", "unidecode")
    except ModuleNotFoundError:
        return _load("text_unidecode", "unidecode")


def _to_ascii(text, backend):
    text = unicodedata.normalize("NFKD", text)
    return text if text.isascii() else _transliterator(backend)(text)


def _characters(text, allow_unicode, backend):
    if allow_unicode:
        return unicodedata.normalize("NFKC", text)
    return _to_ascii(text, backend)


def _replace(text, pairs):
    for old, new in pairs:
        text = text.replace(old, new)
    return text


# -- references


def _char(code, fallback):
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return fallback
    return chr(code)


def _decode_named(match):
    name = match.group(1)
    return chr(name2codepoint[name]) if name in name2codepoint else match.group()


def _decode_number(base):
    return lambda match: _char(int(match.group(1), base), match.group())


def _decode_in_turn(text, entities, decimal, hexadecimal):
    if entities:
        text = re.sub(r"&([A-Za-z0-9]+);", _decode_named, text)
    if decimal:
        text = re.sub(r"&#([0-9]+);", _decode_number(10), text)
    if hexadecimal:
        text = re.sub(r"&#x([0-9a-fA-F]+);", _decode_number(16), text)
    return text


def _decode_at_once(text, entities, decimal, hexadecimal):
    def decode(match):
        name, digits, hexdigits = match.groups()
        if name and entities and name in name2codepoint:
            return chr(name2codepoint[name])
        if digits and decimal:
            return _char(int(digits), match.group())
        if hexdigits and hexadecimal:
            return _char(int(hexdigits, 16), match.group())
        return match.group()

    pattern = r"&(?:([A-Za-z][A-Za-z0-9]*)|#([0-9]+)|#[xX]([0-9a-fA-F]+));"
    return re.sub(pattern, decode, text)


# -- filter


def _is_selector(char):
    return (
        "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
        or char in "\u180b\u180c\u180d\u180f"
    )


def _is_mark(char):
    return unicodedata.category(char) in ("Mn", "Mc")


def _is_part(char):
    return char.isalnum() or _is_mark(char)


def _keep_words(text):
    chars = [char for char in text if not _is_selector(char)]
    kept = []
    inside = False
    for char, following in zip(chars, chars[1:] + [" "]):
        if char.isalnum():
            inside = True
        elif inside and _is_mark(char):
            pass
        elif inside and char in _JOINERS and _is_part(following):
            pass
        else:
            inside = False
        kept.append(char if inside else "-")
    return "".join(kept)


def _filter(text, regex_pattern, allow_unicode, modern):
    if regex_pattern:
        text = re.sub(regex_pattern, "-", text)
    elif not allow_unicode:
        text = re.sub(r"[^A-Za-z0-9-]+", "-", text)
    elif modern:
        text = _keep_words(text)
    else:
        text = re.sub(r"[\W_]+", "-", text)
    return re.sub(r"-+", "-", text).strip("-")


def _without_stopwords(text, stopwords, lowercase):
    fold = str.lower if lowercase else str
    unwanted = {fold(word) for word in stopwords}
    return "-".join(word for word in text.split("-") if fold(word) not in unwanted)


# -- length


def _trim_right(text, separator):
    while separator and text.endswith(separator):
        text = text[: -len(separator)]
    return text


def _trim(text, separator):
    while separator and text.startswith(separator):
        text = text[len(separator):]
    return _trim_right(text, separator)


def _choose(words, max_length, separator, save_order):
    chosen = []
    length = 0
    for word in words:
        extra = len(word) + (len(separator) if chosen else 0)
        if length + extra <= max_length:
            chosen.append(word)
            length += extra
        elif save_order:
            break
    return chosen


def smart_truncate(string, max_length=0, word_boundary=False, separator=" ", save_order=False):
    """A text cut to a length, at a word's end if asked."""
    string = _trim(string, separator)
    if not max_length or len(string) <= max_length:
        return string
    if not word_boundary:
        return _trim_right(string[:max_length], separator)
    if not separator:
        raise ValueError("separator must not be empty")
    words = [word for word in string.split(separator) if word]
    chosen = _choose(words, max_length, separator, save_order)
    if not chosen:
        return _trim_right(string[:max_length], separator)
    return separator.join(chosen)


def _cut_words(words, room, separator):
    """As many of the words, and as much of the last one, as there is room for."""
    pieces = []
    for word in words:
        lead = separator if pieces else ""
        piece = word[: max(room - len(lead), 0)]
        if not piece:
            break
        pieces.append(piece)
        room -= len(lead) + len(piece)
    return separator.join(pieces)


def _fit(text, max_length, word_boundary, separator, save_order):
    whole = text.strip("-").replace("-", separator)
    if len(whole) <= max_length:
        return whole
    words = [word for word in text.split("-") if word]
    if word_boundary:
        chosen = _choose(words, max_length, separator, save_order)
        if chosen:
            return separator.join(chosen)
    return _cut_words(words, max_length, separator)


# -- all together


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
    _check_choice("algorithm", algorithm, ALGORITHMS)
    _check_choice("replacement_stage", replacement_stage, STAGES)
    _check_choice("backend", backend, BACKENDS)
    modern = algorithm == "modern"
    if modern:
        if not isinstance(max_length, int) or isinstance(max_length, bool):
            raise TypeError("max_length must be an int")
        if not isinstance(separator, str):
            raise TypeError("separator must be a str")

    text = _to_text(text)
    pairs = list(replacements)

    if replacement_stage != "post":
        text = _replace(text, pairs)
    if modern:
        text = _decode_at_once(text, entities, decimal, hexadecimal)
    text = re.sub(r"'+", "-", text)
    text = _characters(text, allow_unicode, backend)
    if not modern:
        text = _decode_in_turn(text, entities, decimal, hexadecimal)
        text = unicodedata.normalize("NFKC" if allow_unicode else "NFKD", text)
    if lowercase:
        text = text.lower()
    text = text.replace("'", "")
    text = re.sub(r"(?<=\d),(?=\d)", "", text)
    text = _filter(text, regex_pattern, allow_unicode, modern)
    text = _without_stopwords(text, stopwords, lowercase)
    if replacement_stage != "pre":
        text = _replace(text, pairs)

    if max_length > 0:
        if modern:
            return _fit(text, max_length, word_boundary, separator, save_order)
        text = smart_truncate(text, max_length, word_boundary, "-", save_order)
    return text.replace("-", separator)
