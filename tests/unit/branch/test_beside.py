"""What belongs to the tests though it lies outside their folders."""

import pytest

from qualityscore.branch.beside import beside_tests, helper_units
from qualityscore.branch.definitions import read_definitions
from qualityscore.branch.project import _Reader
from qualityscore.runtime.target import Tree

CHECK = "def check(a, b):\n    assert a == b\n"
FILES = {
    "pyproject.toml": "[project]\nname = 'ledger'\n",
    "ledger/__init__.py": "def total(amounts):\n    return sum(amounts)\n",
    "checks.py": CHECK,
    "data/one.csv": "1\n",
    "tests/test_total.py": "from checks import check\nfrom ledger import total\ndef test_it(): check(total([1]), 1)\n",
}


def tree(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return Tree(root=folder, import_roots=(".",), files=tuple(sorted(files)), digest="")


def project(state):
    return _Reader(state.root, state.files).project()


def beside(tmp_path, after, before=FILES):
    old = tree(tmp_path / "before", before)
    return beside_tests(old, tree(tmp_path / "after", after), project(old))


def test_a_changed_module_that_only_tests_import_and_that_asserts_belongs_to_them(tmp_path):
    assert beside(tmp_path, FILES | {"checks.py": "def check(a, b):\n    pass\n"}) == ("checks.py",)


def test_what_has_not_changed_does_not_count(tmp_path):
    assert beside(tmp_path, FILES | {"ledger/__init__.py": "def total(amounts):\n    return 0\n"}) == ()


def test_what_the_branchs_code_uses_is_code_under_test(tmp_path):
    used = {"checks.py": CHECK + "def new(): ...\n", "ledger/__init__.py": "from checks import new\n"}
    assert beside(tmp_path, FILES | used) == ()


def test_a_helper_and_data_that_were_moved_come_along(tmp_path):
    after = {name: text for name, text in FILES.items() if name not in ("checks.py", "data/one.csv")}
    moved = {"tests/checks.py": CHECK, "tests/data/one.csv": "1\n"}
    assert sorted(beside(tmp_path, after | moved)) == ["checks.py", "data/one.csv"]


def test_data_of_a_package_are_the_codes(tmp_path):
    assert beside(tmp_path, FILES, FILES | {"ledger/rates.csv": "1\n"}) == ()


@pytest.mark.parametrize(
    ("more", "units"),
    [
        ({}, {"checks"}),
        ({"ledger/more.py": "import checks\n"}, set()),  # code uses it
        ({"tests/test_checks.py": "import checks\n"}, set()),  # it is what is tested
        ({"pyproject.toml": "[project]\nname = 'checks'\n"}, set()),
        ({"checks.py": "def check(a, b):\n    return a == b\n"}, set()),  # it may be code as well
        ({"checks.py": "import ledger\n" + CHECK}, set()),  # the same, with an assertion of its own
        ({"checks.py": "import ledger\nimport pytest\n"}, {"checks"}),
        ({"tests/test_total.py": "import checks\n"}, set()),  # nothing else is tested
    ],
)
def test_helpers_are_told_from_code_under_test(tmp_path, more, units):
    state = tree(tmp_path, FILES | more)
    assert helper_units(read_definitions(state, state.files, {}), project(state)) == units
