"""What a manifest bears, and that one is never made that could not be loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from qualityscore.errors import HarnessError, TaskError
from qualityscore.inside.encode import encode
from qualityscore.suites import manifest
from qualityscore.suites.manifest import VALUE_DEPTH, Call, Manifest, Probe, ProbedEntry, Returned


def arrays(depth: int) -> Any:
    """Arrays and objects by turns, `depth` of them within each other."""
    value: Any = 1
    for number in range(depth):
        value = [value] if number % 2 else {"tuple": value}
    return value


def holding(outcome: Returned) -> Manifest:
    probe = Probe(id="p", kind="hostile", setup=[], call="m.f()", inputs="i", outcome=outcome)
    entry = ProbedEntry(
        name="m.f", sensible=Call(setup=[], call="m.f()"), limit_s=2.0, memory_bytes=256 << 20, probes=[probe]
    )
    return Manifest(
        schema_version=1, task_id="m", reference="m 1", seed=0, hash_seeds=[0], float_tolerance=0.0, entries=[entry]
    )


def returned(value: Any) -> Returned:
    return Returned(digest="0" * 64, value=value, shown="a value")


def test_a_value_as_deep_as_a_manifest_bears_is_loaded_as_it_was_written(tmp_path: Path) -> None:
    written = holding(returned(arrays(VALUE_DEPTH)))
    (tmp_path / manifest.FILE_NAME).write_text(manifest.dump(written), "utf-8")
    assert manifest.load(tmp_path) == written == manifest.as_read(written)


def test_a_value_one_level_deeper_is_refused_when_made_and_when_loaded(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match=f"more than {VALUE_DEPTH} levels"):
        returned(arrays(VALUE_DEPTH + 1))
    plain = json.loads(manifest.dump(holding(returned(arrays(VALUE_DEPTH)))))
    plain["entries"][0]["probes"][0]["outcome"]["value"] = arrays(VALUE_DEPTH + 1)
    (tmp_path / manifest.FILE_NAME).write_text(json.dumps(plain), "utf-8")
    with pytest.raises(TaskError, match=f"more than {VALUE_DEPTH} levels"):
        manifest.load(tmp_path)


def test_the_deepest_encoded_value_may_be_more_than_a_manifest_bears() -> None:
    value: Any = None
    for _ in range(100):
        value = {"k": value}
    assert not manifest.bears(encode(value))
    assert manifest.bears(encode([value][:0]))
    assert manifest.bears(arrays(VALUE_DEPTH))
    assert not manifest.bears(arrays(VALUE_DEPTH + 1))


def test_a_manifest_that_could_not_be_loaded_is_no_result() -> None:
    unchecked = Returned.model_construct(digest="0" * 64, value=arrays(199), shown="a value", large=False, mutates=[])
    entry = holding(returned(1)).entries[0]
    probe = entry.probes[0].model_copy(update={"outcome": unchecked})
    broken = holding(returned(1)).model_copy(update={"entries": [entry.model_copy(update={"probes": [probe]})]})
    with pytest.raises(HarnessError, match="could not be loaded"):
        manifest.as_read(broken)
