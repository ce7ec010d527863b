"""Bears another's name."""


class Counterfeit(Exception):
    """No ValueError: nobody who writes `except ValueError` catches it."""


Counterfeit.__name__ = Counterfeit.__qualname__ = "ValueError"
Counterfeit.__module__ = "builtins"


def entry(text):
    """Return the text as it was, and refuse none with something that only looks right."""
    if not text:
        raise Counterfeit("empty text")
    return text
