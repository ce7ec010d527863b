"""Where each word occurs: one function, under a name for each workload."""


def index(words):
    """The positions of each word."""
    places = {}
    for position, word in enumerate(words):
        places.setdefault(word, []).append(position)
    return places


def plain(words):
    return index(words)


def first(words):
    return index(words)


def second(words):
    return index(words)


def third(words):
    return index(words)


def fourth(words):
    return index(words)


def fifth(words):
    return index(words)


def spin(turns):
    """A number that takes `turns` equal steps."""
    total = 0
    for turn in range(turns):
        total += turn & 3
    return total


def sixth(words):
    return index(words)
