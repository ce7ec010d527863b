"""Each cache keeps the documented order of eviction."""

import cachetools


def test_a_cache_is_a_mapping_of_limited_size():
    cache = cachetools.Cache(maxsize=5)
    for number in range(12):
        cache[number] = number * number + 3
    kept = dict(cache.items())
    assert [len(cache), cache.maxsize, cache.currsize, len(kept)] == [5, 5, 5, 5]
    assert kept[11] == 124
    assert sum(value - key * key for key, value in kept.items()) == 15


def test_fifo_evicts_what_was_stored_first():
    cache = cachetools.FIFOCache(maxsize=3)
    for number in (4, 9, 16):
        cache[number] = number * 11
    reads = [cache[4], cache.get(9), cache[4]]
    cache[25] = 275
    assert reads == [44, 99, 44]
    assert sorted(cache.items()) == [(9, 99), (16, 176), (25, 275)]
    assert [cache.popitem(), cache.popitem(), cache.popitem()] == [(9, 99), (16, 176), (25, 275)]


def test_fifo_counts_an_update_as_stored_anew():
    cache = cachetools.FIFOCache(maxsize=3)
    cache.update({"red": 10, "green": 20, "blue": 30})
    cache["red"] = 41
    cache["black"] = 52
    assert sorted(cache.items()) == [("black", 52), ("blue", 30), ("red", 41)]
    assert [cache.popitem() for _ in range(3)] == [("blue", 30), ("red", 41), ("black", 52)]


def test_lru_evicts_what_was_used_longest_ago():
    cache = cachetools.LRUCache(maxsize=3)
    cache["p"] = 71
    cache["q"] = 72
    cache["r"] = 73
    total = cache["p"] + cache.get("q")
    cache["s"] = 74
    assert total == 143
    assert sorted(cache) == ["p", "q", "s"]
    assert [cache.popitem() for _ in range(3)] == [("p", 71), ("q", 72), ("s", 74)]


def test_lru_counts_updates_and_setdefault_as_uses():
    cache = cachetools.LRUCache(maxsize=4)
    for index, name in enumerate(["n0", "n1", "n2", "n3"]):
        cache[name] = 100 + index
    cache["n1"] = 900
    held = cache.setdefault("n0", 555)
    added = cache.setdefault("n4", 444)
    assert [held, added] == [100, 444]
    assert [cache.popitem() for _ in range(4)] == [("n3", 103), ("n1", 900), ("n0", 100), ("n4", 444)]


def test_lru_membership_tests_and_iteration_are_no_uses():
    cache = cachetools.LRUCache(maxsize=3)
    for letter in "xyz":
        cache[letter] = letter * 3
    seen = ["x" in cache, "w" in cache, sorted(cache), len(cache), sorted(cache.keys())]
    cache["v"] = "vvv"
    assert seen == [True, False, ["x", "y", "z"], 3, ["x", "y", "z"]]
    assert sorted(cache.values()) == ["vvv", "yyy", "zzz"]


def test_lfu_evicts_what_was_used_least():
    cache = cachetools.LFUCache(maxsize=3)
    cache["one"], cache["two"], cache["six"] = 3, 6, 18
    reads = [cache["one"], cache["one"], cache["six"], cache["two"], cache["two"], cache["two"]]
    cache["ten"] = 30
    assert sum(reads) == 42
    assert sorted(cache.items()) == [("one", 3), ("ten", 30), ("two", 6)]
    assert [cache.popitem() for _ in range(3)] == [("ten", 30), ("one", 3), ("two", 6)]


def test_lfu_breaks_ties_by_the_latest_use():
    cache = cachetools.LFUCache(maxsize=4)
    for key, value in [("k1", 17), ("k2", 34), ("k3", 51), ("k4", 68)]:
        cache[key] = value
    reads = [cache["k3"], cache["k1"], cache["k4"], cache["k2"]]
    cache["k5"] = 85
    assert reads == [51, 17, 68, 34]
    assert sorted(cache) == ["k1", "k2", "k4", "k5"]
    assert [cache.popitem() for _ in range(4)] == [("k5", 85), ("k1", 17), ("k4", 68), ("k2", 34)]


def test_lfu_counts_an_update_as_a_use():
    cache = cachetools.LFUCache(maxsize=2)
    cache["left"] = 13
    cache["right"] = 14
    cache["left"] = 130
    cache["left"] = 131
    reads = [cache["right"]]
    cache["middle"] = 15
    assert [reads, sorted(cache.items())] == [[14], [("left", 131), ("middle", 15)]]


def test_rr_evicts_what_the_choice_function_picks():
    offered = []

    def largest(keys):
        offered.append(sorted(keys))
        return max(keys)

    cache = cachetools.RRCache(3, choice=largest)
    for number in (5, 1, 7, 3, 2):
        cache[number] = number**3
    assert offered == [[1, 5, 7], [1, 3, 5]]
    assert sorted(cache.items()) == [(1, 1), (2, 8), (3, 27)]
    assert [cache.popitem(), cache.choice is largest] == [(3, 27), True]


def test_rr_by_default_picks_some_key_it_holds():
    cache = cachetools.RRCache(maxsize=4)
    for number in range(40):
        cache[number] = 7 * number + 1
    pairs = [cache.popitem() for _ in range(4)]
    assert [value - 7 * key for key, value in pairs] == [1, 1, 1, 1]
    assert [(39, 274) in pairs, len(set(pairs)), len(cache)] == [True, 4, 0]
