"""Workloads of the humanize task: seeded inputs, a body that uses the surface, a digest of the result."""

import random
import zlib


def fingerprint(texts):
    joined = "\n".join(texts).encode()
    return [len(texts), len(joined), zlib.crc32(joined)]


class Numbers:
    """Whole numbers in all their forms."""

    id = "numbers"
    n = 5000

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(10 ** rng.randrange(1, 16)) for _ in range(size)]

    def body(self, inputs):
        import humanize

        texts = []
        for number in inputs:
            texts.append(humanize.intcomma(number))
            texts.append(humanize.intword(number))
            texts.append(humanize.ordinal(number))
            texts.append(humanize.apnumber(number % 13))
        return texts

    def digest(self, result):
        return fingerprint(result)


class Fractions:
    """Fractions, powers, prefixes and limits."""

    id = "fractions"
    n = 2200

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(1, 4000) / rng.randrange(1, 40) for _ in range(size)]

    def body(self, inputs):
        import humanize

        texts = []
        for number in inputs:
            texts.append(humanize.fractional(number))
            texts.append(humanize.scientific(number * 1e7, precision=3))
            texts.append(humanize.metric(number * 1e4 + 0.377, "W"))
            texts.append(humanize.clamp(number, format="{:.1f}", floor=10, ceil=1000))
        return texts

    def digest(self, result):
        return fingerprint(result)


class Sizes:
    """Sizes of files in three styles."""

    id = "sizes"
    n = 3000

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(10 ** rng.randrange(1, 15)) for _ in range(size)]

    def body(self, inputs):
        import humanize

        texts = []
        for number in inputs:
            texts.append(humanize.naturalsize(number))
            texts.append(humanize.naturalsize(number, binary=True, format="%.2f"))
            texts.append(humanize.naturalsize(number, gnu=True))
        return texts

    def digest(self, result):
        return fingerprint(result)


class Spans:
    """Spans of time in one unit and in all."""

    id = "spans"
    n = 1000

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(10 ** rng.randrange(1, 10)) for _ in range(size)]

    def body(self, inputs):
        import datetime

        import humanize

        now, texts = datetime.datetime(2020, 2, 29, 12), []
        for seconds in inputs:
            texts.append(humanize.naturaldelta(seconds))
            texts.append(humanize.naturaltime(datetime.timedelta(seconds=seconds), when=now, months=False))
            texts.append(humanize.precisedelta(seconds, suppress=("months",)))
        return texts

    def digest(self, result):
        return fingerprint(result)


class LongList:
    """One list of very many items in words."""

    id = "long-list"
    n = 110000
    holds_mib = 20

    def setup(self, size):
        return {"size": size, "step": random.Random(f"{self.id}/{size}").randrange(10**6, 10**8)}

    def body(self, inputs):
        import humanize

        return humanize.natural_list(number * inputs["step"] % 999999937 for number in range(inputs["size"]))

    def digest(self, result):
        return [len(result), zlib.crc32((result[:900] + result[::37] + result[-900:]).encode())]


WORKLOADS = [Numbers(), Fractions(), Sizes(), Spans(), LongList()]
