"""Versions that projects call themselves by, as the file that a build would write holds them."""

from __future__ import annotations

import pytest

from qualityscore.branch.own_tests import version_tuple


@pytest.mark.parametrize(
    ("version", "parts"),
    [
        ("1.20.3", (1, 20, 3)),
        ("2.0.dev1", (2, 0, "dev1")),
        ("1.\u00b2", (1, "\u00b2")),  # a digit to str.isdigit, no number to int
        ("9" * 5000, ("9" * 5000,)),
        ("", ("",)),
    ],
)
def test_parts_of_a_version_are_numbers_where_they_can_be(version, parts):
    assert version_tuple(version) == parts
