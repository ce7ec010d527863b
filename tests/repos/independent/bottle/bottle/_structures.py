"""Mappings of names to values, and the base of the exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import Any


class BottleException(Exception):
    """Base of the library's exceptions."""


def _pairs(source: Any) -> Iterable[tuple[str, Any]]:
    return source.items() if isinstance(source, Mapping) else source


class FormsDict(MutableMapping[str, Any]):
    """Values by name, several for one name; the last one counts.

    Values of type text can be read as attributes, which are empty if there
    is no such name.
    """

    def __init__(self, *a: Any, **k: Any) -> None:
        if len(a) > 1:
            raise TypeError(f"at most 1 positional argument expected, got {len(a)}")
        self._values: dict[str, list[Any]] = {}
        for source in (*a, k):
            if isinstance(source, FormsDict):
                for key in source:
                    for value in source.getall(key):
                        self.append(key, value)
            else:
                for key, value in _pairs(source):
                    self.append(key, value)

    def append(self, key: str, value: Any) -> None:
        """Add a value, after those that the name has."""
        self._values.setdefault(key, []).append(value)

    def get(  # type: ignore[override]
        self,
        key: str,
        default: Any = None,
        index: int = -1,
        type: Callable[[Any], Any] | None = None,
    ) -> Any:
        """The last value of a name, or the one at *index*, converted by *type*.

        The default is returned if there is none or if *type* raises.
        """
        try:
            value = self._values[key][index]
            return type(value) if type is not None else value
        except Exception:
            return default

    def getall(self, key: str) -> list[Any]:
        """All values of a name, in order."""
        return list(self._values.get(key, ()))

    def __getitem__(self, key: str) -> Any:
        return self._values[key][-1]

    def __setitem__(self, key: str, value: Any) -> None:
        self.append(key, value)

    def __delitem__(self, key: str) -> None:
        del self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_values":
            raise AttributeError(name)
        return self.get(name, "")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({[(k, v) for k in self for v in self.getall(k)]!r})"


class Headers(MutableMapping[str, str]):
    """Headers of an answer: names in any case, several values for one name."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[str, list[str]]] = {}

    @staticmethod
    def _check(text: Any) -> str:
        text = str(text)
        if any(char in text for char in "\r\n\0"):
            raise ValueError(f"headers must not contain line breaks: {text!r}")
        return text

    def append(self, name: str, value: Any) -> None:
        """Add a value, after those that the name has."""
        name, value = self._check(name), self._check(value)
        self._values.setdefault(name.lower(), (name, []))[1].append(value)

    def pairs(self) -> list[tuple[str, str]]:
        """Each name with each of its values."""
        return [(name, value) for name, values in self._values.values() for value in values]

    def copy(self) -> Headers:
        """Headers of the same content."""
        copied = Headers()
        for name, value in self.pairs():
            copied.append(name, value)
        return copied

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()][1][-1]

    def __setitem__(self, name: str, value: Any) -> None:
        name, value = self._check(name), self._check(value)
        self._values[name.lower()] = (name, [value])

    def __delitem__(self, name: str) -> None:
        del self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._values.values())

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.pairs()!r})"


class RequestHeaders(Mapping[str, str]):
    """The headers of a request, names in any case, as the WSGI environment has them."""

    _PLAIN = {"CONTENT_TYPE", "CONTENT_LENGTH"}

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._environ = environ

    def _key(self, name: str) -> str:
        key = name.replace("-", "_").upper()
        return key if key in self._PLAIN else f"HTTP_{key}"

    def __getitem__(self, name: str) -> str:
        try:
            return self._environ[self._key(name)]
        except KeyError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        for key in self._environ:
            if key.startswith("HTTP_"):
                yield key[5:].replace("_", "-").title()
            elif key in self._PLAIN:
                yield key.replace("_", "-").title()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._key(name) in self._environ


def recode(text: str) -> str:
    """The UTF-8 text of a string of the WSGI environment (bytes as Latin-1)."""
    return text.encode("latin-1", "replace").decode("utf-8", "replace")
