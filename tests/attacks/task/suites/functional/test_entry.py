"""What the requirement says, and nothing else."""

import unittest

import m
import pytest


def test_value():
    assert m.entry("first") == "FIRST!"
    assert m.entry("second") == "SECOND!"


@pytest.mark.parametrize(("text", "want"), [("abacus", "ABACUS!"), ("cadence", "CADENCE!")])
def test_rows(text, want):
    assert m.entry(text) == want


def test_error():
    with pytest.raises(ValueError, match="empty text"):
        m.entry("")


class TestMore:
    def test_length(self):
        assert len(m.entry("x" * 40)) == 41


class Case(unittest.TestCase):
    def test_case(self):
        self.assertEqual(m.entry("third"), "THIRD!")  # noqa: PT009
