"""What reaches a terminal, a pipe and nobody: colours and width follow it, NO_COLOR holds, quiet is quiet."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EMIT = """
import sys
sys.path.insert(0, {tests!r})
from sample_reports import report
from qualityscore.commands.evaluate import _emit
_emit(report(), (), quiet={quiet})
"""
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def environment(**changes):
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR")}
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", **changes}


def program(*, quiet=False):
    return [sys.executable, "-c", EMIT.format(tests=str(ROOT / "tests"), quiet=quiet)]


def in_terminal(columns, **changes):
    """What a program writes to a terminal of that width."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    ran = subprocess.Popen(
        program(), stdin=slave, stdout=slave, stderr=slave, env=environment(**changes), start_new_session=True
    )
    os.close(slave)
    written = bytearray()
    while True:
        try:
            part = os.read(master, 65_536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(master)
    assert ran.wait(timeout=60) == 0
    return written.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [72, 100, 132])
def test_a_terminal_gets_colours_and_its_own_width(columns):
    text = in_terminal(columns)
    assert ESCAPE.search(text)
    lines = ESCAPE.sub("", text).splitlines()
    assert max(map(len, lines)) <= columns
    assert "a-model against cachetools" in lines[0]


def test_no_color_is_respected_in_a_terminal():
    assert not ESCAPE.search(in_terminal(100, NO_COLOR="1"))
    assert ESCAPE.search(in_terminal(100, NO_COLOR=""))  # empty counts as not set (no-color.org)


def test_a_pipe_gets_no_colours():
    ran = subprocess.run(program(), env=environment(), capture_output=True, text=True, check=True)
    assert "a-model against cachetools" in ran.stdout
    assert not ESCAPE.search(ran.stdout)


def test_quiet_writes_nothing():
    ran = subprocess.run(program(quiet=True), env=environment(), capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("", "")
