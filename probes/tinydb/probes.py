"""Properties of the tinydb task: each docstring states the documented claim."""

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tinydb import Query, TinyDB, where
from tinydb.middlewares import CachingMiddleware
from tinydb.operations import add, decrement, increment, set, subtract
from tinydb.storages import JSONStorage, MemoryStorage
from tinydb.table import Document

FIELD = st.sampled_from(["a", "b", "c"])
SCALAR = st.none() | st.booleans() | st.integers(-5, 5) | st.text("xyz", max_size=3)
VALUE = SCALAR | st.lists(st.integers(-3, 3), max_size=3) | st.dictionaries(FIELD, SCALAR, max_size=2)
DOCUMENT = st.dictionaries(FIELD, VALUE, max_size=3)
DOCUMENTS = st.lists(DOCUMENT, max_size=12)
NUMBERS = st.lists(st.integers(-9, 9), max_size=15)


def fresh(documents=()):
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple(json.loads(json.dumps(list(documents))))
    return db


@given(DOCUMENTS)
def prop_what_is_inserted_is_all_there(documents):
    """Documents come back as they were stored, in order, with IDs from 1 on."""
    db = fresh(documents)
    assert db.all() == documents
    assert [row.doc_id for row in db] == list(range(1, len(documents) + 1))
    assert len(db) == len(documents)
    assert all(db.get(doc_id=row.doc_id) == row for row in db)


