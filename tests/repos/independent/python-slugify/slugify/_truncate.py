"""Cutting texts of words to a length."""

from __future__ import annotations

from collections.abc import Iterable


def smart_truncate(
    string: str,
    max_length: int = 0,
    word_boundary: bool = False,
    separator: str = " ",
    save_order: bool = False,
) -> str:
    """Return a text, without separators at its ends, cut to at most `max_length` characters.

    With `word_boundary` whole words are taken as long as they fit; those that do not are
    passed over, or with `save_order` end the text.  A limit of 0 is none.
    Nothing can be split at an empty separator: ValueError, where whole words have to be
    chosen.
    """
    string = _strip_end(_strip_start(string, separator), separator)
    if max_length <= 0 or len(string) <= max_length:
        return string
    if word_boundary:
        if not separator:
            raise ValueError("the separator must not be empty")
        words = fitting_words(string.split(separator), max_length, len(separator), save_order)
        if words:
            return separator.join(words)
    return _strip_end(string[:max_length], separator)


def fitting_words(
    words: Iterable[str], max_length: int, separator_length: int, save_order: bool
) -> list[str]:
    """Return the words, from the left, that fit into a length with separators between them."""
    taken: list[str] = []
    room = max_length
    for word in words:
        if not word:
            continue
        needed = len(word) + (separator_length if taken else 0)
        if needed <= room:
            taken.append(word)
            room -= needed
        elif save_order:
            break
    return taken


def cut_words(words: Iterable[str], max_length: int, separator: str) -> str:
    """Join words with a separator and cut the text so that none is left at its end.

    An empty word stands for nothing between two separators.
    """
    result = ""
    gap = ""
    for word in words:
        if word:
            room = max_length - len(result) - len(gap)
            if room <= 0:
                break
            result += gap + word[:room]
            if room < len(word):
                break
            gap = ""
        if result:
            gap += separator
    return result


def _strip_start(string: str, separator: str) -> str:
    start = 0
    while separator and string.startswith(separator, start):
        start += len(separator)
    return string[start:]


def _strip_end(string: str, separator: str) -> str:
    end = len(string)
    while separator and string.endswith(separator, 0, end):
        end -= len(separator)
    return string[:end]
