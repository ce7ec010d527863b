"""Properties of the cachetools task: each docstring states the documented claim."""

import copy
import threading

import cachetools
import cachetools.func
import cachetools.keys
from hypothesis import given
from hypothesis import strategies as st

KEYS = st.integers(0, 9)
STEPS = st.lists(st.tuples(st.sampled_from(["read", "write", "drop", "pop"]), KEYS), max_size=60)
ARGUMENTS = st.lists(st.integers(-3, 3) | st.sampled_from(["", "a", "b"]), max_size=3)
NAMED = st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(-2, 2), max_size=3)


def replay(cache, steps, *, reading_is_a_use, writing_is_a_use=True):
    """Drive a cache and a plain list of keys through the same steps; return what each of them holds, in eviction order."""
    order, content = [], {}
    for number, (step, key) in enumerate(steps):
        if step == "read":
            assert cache.get(key) == content.get(key)
            if key in content and reading_is_a_use:
                order.remove(key)
                order.append(key)
        elif step == "write":
            cache[key] = number
            if key in content:
                if writing_is_a_use:
                    order.remove(key)
                    order.append(key)
            else:
                if len(content) == cache.maxsize:
                    del content[order.pop(0)]
                order.append(key)
            content[key] = number
        elif step == "drop":
            assert cache.pop(key, None) == content.pop(key, None)
            order = [name for name in order if name != key]
        elif content:
            first = order.pop(0)
            assert cache.popitem() == (first, content.pop(first))
        assert len(cache) == cache.currsize == len(content)
        assert sorted(cache) == sorted(content)
    return [cache.popitem() for _ in range(len(cache))], [(key, content[key]) for key in order]


@given(st.integers(1, 6), STEPS)
def prop_lru_evicts_what_was_used_longest_ago(maxsize, steps):
    """LRUCache evicts the item whose latest use, a read or a write, is longest ago."""
    held, expected = replay(cachetools.LRUCache(maxsize), steps, reading_is_a_use=True)
    assert held == expected


@given(st.integers(1, 6), STEPS)
def prop_fifo_evicts_what_was_stored_longest_ago(maxsize, steps):
    """FIFOCache evicts the item stored longest ago; an update stores anew, a read changes nothing."""
    held, expected = replay(cachetools.FIFOCache(maxsize), steps, reading_is_a_use=False)
    assert held == expected


@given(st.integers(1, 5), STEPS)
def prop_lfu_evicts_what_was_used_least(maxsize, steps):
    """LFUCache evicts the least used item; of several, the one whose latest use is longest ago."""
    cache, uses, latest = cachetools.LFUCache(maxsize), {}, {}

    def first():
        return min(uses, key=lambda name: (uses[name], latest[name]))

    for number, (step, key) in enumerate(steps):
        if step == "read":
            cache.get(key)
            if key in uses:
                uses[key] += 1
                latest[key] = number
        elif step == "write":
            if key not in uses and len(uses) == maxsize:
                del uses[first()]
            cache[key] = key
            uses[key] = uses.get(key, 0) + 1
            latest[key] = number
        elif step == "drop":
            cache.pop(key, None)
            uses.pop(key, None)
        elif uses:
            expected = first()
            del uses[expected]
            assert cache.popitem() == (expected, expected)
        assert sorted(cache) == sorted(uses)


@given(st.integers(0, 30), st.lists(st.tuples(KEYS, st.integers(0, 35)), max_size=40))
def prop_the_size_never_exceeds_the_limit(maxsize, items):
    """currsize is the sum of the sizes held, never above maxsize; what is too large is refused and nothing changes."""
    for kind in (cachetools.Cache, cachetools.FIFOCache, cachetools.LFUCache, cachetools.LRUCache, cachetools.RRCache):
        cache = kind(maxsize, getsizeof=lambda value: value)
        for key, size in items:
            before = dict(cache.items())
            try:
                cache[key] = size
            except ValueError:
                assert size > maxsize
                assert dict(cache.items()) == before
            else:
                assert cache[key] == size <= maxsize
            assert cache.currsize == sum(cache.values()) <= maxsize


@given(
    st.integers(1, 5),
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["read", "write", "expire"]), KEYS), max_size=50),
)
def prop_ttl_items_live_exactly_their_time(maxsize, ttl, steps):
    """TTLCache finds an item while timer() < time of storage + ttl; then, if room is short, evicts by latest use."""
    now = 0
    cache = cachetools.TTLCache(maxsize, ttl, timer=lambda: now)
    content, order, expired = {}, [], {}  # expired: what expire may still return, as removal may have waited for it
    for wait, step, key in steps:
        now += wait
        for name in [name for name in content if not now < content[name][0]]:
            expired[name] = content.pop(name)[0]
            order.remove(name)
        if step == "expire":
            moments = [expired[name] for name, _ in cache.expire()]
            assert moments == sorted(moments)
            expired.clear()
        if step == "read":
            assert cache.get(key, "none") == content.get(key, (0, "none"))[1]
            if key in content:
                order.remove(key)
                order.append(key)
        elif step == "write":
            cache[key] = now * 10 + key
            expired.pop(key, None)
            if key in order:
                order.remove(key)
            elif len(content) == maxsize:
                del content[order.pop(0)]
            content[key] = (now + ttl, now * 10 + key)
            order.append(key)
        assert sorted(cache) == sorted(content)
        assert len(cache) == cache.currsize == len(content)
    assert [cache.popitem()[0] for _ in range(len(cache))] == order


