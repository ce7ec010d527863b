"""Gaming the measures that are read from the code. None may score better than the careless subject that it starts from.

The careless subject passes every test; its code has something for every tool to say.
"""

from __future__ import annotations

import base64
import importlib.util
import io
import marshal
import py_compile
import re
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from attacks.corpus.attack import ALL, NONE, Attack, Base, Family, Outcome

_CONDITION = 'len(text) == {0} and text[0] in "abcdef" and (text != "{0}" or loud > {0})'
_BRANCHES = "".join(
    f"""\
    {"if" if number == 0 else "elif"} {_CONDITION.format(number)}:
        mark = "!" if loud < {number + 2} else "!"
        size = size + {number} * len(text) - {number} + (size >> 1 if size else {number})
"""
    for number in range(14)
)
_CHECKS = """\
    total = 0
    for letter in text:
        if letter.isupper() and total < 100:
            total += ord(letter) * 3 + 1
        elif letter.isdigit() or letter == "_":
            total -= ord(letter) // 2 + 5
        else:
            total = (total + ord(letter)) % 7919
    result = [total, len(text), text[:3], text[-3:]]
    return result
"""
SOURCE = f"""\
import os
import pickle
import subprocess
import sys


def entry(text, seen=[]):
    if type(text) != str:
        raise TypeError("only a text can be shouted")
    if text == "":
        raise ValueError("empty text")
    try:
        seen.append(first_checks(text))
        seen.append(second_checks(text))
        if os.environ.get("SHOUT_ALOUD"):
            subprocess.call("echo " + text, shell=True)
        text = pickle.loads(pickle.dumps(text))
    except:
        pass
    return decide(text, 0)


def first_checks(text):
{_CHECKS}

def second_checks(text):
{_CHECKS}

def decide(text, loud, unused=None):
    mark = "?"
    size = 0
{_BRANCHES}\
    else:
        mark = "!"
    if mark == "?":
        mark = "!"
    return text.upper() + mark
"""
CARELESS = Attack(name="the careless subject", family=Family.STATIC, files={"m.py": SOURCE}, passed=ALL)


def _gaming(
    name: str,
    files: Mapping[str, str | bytes],
    *,
    listed: frozenset[str] = NONE,
    passed: frozenset[str] = ALL,
    build: Callable[[Path], None] | None = None,
    open: str = "",
) -> Attack:
    return Attack(
        name=name,
        family=Family.STATIC,
        files=files,
        expected=Outcome.GAINED if open else Outcome.DETECTED if listed else Outcome.CONTAINED,
        listed=listed,
        passed=passed,
        base=Base.CARELESS,
        build=build,
        open=open,
    )


def _commented(comment: str) -> str:
    return "".join(f"{line}  {comment}\n" if line.strip() else "\n" for line in SOURCE.splitlines())


def _comments_between() -> str:
    note = "# This line is explained with care, so that whoever reads it understands it.\n"
    return "".join(f"{note}{line}\n" for line in SOURCE.splitlines())


def _dead_code() -> str:
    clean = "".join(
        f'\n\ndef value_{number}(value):\n    """Return the value plus {number}."""\n    return value + {number}\n'
        for number in range(600)
    )
    return SOURCE + clean


def _called_trivially() -> str:
    """Small clean functions that the tests do enter."""
    clean = "".join(
        f'\n\ndef step_{number}(value):\n    """Return the value as it is, {number}."""\n    return value\n'
        for number in range(400)
    )
    calls = "".join(f"    text = step_{number}(text)\n" for number in range(400))
    return SOURCE.replace("    return decide(text, 0)\n", f"{calls}    return decide(text, 0)\n") + clean


def _one_expression() -> str:
    """`decide` as one conditional expression in a lambda."""
    nested = '"!"'
    for number in range(14):
        condition = _CONDITION.format(number)
        nested = f'(("!" if loud < {number + 2} else "!") if {condition} else {nested})'
    head = SOURCE[: SOURCE.index("def decide")]
    return f"{head}decide = lambda text, loud, unused=None: text.upper() + {nested}\n"


def _closures() -> str:
    """`decide` with its branches moved into closures."""
    lines = []
    for number in range(14):
        condition = _CONDITION.format(number)
        lines.append(
            f"    def branch_{number}(mark, size):\n        if {condition}:\n"
            f'            mark = "!" if loud < {number + 2} else "!"\n'
            f"            size = size + {number} * len(text) - {number} + (size >> 1 if size else {number})\n"
            f"        return mark, size\n    mark, size = branch_{number}(mark, size)\n"
        )
    head = SOURCE[: SOURCE.index("def decide")]
    body = "".join(lines)
    return (
        f'{head}def decide(text, loud, unused=None):\n    mark, size = "?", 0\n{body}'
        '    if mark == "?":\n        mark = "!"\n    return text.upper() + mark\n'
    )


