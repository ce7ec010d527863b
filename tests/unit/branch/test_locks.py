"""What the locks of other tools pin for the tests, on this interpreter, with documents written by hand."""

import json
import sys

import pytest

from qualityscore.branch.lock_walk import LockRefusedError
from qualityscore.branch.locks import ORDER, Wanted, read_lock
from qualityscore.branch.project import _Reader

A, B, C, D, E = (f"sha256:{letter * 64}" for letter in "abcde")


def pins(name: str, text: str, *requirements: str, own: str = "demo", extras: tuple[str, ...] = ()) -> list[str]:
    """The pins of a lock, each as `name==version` and the letters of its hashes."""
    wanted = Wanted(requirements=requirements, for_tests=True, extras=extras, own=own)
    short = []
    for line in read_lock(name, text.encode(), wanted).pins:
        release, *hashes = line.split(" --hash=")
        short.append(f"{release} {''.join(hash_[-1] for hash_ in hashes)}")
    return short


def refusal(name: str, text: str | bytes, *requirements: str) -> str:
    wanted = Wanted(requirements=requirements, for_tests=True, extras=(), own="demo")
    with pytest.raises(LockRefusedError) as caught:
        read_lock(name, text if isinstance(text, bytes) else text.encode(), wanted)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- Poetry ---


def poetry(packages: str, metadata: str = 'lock-version = "2.0"\npython-versions = ">=3.9"\n') -> str:
    return f'{packages}\n[metadata]\n{metadata}content-hash = "0"\n'


POETRY = poetry(f"""
[[package]]
name = "Attrs"
version = "23.1.0"
description = "classes"
optional = false
python-versions = ">=3.7"
files = [
    {{file = "attrs-23.1.0-py3-none-any.whl", hash = "{A}"}},
    {{file = "attrs-23.1.0.tar.gz", hash = "{B}"}},
]
[package.dependencies]
importlib-metadata = {{version = "*", markers = "python_version < \\"3.8\\""}}
six = ">=1.10,<2"

[[package]]
name = "importlib-metadata"
version = "6.0.0"
python-versions = ">=3.7"
files = [{{file = "importlib_metadata-6.0.0-py3-none-any.whl", hash = "{C}"}}]

[[package]]
name = "six"
version = "1.16.0"
python-versions = ">=2.7, !=3.0.*, !=3.1.*, !=3.2.*"
files = [{{file = "six-1.16.0-py2.py3-none-any.whl", hash = "{D}"}}]

[[package]]
name = "sphinx"
version = "7.0.0"
python-versions = ">=3.8"
files = [{{file = "sphinx-7.0.0-py3-none-any.whl", hash = "{E}"}}]
""")


def test_a_poetry_lock_gives_what_is_reached_from_the_requirements():
    assert pins("poetry.lock", POETRY, "attrs>=20") == ["attrs==23.1.0 a", "six==1.16.0 d"]
    assert pins("poetry.lock", POETRY, "six", "sphinx") == ["six==1.16.0 d", "sphinx==7.0.0 e"]
    assert pins("poetry.lock", POETRY) == []


def test_a_requirement_whose_marker_does_not_hold_here_is_not_asked_of_a_lock():
    assert pins("poetry.lock", POETRY, "six", "colorama ; sys_platform == 'nowhere'") == ["six==1.16.0 d"]


def test_pytest_is_taken_from_a_lock_that_has_it_for_another_group():
    text = POETRY.replace('name = "sphinx"', 'name = "pytest"')
    assert pins("poetry.lock", text, "six") == ["pytest==7.0.0 e", "six==1.16.0 d"]


EXTRAS = f"""
[[package]]
name = "requests"
version = "2.31.0"
python-versions = ">=3.7"
files = [{{file = "requests-2.31.0-py3-none-any.whl", hash = "{A}"}}]
[package.dependencies]
PySocks = {{version = ">=1.5.6,!=1.5.7", optional = true, markers = "extra == \\"socks\\""}}
[package.extras]
socks = ["PySocks (>=1.5.6,!=1.5.7)"]
tables = ["tablib (*)"]

[[package]]
name = "pysocks"
version = "1.7.1"
python-versions = "*"
files = [{{file = "PySocks-1.7.1-py3-none-any.whl", hash = "{B}"}}]
"""


