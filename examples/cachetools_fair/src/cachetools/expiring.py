"""Caches whose items expire."""

import time

from .base import LRUCache


class _Expiring(LRUCache):
    """An LRU cache with a moment of expiry per item."""

    def __init__(self, maxsize, timer, getsizeof=None):
        super().__init__(maxsize, getsizeof)
        self._timer = timer
        self._expires = {}

    @property
    def timer(self):
        """The timer that was given."""
        return self._timer

    @property
    def currsize(self):
        """The total size of what has not expired."""
        self.expire()
        return self._currsize

    def _alive(self, key):
        return key in self._expires and self._timer() < self._expires[key]

    def __repr__(self):
        self.expire()
        return super().__repr__()

    def __len__(self):
        self.expire()
        return len(self._items)

    def __contains__(self, key):
        return self._alive(key)

    def __iter__(self):
        for key in list(self._items):
            if self._alive(key):
                yield key

    def __getitem__(self, key):
        if self._alive(key):
            return super().__getitem__(key)
        return self.__missing__(key)

    def __delitem__(self, key):
        alive = self._alive(key)
        super().__delitem__(key)
        if not alive:
            raise KeyError(key)

    def _removed(self, key):
        super()._removed(key)
        self._expires.pop(key, None)

    def _moment(self, key, value, now):
        raise NotImplementedError("a subclass says when an item expires")

    def __setitem__(self, key, value):
        now = self._timer()
        self.expire(now)
        moment = self._moment(key, value, now)
        super().__setitem__(key, value)
        self._expires.pop(key, None)
        self._expires[key] = moment

    def expire(self, time=None):
        """Remove what has expired and return it as pairs, earliest first."""
        now = self._timer() if time is None else time
        gone = []
        for key, moment in self._by_expiry():
            if now < moment:
                break
            gone.append(key)
        pairs = []
        for key in gone:
            pairs.append((key, self._items[key]))
            LRUCache.__delitem__(self, key)
        return pairs

    def _by_expiry(self):
        return sorted(self._expires.items(), key=lambda pair: pair[1])

    def popitem(self):
        """Remove and return the living item used longest ago."""
        self.expire()
        return super().popitem()


class TTLCache(_Expiring):
    """Items live for a fixed time."""

    def __init__(self, maxsize, ttl, timer=time.monotonic, getsizeof=None):
        super().__init__(maxsize, timer, getsizeof)
        self._ttl = ttl

    @property
    def ttl(self):
        """The time to live."""
        return self._ttl

    def _moment(self, key, value, now):
        return now + self._ttl

    def _by_expiry(self):
        # what is stored later expires later, and the dictionary keeps the order of storage
        return self._expires.items()


class TLRUCache(_Expiring):
    """Items live until the moment that a function of key, value and time gives."""

    def __init__(self, maxsize, ttu, timer=time.monotonic, getsizeof=None):
        super().__init__(maxsize, timer, getsizeof)
        self._ttu = ttu

    @property
    def ttu(self):
        """The function that gives the moment of expiry."""
        return self._ttu

    def _moment(self, key, value, now):
        return self._ttu(key, value, now)
