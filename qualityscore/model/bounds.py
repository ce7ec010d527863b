"""What a place in a subject and a time span can be at most: the same bounds for what is written and what is read."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

LAST_LINE = 2**31 - 1
"""The interpreter's own bound of a line's number, and SARIF readers' (a signed integer of 32 bits)."""

LONGEST_S = 1e9
"""About 32 years: no test of ours ran longer."""

_PART = r"(?:[^/.][^/]*|\.|\.[^/.][^/]*|\.\.[^/]+)"


def is_relative(path: str) -> bool:
    """Whether a path with forward slashes stays below the folder that it starts from."""
    return bool(path) and not path.startswith("/") and ".." not in path.split("/")


def _relative(path: str) -> str:
    if not is_relative(path):
        raise ValueError("a path should be relative, not empty, and without the part '..'")
    return path


def seconds(said: float) -> float:
    """A time span that a subject's own process told, brought into bounds: it can have changed the clock."""
    return min(LONGEST_S, max(0.0, said))  # in this order NaN becomes 0


RelativePath = Annotated[
    str, AfterValidator(_relative), Field(json_schema_extra={"pattern": f"^{_PART}(?:/{_PART}?)*$"})
]
LineNumber = Annotated[int, Field(ge=1, le=LAST_LINE)]
Seconds = Annotated[float, Field(ge=0, le=LONGEST_S)]
