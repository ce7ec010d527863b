"""The adapters, each inside what it is made for: a reward function, an Inspect task, a Harbor verifier."""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from backend.serving import Serving, nothing_cached
from backend.tiny import HALF, ROOT, SOURCE, environment, write_subject
from qualityscore.adapters import harbor as harbor_adapter
from qualityscore.adapters.harbor import main as harbor_main
from qualityscore.adapters.inspect import _PACK, _scored
from qualityscore.adapters.rewards import score_repositories
from qualityscore.adapters.scoring import LocalScorer
from qualityscore.errors import SubjectError, TaskError, UsageError
from qualityscore.execution.jobs import Job
from qualityscore.execution.local_engine import LocalEngine
from qualityscore.execution.packing import upload_of
from qualityscore.execution.scores import check_component, harness_faults
from qualityscore.model.codec import dump
from qualityscore.model.measure import Fault
from qualityscore.model.report import FaultReport, Status
from sample_reports import report as sample_report

ONLY = ["functional"]


def python(code: str, *arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        env=environment(env),
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_rewards_come_in_the_order_of_the_repositories(tiny_task, tmp_path):
    half = write_subject(tmp_path / "half", source=HALF)
    subjects = [half, {"tiny.py": SOURCE}, {"notes.txt": "no code"}, {"../evil.py": "x"}, {"tiny.py": "1/0"}]
    assert score_repositories(subjects, str(tiny_task), component="F", only=ONLY) == [0.5, 1.0, 0.0, 0.0, 0.0]


def test_what_the_caller_got_wrong_is_an_error_and_no_reward(tiny_task, tmp_path):
    with pytest.raises(UsageError, match="There is no score 'speed'"):
        score_repositories([{"tiny.py": SOURCE}], str(tiny_task), component="speed", only=ONLY)
    with pytest.raises(UsageError, match="'effective' is never measured with only functional: it needs maintainab"):
        score_repositories([{"tiny.py": SOURCE}], str(tiny_task), only=ONLY)
    with pytest.raises(UsageError, match="not asked for"):
        score_repositories([{"tiny.py": SOURCE}], str(tiny_task), only=["functional", "security"])
    with pytest.raises(TaskError):
        score_repositories([{"tiny.py": SOURCE}], "no-such-task")
    for one in (str(tmp_path), tmp_path, {"tiny.py": SOURCE}):
        with pytest.raises(UsageError, match="put it into a list"):
            score_repositories(one, str(tiny_task), component="F", only=ONLY)
    with pytest.raises(UsageError, match=r"only='functional' is one text, not a list"):
        score_repositories([{"tiny.py": SOURCE}], str(tiny_task), component="F", only="functional")
    with pytest.raises(UsageError, match="jobs=0 would evaluate nothing"):
        score_repositories([{"tiny.py": SOURCE}], str(tiny_task), component="F", only=ONLY, jobs=0)
    score_repositories([], str(tiny_task), component="F", only=ONLY)
    with pytest.raises(UsageError, match="keep to one number per process"):
        score_repositories([], str(tiny_task), component="F", only=ONLY, jobs=4095)


@pytest.mark.parametrize(
    "subjects",
    [
        [{"tiny.py": SOURCE}, {"tiny.py": [{"role": "assistant", "content": SOURCE}]}],  # a completion of messages
        [{"tiny.py": None}],
        [{1: SOURCE}],
        [None],
    ],
)
def test_what_is_no_subject_is_the_callers_mistake_and_no_0(tiny_task, subjects):
    with pytest.raises(UsageError, match="Not all of these are subjects"):
        score_repositories(subjects, str(tiny_task), component="F", only=ONLY)


def test_a_profile_is_named_by_a_path_from_where_the_caller_is(tiny_task, tmp_path, monkeypatch):
    shutil.copy(ROOT / "qualityscore" / "profiles" / "reference.toml", tmp_path / "mine.toml")
    monkeypatch.chdir(tmp_path)
    subjects = [{"tiny.py": HALF}]
    assert score_repositories(subjects, str(tiny_task), component="F", only=ONLY, profile="mine.toml") == [0.5]


FORKING = """
    import multiprocessing, sys
    from qualityscore.adapters.rewards import score_repositories

    def one(text):
        return score_repositories([{"tiny.py": text}], sys.argv[1], component="F", only=["functional"], jobs=1)[0]

    half, whole = sys.argv[2:]
    print(one(half))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map_async(one, [whole, half] * 4, chunksize=1).get(100))
    print(one(whole))
"""


def test_forked_processes_have_workers_of_their_own(tiny_task):
    done = python(FORKING, tiny_task, HALF, SOURCE)
    assert done.stdout.splitlines() == ["0.5", "[1.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5]", "1.0"], done.stderr


def test_repositories_that_come_one_by_one_are_all_scored(tiny_task):
    subjects = ({"tiny.py": text} for text in (HALF, SOURCE))
    assert score_repositories(subjects, str(tiny_task), component="F", only=ONLY) == [0.5, 1.0]


def test_a_text_that_is_too_long_for_a_path_is_one_that_does_not_exist(tiny_task):
    with pytest.warns(RuntimeWarning, match="(?s)Two small functions.* does not exist"):
        assert score_repositories([SOURCE * 3], str(tiny_task), component="F", only=ONLY) == [None]


def test_threads_share_the_workers(tiny_task):
    """Two calls with one subject each are evaluated side by side on two workers, and no more than those at a time."""
    both = threading.Barrier(2)

    class Meeting(LocalEngine):
        def evaluate(self, job: Job, progress=None, **more):
            both.wait(60)  # breaks, and costs the subject its score, where the other does not come
            return super().evaluate(job, progress, **more)

    def one(text: str) -> float | None:
        return scorer.score([{"tiny.py": text}], str(tiny_task), only=ONLY)[0].components["F"]

    scorer = LocalScorer(jobs=2)
    scorer._engine = Meeting(lanes=2, scratch=scorer._scratch.path, longest_s=60)
    try:
        with ThreadPoolExecutor(6) as threads:
            assert list(threads.map(one, [HALF, SOURCE] * 3)) == [0.5, 1.0] * 3
    finally:
        scorer.close()


INTERRUPTED = """
    import os, signal, sys, threading, time
    from qualityscore.adapters.rewards import score_repositories

    def scored(*texts):
        repositories = [{"tiny.py": text} for text in texts]
        return score_repositories(repositories, sys.argv[1], component="F", only=["functional"], jobs=2)

    half, whole = sys.argv[2:]
    print(scored(half, whole))
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        scored("import time; time.sleep(100)")
    except KeyboardInterrupt:
        print("interrupted")
    print(scored(half, whole))
"""


def test_after_an_interruption_the_workers_are_new(tiny_task):
    done = python(INTERRUPTED, tiny_task, HALF, SOURCE)
    assert done.stdout.splitlines() == ["[0.5, 1.0]", "interrupted", "[0.5, 1.0]"], done.stderr


def test_a_path_that_does_not_exist_has_no_reward_and_costs_the_others_nothing(tiny_task, tmp_path):
    half = write_subject(tmp_path / "half", source=HALF)
    with pytest.warns(RuntimeWarning, match="none does not exist"):
        found = score_repositories([tmp_path / "none", half], str(tiny_task), component="F", only=ONLY)
    assert found == [None, 0.5]


@pytest.mark.parametrize(
    ("component", "only", "possible"),
    [
        ("effective", None, True),
        ("effective", ["functional"], False),
        ("effective", ["security"], False),
        ("effective", ["functional", "security"], True),  # where the task has no other dimension
        ("F", ["functional"], True),
        ("F", ["security"], False),
        ("NF", ["functional"], False),
        ("security", ["functional", "security"], True),
        ("security", ["functional", "robustness"], False),
        ("credibility", ["efficiency"], True),  # costs are measured where the subject was right
        ("credibility", ["functional", "resource"], False),
        ("G", None, False),
    ],
)
def test_a_score_that_can_never_be_measured_is_refused(component, only, possible):
    if possible:
        check_component(component, only)
    else:
        with pytest.raises(UsageError):
            check_component(component, only)


def test_a_refusal_names_a_subject_as_its_owner_does(tiny_task, tmp_path):
    archive = tmp_path / "notes.tar"
    (tmp_path / "notes.txt").write_text("no code")
    with tarfile.open(archive, "w") as tar:
        tar.add(tmp_path / "notes.txt", "notes.txt")
    scorer = LocalScorer(jobs=1)
    try:
        found = scorer.score([{"notes.txt": "no code"}, archive], str(tiny_task), only=ONLY)
    finally:
        scorer.close()
    why = "holds no Python file; give a repository with Python code."
    assert [one.reason for one in found] == [f"The map of files {why}", f"{archive} {why}"]


UNREADABLE = """
    import os, sys
    from qualityscore.adapters.scoring import LocalScorer

    if os.getuid() == 0:
        os.setresuid(65534, 65534, 65534)  # modes do not hold the superuser
    scorer = LocalScorer(jobs=1)
    (found,) = scorer.score([sys.argv[1]], "cachetools", only=["functional"])
    scorer.close()
    print(found.missing, found.harness, found.reason)
"""


def test_a_folder_that_may_not_be_read_is_missing_and_no_fault_of_the_harness():
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        (Path(place) / "app").mkdir(mode=0)
        done = python(UNREADABLE, f"{place}/app")
    assert done.stdout == f"True False {place}/app cannot be read; check its permissions.\n", done.stderr


@pytest.mark.parametrize(("status", "count"), [(Status.TAMPERED, 0), (Status.PARTIAL, 1)])
def test_no_fault_of_the_harness_turns_the_0_of_a_tampered_run_into_no_score(status, count):
    """It has 0 in everything, whatever else failed meanwhile; to evaluate it again would give it another chance."""
    ours = FaultReport(stage="cost", fault=Fault.HARNESS, reason="the disk is full")
    theirs = FaultReport(stage="surface", fault=Fault.SUBJECT, reason="it raises")
    document = json.loads(dump(sample_report(status=status, faults=(ours, theirs))))
    assert len(harness_faults(document)) == count


def removes(job: Job) -> None:
    shutil.rmtree(job.folder)


def fails(job: Job) -> None:
    raise IndexError("string index out of range")


def edits(job: Job) -> None:
    (job.folder / "tiny.py").write_text("1/0\n")


@pytest.mark.parametrize("meddle", [removes, fails, edits])
def test_what_happens_to_a_subject_after_it_was_read_is_no_zero(tiny_task, tmp_path, meddle):
    class Meddling(LocalEngine):
        def evaluate(self, job: Job, progress=None, **more):
            if "away" in (job.folder / "tiny.py").read_text():
                meddle(job)
            return super().evaluate(job, progress, **more)

    named = write_subject(tmp_path / "named", "away")
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(upload_of(named))
    subjects = [named, {"tiny.py": SOURCE + "# away"}, archive, {"tiny.py": HALF}, {"notes.txt": ""}]
    scorer = LocalScorer(jobs=1)
    scorer._engine = Meddling(lanes=1, scratch=scorer._scratch.path, longest_s=60)
    try:
        found = scorer.score(subjects, str(tiny_task), only=ONLY)
    finally:
        scorer.close()
    assert [one.components["F"] for one in found] == [None, None, None, 0.5, 0.0]
    assert [one.harness for one in found] == [True, True, True, False, False]


@pytest.mark.parametrize("file", ["task.toml", "removed"])
def test_a_task_that_changes_while_its_subjects_are_scored_is_no_zero(tiny_task, tmp_path, file):
    task = shutil.copytree(tiny_task, tmp_path / "tasks" / "tiny")

    class Meddling(LocalEngine):
        def evaluate(self, job: Job, progress=None, **more):
            if file == "removed":
                shutil.rmtree(task, ignore_errors=True)
            else:
                (task / file).write_text((task / file).read_text() + "# changed\n")
            return super().evaluate(job, progress, **more)

    scorer = LocalScorer(jobs=1)
    scorer._engine = Meddling(lanes=1, scratch=scorer._scratch.path, longest_s=60)
    try:
        (found,) = scorer.score([{"tiny.py": HALF}], str(task), only=ONLY)
    finally:
        scorer.close()
    assert (found.harness, found.components["F"]) == (True, None)
    assert found.reason is not None
    assert str(task) in found.reason


def test_a_task_is_named_by_its_id_beside_a_folder_of_that_name(tmp_path, monkeypatch):
    (tmp_path / "cachetools").mkdir()
    monkeypatch.chdir(tmp_path)
    assert score_repositories([{"cachetools.py": "1/0"}], "cachetools", component="F", only=ONLY) == [0.0]


HOW_TO = (ROOT / "docs" / "howto" / "adapters.md").read_text("utf-8")


def snippet(holding: str, **changes: str) -> str:
    """The indented block of the how-to that holds a text, with what stands for the reader's own replaced."""
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", HOW_TO, re.M)
    (found,) = (textwrap.dedent(block) for block in blocks if holding in block)
    for old, new in changes.items():
        assert old in found
        found = found.replace(old, new)
    return found


def test_a_harness_fault_is_none_and_the_wrappers_of_the_how_to_pass_it_on(tiny_task, tmp_path):
    task = {"my-task": str(tiny_task)}
    imports = snippet("import score_repositories").strip().splitlines()[0]
    wrappers = [snippet(name, **task) for name in ("def reward(", "def compute_score(")]
    use = """
source = open(sys.argv[1]).read()
print(reward([source, "broken("]), compute_score("d", source, None))
"""
    code = "\n".join(["import sys", imports, *wrappers, use])
    source = write_subject(tmp_path / "s", source=HALF) / "tiny.py"
    good = python(code, source)
    assert good.stdout.strip() == "[0.5, 0.0] 0.5", good.stderr
    broken = python(code, source, env=nothing_cached(tmp_path))
    assert broken.stdout.strip() == "[None, None] None", broken.stderr


INSPECT_TASK = """
    import sys, json
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import solver
    from inspect_ai.util import sandbox
    IMPORT

    @solver
    def write_answer():
        async def solve(state, generate):
            state = await generate(state)
            command, name, text = state.output.completion.split("|", 2)
            await sandbox().exec(["sh", "-c", command])
            await sandbox().write_file(name, text)
            return state
        return solve

    def answer(text):
        usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it fetches a tokenizer
        return ModelOutput.from_content("mockllm/model", text).model_copy(update={"usage": usage})

    task_path, log_folder, answers = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    options, places = json.loads(sys.argv[4]), json.loads(sys.argv[5])
    if places:
        options["host_folder"] = lambda state: state.metadata["place"]
    samples = [Sample(input="write it", metadata={"place": place}) for place in places or answers]
    (log,) = eval(
        TASK,
        model=get_model("mockllm/model", custom_outputs=[answer(text) for text in answers]),
        log_dir=log_folder, display="none", max_samples=1,
    )
    assert log.status == "success", log.error
    scores = [sample.scores["qualityscore"] for sample in log.samples]
    print(json.dumps([score.model_dump() for score in scores]))
    print(json.dumps({s.name: s.metrics["mean"].value for s in log.results.scores if "mean" in s.metrics}))
"""


def inspect(tmp_path, tiny_task, answers, options=None, *, places=(), env=None):
    """Evaluate samples whose solver does as each answer says, `COMMAND|FILE|TEXT`; the scores and the means."""
    yours = {"dataset=…": "dataset=samples", "solver=…": "solver=write_answer()", '"docker"': '"local"'}
    ours = {'"my-task"': "task_path", 'folder="/app"': "**options"}
    lines = snippet("adapters.inspect", **yours, **ours).splitlines()
    (imports,) = (line for line in lines if line.startswith("from "))
    (task,) = (line for line in lines if line.startswith("Task("))
    code = INSPECT_TASK.replace("IMPORT", imports).replace("TASK", task)
    words = map(json.dumps, (answers, options or {}, list(places)))
    done = python(code, tiny_task, tmp_path / "logs", *words, env=env)
    assert done.returncode == 0, done.stderr[-3000:]
    return map(json.loads, done.stdout.strip().splitlines()[-2:])


def test_an_inspect_task_is_scored_from_its_samples_sandboxes(tiny_task, tmp_path):
    environment = "mkdir -p .venv/bin && ln -s /bin/sh .venv/bin/python && ln tiny.py again.py && mkfifo pipe"
    answers = [
        f"|tiny.py|{HALF}",
        f"|tiny.py|{SOURCE}",
        "|notes.txt|no code",
        f": > tiny.py; {environment}|tiny.py|{HALF}",
        f"mkdir a; printf %s {shlex.quote(HALF)} > a/inner.py|a/tiny.py|from a.inner import *",  # no wrapping folder
        f"ln -s $PWD/a.py tiny.py; touch 'a\\b' 'line\nbreak'|a.py|{HALF}",
    ]
    scores, means = inspect(tmp_path, tiny_task, answers)
    assert [s["value"]["F"] for s in scores] == [0.5, 1.0, 0.0, 0.5, 0.5, 0.5]
    assert all(math.isnan(s["value"]["NF"]) for s in scores)
    assert scores[2]["value"]["score"] == 0
    assert scores[2]["explanation"] == "The folder . holds no Python file; give a repository with Python code."
    assert scores[0]["metadata"]["components"]["NF"] is None
    assert "no Python file" in scores[2]["explanation"]
    assert means["F"] == 0.5


def test_an_inspect_folder_that_is_not_there_is_the_subject_s_fault(tiny_task, tmp_path):
    (score,), _ = inspect(tmp_path, tiny_task, [f"|tiny.py|{SOURCE}"], {"folder": "app"})
    assert score["value"]["F"] == 0
    assert score["explanation"] == "The sandbox has no folder app that can be read."


def without_tar(folder: Path) -> dict[str, str]:
    (folder / "bin").mkdir()
    for tool in ("sh", "mktemp", "rm"):
        (folder / "bin" / tool).symlink_to(str(shutil.which(tool)))
    return {"PATH": str(folder / "bin")}


def with_a_full_disk(folder: Path) -> dict[str, str]:
    """Whatever the sandbox packs goes to a device that is always full."""
    (folder / "bin").mkdir()
    (folder / "full").symlink_to("/dev/full")
    (folder / "bin" / "mktemp").write_text(f"#!/bin/sh\nprintf %s {folder}/full\n")
    (folder / "bin" / "mktemp").chmod(0o755)
    return {"PATH": f"{folder}/bin:{os.environ['PATH']}"}


def with_a_small_window(folder: Path) -> dict[str, str]:
    return {"INSPECT_SANDBOX_MAX_READ_FILE_SIZE": "100"}


def packed(folder: Path) -> tuple[int, list[str]]:
    """The status of packing a folder as somebody whom modes hold, and the names of what was packed."""
    somebody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    done = subprocess.run([*somebody, "sh", "-c", _PACK, "sh", folder], capture_output=True, text=True, timeout=60)
    if done.returncode:
        return done.returncode, []
    file, _, origin = done.stdout.removesuffix("\n").partition("\n")
    assert origin == str(folder.resolve())
    with tarfile.open(file) as tar:
        names = tar.getnames()
    Path(file).unlink()
    return 0, sorted(names)


def test_what_an_agent_makes_unreadable_is_left_out_of_what_inspect_fetches():
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, mode in (("seen.py", 0o644), ("hidden.py", 0)):
            (folder / name).write_text("")
            (folder / name).chmod(mode)
        folder.chmod(0o755)
        assert packed(folder) == (0, [".", "./seen.py"])
        folder.chmod(0)
        assert packed(folder) == (44, [])


def test_what_an_evaluation_leaves_out_for_its_size_is_not_fetched_from_an_inspect_sandbox():
    """A file of more than 32 MiB; what is a pattern to tar is a name here, and two lines are not two names."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        sizes = {"a[b]*.bin": 1, "ab.bin": 0, "at the limit": 0, "above": 1, "two\nab.bin": 1}
        for name, above in sizes.items():
            with (folder / name).open("wb") as file:
                file.truncate((32 << 20) + above)
        (folder / "link").symlink_to("a[b]*.bin")
        (folder / "to itself").symlink_to("to itself")
        folder.chmod(0o755)
        assert packed(folder) == (0, [".", "./ab.bin", "./at the limit", "./to itself", "./two\nab.bin"])


WRITING = "head -c 20000000 /dev/zero > log; (while :; do echo more; done) >> log 2> /dev/null &"


def test_what_an_agent_left_running_does_not_keep_inspect_from_its_folder(tiny_task, tmp_path):
    """GNU's tar says that a file changed as it read it, which is no fault of the sandbox."""
    stop = f"{WRITING} echo $! > {shlex.quote(str(tmp_path / 'pid'))}"
    try:
        (score,), _ = inspect(tmp_path, tiny_task, [f"timeout 60 sh -c {shlex.quote(stop)}|tiny.py|{HALF}"])
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert score["value"]["F"] == 0.5, score


def test_a_folder_that_an_inspect_sample_has_removed_since_scores_0(tiny_task, tmp_path):
    with pytest.raises(SubjectError, match="none does not exist"):
        asyncio.run(_scored(tmp_path / "none", str(tiny_task), ONLY, "reference", None))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [(without_tar, "tar"), (with_a_full_disk, "No space left on device"), (with_a_small_window, "100")],
)
def test_an_inspect_sample_is_unscored_where_the_sandbox_is_at_fault(tiny_task, tmp_path, spoil, reason):
    (score,), _ = inspect(tmp_path, tiny_task, [f"|tiny.py|{SOURCE}"], env=spoil(tmp_path))
    assert math.isnan(score["value"])
    assert score["reason"] == "harness_fault"
    assert reason in score["explanation"]


