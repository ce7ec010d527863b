"""The mapping classes."""

import heapq
import random
import reprlib
import time as _time
from collections import OrderedDict
from collections.abc import ItemsView, MutableMapping, ValuesView

_MISSING = object()


class _Items(ItemsView):
    """Items of a cache; looking at them is not a use."""

    __slots__ = ()

    def __contains__(self, item):
        key, value = item
        entry = self._mapping._find(key)
        return entry is not None and (entry[0] is value or entry[0] == value)

    def __iter__(self):
        for key in self._mapping:
            yield key, self._mapping._entry(key)[0]


class _Values(ValuesView):
    """Values of a cache; looking at them is not a use."""

    __slots__ = ()

    def __contains__(self, value):
        return any(v is value or v == value for v in self)

    def __iter__(self):
        for key in self._mapping:
            yield self._mapping._entry(key)[0]


class Cache(MutableMapping):
    """A mutable mapping of limited total size; base of all others."""

    def __init__(self, maxsize, getsizeof=None):
        if maxsize < 0:
            raise ValueError("maxsize must not be negative")
        if getsizeof is not None:
            self.getsizeof = getsizeof
        self.__maxsize = maxsize
        self.__total = 0
        self.__data = {}  # key -> (value, size)

    @property
    def maxsize(self):
        """The limit of the total size."""
        return self.__maxsize

    @property
    def currsize(self):
        """The sum of the sizes of the items held now."""
        return self.__total

    @staticmethod
    def getsizeof(value):
        """The size of an item with this value."""
        return 1

    # What subclasses adapt.

    def _find(self, key):
        """The (value, size) of a key that can be reached, else None."""
        return self.__data.get(key)

    def _used(self, key):
        """Called after a present key was read."""

    def _stored(self, key):
        """Called after a key was stored or updated."""

    def _victim(self):
        """The key to evict next."""
        for key in self.__data:
            return key
        raise self._empty()

    def _remove(self, key):
        """Remove a key that is held and return its value."""
        value, size = self.__data.pop(key)
        self.__total -= size
        if not isinstance(self.__total, int):
            # Subtracting fractions would let rounding errors pile up.
            self.__total = sum(entry[1] for entry in self.__data.values())
        return value

    # What they share.

    def _entry(self, key):
        return self.__data[key]

    def _empty(self):
        return KeyError(f"{type(self).__name__} is empty")

    def _sized(self, value):
        size = self.getsizeof(value)
        if not 0 <= size <= self.__maxsize:
            raise ValueError(f"item of size {size!r} does not fit into a cache of {self.__maxsize!r}")
        return size

    def _others(self, key):
        """The total size of all items but this one."""
        entry = self.__data.get(key)
        if entry is None:
            return self.__total
        rest = self.__total - entry[1]
        if isinstance(rest, int):
            return rest
        return sum(size for k, (_, size) in self.__data.items() if k != key)

    def _store(self, key, value, size):
        while (total := self._others(key) + size) > self.__maxsize:
            self.popitem()
        self.__data[key] = value, size
        self.__total = total
        self._stored(key)

    def __getitem__(self, key):
        entry = self._find(key)
        if entry is None:
            if hasattr(self, "__missing__"):
                return self.__missing__(key)
            raise KeyError(key)
        self._used(key)
        return entry[0]

    def __setitem__(self, key, value):
        self._store(key, value, self._sized(value))

    def __delitem__(self, key):
        if self._find(key) is None:
            raise KeyError(key)
        self._remove(key)

    def __contains__(self, key):
        return self._find(key) is not None

    def __iter__(self):
        return iter(self.__data)

    def __len__(self):
        return len(self.__data)

    @reprlib.recursive_repr()
    def __repr__(self):
        items = dict(self.items())
        return f"{type(self).__name__}({items!r}, maxsize={self.maxsize!r}, currsize={self.currsize!r})"

    def __copy__(self):
        new = type(self).__new__(type(self))
        new.__dict__.update(self.__dict__)
        new.__data = self.__data.copy()
        return new

    def items(self):
        return _Items(self)

    def values(self):
        return _Values(self)

    def get(self, key, default=None):
        """The value of a present key, else the default."""
        entry = self._find(key)
        if entry is None:
            return default
        self._used(key)
        return entry[0]

    def setdefault(self, key, default=None):
        """The value of a present key, else store and return the default."""
        entry = self._find(key)
        if entry is None:
            self[key] = default
            return default
        self._used(key)
        return entry[0]

    def pop(self, key, default=_MISSING):
        """Remove a key and return its value."""
        if self._find(key) is not None:
            return self._remove(key)
        if default is _MISSING:
            raise KeyError(key)
        return default

    def popitem(self):
        """Remove and return the pair that is evicted next."""
        key = self._victim()
        return key, self._remove(key)

    def clear(self):
        """Remove all items."""
        self.__data.clear()
        self.__total = 0


class FIFOCache(Cache):
    """Evicts the item stored longest ago."""

    def __init__(self, maxsize, getsizeof=None):
        super().__init__(maxsize, getsizeof)
        self._eviction_order = OrderedDict()

    def _stored(self, key):
        self._eviction_order[key] = None
        self._eviction_order.move_to_end(key)

    def _victim(self):
        for key in self._eviction_order:
            return key
        raise self._empty()

    def _remove(self, key):
        value = super()._remove(key)
        del self._eviction_order[key]
        return value

    def __copy__(self):
        new = super().__copy__()
        new._eviction_order = self._eviction_order.copy()
        return new

    def clear(self):
        super().clear()
        self._eviction_order.clear()


class LRUCache(FIFOCache):
    """Evicts the item used longest ago."""

    def _used(self, key):
        self._eviction_order.move_to_end(key)