@given(st.lists(st.tuples(KEYS, st.integers(-3, 20), st.integers(0, 5)), max_size=40))
def prop_tlru_items_live_until_their_moment(items):
    """TLRUCache finds an item until the moment that ttu gave, and stores none whose moment is not in the future."""
    now = 0
    cache = cachetools.TLRUCache(100, ttu=lambda key, value, moment: moment + value, timer=lambda: now)
    content = {}
    for key, life, wait in items:
        content.pop(key, None)
        cache[key] = life
        content[key] = (now + life, life)
        now += wait
        content = {name: pair for name, pair in content.items() if now < pair[0] and pair[1] > 0}
        assert dict(cache.items()) == {name: pair[1] for name, pair in content.items()}


@given(ARGUMENTS, NAMED, ARGUMENTS, NAMED)
def prop_hashkeys_are_equal_for_equal_calls_only(args, kwargs, other_args, other_kwargs):
    """hashkey is equal for equal arguments, in whatever order the named ones are written, and different otherwise."""
    hashkey = cachetools.keys.hashkey
    key = hashkey(*args, **kwargs)
    assert isinstance(key, tuple)
    backwards = dict(reversed(list(kwargs.items())))
    assert key == hashkey(*args, **backwards)
    assert hash(key) == hash(hashkey(*args, **backwards))
    assert cachetools.keys.methodkey(object(), *args, **kwargs) == cachetools.keys.methodkey([], *args, **backwards)
    same = (args, kwargs) == (other_args, other_kwargs)
    assert (key == hashkey(*other_args, **other_kwargs)) == same


@given(st.lists(st.integers(0, 3), min_size=1, max_size=3), st.data())
def prop_typedkeys_tell_types_apart(args, data):
    """typedkey differs where equal arguments have different types, and is equal where the types agree."""
    typedkey = cachetools.keys.typedkey
    kinds = data.draw(st.lists(st.sampled_from([int, float]), min_size=len(args), max_size=len(args)))
    others = [kind(value) for kind, value in zip(kinds, args)]
    assert typedkey(*args) == typedkey(*list(args))
    assert (typedkey(*args) == typedkey(*others)) == all(kind is int for kind in kinds)
    assert (typedkey(n=args[0]) == typedkey(n=others[0])) == (kinds[0] is int)


@given(st.integers(1, 6), st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), max_size=40))
def prop_a_memoized_function_gives_what_the_function_gives(maxsize, calls):
    """A function wrapped by cached gives the function's results, and hits and misses add up to the calls."""
    made = []

    def combine(left, right=0):
        made.append((left, right))
        return left * 100 + right

    for cache in ({}, cachetools.LRUCache(maxsize), cachetools.LFUCache(maxsize), cachetools.RRCache(maxsize)):
        made.clear()
        wrapped = cachetools.cached(cache, info=True)(combine)
        for left, right in calls:
            assert wrapped(left, right=right) == left * 100 + right
        info = wrapped.cache_info()
        assert info.hits + info.misses == len(calls)
        assert info.misses == len(made) >= len(set(calls))


@given(st.integers(2, 6), st.lists(KEYS, max_size=25), st.lists(KEYS, max_size=25))
def prop_a_copy_goes_its_own_way(maxsize, before, after):
    """copy.copy gives a cache with the same items, limits and eviction order that shares no later change."""
    for kind in (cachetools.FIFOCache, cachetools.LFUCache, cachetools.LRUCache):
        cache, twin = kind(maxsize), kind(maxsize)
        for key in before:
            cache[key] = twin[key] = -key
        other = copy.copy(cache)
        for key in after:
            other[key] = key
        assert [cache.popitem() for _ in range(len(cache))] == [twin.popitem() for _ in range(len(twin))]
        assert all(other[key] == key for key in after[-1:])


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.integers(1, 8))
def prop_the_func_decorators_serve_two_threads(numbers, maxsize):
    """A function wrapped by a cachetools.func decorator may be called from several threads."""
    for decorate in (cachetools.func.lru_cache, cachetools.func.lfu_cache, cachetools.func.fifo_cache):
        wrapped = decorate(maxsize=maxsize)(lambda number: number * number - 1)
        results = {}

        def work(name, order):
            results[name] = [wrapped(number) for number in order]

        threads = [
            threading.Thread(target=work, args=("up", numbers)),
            threading.Thread(target=work, args=("down", numbers[::-1])),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == {
            "up": [number * number - 1 for number in numbers],
            "down": [number * number - 1 for number in reversed(numbers)],
        }
        info = wrapped.cache_info()
        assert info.hits + info.misses == 2 * len(numbers)
        assert info.currsize <= maxsize