def test_an_inspect_task_is_scored_from_folders_of_this_machine(tiny_task, tmp_path):
    places = [str(write_subject(tmp_path / "half", source=HALF)), str(tmp_path / "none"), "n" * 300]
    scores, _ = inspect(tmp_path, tiny_task, ["|a|b"] * 3, places=places)
    assert [s["value"]["F"] for s in scores] == [0.5, 0.0, 0.0]
    assert scores[1]["explanation"] == f"The folder {tmp_path}/none does not exist."


@pytest.mark.slow
def test_an_inspect_sample_is_unscored_where_the_harness_is_at_fault(tiny_task, tmp_path):
    (score,), _ = inspect(tmp_path, tiny_task, [f"|tiny.py|{SOURCE}"], env=nothing_cached(tmp_path))
    assert math.isnan(score["value"])
    assert score["reason"] == "harness_fault"
    assert "environment" in score["explanation"]


def harbor(*arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "qualityscore.adapters.harbor", *map(str, arguments), "--only", "functional"],
        env=environment(env),
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_harbor_verifier_leaves_a_reward_and_nothing_on_a_harness_fault(tiny_task, tmp_path):
    half = write_subject(tmp_path / "half", source=HALF)
    logs = tmp_path / "logs" / "verifier"
    arguments = (half, "--task", tiny_task, "--output", logs, "--reward", "F")
    done = harbor(*arguments)
    assert done.returncode == 0, done.stderr
    assert json.loads((logs / "reward.json").read_text()) == {"reward": 0.5, "F": 0.5}
    (logs / "reward.json").write_text('{"reward": 1.0}')  # as an agent might
    broken = harbor(*arguments, env=nothing_cached(tmp_path))
    assert broken.returncode == 3
    assert "environment" in broken.stderr
    assert list(logs.iterdir()) == []


