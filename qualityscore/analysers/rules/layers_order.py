"""QSL002: an import against the layer order that the project gives."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.fields import did_you_mean
from qualityscore.analysers.layers import ImportGraph
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    if not reading.order:
        return
    graph = ImportGraph(reading.project)
    level = {name: i for i, layer in enumerate(reading.order) for name in layer}
    for (importer, target), (module, imported) in sorted(graph.places.items()):
        own, other = _layer(importer, level), _layer(target, level)
        if own is None or other is None or other[1] >= own[1]:
            continue
        yield RULE.finding(
            path=module.path,
            line=imported.line,
            column=imported.column,
            name=target,
            message=f"{importer} (layer {own[0]}) imports {target} (layer {other[0]}), which is above it",
            suggestion=f"{other[0]} may import {own[0]}, not the other way round",
        )


def _layer(module: str, level: dict[str, int]) -> tuple[str, int] | None:
    """The most precise name in the order that covers a module: `a.b` covers `a.b` and `a.b.c`, and `b` alone any of its
    parts' ends."""
    parts = module.split(".")
    for end in range(len(parts), 0, -1):
        for start in range(end):
            name = ".".join(parts[start:end])
            if name in level:
                return name, level[name]
    return None


def unmatched(reading: Reading) -> tuple[tuple[str, str | None], ...]:
    """The names of the order that cover no module, each with the one that was probably meant."""
    known: set[str] = set()
    for module in reading.project:
        parts = module.name.split(".")
        known.update(".".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1))
    named = [name for layer in reading.order for name in layer]
    return tuple((name, did_you_mean(name, known)) for name in dict.fromkeys(named) if name not in known)


def parse_order(text: str) -> tuple[tuple[str, ...], ...]:
    """Read a layer order: a layer per line, top first, its modules separated by blanks; `#` starts a comment."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return tuple(tuple(names) for names in lines if names)


RULE = Rule(
    code="QSL002",
    analyser="layers",
    title="Import against the layer order",
    why=(
        "With `--order FILE` a project says which of its modules lie above which: one layer per line from top to "
        "bottom, the modules of a layer separated by blanks. A module may import from its own layer and "
        "from those below."
    ),
    check=_check,
    severity=Severity.MEDIUM,
)

BAD = (
    Case(
        title="a lower layer imports a higher one",
        files={
            "pkg/__init__.py": "",
            "pkg/cli.py": "from . import core\n",
            "pkg/core.py": "import pkg.cli\n",
            "pkg/model/__init__.py": "",
            "pkg/model/item.py": "from ..core import run\n",
        },
        order=(("pkg.cli",), ("pkg.core",), ("pkg.model",)),
        found=("pkg/core.py:1:8 pkg.cli", "pkg/model/item.py:1:20 pkg.core"),
    ),
)

GOOD = (
    Case(
        title="downwards, sideways, and modules that the order does not name",
        files={
            "pkg/__init__.py": "",
            "pkg/cli.py": "from . import core, other\n",
            "pkg/core.py": "from . import side\nfrom .model import item\n",
            "pkg/side.py": "x = 1\n",
            "pkg/other.py": "from . import cli\n",
            "pkg/model/__init__.py": "",
            "pkg/model/item.py": "",
        },
        order=(("cli",), ("core", "side"), ("model",)),
    ),
)
