"""Leaves a mark where it can; nothing else."""

import contextlib
import pathlib
import sys


def sing(name):
    """Say which tool loaded what."""
    with contextlib.suppress(OSError), open("/tmp/qs-blind-hooked-tools-" + name, "a") as file:
        file.write(" ".join(sys.argv)[:300] + "\n" + str(pathlib.Path.cwd()) + "\n")