@given(DOCUMENTS, DOCUMENTS)
def prop_a_file_keeps_everything(documents, more):
    """A database in a JSON file is the same after it was closed and opened again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "db.json"
        with TinyDB(path) as db:
            db.insert_multiple(documents)
            db.table("more").insert_multiple(more)
        with TinyDB(path) as db:
            assert db.all() == documents
            assert db.table("more").all() == more
        with TinyDB(path, storage=CachingMiddleware(JSONStorage)) as db:
            db.table("more").truncate()
            db.insert({"last": 1})
        with TinyDB(path) as db:
            assert len(db.table("more")) == 0
            assert [dict(row) for row in db] == [*documents, {"last": 1}]


@given(NUMBERS, st.integers(-9, 9), st.integers(-9, 9))
def prop_comparisons_are_those_of_the_values(numbers, low, high):
    """Searching with a comparison finds exactly the documents whose value compares so, in order."""
    db = fresh({"n": number} for number in numbers)
    n = where("n")

    def found(query):
        return [row["n"] for row in db.search(query)]

    assert found((n >= low) & (n < high)) == [x for x in numbers if low <= x < high]
    assert found((n < low) | (n > high)) == [x for x in numbers if x < low or x > high]
    assert found(~(n == low)) == found(n != low) == [x for x in numbers if x != low]
    assert found(n.one_of([low, high])) == [x for x in numbers if x in (low, high)]
    assert found(n.map(abs) <= abs(low)) == [x for x in numbers if abs(x) <= abs(low)]
    assert db.count(n <= low) == len([x for x in numbers if x <= low])


@given(DOCUMENTS, FIELD, VALUE)
def prop_a_condition_and_its_negation_share_out_the_table(documents, field, value):
    """Every document matches either a query or its negation; the two together are all."""
    db = fresh(documents)
    query = where(field) == value
    yes, no = db.search(query), db.search(~query)
    assert sorted(row.doc_id for row in yes + no) == [row.doc_id for row in db]
    assert all(row[field] == value for row in yes)
    assert db.contains(query) == bool(yes)
    assert db.get(query) == (yes[0] if yes else None)
    assert all(field in row for row in db.search(where(field) != value))


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=8), st.lists(st.integers(0, 5), max_size=3))
def prop_any_and_all_go_by_the_elements(lists, wanted):
    """any(list) asks for a common element, all(list) for every one; with queries they ask about the elements."""
    db = fresh({"l": numbers, "d": [{"v": number} for number in numbers]} for numbers in lists)
    doc = Query()
    assert [row["l"] for row in db.search(doc.l.any(wanted))] == [x for x in lists if {*x} & {*wanted}]
    assert [row["l"] for row in db.search(doc.l.all(wanted))] == [x for x in lists if {*wanted} <= {*x}]
    assert [row["l"] for row in db.search(doc.d.any(doc.v > 2))] == [x for x in lists if any(y > 2 for y in x)]
    assert [row["l"] for row in db.search(doc.d.all(doc.v > 2))] == [x for x in lists if all(y > 2 for y in x)]


@given(NUMBERS, st.integers(-9, 9), st.integers(-9, 9))
def prop_operations_do_their_sums(numbers, limit, amount):
    """Operations change exactly the documents that match, and update returns their IDs."""
    db = fresh({"n": number} for number in numbers)
    matching = [i for i, number in enumerate(numbers, 1) if number < limit]
    assert db.update(add("n", amount), where("n") < limit) == matching
    expected = [number + amount if number < limit else number for number in numbers]
    assert [row["n"] for row in db] == expected
    db.update(subtract("n", amount), doc_ids=matching)
    assert [row["n"] for row in db] == numbers
    db.update(increment("n"))
    db.update(decrement("n"))
    assert [row["n"] for row in db] == numbers
    db.update(set("m", [amount]), doc_ids=[*matching, 999])
    assert [row.doc_id for row in db if "m" in row] == matching


@given(NUMBERS, st.integers(-9, 9))
def prop_removing_leaves_the_rest_as_it_was(numbers, limit):
    """remove takes out what matches, returns those IDs, and no ID is given twice by the same table."""
    db = fresh({"n": number} for number in numbers)
    removed = db.remove(where("n") > limit)
    assert removed == [i for i, number in enumerate(numbers, 1) if number > limit]
    assert {row.doc_id: row["n"] for row in db} == {i: n for i, n in enumerate(numbers, 1) if n <= limit}
    assert db.insert({"n": 0}) == len(numbers) + 1
    db.truncate()
    assert [db.insert({"n": 1}), len(db)] == [1, 1]


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 9)), max_size=12))
def prop_upsert_keeps_one_document_per_key(pairs):
    """upsert changes the document that matches, or inserts one; with an ID it goes by that."""
    db, expected = fresh(), {}
    for key, value in pairs:
        db.upsert({"key": key, "value": value}, where("key") == key)
        db.table("by id").upsert(Document({"value": value}, doc_id=key))
        expected[key] = value
    assert {row["key"]: row["value"] for row in db} == expected
    assert len(db) == len(expected)
    assert {row.doc_id: row["value"] for row in db.table("by id")} == expected


@given(st.lists(st.sampled_from(["insert", "update", "remove", "truncate"]), max_size=12), st.integers(1, 3))
def prop_the_cache_is_never_seen(steps, size):
    """After every change of a table a search gives what a search of a new table with the same content gives."""
    db = TinyDB(storage=MemoryStorage)
    table, query = db.table("t", cache_size=size), where("n") > 2
    for number, step in enumerate(steps):
        table.search(query)
        if step == "insert":
            table.insert({"n": number % 5})
        elif step == "update":
            table.update(increment("n"), where("n") == number % 4)
        elif step == "remove":
            table.remove(where("n") == 4)
        else:
            table.truncate()
        assert table.search(query) == [row for row in table.all() if row["n"] > 2]
        assert table.search(query) == fresh(table.all()).search(query)


@given(DOCUMENTS, FIELD, SCALAR, FIELD, SCALAR)
def prop_queries_built_alike_are_equal(documents, field, value, other_field, other_value):
    """Queries built in the same way, parts of & and | in either order, are equal, hash alike and find the same."""

    def first():
        return where(field) == value

    def second():
        return Query()[other_field] == other_value

    db = fresh(documents)
    for left, right in [(first() & second(), second() & first()), (first() | second(), second() | first()), (~first(), ~first())]:
        assert left == right
        assert hash(left) == hash(right)
        assert db.search(left) == db.search(right)
