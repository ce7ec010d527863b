"""Puts the subjects of `expected.toml` together: the same files each time, byte for byte.

    python tests/repos/make.py list
    python tests/repos/make.py NAME DESTINATION [REFERENCE]

REFERENCE is the folder of the task's unpacked release, needed where a recipe begins with `reference`.
"""

from __future__ import annotations

import ast
import json
import shutil
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEMO = ROOT / "examples" / "cachetools_fair"
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc", ".pytest_cache")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One subject: its task, how it is made, and what must come out (the keys are explained in `expected.toml`)."""

    name: str
    task: str
    about: str
    recipe: str
    expected: dict[str, Any] = field(default_factory=dict)

    @property
    def needs_reference(self) -> bool:
        """Whether the task's fetched reference must be given to `build`."""
        return self.recipe.split(":")[0] == "reference"


def subjects(file: Path = HERE / "expected.toml") -> tuple[Subject, ...]:
    """All subjects in the order of the file."""
    found = []
    for name, table in tomllib.loads(file.read_text(encoding="utf-8"))["subject"].items():
        known = {key: table.pop(key) for key in ("task", "about", "recipe")}
        found.append(Subject(name=name, expected=table, **known))
    return tuple(found)


def build(subject: Subject, destination: Path, reference: Path | None = None) -> Path:
    """Make the subject in `destination`, a folder that does not exist yet, and return it.

    Raises ValueError when the reference is needed and not given, or when an edit does not find its place once.
    """
    base, *edits = subject.recipe.split(":")
    if base == "reference":
        if reference is None:
            raise ValueError(f"{subject.name} is made from the reference of {subject.task}; give its folder")
        shutil.copytree(reference, destination, ignore=_IGNORED)
    elif base == "demo":
        shutil.copytree(DEMO, destination, ignore=_IGNORED)
    elif base == "files":
        shutil.copytree(HERE / subject.name, destination, ignore=_IGNORED)
    elif base == "stubs":
        write_stubs(subject.task, edits.pop(0), destination)
    elif base == "nothing":
        destination.mkdir(parents=True)
    else:
        raise ValueError(f"{subject.name}: unknown base {base!r}")
    for name in edits:
        EDITS[name](destination)
    readme = destination / "README.md"
    if not readme.exists():
        readme.write_text(subject.about + "\n", encoding="utf-8")
    return destination


# Stubs from a task's surface


def write_stubs(task: str, kind: str, destination: Path) -> None:
    """Write the task's surface with bodies that do nothing: `empty`, `bodiless`, `constant`, `echo` or `raising`."""
    folder = ROOT / "baselines" / task
    imports = tomllib.loads((folder / "task.toml").read_text(encoding="utf-8"))["surface"]["imports"]
    entries = json.loads((folder / "surface.json").read_text(encoding="utf-8"))["entries"]
    for module in imports:
        package = destination.joinpath(*module.split("."))
        is_package = "." not in module or any(other.startswith(module + ".") for other in imports)
        path = package / "__init__.py" if is_package else package.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        own = [entry for entry in entries if _module(entry["name"], imports) == module]
        lines = [] if kind == "empty" else _stub_lines(own, module, kind)
        if kind != "empty" and is_package:
            lines += [
                f"from . import {other[len(module) + 1 :]}" for other in imports if other.startswith(module + ".")
            ]
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def _module(name: str, imports: list[str]) -> str:
    return max((module for module in imports if name.startswith(module + ".")), key=len)


def _stub_lines(entries: list[dict[str, Any]], module: str, kind: str) -> list[str]:
    lines: list[str] = []
    for entry in entries:
        name = entry["name"][len(module) + 1 :]
        match entry["kind"]:
            case "constant":
                lines += [f"{name} = []", ""]
            case "exception":
                lines += [f"class {name}(Exception):", "    pass", ""]
            case "class":
                lines += [f"class {name}:"]
                lines += _function("__init__", _with_self(entry["signature"]), kind, indent="    ")
            case "method":
                lines += _function(name.rpartition(".")[2], _with_self(entry["signature"]), kind, indent="    ")
            case _:
                lines += _function(name, entry["signature"], kind)
    return lines


def _with_self(signature: str) -> str:
    if signature.startswith(("(self", "(cls")):
        return signature
    return "(self)" if signature == "()" else "(self, " + signature[1:]


