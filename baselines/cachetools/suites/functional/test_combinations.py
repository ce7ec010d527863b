"""Options that meet: locks, conditions and statistics; sizes and updates; copies of every kind."""

import copy
import pickle
import threading

import cachetools
import cachetools.func
import cachetools.keys


def test_locks_conditions_and_statistics_of_functions():
    seen = []
    for with_lock, with_condition, info in [(1, 0, 1), (0, 1, 1), (1, 1, 1), (1, 1, 0), (0, 1, 0)]:
        lock = threading.Lock() if with_lock else None
        condition = threading.Condition(lock) if with_condition else None
        calls = []

        @cachetools.cached(cachetools.LRUCache(maxsize=12, getsizeof=len), lock=lock, condition=condition, info=bool(info))
        def stretch(text, times=2):
            calls.append(text)
            return text * times

        results = [stretch("ab"), stretch("ab"), stretch("cde", times=3), stretch("xyz", 5), stretch("xyz", 5), stretch("ab")]
        statistics = tuple(stretch.cache_info()) if info else None
        guards = (stretch.cache_lock is (lock or condition), stretch.cache_condition is condition)
        stretch.cache_clear()
        after = tuple(stretch.cache_info()) if info else None
        seen.append(("|".join(results), len(calls), statistics, guards, len(stretch.cache), after))
    text = "abab|abab|cdecdecde|xyzxyzxyzxyzxyz|xyzxyzxyzxyzxyz|abab"
    assert [item[0] for item in seen] == [text] * 5
    assert [item[1:3] for item in seen] == [(5, (1, 5, 12, 4)), (5, (1, 5, 12, 4)), (5, (1, 5, 12, 4)), (5, None), (5, None)]
    assert [item[4:] for item in seen] == [(0, (0, 0, 12, 0)), (0, (0, 0, 12, 0)), (0, (0, 0, 12, 0)), (0, None), (0, None)]
    assert [item[3][1] for item in seen] == [True] * 5


def test_locks_conditions_and_statistics_of_methods():
    class Reader:
        def __init__(self):
            self.store = cachetools.LRUCache(maxsize=6, getsizeof=len)
            self.lock = threading.Lock()
            self.condition = threading.Condition(self.lock)
            self.calls = []

        @cachetools.cachedmethod(lambda self: self.store, key=lambda self, n: ("l", n), lock=lambda self: self.lock, info=True)
        def locked(self, n):
            self.calls.append(n)
            return "l" * n

        @cachetools.cachedmethod(lambda self: self.store, key=lambda self, n: ("c", n), condition=lambda self: self.condition, info=True)
        def waiting(self, n):
            self.calls.append(n)
            return "c" * n

        @cachetools.cachedmethod(
            lambda self: self.store, key=lambda self, n: ("b", n), lock=lambda self: self.lock, condition=lambda self: self.condition
        )
        def both(self, n):
            self.calls.append(n)
            return "b" * n

    reader = Reader()
    results = [[method(n) for n in (2, 9, 2, 9)] for method in (reader.locked, reader.waiting, reader.both)]
    assert results == [["ll", "lllllllll", "ll", "lllllllll"], ["cc", "ccccccccc", "cc", "ccccccccc"], ["bb", "bbbbbbbbb", "bb", "bbbbbbbbb"]]
    assert [reader.calls, sorted(reader.store)] == [[2, 9, 9] * 3, [("b", 2), ("c", 2), ("l", 2)]]
    assert [tuple(reader.locked.cache_info()), tuple(reader.waiting.cache_info())] == [(1, 3, 6, 6), (1, 3, 6, 6)]
    assert [reader.locked.cache_lock is reader.lock, reader.both.cache_condition is reader.condition, reader.locked.cache_condition] == [
        True,
        True,
        None,
    ]


def test_a_condition_for_methods_keeps_others_waiting():
    started, release, calls = threading.Event(), threading.Event(), []

    class Slow:
        def __init__(self):
            self.store = {}
            self.condition = threading.Condition()

        @cachetools.cachedmethod(lambda self: self.store, condition=lambda self: self.condition, info=True)
        def work(self, n):
            calls.append(n)
            started.set()
            release.wait(5)
            return n * 17

    slow, results = Slow(), []
    threads = [threading.Thread(target=lambda: results.append(slow.work(3))) for _ in range(4)]
    threads[0].start()
    started.wait(5)
    for thread in threads[1:]:
        thread.start()
    release.set()
    for thread in threads:
        thread.join(5)
    assert [results, calls, tuple(slow.work.cache_info())] == [[51, 51, 51, 51], [3], (3, 1, None, 1)]