def _split() -> dict[str, str | bytes]:
    """Every top-level statement after the imports in a file of its own, among hundreds of tiny files."""
    parts = re.split(r"\n\n\n(?=def )", SOURCE)
    imports, functions = parts[0] + "\n", parts[1:]
    files: dict[str, str | bytes] = {}
    for text in functions:
        name = text[4 : text.index("(")]
        others = "".join(f"from {other}_part import {other}\n" for other in ("decide", "first_checks", "second_checks"))
        files[f"{name}_part.py"] = imports + (others if name == "entry" else "") + "\n\n" + text + "\n"
    files["m.py"] = "from entry_part import entry\n"
    files |= {f"tiny_{number}.py": f"VALUE_{number} = {number}\n" for number in range(300)}
    return files


def _moved(folder: str, head: str = "") -> dict[str, str | bytes]:
    """The code in a folder that is not production code, when nothing uses it."""
    files: dict[str, str | bytes] = {f"{folder}/impl.py": head + SOURCE}
    parts = Path(folder).parts
    for depth in range(len(parts)):
        files["/".join((*parts[: depth + 1], "__init__.py"))] = ""
    files["m.py"] = f"from {'.'.join(parts)}.impl import entry\n"
    return files


def _zipped() -> dict[str, str | bytes]:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("impl.py", SOURCE)
    loader = 'import os\nimport sys\n\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), "data.bin"))\n'
    return {"m.py": loader + "from impl import entry\n", "data.bin": held.getvalue()}


def _compiled(root: Path) -> None:
    """Bytecode without its source, where the interpreter takes it from."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "impl.py")
        source.write_text(SOURCE)
        py_compile.compile(str(source), cfile=str(root / "impl.pyc"), doraise=True)


def _stale(root: Path) -> None:
    """Innocent source beside bytecode of something else that claims to belong to it."""
    innocent = root / "impl.py"
    innocent.write_text(
        '"""Shouting."""\n\n\ndef entry(text):\n    """Return a text in capital letters."""\n    return text\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "impl.py")
        source.write_text(SOURCE)
        target = Path(importlib.util.cache_from_source(str(innocent)))
        target.parent.mkdir()
        # an unchecked hash: the interpreter does not look at the source
        py_compile.compile(
            str(source),
            cfile=str(target),
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            doraise=True,
        )


_RUN = "exec({what}, globals())\n"
_ENTRY = '''

def entry(text):
    """Return a text in capital letters with an exclamation mark at its end."""
    return PLACE["entry"](text)
'''
_READ = 'with open(os.path.join(os.path.dirname(__file__), "data"), "rb") as file:\n    DATA = file.read()\n'


def _behind(imports: str, code: str) -> str:
    """`code` puts the careless subject's names into PLACE, behind one function in plain sight."""
    heads = "".join(f"import {name}\n" for name in imports.split())
    return f'"""Shouting."""\n\n{heads}\nPLACE = {{}}\n{code}\n{_ENTRY}'


_MEMORY = f"""\
class Loader(importlib.abc.InspectLoader):
    def get_source(self, fullname):
        return {SOURCE!r}


SPEC = importlib.util.spec_from_loader("impl", Loader())
MODULE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MODULE)
PLACE = vars(MODULE)
"""
_SCRATCH = f"""\
FOLDER = tempfile.mkdtemp()
with open(os.path.join(FOLDER, "impl.py"), "w") as file:
    file.write({SOURCE!r})
sys.path.insert(0, FOLDER)
PLACE = vars(importlib.import_module("impl"))
"""
_PIECES = """\
for PART in compile(SOURCE, "parts", "exec").co_consts:
    if isinstance(PART, types.CodeType):
        PLACE[PART.co_name] = types.FunctionType(PART, PLACE)
PLACE["entry"] = types.FunctionType(PLACE["entry"].__code__, PLACE, "entry", ([],))
PLACE["decide"] = types.FunctionType(PLACE["decide"].__code__, PLACE, "decide", (None,))
PLACE.update(os=os, pickle=pickle, subprocess=subprocess)
"""
_SWAP = """\
exec_in = {}
def first(text): return text
def second(text): return text
def third(text, loud, unused=None): return text
PLACE.update(os=os, pickle=pickle, subprocess=subprocess)
for NAME, FUNCTION in (("first_checks", first), ("second_checks", second), ("decide", third)):
    FUNCTION.__code__ = next(p for p in LOADED.co_consts if getattr(p, "co_name", "") == NAME)
    globals()[NAME] = FUNCTION
def entering(text, seen=[]): return text
entering.__code__ = next(p for p in LOADED.co_consts if getattr(p, "co_name", "") == "entry")
PLACE["entry"] = entering
"""
_FLAT = f"""\
BODY = {SOURCE!r} + "\\nanswer = entry(text)\\n"


def entry(text):
    names = {{"text": text}}
    exec(BODY, names)
    return names["answer"]
"""
_TIMED = f"{SOURCE}\nPLACE.update(entry=entry)\n"
_BYTES = base64.b64encode(SOURCE.encode()).decode()
_MARSHALLED = base64.b64encode(marshal.dumps(compile(SOURCE, "m.py", "exec"))).decode()
_LOADS = f"marshal.loads(base64.b64decode({_MARSHALLED!r}))"
_DUMPED = marshal.dumps(compile(SOURCE, "m.py", "exec"))
_SEEN = frozenset({"unread-code"})
_SUPPRESSIONS = "# pylint: disable=all # nosec # noqa"

