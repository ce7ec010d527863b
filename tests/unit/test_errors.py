"""A message is one sentence of bounded length, however long the names are that it quotes."""

from __future__ import annotations

import pickle

from qualityscore.errors import MAX_MESSAGE, HarnessError, ProfileError


def test_a_long_message_loses_its_middle_and_keeps_what_to_do() -> None:
    error = ProfileError(f'profile.toml: "{"a" * 5_000}" is unknown; remove it.')
    assert len(str(error)) == MAX_MESSAGE
    assert str(error).startswith('profile.toml: "aaa')
    assert str(error).endswith('aaa" is unknown; remove it.')
    assert "aaa...aaa" in str(error)


def test_a_short_message_stays_as_it_is_also_through_a_pickle() -> None:
    error = HarnessError("The disk is full.")
    assert str(error) == "The disk is full."
    assert str(pickle.loads(pickle.dumps(error))) == "The disk is full."
