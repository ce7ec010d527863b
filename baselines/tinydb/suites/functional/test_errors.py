"""What is refused."""

import pytest
from tinydb import Query, TinyDB, where
from tinydb.operations import delete, increment
from tinydb.storages import MemoryStorage
from tinydb.table import Document


def numbers():
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple([{"n": 11}, {"n": 22}])
    return db


def test_only_mappings_can_be_stored():
    db = numbers()
    refused = []
    for value in (None, 5, "text", ["list"], {"set"}, ("n", 1)):
        try:
            db.insert(value)
        except ValueError:
            refused.append(type(value).__name__)
    assert refused == ["NoneType", "int", "str", "list", "set", "tuple"]
    assert db.all() == [{"n": 11}, {"n": 22}]


def test_a_bad_document_among_many_stores_none():
    db = numbers()
    with pytest.raises(ValueError):
        db.insert_multiple([{"n": 33}, ["bad"], {"n": 44}])
    assert [row["n"] for row in db] == [11, 22]


def test_ids_in_use_are_refused():
    db = numbers()
    with pytest.raises(ValueError):
        db.insert(Document({"n": 99}, doc_id=2))
    with pytest.raises(ValueError):
        db.insert_multiple([Document({"n": 98}, doc_id=5), Document({"n": 97}, doc_id=1)])
    assert {row.doc_id: row["n"] for row in db} == {1: 11, 2: 22}


def test_get_contains_and_remove_need_to_know_what():
    db = numbers()
    with pytest.raises(RuntimeError):
        db.get()
    with pytest.raises(RuntimeError):
        db.contains()
    with pytest.raises(RuntimeError):
        db.remove()
    assert [row["n"] for row in db] == [11, 22]


def test_upsert_needs_a_query_or_an_id():
    db = numbers()
    with pytest.raises(ValueError):
        db.upsert({"n": 55})
    assert [db.upsert({"n": 55}, where("n") == 55), len(db)] == [[3], 3]


def test_queries_need_a_field():
    refused = []
    for position, build in enumerate(
        [
            lambda: Query() == 2,
            lambda: Query() < 2,
            lambda: Query().exists(),
            lambda: Query().matches("x"),
            lambda: Query().any([1]),
            lambda: Query().one_of([1]),
        ]
    ):
        try:
            build()
        except ValueError:
            refused.append(position)
    assert refused == [0, 1, 2, 3, 4, 5]
    with pytest.raises(RuntimeError):
        numbers().search(Query())


def test_operations_on_a_missing_field_change_nothing():
    db = numbers()
    db.insert({"other": 1})
    with pytest.raises(KeyError):
        db.update(increment("m"), where("other").exists())
    with pytest.raises(KeyError):
        db.update(delete("n"), doc_ids=[3])
    assert db.all() == [{"n": 11}, {"n": 22}, {"other": 1}]


def test_errors_in_functions_reach_the_caller():
    def picky(value):
        if value == 22:
            raise LookupError("found")
        return True

    db = numbers()
    with pytest.raises(LookupError):
        db.search(where("n").test(picky))
    with pytest.raises(ZeroDivisionError):
        db.update(lambda document: document["n"] // 0)
    assert [db.count(where("n").test(lambda value: value > 11)), db.all()] == [1, [{"n": 11}, {"n": 22}]]