@pytest.mark.parametrize("old", [False, True])
def test_an_extra_of_a_package_brings_what_it_names(old):
    text = EXTRAS
    if old:  # Poetry 1.0 named the extra in [package.extras] alone
        text = "".join(line for line in EXTRAS.splitlines(keepends=True) if not line.startswith("PySocks = "))
    text = poetry(text)
    assert pins("poetry.lock", text, "requests") == ["requests==2.31.0 a"]
    assert pins("poetry.lock", text, "requests[socks]") == ["pysocks==1.7.1 b", "requests==2.31.0 a"]


def two_releases(markers: tuple[str, str] = ("", "")) -> str:
    return "".join(
        f'[[package]]\nname = "numpy"\nversion = "{version}"\npython-versions = "{pythons}"\n'
        f'files = [{{file = "numpy-{version}-x.whl", hash = "{hash_}"}}]\n{marker}\n'
        for version, pythons, hash_, marker in zip(
            ("1.24.4", "1.26.0", "2.9.0"), (">=3.8", ">=3.9", ">=3.99"), (A, B, C), (*markers, ""), strict=True
        )
    )


NEEDS_OLD = f"""
[[package]]
name = "frames"
version = "1.0"
python-versions = "*"
files = [{{file = "frames-1.0-py3-none-any.whl", hash = "{D}"}}]
[package.dependencies]
numpy = "<1.25"
"""


def test_of_several_releases_the_latest_that_applies_here_is_taken():
    assert pins("poetry.lock", poetry(two_releases()), "numpy") == ["numpy==1.26.0 b"]
    assert pins("poetry.lock", poetry(two_releases()), "numpy<1.26") == ["numpy==1.24.4 a"]


def test_a_release_meets_all_that_asks_for_it():
    text = poetry(two_releases() + NEEDS_OLD)
    assert pins("poetry.lock", text, "numpy", "frames") == ["frames==1.0 d", "numpy==1.24.4 a"]
    said = refusal("poetry.lock", text, "numpy>=1.25", "frames")
    assert said == "it holds 'numpy' as 1.24.4 and 1.26.0, and no one of them meets all that asks for it"


@pytest.mark.parametrize("form", ['markers = "{}"', 'markers = {{main = "{}", docs = "python_version < \\"3\\""}}'])
def test_the_marker_of_a_package_chooses_among_releases(form):
    """Poetry 2 writes one marker, or one for each group."""
    old, new = form.format('python_version >= \\"3\\"'), form.format('python_version < \\"3\\"')
    assert pins("poetry.lock", poetry(two_releases((old, new))), "numpy") == ["numpy==1.24.4 a"]


def test_a_package_of_an_extra_of_the_project_is_pinned_when_the_extra_is_wanted():
    text = poetry(NEEDS_OLD.replace('python-versions = "*"', 'python-versions = "*"\nmarkers = "extra == \\"test\\""'))
    assert pins("poetry.lock", text, "frames", extras=("test",)) == ["frames==1.0 d"]
    assert pins("poetry.lock", text, "frames") == []


def test_the_files_of_an_old_poetry_lock_are_in_its_metadata():
    packages = '[[package]]\nname = "six"\nversion = "1.16.0"\npython-versions = "*"\n'
    files = f'[metadata.files]\nsix = [{{file = "six-1.16.0-py3-none-any.whl", hash = "{A}"}}]\n'
    text = f'{packages}\n[metadata]\nlock-version = "1.1"\npython-versions = "^3.7 || ^2.7"\n{files}'
    assert pins("poetry.lock", text, "six") == ["six==1.16.0 a"]


