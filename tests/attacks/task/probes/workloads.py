"""A hundred short texts, again and again."""


class Texts:
    id = "texts"
    n = 60_000
    holds_mib = 0

    def setup(self, size):
        return [size, *(f"word number {number}" for number in range(100))]

    def body(self, inputs):
        import m

        size, *texts = inputs
        return [m.entry(texts[turn % 100]) for turn in range(size)]

    def digest(self, result):
        return [len(result), result[-1]]


WORKLOADS = [Texts()]
