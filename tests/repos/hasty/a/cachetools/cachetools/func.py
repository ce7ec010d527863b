"""Memoizing decorators in the manner of functools.lru_cache."""

import math
import random
import threading
import time

from . import FIFOCache, LFUCache, LRUCache, RRCache, TTLCache, cached, keys

__all__ = ("fifo_cache", "lfu_cache", "lru_cache", "rr_cache", "ttl_cache")


def _memoizer(maxsize, typed, make):
    """A decorator, or with a function in place of maxsize, that function decorated."""
    if callable(maxsize):
        return _memoizer(128, typed, make)(maxsize)

    def decorate(function):
        wrapper = cached(
            make(math.inf if maxsize is None else maxsize),
            key=keys.typedkey if typed else keys.hashkey,
            lock=threading.RLock(),
            info=True,
        )(function)
        info = wrapper.cache_info
        wrapper.cache_info = lambda: info()._replace(maxsize=maxsize)
        wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
        return wrapper

    return decorate


def fifo_cache(maxsize=128, typed=False):
    """Memoizing decorator with the eviction order of FIFOCache."""
    return _memoizer(maxsize, typed, FIFOCache)


def lfu_cache(maxsize=128, typed=False):
    """Memoizing decorator with the eviction order of LFUCache."""
    return _memoizer(maxsize, typed, LFUCache)


def lru_cache(maxsize=128, typed=False):
    """Memoizing decorator with the eviction order of LRUCache."""
    return _memoizer(maxsize, typed, LRUCache)


def rr_cache(maxsize=128, choice=random.choice, typed=False):
    """Memoizing decorator with the eviction order of RRCache."""
    return _memoizer(maxsize, typed, lambda size: RRCache(size, choice))


def ttl_cache(maxsize=128, ttl=600, timer=time.monotonic, typed=False):
    """Memoizing decorator with expiry as in TTLCache."""
    return _memoizer(maxsize, typed, lambda size: TTLCache(size, ttl, timer))
