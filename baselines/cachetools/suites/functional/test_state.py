"""Copies, subclasses, and several operations on one cache."""

import copy
import pickle
from collections.abc import MutableMapping

import cachetools
import cachetools.func


def test_every_kind_is_a_mutable_mapping_and_a_cache():
    kinds = [
        cachetools.FIFOCache(7),
        cachetools.LFUCache(7),
        cachetools.LRUCache(7),
        cachetools.RRCache(7),
        cachetools.TTLCache(7, ttl=99),
        cachetools.TLRUCache(7, ttu=lambda key, value, now: now + 99),
    ]
    for cache in kinds:
        cache.update(first=201, second=202)
        cache.update([("third", 203)])
    seen = [(isinstance(cache, MutableMapping), isinstance(cache, cachetools.Cache), sum(cache.values())) for cache in kinds]
    assert seen == [(True, True, 606)] * 6
    assert [cache == {"first": 201, "second": 202, "third": 203} for cache in kinds] == [True] * 6


def test_pop_del_and_clear_free_room():
    cache = cachetools.LRUCache(maxsize=30, getsizeof=len)
    cache["a"], cache["b"], cache["c"] = "x" * 7, "y" * 8, "z" * 9
    sizes = [cache.currsize]
    popped = cache.pop("b")
    sizes.append(cache.currsize)
    del cache["a"]
    sizes.append(cache.currsize)
    cache["d"] = "w" * 21
    sizes.append(cache.currsize)
    cache.clear()
    sizes.append(cache.currsize)
    cache["e"] = "vvvv"
    assert [popped, sizes, list(cache.items())] == ["yyyyyyyy", [24, 16, 9, 30, 0], [("e", "vvvv")]]
    assert [len(cache), cache.currsize] == [1, 4]


def test_popitem_overridden_by_a_subclass_sees_every_eviction():
    evicted = []

    class Logged(cachetools.LRUCache):
        def popitem(self):
            key, value = super().popitem()
            evicted.append(f"{key}={value}")
            return key, value

    cache = Logged(maxsize=2)
    for number in range(5):
        cache[f"k{number}"] = number * 10
    assert evicted == ["k0=0", "k1=10", "k2=20"]
    assert sorted(cache.items()) == [("k3", 30), ("k4", 40)]


def test_missing_is_asked_by_reading_only():
    asked = []

    class Squares(cachetools.LRUCache):
        def __missing__(self, key):
            asked.append(key)
            self[key] = key * key
            return key * key

    cache = Squares(maxsize=3)
    reads = [cache[4], cache[5], cache[4]]
    others = [cache.get(6), cache.get(7, "none"), cache.pop(8, "nothing"), cache.setdefault(9, 18), 10 in cache]
    assert [reads, others] == [[16, 25, 16], [None, "none", "nothing", 18, False]]
    assert asked == [4, 5]
    assert sorted(cache.items()) == [(4, 16), (5, 25), (9, 18)]


def test_missing_need_not_store_anything():
    class Shout(cachetools.LFUCache):
        def __missing__(self, key):
            return key.upper() + "!"

    cache = Shout(maxsize=2)
    cache["quiet"] = "hush"
    reads = [cache["loud"], cache["quiet"], cache["loud"]]
    assert [reads, list(cache.items()), cache.currsize] == [["LOUD!", "hush", "LOUD!"], [("quiet", "hush")], 1]


def test_a_copy_is_independent_and_keeps_the_order():
    cache = cachetools.LRUCache(maxsize=3)
    for name, value in [("u", 5), ("v", 6), ("w", 7)]:
        cache[name] = value
    read = cache["u"]
    other = copy.copy(cache)
    other["x"] = 8
    del cache["w"]
    assert [read, sorted(cache), sorted(other)] == [5, ["u", "v"], ["u", "w", "x"]]
    assert [other.popitem(), cache.popitem(), other.maxsize, other.currsize] == [("w", 7), ("v", 6), 3, 2]
    assert [sorted(cache.items()), sorted(other.items())] == [[("u", 5)], [("u", 5), ("x", 8)]]


