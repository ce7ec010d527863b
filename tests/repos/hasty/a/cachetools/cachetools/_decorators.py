"""The decorators."""

import functools
import threading
from collections import namedtuple
from contextlib import nullcontext

from . import keys
from ._caches import Cache

CacheInfo = namedtuple("CacheInfo", ("hits", "misses", "maxsize", "currsize"))

_MISSING = object()


class _Counts:
    __slots__ = ("hits", "misses")

    def __init__(self):
        self.reset()

    def reset(self):
        self.hits = self.misses = 0


class _Session:
    """One cache with what guards it, during one operation."""

    __slots__ = ("cache", "condition", "guard", "counts")

    def __init__(self, cache, lock, condition, counts):
        self.cache = cache
        self.condition = condition
        self.counts = counts
        if lock is not None:
            self.guard = lock
        else:
            self.guard = nullcontext() if condition is None else condition

    def lookup(self, key, final):
        with self.guard:
            value = self.cache.get(key, _MISSING)
            if self.counts is not None:
                if value is not _MISSING:
                    self.counts.hits += 1
                elif final:
                    self.counts.misses += 1
        return value

    def compute(self, key, function, args, kwargs):
        value = function(*args, **kwargs)
        with self.guard:
            try:
                self.cache[key] = value
            except ValueError:
                pass
        return value

    def call(self, key, function, args, kwargs, running):
        value = self.lookup(key, self.condition is None)
        if value is not _MISSING:
            return value
        if self.condition is None:
            return self.compute(key, function, args, kwargs)
        # The condition is never taken while the lock is held: they may share one lock.
        mark = id(self.cache), id(self.condition), key
        with self.condition:
            while mark in running:
                self.condition.wait()
            running.add(mark)
        try:
            value = self.lookup(key, True)
            if value is _MISSING:
                value = self.compute(key, function, args, kwargs)
            return value
        finally:
            with self.condition:
                running.discard(mark)
                self.condition.notify_all()

    def clear(self):
        with self.guard:
            self.cache.clear()
            if self.counts is not None:
                self.counts.reset()

    def info(self):
        with self.guard:
            cache = self.cache
            own = isinstance(cache, Cache)
            return CacheInfo(
                self.counts.hits,
                self.counts.misses,
                cache.maxsize if own else None,
                cache.currsize if own else len(cache),
            )


def cached(cache, key=keys.hashkey, lock=None, condition=None, info=False):
    """Decorator that keeps a function's results in a mapping."""
    if cache is None:
        raise TypeError("cache must be a mutable mapping, not None")

    def decorate(function):
        session = _Session(cache, lock, condition, _Counts() if info else None)
        running = set()

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return session.call(key(*args, **kwargs), function, args, kwargs, running)

        wrapper.cache = cache
        wrapper.cache_key = key
        wrapper.cache_lock = lock
        wrapper.cache_condition = condition
        wrapper.cache_clear = session.clear
        if info:
            wrapper.cache_info = session.info
        return wrapper

    return decorate


_SLOT = "_cachetools_counts"
_slot_lock = threading.Lock()


class _InstanceCounts(dict):
    """Method -> counts, kept in the __dict__ of one instance; copies of that start afresh."""

    def __init__(self, owner=None):
        super().__init__()
        self.owner = owner

    def __reduce_ex__(self, protocol):
        return _InstanceCounts, ()


class _CachedMethod:
    """What stands in the class."""

    def __init__(self, function, cache, key, lock, condition, info):
        functools.update_wrapper(self, function)
        self._function = function
        self._cache = cache
        self._key = key
        self._lock = lock
        self._condition = condition
        self._bound_type = _InfoBoundMethod if info else _BoundMethod
        self._running = set()

    def __get__(self, instance, owner=None):
        return self if instance is None else self._bound_type(self, instance)

    def __call__(self, instance, /, *args, **kwargs):
        return self._bound_type(self, instance)(*args, **kwargs)


class _BoundMethod:
    """A method of one instance."""

    def __init__(self, method, instance):
        functools.update_wrapper(self, method._function)
        self.__func__ = method
        self.__self__ = instance

    def _counts(self):
        return None

    def _session(self):
        return _Session(self.cache, self.cache_lock, self.cache_condition, self._counts())

    def __call__(self, /, *args, **kwargs):
        method, instance = self.__func__, self.__self__
        key = method._key(instance, *args, **kwargs)
        return self._session().call(key, method._function, (instance, *args), kwargs, method._running)

    @property
    def cache(self):
        return self.__func__._cache(self.__self__)

    @property
    def cache_lock(self):
        lock = self.__func__._lock
        return None if lock is None else lock(self.__self__)

    @property
    def cache_condition(self):
        condition = self.__func__._condition
        return None if condition is None else condition(self.__self__)

    def cache_key(self, /, *args, **kwargs):
        return self.__func__._key(self.__self__, *args, **kwargs)

    def cache_clear(self):
        self._session().clear()


class _InfoBoundMethod(_BoundMethod):
    """The same with statistics."""

    def _counts(self):
        attributes = vars(self.__self__)
        with _slot_lock:
            slot = attributes.get(_SLOT)
            if slot is None or slot.owner != id(self.__self__):
                slot = attributes[_SLOT] = _InstanceCounts(id(self.__self__))
            if self.__func__ not in slot:
                slot[self.__func__] = _Counts()
            return slot[self.__func__]

    def cache_info(self):
        return self._session().info()


def cachedmethod(cache, key=keys.methodkey, lock=None, condition=None, info=False):
    """Decorator that keeps a method's results in a mapping of the instance."""
    if not callable(cache):
        raise TypeError("cache must be a callable that takes the instance")

    def decorate(function):
        return _CachedMethod(function, cache, key, lock, condition, info)

    return decorate
