"""A branch against its main: hand-made regressions fail the default gate, each for its reason; refactorings pass."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.branch_subjects import FILES, edit, git, ledger_at, put
from qualityscore import evaluate
from qualityscore.cli import main

QUICK = ("functional", "maintainability", "security", "robustness")


@pytest.fixture
def ledger(tmp_path):
    """A small project of one commit."""
    return ledger_at(tmp_path / "ledger")


def compare(folder: Path, *, only=QUICK, **options):
    return evaluate(folder, baseline="main", only=only, **options)


def failed(report) -> list[str]:
    return [condition.name for condition in report.gate.failed]


def test_a_branch_that_changes_nothing_passes(ledger):
    put(ledger, {"NOTES.md": "nothing of the code\n"})
    report = compare(ledger)
    assert report.gate.passed
    assert (report.functional.score, report.credibility.score) == (1.0, 1.0)
    assert [report.dimensions[name].score for name in QUICK[1:]] == pytest.approx([1.0] * 3)
    assert report.non_functional.score is None  # what --only leaves out, is left out of it
    assert report.functional.expected == 4
    assert (report.branch.findings.new, report.branch.findings.fixed) == ((), ())
    assert report.branch.findings.unchanged > 0
    assert git_status(ledger) == "?? NOTES.md\n"


def git_status(folder: Path) -> str:
    done = subprocess.run(("git", "status", "--porcelain"), cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_failing_test_fails_the_gate(ledger, capsys):
    edit(ledger, "src/ledger/book.py", "result += amount", "result = amount")
    assert main(["evaluate", str(ledger), "--baseline", "main", "--only", "functional", "--json", "-"]) == 1
    report = json.loads(capsys.readouterr().out)
    names = [c["name"] for c in report["gate"]["conditions"] if not c["passed"]]
    assert names == ["what passed still passes"]
    broken = {change["id"] for change in report["branch"]["tests"]["broken"]}
    assert broken == {"tests/test_book.py::test_total[amounts1-3]", "tests/test_book.py::test_balance"}
    assert report["functional"]["score"] == 0.5


@pytest.mark.slow
def test_a_new_finding_fails_nothing_where_only_the_tests_were_asked_for(ledger):
    put(
        ledger, {"src/ledger/shell.py": "import subprocess\n\n\ndef run(text):\n    subprocess.run(text, shell=True)\n"}
    )
    report = compare(ledger, only=("functional",))
    assert report.gate.passed
    numbers = {condition.name: condition.numbers for condition in report.gate.conditions}
    assert numbers["no new finding of high severity"] == "not asked for"
    assert (report.findings, report.branch.findings, report.credibility.score) == ((), None, None)
    assert (report.branch.names, report.faults) == (None, ())
    both = compare(ledger, only=("functional", "security"))
    assert failed(both) == ["no new finding of high severity"]
    assert {finding.code for finding in both.branch.findings.new if finding.severity == "high"} == {"B602"}
    assert {finding.dimension for finding in both.findings} == {"security"}


def test_a_removed_test_fails_the_gate_unless_accepted(ledger):
    text = (ledger / "tests/test_book.py").read_text()
    (ledger / "tests/test_book.py").write_text(text[: text.index("def test_parse_line")])
    report = compare(ledger, only=("functional",))
    assert failed(report) == ["no test was removed"]
    assert report.functional.score == 1.0  # as it stood it passes
    assert compare(ledger, only=("functional",), accept_removed=True).gate.passed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("tests/test_book.py", "    assert book.balance(\"rent\") == 0\n", "", "no test asks for less"),
        ("tests/test_book.py", "def test_b", "@pytest.mark.skip\ndef test_b", "no test is skipped that was not"),
        ("tests/test_book.py", "def test_b", "@pytest.mark.xfail\ndef test_b", "no test asks for less"),
    ],
)  # fmt: skip
def test_a_test_that_asks_for_less_fails_the_gate(ledger, name, old, new, reason):
    edit(ledger, name, old, new)
    assert failed(compare(ledger, only=("functional",))) == [reason]


@pytest.mark.slow
def test_a_conftest_that_changes_what_tests_see_fails_the_gate(ledger):
    edit(ledger, "src/ledger/book.py", "result += amount", "result = amount")
    put(ledger, {"tests/conftest.py": "import ledger, ledger.book\nledger.total = ledger.book.total = sum\n"})
    report = compare(ledger, only=("functional",))
    assert failed(report) == ["no test passes by what was changed beside it"]
    assert report.functional.score == 0.5


def use_helper_and_data(folder: Path) -> None:
    """A commit more: a test that asserts by a module at the root, and reads data from there."""
    test = """
        from pathlib import Path

        from checks import check
        from ledger import total

        DATA = Path(__file__).parent.parent / "numbers" / "some.txt"


        def test_sum():
            check(total(map(int, DATA.read_text().split())), 6)
        """
    helper = "def check(actual, expected):\n    assert actual == expected\n"
    put(folder, {"checks.py": helper, "numbers/some.txt": "1 2 3\n", "tests/test_sum.py": test})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "helper")


@pytest.mark.slow
def test_a_helper_outside_the_tests_that_asserts_nothing_any_more_fails_the_gate(ledger):
    use_helper_and_data(ledger)
    edit(ledger, "src/ledger/book.py", "result = 0", "result = 1 if isinstance(amounts, map) else 0")
    edit(ledger, "checks.py", "assert actual == expected", "pass")
    report = compare(ledger, only=("functional",))
    assert failed(report) == ["no test passes by what was changed beside it"]
    assert [change.id for change in report.branch.tests.undermined] == ["tests/test_sum.py::test_sum"]


@pytest.mark.slow
def test_tests_that_move_with_their_helper_and_their_data_fail_nothing(ledger):
    use_helper_and_data(ledger)
    for old, new in (("checks.py", "tests/checks.py"), ("numbers", "tests/numbers")):
        (ledger / old).rename(ledger / new)
    put(ledger, {"tests/unit/__init__.py": "", "tests/__init__.py": ""})
    (ledger / "tests/test_sum.py").rename(ledger / "tests/unit/test_sum.py")
    edit(ledger, "tests/unit/test_sum.py", "from checks", "from tests.checks")
    report = compare(ledger, only=("functional",))
    assert failed(report) == []
    assert [change.to for change in report.branch.tests.moved] == ["tests/unit/test_sum.py::test_sum"]


@pytest.mark.slow
def test_a_configuration_that_deselects_tests_is_not_honoured(ledger):
    edit(ledger, "src/ledger/book.py", "result += amount", "result = amount")
    edit(ledger, "pyproject.toml", 'testpaths = ["tests"]', 'testpaths = ["tests"]\naddopts = "-k parse"')
    assert failed(compare(ledger, only=("functional",))) == ["what passed still passes"]


@pytest.mark.slow
def test_a_new_eval_fails_the_gate(ledger):
    edit(ledger, "src/ledger/text.py", "int(amount)", "eval(amount)")
    report = compare(ledger)
    assert failed(report) == ["no new finding of high severity"]
    new = report.branch.findings.new
    assert [(f.code, f.path, f.line) for f in new if f.severity == "high"] == [
        ("dynamic-code", "src/ledger/text.py", 6)
    ]


@pytest.mark.slow
def test_a_function_of_complexity_40_fails_the_gate(ledger):
    branches = "".join(f"    if value == {n}:\n        return {n * n}\n" for n in range(39))  # 1 + 39 decisions
    text = (ledger / "src/ledger/text.py").read_text()
    (ledger / "src/ledger/text.py").write_text(f"{text}\n\ndef classify(value):\n{branches}    return None\n")
    edit(ledger, "src/ledger/book.py", "return result", "return classify(result) or result")
    edit(ledger, "src/ledger/book.py", "import subprocess", "import subprocess\n\nfrom ledger.text import classify")
    report = compare(ledger)
    assert "no new finding of high severity" in failed(report)
    assert any("complexity of 40" in f.message for f in report.branch.findings.new)
    assert set(failed(report)) <= {
        "no new finding of high severity", "maintainability is kept", "what passed still passes",
    }  # fmt: skip


@pytest.mark.slow
def test_a_renamed_public_function_fails_the_gate_and_is_shown_as_renamed(ledger):
    for name in ("src/ledger/__init__.py", "src/ledger/book.py", "tests/test_book.py"):
        path = ledger / name
        path.write_text(path.read_text().replace("total", "sum_up"))
    report = compare(ledger)
    assert "every public name is still defined" in failed(report)
    lost = {change.name: change for change in report.branch.names.lost}
    assert {(c.state, c.to) for c in lost.values()} == {("renamed", "sum_up")}
    assert report.credibility.score < 1


@pytest.mark.slow
def test_an_emptied_public_function_fails_the_gate(ledger):
    edit(
        ledger, "src/ledger/text.py", "    account, _, amount", "    pass\n\n\ndef _rest(line):\n    account, _, amount"
    )
    report = compare(ledger)
    assert "every public name is still defined" in failed(report)
    assert {change.state for change in report.branch.names.lost} == {"emptied"}


def rename_file(folder: Path) -> None:
    (folder / "src/ledger/text.py").rename(folder / "src/ledger/lines.py")
    edit(folder, "src/ledger/__init__.py", "ledger.text", "ledger.lines")


def move_function(folder: Path) -> None:
    path = folder / "src/ledger/book.py"
    text = path.read_text()
    start, end = text.index("def total"), text.index("class Book")
    moved = text[start:end].strip()
    path.write_text(text[:start] + text[end:])
    edit(folder, "src/ledger/book.py", "import subprocess\n", "import subprocess\n\nfrom ledger.sums import total\n")
    put(folder, {"src/ledger/sums.py": moved + "\n"})
    edit(folder, "src/ledger/__init__.py", "from ledger.book import Book, total", "from ledger.book import Book")
    edit(folder, "src/ledger/__init__.py", "__all__", "from ledger.sums import total\n\n__all__")


def reformat_by_ruff(folder: Path) -> None:
    style = ("--config", "line-length=40", "--config", "format.quote-style='single'", "--config", "indent-width=2")
    ruff = Path(sys.executable).parent / "ruff"
    subprocess.run((str(ruff), "format", "--isolated", *style, "."), cwd=folder, check=True, capture_output=True)
    assert "'food'" in (folder / "tests/test_book.py").read_text()


def reformat_by_unparse(folder: Path) -> None:
    for path in folder.rglob("*.py"):
        path.write_text(ast.unparse(ast.parse(path.read_text())) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("change", [rename_file, move_function, reformat_by_ruff, reformat_by_unparse])
def test_a_pure_refactoring_fails_nothing_and_has_no_new_finding(ledger, change):
    change(ledger)
    report = compare(ledger)
    assert failed(report) == []
    assert report.branch.findings.new == ()
    assert report.credibility.score == 1.0


WORKLOADS = """
class Sums:
    id = "sums"
    n = 3000

    def setup(self, size):
        return {"amounts": [list(range(40)) for _ in range(size)]}

    def body(self, inputs):
        import ledger

        return [ledger.total(amounts) for amounts in inputs["amounts"]]

    def digest(self, result):
        return [len(result), sum(result)]


