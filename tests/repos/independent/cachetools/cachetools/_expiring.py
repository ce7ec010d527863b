"""Caches whose items expire."""

from __future__ import annotations

import time as _time
from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from typing import Any

from ._caches import K, LRUCache, V


class _ExpiringCache(LRUCache[K, V]):
    """A cache whose items expire; without expired ones, the least recently used is evicted.

    `_expiry` holds for each key the moment of its expiry and a serial number.  The heap
    holds the same as `(moment, number, key)`; entries of items that were removed or
    updated since stay in it until they come up or make up more than half of it.  Expired
    entries form a subtree at the top of the heap, so counting them takes no longer than
    their number.

    Items that have expired are present in the containers until :meth:`expire` removes
    them, but do not count for any operation.  While an item is stored, the time stands
    still.
    """

    def __init__(
        self,
        maxsize: float,
        timer: Callable[[], Any],
        getsizeof: Callable[[V], float] | None,
    ) -> None:
        super().__init__(maxsize, getsizeof)
        self._timer = timer
        self._pinned: tuple[Any] | None = None
        self._serial = 0
        self._expiry: dict[K, tuple[Any, int]] = {}
        self._heap: list[tuple[Any, int, K]] = []

    @property
    def timer(self) -> Callable[[], Any]:
        """The function that gives the present time."""
        return self._timer

    @property
    def currsize(self) -> float:
        """The total size of the items that have not expired."""
        expired = [self._sizes[key] for key in self._expired_keys()]
        if len(expired) == len(self._data):
            return 0
        return self._total - sum(expired)

    def __len__(self) -> int:
        return len(self._data) - sum(1 for _ in self._expired_keys())

    def __iter__(self) -> Iterator[K]:
        for key in self._data:
            if self._holds(key):
                yield key

    def __setitem__(self, key: K, value: V) -> None:
        size = self._checked_size(value)
        now = self._now()
        moment = self._moment(key, value, now)
        outer, self._pinned = self._pinned, (now,)
        try:
            self.expire(now)
            if now < moment:
                self._make_room(key, size)
                self._put(key, value, size)
                self._schedule(key, moment)
            elif key in self._data:
                self._remove(key)
        finally:
            self._pinned = outer

    def popitem(self) -> tuple[K, V]:
        """Remove and return the least recently used item that has not expired."""
        now = self._now()
        if self._heap and not now < self._heap[0][0]:
            self.expire(now)
        return self._take_first()

    def expire(self, time: Any = None) -> list[tuple[K, V]]:
        """Remove all items that have expired by `time` (default: now).

        Their pairs are returned, those that expired earliest first.
        """
        if time is None:
            time = self._now()
        removed = []
        while self._heap and not time < self._heap[0][0]:
            _, serial, key = heappop(self._heap)
            if self._is_current(key, serial):
                removed.append(self._take(key))
        return removed

    def _moment(self, key: K, value: V, now: Any) -> Any:
        """Return the moment from which an item stored now has expired."""
        raise NotImplementedError

    def _now(self) -> Any:
        return self._timer() if self._pinned is None else self._pinned[0]

    def _holds(self, key: object) -> bool:
        entry = self._expiry.get(key)  # type: ignore[call-overload]
        return entry is not None and bool(self._now() < entry[0])

    def _live_items(self) -> Iterator[tuple[K, V]]:
        for key, value in self._data.items():
            if self._holds(key):
                yield key, value

    def _own_state(self, attributes: dict[str, Any]) -> dict[str, Any]:
        attributes["_expiry"] = self._expiry.copy()
        attributes["_heap"] = self._heap.copy()
        attributes["_pinned"] = None
        return super()._own_state(attributes)

    def _on_remove(self, key: K) -> None:
        super()._on_remove(key)
        self._expiry.pop(key, None)
        self._tidy_heap()

    def _schedule(self, key: K, moment: Any) -> None:
        """Note when the item just stored expires."""
        self._serial += 1
        self._expiry[key] = (moment, self._serial)
        heappush(self._heap, (moment, self._serial, key))
        self._tidy_heap()

    def _tidy_heap(self) -> None:
        """Rebuild the heap when more than half of it is out of date."""
        if len(self._heap) > 2 * len(self._expiry) + 16:
            self._heap = [(moment, n, key) for key, (moment, n) in self._expiry.items()]
            heapify(self._heap)

    def _is_current(self, key: K, serial: int) -> bool:
        entry = self._expiry.get(key)
        return entry is not None and entry[1] == serial

    def _expired_keys(self) -> Iterator[K]:
        """Iterate over the keys of expired items that are still in the containers."""
        now = self._now()
        heap = self._heap
        pending = [0]
        while pending:
            index = pending.pop()
            if index < len(heap) and not now < heap[index][0]:
                _, serial, key = heap[index]
                if self._is_current(key, serial):
                    yield key
                pending += (2 * index + 1, 2 * index + 2)


class TTLCache(_ExpiringCache[K, V]):
    """A cache whose items expire a fixed time after they were stored."""

    def __init__(
        self,
        maxsize: float,
        ttl: Any,
        timer: Callable[[], Any] = _time.monotonic,
        getsizeof: Callable[[V], float] | None = None,
    ) -> None:
        super().__init__(maxsize, timer, getsizeof)
        self._ttl = ttl

    @property
    def ttl(self) -> Any:
        """The time that an item lives."""
        return self._ttl

    def _moment(self, key: K, value: V, now: Any) -> Any:
        return now + self._ttl


class TLRUCache(_ExpiringCache[K, V]):
    """A cache whose items expire at the moment that a function gives for each."""

    def __init__(
        self,
        maxsize: float,
        ttu: Callable[[K, V, Any], Any],
        timer: Callable[[], Any] = _time.monotonic,
        getsizeof: Callable[[V], float] | None = None,
    ) -> None:
        super().__init__(maxsize, timer, getsizeof)
        self._ttu = ttu

    @property
    def ttu(self) -> Callable[[K, V, Any], Any]:
        """The function of key, value and present time that gives the moment of expiry."""
        return self._ttu

    def _moment(self, key: K, value: V, now: Any) -> Any:
        return self._ttu(key, value, now)