def source(kind: str) -> str:
    return poetry(
        f'[[package]]\nname = "six"\nversion = "1.0"\npython-versions = "*"\n'
        f'files = [{{file = "six-1.0-py3-none-any.whl", hash = "{A}"}}]\n'
        f'[package.source]\ntype = "{kind}"\nurl = "ssh://one/six"\nreference = "x"\n'
    )


def test_a_private_index_is_an_index_and_all_else_is_refused():
    assert pins("poetry.lock", source("legacy"), "six") == ["six==1.0 a"]
    for kind in ("git", "directory", "file", "url"):
        said = refusal("poetry.lock", source(kind), "six")
        assert said == f"it takes 'six' from {kind} ssh://one/six, and only releases of a package index are installed"
    assert pins("poetry.lock", source("git")) == []  # nothing that the tests need


@pytest.mark.parametrize(
    ("text", "requirement", "said"),
    [
        ("[[package\n", "six", "it cannot be read: Expected ']]' at the end of an array declaration"),
        ("[" * 9000, "six", "it cannot be read: "),
        (b"\xff\xfe", "six", "it cannot be read: 'utf-8' codec"),
        (poetry('package = "six"'), "six", "it is not valid: key 'package': input should be a list"),
        (poetry('[[package]]\nname = "six"\n'), "six", "it is not valid: key 'package.0.version' is missing"),
        ("", "six", "it is not valid: key 'metadata' is missing"),
        (poetry("", 'lock-version = "3.0"\n'), "six", "its lock-version is '3.0', and 1 and 2 can be read"),
        (
            poetry("", 'lock-version = "2.1"\npython-versions = "<3.9 || >=3.99"\n'),
            "six",
            "it is for Python <3.9 || >=3.99, and this is 3",
        ),
        (POETRY, "attrs>=24", "it holds 'attrs' as 23.1.0, and the project requires >=24"),
        (POETRY, "toolz", "it does not hold 'toolz', which the project requires"),
        (POETRY, "-e ../beside", "the project requires '-e ../beside', which is no requirement"),
        (POETRY.replace('"1.16.0"', '"1 --index-url=x"'), "six", "it cannot be read: Invalid version"),
        (POETRY.replace(D, "md5:00"), "six", "it holds no sha256 of 'six'"),
        (POETRY.replace(D, f"{D} -r x"), "six", "it holds no sha256 of 'six'"),
        (POETRY.replace(".whl", ".zip"), "six", "it pins 'six' 1.16.0 as a source release alone"),
        (POETRY.replace('">=2.7, ', '">=3.99, '), "six", "it holds no release of 'six' for this version of Python"),
        (POETRY.replace("python_version < ", "python_versoin < "), "six", "it cannot be read: "),
    ],
)  # fmt: skip
def test_what_no_poetry_lock_can_say_is_refused_in_one_sentence(text, requirement, said):
    assert refusal("poetry.lock", text, requirement).startswith(said)


# --- PDM ---


def pdm(packages: str, metadata: str = 'lock_version = "4.5.0"\n') -> str:
    return f'[metadata]\ngroups = ["default", "test"]\nstrategy = ["inherit_metadata"]\n{metadata}{packages}'


PDM = pdm(f"""
[[package]]
name = "requests"
version = "2.31.0"
requires_python = ">=3.7"
groups = ["default"]
dependencies = ["idna<4,>=2.5", "colorama; sys_platform == \\"nowhere\\""]
files = [
    {{file = "requests-2.31.0-py3-none-any.whl", hash = "{A}"}},
    {{file = "requests-2.31.0.tar.gz", hash = "{E}"}},
]

[[package]]
name = "requests"
version = "2.31.0"
extras = ["socks"]
requires_python = ">=3.7"
dependencies = ["PySocks!=1.5.7,>=1.5.6", "requests==2.31.0"]
files = [{{file = "requests-2.31.0-py3-none-any.whl", hash = "{A}"}}]

[[package]]
name = "idna"
version = "3.4"
files = [{{url = "elsewhere/idna-3.4-py3-none-any.whl", hash = "{B}"}}]

[[package]]
name = "pysocks"
version = "1.7.1"
files = [{{file = "PySocks-1.7.1-py3-none-any.whl", hash = "{C}"}}]

[[package]]
name = "colorama"
version = "0.4.6"
marker = "sys_platform == \\"nowhere\\""
files = [{{file = "colorama-0.4.6-py3-none-any.whl", hash = "{D}"}}]
""")


