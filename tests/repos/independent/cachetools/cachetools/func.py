"""Decorators that take the place of :func:`functools.lru_cache`."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, MutableMapping, Sequence
from threading import RLock
from typing import Any

from . import keys
from ._caches import FIFOCache, LFUCache, LRUCache, RRCache
from ._decorators import CacheInfo, cached
from ._expiring import TTLCache

__all__ = ["fifo_cache", "lfu_cache", "lru_cache", "rr_cache", "ttl_cache"]

_DEFAULT_MAXSIZE = 128


def fifo_cache(maxsize: Any = _DEFAULT_MAXSIZE, typed: bool = False) -> Any:
    """Memoize up to `maxsize` results, forgetting the one stored longest ago."""
    return _decorate(maxsize, typed, lambda limit: {} if limit is None else FIFOCache(limit))


def lfu_cache(maxsize: Any = _DEFAULT_MAXSIZE, typed: bool = False) -> Any:
    """Memoize up to `maxsize` results, forgetting the one used least often."""
    return _decorate(maxsize, typed, lambda limit: {} if limit is None else LFUCache(limit))


def lru_cache(maxsize: Any = _DEFAULT_MAXSIZE, typed: bool = False) -> Any:
    """Memoize up to `maxsize` results, forgetting the one used longest ago."""
    return _decorate(maxsize, typed, lambda limit: {} if limit is None else LRUCache(limit))


def rr_cache(
    maxsize: Any = _DEFAULT_MAXSIZE,
    choice: Callable[[Sequence[Any]], Any] = random.choice,
    typed: bool = False,
) -> Any:
    """Memoize up to `maxsize` results, forgetting the one that `choice` picks."""
    return _decorate(
        maxsize, typed, lambda limit: {} if limit is None else RRCache(limit, choice)
    )


def ttl_cache(
    maxsize: Any = _DEFAULT_MAXSIZE,
    ttl: Any = 600,
    timer: Callable[[], Any] = time.monotonic,
    typed: bool = False,
) -> Any:
    """Memoize up to `maxsize` results, each for the time `ttl`."""
    return _decorate(
        maxsize, typed, lambda limit: TTLCache(math.inf if limit is None else limit, ttl, timer)
    )


def _decorate(
    maxsize: Any, typed: bool, make: Callable[[float | None], MutableMapping[Any, Any]]
) -> Any:
    """Return the decorator, or where `maxsize` is the function itself, that decorated."""
    if callable(maxsize):
        return _decorator(_DEFAULT_MAXSIZE, typed, make)(maxsize)
    return _decorator(maxsize, typed, make)


def _decorator(
    maxsize: float | None,
    typed: bool,
    make: Callable[[float | None], MutableMapping[Any, Any]],
) -> Callable[[Callable[..., Any]], Any]:
    key = keys.typedkey if typed else keys.hashkey

    def decorator(function: Callable[..., Any]) -> Any:
        wrapper = cached(make(maxsize), key, lock=RLock(), info=True)(function)
        statistics = wrapper.cache_info

        def cache_info() -> CacheInfo:
            """Return the statistics."""
            return statistics()._replace(maxsize=maxsize)

        def cache_parameters() -> dict[str, Any]:
            """Return the parameters of the decorator."""
            return {"maxsize": maxsize, "typed": typed}

        wrapper.cache_info = cache_info
        wrapper.cache_parameters = cache_parameters
        return wrapper

    if maxsize is not None:
        make(maxsize)  # an invalid limit is refused at once
    return decorator
