"""Workloads of the inflection task: seeded inputs, a body that uses the surface, a digest of the result."""

import random
import zlib

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def fingerprint(texts):
    joined = "\n".join(texts).encode()
    return [len(texts), len(joined), zlib.crc32(joined)]


def words(rng, count):
    return ["".join(rng.choices(LETTERS, k=rng.randrange(3, 9))) for _ in range(count)]


class Plurals:
    """Words to their plurals and back."""

    id = "plurals"
    n = 100

    def setup(self, size):
        return words(random.Random(f"{self.id}/{size}"), size)

    def body(self, inputs):
        import inflection

        plurals = [inflection.pluralize(word) for word in inputs]
        return plurals + [inflection.singularize(word) for word in plurals]

    def digest(self, result):
        return fingerprint(result)


class Identifiers:
    """Identifiers in all their forms."""

    id = "identifiers"
    n = 250

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return ["_".join(words(rng, 3)) for _ in range(size)]

    def body(self, inputs):
        import inflection

        texts = []
        for name in inputs:
            camel = inflection.camelize(name)
            texts += [camel, inflection.underscore(camel), inflection.titleize(camel), inflection.dasherize(name)]
        return texts

    def digest(self, result):
        return fingerprint(result)


class Addresses:
    """Titles as parts of addresses."""

    id = "addresses"
    n = 400

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [" & ".join(words(rng, 4)).replace("a", "Ä") for _ in range(size)]

    def body(self, inputs):
        import inflection

        return [inflection.parameterize(title) for title in inputs]

    def digest(self, result):
        return fingerprint(result)


class ManyOrdinals:
    """Many ordinals."""

    id = "many-ordinals"
    n = 5000

    def setup(self, size):
        return {"size": size, "step": random.Random(f"{self.id}/{size}").randrange(10**6, 10**8)}

    def body(self, inputs):
        import inflection

        return [inflection.ordinalize(number * inputs["step"] % 999999937) for number in range(inputs["size"])]

    def digest(self, result):
        return fingerprint(result[::3])


WORKLOADS = [Plurals(), Identifiers(), Addresses(), ManyOrdinals()]
