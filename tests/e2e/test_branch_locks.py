"""Environments built for real from locks written by hand: their releases, their hashes, the groups of the tests alone.

The digests are those that the configured index publishes; the addresses in the locks lead nowhere.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest
import uv

from e2e.branch_subjects import edit, git, ledger_at, put
from qualityscore.branch import environment as environments
from qualityscore.branch.project import read_project
from qualityscore.cli import main
from qualityscore.errors import EnvironmentBuildError
from qualityscore.runtime import environment, workspace

# pure Python, without dependencies, and not the latest of their releases
RELEASES = {"six": "1.16.0", "sortedcontainers": "2.3.0", "toolz": "0.12.0", "colorama": "0.4.5"}
ELSEWHERE = "https://index.invalid"
WRONG = "sha256:" + "0" * 64


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """The digests of the releases by name, as the configured index says them."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "wanted.in").write_text("".join(f"{name}=={version}\n" for name, version in RELEASES.items()))
    words = ("pip", "compile", "-q", "--no-deps", "--no-header", "--no-annotate", "--generate-hashes", "wanted.in")
    done = subprocess.run((uv.find_uv_bin(), *words), cwd=folder, capture_output=True, text=True, check=True)
    found = {}
    for block in re.split(r"^(?=\w)", done.stdout, flags=re.MULTILINE):
        if block:
            found[block.partition("==")[0]] = re.findall(r"sha256:[0-9a-f]{64}", block)
    assert set(found) == set(RELEASES)
    return found


# Each lock holds four releases: six for the project, sortedcontainers for its tests, toolz for its docs, and colorama
# for the project where a system has another name than any.


def wheel(name: str) -> str:
    return f"{name}-{RELEASES[name]}-py2.py3-none-any.whl"


def uv_files(digests):
    def package(name: str) -> str:
        wheels = ", ".join(f'{{ url = "{ELSEWHERE}/{wheel(name)}", hash = "{d}" }}' for d in digests[name])
        return (
            f'[[package]]\nname = "{name}"\nversion = "{RELEASES[name]}"\n'
            f'source = {{ registry = "{ELSEWHERE}/simple" }}\nwheels = [{wheels}]\n'
        )

    return {
        "pyproject.toml": """
            [project]
            name = "demo"
            version = "1.0"
            requires-python = ">=3.11"
            dependencies = ["six", "colorama ; sys_platform == 'nowhere'"]
            [dependency-groups]
            test = ["sortedcontainers"]
            docs = ["toolz"]
            """,
        "uv.lock": """version = 1
requires-python = ">=3.11"
[[package]]
name = "demo"
version = "1.0"
source = { virtual = "." }
dependencies = [{ name = "six" }, { name = "colorama", marker = "sys_platform == 'nowhere'" }]
[package.dev-dependencies]
test = [{ name = "sortedcontainers" }]
docs = [{ name = "toolz" }]
[package.metadata]
requires-dist = [{ name = "six" }, { name = "colorama", marker = "sys_platform == 'nowhere'" }]
[package.metadata.requires-dev]
test = [{ name = "sortedcontainers" }]
docs = [{ name = "toolz" }]
"""
        + "".join(package(name) for name in RELEASES),
    }


def poetry_files(digests):
    def package(name: str, more: str = "") -> str:
        files = ", ".join(f'{{file = "{wheel(name)}", hash = "{d}"}}' for d in digests[name])
        return (
            f'[[package]]\nname = "{name}"\nversion = "{RELEASES[name]}"\ndescription = ""\noptional = false\n'
            f'python-versions = ">=2.7, !=3.0.*"\nfiles = [{files}]\n{more}\n'
        )

    return {
        "pyproject.toml": """
            [tool.poetry]
            name = "demo"
            version = "1.0"
            [tool.poetry.dependencies]
            python = "^3.11"
            six = "^1.10"
            colorama = {version = "*", markers = "sys_platform == 'nowhere'"}
            [tool.poetry.group.test.dependencies]
            sortedcontainers = "~2.3"
            [tool.poetry.group.docs.dependencies]
            toolz = "*"
            """,
        "poetry.lock": "".join(package(name) for name in RELEASES)
        + '[metadata]\nlock-version = "2.1"\npython-versions = "^3.11"\ncontent-hash = "0"\n',
    }


def pdm_files(digests):
    def package(name: str) -> str:
        files = ", ".join(f'{{file = "{wheel(name)}", hash = "{d}"}}' for d in digests[name])
        return f'[[package]]\nname = "{name}"\nversion = "{RELEASES[name]}"\nsummary = ""\nfiles = [{files}]\n'

    return {
        "pyproject.toml": """
            [project]
            name = "demo"
            version = "1.0"
            dependencies = ["six", "colorama ; sys_platform == 'nowhere'"]
            [tool.pdm.dev-dependencies]
            test = ["sortedcontainers"]
            docs = ["toolz"]
            """,
        "pdm.lock": '[metadata]\ngroups = ["default", "docs", "test"]\nstrategy = ["inherit_metadata"]\n'
        'lock_version = "4.5.0"\ncontent_hash = "sha256:0"\n[[metadata.targets]]\nrequires_python = ">=3.11"\n'
        + "".join(package(name) for name in RELEASES),
    }


