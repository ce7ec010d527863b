"""Which groups of requirements the tests need, by their names."""

from __future__ import annotations

from collections.abc import Iterable

TEST_NAMES = frozenset({"test", "tests", "testing", "pytest", "unittest", "unittests"})
DEVELOPER_NAMES = frozenset({"dev", "develop", "development"})


def is_named(key: str, names: frozenset[str]) -> bool:
    """Whether a group has one of some names, however it is written."""
    return key.lower().replace("_", "-") in names


def for_tests(keys: Iterable[object]) -> list[str]:
    """The groups that are named for tests; where there are none, those that are named for development."""
    names = [str(key) for key in keys]
    return [n for n in names if is_named(n, TEST_NAMES)] or [n for n in names if is_named(n, DEVELOPER_NAMES)]
