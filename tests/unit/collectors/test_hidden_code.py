"""Code kept in data files."""

from __future__ import annotations

import importlib.util
import io
import py_compile
import zipfile
from pathlib import Path

import pytest

from qualityscore.collectors.hidden_code import hidden_code
from qualityscore.languages.python_source import RawFile


def kind(path: str, raw: bytes) -> str | None:
    return hidden_code(RawFile(path=path, raw=raw, digest=""))


def archive(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        for name in names:
            zipped.writestr(name, "x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        ("pkg/engine.txt", b"def run(x):\n    return x\n"),
        ("pkg/engine.dat", b"\n\nclass Engine:\n    x = 1\n"),
        ("pkg/boot.cfg", b"import os\nos.system('true')\n"),
        ("pkg/engine", b"# coding: latin-1\nasync def f(): return '\xe9'\n"),
        ("pkg/lib.zip", archive("lib/__init__.py")),
        ("pkg/plugin.bin", archive("a.pyc")),
        ("pkg/mod.pyc", b"anything"),
    ],
)
def test_python_code_outside_python_files_is_found(path: str, raw: bytes) -> None:
    assert kind(path, raw) is not None


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        ("README.md", b"# Title\n\nimport os from the shop\n\n    def f(): ...\n"),
        ("requirements.txt", b"a==1\nb>=2\n"),
        ("words.txt", b"class\nfrom\nimport\n"),
        ("pkg/a.pyi", b"def f(x: int) -> int: ...\n"),
        ("pkg/a.pyx", b"def f(x):\n    return x\n"),
        ("data.json", b'{"a": "def f(): pass"}\n'),
        ("style.css", b"a { color: red }\n"),
        ("imports.txt", b"import os\nimport sys\n"),
        ("data.zip", archive("a.csv")),
        ("broken.zip", b"PK\x03\x04 and then nothing"),
        ("image.png", b"\x89PNG\r\n\x1a\n\ndef f(x):\n"),
    ],
)
def test_data_is_left_alone(path: str, raw: bytes) -> None:
    assert kind(path, raw) is None


@pytest.mark.parametrize(
    ("mode", "found"),
    [
        (py_compile.PycInvalidationMode.TIMESTAMP, False),
        (py_compile.PycInvalidationMode.CHECKED_HASH, False),
        (py_compile.PycInvalidationMode.UNCHECKED_HASH, True),
    ],
)
def test_bytecode_that_the_interpreter_runs_without_looking_at_the_source_is_found(
    tmp_path: Path, mode: py_compile.PycInvalidationMode, found: bool
) -> None:
    source = tmp_path / "m.py"
    source.write_text("x = 1\n")
    compiled = Path(py_compile.compile(str(source), invalidation_mode=mode) or "")
    assert compiled == Path(importlib.util.cache_from_source(str(source)))
    assert (kind(f"pkg/__pycache__/{compiled.name}", compiled.read_bytes()) is not None) is found
