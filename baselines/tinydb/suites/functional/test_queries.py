"""What queries match."""

import re

from tinydb import Query, TinyDB, where
from tinydb.storages import MemoryStorage

DOCUMENTS = [
    {"k": 5, "t": "alpha beta", "n": {"x": 1, "y": [1, 2, 3]}},
    {"k": 7, "t": "Beta", "n": {"x": 2, "y": []}},
    {"k": 9, "t": None, "n": [{"x": 1}, {"x": 4}]},
    {"k": 11, "n": 3, "list": ["a", "b"]},
    {"k": 13, "t": 42, "list": [{"v": 1, "w": 2}, {"v": 3}]},
]


def hits(query):
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple(DOCUMENTS)
    return [document["k"] for document in db.search(query)]


def test_comparisons():
    k = where("k")
    assert [hits(k == 7), hits(k != 7), hits(k < 7), hits(k <= 7), hits(k > 9), hits(k >= 9)] == [
        [7],
        [5, 9, 11, 13],
        [5],
        [5, 7],
        [11, 13],
        [9, 11, 13],
    ]


def test_documents_without_the_field_never_match():
    assert [hits(where("list") == 1), hits(where("list") != 1), hits(~(where("list") != 1))] == [[], [11, 13], [5, 7, 9]]
    assert [hits(where("t") == None), hits(where("t") != None)] == [[9], [5, 7, 13]]  # noqa: E711


def test_fields_inside_fields():
    doc = Query()
    assert [hits(doc.n.x == 1), hits(doc["n"]["x"] == 2), hits(doc.n.x != 1), hits(doc.n["y"] == [1, 2, 3])] == [[5], [7], [7], [5]]
    assert [hits(doc.n.exists()), hits(doc.n.x.exists()), hits(doc.missing.exists())] == [[5, 7, 9, 11], [5, 7], []]


def test_conditions_are_combined():
    k, t = where("k"), where("t")
    assert hits((k > 5) & (k < 11)) == [7, 9]
    assert hits((k == 5) | (k == 13) | (t == "Beta")) == [5, 7, 13]
    assert hits(~(k > 5) | ((k > 9) & ~t.exists())) == [5, 11]


def test_regular_expressions():
    t = where("t")
    assert [hits(t.matches("beta")), hits(t.matches("a.*a$")), hits(t.matches("beta", flags=re.IGNORECASE))] == [[], [5], [7]]
    assert [hits(t.search("eta$")), hits(t.search("BETA", flags=re.IGNORECASE)), hits(t.search("4"))] == [[5, 7], [5, 7], []]


def test_functions():
    def between(value, low, high):
        return low <= value <= high

    assert hits(where("k").test(between, 6, 11)) == [7, 9, 11]
    assert hits(where("list").test(lambda value: len(value) == 2)) == [11, 13]


def test_membership():
    assert [hits(where("k").one_of([13, 5, 6])), hits(where("t").one_of(["Beta", 42]))] == [[5, 13], [7, 13]]


def test_some_element():
    doc = Query()
    assert [hits(doc.n.y.any([3, 9])), hits(doc.list.any(["b", "z"])), hits(doc.n.any([3]))] == [[5], [11], []]
    assert [hits(doc.list.any(doc.v == 3)), hits(doc.n.any(doc.x > 1)), hits(doc.k.any([5]))] == [[13], [9], []]


def test_every_element():
    doc = Query()
    assert [hits(doc.n.y.all([1, 3])), hits(doc.n.y.all([1, 4])), hits(doc.list.all(["a"]))] == [[5], [], [11]]
    assert [hits(doc.list.all(doc.v > 0)), hits(doc.list.all(doc.v == 3)), hits(doc.n.all(doc.x >= 1))] == [[13], [], [9]]


def test_fragments():
    doc = Query()
    assert [hits(doc.fragment({"k": 7, "t": "Beta"})), hits(doc.fragment({"k": 7, "t": "x"}))] == [[7], []]
    assert [hits(doc.n.x.exists() & doc.n.fragment({"x": 1})), hits(doc.list.any(doc.fragment({"w": 2})))] == [[5], [13]]


def test_mapped_values():
    doc = Query()
    assert [hits(doc.k.map(lambda k: k % 4) == 1), hits(doc.k.map(str).map(len) == 2)] == [[5, 9, 13], [11, 13]]
    assert hits(doc.n.x.map(lambda x: x * 10) == 20) == [7]


def test_noop_matches_everything_and_can_be_built_upon():
    query = Query().noop()
    assert hits(query) == [5, 7, 9, 11, 13]
    for low in (6, 8):
        query &= where("k") > low
    assert hits(query) == [9, 11, 13]


def test_queries_are_called_with_a_document():
    query = (where("a") == 1) & ~where("b").exists()
    assert [query({"a": 1}), query({"a": 1, "b": 2}), query({}), query({"a": 2})] == [True, False, False, False]


def test_queries_built_alike_are_equal():
    a, b = where("a") == 1, where("b") == [2, {"c": 3}]
    again_a, again_b = where("a") == 1, where("b") == [2, {"c": 3}]
    pairs = [(a, again_a), (b, again_b), (a & b, again_b & again_a), (a | b, again_b | again_a), (~a, ~again_a), (a, b), (a, ~a)]
    assert [left == right for left, right in pairs] == [True, True, True, True, True, False, False]
    assert len({a, again_a, b, again_b, a & b, b & a, a | b, b | a, ~a, ~b, ~again_b}) == 6


def test_fields_with_names_of_methods_and_odd_names():
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple([{"search": 1, "a b": 2, "": 3}, {"search": 9, "a b": 2}])
    assert [len(db.search(where("search") == 1)), len(db.search(Query()["a b"] == 2)), len(db.search(where("") == 3))] == [1, 2, 1]
    assert [document["search"] for document in db.search(Query()["search"] > 1)] == [9]
