"""A subject that hides what its tests enter gains nothing by code that is added to be judged with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qualityscore.collectors.context import StaticOutcome
from qualityscore.model.measure import Measured

Measure = Callable[..., StaticOutcome]

MEASURES = ("index.deficit", "complexity.excess", "lint.penalty", "duplication.share", "structure.defects")
SHOWN = "def shown(value):\n    return value + 1\n\n\n"
TWICE = (
    "    total = 0\n" + "".join(f"    total += value * {n} + other[{n}]\n" for n in range(12)) + "    return total\n"
)
HIDDEN = (
    "def hidden(value, mode):\n    import os\n"
    + "".join(f"    if mode == {n}:\n        value += {n}\n" for n in range(40))
    + "    return no_such_name + value\n\n\n"
    + f"def once(value, other):\n{TWICE}\n\ndef again(value, other):\n{TWICE}\n\n"
)
PADDING = "".join(f"def pad{n}(value):\n    return value - {n}\n\n\n" for n in range(300))


def values(outcome: StaticOutcome) -> dict[str, float]:
    found = {}
    for name in MEASURES:
        measure = outcome.measures[name]
        assert isinstance(measure, Measured), measure
        found[name] = measure.value
    return found


@pytest.mark.parametrize("judged", [[("a.py", 1)], []], ids=["some functions were seen", "none was seen"])
def test_padding_changes_nothing(measured: Measure, judged):
    hiding = {"judged": judged, "entered_unknown": True, "public_names": ["m.shown"]}
    alone = values(measured({"a.py": SHOWN + HIDDEN}, **hiding))
    padded = values(measured({"a.py": SHOWN + HIDDEN + PADDING, "pad.py": PADDING.replace("pad", "fill")}, **hiding))
    assert padded == alone
    assert min(alone.values()) > 0


def test_hiding_is_never_better_than_being_seen(measured: Measure):
    files = {"a.py": SHOWN + HIDDEN + PADDING}
    lines = [number for number, line in enumerate(files["a.py"].splitlines(), start=1) if line.startswith("def ")]
    hiding = values(measured(files, judged=[("a.py", 1)], entered_unknown=True))
    for seen in (lines, lines[:2], lines[:4]):
        honest = values(measured(files, judged=[("a.py", line) for line in seen]))
        assert all(hiding[name] >= honest[name] for name in MEASURES), honest


def test_the_worst_set_is_found_by_hand(measured: Measure):
    # judged: shown (1 + 9 tokens: def shown ( value ) : return value + 1, so 10 / 7 lines); hidden costs nothing here
    worse = "def worse(value):\n    return gone + value\n\n\n"  # 10 tokens, one defect
    better = "def better(value):\n" + "    value += 1\n" * 20 + "    return value + lost\n\n\n"  # 6 + 60 + 4 tokens
    text = SHOWN + worse + better + PADDING
    found = measured({"a.py": text}, judged=[("a.py", 1)], entered_unknown=True).measures["structure.defects"]
    # shown alone: 0; with worse: 1000 * 1 / (20 / 7) = 350; with better too: 1000 * 2 / (90 / 7) = 155.6
    assert isinstance(found, Measured)
    assert found.value == pytest.approx(350)


def test_names_of_the_surface_stand_in_by_their_smallest_function(measured: Measure):
    large = "def shown(value):\n" + "    value += 1\n" * 200 + "    return value\n"
    module = "import no_such_package_anywhere\nprint(undefined_name)\n\n\n"  # costs at module level, judged in any case
    hiding = {"judged": [], "entered_unknown": True, "public_names": ["m.shown"]}
    alone = values(measured({"a.py": module + SHOWN}, **hiding))
    diluted = values(measured({"a.py": module + SHOWN, "b.py": large}, **hiding))
    assert diluted["structure.defects"] == alone["structure.defects"] == pytest.approx(1000 * 1 / (10 / 7))


def test_a_subject_that_hides_nothing_is_judged_as_ever(measured: Measure):
    files = {"a.py": SHOWN + HIDDEN}
    assert values(measured(files, judged=[("a.py", 1)])) == values(measured({"a.py": SHOWN}, judged=[("a.py", 1)]))
