"""The command line: light to start, one sentence for bad input, the right exit codes, nothing written in part."""

import contextlib
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from qualityscore import cli
from qualityscore.commands import output
from qualityscore.errors import OutputError
from qualityscore.runtime.documents import read_report
from qualityscore.runtime.tasks import data_root, task_ids

ROOT = Path(cli.__file__).resolve().parents[1]
DEMO = ROOT / "examples" / "cachetools_fair"
HEAVY = ("pylint", "bandit", "libcst", "numpy", "scipy", "radon", "statsmodels", "pandas")


def run(*words: str) -> subprocess.CompletedProcess:
    argv = [sys.executable, "-m", "qualityscore.cli", *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, cwd=ROOT)


def test_help_imports_no_measuring_tool():
    code = (
        "import sys\nfrom qualityscore import cli\n"
        "try:\n    cli.main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print('LOADED', [m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.stdout.endswith("LOADED []\n")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["evaluate", "/no/such/place", "--task", "cachetools"], "QS-112", "/no/such/place does not exist"),
        (["evaluate", __file__, "--task", "cachetools"], "QS-110", "is not a folder"),
        (["evaluate", "EMPTY", "--task", "cachetools"], "QS-110", "is empty"),
        (["evaluate", "NOPYTHON", "--task", "cachetools"], "QS-110", "holds no Python file"),
        (["evaluate", str(DEMO), "--task", "cachetool"], "QS-120", "did you mean 'cachetools'?"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--only", "speed"], "QS-101", "neither functional nor"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--only", ","], "QS-101", "--only names nothing"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--profile", "refrence"], "QS-140", "mean 'reference'"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--json", "/no/such/r.json"], "QS-160", "does not exist"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--json", "/"], "QS-160", "is a folder"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--profile", "ral-bench"], "QS-140", "does not measure"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--counter", "hours"], "QS-101", "is unknown"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--time-budget", "0"], "QS-101", "is no number of seconds"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--time-budget", "nan"], "QS-101", "is no number of seconds"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--format", "pdf"], "QS-101", "is not NAME"),
        (
            ["evaluate", "", "--task", "cachetools"],
            "QS-101",
            "argument REPO: the path is empty; see quali",
        ),
        (["evaluate", "x" * 300, "--task", "cachetools"], "QS-112", "File name too long; give the folder"),
        (["evaluate", str(DEMO), "--task", ""], "QS-120", "There is no task ''"),
        (["evaluate", str(DEMO), "--task", "x" * 300], "QS-120", "There is no task 'xxx"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--profile", "x" * 300], "QS-140", "There is no profile 'xx"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--json", ""], "QS-160", "name of an output is empty"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--json", "x" * 300], "QS-160", "File name too long"),
        (
            ["evaluate", str(DEMO), "--task", "cachetools", "--json", "a", "--format", "junit=./a"],
            "QS-101",
            "both go to",
        ),
        (
            ["evaluate", str(DEMO), "--task", "cachetools", "--json", "-", "--format", "junit"],
            "QS-101",
            "Only one d",
        ),
        (["evaluate", str(DEMO), "--task", "cachetools", "--sample", "-3"], "QS-101", "is not a whole number from 0"),
        (["evaluate", str(DEMO), "--jsn", "x"], "QS-101", "unrecognized arguments: --jsn x; see qualityscore --help."),
        (["evalute"], "QS-101", "invalid choice: 'evalute'"),
        (["evaluate"], "QS-101", "required: REPO; see qualityscore evaluate --help."),
        (["analyze", ""], "QS-101", "argument PATH: the path is empty"),
        (["analyze", "EMPTY"], "QS-110", "it holds no Python file"),
        (["baseline", "x" * 300, "-o", "x.json"], "QS-120", "There is no task 'xxx"),
        (["tasks", "fetch", "cachetools", "x" * 300], "QS-160", "File name too long"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--require-sandbox", "vm"], "QS-101", "is no level"),
        (["evaluate", str(DEMO), "--baseline", ""], "QS-101", "argument --baseline: the path is empty"),
        (["evaluate", str(DEMO), "--baseline", "x" * 300], "QS-180", "nor a folder"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--gate", "none"], "QS-190", "The gate none cannot be read"),
        (["evaluate", str(DEMO), "--task", "cachetools", "--gate", __file__], "QS-190", "is not TOML"),
        (["tasks", "show", "nothing"], "QS-120", "There is no task 'nothing'"),
        (["tasks", "fetch", "cachetools", str(ROOT)], "QS-160", "is not empty"),
        (["tasks", "fetch", "cachetools", __file__], "QS-160", "is not a folder"),
        (["tasks", "fetch", "cachetools", f"{__file__}/under"], "QS-160", f"cannot be made in {__file__}"),
        (["baseline", "cachetools"], "QS-101", "needs -o FILE"),
        (["baseline", "verify"], "QS-101", "needs a task"),
        # Places that are there and take no new file are tried before anything else is looked at.
        (["evaluate", "/no/place", "--json", "/proc/x"], "QS-160", "/proc/x cannot be written: No such file"),
        (["evaluate", "/no/place", "--json", "/proc/version"], "QS-160", "/proc/version cannot be written"),
        (["evaluate", "/no/place", "--format", "html=/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["evaluate", "/no/place", "--format", "html=/proc/1/mem"], "QS-160", "/proc/1/mem cannot be written"),
        (["baseline", "/no/place", "-o", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["batch", "/no/manifest", "-o", "/proc/x"], "QS-210", "/proc/x cannot be used"),
        (["batch", "/no/m", "-o", "EMPTY", "--require-sandbox", "vm"], "QS-101", "--require-sandbox 'vm' is no level"),
        (["serve", "--require-sandbox", "vm"], "QS-101", "--require-sandbox 'vm' is no level"),
        (["merge", "/no/place", "-o", "/proc/x"], "QS-210", "/proc/x cannot be used"),
        (["probes", "build", "cachetools", "-o", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["analyze", "/no/place", "--json", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["analyze", "/no/place", "--propose", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["leaderboard", "/no/place", "--csv", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["leaderboard", "/no/place", "--markdown", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["compare", "/no/a", "/no/b", "--json", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["report", "/no/place", "-o", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["rescore", "/no/place", "--json", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["stability", "/no/place", "--json", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["passk", "/no/place", "--json", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["weights", "--profile", "none", "--json", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["tasks", "defects", "none", "--json", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["tasks", "defects", "none", "--store", "/proc/x"], "QS-160", "/proc/x cannot be written"),
        (["tasks", "defects", "none", "--store", "/proc/version"], "QS-160", "/proc/version cannot be written"),
        (["tasks", "fetch", "cachetools", "/proc/x"], "QS-160", "/proc/x cannot be made in /proc"),
        # One document at most on standard output.
        (["leaderboard", "/no/place", "--json", "-", "--csv", "-"], "QS-101", "Only one document"),
        (["leaderboard", "/no/place", "--csv", "-", "--markdown", "-"], "QS-101", "Only one document"),
        (["leaderboard", "/no/place", "--json", "a", "--csv", "./a"], "QS-101", "both go to"),
        (["analyze", "EMPTY", "--json", "-", "--propose", "-"], "QS-101", "Only one document"),
        (["explain", "/no/report.json"], "QS-150", "cannot be read"),
        (["explain", str(ROOT / "pyproject.toml")], "QS-150", "not JSON"),
    ],
)
def test_bad_input_is_one_sentence_with_its_code(words, code, sentence, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "nopython").mkdir()
    (tmp_path / "nopython" / "a.txt").write_text("a")
    places = {"EMPTY": str(tmp_path / "empty"), "NOPYTHON": str(tmp_path / "nopython")}
    with contextlib.chdir(tmp_path):
        assert cli.main([places.get(word, word) for word in words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"error {code}: ")
    assert said.err.count("\n") == 1
    assert sentence in said.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty", "nopython"]


def test_standard_output_by_another_name_is_standard_output():
    done = run("leaderboard", "/no/place", "--json", "-", "--csv", "/dev/stdout")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error QS-101: Only one document")


def test_what_is_thrown_away_may_be_several_documents():
    argv = [sys.executable, "-m", "qualityscore.cli", "leaderboard", "/no/place"]
    argv += ["--json", os.devnull, "--csv", os.devnull]
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60, cwd=ROOT)
    assert done.stderr.startswith("error QS-150: There are no results at /no/place")


def test_a_name_of_the_greatest_length_can_be_written(tmp_path):
    name = tmp_path / f"{'x' * 250}.json"
    output.check_writable(str(name))
    output.write(str(name), "{}")
    assert [(file, file.read_text()) for file in tmp_path.iterdir()] == [(name, "{}")]


def test_trying_a_pipe_does_not_tell_its_reader_that_all_is_over(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader, open(pipe, "wb") as other:  # noqa: PTH123
        output.check_writable(str(pipe))
        other.write(b"still")
        other.flush()
        assert reader.read() == b"still"


@pytest.mark.parametrize("words", [("evaluate",), ("evaluate", "--task", "cachetools"), ("analyze",)])
def test_a_link_to_itself_is_called_that(words, tmp_path, capsys):
    (tmp_path / "loop").symlink_to("loop")
    assert cli.main([words[0], str(tmp_path / "loop"), *words[1:]]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error QS-112: ")
    assert "a symbolic link that leads back to itself; give" in said


@pytest.mark.parametrize("command", ["passk", "stability", "leaderboard", "rescore", "explain", "evaluate"])
def test_an_argument_with_a_null_character_is_refused_before_it_becomes_a_path(command, capsys):
    assert cli.main([command, "a\0b"]) == 2
    said = capsys.readouterr().err
    assert (
        said == "error QS-101: The argument 'a\\x00b' holds a null character, which no path or name can; remove it.\n"
    )


def test_a_batch_of_nothing_is_refused(tmp_path, capsys):
    (tmp_path / "m.jsonl").write_text("\n")
    assert cli.main(["batch", str(tmp_path / "m.jsonl"), "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(f"error QS-200: There is nothing to evaluate in {tmp_path / 'm.jsonl'}")


def test_a_disk_that_takes_no_copy_is_the_hosts_fault_and_names_the_stage(tmp_path):
    (tmp_path / "pkg.py").write_text("x = 1\n" * 1000)

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    argv = [sys.executable, "-m", "qualityscore.cli", "evaluate", str(tmp_path), "--task", "cachetools"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, cwd=ROOT, preexec_fn=small_files)
    assert done.returncode == 3
    assert done.stderr.startswith("error QS-300: Stage copy: 'pkg.py' of ")
    assert "File too large; make room there" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_help_of_a_campaign_of_defects_says_its_defaults_and_where_to_read_on():
    said = " ".join(run("tasks", "defects", "--help").stdout.split())
    for default in ("judge (default 40)", "same time (default 2)", "choice (default 20240229)", "about 3 minutes"):
        assert default in said
    assert (ROOT / "docs/howto/defects.md").is_file()
    assert "docs/howto/defects.md" in said


def test_no_command_is_a_usage_error_with_the_help():
    done = run()
    assert done.returncode == 2
    assert "usage: qualityscore" in done.stderr


def test_the_version_is_the_distributions():
    assert run("--version").stdout.startswith("qualityscore ")


def test_a_document_is_written_whole_or_not_at_all(tmp_path):
    target = tmp_path / "r.json"
    target.write_text("before")
    output.write(str(target), "after")
    assert target.read_text() == "after"
    with pytest.raises(UnicodeEncodeError):
        output.write(str(target), "half \ud800")
    assert target.read_text() == "after"
    assert list(tmp_path.iterdir()) == [target]


def test_an_unwritable_folder_is_named_before_the_work_starts(tmp_path):
    with pytest.raises(OutputError, match="does not exist"):
        output.check_writable(str(tmp_path / "gone" / "r.json"))


def test_tasks_are_listed_and_shown(capsys):
    assert cli.main(["tasks", "list"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["cachetools", "cachetools", "8.0.2"] in [row[:3] for row in rows]
    assert ["python-slugify", "python-slugify"] in [row[:2] for row in rows]
    assert cli.main(["tasks", "show", "cachetools"]) == 0
    assert "cachetools.LRUCache" in capsys.readouterr().out


@pytest.mark.parametrize("columns", [None, "80", "20"])
def test_no_listing_cuts_an_id_whatever_the_width(columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns or "")
    assert cli.main(["tasks", "list"]) == 0
    lines = capsys.readouterr().out.partition("\n\n")[0].splitlines()
    assert {"id", *task_ids()} <= {line.split("  ")[0] for line in lines}
    if columns == "80":
        assert max(map(len, lines)) <= 80


def test_tasks_without_a_snapshot_are_named_below_the_list_with_the_command_that_makes_one(capsys, monkeypatch):
    monkeypatch.setattr("qualityscore.runtime.environment.python_minor", lambda: "3.99")
    assert cli.main(["tasks", "list"]) == 0
    shown = capsys.readouterr().out
    assert f"no baseline snapshot for Python 3.99 yet: {', '.join(task_ids())}" in shown
    first = task_ids()[0]
    assert f"qualityscore baseline {first} -o {data_root() / 'baselines' / first / 'baseline-3.99.json'}" in shown


def test_doctor_keeps_to_the_terminals_width_and_folds_only_texts(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    cli.main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    (header,) = [line for line in lines if line.startswith("what a sandbox promises")]
    assert header.split()[-4:] == ["bubblewrap", "container", "landlock", "unsafe"]


EVALUATE = ["-m", "qualityscore.cli", "evaluate", str(DEMO), "--task", "cachetools", "--only", "functional"]


def shell(command: str, *words: str) -> subprocess.CompletedProcess:
    """Run `command` in a shell, in which "$@" is python with the words."""
    argv = ["sh", "-c", command, "sh", sys.executable, *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, cwd=ROOT)


def test_a_standard_output_that_is_full_is_said_and_the_report_in_a_file_is_kept(tmp_path):
    done = shell('"$@" >/dev/full', *EVALUATE, "--json", str(tmp_path / "r.json"))
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == "error QS-160: Standard output cannot be written: No space left on device."
    assert read_report(str(tmp_path / "r.json")).functional.passed == 83


def test_a_listing_into_a_full_disk_ends_with_one_sentence():
    done = shell('"$@" >/dev/full', "-m", "qualityscore.cli", "tasks", "list")
    assert (done.returncode, done.stderr) == (3, "error QS-300: the host failed: [Errno 28] No space left on device\n")


def test_a_reader_that_has_read_enough_is_no_error():
    done = shell('"$@" | head -c 1', "-m", "qualityscore.cli", "weights")
    assert done.stderr == ""


def test_closed_standard_streams_do_not_reach_the_sandbox(tmp_path):
    done = shell('"$@" <&- >&- 2>&-', *EVALUATE, "--json", str(tmp_path / "r.json"))
    assert done.returncode == 0
    assert read_report(str(tmp_path / "r.json")).functional.passed == 83


def test_a_defect_of_ours_is_never_taken_for_a_failed_gate(monkeypatch, capsys):
    def broken():
        raise TypeError("a defect")

    monkeypatch.setattr("qualityscore.runtime.tasks.task_ids", broken)
    assert cli.main(["tasks", "list"]) == 3
    assert capsys.readouterr().err.splitlines()[-1].startswith("error QS-000: this is a defect of qualityscore")


OWN_TASK = """
id = "own"
title = "A task of one's own"
scenario = "utilities"
[reference]
path = "reference"
[environment]
python = ">=3.11"
lock = "requirements.lock"
[surface]
imports = ["thing"]
[suites.functional]
files = ["suites/test_*.py"]
"""


@pytest.fixture
def own_task(tmp_path):
    folder = tmp_path / "own"
    (folder / "reference").mkdir(parents=True)
    (folder / "reference" / "thing.py").write_text("")
    (folder / "task.toml").write_text(OWN_TASK)
    (folder / "surface.json").write_text('{"entries": []}')
    (folder / "requirements.lock").write_text("")
    return folder


def test_a_reference_that_is_a_folder_is_fetched_and_named(own_task, tmp_path, capsys):
    assert cli.main(["tasks", "fetch", str(own_task), str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == f"reference is in {tmp_path / 'out'}\n"
    assert (tmp_path / "out" / "thing.py").is_file()


def test_a_requirement_that_is_not_utf_8_is_refused_in_a_sentence(own_task, capsys):
    (own_task / "requirement.md").write_bytes("Größe".encode("latin-1"))
    assert cli.main(["tasks", "show", str(own_task)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"error QS-120: The requirement {own_task / 'requirement.md'} cannot be read: ")
    assert said.err.count("\n") == 1
