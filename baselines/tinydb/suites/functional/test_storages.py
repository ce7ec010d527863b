"""Files, memory, and what stands between."""

import json

import pytest
from tinydb import JSONStorage, Storage, TinyDB, where
from tinydb.middlewares import CachingMiddleware, Middleware
from tinydb.storages import MemoryStorage


def test_a_file_keeps_the_database(tmp_path):
    path = tmp_path / "db.json"
    with TinyDB(path) as db:
        db.insert_multiple([{"a": 1, "b": [True, None, 2.5]}, {"a": "ü"}])
        db.table("other").insert({"c": {"d": "e"}})
    assert json.loads(path.read_text()) == {
        "_default": {"1": {"a": 1, "b": [True, None, 2.5]}, "2": {"a": "ü"}},
        "other": {"1": {"c": {"d": "e"}}},
    }
    with TinyDB(path) as db:
        again = [db.insert({"a": 3}), len(db), db.get(where("a") == "ü").doc_id, sorted(db.tables())]
    assert again == [3, 3, 2, ["_default", "other"]]


def test_changes_are_in_the_file_at_once_and_it_shrinks(tmp_path):
    path = tmp_path / "db.json"
    db = TinyDB(path)
    db.insert({"text": "x" * 500})
    long = len(path.read_text())
    db.update({"text": "y"})
    short = path.read_text()
    db.close()
    assert [long > 500, json.loads(short)] == [True, {"_default": {"1": {"text": "y"}}}]


def test_files_can_be_written_to_taste(tmp_path):
    path = tmp_path / "deep" / "er" / "db.json"
    with TinyDB(path, create_dirs=True, indent=2, sort_keys=True, ensure_ascii=False, encoding="utf-8") as db:
        db.insert({"b": 1, "a": "é"})
    assert path.read_bytes().decode() == '{\n  "_default": {\n    "1": {\n      "a": "é",\n      "b": 1\n    }\n  }\n}'


def test_files_can_be_opened_for_reading_only(tmp_path):
    path = tmp_path / "db.json"
    path.write_text('{"_default": {"4": {"v": 44}}}')
    db = TinyDB(path, access_mode="r")
    with pytest.raises(OSError):
        db.insert({"v": 45})
    assert [db.all(), db.all()[0].doc_id] == [[{"v": 44}], 4]
    db.close()
    assert json.loads(path.read_text()) == {"_default": {"4": {"v": 44}}}


def test_missing_files_and_folders_are_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        TinyDB(tmp_path / "no" / "db.json")
    with pytest.raises(FileNotFoundError):
        TinyDB(tmp_path / "none.json", access_mode="r")
    with TinyDB(tmp_path / "some.json") as db:
        db.insert({"v": 7})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"some.json": '{"_default": {"1": {"v": 7}}}'}


def test_an_empty_file_is_an_empty_database(tmp_path):
    path = tmp_path / "empty.json"
    path.write_text("")
    with TinyDB(path) as db:
        seen = [len(db), sorted(db.tables()), db.storage.read(), db.insert({"first": 11})]
    assert seen == [0, [], None, 1]
    assert path.read_text() == '{"_default": {"1": {"first": 11}}}'


def test_memory_starts_empty_each_time():
    first, second = TinyDB(storage=MemoryStorage), TinyDB(storage=MemoryStorage)
    first.insert({"v": 21})
    assert [first.storage.read(), second.storage.read(), len(second)] == [{"_default": {"1": {"v": 21}}}, None, 0]


def test_a_storage_of_ones_own():
    log = []

    class Logging(Storage):
        def __init__(self, label):
            self.label, self.data = label, None

        def read(self):
            return self.data

        def write(self, data):
            log.append(f"{self.label}:{sum(len(table) for table in data.values())}")
            self.data = json.loads(json.dumps(data))

        def close(self):
            log.append(f"{self.label}:closed")

    with TinyDB("mine", storage=Logging) as db:
        db.insert_multiple([{"a": 1}, {"a": 2}, {"a": 3}])
        db.remove(where("a") == 2)
        kept = [row.doc_id for row in db]
    assert [log, kept] == [["mine:3", "mine:2", "mine:closed"], [1, 3]]


def test_the_caching_middleware_writes_when_flushed_or_closed(tmp_path):
    path = tmp_path / "db.json"
    db = TinyDB(path, storage=CachingMiddleware(JSONStorage))
    db.insert({"v": 1})
    sizes = [path.read_text(), len(db)]
    db.storage.flush()
    sizes.append(path.read_text())
    db.insert({"v": 2})
    sizes.append(path.read_text())
    db.close()
    sizes.append(path.read_text())
    assert sizes == [
        "",
        1,
        '{"_default": {"1": {"v": 1}}}',
        '{"_default": {"1": {"v": 1}}}',
        '{"_default": {"1": {"v": 1}, "2": {"v": 2}}}',
    ]


def test_the_caching_middleware_reads_once(tmp_path):
    path = tmp_path / "db.json"
    path.write_text('{"_default": {"7": {"v": 70}}}')
    db = TinyDB(path, storage=CachingMiddleware(JSONStorage))
    seen = [db.all()]
    path.write_text('{"_default": {"8": {"v": 80}}}')
    seen.append(db.all())
    assert [seen, db.insert({"v": 90})] == [[[{"v": 70}], [{"v": 70}]], 8]


def test_the_caching_middleware_writes_now_and_then(tmp_path):
    class Often(CachingMiddleware):
        WRITE_CACHE_SIZE = 3

    path = tmp_path / "db.json"
    with TinyDB(path, storage=Often(JSONStorage)) as db:
        stored = []
        for n in range(7):
            db.insert({"n": n})
            stored.append(len(json.loads(path.read_text() or '{"_default": {}}')["_default"]))
    assert stored == [0, 0, 3, 3, 3, 6, 6]
    assert len(json.loads(path.read_text())["_default"]) == 7


def test_a_middleware_of_ones_own():
    class Upper(Middleware):
        def read(self):
            return self.storage.read()

        def write(self, data):
            self.storage.write({name: {key: {k: str(v).upper() for k, v in row.items()} for key, row in table.items()} for name, table in data.items()})

    class Labelled(MemoryStorage):
        label = "kept in memory"

    db = TinyDB(storage=Upper(Labelled))
    db.insert({"word": "loud"})
    assert [db.all(), db.storage.storage.read()] == [[{"word": "LOUD"}], {"_default": {"1": {"word": "LOUD"}}}]
    assert [db.storage.label, type(db.storage).__name__] == ["kept in memory", "Upper"]
