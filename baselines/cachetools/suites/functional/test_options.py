"""Sizes, limits, and the options of the `func` decorators."""

import cachetools
import cachetools.func


def test_getsizeof_sets_what_an_item_takes():
    cache = cachetools.LRUCache(maxsize=10, getsizeof=len)
    cache["a"] = "wxyz"
    cache["b"] = "pq"
    cache["c"] = "klm"
    sizes = [cache.currsize, len(cache)]
    cache["d"] = "gh"
    assert sizes == [9, 3]
    assert sorted(cache.items()) == [("b", "pq"), ("c", "klm"), ("d", "gh")]
    assert [cache.currsize, cache.getsizeof("seventeen letters")] == [7, 17]


def test_one_large_item_evicts_as_many_as_needed():
    cache = cachetools.FIFOCache(maxsize=12, getsizeof=lambda value: value)
    for key, size in [("a", 2), ("b", 5), ("c", 1), ("d", 4)]:
        cache[key] = size
    cache["big"] = 8
    assert sorted(cache.items()) == [("big", 8), ("d", 4)]
    assert [cache.currsize, cache.maxsize] == [12, 12]


def test_an_update_counts_the_new_size_instead_of_the_old():
    cache = cachetools.LRUCache(maxsize=20, getsizeof=len)
    cache["text"] = "abcdefgh"
    cache["more"] = "ij"
    sizes = [cache.currsize]
    cache["text"] = "abc"
    sizes.append(cache.currsize)
    cache["text"] = "a" * 18
    sizes.append(cache.currsize)
    del cache["text"]
    sizes.append(cache.currsize)
    assert sizes == [10, 5, 20, 2]
    assert list(cache.items()) == [("more", "ij")]


def test_sizes_need_not_be_whole_numbers():
    cache = cachetools.FIFOCache(maxsize=1.0, getsizeof=lambda value: value / 8)
    for number in (3, 2, 3, 1):
        cache[f"n{number}-{len(cache)}"] = number
    assert sorted(cache.items()) == [("n1-3", 1), ("n2-1", 2), ("n3-2", 3)]
    assert [cache.currsize, cache.maxsize] == [0.75, 1.0]


def test_a_subclass_may_override_getsizeof():
    class Weighted(cachetools.LFUCache):
        def getsizeof(self, value):
            return value["weight"]

    cache = Weighted(maxsize=100)
    cache["x"] = {"weight": 60}
    cache["y"] = {"weight": 35}
    sizes = [cache.currsize, cache.getsizeof({"weight": 77})]
    cache["z"] = {"weight": 50}
    assert sizes == [95, 77]
    assert [sorted(cache), cache.currsize] == [["y", "z"], 85]


def test_items_without_getsizeof_have_size_one():
    sizes = []
    for kind in (cachetools.Cache, cachetools.FIFOCache, cachetools.LFUCache, cachetools.LRUCache, cachetools.RRCache):
        cache = kind(9)
        cache["long"] = "x" * 500
        cache["empty"] = ""
        sizes.append((cache.currsize, cache.getsizeof("four"), cache.maxsize))
    assert sizes == [(2, 1, 9), (2, 1, 9), (2, 1, 9), (2, 1, 9), (2, 1, 9)]


def test_expiring_caches_take_sizes_too():
    now = [0]
    cache = cachetools.TTLCache(maxsize=10, ttl=5, timer=lambda: now[0], getsizeof=len)
    cache["a"] = "four"
    now[0] = 3
    cache["b"] = "seven"
    sizes = [cache.currsize]
    now[0] = 6
    sizes.append(cache.currsize)
    cache["c"] = "trees"
    assert [sizes, cache.currsize, sorted(cache)] == [[9, 5], 10, ["b", "c"]]


def test_lru_cache_decorator_with_a_limit():
    calls = []

    @cachetools.func.lru_cache(maxsize=2)
    def cube(number):
        calls.append(number)
        return number**3

    results = [cube(4), cube(5), cube(4), cube(6), cube(5), cube(4)]
    assert results == [64, 125, 64, 216, 125, 64]
    assert calls == [4, 5, 6, 5, 4]
    assert tuple(cube.cache_info()) == (1, 5, 2, 2)
    assert cube.cache_parameters() == {"maxsize": 2, "typed": False}


