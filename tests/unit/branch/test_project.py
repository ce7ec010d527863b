"""What a repository says about itself is read from its files and never run."""

from pathlib import Path

import pytest

from qualityscore.branch.poetry import poetry_range
from qualityscore.branch.project import _Reader
from qualityscore.branch.setup_script import setup_arguments


def read(folder: Path, files: dict[str, str]):
    """The project made of files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return _Reader(folder, tuple(sorted(files))).project()


def test_a_modern_project(tmp_path):
    project = read(
        tmp_path,
        {
            "pyproject.toml": """
        [project]
        name = "demo"
        version = "1.2"
        dependencies = ["attrs>=20"]
        [project.optional-dependencies]
        test = ["hypothesis"]
        docs = ["sphinx"]
        [project.scripts]
        demo = "demo.cli:main"
        [dependency-groups]
        tests = ["pytest>7", {include-group = "more"}]
        more = ["freezegun"]
        [tool.pytest.ini_options]
        addopts = "-ra --cov=demo"
        """,
            "src/demo/__init__.py": "",
        },
    )
    assert (project.name, project.version, project.packages, project.roots) == ("demo", "1.2", ("demo",), ("src", "."))
    assert project.requirements.lines == ("attrs>=20", "hypothesis", "pytest>7", "freezegun")
    assert (project.runner, project.config, project.pytest_words) == ("pytest", "pyproject.toml", "-ra --cov=demo")
    assert project.scripts == (("console_scripts", "demo", "demo.cli:main"),)


def test_a_pyproject_that_is_not_toml_is_damage(tmp_path):
    assert read(tmp_path / "whole", {"pyproject.toml": "[project]\nname = 'demo'\n"}).damage is None
    damage = read(tmp_path / "broken", {"pyproject.toml": "[project]\nname = 'demo'\n[[[\n"}).damage
    assert damage is not None
    assert damage.startswith("pyproject.toml is not TOML: ")
    assert "line 3" in damage


def test_an_old_project(tmp_path):
    project = read(
        tmp_path,
        {
            "setup.py": "from setuptools import setup\nneeds = ['six']\n"
            "setup(name='old', version='0.9', install_requires=needs, extras_require={'test': ['mock']})\n",
            "old.py": "x = 1\n",
            "test_old.py": "import unittest\nclass T(unittest.TestCase):\n    def test_x(self): pass\n",
        },
    )
    assert (project.name, project.version, project.packages) == ("old", "0.9", ("old",))
    assert project.requirements.lines == ("six", "mock")
    assert project.runner == "unittest"


def test_requirement_files_with_what_they_include(tmp_path):
    project = read(
        tmp_path,
        {
            "requirements.txt": "attrs==23.1.0 --hash=sha256:00  # why\n",
            "requirements/test.txt": "-r common.txt\n-c limits.txt\n-e .\n--index-url nowhere\ngit+ssh://x/y\npytest\n",
            "requirements/common.txt": "freezegun\n",
            "requirements/limits.txt": "pytest<8\n",
        },
    )
    assert project.requirements.lines == ("attrs==23.1.0", "freezegun", "pytest")
    assert project.requirements.constraints == ("pytest<8",)
    assert len(project.requirements.notes) == 3


def test_the_hashes_of_requirement_files_are_kept(tmp_path):
    first, second = (f"--hash=sha256:{letter * 64}" for letter in "ab")
    text = f"Attrs[all]==23.1.0 ; python_version > '3' \\\n    {second} \\\n    {first}\n    # via x\nsix==1.16.0\n"
    requirements = read(tmp_path, {"requirements.txt": text}).requirements
    assert requirements.lines == ("Attrs[all]==23.1.0 ; python_version > '3'", "six==1.16.0")
    assert requirements.hashed == (f"attrs==23.1.0 {first} {second}",)


def test_requirement_files_that_include_each_other_end(tmp_path):
    project = read(tmp_path, {"requirements.txt": "-r requirements.txt\nattrs\n"})
    assert project.requirements.lines == ("attrs",)


def test_developers_requirements_count_where_tests_have_none(tmp_path):
    project = read(tmp_path, {"pyproject.toml": '[project.optional-dependencies]\ndev = ["pytest", "black"]\n'})
    assert project.requirements.lines == ("pytest", "black")


def test_the_projects_own_extras_stand_for_what_they_hold(tmp_path):
    project = read(
        tmp_path,
        {
            "pyproject.toml": """
        [project]
        name = "Demo.Kit"
        dependencies = ["attrs"]
        [project.optional-dependencies]
        yaml = ["pyyaml"]
        everything = ["demo-kit[yaml, everything]", "six"]
        [dependency-groups]
        test = ["demo_kit[everything]", "pytest"]
        """
        },
    )
    assert project.requirements.lines == ("attrs", "pyyaml", "six", "pytest")


def test_what_poetry_takes_from_elsewhere_is_noted(tmp_path):
    text = '[tool.poetry.dependencies]\nattrs = "*"\nother = {git = "ssh://a/b"}\nbeside = {path = "../beside"}\n'
    requirements = read(tmp_path, {"pyproject.toml": text}).requirements
    assert requirements.lines == ("attrs",)
    assert [note.split("'")[1] for note in requirements.notes] == ["other @ ssh://a/b", "beside @ ../beside"]


def test_poetrys_optional_dependencies_count_where_an_extra_for_tests_names_them(tmp_path):
    text = """
        [tool.poetry.dependencies]
        Mock_Kit = {version = "^1", optional = true}
        sphinx = {version = "^7", optional = true}
        [tool.poetry.extras]
        test = ["mock-kit"]
        docs = ["sphinx"]
        """
    assert read(tmp_path, {"pyproject.toml": text}).requirements.lines == ("Mock_Kit>=1,<2",)


def test_the_version_of_a_source_release(tmp_path):
    project = read(
        tmp_path,
        {
            "PKG-INFO": "Metadata-Version: 2.1\nName: x\nVersion: 4.5.6\n",
            "pyproject.toml": '[project]\nname = "x"\ndynamic = ["version"]\n',
        },
    )
    assert project.version == "4.5.6"


@pytest.mark.parametrize("text", ["[project\n", "[" * 5000, "\0", "[project]\nname = 3\ndependencies = 'x'\n"])
def test_a_broken_pyproject_says_nothing(tmp_path, text):
    project = read(tmp_path, {"pyproject.toml": text})
    assert (project.name, project.requirements.lines) == (None, ())


def test_a_number_of_too_many_digits_costs_only_its_file(tmp_path):
    project = read(tmp_path, {"pyproject.toml": f"x = {'1' * 5000}\n", "setup.cfg": "[metadata]\nname = y\n"})
    assert (project.name, project.requirements.notes) == ("y", ())


def test_a_setup_script_is_not_run(tmp_path):
    text = f"open({str(tmp_path / 'ran')!r}, 'w')\nfrom setuptools import setup\nsetup(name='a' + 'b', version='1')\n"
    assert setup_arguments(text) == {"version": "1"}
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("poetry", "pep440"),
    [  # the examples of Poetry's documentation of dependency specification
        ("^1.2.3", ">=1.2.3,<2"),
        ("^1.2", ">=1.2,<2"),
        ("^1", ">=1,<2"),
        ("^0.2.3", ">=0.2.3,<0.3"),
        ("^0.0.3", ">=0.0.3,<0.0.4"),
        ("^0.0", ">=0.0,<0.1"),
        ("^0", ">=0,<1"),
        ("~1.2.3", ">=1.2.3,<1.3"),
        ("~1.2", ">=1.2,<1.3"),
        ("~1", ">=1,<2"),
        ("*", ""),
        ("1.2.*", "==1.2.*"),
        (">= 1.2, < 1.5", ">=1.2,<1.5"),
        ("1.2.3", "==1.2.3"),
    ],
)
def test_poetrys_constraints(poetry, pep440):
    assert poetry_range(poetry) == pep440
