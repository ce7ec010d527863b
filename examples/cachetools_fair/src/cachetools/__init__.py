"""Bounded caches and memoizing decorators."""

from . import keys
from .base import Cache, FIFOCache, LFUCache, LRUCache, RRCache
from .decorators import CacheInfo, cached, cachedmethod
from .expiring import TLRUCache, TTLCache

__version__ = "0.3.0"

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
