"""Evaluating one attack after the other, for real, and seeing what became of each.

A place is a folder with everything that the evaluations need: the small task with its snapshot, a cache with the
task's environment, a temporary folder and a home. `python -m attacks.play prepare PLACE` makes one;
`python -m attacks.play STAGES PLACE` reads names of attacks from standard input, one a line, and answers each with a
line of JSON. Both need the environment that `attacks.players.surroundings` gives.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
import time
import traceback
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from attacks.corpus import ATTACKS, CARELESS
from attacks.corpus.attack import NONE, TESTS, Attack, Base, Outcome, Seen
from attacks.watch import Watch, digest_of
from qualityscore import evaluate
from qualityscore.catalog import RENDERERS
from qualityscore.errors import InputError
from qualityscore.model.codec import dump
from qualityscore.model.measure import Fault
from qualityscore.model.outcome import TestOutcome
from qualityscore.model.report import Report, Status
from qualityscore.runtime import environment, tasks
from qualityscore.snapshots import take_snapshot

TASK = Path(__file__).with_name("task")
STAGES: dict[str, tuple[str, ...] | None] = {
    "functional": ("functional",),
    "code": ("functional", "maintainability", "security", "robustness"),
    "all": None,
}
TOLERANCE = 0.005
"""How far a score may lie above that of the honest base before it counts as gained."""

_SHORT = {full: short for short, full in TESTS.items()}
_OBEYED = frozenset({"Cc", "Cf", "Cs"})  # Unicode categories that a terminal or a browser acts upon


def prepare(place: Path) -> None:
    """Fill a new place; takes about ten seconds."""
    for name in ("cache", "tmp", "home", "repos"):
        (place / name).mkdir(parents=True, exist_ok=True)
    shutil.copytree(TASK, place / "task", ignore=shutil.ignore_patterns("__pycache__"))
    snapshot = take_snapshot(str(place / "task"))
    loaded = tasks.load_task(str(place / "task"))
    tasks.snapshot_path(loaded, environment.python_minor()).write_text(dump(snapshot), "utf-8")


class Player:
    """Evaluates attacks in a place, with the same stages for all."""

    def __init__(self, place: Path, stages: str) -> None:
        self._place = place
        self._stages = stages
        self._watch = Watch(place)
        self._bases: dict[Base, Report] = {}
        self._count = 0
        self._evaluate(self._write(CARELESS))  # so that what we start once is known before the first attack
        self._watch.settle()
        self._watch.traces()

    def close(self) -> None:
        """End what the watch began."""
        self._watch.close()

    def play(self, attack: Attack) -> Seen:
        """Evaluate an attack; anything may come of it but an exception."""
        root = self._write(attack)
        before = digest_of(root)
        began = time.monotonic()
        try:
            report = self._evaluate(root, code=bool(attack.at_most))
        except InputError as refusal:
            seen = Seen(outcome=Outcome.REFUSED, notes=(str(refusal),))
        except Exception:
            seen = Seen(outcome=Outcome.BROKE, notes=(traceback.format_exc()[-600:],))
        else:
            seen = self._seen(attack, report)
        duration_s = time.monotonic() - began
        traces = self._watch.traces()
        if digest_of(root) != before:
            traces.append("the repository was changed")
        if traces:
            seen = dataclasses.replace(seen, outcome=Outcome.ESCAPED, notes=(*seen.notes, *traces))
        shutil.rmtree(root, ignore_errors=True)
        return dataclasses.replace(seen, duration_s=round(duration_s, 2))

    def _write(self, attack: Attack) -> Path:
        self._count += 1
        root = self._place / "repos" / f"{os.getpid()}-{self._count}"
        attack.write(root, self._watch.facts)
        return root

    def _evaluate(self, root: Path, *, code: bool = False) -> Report:
        stages = "code" if code and self._stages == "functional" else self._stages
        return evaluate(root, task=str(self._place / "task"), only=STAGES[stages])

    def _base(self, base: Base) -> Report:
        if base not in self._bases:
            self._bases[base] = self._evaluate(self._write(CARELESS))
        return self._bases[base]

    def _seen(self, attack: Attack, report: Report) -> Seen:
        passed = frozenset(_SHORT[t.id] for t in report.functional.tests if t.outcome is TestOutcome.PASSED)
        broken = [*_harness_faults(report), *_obeyed(report)]
        gained = list(self._gains(attack, report, passed))
        listed = _listed(report)
        if broken:
            outcome = Outcome.BROKE
        elif report.status is Status.TAMPERED:
            outcome = Outcome.TAMPERED
            gained = [f"{name} is {score}" for name, score in scores_of(report).items() if score]
        else:
            outcome = Outcome.DETECTED if attack.listed & listed or report.evidence else Outcome.CONTAINED
        if gained and not broken:
            outcome = Outcome.GAINED
        return Seen(
            outcome=outcome,
            passed=tuple(sorted(passed)),
            listed=tuple(sorted(listed)),
            places=tuple(sorted({item.location.path for item in report.evidence if item.location})),
            endings=tuple(sorted({t.failure.subclass for t in report.functional.tests if t.failure})),
            scores=scores_of(report),
            notes=(*broken, *gained),
        )

    def _gains(self, attack: Attack, report: Report, passed: frozenset[str]) -> Iterator[str]:
        """What is better than deserved."""
        if undeserved := passed - attack.passed:
            yield f"passed {sorted(undeserved)}"
        scores = scores_of(report)
        if attack.passed == NONE and attack.base is Base.NOTHING:
            yield from (f"{name} is {score}" for name, score in scores.items() if score)
        for name, most in attack.at_most.items():
            if (mine := scores.get(name)) is None or mine > most + TOLERANCE:
                yield f"{name} is {mine}, at most {most} is deserved"
        if attack.base is not Base.NOTHING:
            for name, score in scores_of(self._base(attack.base)).items():
                mine = scores[name]
                if mine is not None and score is not None and mine > score + TOLERANCE:
                    yield f"{name} is {mine:.3f}, {score:.3f} without it"


def scores_of(report: Report) -> dict[str, float | None]:
    """The scores that a cheat is after; costs are left out, since they vary."""
    names = ("maintainability", "security", "robustness")
    scores = {"functional": report.functional.score, "credibility": report.credibility.score}
    return {**scores, **{name: report.dimensions[name].score for name in names if name in report.dimensions}}


def _listed(report: Report) -> frozenset[str]:
    """Evidence kinds, finding codes, suppressions' texts, and the kinds of what was not copied."""
    return frozenset(
        {item.kind for item in report.evidence}
        | {finding.code for finding in report.findings}
        | {suppression.text for suppression in report.suppressions}
    )


def _harness_faults(report: Report) -> list[str]:
    return [f"{f.stage}: {f.reason}" for f in report.faults if f.fault is not Fault.SUBJECT]


def _obeyed(report: Report) -> list[str]:
    """Formats in which something of the report would be obeyed rather than shown."""
    found = []
    for name, render in RENDERERS.items():
        text = render(report)
        acting = {f"U+{ord(ch):04X}" for ch in text if ch != "\n" and unicodedata.category(ch) in _OBEYED}
        if acting:
            found.append(f"{name} holds {sorted(acting)}")
        if "html" in name and "<script>alert(1)" in text:
            found.append(f"{name} holds a script of the subject's")
    return found


def main() -> None:
    """Make a place, or answer names of attacks until the input ends."""
    what, place = sys.argv[1], Path(sys.argv[2])
    if what == "prepare":
        prepare(place)
        return
    attacks = {attack.name: attack for attack in ATTACKS}
    player = Player(place, what)
    try:
        for line in sys.stdin:
            seen = player.play(attacks[line.rstrip("\n")])
            sys.stdout.write(json.dumps(dataclasses.asdict(seen)) + "\n")
            sys.stdout.flush()
    finally:
        player.close()


if __name__ == "__main__":
    main()
