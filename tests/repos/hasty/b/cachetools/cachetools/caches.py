"""The cache classes.

Items live in one plain dictionary, key -> (value, size).  Where a class needs
an order of its own it keeps a second dictionary beside it, whose insertion
order is the order of eviction.
"""

import random
import time
from collections.abc import MutableMapping

_NOTHING = object()


def _first(table):
    return next(iter(table))


def _to_end(table, key, value=None):
    table.pop(key, None)
    table[key] = value


class Cache(MutableMapping):
    """A mutable mapping of limited total size."""

    # names of the dictionaries that a copy must not share
    _tables = ("_items",)

    def __init__(self, maxsize, getsizeof=None):
        if maxsize < 0:
            raise ValueError("maxsize must not be negative")
        if getsizeof is not None:
            self.getsizeof = getsizeof
        self._maxsize = maxsize
        self._total = 0
        for name in self._tables:
            setattr(self, name, {})

    # -- hooks for the kinds of caches

    def _present(self, key):
        return key in self._items

    def _note_store(self, key):
        pass

    def _note_use(self, key):
        pass

    def _note_drop(self, key):
        pass

    def _victim(self):
        return _first(self._items)

    # -- helpers

    def _lookup(self, key):
        if not self._present(key):
            raise KeyError(key)
        value = self._items[key][0]
        self._note_use(key)
        return value

    def _drop(self, key):
        value, size = self._items.pop(key)
        self._total -= size
        self._note_drop(key)
        return value

    def _checked_size(self, value):
        size = self.getsizeof(value)
        if size < 0:
            raise ValueError("size must not be negative")
        if size > self._maxsize:
            raise ValueError("value too large")
        return size

    def _size_of(self, key):
        return self._items[key][1] if key in self._items else 0

    def _put(self, key, value, size):
        while self._total - self._size_of(key) + size > self._maxsize:
            self.popitem()
        self._total += size - self._size_of(key)
        self._items[key] = (value, size)
        self._note_store(key)

    # -- the mapping

    @property
    def maxsize(self):
        return self._maxsize

    @property
    def currsize(self):
        return self._total

    @staticmethod
    def getsizeof(value):
        return 1

    def __missing__(self, key):
        raise KeyError(key)

    def __getitem__(self, key):
        if not self._present(key):
            return self.__missing__(key)
        return self._lookup(key)

    def __setitem__(self, key, value):
        self._put(key, value, self._checked_size(value))

    def __delitem__(self, key):
        if not self._present(key):
            raise KeyError(key)
        self._drop(key)

    def __contains__(self, key):
        return self._present(key)

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __repr__(self):
        content = {key: self._items[key][0] for key in self}
        return "%s(%r, maxsize=%r, currsize=%r)" % (
            type(self).__name__,
            content,
            self.maxsize,
            self.currsize,
        )

    def __copy__(self):
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in self._tables:
            setattr(twin, name, dict(getattr(self, name)))
        return twin

    def get(self, key, default=None):
        try:
            return self._lookup(key)
        except KeyError:
            return default

    def pop(self, key, default=_NOTHING):
        if self._present(key):
            value = self._items[key][0]
            del self[key]
            return value
        if default is _NOTHING:
            raise KeyError(key)
        return default

    def setdefault(self, key, default=None):
        try:
            return self._lookup(key)
        except KeyError:
            self[key] = default
            return default

    def popitem(self):
        if not self._items:
            raise KeyError("%s is empty" % type(self).__name__)
        key = self._victim()
        return key, self._drop(key)

    def clear(self):
        for name in self._tables:
            getattr(self, name).clear()
        self._total = 0


class FIFOCache(Cache):
    """Evicts the item stored longest ago."""

    _tables = ("_items", "_order")

    def _note_store(self, key):
        _to_end(self._order, key)

    def _note_drop(self, key):
        del self._order[key]

    def _victim(self):
        return _first(self._order)


class LFUCache(Cache):
    """Evicts the item used least often."""

    _tables = ("_items", "_uses")

    def _note_use(self, key):
        # moved to the end, so of equals min() finds the one used longest ago
        _to_end(self._uses, key, self._uses.get(key, 0) + 1)

    def _note_store(self, key):
        self._note_use(key)

    def _note_drop(self, key):
        del self._uses[key]

    def _victim(self):
        return min(self._uses, key=self._uses.get)


class LRUCache(Cache):
    """Evicts the item used longest ago."""

    _tables = ("_items", "_order")

    def _note_use(self, key):
        _to_end(self._order, key)

    def _note_store(self, key):
        _to_end(self._order, key)

    def _note_drop(self, key):
        del self._order[key]

    def _victim(self):
        return _first(self._order)


class RRCache(Cache):
    """Evicts the item that the choice function picks."""

    def __init__(self, maxsize, choice=random.choice, getsizeof=None):
        Cache.__init__(self, maxsize, getsizeof)
        self._choice = choice

    @property
    def choice(self):
        return self._choice

    def _victim(self):
        return self._choice(list(self._items))


class _ExpiringCache(LRUCache):
    """What TTLCache and TLRUCache share: items with a moment of expiry."""

    _tables = ("_items", "_order", "_ends")

    def __init__(self, maxsize, timer, getsizeof):
        LRUCache.__init__(self, maxsize, getsizeof)
        self._timer = timer

    @property
    def timer(self):
        return self._timer

    def _end_of(self, key, value, now):
        raise NotImplementedError

    def _live_keys(self):
        now = self._timer()
        return [key for key in self._items if now < self._ends[key]]

    def _present(self, key):
        return key in self._items and self._timer() < self._ends[key]

    def _note_drop(self, key):
        LRUCache._note_drop(self, key)
        del self._ends[key]

    @property
    def currsize(self):
        return sum(self._items[key][1] for key in self._live_keys())

    def __iter__(self):
        return iter(self._live_keys())

    def __len__(self):
        return len(self._live_keys())

    def __setitem__(self, key, value):
        size = self._checked_size(value)
        now = self._timer()
        end = self._end_of(key, value, now)
        self.expire(now)
        if now < end:
            self._put(key, value, size)
            self._ends[key] = end
        elif key in self._items:
            self._drop(key)

    def expire(self, time=None):
        if time is None:
            time = self._timer()
        dead = [key for key, end in self._ends.items() if not time < end]
        dead.sort(key=lambda key: self._ends[key])
        return [(key, self._drop(key)) for key in dead]

    def popitem(self):
        self.expire()
        return LRUCache.popitem(self)


class TTLCache(_ExpiringCache):
    """Items expire a fixed time after they are stored."""

    def __init__(self, maxsize, ttl, timer=time.monotonic, getsizeof=None):
        _ExpiringCache.__init__(self, maxsize, timer, getsizeof)
        self._ttl = ttl

    @property
    def ttl(self):
        return self._ttl

    def _end_of(self, key, value, now):
        return now + self._ttl


class TLRUCache(_ExpiringCache):
    """Items expire when a function of key, value and time says."""

    def __init__(self, maxsize, ttu, timer=time.monotonic, getsizeof=None):
        _ExpiringCache.__init__(self, maxsize, timer, getsizeof)
        self._ttu = ttu

    @property
    def ttu(self):
        return self._ttu

    def _end_of(self, key, value, now):
        return self._ttu(key, value, now)
