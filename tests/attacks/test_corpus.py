"""Every attack of the corpus comes out as it must; as an ordinary user, also where the tests run as root."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from attacks.corpus import ATTACKS
from attacks.corpus.attack import Family, Outcome, disagreements
from attacks.plain import verdict_of
from attacks.players import hand_over, make_place, ordinary_user, playing, surroundings, users
from qualityscore.errors import SandboxUnavailableError
from qualityscore.runtime.sandbox.select import select

QUICK = frozenset({"suppressions on every line", "a file that asks not to be looked at"})
# Those that keep a core or a deadline busy for ten seconds and more. (A fork bomb with a limit of a second is among the
# supervisor's own tests.)
LONG = frozenset(
    {"fork bomb at import", "fork bomb", "output without end", "stopping itself", "a loop that hears no signal"}
    | {"filling the table of files"}
)

CLASSIC = (
    "exits with 0 at import",
    "exits with 0 in the function",
    "skips",
    "equal to everything",
    "a conftest that turns failures green",
    "options of its own",
    "patched assertions",
    "patched reports",
    "tests that do nothing",
)


@pytest.fixture(scope="module")
def place():
    """One place for all attacks of a session; not below pytest's folder, which is closed to other users."""
    try:
        select()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    with tempfile.TemporaryDirectory(prefix="qs-attacks-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        yield make_place(Path(folder, "place"))


@pytest.fixture(scope="module")
def ordinary():
    """The name of who plays. Root, to whom other things are allowed, is no stand-in for an ordinary user."""
    if "user" not in users():
        pytest.skip("root finds no way to be an ordinary user here: install bubblewrap and setpriv, or run as a user")
    return "user"


@pytest.fixture(scope="module")
def functional(place, ordinary):
    with playing(place, "functional", ordinary) as players:
        yield players


@pytest.fixture(scope="module")
def code(place, ordinary):
    with playing(place, "code", ordinary) as players:
        yield players


def named(family: Family) -> list:
    return [
        pytest.param(a, id=a.name, marks=pytest.mark.slow if a.name in LONG else ())
        for a in ATTACKS
        if a.family is family
    ]


def test_the_corpus_is_large_and_its_names_are_its_own():
    assert max(Counter(attack.name for attack in ATTACKS).values()) == 1
    families = Counter(attack.family for attack in ATTACKS)
    assert families.total() >= 60
    assert min(families[family] for family in (Family.MACHINERY, Family.STATIC, Family.ESCAPE, Family.EXHAUSTION)) >= 10
    for attack in ATTACKS:
        assert (
            attack.expected in (Outcome.CONTAINED, Outcome.DETECTED, Outcome.TAMPERED, Outcome.REFUSED) or attack.open
        )


@pytest.mark.parametrize("attack", named(Family.MACHINERY))
def test_taking_a_verdict(functional, attack):
    assert disagreements(attack, functional.play(attack)) == []


@pytest.mark.parametrize("attack", named(Family.ESCAPE))
def test_escaping(functional, attack):
    assert disagreements(attack, functional.play(attack)) == []


@pytest.mark.parametrize("attack", named(Family.BLIND))
def test_without_sight_of_the_defences(functional, attack):
    assert disagreements(attack, functional.play(attack)) == []


@pytest.mark.parametrize("attack", named(Family.EXHAUSTION))
def test_exhausting(functional, attack):
    assert disagreements(attack, functional.play(attack)) == []


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(a, id=a.name, marks=() if a.name in QUICK else pytest.mark.slow)
        for a in ATTACKS
        if a.family is Family.STATIC
    ],
)
def test_gaming_the_code_measures(code, attack):
    assert disagreements(attack, code.play(attack)) == []


@pytest.mark.parametrize(
    "attack", [pytest.param(a, id=a.name) for a in ATTACKS if a.family is Family.STATIC and a.name not in QUICK]
)
def test_gaming_the_code_measures_passes_no_more_tests(functional, attack):
    """The functional stage alone; the measures are compared in the slow test."""
    seen = functional.play(attack)
    assert (seen.outcome, set(seen.passed), seen.notes) == (Outcome.CONTAINED, attack.passed, ())


@pytest.mark.slow
def test_against_plain_pytest_the_classic_attacks_win():
    """Otherwise that they are contained would say nothing. The subject that is wrong without an attack does not win."""
    prefix = ordinary_user()
    if prefix is None:
        pytest.skip("root finds no way to be an ordinary user here")
    attacks = {attack.name: attack for attack in ATTACKS}
    with tempfile.TemporaryDirectory(prefix="qs-plain-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        won = {
            name: verdict_of(attacks[name], Path(folder, str(number)), prefix).is_won
            for number, name in enumerate(("nothing", *CLASSIC))
        }
    assert won == {"nothing": False, **dict.fromkeys(CLASSIC, True)}


@pytest.mark.slow
def test_without_a_sandbox_the_same_attacks_do_get_out(place):
    """Otherwise that nothing got out would say nothing. (Signals and other processes' environments are left out: the
    supervisor's own Landlock domain keeps them from a subject even then.)
    """
    ordinary = ordinary_user()
    if ordinary is None:
        pytest.skip("root finds no way to be an ordinary user here")
    names = [attack.name for attack in ATTACKS if attack.works_bare]
    hand_over(place)
    done = subprocess.run(
        [*ordinary, sys.executable, "-m", "attacks.bare", str(place), *names],
        env=surroundings(place),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert sorted(found) == sorted(names)
    assert {name: seen for name, seen in found.items() if not seen[0]} == {}
    assert "a socket of the host was reached" in found["connects to a port of the host"]
    assert "files of the host were changed" in found["writes outside of its scratch"]
