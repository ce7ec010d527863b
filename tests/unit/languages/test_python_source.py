"""Reading source as the interpreter does."""

from __future__ import annotations

import ast
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from qualityscore.languages.python_source import (
    SourceFile,
    Unparsable,
    count_code_lines,
    decode,
    parse,
    printable,
    read_source,
)


def read(tmp_path: Path, raw: bytes) -> SourceFile | Unparsable:
    (tmp_path / "m.py").write_bytes(raw)
    return read_source(tmp_path, "m.py")


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        pytest.param(b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "é", id="latin-1 cookie"),
        pytest.param(b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", "€", id="second line"),
        pytest.param(b"\xef\xbb\xbfx = '\xc3\xa9'\n", "é", id="byte order mark"),
        pytest.param(b"\xef\xbb\xbf# coding: utf-8\nx = '\xc3\xa9'\n", "é", id="mark and cookie agree"),
        pytest.param(b"x = 'a\\\r\nb'\r\n", "ab", id="CRLF"),
        pytest.param(b"y = 1\rx = '''a\r\nb'''\n", "a\nb", id="mixed line ends"),
        pytest.param(b"\x0cx = 1\n\x0c\n", 1, id="form feeds"),
        pytest.param(b"# coding: utf-7\nx = '+AOk-'\n", "é", id="utf-7"),
        pytest.param(b"if 1:\n\tif 1:\n\t    x = 1\n", 1, id="tabs and spaces"),
    ],
)
def test_the_text_is_what_the_interpreter_reads(tmp_path: Path, raw: bytes, value: object) -> None:
    source = read(tmp_path, raw)
    assert isinstance(source, SourceFile)
    tree = parse(source)
    assert isinstance(tree, ast.Module)
    namespace: dict[str, object] = {}
    exec(compile(tree, "m.py", "exec"), namespace)
    assert namespace["x"] == value
    # the interpreter itself is the oracle
    check = [sys.executable, "-I", "-c", "import runpy,sys; print(ascii(runpy.run_path(sys.argv[1])['x']))"]
    shown = subprocess.run([*check, str(tmp_path / "m.py")], capture_output=True, text=True, check=True).stdout.strip()
    assert shown == ascii(value)


def test_the_text_is_the_same_under_the_c_locale(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(b"# coding: latin-1\nx = '\xe9'\n")
    code = (
        "from pathlib import Path; from qualityscore.languages.python_source import read_source; "
        "print(ascii(read_source(Path('.'), 'm.py').text))"
    )
    env = {**os.environ, "LC_ALL": "C", "PYTHONPATH": str(Path.cwd()), "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    out = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == ascii("# coding: latin-1\nx = 'é'\n")


@pytest.mark.parametrize(
    ("raw", "tool"),
    [
        pytest.param(b"x = '\xe9'\n", "decoder", id="latin-1 without cookie"),
        pytest.param(b"# coding: utf-8\nx = '\xe9'\n", "decoder", id="lying cookie"),
        pytest.param(b"\xef\xbb\xbf# coding: latin-1\nx = 1\n", "decoder", id="mark against cookie"),
        pytest.param(b"# coding: klingon\nx = 1\n", "decoder", id="unknown codec"),
        pytest.param(b"# coding: rot13\nk = 1\n", "decoder", id="codec that is no text encoding"),
        pytest.param("x = 1\n".encode("utf-16"), "decoder", id="utf-16"),
        pytest.param(b"x = 1\x00\n", "python", id="null byte"),
        pytest.param(b"print 'python 2'\n", "python", id="python 2"),
        pytest.param(b"def f(:\n", "python", id="syntax error"),
        pytest.param(b"x = " + b"(" * 3000 + b")" * 3000 + b"\n", "python", id="nesting"),
        pytest.param(b"x = " + b"+" * 3000 + b"1\n", "python", id="unary pluses"),
    ],
)
def test_what_cannot_be_read_is_a_value_that_names_the_tool(tmp_path: Path, raw: bytes, tool: str) -> None:
    source = read(tmp_path, raw)
    outcome = parse(source) if isinstance(source, SourceFile) else source
    assert isinstance(outcome, Unparsable)
    assert outcome.tool.split()[0] == tool
    assert outcome.reason
    assert outcome.code_lines >= 1


def test_a_syntax_error_carries_its_position(tmp_path: Path) -> None:
    source = read(tmp_path, b"x = 1\ny = )\n")
    assert isinstance(source, SourceFile)
    outcome = parse(source)
    assert isinstance(outcome, Unparsable)
    assert (outcome.line, outcome.column) == (2, 5)


@pytest.mark.parametrize("kind", ["fifo", "socket", "symlink", "loop", "folder", "missing", "device"])
def test_only_regular_files_are_opened(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "x.py"
    match kind:
        case "fifo":
            os.mkfifo(place)
        case "socket":
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(str(place))
        case "symlink":
            (tmp_path / "y.py").write_text("x = 1\n")
            place.symlink_to(tmp_path / "y.py")
        case "loop":
            place.symlink_to(place)
        case "folder":
            place.mkdir()
        case "device":
            place = Path("/dev/zero")
    outcome = read_source(place.parent, place.name)
    assert isinstance(outcome, Unparsable)
    assert outcome.tool == "reader"


def test_a_file_above_the_cap_is_not_decoded(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("x = 1\n\n# comment\n" * 10)
    outcome = read_source(tmp_path, "m.py", max_bytes=100)
    assert isinstance(outcome, Unparsable)
    assert outcome.tool == "reader"
    assert outcome.code_lines == 10


def test_code_lines_leave_out_blank_lines_and_comments() -> None:
    # counted: "import os", "x = 1  # note", "y = '''", "# text'''" starts like a comment and is not counted
    assert count_code_lines(b"import os\r\n\r\n  # note\nx = 1  # note\n\t\ny = '''\n# text'''\n") == 3


def test_decoding_normalises_newlines_that_the_codec_produces() -> None:
    assert decode(b"# coding: utf-7\nx+AA0ACg-y\n") == ("# coding: utf-7\nx\ny\n", "utf-7")


def test_a_path_that_is_not_utf8_can_be_printed(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    (tmp_path / name).write_text("x = 1\n")
    source = read_source(tmp_path, name)
    assert isinstance(source, SourceFile)
    assert printable(source.path) == "caf\\xe9.py"
    printable(source.path).encode("utf-8")
