"""Programs of the suite: scripts that import the subject and run as processes of their own."""

import os
import subprocess
import sys
import textwrap

import pytest

# Compiling the subject is half of a run; what a script's first run compiled is kept for its others. The standard library
# is compiled already, elsewhere.
LOADED_BEFORE = """\
import collections, contextlib, dataclasses, datetime, enum, functools, gettext, inspect, io, itertools, os, re, shutil
import sys, textwrap, threading, types, typing, uuid, weakref
sys.pycache_prefix, sys.dont_write_bytecode = {!r}, False
import click
sys.pycache_prefix, sys.dont_write_bytecode = None, True
"""


@pytest.fixture
def program(tmp_path):
    """A function that writes a script `tool.py`; what it gives runs the script and tells status, output and errors."""

    def write(source):
        script = tmp_path / "tool.py"
        (tmp_path / "loaded_before.py").write_text(LOADED_BEFORE.format(str(tmp_path / "compiled")), encoding="utf-8")
        script.write_text("import loaded_before\nimport click\n" + textwrap.dedent(source), encoding="utf-8")

        def run(*arguments, stdin="", **variables):
            environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
            environment.update(variables, PYTHONIOENCODING="utf-8", COLUMNS="80")
            done = subprocess.run(
                [sys.executable, str(script), *arguments],
                input=stdin.encode(),
                capture_output=True,
                env=environment,
                cwd=tmp_path,
                timeout=60,
                check=False,
            )
            return done.returncode, done.stdout.decode(), done.stderr.decode()

        return run

    return write
