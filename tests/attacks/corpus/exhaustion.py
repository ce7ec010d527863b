"""Using everything up. Most strike in one test only, and the other tests must pass as if nothing had been."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

from attacks.corpus.attack import ALL, MARK, NONE, Attack, Elsewhere, Family, Outcome
from attacks.corpus.escape import HONEST, RIGHT

OTHERS = ALL - {"value"}


def _once(
    name: str, code: str, endings: frozenset[str], *, passed: frozenset[str] = OTHERS, listed: frozenset[str] = NONE
) -> Attack:
    """`code` defines `strike()`, which is called in one test."""
    entry = "\ndef entry(text):\n    if text == 'first':\n        strike()\n    return right(text)\n"
    return Attack(
        name=name,
        family=Family.EXHAUSTION,
        files={"m.py": RIGHT + code + entry},
        endings=endings,
        passed=passed,
        listed=listed,
        expected=Outcome.DETECTED if listed else Outcome.CONTAINED,
    )


def _repository(name: str, build: Callable[[Path], None], expected: Outcome = Outcome.CONTAINED) -> Attack:
    """A repository that is hard to take in around an honest module."""
    passed = ALL if expected is Outcome.CONTAINED else NONE
    files = {"m.py": HONEST}
    return Attack(name=name, family=Family.EXHAUSTION, files=files, build=build, expected=expected, passed=passed)


def _answers(name: str, body: str, endings: frozenset[str]) -> Attack:
    """A subject whose every answer is hard to take in."""
    files = {"m.py": f"def entry(text):\n{body}\n"}
    return Attack(name=name, family=Family.EXHAUSTION, files=files, endings=endings)


def _many_files(root: Path) -> None:
    (root / "many").mkdir()
    for number in range(20_050):
        (root / "many" / f"{number}.py").touch()


def _sparse(root: Path) -> None:
    for number in range(20):
        with (root / f"data{number}.bin").open("wb") as file:
            file.truncate(31 << 20)


def _one_huge_file(root: Path) -> None:
    with (root / "data.py").open("wb") as file:
        file.truncate(8 << 30)


def _deep(root: Path) -> None:
    folder = root
    for _ in range(100):
        folder = folder / "d"
        folder.mkdir()
    (folder / "x.py").touch()


def _bombs(root: Path) -> None:
    zeros = bytes(64 << 20)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"{number}.bin", zeros)
        archive.writestr(f"../../../../tmp/{MARK}", "slipped")
    (root / "data.zip").write_bytes(inner.getvalue())
    (root / "package.whl").write_bytes(inner.getvalue())
    (root / "data.json.gz").write_bytes(gzip.compress(zeros))


def _hard_source(root: Path) -> None:
    (root / "wide.py").write_text("X = " + " + ".join(["1"] * 50_000) + "\n")
    (root / "deep.py").write_text("X = " + "(" * 5_000 + ")" * 5_000 + "\n")
    (root / "long.py").write_text("X = [\n" + "    1,\n" * 200_000 + "]\n")


ATTACKS = (
    _once(
        "fork bomb",
        """
import os
def strike():
    while True:
        try:
            os.fork()
        except OSError:
            pass
""",
        frozenset({"hang", "memory", "crash", "exit"}),
    ),
    _once(
        "thread bomb",
        """
import threading, time
def strike():
    while True:
        try:
            threading.Thread(target=time.sleep, args=(600,)).start()
        except RuntimeError:
            pass
""",
        frozenset({"hang", "memory", "crash", "exit"}),
    ),
    _once(
        "memory bomb",
        """
def strike():
    held = []
    while True:
        held.append(bytearray(16 << 20))
""",
        frozenset({"memory"}),
    ),
    _once(
        "memory bomb of many processes",
        """
import os, time
def strike():
    for _ in range(20):
        if os.fork() == 0:
            held = bytearray(b"x") * (100 << 20)
            time.sleep(600)
    time.sleep(600)
""",
        frozenset({"memory"}),
    ),
    _once(
        "filling shared memory",
        """
def strike():
    for number in range(64):
        with open(f"/dev/shm/{number}", "wb") as file:
            file.write(bytes(16 << 20))
""",
        frozenset({"unexpected_exception"}),
    ),
    _once(
        "filling the disk",
        """
def strike():
    for number in range(64):
        with open(f"/tmp/{number}", "wb") as file:
            file.write(bytes(16 << 20))
""",
        frozenset({"unexpected_exception"}),
    ),
    _once(
        "filling the table of files",
        """
import os
def strike():
    number = 0
    while True:
        number += 1
        os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
""",
        frozenset({"memory", "hang", "unexpected_exception"}),
    ),
    _once(
        "output without end",
        """
def strike():
    while True:
        print("x" * 100_000)
""",
        frozenset({"hang"}),
    ),
    _once(
        "messages without end",
        """
import os, socket, stat
def strike():
    for name in os.listdir("/proc/self/fd"):
        try:
            if stat.S_ISSOCK(os.stat(int(name)).st_mode):
                end = socket.socket(fileno=os.dup(int(name)))
                while True:
                    end.send(b"M" + (30_000).to_bytes(4, "big") + bytes(30_000))
        except OSError:
            continue
