"""The base class of all caches, and those without expiry."""

from __future__ import annotations

import random
import reprlib
from collections import OrderedDict
from collections.abc import (
    Callable,
    Hashable,
    ItemsView,
    Iterator,
    MutableMapping,
    Sequence,
    ValuesView,
)
from typing import Any, TypeVar, overload

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MISSING: Any = object()


class Cache(MutableMapping[K, V]):
    """A mutable mapping whose items have a limited total size.

    Subclasses of this package decide what to evict through :meth:`popitem` and keep their
    own records in the hooks `_on_store`, `_on_use` and `_on_remove`.
    """

    def __init__(self, maxsize: float, getsizeof: Callable[[V], float] | None = None) -> None:
        """Make an empty cache.

        `getsizeof` replaces the method of that name.  A negative `maxsize` raises
        ValueError.
        """
        if maxsize < 0:
            raise ValueError("maxsize must not be negative")
        self._maxsize = maxsize
        self._total: float = 0
        self._data: dict[K, V] = {}
        self._sizes: dict[K, float] = {}
        if getsizeof is not None:
            self.__dict__["getsizeof"] = getsizeof

    # -- properties -----------------------------------------------------------------

    @property
    def maxsize(self) -> float:
        """The greatest total size the cache may have."""
        return self._maxsize

    @property
    def currsize(self) -> float:
        """The total size of the items held now."""
        return self._total

    @staticmethod
    def getsizeof(value: Any) -> float:
        """Return the size of an item with this value."""
        return 1

    # -- reading --------------------------------------------------------------------

    def __getitem__(self, key: K) -> V:
        try:
            return self._read(key)
        except KeyError:
            pass
        return self.__missing__(key)

    def __missing__(self, key: K) -> V:
        """Give the result of ``self[key]`` for a missing key; subclasses may override it."""
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return self._holds(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        items = dict(self._live_items())
        name = type(self).__name__
        return f"{name}({items!r}, maxsize={self.maxsize!r}, currsize={self.currsize!r})"

    @overload
    def get(self, key: K) -> V | None: ...
    @overload
    def get(self, key: K, default: Any) -> Any: ...
    def get(self, key: K, default: Any = None) -> Any:
        """Return the value of a present key, else `default`."""
        try:
            return self._read(key)
        except KeyError:
            return default

    def values(self) -> ValuesView[V]:
        """Return a view of the values; reading through it is not a use."""
        return _CacheValues(self)

    def items(self) -> ItemsView[K, V]:
        """Return a view of the items; reading through it is not a use."""
        return _CacheItems(self)

    # -- changing -------------------------------------------------------------------

    def __setitem__(self, key: K, value: V) -> None:
        size = self._checked_size(value)
        self._make_room(key, size)
        self._put(key, value, size)

    def __delitem__(self, key: K) -> None:
        if not self._holds(key):
            raise KeyError(key)
        self._remove(key)

    def pop(self, key: K, default: Any = _MISSING) -> Any:
        """Remove a key and return its value.

        A missing key gives `default`, or KeyError where none is given.
        """
        if self._holds(key):
            return self._take(key)[1]
        if default is _MISSING:
            raise KeyError(key)
        return default

    def popitem(self) -> tuple[K, V]:
        """Remove and return an item; KeyError if there is none."""
        self._check_not_empty()
        return self._take(next(reversed(self._data)))

    def setdefault(self, key: K, default: Any = None) -> Any:
        """Return the value of a present key, else store `default` and return it."""
        try:
            return self._read(key)
        except KeyError:
            pass
        self[key] = default
        return default

    def clear(self) -> None:
        """Remove all items.  This does not call :meth:`popitem`."""
        for key in list(self._data):
            self._remove(key)

    # -- copying --------------------------------------------------------------------

    def __getstate__(self) -> object:
        """Return the state for copying and pickling, sharing no container of ours."""
        state: Any = super().__getstate__()
        if isinstance(state, tuple):  # a subclass has slots beside the dictionary
            attributes, slots = state
            return (self._own_state(dict(attributes)), slots)
        return self._own_state(dict(state))

    def _own_state(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Replace our containers in a copy of the instance's dictionary by copies."""
        attributes["_data"] = self._data.copy()
        attributes["_sizes"] = self._sizes.copy()
        return attributes

    # -- for subclasses -------------------------------------------------------------

    def _holds(self, key: object) -> bool:
        """Whether the key is present; not a use."""
        return key in self._data

    def _live_items(self) -> Iterator[tuple[K, V]]:
        """Iterate over the items; not a use."""
        return iter(self._data.items())

    def _on_use(self, key: K) -> None:
        """Take note that an item was read."""

    def _on_store(self, key: K) -> None:
        """Take note that an item was stored or updated."""

    def _on_remove(self, key: K) -> None:
        """Take note that an item was removed."""

    def _read(self, key: K) -> V:
        """Return the value of a present key, as a use; KeyError for a missing one."""
        if not self._holds(key):
            raise KeyError(key)
        self._on_use(key)
        return self._data[key]

    def _checked_size(self, value: V) -> float:
        """Return the size of a value; ValueError if no cache of this limit can hold it."""
        size = self.getsizeof(value)
        if not 0 <= size <= self._maxsize:
            raise ValueError("value too large" if size > 0 else "size must not be negative")
        return size

    def _make_room(self, key: K, size: float) -> None:
        """Evict items until one of this size fits under `key` beside the others."""
        if key in self._sizes and size <= self._sizes[key]:
            return
        while (
            len(self._data) > (key in self._data)
            and self._total - self._sizes.get(key, 0) + size > self._maxsize
        ):
            self.popitem()

    def _put(self, key: K, value: V, size: float) -> None:
        """Store an item for which there is room."""
        self._total += size - self._sizes.get(key, 0)
        self._data[key] = value
        self._sizes[key] = size
        if len(self._data) == 1:  # leaves no rounding errors behind
            self._total = size
        self._on_store(key)

    def _remove(self, key: K) -> None:
        """Remove a key that is stored."""
        del self._data[key]
        size = self._sizes.pop(key)
        self._total = self._total - size if self._data else 0
        self._on_remove(key)

    def _take(self, key: K) -> tuple[K, V]:
        """Remove a key that is stored and return its item."""
        value = self._data[key]
        self._remove(key)
        return key, value

    def _check_not_empty(self) -> None:
        if not self._data:
            raise KeyError(f"{type(self).__name__} is empty")


class _CacheValues(ValuesView[V]):
    """The values of a cache."""

    _mapping: Cache[Any, V]

    def __iter__(self) -> Iterator[V]:
        for _, value in self._mapping._live_items():
            yield value

    def __contains__(self, value: object) -> bool:
        return any(held is value or held == value for held in self)


class _CacheItems(ItemsView[K, V]):
    """The items of a cache."""

    _mapping: Cache[K, V]

    def __iter__(self) -> Iterator[tuple[K, V]]:
        return iter(self._mapping._live_items())

    def __contains__(self, item: object) -> bool:
        key, value = item  # type: ignore[misc]
        if not self._mapping._holds(key):
            return False
        held = self._mapping._data[key]
        return held is value or held == value


class _OrderedCache(Cache[K, V]):
    """A cache with its keys in the order of their latest storing."""

    def __init__(self, maxsize: float, getsizeof: Callable[[V], float] | None = None) -> None:
        super().__init__(maxsize, getsizeof)
        self._order: OrderedDict[K, None] = OrderedDict()

    def _own_state(self, attributes: dict[str, Any]) -> dict[str, Any]:
        attributes["_order"] = self._order.copy()
        return super()._own_state(attributes)

    def _on_store(self, key: K) -> None:
        self._order[key] = None
        self._order.move_to_end(key)

    def _on_remove(self, key: K) -> None:
        del self._order[key]

    def _take_first(self) -> tuple[K, V]:
        """Remove and return the item whose key is first in order."""
        self._check_not_empty()
        return self._take(next(iter(self._order)))


class FIFOCache(_OrderedCache[K, V]):
    """A cache that evicts the item stored longest ago."""

    def popitem(self) -> tuple[K, V]:
        """Remove and return the item stored longest ago."""
        return self._take_first()


class LRUCache(_OrderedCache[K, V]):
    """A cache that evicts the item whose latest use is longest ago."""

    def popitem(self) -> tuple[K, V]:
        """Remove and return the item whose latest use is longest ago."""
        return self._take_first()

    def _on_use(self, key: K) -> None:
        self._order.move_to_end(key)


class LFUCache(Cache[K, V]):
    """A cache that evicts the item used least often.

    The keys used *n* times stand in a bucket, in the order of their latest use.  The
    counts for which there is a bucket form a doubly linked list in ascending order,
    whose links are kept in dictionaries; 0 is its anchor.  So everything takes constant
    time, and the structure is flat enough to be pickled whatever its size.
    """

    def __init__(self, maxsize: float, getsizeof: Callable[[V], float] | None = None) -> None:
        super().__init__(maxsize, getsizeof)
        self._uses: dict[K, int] = {}
        self._buckets: dict[int, OrderedDict[K, None]] = {}
        self._next: dict[int, int] = {0: 0}
        self._previous: dict[int, int] = {0: 0}

    def popitem(self) -> tuple[K, V]:
        """Remove and return the item used least often.

        Of several it is the one whose latest use is longest ago.
        """
        self._check_not_empty()
        return self._take(next(iter(self._buckets[self._next[0]])))

    def _own_state(self, attributes: dict[str, Any]) -> dict[str, Any]:
        attributes["_uses"] = self._uses.copy()
        attributes["_buckets"] = {count: keys.copy() for count, keys in self._buckets.items()}
        attributes["_next"] = self._next.copy()
        attributes["_previous"] = self._previous.copy()
        return super()._own_state(attributes)

    def _on_use(self, key: K) -> None:
        count = self._uses.get(key, 0)
        self._add(key, count + 1, after=count)
        if count:
            self._discard(key, count)

    _on_store = _on_use

    def _on_remove(self, key: K) -> None:
        self._discard(key, self._uses.pop(key))

    def _add(self, key: K, count: int, after: int) -> None:
        """Put a key at the end of a bucket, which follows that for the count `after`."""
        bucket = self._buckets.get(count)
        if bucket is None:
            bucket = self._buckets[count] = OrderedDict()
            following = self._next[after]
            self._next[after] = self._previous[following] = count
            self._previous[count] = after
            self._next[count] = following
        bucket[key] = None
        self._uses[key] = count

    def _discard(self, key: K, count: int) -> None:
        """Take a key from a bucket, and an empty bucket from the list."""
        bucket = self._buckets[count]
        del bucket[key]
        if not bucket:
            del self._buckets[count]
            before, following = self._previous.pop(count), self._next.pop(count)
            self._next[before] = following
            self._previous[following] = before


class RRCache(Cache[K, V]):
    """A cache that evicts the item that a function picks, by default a random one."""

    def __init__(
        self,
        maxsize: float,
        choice: Callable[[Sequence[K]], K] = random.choice,
        getsizeof: Callable[[V], float] | None = None,
    ) -> None:
        super().__init__(maxsize, getsizeof)
        # The default is not stored: pickled, it would take its generator along.
        self._choice = None if choice == random.choice else choice
        self._keys: list[K] = []
        self._positions: dict[K, int] = {}

    @property
    def choice(self) -> Callable[[Sequence[K]], K]:
        """The function that picks the key to evict."""
        return random.choice if self._choice is None else self._choice

    def popitem(self) -> tuple[K, V]:
        """Remove and return the item whose key the function picks."""
        self._check_not_empty()
        return self._take(self.choice(_ReadOnly(self._keys)))

    def _own_state(self, attributes: dict[str, Any]) -> dict[str, Any]:
        attributes["_keys"] = self._keys.copy()
        attributes["_positions"] = self._positions.copy()
        return super()._own_state(attributes)

    def _on_store(self, key: K) -> None:
        if key not in self._positions:
            self._positions[key] = len(self._keys)
            self._keys.append(key)

    def _on_remove(self, key: K) -> None:
        position = self._positions.pop(key)
        last = self._keys.pop()
        if position < len(self._keys):
            self._keys[position] = last
            self._positions[last] = position


class _ReadOnly(Sequence[K]):
    """A sequence that shows a list and cannot change it."""

    __slots__ = ("_list",)

    def __init__(self, content: list[K]) -> None:
        self._list = content

    @overload
    def __getitem__(self, index: int) -> K: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[K]: ...
    def __getitem__(self, index: int | slice) -> K | Sequence[K]:
        return self._list[index]

    def __len__(self) -> int:
        return len(self._list)

    def __iter__(self) -> Iterator[K]:
        return iter(self._list)

    def __repr__(self) -> str:
        return repr(self._list)
