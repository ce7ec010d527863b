"""What was seen during a run that an honest subject has no reason to do.

One thing decides: a replaced part that assertions compute with and that no honest program replaces.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from qualityscore.judging.lowered import DerivedSuite
from qualityscore.model.outcome import Evidence, Location
from qualityscore.model.snapshot import ExpectedTest
from qualityscore.runtime.target import Tree
from qualityscore.suites.playing import Seen

_MOST_PLACES = 5
_LARGEST_FILE = 1 << 20
_REACHING = frozenset(
    {
        *("_exit", "_getframe", "_current_frames", "get_objects", "get_referrers", "tb_frame", "f_back", "f_locals"),
        *("f_globals", "settrace", "setprofile", "__qs__", "_pytest", "pytest", "SCM_RIGHTS"),
        *("builtins", "__builtins__"),
    }
)
_EXPECTATIONS = ("raises", "approx", "fail", "skip", "xfail", "importorskip", "exit")
DECISIVE = ("builtins.", "inside.", "suite.", "_pytest.", *(f"pytest.{name}" for name in _EXPECTATIONS))
"""How the names of parts begin that no honest program replaces and leaves replaced (`inside/machinery.py`)."""
_REACHING_TEXT = ("/proc/self", "/qs/", "_pytest")


def unusual(
    expected: Sequence[ExpectedTest], derived: Mapping[str, DerivedSuite], seen: Seen, tree: Tree
) -> Iterator[Evidence]:
    """Observations that nobody asked for, several messages of one test, and machinery that was replaced.

    What replaced it is told by the subject's own process: its place is shown where it is a file of the subject.
    """
    files = frozenset(tree.files)
    places: dict[str, Location] = {}
    asked = {(file, item.key, item.test) for file, suite in derived.items() for item in suite.assertions}
    keys = {(file, key) for file, key, _ in asked}
    changed: dict[str, list[str]] = {}
    for number, (event, observation) in sorted(seen.units.items()):
        test = expected[number]
        if len(event.messages) > 1:
            yield Evidence(kind="several_messages", message=f"{test.id} sent {len(event.messages)} messages")
        if observation is None:
            continue
        unasked = sorted({key for key, _, _ in observation.records if (test.file, key) not in keys})
        if unasked:
            yield Evidence(kind="unasked_observation", message=f"{test.id} recorded what no assertion asks for")
        for name, place in observation.changed:
            changed.setdefault(name, []).append(test.id)
            if place is not None and place.path in files:
                places.setdefault(name, place)
    decisive = {name: ids for name, ids in changed.items() if name.startswith(DECISIVE)}
    for name, ids in sorted(changed.items()):
        if name not in decisive:
            message = f"{name} was replaced and not put back in {len(ids)} tests, first in {ids[0]}"
            yield Evidence(kind="changed_machinery", message=message, location=places.get(name))
    if decisive:
        shown = sorted(decisive, key=lambda name: (-len(decisive[name]), name))
        rest = f" and {len(shown) - _MOST_PLACES} more" if len(shown) > _MOST_PLACES else ""
        tests = len({test for ids in decisive.values() for test in ids})
        message = f"what assertions compute with was replaced in {tests} tests: {', '.join(shown[:_MOST_PLACES])}{rest}"
        first = next((places[name] for name in shown if name in places), None)
        yield Evidence(kind="replaced_machinery", message=message, location=first, decisive=True)
        others = {places[name]: name for name in reversed(shown) if places.get(name, first) != first}
        for place in list(others)[: -_MOST_PLACES - 1 : -1]:
            yield Evidence(kind="reaching_code", message=f"replaces {others[place]}", location=place)


def reaching_code(tree: Tree) -> Iterator[Evidence]:
    """Places in a subject that reach for frames, descriptors, the interpreter's end or the test framework.

    For a person who reads about a tampered run; plenty of honest code does one of these.
    """
    found = 0
    for name in tree.files:
        if not name.endswith(".py"):
            continue
        for line, what in _reaching(tree.root / name):
            yield Evidence(kind="reaching_code", message=f"uses {what}", location=Location(path=name, line=line))
            found += 1
            if found >= _MOST_PLACES:
                return


def _reaching(path: Path) -> list[tuple[int, str]]:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            return []
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: dict[int, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in _REACHING:
                found.setdefault(node.lineno, name)
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.name.partition(".")[0] in _REACHING:
                        found.setdefault(node.lineno, alias.name)
            case ast.ImportFrom(module=str(name)) if name.partition(".")[0] in _REACHING:
                found.setdefault(node.lineno, name)
            case ast.Constant(value=str(text)) if any(part in text for part in _REACHING_TEXT):
                found.setdefault(node.lineno, repr(text[:40]))
            case _:
                pass
    return sorted(found.items())
