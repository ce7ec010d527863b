"""What is refused, and that nothing changes when it is."""

import cachetools
import cachetools.keys
import pytest


def test_an_item_larger_than_the_cache_is_refused_and_nothing_evicted():
    cache = cachetools.LRUCache(maxsize=6, getsizeof=len)
    cache["a"] = "bcd"
    cache["e"] = "fg"
    with pytest.raises(ValueError):
        cache["h"] = "ijklmno"
    with pytest.raises(ValueError):
        cache["a"] = "pqrstuvw"
    assert sorted(cache.items()) == [("a", "bcd"), ("e", "fg")]
    assert [cache.currsize, "h" in cache, cache.maxsize] == [5, False, 6]


def test_a_cache_of_size_zero_refuses_every_item():
    refused = []
    for kind in (cachetools.Cache, cachetools.FIFOCache, cachetools.LFUCache, cachetools.LRUCache, cachetools.RRCache):
        cache = kind(0)
        try:
            cache["key"] = "value"
        except ValueError:
            refused.append((kind.__name__, len(cache), cache.currsize))
    assert refused == [
        ("Cache", 0, 0),
        ("FIFOCache", 0, 0),
        ("LFUCache", 0, 0),
        ("LRUCache", 0, 0),
        ("RRCache", 0, 0),
    ]


def test_negative_sizes_are_refused():
    cache = cachetools.FIFOCache(maxsize=50, getsizeof=lambda value: value - 10)
    cache["fits"] = 32
    with pytest.raises(ValueError):
        cache["under"] = 9
    with pytest.raises(ValueError):
        cachetools.LRUCache(maxsize=-1)
    assert [list(cache.items()), cache.currsize] == [[("fits", 32)], 22]


def test_missing_keys_raise_and_leave_the_cache_alone():
    cache = cachetools.LFUCache(maxsize=5)
    cache["there"] = 65
    with pytest.raises(KeyError):
        cache["nowhere"]
    with pytest.raises(KeyError):
        del cache["nowhere"]
    with pytest.raises(KeyError):
        cache.pop("nowhere")
    assert [cache.get("nowhere"), cache.get("nowhere", 66), cache.pop("nowhere", 67)] == [None, 66, 67]
    assert [list(cache.items()), cache.currsize] == [[("there", 65)], 1]


def test_popitem_on_an_empty_cache_raises_key_error():
    raised = []
    caches = [
        cachetools.Cache(3),
        cachetools.FIFOCache(3),
        cachetools.LFUCache(3),
        cachetools.LRUCache(3),
        cachetools.RRCache(3),
        cachetools.TTLCache(3, ttl=60),
        cachetools.TLRUCache(3, ttu=lambda key, value, now: now + 60),
    ]
    for number, cache in enumerate(caches):
        cache["only"] = number + 40
        pair = cache.popitem()
        try:
            cache.popitem()
        except KeyError:
            raised.append(pair[1])
    assert raised == [40, 41, 42, 43, 44, 45, 46]


def test_expired_items_are_missing_in_every_way():
    now = [0]
    cache = cachetools.TTLCache(maxsize=5, ttl=10, timer=lambda: now[0])
    for name in ("a", "b", "c"):
        cache[name] = name * 4
    now[0] = 10
    with pytest.raises(KeyError):
        cache["a"]
    with pytest.raises(KeyError):
        del cache["b"]
    with pytest.raises(KeyError):
        cache.pop("c")
    with pytest.raises(KeyError):
        cache.popitem()
    assert [cache.get("a", 31), cache.pop("b", 32), cache.setdefault("c", 33), cache.currsize] == [31, 32, 33, 1]
    assert list(cache.items()) == [("c", 33)]


def test_expired_items_of_tlru_are_missing_in_every_way():
    now = [0]
    cache = cachetools.TLRUCache(maxsize=5, ttu=lambda key, value, moment: moment + value, timer=lambda: now[0])
    cache["brief"] = 4
    cache["lasting"] = 44
    now[0] = 4
    with pytest.raises(KeyError):
        cache["brief"]
    with pytest.raises(KeyError):
        del cache["brief"]
    assert [cache.get("brief", -7), "brief" in cache, len(cache), cache.popitem()] == [-7, False, 1, ("lasting", 44)]


def test_the_properties_cannot_be_set():
    cache = cachetools.TTLCache(maxsize=12, ttl=34)
    refused = []
    for name in ("maxsize", "currsize", "ttl", "timer"):
        try:
            setattr(cache, name, 99)
        except AttributeError:
            refused.append(name)
    assert refused == ["maxsize", "currsize", "ttl", "timer"]
    assert [cache.maxsize, cache.currsize, cache.ttl] == [12, 0, 34]


def test_a_failing_function_is_not_remembered():
    calls = []

    @cachetools.cached(cachetools.LRUCache(maxsize=4), info=True)
    def inverse(number):
        calls.append(number)
        return 100 // number

    with pytest.raises(ZeroDivisionError):
        inverse(0)
    with pytest.raises(ZeroDivisionError):
        inverse(0)
    assert [inverse(8), inverse(8), calls, tuple(inverse.cache_info())] == [12, 12, [0, 0, 8], (1, 3, 4, 1)]


def test_a_failing_call_under_a_condition_lets_the_next_one_run():
    import threading

    calls = []

    @cachetools.cached({}, condition=threading.Condition())
    def second_time_lucky(number):
        calls.append(number)
        if len(calls) == 1:
            raise LookupError("not yet")
        return number * 9

    with pytest.raises(LookupError):
        second_time_lucky(6)
    assert [second_time_lucky(6), second_time_lucky(6), calls] == [54, 54, [6, 6]]


def test_arguments_that_cannot_be_hashed_are_refused():
    calls = []

    @cachetools.cached(cachetools.LRUCache(maxsize=4))
    def total(numbers):
        calls.append(len(numbers))
        return sum(numbers)

    with pytest.raises(TypeError):
        total([1, 2, 3])
    assert [total((4, 5, 6)), total((4, 5, 6)), calls] == [15, 15, [3]]


def test_decorators_refuse_what_is_no_cache():
    with pytest.raises(TypeError):
        cachetools.cached(None)
    with pytest.raises(TypeError):
        cachetools.cachedmethod({})
    doubled = cachetools.cached({})(lambda number: number * 2)
    assert [doubled(13), len(doubled.cache)] == [26, 1]