def test_a_wrapped_function_in_a_class_is_a_method():
    calls = []

    class Point:
        def __init__(self, x):
            self.x = x

        @cachetools.cached({}, info=True)
        def times(self, n):
            calls.append((self.x, n))
            return self.x * n

    left, right = Point(6), Point(7)
    results = [left.times(8), right.times(8), left.times(8), Point.times(right, 8), left.times(n=8)]
    assert [results, calls, tuple(Point.times.cache_info())] == [[48, 56, 48, 56, 48], [(6, 8), (7, 8), (6, 8)], (2, 3, None, 3)]


def test_methods_through_their_class():
    class Box:
        def __init__(self, name):
            self.name, self.store = name, cachetools.LRUCache(2)

        @cachetools.cachedmethod(lambda self: self.store, info=True)
        def label(self, prefix, *, suffix=""):
            return f"{prefix}{self.name}{suffix}"

    box = Box("oak")
    results = [Box.label(box, "<"), Box.label(box, "<", suffix=">"), box.label("<", suffix=">"), box.label("(")]
    assert [results, tuple(box.label.cache_info()), box.label.__name__, box.label.__wrapped__.__name__] == [
        ["<oak", "<oak>", "<oak>", "(oak"],
        (1, 3, 2, 2),
        "label",
        "label",
    ]


def test_a_grown_item_may_push_out_all_others():
    seen = []
    for kind in (cachetools.FIFOCache, cachetools.LRUCache, cachetools.LFUCache):
        cache = kind(maxsize=10, getsizeof=len)
        cache["a"], cache["b"] = "aaaa", "bbbbb"
        cache["a"] = "AAAAAAA"
        seen.append((sorted(cache.items()), cache.currsize))
        cache["c"] = "ccc"
        seen.append((sorted(cache), cache.currsize))
    assert seen == [([("a", "AAAAAAA")], 7), (["a", "c"], 10)] * 3


def test_cleared_caches_start_afresh():
    now, seen = [0], []
    caches = [
        cachetools.Cache(6, getsizeof=len),
        cachetools.FIFOCache(6, getsizeof=len),
        cachetools.LFUCache(6, getsizeof=len),
        cachetools.LRUCache(6, getsizeof=len),
        cachetools.RRCache(6, choice=min, getsizeof=len),
        cachetools.TTLCache(6, ttl=5, timer=lambda: now[0], getsizeof=len),
        cachetools.TLRUCache(6, ttu=lambda key, value, moment: moment + 5, timer=lambda: now[0], getsizeof=len),
    ]
    for cache in caches:
        cache["x"], cache["y"] = "11", "222"
        hits = cache["x"] + cache["x"]
        cache.clear()
        empty = (len(cache), cache.currsize, "x" in cache)
        cache["y"], cache["z"] = "4444", "55"
        seen.append((hits, empty, cache.currsize, sorted(cache)))
    assert seen == [("1111", (0, 0, False), 6, ["y", "z"])] * 7
    for cache in caches[1:]:
        cache["w"] = "6"
    assert [sorted(cache.items()) for cache in caches[1:]] == [[("w", "6"), ("z", "55")]] * 6


def test_expiring_caches_evict_by_use_after_updates():
    now, orders = [0], []
    for cache in (
        cachetools.TTLCache(3, ttl=50, timer=lambda: now[0]),
        cachetools.TLRUCache(3, ttu=lambda key, value, moment: moment + 50, timer=lambda: now[0]),
    ):
        for name in ("a", "b", "c"):
            cache[name] = name
        cache["a"] = "A"
        reads = cache["b"] + cache.get("a") + cache.setdefault("b", "?")
        orders.append((reads, [cache.popitem() for _ in range(3)]))
    assert orders == [("bAb", [("c", "c"), ("a", "A"), ("b", "b")])] * 2


def test_only_the_latest_moment_of_expiry_counts():
    now = [0]
    cache = cachetools.TLRUCache(9, ttu=lambda key, value, moment: moment + value, timer=lambda: now[0])
    for life in (5, 30, 12):
        cache["x"] = life
        cache["y"] = 40 - life
    cache["z"] = 3
    seen = []
    for moment in (4, 6, 12, 27, 28, 29):
        now[0] = moment
        seen.append(sorted(cache.items()))
    assert seen == [[("x", 12), ("y", 28)]] * 2 + [[("y", 28)]] * 2 + [[]] * 2


