"""Caches whose items expire, driven by a timer of the test's own."""

import datetime

import cachetools


class Clock:
    def __init__(self, now=0):
        self.now = now

    def __call__(self):
        return self.now


def test_ttl_items_can_be_reached_until_their_time_is_over():
    clock = Clock(100)
    cache = cachetools.TTLCache(maxsize=10, ttl=5, timer=clock)
    cache["early"] = 61
    clock.now = 103
    cache["late"] = 62
    seen = []
    for moment in (104, 105, 107, 108):
        clock.now = moment
        seen.append((len(cache), "early" in cache, "late" in cache, cache.currsize, sorted(cache)))
    assert seen == [
        (2, True, True, 2, ["early", "late"]),
        (1, False, True, 1, ["late"]),
        (1, False, True, 1, ["late"]),
        (0, False, False, 0, []),
    ]


def test_ttl_reading_does_not_prolong_and_updating_starts_anew():
    clock = Clock()
    cache = cachetools.TTLCache(maxsize=10, ttl=10, timer=clock)
    cache["read"] = 301
    cache["written"] = 302
    clock.now = 6
    read = cache["read"]
    cache["written"] = 777
    clock.now = 12
    assert [read, cache.get("read", -8), cache.get("written", -9)] == [301, -8, 777]
    clock.now = 16
    assert [cache.get("written", "gone"), cache.pop("written", "lost"), len(cache)] == ["gone", "lost", 0]


def test_ttl_expire_returns_the_pairs_earliest_first():
    clock = Clock()
    cache = cachetools.TTLCache(maxsize=10, ttl=10, timer=clock)
    for moment, name in [(0, "c"), (2, "a"), (4, "d"), (6, "b")]:
        clock.now = moment
        cache[name] = ord(name) * 2
    clock.now = 7
    nothing = list(cache.expire())
    early = list(cache.expire(13))
    clock.now = 15
    late = list(cache.expire())
    assert [nothing, early, late] == [[], [("c", 198), ("a", 194)], [("d", 200)]]
    assert sorted(cache.items()) == [("b", 196)]


def test_ttl_removes_expired_items_before_it_evicts():
    clock = Clock()
    cache = cachetools.TTLCache(maxsize=3, ttl=10, timer=clock)
    cache["old"] = 21
    clock.now = 5
    cache["mid"] = 22
    cache["new"] = 23
    clock.now = 11
    cache["top"] = 24
    first = sorted(cache)
    read = cache["mid"]
    cache["end"] = 25
    assert [first, read, sorted(cache)] == [["mid", "new", "top"], 22, ["end", "mid", "top"]]
    assert sorted(cache.items()) == [("end", 25), ("mid", 22), ("top", 24)]


def test_ttl_popitem_takes_the_least_recently_used_that_lives():
    clock = Clock()
    cache = cachetools.TTLCache(maxsize=5, ttl=10, timer=clock)
    cache["dead"] = 91
    clock.now = 4
    for name in ("k", "l", "m"):
        cache[name] = name + name
    clock.now = 12
    read = cache["k"]
    assert [cache.popitem(), cache.popitem(), cache.popitem(), read] == [("l", "ll"), ("m", "mm"), ("k", "kk"), "kk"]


def test_ttl_works_with_dates_instead_of_numbers():
    clock = Clock(datetime.datetime(2024, 2, 28, 12, 0))
    cache = cachetools.TTLCache(maxsize=4, ttl=datetime.timedelta(hours=12), timer=clock)
    cache["feb"] = 2802
    clock.now = datetime.datetime(2024, 2, 28, 23, 59)
    cache["leap"] = 2902
    first = sorted(cache.items())
    clock.now = datetime.datetime(2024, 2, 29, 0, 0)
    assert [first, sorted(cache.items())] == [[("feb", 2802), ("leap", 2902)], [("leap", 2902)]]
    assert [cache.ttl.total_seconds(), cache.timer().isoformat()] == [43200.0, "2024-02-29T00:00:00"]


def test_tlru_asks_the_function_for_the_moment_of_expiry():
    calls = []

    def ttu(key, value, now):
        calls.append((key, value, now))
        return now + value

    clock = Clock(50)
    cache = cachetools.TLRUCache(maxsize=10, ttu=ttu, timer=clock)
    cache["short"] = 3
    clock.now = 51
    cache["long"] = 8
    seen = [sorted(cache.items())]
    clock.now = 53
    seen.append(sorted(cache.items()))
    clock.now = 59
    seen.append(sorted(cache.items()))
    assert calls == [("short", 3, 50), ("long", 8, 51)]
    assert seen == [[("long", 8), ("short", 3)], [("long", 8)], []]
    assert [cache.ttu is ttu, cache.timer(), cache.currsize] == [True, 59, 0]


def test_tlru_does_not_store_what_would_have_expired():
    clock = Clock(10)
    cache = cachetools.TLRUCache(maxsize=5, ttu=lambda key, value, now: value, timer=clock)
    cache["kept"] = 40
    cache["past"] = 10
    cache["swap"] = 30
    before = sorted(cache.items())
    cache["swap"] = 9
    assert [before, sorted(cache.items())] == [[("kept", 40), ("swap", 30)], [("kept", 40)]]


def test_tlru_expire_goes_by_the_moment_of_expiry_not_by_storage():
    clock = Clock()
    cache = cachetools.TLRUCache(maxsize=9, ttu=lambda key, value, now: now + value, timer=clock)
    for name, life in [("w", 40), ("x", 10), ("y", 30), ("z", 20)]:
        cache[name] = life
    early = list(cache.expire(20))
    clock.now = 35
    late = list(cache.expire())
    assert [early, late, sorted(cache)] == [[("x", 10), ("z", 20)], [("y", 30)], ["w"]]


def test_tlru_evicts_the_least_recently_used_that_lives():
    clock = Clock()
    cache = cachetools.TLRUCache(maxsize=3, ttu=lambda key, value, now: now + 100, timer=clock)
    for name in ("ant", "bee", "cow"):
        cache[name] = len(name) * 5
    read = cache["ant"]
    cache["dog"] = 16
    assert sorted(cache) == ["ant", "cow", "dog"]
    assert [read, *(cache.popitem() for _ in range(3))] == [15, ("cow", 15), ("ant", 15), ("dog", 16)]


def test_an_overridden_expire_sees_what_expired_and_popitem_what_was_evicted():
    log = []
    clock = Clock()

    class Watched(cachetools.TTLCache):
        def expire(self, time=None):
            pairs = list(super().expire(time))
            log.extend(("expired", *pair) for pair in pairs)
            return pairs

        def popitem(self):
            pair = super().popitem()
            log.append(("evicted", *pair))
            return pair

    cache = Watched(maxsize=2, ttl=10, timer=clock)
    cache["a"] = 81
    clock.now = 3
    cache["b"] = 82
    cache["c"] = 83
    clock.now = 13
    cache["d"] = 84
    assert log == [("evicted", "a", 81), ("expired", "b", 82), ("expired", "c", 83)]
    assert sorted(cache.items()) == [("d", 84)]
