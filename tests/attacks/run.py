"""The table of the corpus: attack, expected, seen.

Run as `PYTHONPATH=.:tests python -m attacks.run [--stages functional|code|all] [--user root|user|both] [--plain]
[--resume FILE] [NAME ...]` (a NAME is an attack, or a family). Exits with 1 when anything came out otherwise than it
must. With `--resume`, what is seen is appended to the file, as a line of JSON, and what stands there is shown and not
played again: a run that was interrupted goes on with the same command. With `--plain`, attacks on the machinery are
played, as an ordinary user, against plain pytest instead: the table says which of them win there.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from attacks.corpus import ATTACKS, ELSEWHERE
from attacks.corpus.attack import Attack, Elsewhere, Family, Outcome, Seen, disagreements
from attacks.plain import UNFIT, verdict_of
from attacks.play import STAGES
from attacks.players import REPOSITORY, Players, hand_over, make_place, ordinary_user, playing, surroundings, users
from raw_rows import RawRows, resume


def main() -> int:
    """Play what was named, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--stages", choices=sorted(STAGES), default="functional")
    parser.add_argument("--user", choices=("root", "user", "both"), default="both")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--resume", type=Path, metavar="FILE")
    options = parser.parse_args()
    known = {row.name for row in (*ATTACKS, *ELSEWHERE)} | set(Family)
    if strangers := set(options.names) - known:
        parser.error(f"there is no attack and no family {sorted(strangers)[0]!r}")

    def is_wanted(row: Attack | Elsewhere) -> bool:
        return not options.names or row.name in options.names or row.family in options.names

    chosen = [attack for attack in ATTACKS if is_wanted(attack)]
    others = [row for row in ELSEWHERE if is_wanted(row) and (options.names or options.stages == "all")]
    if options.plain:
        return _play_plainly([attack for attack in chosen if attack.family is Family.MACHINERY])
    able = users()
    wanted = ("root", "user") if options.user == "both" else (options.user,)
    unable = [user for user in wanted if user not in able]
    for user in unable:
        sys.stdout.write(f"!! nothing is played as {user}: nobody here can; see attacks.players.ordinary_user\n")
    rows = resume(options.resume)
    wrong = played = 0
    with tempfile.TemporaryDirectory(prefix="qs-attacks-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        place = make_place(Path(folder, "place"))
        for user in (user for user in wanted if user in able):
            sys.stdout.write(f"\n{options.stages}, as {user}\n{'attack':<52} {'family':<11} {'expected':<10} seen\n")
            with playing(place, options.stages, user) as players:
                for attack in chosen:
                    play = functools.partial(_played, players, attack)
                    seen = Seen(**_once(rows, (options.stages, user, attack.name), play))
                    bad = disagreements(attack, seen)
                    played += 1
                    wrong += bool(bad)
                    _show(attack, seen.outcome, f"{seen.duration_s:5.1f} s", bad)
            if able[user]:
                hand_over(place)
            for node, tests in itertools.groupby(sorted(others, key=lambda row: row.node), lambda row: row.node):
                run = functools.partial(_trouble, able[user], place, node)
                bad = _once(rows, (options.stages, user, node), run)["trouble"]
                for row in tests:
                    played += 1
                    wrong += bool(bad)
                    _show(row, Outcome.GAINED if bad else row.expected, f"by {Path(node.partition('::')[0]).name}", bad)
    sys.stdout.write(f"\n{len(chosen) + len(others)} attacks, {played} outcomes, {wrong} otherwise than they must\n")
    return int(wrong > 0 or bool(unable))


def _once(rows: RawRows, key: tuple[str, str, str], play: Callable[[], dict[str, object]]) -> dict[str, object]:
    """What was seen under this key (stages, user, name): as the rows tell, or else now, which makes a row."""
    for row in rows.rows:
        if (row["stages"], row["user"], row["name"]) == key:
            return row["seen"]
    stages, user, name = key
    seen = play()
    rows.append({"stages": stages, "user": user, "name": name, "seen": seen})
    return seen


def _played(players: Players, attack: Attack) -> dict[str, object]:
    return dataclasses.asdict(players.play(attack))


def _play_plainly(attacks: Sequence[Attack]) -> int:
    prefix = ordinary_user()
    if prefix is None:
        sys.stdout.write("!! nothing is played: root finds no way to be an ordinary user here\n")
        return 1
    fit = [attack for attack in attacks if attack.name not in UNFIT]
    won = 0
    with tempfile.TemporaryDirectory(prefix="qs-plain-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        for number, attack in enumerate(fit):
            verdict = verdict_of(attack, Path(folder, str(number)), prefix)
            won += verdict.is_won
            said = "no end" if verdict.status is None else f"status {verdict.status}, {verdict.passed} passed"
            sys.stdout.write(f"{attack.name[:52]:<52} {'wins' if verdict.is_won else 'fails':<6} {said}\n")
            sys.stdout.flush()
    sys.stdout.write(f"\n{won} of {len(fit)} attacks win against plain pytest\n")
    return 0


def _trouble(prefix: tuple[str, ...], place: Path, node: str) -> dict[str, object]:
    """Under `trouble`, what is wrong with a test of another folder that must pass: it fails, or it is not run."""
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", node],
        env=surroundings(place),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout.strip().rpartition("\n")[2]
    if done.returncode == 0 and re.search(r"\b\d+ passed", said) and "skipped" not in said:
        return {"trouble": []}
    return {"trouble": [f"{node}: {said or done.stderr[-200:]}"]}


def _show(row: Attack | Elsewhere, seen: str, how: str, bad: list[str]) -> None:
    line = f"{row.name[:52]:<52} {row.family:<11} {row.expected:<10} {seen:<10} {how}"
    sys.stdout.write(f"{line}{'  !! ' + '; '.join(bad) if bad else ''}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
