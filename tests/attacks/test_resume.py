"""The table of the corpus goes on where an interrupted run stopped."""

from __future__ import annotations

import dataclasses

from attacks.corpus import ATTACKS
from attacks.corpus.attack import Outcome, Seen, disagreements
from attacks.run import _once
from raw_rows import resume


def test_what_stands_in_the_file_is_not_played_again(tmp_path):
    attack = next(attack for attack in ATTACKS if attack.expected is Outcome.CONTAINED)
    gained = dataclasses.asdict(Seen(outcome=Outcome.GAINED, passed=("value",), notes=("passed ['value']",)))
    played = []

    def play():
        played.append(attack.name)
        return gained

    for user in ("root", "user", "root"):
        seen = _once(resume(tmp_path / "rows.jsonl"), ("functional", user, attack.name), play)
        assert any("GAINED where contained must follow" in found for found in disagreements(attack, Seen(**seen)))
    assert len(played) == 2  # the third is the first one's