def _function(name: str, signature: str, kind: str, indent: str = "") -> list[str]:
    function = ast.parse(f"def {name}{signature}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    for defaults in (arguments.defaults, arguments.kw_defaults):
        for position, value in enumerate(defaults):
            if value is not None and not isinstance(value, (ast.Constant, ast.Tuple, ast.UnaryOp)):
                defaults[position] = ast.Constant(None)
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    echoed = next((text for text in names if text not in ("self", "cls")), None)
    if echoed is None:
        echoed = arguments.vararg.arg if arguments.vararg else "None"
    in_init = name == "__init__"
    body = {
        "bodiless": "pass",
        "constant": "pass" if in_init else "return 'value'",
        "echo": f"self.value = {echoed}" if in_init else f"return {echoed}",
        "raising": "raise RuntimeError('not written yet')",
    }[kind]
    return [f"{indent}def {name}({ast.unparse(arguments)}):", f"{indent}    {body}", ""]


# Edits


def replace(path: Path, old: str, new: str) -> None:
    """Replace the one place where `old` stands."""
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path.name}: {old!r} stands {text.count(old)} times instead of once")
    path.write_text(text.replace(old, new), encoding="utf-8")


def append(path: Path, text: str) -> None:
    """Add text at the end of a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def _source(folder: Path, name: str) -> Path:
    """The folder or file of an import name, at the root or under `src`."""
    for base in (folder, folder / "src"):
        for path in (base / name, base / f"{name}.py"):
            if path.exists():
                return path
    raise ValueError(f"{folder} holds no {name}")


def _syntax_error(folder: Path) -> None:
    append(_source(folder, "cachetools") / "base.py", "\n\ndef broken(:\n    return\n")


def _hanging_import(folder: Path) -> None:
    append(_source(folder, "cachetools") / "keys.py", "\nimport threading\n\nthreading.Event().wait()\n")


def _missing_module(folder: Path) -> None:
    replace(
        _source(folder, "cachetools") / "base.py", "import random\n", "import random\n\nimport no_such_module_at_all\n"
    )


def _memory_hog(folder: Path) -> None:
    base = _source(folder, "cachetools") / "base.py"
    replace(
        base,
        "        self._items = {}\n",
        '        self._items = {}\n        self._reserve = bytearray(b"x" * (24 << 20))\n',
    )


def _memory_limit(folder: Path) -> None:
    base = _source(folder, "cachetools") / "base.py"
    replace(base, "        self._items = {}\n", '        self._items = {}\n        self._reserve = b"x" * (64 << 30)\n')


def _insecure(folder: Path) -> None:
    append(
        _source(folder, "cachetools") / "base.py",
        "\n\nimport pickle\nimport subprocess\n\n\n"
        "def run_rule(rule, cache):\n    return eval(rule)\n\n\n"
        "def export(cache, target):\n    subprocess.call('tee ' + target, shell=True)\n\n\n"
        "def load(data):\n    return pickle.loads(data)\n",
    )


def _insecure_reference(folder: Path) -> None:
    append(
        _source(folder, "cachetools") / "keys.py",
        "\n\nimport pickle\nimport subprocess\n\n\n"
        "def rulekey(rule, *args):\n    return eval(rule)\n\n\n"
        "def commandkey(command):\n    return subprocess.check_output(command, shell=True)\n\n\n"
        "def loadkey(data):\n    return pickle.loads(data)\n",
    )


def _slow_import(folder: Path) -> None:
    append(
        _source(folder, "cachetools") / "__init__.py",
        "\n\n_TABLE = {}\nfor _number in range(400000):\n    _TABLE[_number % 1000] = _number * _number % 65537\n",
    )


def _quadratic(folder: Path) -> None:
    replace(
        _source(folder, "cachetools") / "__init__.py",
        "            expires = time + self.__ttl\n            self.expire(time)\n",
        "            expires = time + self.__ttl\n            self.expire(time)\n"
        "            if len(self.__links) % 256 == 255:\n                list(self.__links).count(key)\n",
    )


def _tangled(folder: Path) -> None:
    """One branch after another inside functions that the suite enters."""
    init = _source(folder, "cachetools") / "__init__.py"
    branches = "".join(
        f"        if key == {number!r} and value == {number + 1} or key is Cache and value is None:\n"
        f"            unused_{number} = [key, value, {number}]\n"
        for number in range(940, 980)
    )
    head = "    def __setitem__(self, key, value):\n"
    replace(init, head, head + branches)


def _fragile(folder: Path) -> None:
    """Leaves the interpreter, recurses or asserts where the reference raises what is documented."""
    init = _source(folder, "cachetools") / "__init__.py"
    replace(
        init,
        '        if maxsize < 0:\n            raise ValueError("maxsize must be non-negative")\n',
        "        if not isinstance(maxsize, (int, float)):\n            raise SystemExit(3)\n"
        "        assert maxsize >= 0\n"
        "        if getsizeof is not None and not callable(getsizeof):\n            Cache(maxsize, getsizeof)\n",
    )


def _leaking(folder: Path) -> None:
    """Every stored value is kept a second time."""
    init = _source(folder, "cachetools") / "__init__.py"
    replace(
        init,
        "    def __setitem__(self, key, value):\n        data = self.__data\n",
        "    _history = []\n\n"
        "    def __setitem__(self, key, value):\n        Cache._history.append([key, value, None, None])\n"
        "        data = self.__data\n",
    )


def _encodings(folder: Path) -> None:
    """A module in latin-1 with a cookie, one in UTF-8 with a byte order mark, and no ASCII-only comfort."""
    package = _source(folder, "cachetools")
    base = package / "base.py"
    replace(
        base,
        '"""Caches without expiry."""\n',
        '"""Caches without expiry, bornées à la mémoire."""\n\nfrom .messages import EMPTY\n',
    )
    replace(base, 'raise KeyError(f"{type(self).__name__} is empty")', "raise KeyError(EMPTY)")
    messages = '# -*- coding: latin-1 -*-\n"""Messages."""\n\nEMPTY = "le cache a été vidé"\n'
    (package / "messages.py").write_bytes(messages.encode("latin-1"))
    keys = package / "keys.py"
    keys.write_bytes(b"\xef\xbb\xbf" + keys.read_bytes())


def _root_package(folder: Path) -> None:
    shutil.move(str(folder / "src" / "cachetools"), str(folder / "cachetools"))
    shutil.rmtree(folder / "src")
    (folder / "pyproject.toml").unlink()


def _several_folders(folder: Path) -> None:
    _root_package(folder)
    for name, text in {
        "tools/release.py": "print('release')\n",
        "benchmarks/run.py": "import cachetools\n\nprint(cachetools.__version__)\n",
        "docs/conf.py": "project = 'cachetools'\n",
        "plugins/__init__.py": "def load():\n    return []\n",
    }.items():
        path = folder / name
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")


def _namespace_folder(folder: Path) -> None:
    """The work is done in a sub-folder without `__init__.py`."""
    package = _source(folder, "cachetools")
    inner = package / "impl"
    inner.mkdir()
    for name in ("base", "expiring", "decorators"):
        path = inner / f"{name}.py"
        (package / f"{name}.py").rename(path)
        text = path.read_text(encoding="utf-8").replace("from . import keys", "from .. import keys")
        path.write_text(text, encoding="utf-8")
    for name in ("__init__", "func"):
        path = package / f"{name}.py"
        text = path.read_text(encoding="utf-8")
        for module in ("base", "expiring", "decorators"):
            text = text.replace(f"from .{module} import", f"from .impl.{module} import")
        path.write_text(text, encoding="utf-8")


def _no_build_system(folder: Path) -> None:
    pyproject = folder / "pyproject.toml"
    text = pyproject.read_text(encoding="utf-8")
    pyproject.write_text(text[text.index("[project]") : text.index("[tool.setuptools")], encoding="utf-8")


def _setup_py_only(folder: Path) -> None:
    _root_package(folder)
    (folder / "setup.py").write_text(
        "from pathlib import Path\n\nfrom setuptools import setup\n\n"
        "Path(__file__).with_name('setup-was-executed').write_text('yes')\n"
        "setup(name='cachetools-fair', version='0.3.0', packages=['cachetools'])\n",
        encoding="utf-8",
    )


EDITS: dict[str, Callable[[Path], None]] = {
    "encodings": _encodings,
    "fragile": _fragile,
    "hanging-import": _hanging_import,
    "insecure": _insecure,
    "insecure-reference": _insecure_reference,
    "leaking": _leaking,
    "memory-hog": _memory_hog,
    "memory-limit": _memory_limit,
    "missing-module": _missing_module,
    "namespace-folder": _namespace_folder,
    "no-build-system": _no_build_system,
    "quadratic": _quadratic,
    "root-package": _root_package,
    "setup-py-only": _setup_py_only,
    "several-folders": _several_folders,
    "slow-import": _slow_import,
    "syntax-error": _syntax_error,
    "tangled": _tangled,
}


def main(arguments: list[str]) -> int:
    """The command line of this file."""
    known = {subject.name: subject for subject in subjects()}
    if arguments == ["list"]:
        for subject in known.values():
            print(f"{subject.name:28}{subject.task:16}{subject.about}")
        return 0
    if len(arguments) not in (2, 3) or arguments[0] not in known:
        print(__doc__, file=sys.stderr)
        return 2
    build(known[arguments[0]], Path(arguments[1]), *map(Path, arguments[2:]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
