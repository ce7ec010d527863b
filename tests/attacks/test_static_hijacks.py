"""Code under judgement does not configure the judge, and none of it runs in a static tool."""

from __future__ import annotations

import importlib.machinery
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from qualityscore.collectors.context import StaticOutcome
from qualityscore.collectors.static import context_for, measure
from qualityscore.languages.python_production import scan_tree

# Every tool has something to say about this module: bandit on subprocess and shell, pylint on the unused import, the
# mutable default, the bare except and the undefined name, the index on nothing.
SUBJECT = (
    "import os\n"
    "import subprocess\n"
    "from helpers import *\n"
    "def run(command, log=[]):\n"
    "    try:\n"
    "        subprocess.call(command, shell=True)\n"
    "    except:\n"
    "        return missing\n"
    "    return log\n"
)
HELPERS = "import decimal\nimport json\nVALUE = decimal.Decimal(json.dumps(1))\n"
ENTERED = [("pkg/main.py", 4, "run")]


def trap(marker: Path) -> str:
    """Python code that leaves a mark when it runs."""
    return f"open({str(marker)!r}, 'a').write(__name__ + '\\n')\n"


def look(root: Path, **options: object) -> StaticOutcome:
    return measure(context_for(scan_tree(root), judged=ENTERED, workers=1, **options))  # type: ignore[arg-type]


def subject(folder: Path, files: dict[str, str]) -> Path:
    for path, text in {"pkg/main.py": SUBJECT, "helpers.py": HELPERS, **files}.items():
        full = folder / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text)
    return folder


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> StaticOutcome:
    outcome = look(subject(tmp_path_factory.mktemp("plain"), {}))
    codes = {f.code for f in outcome.findings}
    assert codes >= {"W0611", "W0102", "W0702", "E0602", "B404", "B602"}
    return outcome


def configurations(marker: Path) -> dict[str, dict[str, str]]:
    hook = f"init-hook=exec(open({str(marker) + '.py'!r}).read())\nload-plugins=plugin\n"
    pylint = f"[MAIN]\n{hook}ignore=main.py\n[MESSAGES CONTROL]\ndisable=all\n"
    return {
        "pylintrc": {".pylintrc": pylint, "pylintrc": pylint, "pkg/.pylintrc": pylint, "plugin.py": trap(marker)},
        "pyproject": {
            "pyproject.toml": f"[tool.pylint.main]\ninit-hook = \"exec(open('{marker}.py').read())\"\n"
            "disable = ['all']\n[tool.bandit]\nskips = ['B602', 'B404']\nexclude_dirs = ['pkg']\n"
        },
        "setup.cfg": {
            "setup.cfg": f"[pylint]\n{hook}disable=all\n[radon]\nexclude=*.py\n[bandit]\nskips=B602,B404\n",
            "tox.ini": f"[pylint]\n{hook}",
        },
        "bandit": {
            ".bandit": "[bandit]\nskips: B602,B404\nexclude: /pkg\n",
            "pkg/.bandit": "[bandit]\nskips: B602,B404\n",
            "bandit.yaml": "skips: ['B602', 'B404']\n",
        },
    }


