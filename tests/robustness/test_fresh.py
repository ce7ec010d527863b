"""Fresh inputs: an honest subject's two figures agree, one that knows the frozen inputs by heart is exposed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from qualityscore.core.intervals import sign_test
from qualityscore.model.outcome import FreshOutcome
from qualityscore.suites import fresh, probe_build
from qualityscore.suites.manifest import Manifest
from qualityscore.suites.probe_variation import vary
from robustness.memorising import memoriser
from robustness.test_building import ENTRIES, REFERENCE, REVIEW, SUITE

PROPERTIES = '''"""Properties."""

import thing
from hypothesis import given
from hypothesis import strategies as st


@given(st.text())
def prop_swapping_keeps_the_letters(text):
    """The halves hold the letters of the whole."""
    assert sorted(thing.swap(text)) == sorted(text)
'''
SEED = 20261130


@pytest.fixture(scope="module")
def task(module_target: Any) -> tuple[Any, Manifest]:
    """The reference and its manifest."""
    target = module_target(REFERENCE, ENTRIES, suite=SUITE, probes=PROPERTIES, is_reference=True)
    (target.task.probes_folder / "review.toml").write_text(REVIEW, "utf-8")
    return target, probe_build.build(target, 0)


def outcome(task: tuple[Any, Manifest], make_target: Any, source: str) -> FreshOutcome:
    reference, manifest = task
    subject = make_target(source, ENTRIES, probes=PROPERTIES)
    return fresh.run(subject, reference, manifest, SEED, progress=lambda done, total: None)


@pytest.mark.slow
def test_an_honest_subject_is_as_good_on_fresh_inputs(task: Any, make_target: Any) -> None:
    honest = REFERENCE.replace("half = len(pair) // 2", "half = len(pair) // 2 if pair.isascii() else 0")
    assert honest != REFERENCE
    found = outcome(task, make_target, honest)
    assert found.agrees
    assert found.frozen_right.count < found.frozen_right.total, "it differs on the frozen inputs too"
    assert found.frozen_right.low <= found.fresh_right.high
    assert found.fresh_right.low <= found.frozen_right.high


def test_a_subject_that_knows_the_frozen_inputs_by_heart_is_exposed(task: Any, make_target: Any) -> None:
    found = outcome(task, make_target, memoriser(task[1], "thing"))
    assert not found.agrees
    assert found.frozen_right.low > found.fresh_right.high
    assert found.worse > 10
    assert found.better == 0
    assert found.differences
    assert "not in the table" in found.differences[0].seen
    assert [held.passed for held in found.properties] == [False]


def test_the_same_seed_draws_the_same_inputs_and_another_seed_others(task: Any) -> None:
    reference, manifest = task
    calls = [
        [probe.call for entry in fresh.draw(reference, manifest, seed)[1].entries for probe in entry.probes]
        for seed in (1, 1, 2)
    ]
    assert calls[0] == calls[1]
    assert calls[0] != calls[2]
    frozen = {(*probe.setup, probe.call) for entry in manifest.entries for probe in entry.probes}
    drawn = fresh.draw(reference, manifest, 1)[1]
    assert not frozen & {(*probe.setup, probe.call) for entry in drawn.entries for probe in entry.probes}


def test_a_word_becomes_the_same_word_everywhere() -> None:
    setup, call = vary(["doc = '<row>row Row ROW 17</row>'"], "f(doc, key='row', flag=True)", random.Random(5)) or (
        [],
        "",
    )
    (word,) = {
        part for part in setup[0].replace("<", " ").replace(">", " ").replace("/", " ").split() if part.islower()
    } - {"doc"}
    assert word != "row"
    assert f"key='{word}'" in call
    assert f"<{word}>{word} {word.capitalize()} {word.upper()} " in setup[0]
    assert "flag=True" in call


def test_what_holds_nothing_to_replace_is_left_out() -> None:
    assert vary([], "f('', None, 0, True, '---', '\\u4f60')", random.Random(1)) is None
    assert vary([], "steps(x, [('popitem',)])", random.Random(1), fixed={"popitem"}) is None


@pytest.mark.parametrize(("worse", "better", "chance"), [(0, 0, 1.0), (1, 0, 0.5), (3, 1, 5 / 16), (10, 0, 2**-10)])
def test_the_sign_test_counts_binomial_tails(worse: int, better: int, chance: float) -> None:
    assert sign_test(worse, better) == pytest.approx(chance)
