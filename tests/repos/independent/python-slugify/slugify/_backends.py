"""The packages that transliterate."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

_FUNCTIONS = {
    "text-unidecode": ("text_unidecode", "unidecode"),
    "unidecode": ("unidecode", "unidecode"),
    "anyascii": ("anyascii", "anyascii"),
}

BACKENDS = ("auto", *_FUNCTIONS)


def transliterate(text: str, backend: str) -> str:
    """Return a text in ASCII; the package named by `backend` is used if it is not yet."""
    if text.isascii():
        return text
    return _function(backend)(text)


def _function(backend: str) -> Callable[[str], str]:
    """Return the function of a backend; ModuleNotFoundError if it is not installed."""
    if backend == "auto":
        try:
            return _function("unidecode")
        except ModuleNotFoundError:
            return _function("text-unidecode")
    module, name = _FUNCTIONS[backend]
    function: Callable[[str], str] = getattr(import_module(module), name)
    return function
