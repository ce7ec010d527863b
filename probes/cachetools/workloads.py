"""Workloads of the cachetools task: seeded inputs, a body that uses the surface, a digest of the result."""

import random


class LruChurn:
    """Reads and inserts over a working set somewhat larger than the cache."""

    id = "lru-churn"
    n = 30000

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return {"maxsize": 700, "keys": [min(rng.randrange(2000), rng.randrange(2000)) for _ in range(size)]}

    def body(self, inputs):
        import cachetools

        cache = cachetools.LRUCache(maxsize=inputs["maxsize"])
        hits = 0
        total = 0
        for key in inputs["keys"]:
            value = cache.get(key)
            if value is None:
                cache[key] = value = key * 3 + 1
            else:
                hits += 1
            total += value + (key // 2 in cache)
        drained = [cache.popitem()[0] for _ in range(len(cache) // 2)]
        return hits, total, drained, len(cache)

    def digest(self, result):
        hits, total, drained, left = result
        return [hits, total, len(drained), sum(i * key for i, key in enumerate(drained, 1)), left]


class LfuZipf:
    """A skewed stream against a cache that keeps what is used most."""

    id = "lfu-zipf"
    n = 70000

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return {"maxsize": 300, "keys": [int(rng.paretovariate(0.7)) % 5000 for _ in range(size)]}

    def body(self, inputs):
        import cachetools

        cache = cachetools.LFUCache(maxsize=inputs["maxsize"])
        misses = []
        for key in inputs["keys"]:
            try:
                cache[key]
            except KeyError:
                misses.append(key)
                cache[key] = key + 7
        return misses, sorted(cache), [cache.popitem() for _ in range(len(cache) // 3)]

    def digest(self, result):
        misses, kept, popped = result
        return [
            len(misses),
            sum(i * key for i, key in enumerate(misses, 1)),
            sum(i * key for i, key in enumerate(kept, 1)),
            sum(i * (key + value) for i, (key, value) in enumerate(popped, 1)),
        ]


class TtlSessions:
    """Sessions that come, are read and expire under a timer that the workload moves."""

    id = "ttl-sessions"
    n = 16000

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        sessions = [rng.randrange(1500) for _ in range(size)]
        return {"ttl": 600, "maxsize": 450, "steps": rng.choices(range(3), k=97), "sessions": sessions}

    def body(self, inputs):
        import cachetools

        now = 0
        cache = cachetools.TTLCache(maxsize=inputs["maxsize"], ttl=inputs["ttl"], timer=lambda: now)
        found = removed = checks = 0
        steps = inputs["steps"]
        for index, session in enumerate(inputs["sessions"]):
            now += steps[index % len(steps)]
            if session in cache:
                found += cache[session]
            else:
                cache[session] = session + now
            found += cache.get(session // 2, 1)
            if index % 50 == 49:
                removed += sum(value for _, value in cache.expire())
                checks += len(cache)
        return found, removed, checks, sorted(cache)

    def digest(self, result):
        found, removed, checks, left = result
        return [found, removed, checks, len(left), sum(i * key for i, key in enumerate(left, 1))]


class MemoizedDistances:
    """Edit distances by a memoized function of two positions, one table per pair of words."""

    id = "memoized-distances"
    n = 45

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        word = lambda: "".join(rng.choice("abcd") for _ in range(rng.randrange(14, 19)))
        return {"pairs": [(word(), word()) for _ in range(size)]}

    def body(self, inputs):
        import cachetools

        distances, hits, misses = [], 0, 0
        for left, right in inputs["pairs"]:

            @cachetools.cached(cachetools.LRUCache(maxsize=1000), info=True)
            def distance(i, j):
                if not i or not j:
                    return i + j
                if left[i - 1] == right[j - 1]:
                    return distance(i - 1, j - 1)
                return 1 + min(distance(i - 1, j), distance(i, j - 1), distance(i - 1, j - 1))

            distances.append(distance(len(left), len(right)))
            info = distance.cache_info()
            hits += info.hits
            misses += info.misses
        return distances, hits, misses

    def digest(self, result):
        distances, hits, misses = result
        return [sum(i * d for i, d in enumerate(distances, 1)), hits, misses]


class ManySmallItems:
    """A large store of small items with expiry: what the cache keeps per item is what costs memory."""

    id = "many-small-items"
    n = 32000
    holds_mib = 20

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return {"ttl": 10**6, "keys": rng.sample(range(10 * size + 10), size)}

    def body(self, inputs):
        import cachetools

        now = 0
        keys = inputs["keys"]
        cache = cachetools.TTLCache(maxsize=len(keys), ttl=inputs["ttl"], timer=lambda: now)
        for now, key in enumerate(keys):
            cache[key] = key
        probe = [cache[key] for key in keys[::97]]
        return len(cache), probe, [cache.popitem()[0] for _ in range(min(50, len(keys)))]

    def digest(self, result):
        held, probe, popped = result
        return [held, sum(i * key for i, key in enumerate(probe, 1)), sum(i * key for i, key in enumerate(popped, 1))]


WORKLOADS = [LruChurn(), LfuZipf(), TtlSessions(), MemoizedDistances(), ManySmallItems()]
