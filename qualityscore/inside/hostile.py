"""Arguments that behave badly, for probes.

Each definition stands alone, uses nothing but the standard library through imports in its own body, and is copied into
the snippet of a failing probe, so a person can run that without this package.
"""

from __future__ import annotations


class EqRaises:
    """Equality raises."""

    def __eq__(self, other):
        raise ValueError("no equality")

    __hash__ = object.__hash__


class EqAlways:
    """Equal to everything."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 7


class HashRaises:
    """Hashing raises another error than TypeError."""

    def __hash__(self):
        raise ValueError("no hash")


class LenNegative:
    """A length below zero."""

    def __len__(self):
        return -1


class LenHuge:
    """A length that no memory holds, and no elements."""

    def __len__(self):
        return 2**62

    def __iter__(self):
        return iter(())


class ReprRaises:
    """Neither repr() nor str() works."""

    def __repr__(self):
        raise ValueError("no text")


class BoolRaises:
    """Has no truth value."""

    def __bool__(self):
        raise ValueError("no truth value")


class IterBreaks:
    """Iteration breaks after one element."""

    def __iter__(self):
        yield "a"
        raise ValueError("broken off")


class AttributeRaises:
    """Every attribute that is not found raises another error than AttributeError."""

    def __getattr__(self, name):
        raise ValueError("no attributes")


class CompareRaises:
    """Ordering raises."""

    def __lt__(self, other):
        raise ValueError("no order")

    __le__ = __gt__ = __ge__ = __lt__


class OddText(str):
    """A text whose methods all raise."""

    def lower(self, *args):
        raise ValueError("no methods")

    upper = strip = split = replace = encode = join = find = startswith = endswith = lower


class OddNumber(int):
    """A whole number whose arithmetic raises."""

    def __add__(self, other):
        raise ValueError("no arithmetic")

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __lt__ = __gt__ = __le__ = __ge__ = __add__


class OddMapping(dict):
    """A dictionary that breaks while it is read."""

    def items(self):
        raise ValueError("no items")

    keys = values = __iter__ = __getitem__ = items


class IndexLike:
    """A number only through __index__."""

    def __index__(self):
        return 2


class Ticker:
    """A clock that shows 0, 1, 2, ... seconds, one more at each reading."""

    def __init__(self, start=0, step=1):
        self.now, self.step = start - step, step

    def __call__(self):
        self.now += self.step
        return self.now


class StillClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now=0):
        self.now = now

    def __call__(self):
        return self.now


def raiser(*args, **kwargs):
    """A callback that raises."""
    raise LookupError("from the callback")


def pair(*args, **kwargs):
    """A callback that returns what it was given."""
    return [list(args), sorted(kwargs.items())]


def first(*args, **kwargs):
    """A callback that returns its first argument."""
    return args[0] if args else None


def cyclic_list():
    """A list that holds itself."""
    items = [1]
    items.append(items)
    return items


def cyclic_dict():
    """A dictionary that holds itself."""
    items = {"a": 1}
    items["self"] = items
    return items


def nested_list(depth):
    """Lists in lists."""
    items = ["x"]
    for _ in range(depth):
        items = [items]
    return items


def nested_dict(depth):
    """Dictionaries in dictionaries."""
    items = {"x": "y"}
    for _ in range(depth):
        items = {"x": items}
    return items


def generated(*items):
    """An iterator that can be read once."""
    yield from items


def breaking(*items):
    """An iterator that breaks off after its items."""
    yield from items
    raise LookupError("broken off")


def closed_text_file():
    """A text file that is closed."""
    import io

    file = io.StringIO("content")
    file.close()
    return file


def closed_binary_file():
    """A binary file that is closed."""
    import io

    file = io.BytesIO(b"content")
    file.close()
    return file


def text_file(content):
    """An open text file."""
    import io

    return io.StringIO(content)


def binary_file(content):
    """An open binary file."""
    import io

    return io.BytesIO(content)


def listed(value):
    """The items of an iterable, the first 256 of them."""
    from itertools import islice

    return list(islice(value, 256))


def counting():
    """A callback that returns its arguments and how often it was called."""
    calls = []

    def counted(*args, **kwargs):
        calls.append(args)
        return [list(args), sorted(kwargs.items()), len(calls)]

    return counted


class Tally:
    """A callback that returns None; `calls` says how often it was called."""

    def __init__(self):
        self.calls = 0

    def __call__(self, *args, **kwargs):
        self.calls += 1


def steps(subject, calls):
    """Call methods of one object in order: what each returned, or the built-in class of the refusal it raised."""
    import builtins

    seen = []
    for name, *arguments in calls:
        try:
            value = getattr(subject, name)(*arguments)
            if hasattr(value, "__next__"):
                value = [item for item, _ in zip(value, range(50), strict=False)]
        except (LookupError, ValueError, TypeError) as error:
            classes = type.__dict__["__mro__"].__get__(type(error))
            value = next(kind.__name__ for kind in classes if vars(builtins).get(kind.__name__) is kind)
        seen.append(value)
    return seen