def pipfile_files(digests):
    def package(name: str, **more: str) -> dict:
        return {"hashes": digests[name], "index": "one", "version": f"=={RELEASES[name]}", **more}

    return {
        "Pipfile.lock": json.dumps(
            {
                "_meta": {"hash": {"sha256": "0"}, "pipfile-spec": 6, "requires": {}, "sources": []},
                "default": {
                    "six": package("six"), "colorama": package("colorama", markers="sys_platform == 'nowhere'"),
                },
                "develop": {"sortedcontainers": package("sortedcontainers")},
                "docs": {"toolz": package("toolz")},
            }
        ),
    }  # fmt: skip


def pylock_files(digests):
    def package(name: str, marker: str = "") -> str:
        wheels = ", ".join(
            f'{{name = "{wheel(name)}", url = "{ELSEWHERE}/{wheel(name)}", hashes = {{sha256 = "{d[7:]}"}}}}'
            for d in digests[name]
        )
        return f'[[packages]]\nname = "{name}"\nversion = "{RELEASES[name]}"\n{marker}wheels = [{wheels}]\n'

    return {
        "pylock.toml": 'lock-version = "1.0"\ncreated-by = "hand"\ndependency-groups = ["docs", "test"]\n'
        + package("six")
        + package("sortedcontainers", "marker = \"'test' in dependency_groups\"\n")
        + package("toolz", "marker = \"'docs' in dependency_groups\"\n")
        + package("colorama", "marker = \"sys_platform == 'nowhere'\"\n"),
    }


FORMATS = {
    "uv.lock": uv_files,
    "poetry.lock": poetry_files,
    "pdm.lock": pdm_files,
    "Pipfile.lock": pipfile_files,
    "pylock.toml": pylock_files,
}


def project_of(folder: Path, files: dict[str, str]):
    put(folder / "repo", {"demo.py": "", **files})
    tree = workspace.copy(folder / "repo", folder / "copy", ()).tree
    return tree, read_project(tree)


def releases(prefix: Path) -> set[str]:
    (site,) = prefix.glob("lib/python*/site-packages")
    return {path.name.removesuffix(".dist-info") for path in site.glob("*.dist-info")}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_an_environment_holds_what_its_lock_pins_for_the_tests(name, published, tmp_path, monkeypatch):
    tree, project = project_of(tmp_path, FORMATS[name](published))
    built = environments.ensure(tree, project, tmp_path / "cache")
    held = releases(built.environment.prefix)
    assert {"six-1.16.0", "sortedcontainers-2.3.0"} <= held
    # by hand: what pytest needs on this system, and nothing of the lock's other groups and systems
    assert {release.partition("-")[0] for release in held} == {
        "six", "sortedcontainers", "pytest", "pluggy", "packaging", "iniconfig", "pygments",
    }  # fmt: skip
    assert project.requirements.sources == (name,)

    def no_uv(*words, **options):
        raise AssertionError("an environment that was built is not built again")

    monkeypatch.setattr(environments, "_uv", no_uv)
    monkeypatch.setattr(environment, "_build", no_uv)
    again = environments.ensure(tree, project, tmp_path / "cache")
    assert (again.environment, again.lock) == (built.environment, built.lock)
    changed = FORMATS[name](published | {"six": [*published["six"], WRONG]})  # another lock, if of equal releases
    (tmp_path / "other").mkdir()
    with pytest.raises(AssertionError, match="not built again"):
        environments.ensure(*project_of(tmp_path / "other", changed), tmp_path / "cache")


@pytest.mark.parametrize("name", FORMATS)
def test_a_release_with_another_digest_than_the_locks_is_not_installed(name, published, tmp_path):
    tree, project = project_of(tmp_path, FORMATS[name](published | {"six": [WRONG]}))
    with pytest.raises(EnvironmentBuildError) as caught:
        environments.ensure(tree, project, tmp_path / "cache")
    assert f"The environment of {name} could not be built" in str(caught.value)
    assert "six" in str(caught.value)
    assert "hash" in str(caught.value).lower()


