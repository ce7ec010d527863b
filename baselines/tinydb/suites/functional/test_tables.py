"""Several tables, IDs, and the cache that nobody sees."""

from tinydb import TinyDB, where
from tinydb.storages import MemoryStorage
from tinydb.table import Document


def test_tables_are_apart():
    db = TinyDB(storage=MemoryStorage)
    cats, dogs = db.table("cats"), db.table("dogs")
    ids = [cats.insert({"n": "Tom"}), dogs.insert({"n": "Rex"}), cats.insert({"n": "Kit"}), db.insert({"n": "Eva"})]
    assert [ids, len(cats), len(dogs), len(db)] == [[1, 1, 2, 1], 2, 1, 1]
    assert sorted(db.tables()) == ["_default", "cats", "dogs"]
    assert [cats.name, db.table("cats") is cats, [row["n"] for row in cats]] == ["cats", True, ["Tom", "Kit"]]


def test_tables_can_be_dropped():
    db = TinyDB(storage=MemoryStorage)
    for name in ("red", "green", "blue"):
        db.table(name).insert({"colour": name})
    db.drop_table("green")
    db.drop_table("never there")
    assert [sorted(db.tables()), len(db.table("green")), len(db.table("blue"))] == [["blue", "red"], 0, 1]
    db.drop_tables()
    assert [db.tables(), db.table("red").all(), db.table("red").insert({"colour": "new"})] == [set(), [], 1]


def test_empty_tables_are_stored_at_once_on_demand():
    db = TinyDB(storage=MemoryStorage)
    early, late = db.table("early", persist_empty=True), db.table("late")
    first = sorted(db.tables())
    late.insert({"v": 6})
    assert [first, sorted(db.tables()), len(early), len(late)] == [["early"], ["early", "late"], 0, 1]


def test_the_default_table_answers_for_the_database():
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple([{"v": 3}, {"v": 5}, {"v": 8}])
    default = db.table("_default")
    assert [default.all(), db.table("_default") is default] == [[{"v": 3}, {"v": 5}, {"v": 8}], True]
    default.remove(where("v") == 5)
    assert [[row["v"] for row in db], db.name, len(db)] == [[3, 8], "_default", 2]


def test_ids_are_not_given_again():
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple({"n": n} for n in range(3))
    db.remove(doc_ids=[3])
    assert [db.insert({"n": 30}), db.insert_multiple([{"n": 40}, {"n": 50}])] == [4, [5, 6]]
    assert [row.doc_id for row in db] == [1, 2, 4, 5, 6]


def test_ids_can_be_chosen():
    db = TinyDB(storage=MemoryStorage)
    assert [db.insert(Document({"a": 1}, doc_id=12)), db.insert({"a": 2})] == [12, 13]
    assert db.insert_multiple([Document({"a": 3}, doc_id=40), Document({"a": 4}, doc_id=20)]) == [40, 20]
    assert [(row.doc_id, row["a"]) for row in db] == [(12, 1), (13, 2), (40, 3), (20, 4)]


def test_upsert_of_a_document_goes_by_its_id():
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple([{"a": 1, "b": 1}, {"a": 2, "b": 2}])
    assert [db.upsert(Document({"a": 20}, doc_id=2)), db.upsert(Document({"a": 70}, doc_id=7))] == [[2], [7]]
    assert {row.doc_id: dict(row) for row in db} == {1: {"a": 1, "b": 1}, 2: {"a": 20, "b": 2}, 7: {"a": 70}}


def test_search_results_follow_every_change():
    db = TinyDB(storage=MemoryStorage)
    table = db.table("t", cache_size=2)
    query = where("v") > 1
    counts = [table.count(query)]
    table.insert({"v": 2})
    counts.append(table.count(query))
    table.insert_multiple([{"v": 0}, {"v": 9}])
    counts.append(table.count(query))
    table.update({"v": 5}, where("v") == 0)
    counts.append(table.count(query))
    table.remove(where("v") == 5)
    counts.append(table.count(query))
    table.clear_cache()
    counts.append(table.count(query))
    table.truncate()
    counts.append(table.count(query))
    assert counts == [0, 1, 2, 3, 2, 2, 0]


def test_result_lists_belong_to_the_caller():
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple([{"v": 1}, {"v": 2}, {"v": 3}])
    first = db.search(where("v") >= 2)
    first.clear()
    second = db.search(where("v") >= 2)
    second.append("junk")
    assert [len(first), len(second), db.search(where("v") >= 2)] == [0, 3, [{"v": 2}, {"v": 3}]]


def test_more_queries_than_the_cache_holds():
    db = TinyDB(storage=MemoryStorage)
    table = db.table("many", cache_size=3)
    table.insert_multiple({"v": v} for v in range(20))
    sums = [sum(row["v"] for row in table.search(where("v") < limit)) for limit in (5, 10, 15, 20, 5, 10)]
    assert sums == [10, 45, 105, 190, 10, 45]


def test_mappings_of_other_kinds_are_stored_as_dictionaries():
    import collections

    db = TinyDB(storage=MemoryStorage)
    db.insert(collections.OrderedDict([("z", 1), ("a", 2)]))
    db.insert(collections.ChainMap({"x": 3}, {"y": 4}))
    stored = db.storage.read()["_default"]
    assert [type(stored["1"]).__name__, sorted(stored["2"].items())] == ["dict", [("x", 3), ("y", 4)]]
    assert db.all() == [{"z": 1, "a": 2}, {"x": 3, "y": 4}]
