"""Functions that turn the arguments of a call into a cache key."""


class _Mark:
    """Separates positional from keyword arguments inside a key."""

    def __repr__(self):
        return "<kw>"


_MARK = _Mark()


def hashkey(*args, **kwargs):
    """Return a hashable tuple for the given arguments."""
    if not kwargs:
        return args
    items = []
    for name in sorted(kwargs):
        items.append((name, kwargs[name]))
    return args + (_MARK,) + tuple(items)


def methodkey(self, /, *args, **kwargs):
    """Return a key that leaves out the instance."""
    return hashkey(*args, **kwargs)


def typedkey(*args, **kwargs):
    """Return a key that also tells the types of the arguments apart."""
    return hashkey(*args, **kwargs) + tuple(type(value) for value in args)


def typedmethodkey(self, /, *args, **kwargs):
    """Return a typed key that leaves out the instance."""
    return typedkey(*args, **kwargs)
