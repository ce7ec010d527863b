"""Decorators that keep the results of calls in a mapping."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, MutableMapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from . import keys
from ._caches import Cache

_MISSING: Any = object()
_NO_GUARD: AbstractContextManager[Any] = nullcontext()


class CacheInfo(NamedTuple):
    """Statistics of a memoized function."""

    hits: int
    misses: int
    maxsize: float | None
    currsize: float


class _Statistics:
    """Counts of hits and misses.

    Those kept in an instance belong to this one only: a copy of them, made together with
    a copy of the instance, starts anew.
    """

    __slots__ = ("hits", "misses", "owner")

    def __init__(self, owner: int = 0) -> None:
        self.owner = owner
        self.reset()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_Statistics, ())

    def reset(self) -> None:
        """Set both counts to 0."""
        self.hits = self.misses = 0

    def info(self, cache: MutableMapping[Any, Any]) -> CacheInfo:
        """Return the counts together with the limit and size of the cache."""
        if isinstance(cache, Cache):
            return CacheInfo(self.hits, self.misses, cache.maxsize, cache.currsize)
        return CacheInfo(self.hits, self.misses, None, len(cache))


class _Store:
    """A cache with what guards it and counts its use: all that a memoized call needs.

    `running` holds a token for each call that is being made under the condition.
    """

    __slots__ = ("cache", "condition", "guard", "running", "statistics")

    def __init__(
        self,
        cache: MutableMapping[Any, Any],
        lock: AbstractContextManager[Any] | None,
        condition: Any,
        running: set[Any],
        statistics: _Statistics,
    ) -> None:
        if cache is None:
            raise TypeError("the cache must be a mutable mapping, not None")
        self.cache = cache
        self.condition = condition
        self.running = running
        self.statistics = statistics
        if lock is not None:
            self.guard = lock
        else:
            self.guard = _NO_GUARD if condition is None else condition

    def result(self, key: Hashable, call: Callable[[], Any]) -> Any:
        """Return the stored result for `key`, else that of `call`, which is then stored."""
        if self.condition is None:
            value = self._look_up(key, count_miss=True)
            return self._compute(key, call) if value is _MISSING else value
        value = self._look_up(key, count_miss=False)
        return self._result_in_turn(key, call) if value is _MISSING else value

    def _result_in_turn(self, key: Hashable, call: Callable[[], Any]) -> Any:
        """Do the same while no other thread does it for this key.

        The condition and the lock are never held together, as the one may have been made
        from the other.
        """
        token = (id(self.condition), id(self.cache), key)
        with self.condition:
            self.condition.wait_for(lambda: token not in self.running)
            self.running.add(token)
        try:
            value = self._look_up(key, count_miss=True)
            return self._compute(key, call) if value is _MISSING else value
        finally:
            with self.condition:
                self.running.discard(token)
                self.condition.notify_all()

    def _look_up(self, key: Hashable, count_miss: bool) -> Any:
        with self.guard:
            value = self.cache.get(key, _MISSING)
            if value is not _MISSING:
                self.statistics.hits += 1
            elif count_miss:
                self.statistics.misses += 1
            return value

    def _compute(self, key: Hashable, call: Callable[[], Any]) -> Any:
        value = call()
        with self.guard:
            try:
                self.cache[key] = value
            except ValueError:  # refused by the cache
                pass
        return value

    def clear(self) -> None:
        """Empty the cache and set the statistics to 0."""
        with self.guard:
            self.cache.clear()
            self.statistics.reset()

    def info(self) -> CacheInfo:
        """Return the statistics."""
        with self.guard:
            return self.statistics.info(self.cache)


def cached(
    cache: MutableMapping[Any, Any],
    key: Callable[..., Hashable] = keys.hashkey,
    lock: AbstractContextManager[Any] | None = None,
    condition: Any = None,
    info: bool = False,
) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a function so that its results are kept in `cache`.

    `key` makes the keys from the arguments.  `lock` is held whenever the cache is
    accessed.  With a `condition` no two threads run the function for the same key at the
    same time.  With `info` the function gets the method `cache_info()`.
    """
    if cache is None:
        raise TypeError("the cache must be a mutable mapping, not None")

    def decorator(function: Callable[..., Any]) -> Any:
        store = _Store(cache, lock, condition, set(), _Statistics())

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return store.result(key(*args, **kwargs), lambda: function(*args, **kwargs))

        attributes = {
            "cache": cache,
            "cache_key": key,
            "cache_lock": lock,
            "cache_condition": condition,
            "cache_clear": store.clear,
        }
        if info:
            attributes["cache_info"] = store.info
        wrapper.__dict__.update(attributes)
        return wrapper

    return decorator


