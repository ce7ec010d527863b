"""Programs of the suite: scripts that import the subject and run as processes of their own."""

import os
import subprocess
import sys
import textwrap

import pytest


@pytest.fixture
def program(tmp_path):
    """A function that writes a script `tool.py`; what it gives runs the script and tells status, output and errors."""

    def write(source):
        script = tmp_path / "tool.py"
        script.write_text("import click\n" + textwrap.dedent(source), encoding="utf-8")

        def run(*arguments, stdin="", **variables):
            environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
            environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what the second run imports is compiled by the first
            environment.update(variables, PYTHONIOENCODING="utf-8", COLUMNS="80")
            environment["PYTHONPYCACHEPREFIX"] = str(tmp_path / "compiled")
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
