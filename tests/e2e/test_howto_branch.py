"""The examples of `docs/howto/check-a-branch.md`, run as far as that goes without the platforms' servers."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import uv
import yaml

from e2e.branch_subjects import edit, git, ledger_at
from qualityscore.branch.settings import SettingsSpec, default_gate
from qualityscore.core.gate import parse_gate
from qualityscore.reports.markdown import MAX_CHARACTERS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "check-a-branch.md"
INSTALLS = ("apt-get", "sysctl", "pip install")


def block(heading: str, language: str, number: int = 0) -> str:
    """A code block of a section."""
    section = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    text = next(part for part in section if part.startswith(heading))
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)[number]


@pytest.fixture
def checkout(tmp_path):
    """A clone on a feature branch that breaks a test, as a runner has it, and the programs that a runner offers."""
    origin = ledger_at(tmp_path / "origin")
    git(tmp_path, "clone", "-q", str(origin), "checkout")
    folder = tmp_path / "checkout"
    git(folder, "checkout", "-q", "-b", "feature")
    edit(folder, "src/ledger/book.py", "result += amount", "result = amount")
    git(folder, "commit", "-q", "-a", "-m", "break it")
    programs = tmp_path / "bin"
    programs.mkdir()
    script(programs / "qualityscore", f'exec {sys.executable} -m qualityscore.cli "$@"')
    script(programs / "gh", f'printf "%s\\n" "$@" > {tmp_path}/gh-arguments')
    return folder


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def run(command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess:
    """One step's shell, as both platforms start it; what installs is left out, being installed."""
    kept = "\n".join(line for line in command.splitlines() if not any(word in line for word in INSTALLS))
    environment = {**os.environ, **variables, "PATH": f"{folder.parent}/bin:{os.environ['PATH']}"}
    return subprocess.run(("bash", "-e", "-c", kept), cwd=folder, env=environment, capture_output=True, text=True)


def test_the_gate_and_the_settings_of_the_page_are_valid():
    assert len(parse_gate(block("The gate", "toml"), "page", default_gate()).conditions) > 4
    SettingsSpec.model_validate({**tomllib.loads(block("qualityscore.toml", "toml"))})


@pytest.mark.slow
def test_the_workflow_for_github_compares_and_comments(checkout):
    workflow = yaml.safe_load(block("GitHub Actions", "yaml"))
    job = workflow["jobs"]["quality"]
    assert next(s for s in job["steps"] if "checkout" in s.get("uses", ""))["with"]["fetch-depth"] == 0
    values = {"${{ github.base_ref }}": "main", "${{ github.token }}": "t", "${{ github.event.number }}": "7"}
    steps = {step["name"]: step for step in job["steps"] if "run" in step}
    statuses = {}
    summary = checkout.parent / "summary.md"
    for name, step in steps.items():
        variables = {"GITHUB_STEP_SUMMARY": str(summary)}
        for key, text in step.get("env", {}).items():
            variables[key] = re.sub(r"\$\{\{.*?\}\}", lambda found: values[found.group()], text)
        statuses[name] = run(step["run"], checkout, **variables).returncode
    assert statuses == {"Install": 0, "Compare": 1, "Show": 0}
    assert "what passed still passes" in summary.read_text()
    assert len(summary.read_text()) < MAX_CHARACTERS
    assert json.loads((checkout / "quality.sarif").read_text())["version"] == "2.1.0"
    arguments = (checkout.parent / "gh-arguments").read_text().split("\n")
    assert arguments[:5] == ["pr", "comment", "7", "--body-file", "quality.md"]


@pytest.mark.slow
def test_the_job_for_gitlab_compares_and_leaves_its_reports(checkout):
    job = yaml.safe_load(block("GitLab CI", "yaml"))["quality"]
    base = subprocess.run(
        ("git", "merge-base", "HEAD", "origin/main"), cwd=checkout, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert job["variables"]["GIT_DEPTH"] == "0"
    for line in job["before_script"]:
        assert run(line, checkout).returncode == 0
    (line,) = job["script"]
    done = run(line, checkout, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert done.returncode == 1, done.stderr
    reports = job["artifacts"]["reports"]
    assert isinstance(json.loads((checkout / reports["codequality"]).read_text()), list)
    assert "test_balance" in (checkout / reports["junit"]).read_text()
    assert all((checkout / path).stat().st_size for path in job["artifacts"]["paths"])


@pytest.mark.slow
def test_the_hook_for_pre_commit_stops_a_push(checkout, tmp_path):
    """pre-commit itself, from the package index, with the configuration of the page."""
    tool = uv.find_uv_bin()
    environment = tmp_path / "pre-commit"
    for words in (("venv", "-q", "--python", sys.executable, str(environment)),):
        subprocess.run((tool, *words), check=True)
    python = str(environment / "bin" / "python")
    subprocess.run((tool, "pip", "install", "-q", "--python", python, "pre-commit>=4,<5"), check=True)
    (checkout / ".pre-commit-config.yaml").write_text(block("pre-commit", "yaml"))
    git(checkout, "add", ".pre-commit-config.yaml")
    command = f"{environment}/bin/pre-commit run --hook-stage pre-push --all-files --verbose"
    done = run(command, checkout, PRE_COMMIT_HOME=str(tmp_path / "kept"))
    assert done.returncode == 1, done.stderr
    assert "gate failed: what passed still passes: branch.tests.broken.count is 2, at most 0 is allowed" in done.stdout