def cachedmethod(
    cache: Callable[[Any], MutableMapping[Any, Any]],
    key: Callable[..., Hashable] = keys.methodkey,
    lock: Callable[[Any], AbstractContextManager[Any]] | None = None,
    condition: Callable[[Any], Any] | None = None,
    info: bool = False,
) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a method so that its results are kept in a cache of the instance.

    `cache`, `lock` and `condition` are called with the instance and give what
    :func:`cached` takes under these names.  `key` is called with the instance too.
    """
    if not callable(cache):
        raise TypeError("the cache must be given as a function of the instance")

    def decorator(method: Callable[..., Any]) -> Any:
        return _CachedMethod(method, cache, key, lock, condition, info)

    return decorator


class _CachedMethod:
    """A memoized method as it stands in its class."""

    def __init__(
        self,
        method: Callable[..., Any],
        cache: Callable[[Any], MutableMapping[Any, Any]],
        key: Callable[..., Hashable],
        lock: Callable[[Any], AbstractContextManager[Any]] | None,
        condition: Callable[[Any], Any] | None,
        info: bool,
    ) -> None:
        functools.update_wrapper(self, method)
        self._method = method
        self._cache = cache
        self._key = key
        self._lock = lock
        self._condition = condition
        self._info = info
        self._running: set[Any] = set()
        self._slot = f"_cachetools_statistics:{getattr(method, '__qualname__', '')}"

    def __set_name__(self, owner: type, name: str) -> None:
        self._slot = f"_cachetools_statistics:{owner.__module__}.{owner.__qualname__}.{name}"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return (_BoundMethodWithInfo if self._info else _BoundMethod)(self, instance)

    def __call__(self, instance: Any, /, *args: Any, **kwargs: Any) -> Any:
        method = self._method
        return self.store(instance).result(
            self._key(instance, *args, **kwargs), lambda: method(instance, *args, **kwargs)
        )

    def store(self, instance: Any) -> _Store:
        """Return the cache of an instance with its lock, condition and statistics."""
        return _Store(
            self._cache(instance),
            None if self._lock is None else self._lock(instance),
            None if self._condition is None else self._condition(instance),
            self._running,
            self._statistics(instance) if self._info else _Statistics(),
        )

    def _statistics(self, instance: Any) -> _Statistics:
        attributes = instance.__dict__
        found = attributes.get(self._slot)
        if found is None:
            found = attributes.setdefault(self._slot, _Statistics(id(instance)))
        if found.owner != id(instance):  # came here with a copy of the dictionary
            found = attributes[self._slot] = _Statistics(id(instance))
        return found


class _BoundMethod:
    """A memoized method of an instance."""

    def __init__(self, method: _CachedMethod, instance: Any) -> None:
        functools.update_wrapper(self, method._method)
        self.__func__ = method
        self.__self__ = instance

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self.__self__, *args, **kwargs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _BoundMethod):
            return NotImplemented
        return self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self) -> int:
        return hash((id(self.__func__), id(self.__self__)))

    def __repr__(self) -> str:
        return f"<cached method {self.__func__!r} of {self.__self__!r}>"

    @property
    def __signature__(self) -> inspect.Signature:
        signature = inspect.signature(self.__func__._method)
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    @property
    def cache(self) -> MutableMapping[Any, Any]:
        """The cache of the instance."""
        return self.__func__._cache(self.__self__)

    @property
    def cache_lock(self) -> AbstractContextManager[Any] | None:
        """The lock of the instance, or None."""
        lock = self.__func__._lock
        return None if lock is None else lock(self.__self__)

    @property
    def cache_condition(self) -> Any:
        """The condition of the instance, or None."""
        condition = self.__func__._condition
        return None if condition is None else condition(self.__self__)

    def cache_key(self, /, *args: Any, **kwargs: Any) -> Hashable:
        """Return the key for these arguments."""
        return self.__func__._key(self.__self__, *args, **kwargs)

    def cache_clear(self) -> None:
        """Empty the cache of the instance and set its statistics to 0."""
        self.__func__.store(self.__self__).clear()


class _BoundMethodWithInfo(_BoundMethod):
    """A memoized method of an instance that keeps statistics."""

    def cache_info(self) -> CacheInfo:
        """Return the statistics of the instance."""
        return self.__func__.store(self.__self__).info()
