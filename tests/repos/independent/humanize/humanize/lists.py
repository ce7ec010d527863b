"""Lists of things."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def natural_list(items: Iterable[Any]) -> str:
    """Join the items' texts by commas, and the last one by `and`: `a, b and c`."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
