"""Decorators that keep the results of calls in a mapping."""

import functools
from collections import namedtuple
from contextlib import nullcontext

from . import keys
from .caches import Cache

CacheInfo = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"])

_NOTHING = object()


def _new_state():
    return {"hits": 0, "misses": 0, "running": set()}


def _guard(lock, condition):
    if lock is not None:
        return lock
    if condition is not None:
        return condition
    return nullcontext()


def _find(cache, k, state):
    found = cache.get(k, _NOTHING)
    state["misses" if found is _NOTHING else "hits"] += 1
    return found


def _store(cache, k, result):
    try:
        cache[k] = result
    except ValueError:
        pass


def _lookup_or_call(cache, guard, state, k, call):
    with guard:
        found = _find(cache, k, state)
    if found is not _NOTHING:
        return found
    result = call()
    with guard:
        _store(cache, k, result)
    return result


def _claim(condition, running, k):
    with condition:
        condition.wait_for(lambda: k not in running)
        running.add(k)


def _release(condition, running, k):
    with condition:
        running.discard(k)
        condition.notify_all()


def _memoized(cache, lock, condition, state, k, call):
    # The lock and the condition are never held at once, because the condition
    # may have been made from the lock.
    guard = _guard(lock, condition)
    if condition is None:
        return _lookup_or_call(cache, guard, state, k, call)
    _claim(condition, state["running"], k)
    try:
        return _lookup_or_call(cache, guard, state, k, call)
    finally:
        _release(condition, state["running"], k)


def _clear(cache, lock, condition, state):
    with _guard(lock, condition):
        cache.clear()
        state["hits"] = state["misses"] = 0


def _info(cache, lock, condition, state):
    with _guard(lock, condition):
        if isinstance(cache, Cache):
            limits = (cache.maxsize, cache.currsize)
        else:
            limits = (None, len(cache))
        return CacheInfo(state["hits"], state["misses"], *limits)


def cached(cache, key=keys.hashkey, lock=None, condition=None, info=False):
    """Decorator that keeps a function's results in a mapping."""
    if cache is None:
        raise TypeError("cache must be a mapping, not None")

    def decorate(func):
        state = _new_state()

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            k = key(*args, **kwargs)
            call = functools.partial(func, *args, **kwargs)
            return _memoized(cache, lock, condition, state, k, call)

        wrapper.cache = cache
        wrapper.cache_key = key
        wrapper.cache_lock = lock
        wrapper.cache_condition = condition
        wrapper.cache_clear = lambda: _clear(cache, lock, condition, state)
        if info:
            wrapper.cache_info = lambda: _info(cache, lock, condition, state)
        return wrapper

    return decorate


def _of_instance(getter, instance):
    return None if getter is None else getter(instance)


class _BoundMethod:
    """A cached method together with its instance."""

    def __init__(self, method, instance):
        functools.update_wrapper(self, method._func)
        self._method = method
        self.__self__ = instance
        if method._info:
            self.cache_info = self._cache_info

    def __call__(self, /, *args, **kwargs):
        return self._method(self.__self__, *args, **kwargs)

    @property
    def cache(self):
        return self._method._cache(self.__self__)

    @property
    def cache_lock(self):
        return _of_instance(self._method._lock, self.__self__)

    @property
    def cache_condition(self):
        return _of_instance(self._method._condition, self.__self__)

    def cache_key(self, /, *args, **kwargs):
        return self._method._key(self.__self__, *args, **kwargs)

    def cache_clear(self):
        _clear(*self._method._parts(self.__self__))

    def _cache_info(self):
        return _info(*self._method._parts(self.__self__))


class _CachedMethod:
    """What stands in the class in place of the method."""

    def __init__(self, func, cache, key, lock, condition, info):
        functools.update_wrapper(self, func)
        self._func = func
        self._cache = cache
        self._key = key
        self._lock = lock
        self._condition = condition
        self._info = info

    def _state(self, instance):
        states = instance.__dict__.setdefault("_cachedmethod_states", {})
        return states.setdefault(self._func.__qualname__, _new_state())

    def _parts(self, instance):
        return (
            self._cache(instance),
            _of_instance(self._lock, instance),
            _of_instance(self._condition, instance),
            self._state(instance),
        )

    def __get__(self, instance, owner=None):
        return self if instance is None else _BoundMethod(self, instance)

    def __call__(self, instance, /, *args, **kwargs):
        k = self._key(instance, *args, **kwargs)
        call = functools.partial(self._func, instance, *args, **kwargs)
        return _memoized(*self._parts(instance), k, call)


def cachedmethod(cache, key=keys.methodkey, lock=None, condition=None, info=False):
    """Decorator that keeps a method's results in a mapping of the instance."""
    if not callable(cache):
        raise TypeError("cache must be callable")

    def decorate(func):
        return _CachedMethod(func, cache, key, lock, condition, info)

    return decorate
