"""Decorators in the manner of functools.lru_cache."""

import random
import threading
import time

from . import keys
from .base import FIFOCache, LFUCache, LRUCache, RRCache
from .decorators import cached
from .expiring import TTLCache


class _EndlessTTLCache(TTLCache):
    @property
    def maxsize(self):
        return None


def _decorate(make, maxsize, typed):
    if callable(maxsize):
        return _decorate(make, 128, typed)(maxsize)
    key = keys.typedkey if typed else keys.hashkey

    def decorator(function):
        wrapper = cached(make(maxsize), key=key, lock=threading.RLock(), info=True)(function)
        wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
        return wrapper

    return decorator


def fifo_cache(maxsize=128, typed=False):
    """Memoize with a FIFOCache."""
    return _decorate(lambda size: {} if size is None else FIFOCache(size), maxsize, typed)


def lfu_cache(maxsize=128, typed=False):
    """Memoize with an LFUCache."""
    return _decorate(lambda size: {} if size is None else LFUCache(size), maxsize, typed)


def lru_cache(maxsize=128, typed=False):
    """Memoize with an LRUCache."""
    return _decorate(lambda size: {} if size is None else LRUCache(size), maxsize, typed)


def rr_cache(maxsize=128, choice=random.choice, typed=False):
    """Memoize with an RRCache."""
    return _decorate(lambda size: {} if size is None else RRCache(size, choice), maxsize, typed)


def ttl_cache(maxsize=128, ttl=600, timer=time.monotonic, typed=False):
    """Memoize with a TTLCache."""

    def make(size):
        if size is None:
            return _EndlessTTLCache(float("inf"), ttl, timer)
        return TTLCache(size, ttl, timer)

    return _decorate(make, maxsize, typed)