def test_copies_of_every_kind_go_their_own_way():
    now, seen = [0], []
    originals = [
        cachetools.FIFOCache(3),
        cachetools.LFUCache(3),
        cachetools.LRUCache(3),
        cachetools.RRCache(3, choice=max),
        cachetools.TTLCache(3, ttl=9, timer=lambda: now[0]),
        cachetools.TLRUCache(3, ttu=lambda key, value, moment: moment + 9, timer=lambda: now[0]),
    ]
    for cache in originals:
        for key in (1, 2, 3):
            cache[key] = key * 11
        used = cache[1] + cache[1] + cache[2]
        other = copy.copy(cache)
        other[4] = 44
        del cache[2]
        cache[5] = 55
        seen.append((used, sorted(cache), sorted(other), type(other) is type(cache), other.maxsize, other.currsize))
    assert seen == [
        (44, [1, 3, 5], [2, 3, 4], True, 3, 3),
        (44, [1, 3, 5], [1, 2, 4], True, 3, 3),
        (44, [1, 3, 5], [1, 2, 4], True, 3, 3),
        (44, [1, 3, 5], [1, 2, 4], True, 3, 3),
        (44, [1, 3, 5], [1, 2, 4], True, 3, 3),
        (44, [1, 3, 5], [1, 2, 4], True, 3, 3),
    ]


def test_deep_copies_and_pickles_of_used_caches():
    cache = cachetools.LFUCache(4)
    for key, uses in [("a", 3), ("b", 1), ("c", 6), ("d", 2)]:
        cache[key] = [key]
        for _ in range(uses):
            cache[key].append(uses)
    deep, loaded = copy.deepcopy(cache), pickle.loads(pickle.dumps(cache))
    orders = [[item.popitem() for _ in range(4)] for item in (deep, loaded, cache)]
    assert orders == [[("b", ["b", 1]), ("d", ["d", 2, 2]), ("a", ["a", 3, 3, 3]), ("c", ["c", 6, 6, 6, 6, 6, 6])]] * 3
    lasting = cachetools.TTLCache(3, ttl=10**9)
    lasting["k"], lasting["l"] = 31, 32
    again = pickle.loads(pickle.dumps(lasting))
    again["m"] = again["k"] + 2
    again["n"] = 34
    assert [sorted(again.items()), again.ttl, again.currsize, sorted(lasting)] == [[("k", 31), ("m", 33), ("n", 34)], 10**9, 3, ["k", "l"]]


def test_defaults_of_the_func_decorators():
    now = [0]
    timed = cachetools.func.ttl_cache(timer=lambda: now[0])(lambda n: (n, now[0]))
    results = []
    for moment in (0, 599, 600, 1199):
        now[0] = moment
        results.append(timed(5))
    assert [results, timed.cache_parameters(), tuple(timed.cache_info())] == [
        [(5, 0), (5, 0), (5, 600), (5, 600)],
        {"maxsize": 128, "typed": False},
        (2, 2, 128, 1),
    ]
    small = cachetools.func.ttl_cache(maxsize=2, ttl=5, timer=lambda: now[0], typed=True)(lambda n: n * 2)
    sums = [small(1), small(1.0), small(True), small(1)]
    assert [sums, tuple(small.cache_info())] == [[2, 2.0, 2, 2], (0, 4, 2, 2)]
    called = [decorator()(len).cache_parameters() for decorator in (cachetools.func.fifo_cache, cachetools.func.lfu_cache, cachetools.func.rr_cache)]
    assert called == [{"maxsize": 128, "typed": False}] * 3


def test_typed_decorators_look_at_keywords_too():
    show = cachetools.func.lru_cache(maxsize=None, typed=True)(lambda value: f"{value!r}")
    assert [show(value=1), show(value=1.0), show(1), show(value=1), show(value=True)] == ["1", "1.0", "1", "1", "True"]
    assert [tuple(show.cache_info()), show.cache_parameters()] == [(1, 4, None, 4), {"maxsize": None, "typed": True}]


def test_typed_method_keys_look_at_keywords_too():
    key = cachetools.keys.typedmethodkey
    keys = [key("s", 1, n=2), key("t", 1, n=2), key("s", 1, n=2.0), key("s", 1.0, n=2), key("s", 1, m=2), key("s", n=2), key("s", 1, 2)]
    assert [keys.index(item) for item in keys] == [0, 0, 2, 3, 4, 5, 6]
    assert [len(set(keys)), key("s", b=1, a=2) == key("s", a=2, b=1), key("s") == key("t")] == [6, True, True]