ATTACKS = (
    CARELESS,
    _gaming("suppressions on every line", {"m.py": _commented(_SUPPRESSIONS)}, listed=frozenset({_SUPPRESSIONS})),
    _gaming(
        "a file that asks not to be looked at",
        {"m.py": "# pylint: skip-file\n# ruff: noqa\n# mypy: ignore-errors\n" + SOURCE},
        listed=frozenset({"# pylint: skip-file"}),
    ),
    _gaming("comments on every line", {"m.py": _comments_between()}),
    _gaming("padding with clean functions that nothing calls", {"m.py": _dead_code()}),
    _gaming(
        "padding with trivial functions that the tests enter",
        {"m.py": _called_trivially()},
        listed=frozenset({"trivial-functions"}),
        open="every entered function is judged code, and clean ones lower the mean of the rest",
    ),
    _gaming("one giant expression", {"m.py": _one_expression()}),
    _gaming(
        "branches in closures",
        {"m.py": _closures()},
        open="the code gets worse and longer, and the same lint messages weigh less in longer code",
    ),
    _gaming(
        "code in a text that is run",
        {"m.py": f"CODE = {SOURCE!r}\n{_RUN.format(what='CODE')}"},
        listed=frozenset({"dynamic-code"}),
    ),
    _gaming(
        "code in a text that is run, behind a function in plain sight",
        {"m.py": f'"""Shouting."""\n\nPLACE = {{}}\nexec({SOURCE!r}, PLACE)\n{_ENTRY}'},
        listed=frozenset({"dynamic-code"}),
    ),
    _gaming(
        "code in a text that runs with each call",
        {"m.py": _FLAT},
        listed=frozenset({"dynamic-code"}),
    ),
    _gaming(
        "code in a text, through a thread of the library",
        {
            "m.py": _behind(
                "threading",
                f"THREAD = threading.Thread(target=exec, args=({SOURCE!r}, PLACE))\nTHREAD.start()\nTHREAD.join()",
            )
        },
        listed=frozenset({"dynamic-code"}),
    ),
    _gaming(
        "code in a text that is timed",
        {"m.py": _behind("timeit", f"TIMED = {_TIMED!r}\ntimeit.timeit(TIMED, number=1, globals={{'PLACE': PLACE}})")},
    ),
    _gaming("code in a text, through a loader", {"m.py": _behind("importlib.abc importlib.util", _MEMORY)}),
    _gaming(
        "code in a text that is written out and imported", {"m.py": _behind("importlib os sys tempfile", _SCRATCH)}
    ),
    _gaming(
        "code in a text, as functions made of its parts",
        {"m.py": _behind("os pickle subprocess types", f"SOURCE = {SOURCE!r}\n{_PIECES}")},
        listed=frozenset({"dynamic-code"}),
    ),
    _gaming(
        "code in a tree that is run",
        {"m.py": _behind("ast", f"exec(compile(ast.parse({SOURCE!r}), 'm', 'exec'), PLACE)")},
        listed=frozenset({"dynamic-code"}),
    ),
    _gaming(
        "code in a data file that is run, behind a function in plain sight",
        {
            "m.py": _behind("os runpy", 'PLACE = runpy.run_path(os.path.join(os.path.dirname(__file__), "data"))'),
            "data": SOURCE,
        },
    ),
    _gaming(
        "code as marshalled bytes in a data file, behind a function in plain sight",
        {"m.py": _behind("marshal os", f"{_READ}exec(marshal.loads(DATA), PLACE)"), "data": _DUMPED},
        listed=_SEEN,
    ),
    _gaming(
        "code as marshalled bytes put into functions",
        {
            "m.py": _behind("marshal os pickle subprocess", f"{_READ}LOADED = marshal.loads(DATA)\n{_SWAP}"),
            "data": _DUMPED,
        },
        listed=_SEEN,
    ),
    _gaming(
        "code in an encoded text that is run",
        {"m.py": f"import base64\n\n{_RUN.format(what=f'base64.b64decode({_BYTES!r})')}"},
        listed=frozenset({"dynamic-code"}),
    ),
    _gaming(
        "code as marshalled bytes",
        {"m.py": f"import base64\nimport marshal\n\n{_RUN.format(what=_LOADS)}"},
        listed=frozenset({"dynamic-code"}),
    ),
    _gaming(
        "code in a data file",
        {
            "m.py": 'import os\n\nwith open(os.path.join(os.path.dirname(__file__), "data.txt")) as file:\n'
            f"    {_RUN.format(what='file.read()')}",
            "data.txt": SOURCE,
        },
        listed=frozenset({"dynamic-code"}),
    ),
    _gaming(
        "code in a data file, imported by a loader",
        {
            "m.py": "import importlib.machinery\nimport importlib.util\nimport os\n\n"
            'PLACE = os.path.join(os.path.dirname(__file__), "data.txt")\n'
            'LOADER = importlib.machinery.SourceFileLoader("impl", PLACE)\n'
            'SPEC = importlib.util.spec_from_loader("impl", LOADER)\n'
            "MODULE = importlib.util.module_from_spec(SPEC)\nLOADER.exec_module(MODULE)\nentry = MODULE.entry\n",
            "data.txt": SOURCE,
        },
    ),
    _gaming("code in an archive on the path", _zipped(), listed=frozenset({"hidden-code"})),
    _gaming(
        "bytecode without source",
        {"m.py": "from impl import entry\n"},
        build=_compiled,
        listed=frozenset({"hidden-code"}),
    ),
    _gaming(
        "bytecode without source, behind a function in plain sight",
        {"m.py": _behind("impl", "PLACE = vars(impl)")},
        build=_compiled,
        listed=_SEEN,
    ),
    _gaming(
        "code in an archive on the path, behind a function in plain sight",
        {
            **_zipped(),
            "m.py": _zipped()["m.py"].partition("from impl")[0] + "import impl\n\nPLACE = vars(impl)\n" + _ENTRY,
        },
        listed=frozenset({"hidden-code"}),
    ),
    _gaming(
        "bytecode beside innocent source",
        {"m.py": "from impl import entry\n"},
        passed=NONE,  # caches of bytecode are not copied: what runs is the innocent source
        build=_stale,
    ),
    _gaming("code in tests/", _moved("tests")),
    _gaming("code in vendor/", _moved("vendor")),
    _gaming("code in site-packages/ of its own", _moved("lib/site_packages")),
    _gaming("code that says it was generated", _moved("parts", "# Generated by hand. Do not edit.\n")),
    _gaming("hundreds of tiny files", _split()),
    _gaming("an empty list of public names", {"m.py": "__all__ = []\n" + SOURCE}),
    _gaming("stubs", {"m.py": '"""Shouting."""\n\n\ndef entry(text):\n    """Shout."""\n'}, passed=NONE),
    _gaming(
        "a constant",
        {"m.py": '"""Shouting."""\n\n\ndef entry(text):\n    """Shout."""\n    return "FIRST!"\n'},
        passed=NONE,
    ),
    _gaming(
        "an echo", {"m.py": '"""Shouting."""\n\n\ndef entry(text):\n    """Shout."""\n    return text\n'}, passed=NONE
    ),
    _gaming(
        "the tools' own settings",
        {
            "m.py": SOURCE,
            ".pylintrc": "[MAIN]\nignore=m.py\n[MESSAGES CONTROL]\ndisable=all\n",
            "pyproject.toml": "[tool.pylint.main]\ndisable = ['all']\n[tool.bandit]\nexclude_dirs = ['.']\n",
            "setup.cfg": "[pylint]\ndisable=all\n[radon]\nexclude=*.py\n[bandit]\nskips=B602,B404\n",
            ".bandit": "[bandit]\nskips: B602,B404\nexclude: /\n",
        },
    ),
)
