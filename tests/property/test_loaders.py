"""Documents from strangers: whatever is in them, a loader gives a document or says one sentence, and nothing else."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qualityscore.catalog import RENDERERS
from qualityscore.errors import InputError
from qualityscore.execution import manifest as batch_manifest
from qualityscore.model.codec import dump
from qualityscore.runtime import tasks
from qualityscore.runtime.documents import load_profile, read_report
from qualityscore.runtime.tasks import data_root
from qualityscore.suites import manifest
from sample_reports import report

CACHETOOLS = data_root() / "baselines" / "cachetools"
SNAPSHOT = next(CACHETOOLS.glob("baseline-*.json"))
PROFILE = Path(manifest.__file__).parents[1] / "profiles" / "reference.toml"

TEXTS = ("", "\x1b[31m", "\ud800", "\0", "../../etc/passwd", "a" * 5_000, "1e999")
NUMBERS = (-1, 0, 2**63, 10**400, 1e308, float("nan"), float("inf"))
# a copy each time: a container that two examples share is changed by both, in the end into one that holds itself
hard = st.sampled_from([*TEXTS, *NUMBERS, None, True, [], {}, [[[]]], {"": None}]).map(copy.deepcopy)
junk = st.recursive(
    hard | st.text(max_size=10) | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of everything in a document; of long lists the first three members."""
    pending = [document]
    while pending:
        node = pending.pop()
        keys = list(node) if isinstance(node, dict) else list(range(min(3, len(node))))
        for key in keys:
            yield node, key
            if isinstance(node[key], dict | list):
                pending.append(node[key])


@st.composite
def changed(draw: st.DrawFn, document: Any) -> Any:
    """A document with up to three of its parts replaced, dropped, doubled or renamed."""
    made = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        node, key = draw(st.sampled_from(list(places(made)) or [(made, None)]))
        if key is None:
            break
        match draw(st.sampled_from(["replace", "drop", "add", "wrap"])):
            case "replace":
                node[key] = draw(junk)
            case "drop":
                del node[key]
            case "add" if isinstance(node, dict):
                node[draw(st.text(max_size=5))] = draw(junk)
            case _:
                node[key] = [node[key], node[key]]
    return made


def as_json(document: Any) -> bytes:
    return json.dumps(document).encode("utf-8", "surrogatepass")


def damaged(data: bytes) -> st.SearchStrategy[bytes]:
    """Bytes that were cut, or overwritten somewhere."""
    cut = st.integers(0, len(data)).map(lambda at: data[:at])
    overwritten = st.tuples(st.integers(0, len(data)), st.binary(min_size=1, max_size=8)).map(
        lambda change: data[: change[0]] + change[1] + data[change[0] + len(change[1]) :]
    )
    return cut | overwritten | st.binary(max_size=300) | st.just(b"[" * 100_000) | st.just(b'{"a":' * 50_000)


def taken_or_refused(load: Callable[[], Any]) -> Any:
    """What was loaded, or None after a refusal in one sentence."""
    try:
        return load()
    except InputError as refusal:
        text = str(refusal)
        assert text.endswith((".", "?"))
        assert len(text) < 1_500
        return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("documents")


PLAIN_REPORT = json.loads(dump(report()))
PLAIN_SNAPSHOT = json.loads(SNAPSHOT.read_text())
SMALL_SNAPSHOT = {**PLAIN_SNAPSHOT, "tests": PLAIN_SNAPSHOT["tests"][:3], "judged": PLAIN_SNAPSHOT["judged"][:3]}


@settings(deadline=None)  # every example writes a file
@given(data=changed(PLAIN_REPORT).map(as_json) | damaged(as_json(PLAIN_REPORT)))
def test_a_report(folder, data):
    file = folder / "report.json"
    file.write_bytes(data)
    found = taken_or_refused(lambda: read_report(str(file)))
    if found is not None:
        for render in RENDERERS.values():
            render(found).encode("utf-8")


@settings(deadline=None)
@given(data=changed(SMALL_SNAPSHOT).map(as_json) | damaged(as_json(SMALL_SNAPSHOT)))
def test_a_snapshot(folder, data):
    task = tasks.load_task("cachetools")
    file = folder / "baseline.json"
    file.write_bytes(data)
    taken_or_refused(lambda: tasks.read_snapshot(file, task))