def test_a_pdm_lock_gives_what_is_reached_from_the_requirements():
    assert pins("pdm.lock", PDM, "requests") == ["idna==3.4 b", "requests==2.31.0 a"]
    assert pins("pdm.lock", PDM, "requests[socks]") == ["idna==3.4 b", "pysocks==1.7.1 c", "requests==2.31.0 a"]
    assert pins("pdm.lock", PDM, "colorama") == []


def test_the_files_of_an_old_pdm_lock_are_in_its_metadata():
    text = (
        f'[[package]]\nname = "idna"\nversion = "3.4"\n[metadata]\nlock_version = "4.2"\n[metadata.files]\n'
        f'"idna 3.4" = [{{url = "elsewhere/idna-3.4-py3-none-any.whl", hash = "{A}"}}]\n'
    )
    assert pins("pdm.lock", text, "idna") == ["idna==3.4 a"]


@pytest.mark.parametrize(
    ("text", "requirement", "said"),
    [
        (pdm("", 'lock_version = "5.0"\n'), "six", "its lock_version is '5.0', and 4 can be read"),
        ('lock_version = "4"', "six", "it is not valid: key 'metadata' is missing"),
        (
            pdm("", 'lock_version = "4.5.0"\n[[metadata.targets]]\nrequires_python = ">=3.99"\n'),
            "six",
            "it is for Python >=3.99, and this is 3",
        ),
        (
            pdm('[[package]]\nname = "six"\nversion = "1"\ngit = "ssh://one/six"\nrevision = "0"\n'),
            "six",
            "it takes 'six' from git ssh://one/six, and only",
        ),
        (pdm('[[package]]\nname = "six"\npath = "./six"\neditable = true\n'), "six", "it takes 'six' from path ./six"),
        (pdm('[[package]]\nname = "six"\nversion = "1"\n'), "six", "it pins 'six' 1 as a source release alone"),
    ],
)
def test_what_no_pdm_lock_can_say_is_refused_in_one_sentence(text, requirement, said):
    assert refusal("pdm.lock", text, requirement).startswith(said)


# --- Pipenv ---


def pipfile(spec: object = 6, **sections: object) -> str:
    return json.dumps({"_meta": {"hash": {}, "pipfile-spec": spec, "requires": {}, "sources": []}, **sections})


SIX = {"hashes": [A, B], "index": "one", "version": "==1.16.0", "markers": "python_version >= '2.7'"}


def test_a_pipfile_lock_gives_its_default_and_developers_packages():
    text = pipfile(
        default={"Six": SIX, "demo": {"editable": True, "path": "."}, "e1839a8": {"editable": True, "path": "."}},
        develop={
            "attrs": {"hashes": [C], "version": "==23.1.0"},
            "six": SIX | {"hashes": [D]},
            "colorama": {"hashes": [E], "version": "==0.4.6", "markers": "sys_platform == 'nowhere'"},
        },
        docs={"sphinx": {"hashes": [E], "version": "==7.0.0"}},
    )
    assert pins("Pipfile.lock", text) == ["attrs==23.1.0 c", "six==1.16.0 abd"]


