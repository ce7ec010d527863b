"""Whether tests depend on what they must not: their order, the time zone, the locale, the hash seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from qualityscore.model.outcome import TestOutcome
from qualityscore.model.snapshot import ExpectedTest
from qualityscore.runtime.target import Target
from qualityscore.suites import functional

_SEED_OF_SHUFFLE = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class _Surroundings:
    """An order and sets of environment variables, all of which differ from those of every other run."""

    shuffled: bool  # else reversed, which turns every pair of tests round
    variables: tuple[Mapping[str, str], ...]  # each varies one thing

    @property
    def order(self) -> str:
        return "in random order" if self.shuffled else "in reversed order"

    def __str__(self) -> str:
        return ", ".join((self.order, *map(_text, self.variables)))

    def ordered(self, tests: Sequence[ExpectedTest]) -> Sequence[ExpectedTest]:
        return random.Random(_SEED_OF_SHUFFLE).sample(tests, len(tests)) if self.shuffled else tests[::-1]


# A zone is given as POSIX does it, since a sandbox need not have the tz database. Without the last two variables of the
# first locale Python would still read and write UTF-8.
_VARIED = (
    _Surroundings(
        shuffled=False,
        variables=(
            {"TZ": "NZST-12NZDT,M9.5.0,M4.1.0/3"},
            {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            {"PYTHONHASHSEED": "1"},
        ),
    ),
    _Surroundings(shuffled=True, variables=({"TZ": "SST11"}, {"LC_ALL": "C"}, {"PYTHONHASHSEED": "2"})),
)


def dependent_tests(target: Target, expected: Sequence[ExpectedTest], say: Callable[[str], None]) -> list[str]:
    """Run the tests of a reference, which pass in its usual surroundings, in others; what fails there, in words.

    Where tests fail, all are run again with one thing varied at a time, to tell which matters. Raises as
    `functional.run` does.
    """
    problems: list[str] = []
    for varied in _VARIED:
        ordered = varied.ordered(expected)
        every = {name: value for variables in varied.variables for name, value in variables.items()}
        failing = _failing(target, ordered, every)
        say(f"{varied}: {len(expected) - len(failing)} of {len(expected)} tests pass")
        if not failing:
            continue
        alone = {varied.order: _failing(target, ordered, {})}
        alone |= {f"with {_text(variables)}": _failing(target, expected, variables) for variables in varied.variables}
        for name in failing:
            causes = [text for text, lost in alone.items() if name in lost]
            when = f"also {' and '.join(causes)} alone" if causes else "with none of these alone"
            problems.append(f"{varied}: {name} fails on the reference, {when}")
    return problems


def _text(variables: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in variables.items())


def _failing(target: Target, ordered: Sequence[ExpectedTest], env: Mapping[str, str]) -> list[str]:
    """Ids of the tests that do not pass in exactly this order, which a run with twins would not keep."""
    single = [
        replace(test, assertions=tuple(replace(record, twin=False) for record in test.assertions)) for test in ordered
    ]
    return [test.id for test in functional.run(target, single, env=env).tests if test.outcome is not TestOutcome.PASSED]