@pytest.mark.parametrize("which", ["pylintrc", "pyproject", "setup.cfg", "bandit"])
def test_the_subjects_configuration_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: StaticOutcome, which: str
) -> None:
    marker = tmp_path / "marker"
    Path(f"{marker}.py").write_text(trap(marker))
    root = subject(tmp_path / "subject", configurations(marker)[which])
    (root / "plugin.py").unlink(missing_ok=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PYLINTRC", str(root / ".pylintrc"))
    outcome = look(root)
    assert not marker.exists()
    assert outcome.measures == plain.measures
    assert outcome.findings == plain.findings


@pytest.mark.parametrize(
    "comment",
    [
        "# pylint: skip-file",
        "# pylint: disable=all",
        "# pylint: disable=unused-import,dangerous-default-value,bare-except,undefined-variable",
        "# nosec",
        "# noqa",
        "# type: ignore",
        "# ruff: noqa",
        "# mypy: ignore-errors",
    ],
)
def test_suppressions_hide_nothing_and_are_listed(tmp_path: Path, plain: StaticOutcome, comment: str) -> None:
    lines = SUBJECT.splitlines()
    root = subject(tmp_path, {"pkg/main.py": "".join(f"{line}  {comment}\n" for line in lines)})
    outcome = look(root)
    assert outcome.measures == plain.measures
    assert [(f.code, f.line, f.points) for f in outcome.findings] == [
        (f.code, f.line, f.points) for f in plain.findings
    ]
    assert [(s.path, s.line, s.text) for s in outcome.suppressions] == [
        ("pkg/main.py", number, comment) for number in range(1, len(lines) + 1)
    ]
    assert plain.suppressions == ()


# Modules that the tools, or the interpreter on its way to them, import: now or late, from the standard library or not.
SHADOWS = (
    "sitecustomize", "usercustomize", "json", "ast", "decimal", "_pydecimal", "tomllib", "tomlkit", "isort", "astroid",
    "pylint", "bandit", "yaml", "stevedore", "pkg_resources", "numpy", "dill", "enum", "typing", "builtins", "colorsys",
    "encodings/klingon", "encodings/__init__", "qualityscore/__init__",
)  # fmt: skip


def test_nothing_of_the_subject_is_imported_or_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: StaticOutcome
) -> None:
    marker = tmp_path / "marker"
    files = {f"{name}.py": trap(marker) for name in SHADOWS}
    files |= {
        "conftest.py": trap(marker),
        "setup.py": trap(marker),
        "evil.pth": f"import os; {trap(marker)}",
        "pkg/cookie.py": f"# coding: klingon\n{trap(marker)}",
        "pkg/user.py": "".join(f"import {name.partition('/')[0]}\n" for name in SHADOWS),
    }
    root = subject(tmp_path / "subject", files)
    for extension in ("_bisect", "_json", "_decimal", "evil"):
        suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
        (root / f"{extension}{suffix}").write_bytes(b"\x7fELF not really")
    monkeypatch.chdir(root)
    outcome = look(root, import_roots=(".", "pkg"), site_packages=root)
    assert not marker.exists()
    ours = [f for f in plain.findings if f.path == "pkg/main.py"]
    assert {(f.code, f.line) for f in outcome.findings if f.path == "pkg/main.py"} == {(f.code, f.line) for f in ours}
    assert {f.path for f in outcome.findings if f.code == "unparsable"} == {"pkg/cookie.py"}


def test_a_compiled_module_of_the_subject_is_not_loaded(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    marker = tmp_path / "marker"
    source = tmp_path / "evil.c"
    source.write_text(
        "#include <fcntl.h>\n__attribute__((constructor)) static void mark(void)"
        f'{{ open("{marker}", O_CREAT | O_WRONLY, 0600); }}\n'
    )
    # astroid loads extension modules that bear a standard name, and this one exists on another system only
    root = subject(tmp_path / "subject", {"pkg/user.py": "import _winapi\nx = _winapi.CloseHandle(1, 2, 3)\n"})
    library = root / f"_winapi{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    outcome = look(root, site_packages=root)
    assert not marker.exists()
    assert outcome.faults == ()


def test_a_sealed_interpreter_locates_foreign_modules_and_loads_none(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text("print('hijacked')\n")
    (tmp_path / "colorsys.py").write_text("print('hijacked')\n")
    (tmp_path / "space").mkdir()
    (tmp_path / "space" / "inner.py").write_text("print('hijacked')\n")
    code = (
        "import sys, importlib.util\n"
        "from qualityscore.collectors.guard import seal_imports, SealedImportError\n"
        f"seal_imports(); seal_imports(); sys.path[:0] = [{str(tmp_path)!r}]\n"
        "print(importlib.util.find_spec('evil').origin)\n"
        "import space\n"  # a namespace package has no code of its own
        "for name in ('evil', 'space.inner'):\n"
        "    try: __import__(name)\n"
        "    except SealedImportError as error: print('refused')\n"
        "import colorsys; print(colorsys.__file__)\n"
    )
    run = [sys.executable, "-sP", "-c", f"import sys; sys.path.append({str(Path.cwd())!r})\n{code}"]
    out = subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()
    assert out == [
        str(tmp_path / "evil.py"),
        "refused",
        "refused",
        str(Path(sysconfig.get_path("stdlib")) / "colorsys.py"),
    ]


def test_a_module_named_like_a_builtin_one_does_not_spoil_its_neighbours(tmp_path: Path, plain: StaticOutcome) -> None:
    files = {
        f"{name}.py": "class A:\n    pass\n"
        for name in ("builtins", "typing", "collections", "abc", "types", "functools")
    }
    outcome = look(subject(tmp_path, files))
    assert outcome.measures["lint.penalty"] == plain.measures["lint.penalty"]
    assert outcome.faults == ()
