"""Caches without expiry."""

import random
from collections.abc import MutableMapping

_MISSING = object()


class Cache(MutableMapping):
    """A mapping whose items together never take more than ``maxsize``."""

    def __init__(self, maxsize, getsizeof=None):
        if maxsize < 0:
            raise ValueError("maxsize must not be negative")
        self._maxsize = maxsize
        self._currsize = 0
        self._items = {}
        self._sizes = {}
        if getsizeof is not None:
            self.getsizeof = getsizeof

    @property
    def maxsize(self):
        """The largest total size."""
        return self._maxsize

    @property
    def currsize(self):
        """The present total size."""
        return self._currsize

    @staticmethod
    def getsizeof(value):
        """The size of one value."""
        return 1

    def __repr__(self):
        return f"{type(self).__name__}({self._items!r}, maxsize={self.maxsize!r}, currsize={self.currsize!r})"

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __contains__(self, key):
        return key in self._items

    def __missing__(self, key):
        raise KeyError(key)

    def __getitem__(self, key):
        if key in self._items:
            self._touched(key)
            return self._items[key]
        return self.__missing__(key)

    def __setitem__(self, key, value):
        size = self.getsizeof(value)
        if size < 0:
            raise ValueError("size must not be negative")
        if size > self._maxsize:
            raise ValueError("value too large")
        while self._currsize - self._sizes.get(key, 0) + size > self._maxsize:
            self.popitem()
        self._currsize += size - self._sizes.get(key, 0)
        known = key in self._items
        self._items[key] = value
        self._sizes[key] = size
        self._stored(key, known)

    def __delitem__(self, key):
        del self._items[key]
        self._currsize -= self._sizes.pop(key)
        self._removed(key)

    def __copy__(self):
        other = type(self).__new__(type(self))
        for name, value in vars(self).items():
            if isinstance(value, (dict, list, set)):
                value = value.copy()
            setattr(other, name, value)
        return other

    def get(self, key, default=None):
        """Return the value of a present key, or the default."""
        return self[key] if key in self else default

    def pop(self, key, default=_MISSING):
        """Remove a key and return its value."""
        if key in self:
            value = self._items[key]
            del self[key]
            return value
        if default is _MISSING:
            raise KeyError(key)
        return default

    def setdefault(self, key, default=None):
        """Return the value of a present key, or store the default."""
        if key in self:
            return self[key]
        self[key] = default
        return default

    def clear(self):
        """Remove everything."""
        for key in list(self._items):
            Cache.__delitem__(self, key)

    def popitem(self):
        """Remove and return the next item to go."""
        if not self._items:
            raise KeyError(f"{type(self).__name__} is empty")
        key = self._next()
        value = self._items[key]
        del self[key]
        return key, value

    # What a kind of cache has to know about its items.

    def _next(self):
        return next(iter(self._items))

    def _touched(self, key):
        pass

    def _stored(self, key, known):
        pass

    def _removed(self, key):
        pass


class FIFOCache(Cache):
    """Evicts the item that came first."""

    def popitem(self):
        """Remove and return the item stored longest ago."""
        return super().popitem()


class LRUCache(Cache):
    """Evicts the item that was not used for the longest time."""

    def __init__(self, maxsize, getsizeof=None):
        super().__init__(maxsize, getsizeof)
        self._order = {}

    def _touched(self, key):
        self._order.pop(key, None)
        self._order[key] = None

    def _stored(self, key, known):
        self._touched(key)

    def _removed(self, key):
        self._order.pop(key, None)

    def _next(self):
        return next(iter(self._order))

    def popitem(self):
        """Remove and return the item used longest ago."""
        return super().popitem()


class LFUCache(Cache):
    """Evicts the item that was used least."""

    def __init__(self, maxsize, getsizeof=None):
        super().__init__(maxsize, getsizeof)
        self._uses = {}
        self._clock = 0

    def _touched(self, key):
        self._clock += 1
        count = self._uses[key][0] if key in self._uses else 0
        self._uses[key] = (count + 1, self._clock)

    def _stored(self, key, known):
        self._touched(key)

    def _removed(self, key):
        del self._uses[key]

    def _next(self):
        return min(self._uses, key=self._uses.__getitem__)

    def popitem(self):
        """Remove and return the item used least often."""
        return super().popitem()


class RRCache(Cache):
    """Evicts an item that a choice function picks."""

    def __init__(self, maxsize, choice=random.choice, getsizeof=None):
        super().__init__(maxsize, getsizeof)
        self._choice = choice

    @property
    def choice(self):
        """The function that picks."""
        return self._choice

    def _next(self):
        return self._choice(list(self._items))

    def popitem(self):
        """Remove and return an item that the choice function picks."""
        return super().popitem()
