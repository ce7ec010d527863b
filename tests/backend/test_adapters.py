"""The adapters, each inside what it is made for: a reward function, an Inspect task, a Harbor verifier."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from backend.serving import Serving, nothing_cached
from backend.tiny import HALF, SOURCE, environment, write_subject
from qualityscore.adapters.rewards import score_repositories
from qualityscore.errors import TaskError, UsageError

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
    with pytest.raises(UsageError, match="does not exist"):
        score_repositories([tmp_path / "none"], str(tiny_task), component="F", only=ONLY)
    with pytest.raises(UsageError, match="component='speed'"):
        score_repositories([{"tiny.py": SOURCE}], str(tiny_task), component="speed", only=ONLY)
    with pytest.raises(UsageError, match="not asked for"):
        score_repositories([{"tiny.py": SOURCE}], str(tiny_task), only=ONLY)
    with pytest.raises(TaskError):
        score_repositories([{"tiny.py": SOURCE}], "no-such-task")


def test_a_harness_fault_is_none_and_the_wrappers_of_the_how_to_pass_it_on(tiny_task, tmp_path):
    code = """
        import sys
        from qualityscore.adapters.rewards import score_repositories

        asked = {"task": sys.argv[1], "component": "F", "only": ["functional"]}

        def reward(completions, **kwargs):  # TRL
            return score_repositories([{"tiny.py": text} for text in completions], **asked)

        def compute_score(data_source, solution_str, ground_truth, extra_info=None):  # verl
            return score_repositories([{"tiny.py": solution_str}], **asked)[0]

        source = open(sys.argv[2]).read()
        print(reward([source, "broken("]), compute_score("d", source, None))
    """
    source = write_subject(tmp_path / "s", source=HALF) / "tiny.py"
    good = python(code, tiny_task, source)
    assert good.stdout.strip() == "[0.5, 0.0] 0.5", good.stderr
    broken = python(code, tiny_task, source, env=nothing_cached(tmp_path))
    assert broken.stdout.strip() == "[None, None] None", broken.stderr


INSPECT_TASK = """
    import sys, json
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import solver
    from inspect_ai.util import sandbox
    from qualityscore.adapters.inspect import qualityscore

    @solver
    def write_answer():
        async def solve(state, generate):
            state = await generate(state)
            name, _, text = state.output.completion.partition("|")
            await sandbox().write_file(name, text)
            return state
        return solve

    def answer(text):
        usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it fetches a tokenizer
        return ModelOutput.from_content("mockllm/model", text).model_copy(update={"usage": usage})

    task_path, log_folder, answers = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    scorer = qualityscore(task_path, only=["functional"])
    samples = [Sample(input="write it") for _ in answers]
    (log,) = eval(
        Task(dataset=samples, solver=write_answer(), scorer=scorer, sandbox="local"),
        model=get_model("mockllm/model", custom_outputs=[answer(text) for text in answers]),
        log_dir=log_folder, display="none", max_samples=1,
    )
    assert log.status == "success", log.error
    scores = [sample.scores["qualityscore"] for sample in log.samples]
    print(json.dumps([score.model_dump() for score in scores]))
    print(json.dumps({s.name: s.metrics["mean"].value for s in log.results.scores if "mean" in s.metrics}))
"""


def test_an_inspect_task_is_scored_from_its_samples_sandboxes(tiny_task, tmp_path):
    answers = [f"tiny.py|{HALF}", f"tiny.py|{SOURCE}", "notes.txt|no code"]
    done = python(INSPECT_TASK, tiny_task, tmp_path / "logs", json.dumps(answers))
    assert done.returncode == 0, done.stderr[-3000:]
    scores, means = map(json.loads, done.stdout.strip().splitlines()[-2:])
    assert [s["value"]["F"] for s in scores] == [0.5, 1.0, 0.0]
    assert [math.isnan(s["value"]["NF"]) for s in scores] == [True, True, False]
    assert scores[0]["metadata"]["components"]["NF"] is None
    assert "no Python file" in scores[2]["explanation"]
    assert means["F"] == 0.5


@pytest.mark.slow
def test_an_inspect_sample_is_unscored_where_the_harness_is_at_fault(tiny_task, tmp_path):
    answers = json.dumps([f"tiny.py|{SOURCE}"])
    done = python(INSPECT_TASK, tiny_task, tmp_path / "logs", answers, env=nothing_cached(tmp_path))
    assert done.returncode == 0, done.stderr[-3000:]
    (score,) = json.loads(done.stdout.strip().splitlines()[-2])
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


def test_the_harbor_verifier_asks_a_service(tiny_task, tmp_path):
    half = write_subject(tmp_path / "half", source=HALF)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("no code")
    serving = Serving("--data", tmp_path / "d", "--task", tiny_task)
    try:
        for subject, reward in ((half, 0.5), (tmp_path / "empty", 0.0)):
            arguments = (subject, "--task", "tiny", "--output", tmp_path, "--reward", "F")
            done = harbor(*arguments, "--service", serving.url)
            assert done.returncode == 0, done.stderr
            assert json.loads((tmp_path / "reward.json").read_text())["reward"] == reward
    finally:
        serving.stop()
    assert harbor(*arguments, "--service", serving.url).returncode == 3
    assert not (tmp_path / "reward.json").exists()
