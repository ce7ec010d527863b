"""Bounded caches and memoizing decorators."""

from . import keys
from ._caches import Cache, FIFOCache, LFUCache, LRUCache, RRCache, TLRUCache, TTLCache
from ._decorators import CacheInfo, cached, cachedmethod

__all__ = (
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
)