def test_nothing_that_an_agent_leaves_keeps_the_harbor_verifier_from_its_reward(tmp_path):
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "notes.txt").write_text("no code")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine\n")
    places = {name: tmp_path / name for name in ("folder", "pipe", "link", "part-pipe", "part-link")}
    for place in places.values():
        place.mkdir()
    (places["folder"] / "reward.json" / "inner").mkdir(parents=True)
    (places["folder"] / "reward.json" / "inner" / "file").write_text("")
    os.mkfifo(places["pipe"] / "reward.json")
    (places["link"] / "reward.json").symlink_to(elsewhere)
    os.mkfifo(places["part-pipe"] / ".reward.json.part")
    (places["part-link"] / ".reward.json.part").symlink_to(elsewhere)
    code = """
        import sys
        from qualityscore.adapters import harbor
        asked = [sys.argv[1], "--task", "cachetools", "--only", "functional", "--reward", "F"]
        for place in sys.argv[2:]:
            harbor.main([*asked, "--output", place])
    """
    done = python(code, bad, *places.values())
    assert done.returncode == 0, done.stderr
    for place in places.values():
        reward = place / "reward.json"
        assert stat.S_ISREG(reward.lstat().st_mode), place
        assert json.loads(reward.read_text())["reward"] == 0.0
    assert elsewhere.read_text() == "mine\n"


