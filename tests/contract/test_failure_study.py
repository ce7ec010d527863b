"""The page on failure classes says what the labels in the repository give."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "failure_study"
CLASSES = ("executability", "mismatch", "non_functional")


def read(name: str) -> dict[str, list[str]]:
    return json.loads((DATA / name).read_text("utf-8"))


def test_the_page_says_what_the_labels_give():
    decided = {row["id"]: row["decided"] for row in json.loads((DATA / "sheet.json").read_text("utf-8"))}
    first, second = read("labels_first.json"), read("labels_second.json")
    assert first.keys() == second.keys() == decided.keys()
    assert len(decided) >= 150
    agreed = [i for i in decided if first[i][0] == second[i][0]]
    right = [i for i in agreed if first[i][0] == decided[i][0]]
    assert len(right) / len(agreed) >= 0.93
    page = (ROOT / "docs" / "reference" / "failures.md").read_text("utf-8")
    share = f"{100 * len(right) / len(agreed):.1f} %"
    assert (
        f"on {len(agreed)} of {len(decided)} classes; the classifier agrees with {len(right)} of them ({share})" in page
    )
    matrix = Counter((first[i][0], decided[i][0]) for i in agreed)
    for label in CLASSES:
        assert f"| {label} | {' | '.join(str(matrix[label, own]) for own in CLASSES)} |" in page
    subclasses = sum(first[i][1] == decided[i][1] for i in decided if first[i][1] == second[i][1])
    assert f"agrees with {subclasses} of {len(decided)} ({100 * subclasses / len(decided):.1f} %)" in page