class LFUCache(Cache):
    """Evicts the item used least often."""

    def __init__(self, maxsize, getsizeof=None):
        super().__init__(maxsize, getsizeof)
        self.__counts = {}  # key -> number of uses
        self.__groups = {}  # number of uses -> its keys, latest use last

    def __leave(self, key, count):
        group = self.__groups[count]
        del group[key]
        if not group:
            del self.__groups[count]

    def _used(self, key):
        count = self.__counts.get(key, 0)
        if count:
            self.__leave(key, count)
        self.__counts[key] = count + 1
        self.__groups.setdefault(count + 1, OrderedDict())[key] = None

    _stored = _used

    def _victim(self):
        if not self.__groups:
            raise self._empty()
        return next(iter(self.__groups[min(self.__groups)]))

    def _remove(self, key):
        value = super()._remove(key)
        self.__leave(key, self.__counts.pop(key))
        return value

    def __copy__(self):
        new = super().__copy__()
        new.__counts = self.__counts.copy()
        new.__groups = {count: group.copy() for count, group in self.__groups.items()}
        return new

    def clear(self):
        super().clear()
        self.__counts.clear()
        self.__groups.clear()


class RRCache(Cache):
    """Evicts the item that the choice function picks."""

    def __init__(self, maxsize, choice=random.choice, getsizeof=None):
        super().__init__(maxsize, getsizeof)
        # None stands for the default, so that copies do not drag a generator's state along.
        self.__choice = None if choice is random.choice else choice

    @property
    def choice(self):
        """The function that picks a key."""
        return random.choice if self.__choice is None else self.__choice

    def _victim(self):
        keys = list(self)
        if not keys:
            raise self._empty()
        return self.choice(keys)


class _ExpiringCache(LRUCache):
    """Items expire at a moment fixed when they are stored; then least recently used.

    Expired items stay inside, out of reach, until expire() takes them out.
    """

    def __init__(self, maxsize, timer, getsizeof):
        super().__init__(maxsize, getsizeof)
        self.__timer = timer
        self.__frozen = None  # the time while an item is being stored
        self.__ends = {}  # key -> (expiry, serial number)
        self.__heap = []  # (expiry, serial number, key), outdated ones among them
        self.__serial = 0

    @property
    def timer(self):
        """The function that gives the present time."""
        return self.__timer

    def _now(self):
        return self.__timer() if self.__frozen is None else self.__frozen

    def _find(self, key):
        entry = super()._find(key)
        return entry if entry is not None and self._now() < self.__ends[key][0] else None

    def _victim(self):
        now = self._now()
        for key in self._eviction_order:
            if now < self.__ends[key][0]:
                return key
        raise self._empty()

    def _remove(self, key):
        value = super()._remove(key)
        del self.__ends[key]
        return value

    def __current(self, item):
        end = self.__ends.get(item[2])
        return end is not None and end[1] == item[1]

    def __any_expired(self):
        heap = self.__heap
        while heap and not self.__current(heap[0]):
            heapq.heappop(heap)
        return bool(heap) and not self._now() < heap[0][0]

    @property
    def currsize(self):
        """The sum of the sizes of the items that have not expired."""
        if self.__any_expired():
            return sum(self._entry(key)[1] for key in self)
        return super().currsize

    def __len__(self):
        return sum(1 for _ in self) if self.__any_expired() else super().__len__()

    def __iter__(self):
        for key in super().__iter__():
            if self._now() < self.__ends[key][0]:
                yield key

    def __setitem__(self, key, value):
        size = self._sized(value)
        now = self._now()
        end = self._expiry(key, value, now)
        before, self.__frozen = self.__frozen, now
        try:
            self.expire(now)
            if not now < end:
                if key in self.__ends:
                    self._remove(key)
                return
            self._store(key, value, size)
            self.__serial += 1
            self.__ends[key] = end, self.__serial
            heapq.heappush(self.__heap, (end, self.__serial, key))
            if len(self.__heap) > 2 * len(self.__ends) + 32:
                self.__heap = list(filter(self.__current, self.__heap))
                heapq.heapify(self.__heap)
        finally:
            self.__frozen = before

    def __copy__(self):
        new = super().__copy__()
        new.__ends = self.__ends.copy()
        new.__heap = self.__heap.copy()
        return new

    def clear(self):
        super().clear()
        self.__ends.clear()
        self.__heap.clear()

    def expire(self, time=None):
        """Remove expired items and return their pairs, earliest expiry first."""
        if time is None:
            time = self._now()
        gone = []
        while self.__heap and not time < self.__heap[0][0]:
            item = heapq.heappop(self.__heap)
            if self.__current(item):
                gone.append((item[2], self._remove(item[2])))
        return gone


class TTLCache(_ExpiringCache):
    """Items expire a fixed time after they are stored; then least recently used."""

    def __init__(self, maxsize, ttl, timer=_time.monotonic, getsizeof=None):
        super().__init__(maxsize, timer, getsizeof)
        self.__ttl = ttl

    @property
    def ttl(self):
        """The time that an item lives."""
        return self.__ttl

    def _expiry(self, key, value, now):
        return now + self.__ttl


class TLRUCache(_ExpiringCache):
    """Items expire when a function of key, value and time says; then least recently used."""

    def __init__(self, maxsize, ttu, timer=_time.monotonic, getsizeof=None):
        super().__init__(maxsize, timer, getsizeof)
        self.__ttu = ttu

    @property
    def ttu(self):
        """The function that gives the moment of expiry."""
        return self.__ttu

    def _expiry(self, key, value, now):
        return self.__ttu(key, value, now)