def test_bare_decorators_hold_128_results():
    bare = [
        cachetools.func.fifo_cache,
        cachetools.func.lfu_cache,
        cachetools.func.lru_cache,
        cachetools.func.rr_cache,
        cachetools.func.ttl_cache,
    ]
    seen = []
    for decorate in bare:
        wrapped = decorate(lambda number: number * 3 + 1)
        total = sum(wrapped(number) for number in range(130))
        seen.append((total, wrapped.cache_info().currsize, wrapped.cache_parameters()["maxsize"]))
    assert seen == [(25285, 128, 128)] * 5


def test_fifo_and_lfu_decorators_differ_in_what_they_forget():
    def run(decorator):
        calls = []

        @decorator(maxsize=2)
        def half(number):
            calls.append(number)
            return number / 2

        results = [half(number) for number in (10, 10, 11, 12, 10, 11)]
        return calls, results, tuple(half.cache_info())

    assert run(cachetools.func.fifo_cache) == (
        [10, 11, 12, 10, 11],
        [5.0, 5.0, 5.5, 6.0, 5.0, 5.5],
        (1, 5, 2, 2),
    )
    assert run(cachetools.func.lfu_cache) == ([10, 11, 12, 11], [5.0, 5.0, 5.5, 6.0, 5.0, 5.5], (2, 4, 2, 2))


def test_typed_decorators_tell_equal_arguments_of_other_types_apart():
    def show(value):
        return f"{type(value).__name__}:{value}"

    plain = cachetools.func.lru_cache(maxsize=10)(show)
    typed = cachetools.func.lru_cache(maxsize=10, typed=True)(show)
    assert [plain(3), plain(3.0), plain(True), plain(1)] == ["int:3", "int:3", "bool:True", "bool:True"]
    assert [typed(3), typed(3.0), typed(True), typed(1)] == ["int:3", "float:3.0", "bool:True", "int:1"]
    assert [tuple(plain.cache_info()), tuple(typed.cache_info())] == [(2, 2, 10, 2), (0, 4, 10, 4)]


def test_decorators_without_limit_forget_nothing():
    calls = []

    @cachetools.func.lfu_cache(maxsize=None)
    def shifted(number):
        calls.append(number)
        return number + 1000

    total = sum(shifted(number % 300) for number in range(900))
    assert [total, len(calls), tuple(shifted.cache_info())] == [1034550, 300, (600, 300, None, 300)]


def test_rr_cache_decorator_uses_the_choice_function():
    calls = []

    @cachetools.func.rr_cache(maxsize=2, choice=max)
    def negated(number):
        calls.append(number)
        return -number

    results = [negated(number) for number in (21, 35, 28, 21, 35)]
    assert [results, calls] == [[-21, -35, -28, -21, -35], [21, 35, 28, 35]]
    assert negated.cache_parameters() == {"maxsize": 2, "typed": False}


def test_ttl_cache_decorator_forgets_after_its_time_even_without_limit():
    now = [0]
    calls = []

    @cachetools.func.ttl_cache(maxsize=None, ttl=30, timer=lambda: now[0])
    def doubled(number):
        calls.append((now[0], number))
        return number * 2

    results = []
    for moment in (0, 29, 30, 59, 61):
        now[0] = moment
        results.append(doubled(17))
    assert results == [34, 34, 34, 34, 34]
    assert calls == [(0, 17), (30, 17), (61, 17)]
    assert [doubled.cache_info().hits, doubled.cache_info().misses, doubled.cache_info().maxsize] == [2, 3, None]


def test_cache_clear_of_a_decorated_function_resets_its_statistics():
    @cachetools.func.fifo_cache(maxsize=5)
    def tripled(number):
        return number * 3

    total = tripled(7) + tripled(8) + tripled(7)
    before = tuple(tripled.cache_info())
    tripled.cache_clear()
    assert [total, before, tuple(tripled.cache_info())] == [66, (1, 2, 5, 2), (0, 0, 5, 0)]
