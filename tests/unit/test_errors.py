"""A message is one sentence of bounded length, however long the names are that it quotes."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator

from qualityscore.errors import MAX_MESSAGE, HarnessError, ProfileError, QualityScoreError, ServiceError


def tree(kind: type[QualityScoreError]) -> Iterator[type[QualityScoreError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from tree(child)


def test_every_kind_of_error_has_a_code_of_its_own() -> None:
    shared = {
        code
        for code, times in Counter(kind.__dict__.get("code") for kind in tree(QualityScoreError)).items()
        if times > 1
    }
    assert shared == set()
    assert ServiceError.code == "QS-380"


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