""",
        frozenset({"memory", "crash", "exit"}),
        listed=frozenset({"several_messages"}),
    ),
    _once(
        "all descriptors",
        """
import os
kept = []
def strike():
    while True:
        kept.append(os.open("/dev/null", os.O_RDONLY))
""",
        frozenset({"unexpected_exception", "exit"}),
    ),
    _once(
        "closing all descriptors",
        """
import os
def strike():
    os.closerange(0, 4096)
""",
        frozenset({"exit"}),
    ),
    _once("recursion without end", "\ndef strike():\n    strike()\n", frozenset({"recursion"})),
    _once(
        "recursion below the interpreter",
        """
import sys
def strike():
    sys.setrecursionlimit(2**31 - 1)
    value = None
    for _ in range(1_000_000):
        value = (value,)
    hash(value)
""",
        frozenset({"crash", "memory", "unexpected_exception", "recursion"}),
    ),
    _once(
        "a loop that hears no signal",
        """
import re, signal
def strike():
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    re.match("(a+)+$", "a" * 60 + "b")
""",
        frozenset({"hang"}),
    ),
    _once(
        "stopping itself",
        """
import os, signal
def strike():
    os.kill(os.getpid(), signal.SIGSTOP)
""",
        frozenset({"hang"}),
    ),
    _once(
        "killing everything it may",
        """
import os, signal
def strike():
    os.kill(-1, signal.SIGKILL)
""",
        NONE,
        passed=ALL,
    ),
    _once(
        "removing the scratch",
        """
import os, shutil
def strike():
    for folder in (os.getcwd(), os.environ["HOME"], "/tmp", "/dev/shm"):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            os.chmod(folder, 0)
        except OSError:
            pass
    os._exit(9)
""",
        frozenset({"exit"}),
    ),
    _once(
        "lowering its own limits and mask",
        """
import os, resource
def strike():
    os.umask(0o777)
    os.nice(19)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
""",
        NONE,
        passed=ALL,
    ),
    _answers(
        "an answer that is nested without end",
        "    value = []\n    for _ in range(200_000):\n        value = [value]\n    return value",
        frozenset({"wrong_value", "wrong_exception", "recursion", "crash", "unexpected_exception"}),
    ),
    _answers(
        "an answer that holds itself",
        "    value = []\n    value.append(value)\n    return value",
        frozenset({"wrong_value", "wrong_exception"}),
    ),
    _answers(
        "a number with a million digits",
        "    return 10 ** 1_000_000",
        frozenset({"wrong_value", "wrong_exception", "unexpected_exception"}),
    ),
    _answers(
        "a text of two hundred megabytes",
        "    return 'x' * 200_000_000",
        frozenset({"wrong_value", "wrong_exception", "memory", "exit"}),
    ),
    _answers(
        "a mapping without end",
        "    class Endless(dict):\n"
        "        def items(self):\n"
        "            number = 0\n"
        "            while True:\n"
        "                number += 1\n"
        "                yield number, number\n"
        "    return Endless(a=1)",
        frozenset({"wrong_value", "wrong_exception", "memory", "hang", "unexpected_exception"}),
    ),
    Attack(
        name="fork bomb at import",
        family=Family.EXHAUSTION,
        files={"m.py": "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n"},
    ),
    Attack(
        name="memory bomb at import",
        family=Family.EXHAUSTION,
        files={"m.py": "held = []\nwhile True:\n    held.append(bytearray(16 << 20))\n"},
    ),
    _repository("archives that burst", _bombs),
    _repository("sources that are hard to parse", _hard_source),
    _repository("too many files", _many_files, Outcome.REFUSED),
    _repository("too many bytes", _sparse, Outcome.REFUSED),
    _repository("a file of eight gibibytes", _one_huge_file),
    _repository("too many folders in each other", _deep, Outcome.REFUSED),
)


def _row(name: str, node: str) -> Elsewhere:
    return Elsewhere(name=name, family=Family.EXHAUSTION, node=node, expected=Outcome.REFUSED)


_ARCHIVES = "tests/unit/runtime/test_archives.py::test_"
ROWS = (
    _row("a gzip bomb", f"{_ARCHIVES}a_gzip_bomb_is_stopped_at_the_limit"),
    _row("a bomb in an extended header", f"{_ARCHIVES}a_bomb_in_an_extended_header_is_not_read_into_memory"),
    _row("a zip bomb", f"{_ARCHIVES}a_zip_bomb_is_stopped_at_the_limit_whatever_its_headers_say"),
    _row("a zip of too many members", f"{_ARCHIVES}a_zip_with_too_many_members_is_refused_before_they_are_read"),
    _row(
        "a bomb in the sdist of a reference",
        "tests/unit/runtime/test_reference_archive.py::test_a_bomb_stops_at_the_limit",
    ),
    _row("a bomb sent to the service", "tests/backend/test_service.py::test_bombs_and_damaged_archives_are_refused"),
    _row(
        "a bomb in a row of a batch",
        "tests/backend/test_batch.py::test_archives_that_climb_or_burst_are_refused_and_leave_nothing",
    ),
)
"""Bombs that are unpacked, which are tests of the parts that unpack."""