def test_an_agent_that_removes_its_folder_has_a_reward_of_0_from_the_harbor_verifier(tmp_path):
    for name, target in (("dangling", "nowhere"), ("loop", "loop"), ("long", "n" * 300)):
        (tmp_path / name).symlink_to(target)
    os.mkfifo(tmp_path / "pipe")
    for name in ("removed", "dangling", "loop", "long", "pipe"):
        logs = tmp_path / f"logs of {name}"
        done = harbor(tmp_path / name, "--task", "cachetools", "--output", logs, "--reward", "F")
        assert done.returncode == 0, done.stderr
        assert done.stderr.startswith(f"warning: {tmp_path / name} is neither a folder nor an archive; the reward is 0")
        assert json.loads((logs / "reward.json").read_text()) == {"reward": 0.0, "F": 0.0}


def test_what_cannot_be_taken_has_a_reward_of_0_whatever_is_asked_for(tmp_path):
    """NF of a task with security alone could be measured by what `only` names, so that it is no error to ask for it."""
    assert score_repositories([{"notes.txt": ""}], "cachetools", component="NF", only=["security"]) == [0.0]
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "notes.txt").write_text("no code")
    asked = ("--task", "cachetools", "--only", "security", "--reward", "NF", "--output", str(tmp_path))
    assert harbor_main([str(tmp_path / "app"), *asked]) == 0
    assert json.loads((tmp_path / "reward.json").read_text()) == {"reward": 0.0, "security": 0.0, "credibility": 0.0}