@pytest.mark.slow
def test_the_digests_of_a_requirements_file_hold_as_well(published, tmp_path):
    files = {"requirements.txt": f"six==1.16.0 --hash={WRONG}\n"}
    with pytest.raises(EnvironmentBuildError, match="The environment of the tests could not be built"):
        environments.ensure(*project_of(tmp_path, files), tmp_path / "cache")
    hashes = "".join(f" \\\n    --hash={digest}" for digest in published["six"])
    (tmp_path / "right").mkdir()
    built = environments.ensure(
        *project_of(tmp_path / "right", files | {"requirements.txt": f"six==1.16.0{hashes}\n"}), tmp_path / "cache"
    )
    assert "six-1.16.0" in releases(built.environment.prefix)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("version = 1\n", "version = 99\n", "99"),
        ("version = 1\n", "version = \n", "parse"),
        (
            f'version = "1.16.0"\nsource = {{ registry = "{ELSEWHERE}/simple" }}',
            'version = "1.16.0"\nsource = { git = "https://git.invalid/six?rev=main#' + "0" * 40 + '" }',
            "it takes 'six' from git+https://git.invalid/six",
        ),
        (
            f'version = "1.16.0"\nsource = {{ registry = "{ELSEWHERE}/simple" }}',
            'version = "1.16.0"\nsource = { directory = "../six" }',
            "it takes",
        ),
    ],
)
def test_a_uv_lock_that_cannot_be_used_is_refused_in_one_sentence(old, new, said, published, tmp_path):
    files = uv_files(published)
    assert old in files["uv.lock"]
    text = files["uv.lock"].replace(old, new, 1)
    if "registry" in old:
        text = re.sub(r"(source = \{ (?:git|directory) = .*\n)wheels = .*\n", r"\1", text)
    tree, project = project_of(tmp_path, files | {"uv.lock": text})
    with pytest.raises(EnvironmentBuildError) as caught:
        environments.ensure(tree, project, tmp_path / "cache")
    sentence = str(caught.value)
    assert sentence.startswith("The lock uv.lock cannot be used: ")
    assert said in sentence
    assert "\n" not in sentence


@pytest.fixture
def locked_ledger(tmp_path, published):
    """The small project with a poetry.lock, and a test that says which release it is run with."""
    folder = ledger_at(tmp_path / "ledger")
    text = (folder / "pyproject.toml").read_text().replace("dependencies = []", 'dependencies = ["six"]')
    put(
        folder,
        {
            "pyproject.toml": text.replace('test = ["pytest"]', 'test = ["sortedcontainers"]'),
            "poetry.lock": poetry_files(published)["poetry.lock"],
            "tests/test_release.py": """
                import six
                import sortedcontainers


                def test_release():
                    assert (six.__version__, sortedcontainers.__version__) == ("1.16.0", "2.3.0")
                """,
        },
    )
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "locked")
    return folder


def evaluated(folder: Path, capsys) -> tuple[int, dict]:
    status = main(["evaluate", str(folder), "--baseline", "main", "--only", "functional", "--json", "-"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_a_branch_is_tested_in_the_environment_of_its_lock(locked_ledger, capsys):
    status, report = evaluated(locked_ledger, capsys)
    assert (status, report["functional"]["passed"], report["functional"]["expected"]) == (0, 5, 5)
    assert report["branch"]["environment"] == report["branch"]["baseline_environment"] == ["poetry.lock"]
    assert report["branch"]["notes"] == [
        "the branch and the baseline are identical: there is nothing to compare",
        "the environment of the tests is that of poetry.lock",
    ]


@pytest.mark.slow
def test_a_lock_that_only_the_branch_breaks_is_the_branchs_fault(locked_ledger, capsys):
    edit(locked_ledger, "poetry.lock", 'lock-version = "2.1"', 'lock-version = "9.0"')
    status, report = evaluated(locked_ledger, capsys)
    assert (status, report["functional"]["score"]) == (1, 0.0)
    (fault,) = [fault for fault in report["faults"] if fault["stage"] == "environment"]
    assert fault["fault"] == "subject"
    assert "The lock poetry.lock cannot be used: its lock-version is '9.0'" in fault["reason"]


@pytest.mark.slow
def test_a_requirement_that_the_branch_adds_and_does_not_lock_is_the_branchs_fault(locked_ledger, capsys):
    edit(locked_ledger, "pyproject.toml", 'dependencies = ["six"]', 'dependencies = ["six", "idna"]')
    status, report = evaluated(locked_ledger, capsys)
    assert status == 1
    assert "it does not hold 'idna', which the project requires" in report["faults"][0]["reason"]


@pytest.mark.slow
def test_a_lock_of_the_baseline_that_cannot_be_used_is_no_fault_of_the_branch(locked_ledger, capsys):
    edit(locked_ledger, "poetry.lock", "[metadata]", "[metadata")
    git(locked_ledger, "commit", "-q", "-a", "-m", "broken")
    status, report = evaluated(locked_ledger, capsys)
    assert (status, report["functional"]["score"]) == (3, None)
    assert report["faults"][0]["fault"] == "harness"
    assert "The lock poetry.lock cannot be used: it cannot be read" in report["faults"][0]["reason"]