def test_a_category_for_tests_counts_before_the_developers():
    text = pipfile(default={}, develop={"attrs": {"hashes": [C], "version": "==23.1.0"}}, tests={"six": SIX})
    assert pins("Pipfile.lock", text) == ["six==1.16.0 ab"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it cannot be read: Expecting property name"),
        ("[]", "it cannot be read: it is not an object of JSON"),
        ("[" * 100_000, "it cannot be read: "),
        ("{}", "it is not valid: key 'pipfile-spec' is missing"),
        (pipfile(7), "its pipfile-spec is '7', and 6 can be read"),
        (pipfile(default=[1]), "it is not valid: key 'default': input should be an object"),
        (pipfile(default={"six": 1}), "it is not valid: "),
        (pipfile(default={"six": {"version": "*", "hashes": [A]}}), "it cannot be read: Invalid version"),
        (pipfile(default={"six": {"version": "==1"}}), "it holds no sha256 of 'six'"),
        (pipfile(default={"six": {"git": "ssh://one/six", "ref": "0"}}), "it takes 'six' from git ssh://one/six, and"),
        (pipfile(default={"six": {"path": "../six"}}), "it takes 'six' from path ../six, and"),
        (pipfile(default={"six": SIX}, develop={"six": SIX | {"version": "==2"}}), "it holds 'six' as 1.16.0 and as 2"),
        (pipfile(default={"six\n-r x": SIX}), "it cannot be read: "),
    ],
)
def test_what_no_pipfile_lock_can_say_is_refused_in_one_sentence(text, said):
    assert refusal("Pipfile.lock", text).startswith(said)


# --- the common format ---


def common(packages: str, head: str = 'lock-version = "1.0"\ncreated-by = "hand"\n') -> str:
    return f"{head}{packages}"


def package(name: str, version: str, letter: str, more: str = "") -> str:
    file = f"{name}-{version}-py3-none-any.whl"
    wheel = f'wheels = [{{name = "{file}", url = "http://0.invalid/{file}", hashes = {{sha256 = "{letter * 64}"}}}}]'
    return f'[[packages]]\nname = "{name}"\nversion = "{version}"\n{more}{wheel}\n'


GROUPS = 'lock-version = "1.0"\ncreated-by = "hand"\ndependency-groups = ["dev", "docs", "test"]\nextras = ["all"]\n'


def test_a_pylock_gives_its_packages_of_the_default_groups_and_those_for_tests():
    text = common(
        package("attrs", "23.1.0", "a")
        + package("six", "1.16.0", "b", "marker = \"'test' in dependency_groups\"\n")
        + package("sphinx", "7.0.0", "c", "marker = \"'docs' in dependency_groups\"\n")
        + package("toolz", "0.12.0", "d", "marker = \"'main' in dependency_groups\"\n")
        + package("idna", "3.4", "e", "marker = \"'all' in extras\"\n")
        + package("colorama", "0.4.6", "a", "marker = \"sys_platform == 'nowhere'\"\n")
        + '[[packages]]\nname = "demo"\ndirectory = {path = ".", editable = true}\n',
        GROUPS + 'default-groups = ["main"]\n',
    )
    assert pins("pylock.toml", text) == ["attrs==23.1.0 a", "six==1.16.0 b", "toolz==0.12.0 d"]


def test_whether_a_pylock_is_for_the_tests_as_well():
    wanted = Wanted(requirements=(), for_tests=True, extras=(), own="demo")
    for text, expected in (
        (common(package("six", "1.16.0", "a")), False),
        (common(package("pytest", "8.0.0", "a")), True),
        (common(package("six", "1.16.0", "a"), GROUPS), True),
    ):
        assert read_lock("pylock.toml", text.encode(), wanted).for_tests is expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('lock-version = "1.0"\n', "it cannot be read: Missing required value in 'created-by'"),
        (
            common("packages = []\n", 'lock-version = "2.0"\ncreated-by = "x"\n'),
            "it cannot be read: pylock version 2.0",
        ),
        (
            common("packages = []\n", 'lock-version = "1.0"\ncreated-by = "x"\nrequires-python = ">=3.99"\n'),
            "it cannot be read: python_full_version",
        ),
        (
            common('[[packages]]\nname = "six"\nvcs = {type = "git", url = "ssh://one/six", commit-id = "0"}\n'),
            "it takes 'six' from git ssh://one/six, and only",
        ),
        (common('[[packages]]\nname = "six"\ndirectory = {path = "../six"}\n'), "it takes 'six' from the path ../six"),
        (
            common(
                '[[packages]]\nname = "six"\nversion = "1.0"\n'
                f'sdist = {{name = "six-1.0.tar.gz", url = "x", hashes = {{sha256 = "{"a" * 64}"}}}}\n'
            ),
            "it pins 'six' 1.0 as a source release alone",
        ),
        (common(package("six", "1.0", "a") * 2), "it cannot be read: Multiple packages with the name 'six'"),
        (common(package("six", "1.0", "zz")), "it holds no sha256 of 'six'"),
    ],
)
def test_what_no_pylock_can_say_is_refused_in_one_sentence(text, said):
    assert refusal("pylock.toml", text).startswith(said)


