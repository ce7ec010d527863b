"""Decorators that keep results in a cache."""

import functools
from collections import namedtuple

from . import keys
from .base import Cache

CacheInfo = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"])


class _NoLock:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


class _Statistics:
    def __init__(self):
        self.hits = 0
        self.misses = 0

    def report(self, cache):
        if isinstance(cache, Cache):
            return CacheInfo(self.hits, self.misses, cache.maxsize, cache.currsize)
        return CacheInfo(self.hits, self.misses, None, len(cache))


def _lookup(cache, key, guard, statistics, compute):
    """Return the cached result for a key, or compute and store it."""
    with guard:
        try:
            result = cache[key]
            statistics.hits += 1
            return result
        except KeyError:
            statistics.misses += 1
    result = compute()
    with guard:
        try:
            cache[key] = result
        except ValueError:
            pass
    return result


def cached(cache, key=keys.hashkey, lock=None, condition=None, info=False):
    """Keep the results of a function in a cache."""
    if cache is None:
        raise TypeError("cache must not be None")

    def decorator(function):
        statistics = _Statistics()
        guard = lock or condition or _NoLock()

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return _lookup(cache, key(*args, **kwargs), guard, statistics, lambda: function(*args, **kwargs))

        def cache_clear():
            with guard:
                cache.clear()
                statistics.hits = statistics.misses = 0

        def cache_info():
            with guard:
                return statistics.report(cache)

        wrapper.cache = cache
        wrapper.cache_key = key
        wrapper.cache_lock = lock or condition
        wrapper.cache_condition = condition
        wrapper.cache_clear = cache_clear
        if info:
            wrapper.cache_info = cache_info
        return wrapper

    return decorator


class _Method:
    """A descriptor that gives every instance a memoizing method of its own."""

    def __init__(self, function, cache, key, lock, condition, info):
        self.function = function
        self.cache = cache
        self.key = key
        self.lock = lock
        self.condition = condition
        self.info = info
        self.name = function.__name__
        functools.update_wrapper(self, function)

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return lambda obj, *args, **kwargs: self.__get__(obj, owner)(*args, **kwargs)
        slot = f"_cached_{self.name}"
        if slot not in vars(instance):
            vars(instance)[slot] = _Statistics()
        return self._bind(instance, vars(instance)[slot])

    def _bind(self, instance, statistics):
        cache = self.cache(instance)
        lock = self.lock(instance) if self.lock is not None else None
        condition = self.condition(instance) if self.condition is not None else None
        guard = lock or condition or _NoLock()
        key = functools.partial(self.key, instance)

        @functools.wraps(self.function)
        def method(*args, **kwargs):
            compute = functools.partial(self.function, instance, *args, **kwargs)
            return _lookup(cache, key(*args, **kwargs), guard, statistics, compute)

        def cache_clear():
            with guard:
                cache.clear()

        def cache_info():
            with guard:
                return statistics.report(cache)

        method.cache = cache
        method.cache_key = key
        method.cache_lock = lock or condition
        method.cache_condition = condition
        method.cache_clear = cache_clear
        if self.info:
            method.cache_info = cache_info
        return method


def cachedmethod(cache, key=keys.methodkey, lock=None, condition=None, info=False):
    """Keep the results of a method in a cache of the instance."""
    if not callable(cache):
        raise TypeError("cache must be callable")
    return lambda function: _Method(function, cache, key, lock, condition, info)
