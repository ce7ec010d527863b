"""Attacks that were written without sight of the defences: one folder below `tests/attacks/blind/` each."""

from __future__ import annotations

import tomllib
from pathlib import Path

from attacks.corpus.attack import Attack, Family, Outcome

FOLDER = Path(__file__).parents[1] / "blind"
_KEYS = {"about", "expected", "passed", "listed", "endings", "at_most", "open"}


def read(folder: Path) -> Attack:
    """The attack in a folder: `attack.toml`, and the repository in `subject/`."""
    told = tomllib.loads((folder / "attack.toml").read_text("utf-8"))
    if strangers := told.keys() - _KEYS:
        raise ValueError(f"{folder.name}/attack.toml has the unknown key {sorted(strangers)[0]!r}")
    subject = folder / "subject"
    return Attack(
        name=folder.name.replace("_", " "),
        family=Family.BLIND,
        files={
            path.relative_to(subject).as_posix(): path.read_bytes() for path in subject.rglob("*") if path.is_file()
        },
        expected=Outcome(told["expected"]),
        passed=frozenset(told.get("passed", ())),
        listed=frozenset(told.get("listed", ())),
        endings=frozenset(told.get("endings", ())),
        at_most=told.get("at_most", {}),
        open=told.get("open", ""),
    )


ATTACKS = tuple(read(file.parent) for file in sorted(FOLDER.glob("*/attack.toml")))
