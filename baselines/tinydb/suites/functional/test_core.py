"""Documents go into tables and come out again."""

from tinydb import Query, TinyDB, where
from tinydb.storages import MemoryStorage


def people():
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple(
        [
            {"name": "Ada", "age": 36, "langs": ["en", "fr"]},
            {"name": "Bob", "age": 41, "langs": ["en"]},
            {"name": "Cleo", "age": 29, "city": {"name": "Rome", "zip": 100}},
            {"name": "Dan", "age": 41, "city": {"name": "Oslo", "zip": 150}},
        ]
    )
    return db


def test_documents_get_rising_ids():
    db = TinyDB(storage=MemoryStorage)
    ids = [db.insert({"n": 10}), db.insert({"n": 20}), *db.insert_multiple({"n": n} for n in (30, 40))]
    assert ids == [1, 2, 3, 4]
    assert db.all() == [{"n": 10}, {"n": 20}, {"n": 30}, {"n": 40}]
    assert [[document.doc_id for document in db], len(db)] == [[1, 2, 3, 4], 4]


def test_search_finds_all_that_match_in_order():
    db = people()
    found = db.search(where("age") == 41)
    assert [(document["name"], document.doc_id) for document in found] == [("Bob", 2), ("Dan", 4)]
    assert [db.count(where("age") < 40), db.count(where("age") > 100), db.search(where("age") > 100)] == [2, 0, []]


def test_get_finds_one():
    db = people()
    assert [db.get(where("age") >= 36)["name"], db.get(where("age") > 36).doc_id, db.get(where("age") > 99)] == ["Ada", 2, None]
    assert [db.get(doc_id=3)["city"], db.get(doc_id=99)] == [{"name": "Rome", "zip": 100}, None]
    assert [document["name"] for document in db.get(doc_ids=[4, 77, 1])] == ["Ada", "Dan"]


def test_contains_says_whether():
    db = people()
    asked = [
        db.contains(where("name") == "Cleo"),
        db.contains(where("name") == "Eve"),
        db.contains(doc_id=4),
        db.contains(doc_id=5),
        db.contains(Query().city.zip == 150),
    ]
    assert asked == [True, False, True, False, True]


def test_update_sets_fields():
    db = people()
    assert [db.update({"age": 50}, where("age") == 41), db.update({"ok": True}, doc_ids=[3, 9, 1])] == [[2, 4], [3, 1]]
    assert [(document["age"], document.get("ok", "-")) for document in db] == [(36, True), (50, "-"), (29, True), (50, "-")]
    assert db.update({"team": "x"}) == [1, 2, 3, 4]
    assert {document["team"] for document in db.all()} == {"x"}


def test_update_with_a_function():
    def older(document):
        document["age"] += len(document["name"])
        document["name"] = document["name"].lower()

    db = people()
    assert db.update(older, where("langs").exists()) == [1, 2]
    assert [(document["name"], document["age"]) for document in db] == [("ada", 39), ("bob", 44), ("Cleo", 29), ("Dan", 41)]


def test_several_updates_at_once():
    db = people()
    changed = db.update_multiple(
        [
            ({"age": 30}, where("name") == "Cleo"),
            (lambda document: document.update(age=document["age"] + 1), where("age") == 30),
            ({"flag": "senior"}, where("age") > 40),
        ]
    )
    assert changed == [2, 3, 3, 4]
    assert [(document["age"], document.get("flag")) for document in db] == [
        (36, None),
        (41, "senior"),
        (31, None),
        (41, "senior"),
    ]


def test_upsert_updates_or_inserts():
    db = people()
    assert db.upsert({"name": "Bob", "age": 42}, where("name") == "Bob") == [2]
    assert db.upsert({"name": "Eve", "age": 7}, where("name") == "Eve") == [5]
    assert db.upsert({"old": 1}, where("age") > 40) == [2, 4]
    assert [(document["name"], document.get("old", 0)) for document in db] == [
        ("Ada", 0),
        ("Bob", 1),
        ("Cleo", 0),
        ("Dan", 1),
        ("Eve", 0),
    ]
    assert db.get(doc_id=2) == {"name": "Bob", "age": 42, "langs": ["en"], "old": 1}


def test_remove_and_truncate():
    db = people()
    assert [db.remove(where("age") == 41), db.remove(doc_ids=[1, 88]), db.remove(where("age") == 0)] == [[2, 4], [1], []]
    assert [document["name"] for document in db] == ["Cleo"]
    assert db.insert({"name": "Fay"}) == 5
    db.truncate()
    assert [len(db), db.insert({"name": "Gus"}), db.all()] == [0, 1, [{"name": "Gus"}]]


def test_found_documents_are_dictionaries_with_an_id():
    db = people()
    document = db.get(where("name") == "Dan")
    assert [isinstance(document, dict), document.doc_id, sorted(document)] == [True, 4, ["age", "city", "name"]]
    assert document == {"name": "Dan", "age": 41, "city": {"name": "Oslo", "zip": 150}}
