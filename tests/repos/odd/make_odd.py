"""Write a repository of odd files: `python make_odd.py FOLDER`. Nothing of it is kept: it is made where it is needed.

`CASES` gives, for each file, what must become of it: `measured` by every tool, `unparsable` (a finding that names the
tool), or `refused` (no regular file: listed with the reason, opened by nobody). `either` is for what one version of
the interpreter or of a tool can read and another cannot: a measure or a finding, never silence.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import sys
from pathlib import Path

LINES = 20_000
DEEP = 3_000
BRANCHES = 2_000
TERMS = 5_000
LITERAL_LINES = 100_000
LINE_BYTES = 2_000_000
TINY_FILES = 10_000

FUNCTION = b"def f(a):\n    return a\n"

SINCE_312 = "measured" if sys.version_info >= (3, 12) else "unparsable"

CASES: dict[str, tuple[bytes, str]] = {
    "bom.py": (b"\xef\xbb\xbf" + FUNCTION + "x = 'é'\n".encode(), "measured"),
    "latin1_cookie.py": (b"# -*- coding: latin-1 -*-\n" + FUNCTION + b"x = '\xe9'\n", "measured"),
    "latin1.py": (FUNCTION + b"x = '\xe9'\n", "unparsable"),
    "lying_cookie.py": (b"# coding: ascii\n" + FUNCTION + b"x = '\xc3\xa9'\n", "unparsable"),
    "lying_bom.py": (b"\xef\xbb\xbf# coding: cp1252\n" + FUNCTION, "unparsable"),
    "unknown_cookie.py": (b"# coding: klingon\n" + FUNCTION, "unparsable"),
    "null_bytes.py": (FUNCTION + b"x = '\x00'\n", "unparsable"),
    "crlf.py": (FUNCTION.replace(b"\n", b"\r\n"), "measured"),
    "mixed_ends.py": (b"x = 1\r\ny = 2\rz = '''a\r\nb\rc\n'''\n" + FUNCTION, "measured"),
    "form_feeds.py": (b"\x0c\n" + FUNCTION + b"\x0c\nx = 1\n\x0cy = 2\n", "measured"),
    "long.py": (b"".join(b"def f%d(a):\n    return a\n" % n for n in range(LINES // 2)), "measured"),
    "nested_brackets.py": (b"x = " + b"[" * DEEP + b"]" * DEEP + b"\n", "unparsable"),
    "nested_blocks.py": (
        b"".join(b" " * n + b"if x:\n" for n in range(DEEP // 3)) + b" " * (DEEP // 3) + b"pass\n",
        "unparsable",
    ),
    "elif.py": (
        b"def f(a):\n    if a == -1:\n        return 0\n"
        + b"".join(b"    elif a == %d:\n        return %d\n" % (n, n) for n in range(BRANCHES)),
        "either",
    ),
    "sum.py": (b"x = 1\ny = " + b" + ".join([b"x"] * TERMS) + b"\n", "either"),
    "pluses.py": (b"x = " + b"+" * DEEP + b"1\n", "either"),
    "literal.py": (b"x = {\n" + b"".join(b"    %d: 'v',\n" % n for n in range(LITERAL_LINES)) + b"}\n", "either"),
    "syntax_error.py": (b"def f(:\n", "unparsable"),
    "python2.py": (b"print 'hello'\nexec 'x = 1'\n", "unparsable"),
    "match.py": (b"def f(a):\n    match a:\n        case [1, *r]:\n            return r\n    return a\n", "measured"),
    "fstring_312.py": (b"x = {'a': 1}\ny = f'{x['a']}'\n", SINCE_312),
    "generic_312.py": (b"def f[T](a: T) -> T:\n    return a\n", SINCE_312),
    "tabs.py": (b"def f(a):\n\tif a:\n\t    return a\n\treturn 0\n", "measured"),
    "tabs_as_eight.py": (b"def f(a):\n        if a:\n        \tpass\n        return a\n", "either"),
    "empty.py": (b"", "measured"),
    "only_comments.py": (b"# nothing\n\n# here\n", "measured"),
    "one_line.py": (b"x = '" + b"a" * LINE_BYTES + b"'\n", "measured"),
    "one_line_of_names.py": (b"x = [" + b"1," * (LINE_BYTES // 2) + b"]\n", "either"),
    "too_large.py": (b"x = '" + b"a" * (5 << 20) + b"'\n", "unparsable"),
    "with space.py": (FUNCTION, "measured"),
    "with\nnewline.py": (FUNCTION, "measured"),
    os.fsdecode(b"not_utf8_\xff.py"): (FUNCTION, "measured"),
    "x.py/inside.py": (FUNCTION, "measured"),
    "builtins.py": (FUNCTION, "measured"),
    "typing.py": (FUNCTION, "measured"),
}


def make(folder: Path) -> dict[str, str]:
    """Write the files and the things that are none; returns what must become of each, by relative path."""
    expected = {}
    for path, (content, fate) in CASES.items():
        full = folder / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content)
        expected[path] = fate
    (folder / "loop.py").symlink_to("loop.py")
    (folder / "outside.py").symlink_to("/etc/passwd")
    (folder / "circle").symlink_to(".")
    os.mkfifo(folder / "pipe.py")
    with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(folder):  # the name of a socket must be short
        server.bind("socket.py")
    expected |= dict.fromkeys(("loop.py", "outside.py", "circle", "pipe.py", "socket.py"), "refused")
    with contextlib.suppress(PermissionError):  # only root may
        os.mknod(folder / "device.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        expected["device.py"] = "refused"
    secret = folder / "secret.py"
    secret.write_bytes(FUNCTION)
    secret.chmod(0)
    expected["secret.py"] = "measured" if os.access(secret, os.R_OK) else "unparsable"
    return expected


def make_tiny(folder: Path, count: int = TINY_FILES) -> None:
    """Write many tiny modules in folders of a hundred."""
    for number in range(count):
        place = folder / f"p{number // 100}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"m{number}.py").write_bytes(b"X = %d\n" % number)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for name, fate in make(target).items():
        print(f"{fate:10} {name!r}")
