from cachetools import LRUCache, TTLCache, cached


def test_lru():
    cache = LRUCache(2)
    cache["a"], cache["b"] = 1, 2
    assert cache["a"] == 1
    cache["c"] = 3
    assert sorted(cache) == ["a", "c"]


def test_ttl():
    now = [0]
    cache = TTLCache(2, ttl=5, timer=lambda: now[0])
    cache["a"] = 1
    now[0] = 5
    assert "a" not in cache


def test_cached():
    calls = []

    @cached({})
    def double(number):
        calls.append(number)
        return 2 * number

    assert [double(4), double(4), calls] == [8, 8, [4]]
