"""Processes that play attacks: as root, as an ordinary user, each with a deadline for every attack."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from attacks.corpus.attack import Attack, Outcome, Seen
from qualityscore.runtime.contention import stretch

REPOSITORY = Path(__file__).parents[2]
ORDINARY_UID = 64123  # nobody's, so that limits counted by user see only what a test starts
START_S = 180.0
DEADLINES_S = {"functional": 120.0, "code": 240.0, "all": 600.0}
"""On an idle host; on a busy one the stages' own deadlines are stretched, and these with them."""


def surroundings(place: Path) -> dict[str, str]:
    """The environment of every process that works in a place."""
    passed_on = {name: value for name, value in os.environ.items() if name.startswith(("PATH", "UV_", "PIP_", "SSL_"))}
    return {
        **passed_on,
        "PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'tests'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "QUALITYSCORE_CACHE": str(place / "cache"),
        "TMPDIR": str(place / "tmp"),
        "HOME": str(place / "home"),
        "LANG": "C.UTF-8",
    }


@functools.cache
def ordinary_user() -> tuple[str, ...] | None:
    """The beginning of a command that runs it as an ordinary user; None where root finds no way to become one.

    Folders on the way to the interpreter and to this checkout that are closed to others are covered, in a mount
    namespace of the command's own, by ones that show nothing else.
    """
    if os.geteuid() != 0:
        return ()
    tools = [shutil.which(name) for name in ("bwrap", "setpriv")]
    if None in tools:
        return None
    bwrap, setpriv = map(str, tools)
    needed = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.base_prefix).resolve(), REPOSITORY}
    cover: list[str] = []
    for path in sorted(needed):
        above = [folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001]
        if not above:
            continue
        if str(above[0]) not in cover:
            cover += ["--perms", "0755", "--tmpfs", str(above[0])]
        inner = [folder for folder in reversed(path.parents) if folder.is_relative_to(above[0]) and folder != above[0]]
        for folder in inner:
            cover += ["--perms", "0755", "--dir", str(folder)]
        cover += ["--ro-bind", str(path), str(path)]
    uid = str(ORDINARY_UID)
    change = (setpriv, f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all")
    command = (bwrap, "--dev-bind", "/", "/", *cover, "--", *change, "--")
    check = subprocess.run(
        [*command, sys.executable, "-c", "import qualityscore.pipeline"],
        cwd="/",
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        check=False,
    )
    return command if check.returncode == 0 else None


def users() -> dict[str, tuple[str, ...]]:
    """Who can play here: the beginning of the command for each."""
    ordinary = ordinary_user()
    return {
        **({"root": ()} if os.geteuid() == 0 else {}),
        **({"user": ordinary} if ordinary is not None else {}),
    }


def make_place(place: Path) -> Path:
    """Prepare a place that every user can work in."""
    place.mkdir(mode=0o755, parents=True, exist_ok=True)
    place.chmod(0o755)
    subprocess.run(
        [sys.executable, "-m", "attacks.play", "prepare", str(place)], env=surroundings(place), cwd="/", check=True
    )
    return place


def hand_over(place: Path) -> None:
    """Give a place, as root, to the ordinary user."""
    if os.geteuid() == 0:
        for path in (place, *place.rglob("*")):
            os.chown(path, ORDINARY_UID, ORDINARY_UID, follow_symlinks=False)


class Players:
    """One process that plays attacks in a place as one user, started again when an attack hangs it."""

    def __init__(self, place: Path, stages: str, user: str) -> None:
        self._prefix = users()[user]
        self._place = place
        self._stages = stages
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()
        if self._prefix:
            hand_over(place)

    def play(self, attack: Attack) -> Seen:
        """Evaluate an attack; what takes too long, or kills the process, is seen as that."""
        first = self._process is None
        process = self._running()
        try:
            process.stdin.write(attack.name + "\n")
            process.stdin.flush()
            patience_s = DEADLINES_S[self._stages] + (START_S if first else 0.0)
            line = self._lines.get(timeout=patience_s * stretch())
        except (queue.Empty, OSError):
            self.close()
            return Seen(outcome=Outcome.HUNG)
        if not line:
            self.close()
            return Seen(outcome=Outcome.BROKE, notes=("the evaluating process ended",))
        found = json.loads(line)
        return Seen(**{name: tuple(value) if isinstance(value, list) else value for name, value in found.items()})

    def close(self) -> None:
        """End the process and everything below it."""
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process = None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._lines = queue.Queue()
            self._process = subprocess.Popen(
                [*self._prefix, sys.executable, "-m", "attacks.play", self._stages, str(self._place)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=surroundings(self._place),
                cwd="/",
                text=True,
                start_new_session=True,
            )
            threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()
        return self._process


def _read(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    for line in process.stdout:
        lines.put(line)
    lines.put("")


@contextlib.contextmanager
def playing(place: Path, stages: str, user: str) -> Iterator[Players]:
    """Players that are closed at the end."""
    players = Players(place, stages, user)
    try:
        yield players
    finally:
        players.close()