def test_pickled_caches_keep_items_sizes_and_order():
    orders = []
    for kind in (cachetools.FIFOCache, cachetools.LRUCache, cachetools.LFUCache):
        cache = kind(maxsize=20, getsizeof=len)
        for name in ("aa", "bbb", "cccc"):
            cache[name] = name + name
        touched = cache["aa"]
        again = pickle.loads(pickle.dumps(cache))
        orders.append((touched, again.currsize, again.maxsize, [again.popitem()[0] for _ in range(3)]))
    assert orders == [
        ("aaaa", 18, 20, ["aa", "bbb", "cccc"]),
        ("aaaa", 18, 20, ["bbb", "cccc", "aa"]),
        ("aaaa", 18, 20, ["bbb", "cccc", "aa"]),
    ]


def test_a_deep_copy_of_an_expiring_cache_keeps_the_moments_of_expiry():
    class Clock:
        now = 0

        def __call__(self):
            return Clock.now

    cache = cachetools.TTLCache(maxsize=5, ttl=10, timer=Clock())
    cache["early"] = [1, 2]
    Clock.now = 6
    cache["late"] = [3, 4]
    other = copy.deepcopy(cache)
    other["late"].append(5)
    Clock.now = 12
    assert [sorted(cache.items()), sorted(other.items())] == [[("late", [3, 4])], [("late", [3, 4, 5])]]
    other["new"] = [6]
    assert [len(cache), sorted(other), other.ttl] == [1, ["late", "new"], 10]


def test_the_text_form_names_kind_items_and_sizes():
    cache = cachetools.LRUCache(maxsize=4, getsizeof=len)
    cache["k"] = "abc"
    texts = [repr(cache), repr(cachetools.FIFOCache(maxsize=17)), repr(cachetools.LFUCache(2.5))]
    assert texts == [
        "LRUCache({'k': 'abc'}, maxsize=4, currsize=3)",
        "FIFOCache({}, maxsize=17, currsize=0)",
        "LFUCache({}, maxsize=2.5, currsize=0)",
    ]


def test_keys_of_many_types_live_side_by_side():
    cache = cachetools.LRUCache(maxsize=10)
    cache[None], cache[(1, 2)], cache["1"], cache[frozenset({3})] = 1.5, 2.5, 3.5, 4.5
    cache[1] = 5.5
    cache[True] = 6.5
    cache[1.0] = 7.5
    assert [len(cache), cache[1], cache[None], cache[frozenset([3])], cache[(1, 2)]] == [5, 7.5, 1.5, 4.5, 2.5]
    assert sum(cache.values()) == 19.5


def test_two_functions_may_share_one_cache():
    shared = cachetools.LRUCache(maxsize=3)
    calls = []

    @cachetools.cached(shared, key=lambda number: ("add", number))
    def add(number):
        calls.append("add")
        return number + 5

    @cachetools.cached(shared, key=lambda number: ("sub", number))
    def sub(number):
        calls.append("sub")
        return number - 5

    results = [add(20), sub(20), add(20), sub(20), add(21), sub(21), add(20)]
    assert results == [25, 15, 25, 15, 26, 16, 25]
    assert [calls, len(shared)] == [["add", "sub", "add", "sub", "add"], 3]


def test_a_long_history_leaves_what_the_rules_say():
    lru, lfu, fifo = (kind(maxsize=5) for kind in (cachetools.LRUCache, cachetools.LFUCache, cachetools.FIFOCache))
    hits = {"lru": 0, "lfu": 0, "fifo": 0}
    state = 7
    for _ in range(400):
        state = (state * 37 + 11) % 101
        key = state % 9 if state % 3 else state % 4
        for name, cache in (("lru", lru), ("lfu", lfu), ("fifo", fifo)):
            if key in cache:
                hits[name] += cache[key] == key * key + 1
            else:
                cache[key] = key * key + 1
    # counted with one plain list of keys per rule
    assert hits == {"lru": 206, "lfu": 235, "fifo": 191}
    assert [sorted(lru), sorted(lfu), sorted(fifo)] == [[1, 2, 3, 7, 8], [0, 1, 2, 5, 7], [1, 2, 3, 7, 8]]
