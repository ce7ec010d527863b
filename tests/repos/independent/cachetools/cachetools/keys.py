"""Functions that turn the arguments of a call into a cache key.

A key is a tuple of tuples: the positional arguments, then the keyword arguments as
pairs sorted by name, and for the typed functions the types of both.  As positional and
keyword arguments stand in tuples of their own, they can never be confused.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

__all__ = ["hashkey", "methodkey", "typedkey", "typedmethodkey"]

Key = tuple[Hashable, ...]


def hashkey(*args: Any, **kwargs: Any) -> Key:
    """Return a tuple that identifies the arguments of a call.

    It is hashable if all arguments are.
    """
    if not kwargs:
        return (args, ())
    return (args, tuple(sorted(kwargs.items(), key=_name)))


def methodkey(self: Any, /, *args: Any, **kwargs: Any) -> Key:
    """Return :func:`hashkey` of the arguments, `self` left out."""
    return hashkey(*args, **kwargs)


def typedkey(*args: Any, **kwargs: Any) -> Key:
    """Like :func:`hashkey`, but equal arguments of different types give different keys."""
    positional, keyword = hashkey(*args, **kwargs)
    return (
        positional,
        keyword,
        tuple(map(type, args)),
        tuple(type(value) for _, value in keyword),  # type: ignore[attr-defined]
    )


def typedmethodkey(self: Any, /, *args: Any, **kwargs: Any) -> Key:
    """Return :func:`typedkey` of the arguments, `self` left out."""
    return typedkey(*args, **kwargs)


def _name(item: tuple[str, Any]) -> str:
    return item[0]
