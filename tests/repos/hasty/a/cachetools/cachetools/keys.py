"""Functions that turn the arguments of a call into a cache key."""

__all__ = ("hashkey", "methodkey", "typedkey", "typedmethodkey")


def hashkey(*args, **kwargs):
    """A hashable tuple that identifies the arguments of a call."""
    # Names are unique, so sorting never compares the values.
    return args, tuple(sorted(kwargs.items()))


def methodkey(self, /, *args, **kwargs):
    """hashkey without the first argument."""
    return hashkey(*args, **kwargs)


def typedkey(*args, **kwargs):
    """hashkey that tells equal arguments of different types apart."""
    positional, named = hashkey(*args, **kwargs)
    types = tuple(map(type, positional)), tuple(type(value) for _, value in named)
    return positional, named, types


def typedmethodkey(self, /, *args, **kwargs):
    """typedkey without the first argument."""
    return typedkey(*args, **kwargs)
