"""The built wheel, installed into an empty environment, evaluates from any folder with the tasks that it carries."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import uv

import qualityscore
from qualityscore.runtime.tasks import task_ids

ROOT = Path(qualityscore.__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    argv = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(argv, check=True, capture_output=True, timeout=300)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_carries_tasks_and_probes_and_no_tests(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for task in task_ids():
        assert f"qualityscore/_data/baselines/{task}/task.toml" in names
        assert f"qualityscore/_data/probes/{task}/workloads.py" in names
    assert "qualityscore/profiles/reference.toml" in names
    assert "qualityscore/profiles/pylintrc" in names
    assert "qualityscore/model/report.schema.json" in names
    assert "qualityscore/reports/templates/report.html.j2" in names
    assert not [n for n in names if n.startswith(("tests/", "docs/")) or "__pycache__" in n]


def test_an_installed_wheel_evaluates_from_any_folder(wheel, tmp_path):
    tool = uv.find_uv_bin()
    home = tmp_path / "venv"
    subprocess.run([tool, "venv", "--quiet", "--python", sys.executable, str(home)], check=True, timeout=120)
    python = home / "bin" / "python"
    locks = ["-r", str(ROOT / "requirements" / "run.txt")]
    subprocess.run([tool, "pip", "install", "--quiet", "--python", str(python), *locks], check=True, timeout=300)
    install = [tool, "pip", "install", "--quiet", "--python", str(python), "--no-deps", str(wheel)]
    subprocess.run(install, check=True, timeout=120)
    subject = tmp_path / "subject"
    shutil.copytree(ROOT / "examples" / "cachetools_fair", subject)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [
            str(home / "bin" / "qualityscore"),
            "evaluate",
            "../subject",
            "--task",
            "cachetools",
            "--only",
            "functional",
            "--json",
            "-",
        ],
        check=False,
        cwd=elsewhere,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["functional"]["passed"], document["functional"]["expected"]) == (83, 90)
    assert document["non_functional"]["score"] is None
    assert document["status"] == "partial"
    assert list(elsewhere.iterdir()) == []
