"""Bounded caches and memoizing decorators."""

from . import keys
from ._caches import Cache, FIFOCache, LFUCache, LRUCache, RRCache
from ._decorators import CacheInfo, cached, cachedmethod
from ._expiring import TLRUCache, TTLCache

__all__ = [
    "Cache",
    "CacheInfo",
    "FIFOCache",
    "LFUCache",
    "LRUCache",
    "RRCache",
    "TLRUCache",
    "TTLCache",
    "cached",
    "cachedmethod",
    "keys",
]
