"""The decorators for functions and methods, and their key functions."""

import threading

import cachetools
import cachetools.keys


class Guard:
    """A lock that remembers whether it is held."""

    def __init__(self):
        self.held = 0

    def __enter__(self):
        self.held += 1

    def __exit__(self, *exc):
        self.held -= 1


def test_cached_calls_the_function_once_per_key():
    calls = []

    @cachetools.cached(cache={})
    def area(width, height=2):
        calls.append((width, height))
        return width * height + 1

    results = [area(3), area(3), area(3, 2), area(4, height=5), area(4, height=5), area(width=3)]
    assert results == [7, 7, 7, 21, 21, 7]
    assert calls == [(3, 2), (3, 2), (4, 5), (3, 2)]
    assert [len(area.cache), area.__name__, area.__wrapped__(6, 7)] == [4, "area", 43]


def test_cached_makes_a_recursive_function_cheap():
    calls = []

    @cachetools.cached(cache=cachetools.LRUCache(maxsize=100))
    def ways(stairs):
        calls.append(stairs)
        return 1 if stairs < 3 else ways(stairs - 1) + ways(stairs - 3)

    assert [ways(60), len(calls), len(set(calls))] == [5582216355, 61, 61]


def test_cached_reports_statistics_when_asked():
    @cachetools.cached(cachetools.LRUCache(maxsize=3), info=True)
    def square(number):
        return number * number

    total = sum(square(number) for number in (12, 13, 12, 14, 15, 13, 12))
    info = square.cache_info()
    assert [total, tuple(info)] == [1191, (1, 6, 3, 3)]
    assert info._asdict() == {"hits": 1, "misses": 6, "maxsize": 3, "currsize": 3}
    square.cache_clear()
    assert [tuple(square.cache_info()), len(square.cache)] == [(0, 0, 3, 0), 0]


def test_cached_statistics_of_a_plain_dictionary():
    @cachetools.cached({}, info=True)
    def reverse(text):
        return text[::-1]

    texts = [reverse("drawer"), reverse("stressed"), reverse("drawer")]
    assert [texts, tuple(reverse.cache_info())] == [["reward", "desserts", "reward"], (1, 2, None, 2)]


def test_cached_with_a_key_function_of_the_callers_own():
    calls = []

    def lowered(text, *rest):
        return text.lower()

    @cachetools.cached({}, key=lowered)
    def length(text, extra):
        calls.append(text)
        return len(text) * 100 + extra

    results = [length("Bear", 1), length("BEAR", 2), length("hare", 3)]
    assert [results, calls] == [[401, 401, 403], ["Bear", "hare"]]
    assert sorted(length.cache.items()) == [("bear", 401), ("hare", 403)]
    assert [length.cache_key("LYNX", 9), length.cache_lock, length.cache_condition] == ["lynx", None, None]


def test_single_results_can_be_dropped_through_cache_key():
    calls = []

    @cachetools.cached(cachetools.LFUCache(maxsize=8))
    def plus(left, right=10):
        calls.append(left)
        return left + right

    first = [plus(1), plus(2), plus(1, right=5)]
    dropped = plus.cache.pop(plus.cache_key(1, right=5))
    again = [plus(1), plus(2), plus(1, right=5)]
    assert [first, dropped, again, calls] == [[11, 12, 6], 6, [11, 12, 6], [1, 2, 1, 1]]


def test_results_that_do_not_fit_are_returned_all_the_same():
    calls = []

    @cachetools.cached(cachetools.LRUCache(maxsize=10, getsizeof=len), info=True)
    def repeat(text, times):
        calls.append(times)
        return text * times

    results = [len(repeat("abc", times)) for times in (3, 4, 3, 4)]
    assert [results, calls, tuple(repeat.cache_info())] == [[9, 12, 9, 12], [3, 4, 4], (1, 3, 10, 9)]


def test_the_lock_is_held_for_the_cache_and_free_for_the_function():
    guard = Guard()
    seen = {"cache": set(), "function": set()}

    class Spy(dict):
        def __getitem__(self, key):
            seen["cache"].add(guard.held)
            return super().__getitem__(key)

        def __setitem__(self, key, value):
            seen["cache"].add(guard.held)
            super().__setitem__(key, value)

        def setdefault(self, key, default=None):
            seen["cache"].add(guard.held)
            return super().setdefault(key, default)

        def clear(self):
            seen["cache"].add(guard.held)
            super().clear()

    @cachetools.cached(Spy(), lock=guard)
    def fifth(number):
        seen["function"].add(guard.held)
        return number / 5

    results = [fifth(40), fifth(45), fifth(40)]
    size = len(fifth.cache)
    fifth.cache_clear()
    assert [results, size, sorted(seen["cache"]), sorted(seen["function"])] == [[8.0, 9.0, 8.0], 2, [1], [0]]
    assert [fifth.cache_lock is guard, len(fifth.cache), guard.held] == [True, 0, 0]


