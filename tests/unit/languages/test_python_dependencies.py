"""Declared distributions, on manifests written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from qualityscore.languages.python_dependencies import COMPUTED, declared_distributions


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "requirements.txt",
            "Flask>=2  # web\n\nPyYAML==6 ; python_version < '4'\nzope.interface[test]\n",
            "flask pyyaml zope-interface",
        ),
        ("requirements-dev.txt", "-r requirements.txt\n", COMPUTED),
        ("requirements.txt", "pkg @ file:///x\nhttps://example.org/x.whl\n", f"pkg {COMPUTED}"),
        (
            "pyproject.toml",
            '[project]\ndependencies = ["A_b>1"]\n[project.optional-dependencies]\nx = ["c"]\n',
            "a-b c",
        ),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3"\nrich = "*"\n', "rich"),
        ("pyproject.toml", '[project]\ndynamic = ["dependencies"]\n', COMPUTED),
        ("pyproject.toml", "not = [toml", COMPUTED),
        ("setup.cfg", "[options]\ninstall_requires =\n    attrs\n    six>1\n", "attrs six"),
        ("setup.py", "from setuptools import setup\nsetup(install_requires=['x', 'y>1'])\n", "x y"),
        ("setup.py", "setup(install_requires=read('r.txt'))\n", COMPUTED),
        ("setup.py", "raise SystemExit('ran')\n", ""),
        ("Pipfile", "", COMPUTED),
        ("notes.txt", "flask\n", ""),
    ],
)
def test_manifests_are_read_and_never_run(tmp_path: Path, name: str, text: str, expected: str) -> None:
    (tmp_path / name).write_text(text)
    assert declared_distributions(tmp_path, [name]) == frozenset(expected.split())


def test_manifests_deep_in_the_tree_are_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "requirements.txt").write_text("flask\n")
    assert declared_distributions(tmp_path, ["a/b/requirements.txt"]) == frozenset()
