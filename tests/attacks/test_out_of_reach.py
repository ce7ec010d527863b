"""The installed reference, in whose stead nobody can put it: it is nowhere in the sandbox of a subject."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from qualityscore import evaluate
from qualityscore.errors import SandboxUnavailableError
from qualityscore.model.outcome import TestOutcome
from qualityscore.runtime import reference, tasks
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox.select import select

FINDER = '''
"""Looks for the distribution that it is named like, and would be it."""


def by_import():
    """The module of that name which is not this one."""
    import importlib
    import os
    import sys

    own, path = sys.modules.pop("cachetools", None), sys.path[:]
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[:] = [folder for folder in path if folder != above]
    try:
        module = importlib.import_module("cachetools")
        return module.__file__ if hasattr(module, "LRUCache") else None
    except ImportError:
        return None
    finally:
        sys.path[:] = path
        sys.modules.pop("cachetools", None)
        if own is not None:
            sys.modules["cachetools"] = own


def by_metadata():
    """The file of an installed distribution of that name."""
    import importlib.metadata

    try:
        return str(importlib.metadata.distribution("cachetools").locate_file("cachetools/__init__.py"))
    except importlib.metadata.PackageNotFoundError:
        return None


def by_path():
    """The package in a folder of the path, or in an archive beside one."""
    import os
    import sys

    for folder in [*sys.path, *map(os.path.dirname, sys.path), sys.prefix, sys.base_prefix]:
        for above, _, names in os.walk(folder) if os.path.isdir(folder) else ():
            if is_it(above, names):
                return above
    return None


def by_search():
    """The package, its metadata or an archive of it anywhere."""
    import os

    for top in sorted(os.listdir("/")):
        for above, folders, names in os.walk("/" + top) if top not in ("proc", "sys") else ():
            if is_it(above, names) or any(name.startswith("cachetools-") for name in (*folders, *names)):
                return above
    return None


def is_it(folder, names):
    """Whether a folder holds the reference's code, in whatever name."""
    import os

    if "__init__.py" not in names or folder == os.path.dirname(os.path.abspath(__file__)):
        return False
    try:
        with open(os.path.join(folder, "__init__.py"), errors="replace") as file:
            return "class LRUCache(" + "Cache)" in file.read()
    except OSError:
        return False


WAYS = (by_import, by_metadata, by_path, by_search)
'''
SUBJECT = (
    FINDER
    + """
found = {way.__name__: way() for way in WAYS}
raise RuntimeError("FOUND" if any(found.values()) else "found nothing", found)
"""
)


def test_the_reference_is_nowhere_to_be_found(tmp_path: Path):
    """By import, by its metadata, on the path, and by a search of all files."""
    try:
        select()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    (tmp_path / "subject" / "cachetools").mkdir(parents=True)
    (tmp_path / "subject" / "cachetools" / "__init__.py").write_text(SUBJECT)
    report = evaluate(tmp_path / "subject", task="cachetools", only=("functional",))
    assert report.functional.tests
    assert {test.outcome for test in report.functional.tests} <= {TestOutcome.FAILED}
    said = {test.failure.message for test in report.functional.tests if test.failure}
    assert all("found nothing" in message and "FOUND" not in message for message in said), said


def test_where_the_reference_is_installed_each_way_finds_it(tmp_path: Path):
    """Otherwise that nothing is found would say nothing."""
    task = tasks.load_task("cachetools")
    source = reference.fetch(task, cache_root()) / "src"
    installed = tmp_path / "site-packages"
    (installed / "cachetools-1.0.dist-info").mkdir(parents=True)
    (installed / "cachetools-1.0.dist-info" / "METADATA").write_text("Name: cachetools\nVersion: 1.0\n")
    shutil.copytree(source / "cachetools", installed / "cachetools")
    (tmp_path / "subject").mkdir()
    (tmp_path / "subject" / "finder.py").write_text(FINDER)
    code = (
        f"import sys; sys.path[:] = [{str(tmp_path / 'subject')!r}, {str(installed)!r}, *sys.path]\n"
        "import json, os, finder\n"
        f"real = os.listdir; os.listdir = lambda at: [{str(tmp_path)[1:]!r}] if at == '/' else real(at)\n"
        "print(json.dumps([way() is not None for way in finder.WAYS]))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [True] * 4
