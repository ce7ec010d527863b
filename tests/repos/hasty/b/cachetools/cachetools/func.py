"""Memoizing decorators in place of functools.lru_cache."""

import math
import random
import threading
import time

from . import keys
from .caches import FIFOCache, LFUCache, LRUCache, RRCache, TTLCache
from .decorators import cached

__all__ = ["fifo_cache", "lfu_cache", "lru_cache", "rr_cache", "ttl_cache"]


def _wrap(func, make, maxsize, typed):
    cache = make(math.inf if maxsize is None else maxsize)
    key = keys.typedkey if typed else keys.hashkey
    wrapper = cached(cache, key=key, lock=threading.RLock(), info=True)(func)
    plain_info = wrapper.cache_info
    wrapper.cache_info = lambda: plain_info()._replace(maxsize=maxsize)
    wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
    return wrapper


def _decorator(make, maxsize, typed):
    if callable(maxsize):
        return _wrap(maxsize, make, 128, typed)
    return lambda func: _wrap(func, make, maxsize, typed)


def fifo_cache(maxsize=128, typed=False):
    """Memoizing decorator with the eviction order of FIFOCache."""
    return _decorator(FIFOCache, maxsize, typed)


def lfu_cache(maxsize=128, typed=False):
    """Memoizing decorator with the eviction order of LFUCache."""
    return _decorator(LFUCache, maxsize, typed)


def lru_cache(maxsize=128, typed=False):
    """Memoizing decorator with the eviction order of LRUCache."""
    return _decorator(LRUCache, maxsize, typed)


def rr_cache(maxsize=128, choice=random.choice, typed=False):
    """Memoizing decorator with the eviction order of RRCache."""
    return _decorator(lambda size: RRCache(size, choice), maxsize, typed)


def ttl_cache(maxsize=128, ttl=600, timer=time.monotonic, typed=False):
    """Memoizing decorator with expiry as in TTLCache."""
    return _decorator(lambda size: TTLCache(size, ttl, timer), maxsize, typed)
