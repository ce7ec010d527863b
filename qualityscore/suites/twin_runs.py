"""Runs in which some tests are twins: from inside nothing tells which, and a subject that passes both is exposed.

Two runs carry complementary random halves in random order, each in a sandbox of its own, so that neither sees the
other's files. A test that passes as itself and as its twin is run again three times; passing all is tampering, and so
is passing a twin whose perturbed text cannot be guessed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qualityscore.judging.lowered import DerivedSuite
from qualityscore.judging.twins import twinned
from qualityscore.model.snapshot import ExpectedTest
from qualityscore.runtime.target import Target
from qualityscore.suites.derived_files import Item, Progress, silent
from qualityscore.suites.executability import ImportTrial
from qualityscore.suites.playing import Seen, play

_CONFIRMATIONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What every test did as itself, and the numbers of the tests that pass their twins as well."""

    seen: Seen
    exposed: frozenset[int]


def has_twin(test: ExpectedTest) -> bool:
    """Whether one of the test's assertions has a twin that fails on the reference."""
    return any(record.twin for record in test.assertions)


def play_with_twins(
    target: Target,
    derived: Mapping[str, DerivedSuite],
    expected: Sequence[ExpectedTest],
    *,
    rng: random.Random,
    imports: ImportTrial | None = None,
    progress: Progress = silent,
    env: Mapping[str, str] | None = None,
) -> Played:
    """Run all expected tests; those with twins a second time. `env` as in `play`, which also tells what is raised."""
    items = [Item(file=test.file, name=test.item or test.id) for test in expected]
    paired = [number for number, test in enumerate(expected) if has_twin(test)]
    if not paired:
        texts = {name: suite.source for name, suite in derived.items()}
        seen = play(target, texts, items, imports=imports, progress=progress, env=env)
        return Played(seen=seen, exposed=frozenset())
    runs = _Runs(target=target, derived=derived, items=items, rng=rng, env=env)
    functions = sorted({runs.function(number) for number in paired})
    first = frozenset(function for function in functions if rng.random() < 0.5)
    one = runs.half(range(len(items)), first, progress, imports)
    hung = one.seen.hung()  # nobody waits for these files again
    two = runs.half([n for n in paired if items[n].file not in hung], frozenset(functions) - first, silent)
    broken = two.seen.end is not None and two.seen.end.broken
    seen = Seen(groups=one.seen.groups, end=two.seen.end if broken else one.seen.end)
    exposed = set()
    for number in range(len(items)):
        original, twin = (two, one) if runs.function(number) in first else (one, two)
        if number in original.seen.units:
            seen.units[number] = original.seen.units[number]
        both = number in paired and original.passed(number) and twin.passed(number)
        if both and (runs.function(number) in twin.strong or runs.confirm(number)):
            exposed.add(number)
    return Played(seen=seen, exposed=frozenset(exposed))


_Function = tuple[str, str]  # file, name


@dataclass(frozen=True, slots=True)
class _Half:
    seen: Seen
    strong: frozenset[_Function]

    def passed(self, number: int) -> bool:
        event, observation = self.seen.units.get(number, (None, None))
        return event is not None and event.left_normally and observation is not None and observation.outcome == "passed"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Runs:
    target: Target
    derived: Mapping[str, DerivedSuite]
    items: Sequence[Item]
    rng: random.Random
    env: Mapping[str, str] | None

    def function(self, number: int) -> _Function:
        item = self.items[number]
        return item.file, self.derived[item.file].function(item.name)

    def half(
        self,
        numbers: Sequence[int],
        turned: frozenset[_Function],
        progress: Progress,
        imports: ImportTrial | None = None,
    ) -> _Half:
        """Run these items in random order, with these functions turned into their twins."""
        texts: dict[str, str] = {}
        strong: set[_Function] = set()
        for name in self.derived:  # all files, since one may import another
            functions = {function for file, function in turned if file == name}
            if not functions:
                texts[name] = self.derived[name].source
                continue
            made = twinned(self.derived[name], functions, self.rng)
            texts[name] = made.source
            strong |= {(name, function) for function in made.strong}
        order = list(numbers)
        self.rng.shuffle(order)
        ordered = [self.items[number] for number in order]
        played = play(self.target, texts, ordered, imports=imports, progress=progress, env=self.env)
        units = {order[place]: unit for place, unit in played.units.items()}
        return _Half(Seen(groups=played.groups, units=units, end=played.end), frozenset(strong))

    def confirm(self, number: int) -> bool:
        """Whether a test passes as itself and as its twin again and again."""
        both = (frozenset[_Function](), frozenset({self.function(number)}))
        return all(
            self.half((number,), turned, silent).passed(number) for _ in range(_CONFIRMATIONS) for turned in both
        )
