"""Ready-made changes of fields."""

from tinydb import TinyDB, where
from tinydb.operations import add, decrement, delete, increment, set, subtract
from tinydb.storages import MemoryStorage


def stock():
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple([{"item": "nut", "n": 10}, {"item": "bolt", "n": 25}, {"item": "gear", "n": 40, "old": True}])
    return db


def test_counting():
    db = stock()
    assert [db.update(increment("n"), where("item") == "nut"), db.update(decrement("n"), where("n") > 20)] == [[1], [2, 3]]
    assert [row["n"] for row in db] == [11, 24, 39]


def test_adding_and_subtracting():
    db = stock()
    db.update(add("n", 5))
    db.update(subtract("n", 12.5), where("n") >= 30)
    db.update(add("item", "-x"), doc_ids=[3])
    assert [(row["item"], row["n"]) for row in db] == [("nut", 15), ("bolt", 17.5), ("gear-x", 32.5)]


def test_setting_and_deleting():
    db = stock()
    assert db.update(set("tags", ["a", "b"]), where("n") < 30) == [1, 2]
    assert db.update(delete("old"), where("old").exists()) == [3]
    assert [sorted(row) for row in db] == [["item", "n", "tags"], ["item", "n", "tags"], ["item", "n"]]
    assert db.get(doc_id=2) == {"item": "bolt", "n": 25, "tags": ["a", "b"]}


def test_operations_in_update_multiple():
    db = stock()
    changed = db.update_multiple([(increment("n"), where("n") == 10), (set("n", 0), where("n") == 11), (add("n", 1), where("n") > 30)])
    assert [changed, [row["n"] for row in db]] == [[1, 1, 3], [0, 25, 41]]