WORKLOADS = [Sums()]
"""


@pytest.mark.slow
def test_a_workload_that_became_twice_as_slow_fails_the_gate(ledger):
    put(ledger, {"bench/loads.py": WORKLOADS, "qualityscore.toml": '[workloads]\nfile = "bench/loads.py"\n'})
    git(ledger, "add", "-A")
    git(ledger, "commit", "-q", "-m", "workloads")
    edit(ledger, "src/ledger/book.py", "    result = 0\n", "    list(map(int, list(amounts) * 3))\n    result = 0\n")
    report = compare(ledger, only=("functional", "efficiency"))
    assert failed(report) == ["no workload is slower"]
    cost = next(m for m in report.dimensions["efficiency"].measures if m.id == "workload.cost")
    assert cost.verdict == "slower"
    assert cost.ratio < 0.6


def test_no_tests_at_all_measures_what_can_be_read_and_says_so(tmp_path):
    put(tmp_path / "before", {"one.py": "def f(x):\n    return x\n"})
    put(tmp_path / "after", {"one.py": "def f(x):\n    return x + 1\n"})
    report = evaluate(tmp_path / "after", baseline=str(tmp_path / "before"), only=QUICK)
    assert report.gate.passed
    assert report.functional.score is None
    assert report.dimensions["maintainability"].score == pytest.approx(1.0)
    assert "there are no tests: only what can be read was measured" in report.branch.notes


@pytest.mark.slow
def test_an_environment_that_only_the_branch_breaks_is_the_branchs_fault(ledger, capsys):
    edit(ledger, "pyproject.toml", "dependencies = []", 'dependencies = ["no-such-distribution-of-anyone==99"]')
    assert main(["evaluate", str(ledger), "--baseline", "main", "--only", "functional", "--json", "-"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["functional"]["score"] == 0.0
    assert [f["fault"] for f in report["faults"] if f["stage"] == "environment"] == ["subject"]
    assert "no-such-distribution-of-anyone" in report["faults"][0]["reason"]


@pytest.mark.slow
def test_a_pyproject_that_only_the_branch_breaks_fails_the_gate(ledger):
    edit(ledger, "pyproject.toml", "dependencies = []", "dependencies = []\n[[[")
    report = compare(ledger, only=("functional",))
    assert failed(report) == ["what passed still passes"]
    assert report.functional.score == 0.0
    assert [f.fault for f in report.faults] == ["subject"]
    assert "pyproject.toml is not TOML" in report.faults[0].reason


@pytest.mark.slow
def test_an_environment_that_the_baseline_cannot_have_is_no_fault_of_the_branch(ledger, capsys):
    edit(ledger, "pyproject.toml", "dependencies = []", 'dependencies = ["no-such-distribution-of-anyone==99"]')
    git(ledger, "commit", "-q", "-a", "-m", "broken")
    assert main(["evaluate", str(ledger), "--baseline", "main", "--only", "functional", "--json", "-"]) == 3
    report = json.loads(capsys.readouterr().out)
    assert report["functional"]["score"] is None
    assert "no-such-distribution-of-anyone" in report["faults"][0]["reason"]


@pytest.mark.slow
def test_tests_that_need_a_service_are_named_and_count_for_nothing(ledger):
    text = "import socket\ndef test_service():\n    socket.create_connection(('127.0.0.1', 9))\n"
    put(ledger, {"tests/test_service.py": text})
    git(ledger, "add", "-A")
    git(ledger, "commit", "-q", "-m", "service")
    report = compare(ledger, only=("functional",))
    assert report.gate.passed
    assert any("1 test needs a network or a service" in note for note in report.branch.notes)


def test_a_snapshot_is_a_baseline(ledger, tmp_path):
    snapshot = tmp_path / "main.json"
    assert main(["baseline", str(ledger), "-o", str(snapshot)]) == 0
    edit(ledger, "src/ledger/book.py", "result += amount", "result = amount")
    report = evaluate(ledger, baseline=str(snapshot), only=("functional",))
    assert failed(report) == ["what passed still passes"]
    assert report.branch.baseline.kept
    assert report.branch.baseline.kind == "snapshot"


def test_without_a_baseline_there_are_raw_measures_and_no_scores(ledger):
    report = evaluate(ledger, only=QUICK)
    assert report.non_functional.score is None
    assert report.gate is None
    assert (report.functional.passed, report.functional.expected) == (4, 4)
    standing = {p.measure: p for p in report.branch.percentiles}
    assert set(standing) == {
        "index.deficit", "complexity.excess", "lint.penalty", "duplication.share", "structure.defects", "bandit.risk",
    }  # fmt: skip
    assert all(0 <= p.percentile <= 100 and p.references >= 3 for p in standing.values())
    assert standing["duplication.share"].value == 0.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--baseline", "nothere"], "neither a ref of"),
        (["--baseline", "main", "--task", "cachetools"], "exclude each other"),
        (["--baseline", "main", "--gate", "/no/gate.toml"], "cannot be read: No such file"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(ledger, capsys, arguments, said):
    assert main(["evaluate", str(ledger), *arguments]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error QS-1")
    assert said in error


def test_a_branch_cannot_name_itself_as_its_baseline(ledger, capsys):
    put(ledger, {"qualityscore.toml": 'baseline = "main"\n'})
    git(ledger, "add", "-A")
    git(ledger, "commit", "-q", "-m", "settings")
    git(ledger, "checkout", "-q", "-b", "evil")
    put(ledger, {"qualityscore.toml": 'baseline = "HEAD"\n'})
    git(ledger, "commit", "-q", "-a", "-m", "evil")
    assert main(["evaluate", str(ledger), "--only", "functional"]) == 2
    assert "names 'HEAD' as the baseline, which is always the commit that is judged" in capsys.readouterr().err


@pytest.mark.slow
def test_a_baseline_of_the_settings_that_is_the_judged_commit_is_noted(ledger):
    put(ledger, {"qualityscore.toml": 'baseline = "main"\n'})
    git(ledger, "add", "-A")
    git(ledger, "commit", "-q", "-m", "settings")
    report = evaluate(ledger, only=("functional",))
    assert report.gate.passed
    said = "the baseline 'main' of qualityscore.toml is the commit that is judged itself: nothing differs from it"
    assert said in report.branch.notes


@pytest.mark.slow
def test_a_gate_that_is_new_in_the_branch_does_not_judge_it(ledger):
    edit(ledger, "src/ledger/book.py", "result += amount", "result = amount")
    lax = '[[gate.condition]]\nnumber = "functional.score"\nmin = 0\n'
    put(ledger, {"qualityscore.toml": 'baseline = "main"\n' + lax})
    report = evaluate(ledger, only=("functional",))
    assert failed(report) == ["what passed still passes"]
    said = "the gate of qualityscore.toml is new in this branch: the default gate decides until it is merged"
    assert said in report.branch.notes


def test_a_folder_without_git_has_no_refs(tmp_path, capsys):
    put(tmp_path / "plain", FILES)
    assert main(["evaluate", str(tmp_path / "plain"), "--baseline", "main"]) == 2
    assert "is not a git repository, and 'main' is neither a snapshot nor a folder" in capsys.readouterr().err


@pytest.mark.slow
def test_without_workloads_the_tests_themselves_say_what_a_branch_costs(ledger):
    text = "from ledger import total\ndef test_much():\n    assert total(range(20_000_000)) == 199_999_990_000_000\n"
    put(ledger, {"tests/test_much.py": text})
    git(ledger, "add", "-A")
    git(ledger, "commit", "-q", "-m", "much")
    edit(
        ledger,
        "src/ledger/book.py",
        "    result = 0\n",
        "    list(map(int, amounts)), list(map(int, amounts))\n    result = 0\n",
    )
    report = compare(ledger, only=("functional", "efficiency"))
    assert report.branch.cost_source == "own tests"
    cost = next(m for m in report.dimensions["efficiency"].measures if m.id == "workload.cost")
    assert cost.details["source"] == "own tests"
    assert cost.ratio < 0.8
    assert failed(report) == ["no workload is slower"]
