"""Which folders of the system's programs a sandbox covers."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from qualityscore.runtime.sandbox.scenery import python_places


def test_programs_that_bring_python_code_are_covered_and_what_the_runtime_needs_is_not(tmp_path):
    for name in (
        "lib/suite/third_party/cachetools/__init__.py",
        "lib/wheels/a-1.0-py3-none-any.whl",
        "lib/compiled/deep/er/a.pyc",
        "lib/snake/lib/python3/dist-packages/x.txt",
        "lib/x86_64-linux-gnu/office/program/a.py",
        "lib/x86_64-linux-gnu/libc.so.6",
        "lib/git-core/git",
        "lib/python3.11/json/__init__.py",
        "lib64/python3/a.py",
        "lib64/other/a.py",
        "libexec/valgrind/valgrind-monitor.py",
        "share/zoneinfo/UTC",
        "share/debugger/python/a.py",
        "share/python3/debpython/a.py",
        "share/a.py",
        "share/locale/de/words.mo",
        "share/noarch.whl",
        "a.py",
        "bin/a.py",
        "bin/a",
        "lib/a.pyc",
        "lib/x86_64-linux-gnu/a.py",
        "opt/program/a.py",
        "local/program/a.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "lib" / "alias").symlink_to("suite")
    (tmp_path / "bin" / "alias.py").symlink_to("a")
    covered = [folder.removeprefix(f"{tmp_path}/") for folder in python_places(tmp_path)]
    assert covered == [
        "a.py",
        "bin/a.py",
        "lib/a.pyc",
        "lib/compiled",
        "lib/snake",
        "lib/suite",
        "lib/wheels",
        "lib/x86_64-linux-gnu/a.py",
        "lib/x86_64-linux-gnu/office",
        "lib64/other",
        "opt/program",
        "share/a.py",
        "share/debugger",
        "share/noarch.whl",
        "share/python3",
    ]


def test_a_folder_that_may_not_be_read_is_passed_over():
    """As /usr/lost+found is where /usr is a file system of its own, and we are not root."""
    own = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        area = Path(name)
        area.chmod(0o755)
        (area / "lost+found").mkdir(mode=0)
        (area / "bin").mkdir()
        (area / "bin/tool.py").touch()
        try:
            os.seteuid(own or 65534)
            assert python_places(area) == (f"{name}/bin/tool.py",)
        finally:
            os.seteuid(own)