def test_a_condition_lets_one_thread_compute_and_the_others_wait():
    started = threading.Event()
    release = threading.Event()
    calls = []

    @cachetools.cached(cachetools.LRUCache(maxsize=9), condition=threading.Condition(), info=True)
    def slow(number):
        calls.append(number)
        started.set()
        release.wait(5)
        return number * 21

    results = []
    threads = [threading.Thread(target=lambda: results.append(slow(4))) for _ in range(5)]
    threads[0].start()
    started.wait(5)
    for thread in threads[1:]:
        thread.start()
    release.set()
    for thread in threads:
        thread.join(5)
    info = slow.cache_info()
    assert [results, calls, info.misses, info.hits] == [[84, 84, 84, 84, 84], [4], 1, 4]


def test_cachedmethod_keeps_a_cache_per_instance():
    calls = []

    class Scale:
        __hash__ = None

        def __init__(self, factor):
            self.factor = factor
            self.store = cachetools.LRUCache(maxsize=4)

        @cachetools.cachedmethod(lambda self: self.store, info=True)
        def times(self, number):
            calls.append((self.factor, number))
            return self.factor * number

    small, large = Scale(3), Scale(300)
    results = [small.times(7), large.times(7), small.times(7), large.times(8), Scale.times(small, 7)]
    assert [results, calls] == [[21, 2100, 21, 2400, 21], [(3, 7), (300, 7), (300, 8)]]
    assert [tuple(small.times.cache_info()), tuple(large.times.cache_info())] == [(2, 1, 4, 1), (0, 2, 4, 2)]
    large.times.cache_clear()
    assert [tuple(large.times.cache_info()), len(small.store), small.times.cache is small.store] == [
        (0, 0, 4, 0),
        1,
        True,
    ]


def test_methods_may_share_one_cache_under_different_keys():
    def area_key(self, side):
        return ("area", side)

    class Shape:
        def __init__(self):
            self.store = {}

        @cachetools.cachedmethod(lambda self: self.store, key=area_key)
        def area(self, side):
            return side * side

        @cachetools.cachedmethod(lambda self: self.store)
        def edge(self, side):
            return side * 4

    shape = Shape()
    results = [shape.area(9), shape.edge(9), shape.area(9), shape.edge(9)]
    assert results == [81, 36, 81, 36]
    assert [len(shape.store), shape.store[("area", 9)], shape.store[shape.edge.cache_key(9)]] == [2, 81, 36]
    assert [shape.area.cache_key(11), shape.area.cache_lock] == [("area", 11), None]


def test_cachedmethod_takes_the_lock_of_the_instance():
    class Counter:
        def __init__(self):
            self.store = {}
            self.guard = Guard()
            self.seen = []

        @cachetools.cachedmethod(lambda self: self.store, lock=lambda self: self.guard)
        def code(self, text):
            self.seen.append(self.guard.held)
            return sum(map(ord, text))

    counter = Counter()
    results = [counter.code("abc"), counter.code("abd"), counter.code("abc")]
    assert [results, counter.seen, len(counter.store)] == [[294, 295, 294], [0, 0], 2]
    assert [counter.code.cache_lock is counter.guard, counter.guard.held] == [True, 0]


def test_hashkey_tells_different_calls_apart():
    hashkey = cachetools.keys.hashkey
    keys = [
        hashkey(),
        hashkey(1, 2),
        hashkey(2, 1),
        hashkey((1, 2)),
        hashkey(1, ("b", 2)),
        hashkey(1, b=2),
        hashkey(1, c=2),
        hashkey(a=1, b=2),
        hashkey(b=2, a=1),
        hashkey(1.0, 2.0),
    ]
    groups = [keys.index(key) for key in keys]
    assert groups == [0, 1, 2, 3, 4, 5, 6, 7, 7, 1]
    assert [len(set(keys)), sum(isinstance(key, tuple) for key in keys)] == [8, 10]


def test_typedkey_also_tells_types_apart():
    typedkey = cachetools.keys.typedkey
    keys = [
        typedkey(3),
        typedkey(3.0),
        typedkey(3, 4),
        typedkey(3, n=1),
        typedkey(3, n=True),
        typedkey(3),
        typedkey(m=2, n=1),
        typedkey(n=1, m=2),
    ]
    assert [keys.index(key) for key in keys] == [0, 1, 2, 3, 4, 0, 6, 6]
    assert [len({typedkey(1), typedkey(True), typedkey(1.0)}), len(set(keys))] == [3, 6]


def test_method_keys_ignore_their_first_argument():
    methodkey, typedmethodkey = cachetools.keys.methodkey, cachetools.keys.typedmethodkey
    plain = [methodkey([], 5), methodkey({}, 5), methodkey("me", 6), methodkey(None, 5.0), methodkey(0, n=5)]
    typed = [typedmethodkey([], 5), typedmethodkey({}, 5), typedmethodkey("me", 6), typedmethodkey(None, 5.0)]
    assert [plain.index(key) for key in plain] == [0, 0, 2, 0, 4]
    assert [typed.index(key) for key in typed] == [0, 0, 2, 3]
    assert [cachetools.keys.hashkey(5) == plain[0], cachetools.keys.typedkey(5) == typed[0]] == [True, True]
