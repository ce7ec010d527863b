"""Workloads of the fixture task: the same work under several names, so that one subject can be bad in several ways."""

import random


class Index:
    """One large index, which is held."""

    n = 10000
    holds_mib = 4

    def __init__(self, name):
        self.id = name

    def setup(self, size):
        rng = random.Random(size)
        return [f"w{rng.randrange(size)}" for _ in range(size)]

    def body(self, inputs):
        import tally

        return getattr(tally, self.id)(inputs)

    def digest(self, result):
        return [len(result), sum(i * len(p) + p[0] for i, p in enumerate(list(result.values())[::50]))]


class Spin:
    """Equal steps, so that twice the steps are twice the work."""

    id = "spin"
    n = 100000

    def setup(self, size):
        return size

    def body(self, inputs):
        import tally

        return tally.spin(inputs)

    def digest(self, result):
        return result > 0


WORKLOADS = [Spin()] + [Index(name) for name in ("plain", "first", "second", "third", "fourth", "fifth", "sixth")]
