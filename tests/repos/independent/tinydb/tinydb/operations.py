"""Callables for `Table.update`. All but `set` need the field to be there."""

from __future__ import annotations

from typing import Any, Callable, MutableMapping

Operation = Callable[[MutableMapping[str, Any]], None]


def delete(field: str) -> Operation:
    """Remove a field."""

    def change(document: MutableMapping[str, Any]) -> None:
        del document[field]

    return change


def set(field: str, val: Any) -> Operation:  # noqa: A001 - the name is part of the interface
    """Give a field a value."""

    def change(document: MutableMapping[str, Any]) -> None:
        document[field] = val

    return change


def add(field: str, n: Any) -> Operation:
    """Add `n` to a field."""

    def change(document: MutableMapping[str, Any]) -> None:
        document[field] = document[field] + n

    return change


def subtract(field: str, n: Any) -> Operation:
    """Subtract `n` from a field."""

    def change(document: MutableMapping[str, Any]) -> None:
        document[field] = document[field] - n

    return change


def increment(field: str) -> Operation:
    """Add 1 to a field."""
    return add(field, 1)


def decrement(field: str) -> Operation:
    """Subtract 1 from a field."""
    return subtract(field, 1)