@pytest.mark.parametrize("packed", [False, True])
def test_what_an_agent_left_running_cannot_take_the_reward_away(tiny_task, tmp_path, monkeypatch, packed):
    app = write_subject(tmp_path / "app", source=HALF)
    if packed:
        (tmp_path / "app.tar.gz").write_bytes(upload_of(app))
        app = tmp_path / "app.tar.gz"

    class Racing(LocalScorer):
        def score(self, subjects, task, **more):
            shutil.rmtree(app) if app.is_dir() else app.unlink()
            return super().score(subjects, task, **more)

    monkeypatch.setattr(harbor_adapter, "LocalScorer", Racing)
    asked = ("--task", str(tiny_task), "--only", "functional", "--reward", "F", "--output", str(tmp_path))
    assert harbor_main([str(app), *asked]) == 0
    assert json.loads((tmp_path / "reward.json").read_text()) == {"reward": 0.5, "F": 0.5}


def test_a_full_host_is_no_traceback_of_the_harbor_verifier(tmp_path):
    """No scratch folder can be made where TMPDIR leads to a device."""
    app = write_subject(tmp_path / "app", source=HALF)
    code = """
        import sys, tempfile
        tempfile.tempdir = "/dev/null"
        from qualityscore.adapters.harbor import main
        sys.exit(main(sys.argv[1:]))
    """
    asked = ("--task", "cachetools", "--only", "functional", "--reward", "F", "--output", tmp_path / "logs")
    done = python(code, app, *asked)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1), done.stderr
    assert done.stderr.startswith("error QS-")
    assert list((tmp_path / "logs").iterdir()) == []