MANIFEST = json.loads((data_root() / "probes" / "cachetools" / "manifest.json").read_text())
SMALL_MANIFEST = {**MANIFEST, "entries": [{**e, "probes": e["probes"][:2]} for e in MANIFEST["entries"][:2]]}


@settings(deadline=None)
@given(data=changed(SMALL_MANIFEST).map(as_json) | damaged(as_json(SMALL_MANIFEST)))
def test_a_manifest(folder, data):
    (folder / "manifest.json").write_bytes(data)
    taken_or_refused(lambda: manifest.load(folder))


def as_toml(value: Any) -> str:
    """A TOML document of what was read from one; for what TOML cannot hold, something that is no TOML."""
    lines, tables = [], []
    for key, item in value.items():
        if isinstance(item, dict):
            tables.append((key, item))
        else:
            lines.append(f"{json.dumps(str(key))} = {_toml_value(item)}")
    for name, table in tables:
        lines.append(f"[{json.dumps(str(name))}]")
        lines += [f"{json.dumps(str(key))} = {_toml_value(item)}" for key, item in table.items()]
    return "\n".join(lines) + "\n"


def _toml_value(item: Any) -> str:
    if isinstance(item, dict):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {_toml_value(v)}" for k, v in item.items()) + "}"
    if isinstance(item, list):
        return "[" + ", ".join(map(_toml_value, item)) + "]"
    if isinstance(item, float):
        return repr(item)
    return json.dumps(item)


TASK = tomllib.loads((CACHETOOLS / "task.toml").read_text())
SURFACE = json.loads((CACHETOOLS / "surface.json").read_text())
toml = changed(TASK).map(lambda d: as_toml(d).encode("utf-8", "surrogatepass"))


@settings(deadline=None)
@given(
    spec=toml | damaged(as_toml(TASK).encode()),
    surface=st.just(as_json(SURFACE)) | changed(SURFACE).map(as_json) | damaged(as_json(SURFACE)),
)
def test_a_task(folder, spec, surface):
    place = folder / "task"
    place.mkdir(exist_ok=True)
    (place / "task.toml").write_bytes(spec)
    (place / "surface.json").write_bytes(surface)
    (place / "requirements.lock").write_bytes(b"")
    taken_or_refused(lambda: tasks.load_task(str(place)))


@settings(deadline=None)
@given(data=changed(tomllib.loads(PROFILE.read_text())).map(lambda d: as_toml(d).encode("utf-8", "surrogatepass")))
def test_a_profile(folder, data):
    file = folder / "profile.toml"
    file.write_bytes(data)
    taken_or_refused(lambda: load_profile(str(file)))


def test_the_unchanged_documents_are_taken(folder):
    (folder / "report.json").write_bytes(as_json(PLAIN_REPORT))
    assert read_report(str(folder / "report.json")) == report()
    assert load_profile(str(PROFILE)).measure_ids
    assert tomllib.loads(as_toml(TASK)) == TASK


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_no_json_holds_is_refused_in_every_document(folder, number):
    place = folder / "not_finite"
    place.mkdir(exist_ok=True)

    def written(name: str, document: Any) -> Path:
        (place / name).write_text(json.dumps(document).replace('"it"', number))
        return place / name

    snapshot = written("baseline.json", {**SMALL_SNAPSHOT, "provenance": {"a": {"b": "it"}}})
    with pytest.raises(InputError, match=r"key 'provenance\.a\.b': input should be a finite number"):
        tasks.read_snapshot(snapshot, tasks.load_task("cachetools"))
    probes = copy.deepcopy(SMALL_MANIFEST)
    (returned, *_) = [p for e in probes["entries"] for p in e["probes"] if p["outcome"]["kind"] == "returned"]
    returned["outcome"]["value"] = ["it"]
    written("manifest.json", probes)
    with pytest.raises(InputError, match="value should hold finite numbers only"):
        manifest.load(place)
    rows = written("rows.jsonl", {"subject": "x", "task": "cachetools", "labels": {"a": "it"}})
    with pytest.raises(InputError, match=r"line 1, is not valid: key 'labels\.a': input should be a finite number"):
        list(batch_manifest.read_manifest(rows, {}))
