"""Slugs from text."""

import re
import unicodedata
from html.entities import name2codepoint
from importlib import import_module

_BACKENDS = {"auto": None, "text-unidecode": "text_unidecode", "unidecode": "unidecode", "anyascii": "anyascii"}
_REFERENCE = re.compile(r"&(?:(#[0-9]+)|(#[xX][0-9a-fA-F]+)|([a-zA-Z][a-zA-Z0-9]*));")
_JOINERS = "\u200c\u200d"


def smart_truncate(string, max_length=0, word_boundary=False, separator=" ", save_order=False):
    """Cut a text to a length."""
    if separator == "":
        raise ValueError("the separator may not be empty")
    text = string.strip(separator)
    if not max_length or len(text) <= max_length:
        return text
    if word_boundary:
        kept = _choose([word for word in text.split(separator) if word], max_length, len(separator), save_order)
        if kept:
            return separator.join(kept)
    return text[:max_length].strip(separator)


def _choose(words, limit, gap, save_order):
    kept, length = [], 0
    for word in words:
        needed = length + len(word) + (gap if kept else 0)
        if needed <= limit:
            kept.append(word)
            length = needed
        elif save_order:
            break
    return kept


def _decode(text, named, decimal, hexadecimal, capital_x):
    def character(match):
        number, hexed, name = match.groups()
        try:
            if name is not None:
                return chr(name2codepoint[name]) if named else match.group()
            if number is not None:
                return _valid(int(number[1:])) if decimal else match.group()
            if not hexadecimal or (hexed[1] == "X" and not capital_x):
                return match.group()
            return _valid(int(hexed[2:], 16))
        except (KeyError, ValueError, OverflowError):
            return match.group()

    return _REFERENCE.sub(character, text)


def _valid(number):
    if 0xD800 <= number < 0xE000:
        raise ValueError("a surrogate")
    return chr(number)


def _to_ascii(text, backend):
    if text.isascii():
        return text
    if backend == "auto":
        try:
            return import_module("unidecode").unidecode(text)
        except ModuleNotFoundError:
            backend = "text-unidecode"
    module = import_module(_BACKENDS[backend])
    return module.anyascii(text) if backend == "anyascii" else module.unidecode(text)


def _joined(text):
    """Whether each character belongs to a word, marks and joiners inside words included."""
    inside, flags = False, []
    for position, char in enumerate(text):
        follower = text[position + 1 : position + 2]
        if char.isalnum():
            inside = True
        elif inside and (_mark(char) or (char in _JOINERS and (follower.isalnum() or (follower and _mark(follower))))):
            pass
        else:
            inside = False
        flags.append(inside)
    return flags


def _mark(char):
    return unicodedata.category(char) in ("Mn", "Mc") and not ("\ufe00" <= char <= "\ufe0f" or char >= "\U000e0100")


def _cut(text, limit, word_boundary, separator, save_order):
    words = text.split("-")
    whole = separator.join(words)
    if limit <= 0 or len(whole) <= limit:
        return whole
    words = [word for word in words if word]
    if word_boundary:
        kept = _choose(words, limit, len(separator), save_order)
        if kept:
            return separator.join(kept)
    out = ""
    for word in words:
        gap = separator if out else ""
        room = limit - len(out) - len(gap)
        if room <= 0:
            break
        out += gap + word[:room].rstrip(_JOINERS)
        if len(word) > room:
            break
    return out


def _replace(text, rules):
    for old, new in rules:
        text = text.replace(old, new)
    return text


def slugify(text, entities=True, decimal=True, hexadecimal=True, max_length=0, word_boundary=False, separator="-",
            save_order=False, stopwords=(), regex_pattern=None, lowercase=True, replacements=(), allow_unicode=False,
            *, replacement_stage="both", backend="auto", algorithm="legacy"):
    """Make a slug from any text."""
    if algorithm not in ("legacy", "modern"):
        raise ValueError(f"unknown algorithm {algorithm!r}")
    modern = algorithm == "modern"
    if modern and (isinstance(max_length, bool) or not isinstance(max_length, int)):
        raise TypeError("max_length must be a whole number")
    if modern and not isinstance(separator, str):
        raise TypeError("separator must be text")
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode("utf-8", "ignore")
    elif not isinstance(text, str):
        raise TypeError(f"cannot make a slug of {type(text).__name__}")
    if replacement_stage not in ("pre", "post", "both"):
        raise ValueError(f"unknown stage {replacement_stage!r}")
    if backend not in _BACKENDS:
        raise ValueError(f"unknown backend {backend!r}")

    rules = [tuple(rule) for rule in replacements or ()]
    if replacement_stage != "post":
        text = _replace(text, rules)
    if modern:
        text = _decode(text, entities, decimal, hexadecimal, True)
    text = re.sub("'+", "-", text)
    text = unicodedata.normalize("NFKC" if allow_unicode else "NFKD", text)
    if not allow_unicode:
        text = _to_ascii(text, backend)
    if not modern:
        text = _decode(text, entities, decimal, hexadecimal, False)
    text = unicodedata.normalize("NFKC" if allow_unicode else "NFKD", text)
    if lowercase:
        text = text.lower()
    text = re.sub(r"(?<=\d),(?=\d)", "", text.replace("'", ""))
    if regex_pattern:
        text = re.sub(regex_pattern, "-", text)
    elif not allow_unicode:
        text = re.sub(r"[^-a-zA-Z0-9]+", "-", text)
    elif modern:
        text = "".join(char if keep else "-" for char, keep in zip(text, _joined(text)))
    else:
        text = re.sub(r"[\W_]+", "-", text)
    text = re.sub("-{2,}", "-", text).strip("-")

    if stopwords:
        left_out = {word.lower() for word in stopwords}
        text = "-".join(word for word in text.split("-") if word not in left_out)
    if replacement_stage != "pre":
        text = _replace(text, rules)
    if modern:
        return _cut(text, max_length, word_boundary, separator, save_order)
    if max_length > 0:
        text = smart_truncate(text, max_length, word_boundary, "-", save_order)
    return text.replace("-", separator)
