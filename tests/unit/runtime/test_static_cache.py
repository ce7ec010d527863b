"""The cache of static results: shared, bounded, and never in the way."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from qualityscore.runtime.static_cache import StaticCache, key_of


def big(n: int) -> list[int]:
    """About 2 kB that do not compress."""
    return [hash((n, k)) for k in range(100)]


def test_values_come_back_as_they_were(tmp_path: Path) -> None:
    cache = StaticCache(tmp_path / "deep" / "cache.sqlite3")
    values = {"a": [1, 2.5, None, "ü\udcff"], "b": {"x": True}, "c": None}
    cache.put(values)
    assert StaticCache(tmp_path / "deep" / "cache.sqlite3").get(["a", "b", "c", "missing"]) == values


def test_many_keys_are_asked_for_at_once(tmp_path: Path) -> None:
    cache = StaticCache(tmp_path / "c")
    cache.put({f"k{n}": n for n in range(2500)})
    assert len(cache.get([f"k{n}" for n in range(5000)])) == 2500


def test_no_path_means_no_cache() -> None:
    cache = StaticCache(None)
    cache.put({"a": 1})
    assert cache.get(["a"]) == {}


@pytest.mark.parametrize(
    "damage",
    ["garbage", "truncated", "flipped", "other schema", "empty", "no table", "other columns", "a view", "no text"],
)
def test_a_damaged_file_is_replaced(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "c"
    cache = StaticCache(path)
    cache.put({f"k{n}": big(n) for n in range(100)})
    raw = bytearray(path.read_bytes())
    match damage:
        case "garbage":
            path.write_bytes(b"this is no database" * 100)
        case "truncated":
            path.write_bytes(raw[: len(raw) // 2])
        case "flipped":
            raw[100:4000] = bytes(255 - byte for byte in raw[100:4000])
            path.write_bytes(raw)
        case "other schema":
            with sqlite3.connect(path) as database:
                database.execute("PRAGMA user_version = 99")
        case "empty":
            path.write_bytes(b"")
        case "no table":
            with sqlite3.connect(path) as database:
                database.execute("DROP TABLE results")
        case "other columns":
            with sqlite3.connect(path) as database:
                database.executescript("DROP TABLE results; CREATE TABLE results (key TEXT PRIMARY KEY, value BLOB)")
        case "a view":
            with sqlite3.connect(path) as database:
                database.executescript("DROP TABLE results; CREATE VIEW results AS SELECT 1; PRAGMA user_version = 0")
        case "no text":
            with sqlite3.connect(path) as database:
                database.execute("UPDATE results SET value = CAST(x'ff' AS TEXT)")
    found = cache.get([f"k{n}" for n in range(100)])
    assert all(value == big(int(key[1:])) for key, value in found.items())
    cache.put({"new": 1})
    cache.put({"new": 1})  # the first may have met, and cleared away, the damage
    assert cache.get(["new", *found, "k0", "k99"])["new"] == 1


def test_a_file_that_another_process_holds_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qualityscore.runtime.static_cache._BUSY_S", 0.05)
    cache = StaticCache(tmp_path / "c")
    cache.put({"a": 1})
    holder = sqlite3.connect(tmp_path / "c", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert cache.get(["a"]) == {}
    cache.put({"b": 2})
    holder.execute("ROLLBACK")
    holder.close()
    assert cache.get(["a", "b"]) == {"a": 1}


def test_a_damaged_value_counts_as_missing_and_goes(tmp_path: Path) -> None:
    path = tmp_path / "c"
    cache = StaticCache(path)
    cache.put({"a": big(1), "b": big(2)})
    with sqlite3.connect(path) as database:
        (value,) = database.execute("SELECT value FROM results WHERE key = 'a'").fetchone()
        database.execute("UPDATE results SET value = ? WHERE key = 'a'", (value[:-1] + bytes([value[-1] ^ 1]),))
    assert cache.get(["a", "b"]) == {"b": big(2)}
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT key FROM results").fetchall() == [("b",)]


@pytest.mark.parametrize("place", ["a folder", "below a file"])
def test_a_place_that_cannot_be_used_is_no_error(tmp_path: Path, place: str) -> None:
    path = tmp_path / "x"
    if place == "a folder":
        path.mkdir()
    else:
        path.write_text("")
        path = path / "c"
    cache = StaticCache(path)
    cache.put({"a": 1})
    assert cache.get(["a"]) == {}


def test_the_size_is_bounded_and_what_was_used_last_stays(tmp_path: Path) -> None:
    path = tmp_path / "c"
    cache = StaticCache(path, max_bytes=100_000)
    cache.put({"precious": big(0)})
    for n in range(1, 150):
        cache.put({f"k{n}": big(n)})
        if n % 10 == 0:
            assert cache.get(["precious"])
    with sqlite3.connect(path) as database:
        (size,) = database.execute("SELECT SUM(size) FROM results").fetchone()
    assert size <= 100_000
    assert cache.get(["precious", "k149", "k1"]).keys() == {"precious", "k149"}


def test_processes_share_it_at_the_same_time(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from qualityscore.runtime.static_cache import StaticCache\n"
        "cache = StaticCache(Path(sys.argv[1])); who = sys.argv[2]\n"
        "for n in range(60):\n"
        "    cache.put({f'{who}-{n}': [who, n], 'common': 1}); cache.get([f'{who}-{k}' for k in range(n)])\n"
    )
    run = [sys.executable, "-c", code, str(tmp_path / "c")]
    writers = [subprocess.Popen([*run, who]) for who in "abcd"]
    assert [writer.wait(timeout=120) for writer in writers] == [0] * 4
    found = StaticCache(tmp_path / "c").get([f"{who}-{n}" for who in "abcd" for n in range(60)])
    assert len(found) >= 236  # the first writers may meet before the table exists
    assert all(value == [key[0], int(key[2:])] for key, value in found.items())


def test_keys_tell_parts_apart() -> None:
    assert key_of("ab", "c") != key_of("a", "bc")
    assert key_of("a") == key_of("a")
    assert len(key_of("a\udcff")) == 64