def test_the_harbor_verifier_asks_a_service_as_the_how_to_does(tiny_task, tmp_path):
    half = write_subject(tmp_path / "half" / "src", source=HALF).parent  # one folder at the top, which is no wrapping
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("no code")
    strange = write_subject(tmp_path / "strange", source=HALF)
    (strange / "line\nbreak.py").write_text("")  # an evaluation takes it, a service does not
    large = write_subject(tmp_path / "large", source=HALF)
    (large / "data").write_bytes(os.urandom(2_000_000))
    archive = tmp_path / "half.tar.gz"
    archive.write_bytes(upload_of(half))
    worthless = tmp_path / "worthless.tar"
    with tarfile.open(worthless, "w") as tar:
        tar.add(tmp_path / "empty" / "notes.txt", "notes.txt")
    odd = tmp_path / "odd.tar"
    with tarfile.open(odd, "w") as tar:
        tar.add(half / "src", "repository.tar.gz")

    def verify(subject: Path) -> subprocess.CompletedProcess[str]:
        yours = {"/app": str(subject), "my-task": "tiny", "python ": f"{sys.executable} "}
        command = f"{snippet('adapters.harbor', **yours).strip()} --output {tmp_path} --reward F --only functional"
        env = environment({"QUALITYSCORE_URL": serving.url})
        return subprocess.run(["sh", "-c", command], env=env, capture_output=True, text=True, timeout=300)

    serving = Serving("--data", tmp_path / "d", "--task", tiny_task, "--max-body", "1000000")
    try:
        rewarded = {half: 0.5, archive: 0.5, odd: 0.5}
        for subject in (tmp_path / "empty", strange, large, worthless):
            rewarded[subject] = 0.0
        for subject, reward in rewarded.items():
            done = verify(subject)
            assert done.returncode == 0, done.stderr
            assert json.loads((tmp_path / "reward.json").read_text()) == {"reward": reward, "F": reward}
        removed = verify(tmp_path / "none")
        assert removed.returncode == 0
        assert removed.stderr.startswith(
            f"warning: {tmp_path}/none is neither a folder nor an archive; the reward is 0"
        )
        assert json.loads((tmp_path / "reward.json").read_text()) == {"reward": 0.0, "F": 0.0}
        unknown = harbor(half, "--task", "no-task", "--service", serving.url, "--output", tmp_path, "--reward", "F")
        assert (unknown.returncode, (tmp_path / "reward.json").exists()) == (2, False)
        assert "no-task" in unknown.stderr
    finally:
        serving.stop()
    assert verify(half).returncode == 3
    assert not (tmp_path / "reward.json").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "error QS-101: The score 'effective' is never measured with only functional"),
        (("--reward", "G"), "error QS-101: There is no score 'G'; there are effective, F, NF"),
        (("--only", "speed", "--reward", "F"), "error QS-101: "),
        (("--reward", "F", "--service", ""), "error QS-101: --service is empty (is its variable set?)"),
    ],
)
def test_the_harbor_verifier_refuses_at_once_what_can_never_be_a_reward(tmp_path, arguments, says):
    (tmp_path / "reward.json").write_text('{"reward": 1.0}')  # as an agent might
    given = (tmp_path, "--task", "no-task", "--output", tmp_path, "--only", "functional", *arguments)
    refused = subprocess.run(
        [sys.executable, "-P", "-m", "qualityscore.adapters.harbor", *given],
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert (refused.returncode, refused.stderr.startswith(says)) == (2, True), refused.stderr
    assert list(tmp_path.iterdir()) == []
