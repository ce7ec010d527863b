"""Functions that turn the arguments of a call into a cache key."""


def _named(kwargs):
    return tuple(sorted(kwargs.items(), key=lambda pair: pair[0]))


def _types(args, kwargs):
    return (
        tuple(type(arg) for arg in args),
        tuple(type(value) for _, value in _named(kwargs)),
    )


def hashkey(*args, **kwargs):
    """A tuple that identifies the arguments."""
    return (args, _named(kwargs))


def methodkey(self, /, *args, **kwargs):
    """hashkey without the first argument."""
    return hashkey(*args, **kwargs)


def typedkey(*args, **kwargs):
    """hashkey that tells equal arguments of different types apart."""
    return hashkey(*args, **kwargs) + _types(args, kwargs)


def typedmethodkey(self, /, *args, **kwargs):
    """typedkey without the first argument."""
    return typedkey(*args, **kwargs)