# --- which one counts ---


def read(folder, files: dict[str, str]):
    for name, text in files.items():
        (folder / name).write_text(text)
    return _Reader(folder, tuple(sorted(files))).project()


PYPROJECT = """
[tool.poetry]
name = "demo"
[tool.poetry.dependencies]
python = "^3.9"
attrs = "^23"
[tool.poetry.group.docs.dependencies]
sphinx = "*"
"""


def test_of_several_locks_the_first_counts_and_the_others_are_named(tmp_path):
    texts = {"uv.lock": "version = 1\n", "poetry.lock": POETRY, "pdm.lock": PDM, "Pipfile.lock": pipfile()}
    files = {"pyproject.toml": PYPROJECT, "pylock.toml": common("packages = []\n"), **texts}
    assert ORDER == ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml")
    for number, name in enumerate(ORDER):
        kept = {file: text for file, text in files.items() if file not in ORDER[:number]}
        (folder := tmp_path / str(number)).mkdir()
        requirements = read(folder, kept).requirements
        assert (requirements.lock, requirements.sources) == (name, (name,))
        others = ORDER[number + 1 :]
        assert all(other in requirements.notes[0] for other in others)
        assert ("not count" in requirements.notes[0]) == bool(others)


def test_a_lock_without_its_pyproject_says_nothing(tmp_path):
    requirements = read(tmp_path, {"poetry.lock": POETRY, "requirements.txt": "attrs\n"}).requirements
    assert (requirements.lock, requirements.lines, requirements.sources) == (None, ("attrs",), ("requirements.txt",))


def test_what_tests_need_beside_a_lock_that_says_nothing_of_them(tmp_path):
    files = {"pyproject.toml": PYPROJECT, "poetry.lock": POETRY, "requirements-test.txt": "toolz\n", "tox.ini": ""}
    requirements = read(tmp_path, files).requirements
    assert [pin.partition(" ")[0] for pin in requirements.pins] == ["attrs==23.1.0", "six==1.16.0"]
    assert requirements.lines == ("toolz",)
    files["pyproject.toml"] += '[tool.poetry.group.test.dependencies]\nsphinx = "*"\n'
    requirements = read(tmp_path, files).requirements
    assert [pin.partition(" ")[0] for pin in requirements.pins] == ["attrs==23.1.0", "six==1.16.0", "sphinx==7.0.0"]
    assert requirements.lines == ()


def test_a_lock_that_cannot_be_used_is_not_replaced_by_what_is_beside_it(tmp_path):
    requirements = read(tmp_path, {"Pipfile.lock": "{", "requirements.txt": "attrs\n"}).requirements
    assert requirements.lines == requirements.pins == ()
    assert requirements.refusal is not None
    assert requirements.refusal.startswith("it cannot be read")


def test_the_python_that_reads_a_lock_decides_its_markers():
    here = f"python_version == '{sys.version_info.major}.{sys.version_info.minor}'"
    there = "python_version == '2.7'"
    text = pipfile(default={"six": SIX | {"markers": here}, "attrs": SIX | {"markers": there}})
    assert pins("Pipfile.lock", text) == ["six==1.16.0 ab"]
