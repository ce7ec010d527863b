"""Choosing, adding and changing fields."""

import petl

T = [["a", "b", "c"], ["x", 1, True], ["y", 2, False], ["z", 3, None]]


def rows(table):
    return [tuple(row) for row in table]


def test_fields_are_chosen():
    expected = [("c", "a"), (True, "x"), (False, "y"), (None, "z")]
    assert [rows(petl.cut(T, "c", "a")), rows(petl.cut(T, 2, 0)), rows(petl.cut(T, ["c", "a"]))] == [expected] * 3


def test_fields_are_left_out():
    assert rows(petl.cutout(T, "b")) == [("a", "c"), ("x", True), ("y", False), ("z", None)]
    assert rows(petl.cutout(T, "a", 2)) == [("b",), (1,), (2,), (3,)]


def test_fields_are_renamed():
    assert [tuple(petl.header(petl.rename(T, "a", "A"))), tuple(petl.header(petl.rename(T, {"a": "A", "c": "C"})))] == [
        ("A", "b", "c"),
        ("A", "b", "C"),
    ]
    assert rows(petl.rename(T, {"b": "n", "none": "m"}, strict=False))[:2] == [("a", "n", "c"), ("x", 1, True)]


def test_fields_are_added():
    assert rows(petl.addfield(T, "d", 5))[:2] == [("a", "b", "c", "d"), ("x", 1, True, 5)]
    assert rows(petl.addfield(T, "d", lambda row: row["a"] * row.b + str(row[2])))[1:] == [
        ("x", 1, True, "xTrue"),
        ("y", 2, False, "yyFalse"),
        ("z", 3, None, "zzzNone"),
    ]


def test_fields_are_added_at_a_place():
    assert rows(petl.addfield(T, "d", lambda row: row.b * 11, index=0))[:3] == [
        ("d", "a", "b", "c"),
        (11, "x", 1, True),
        (22, "y", 2, False),
    ]
    assert rows(petl.addfield(T, "d", "new", index=1))[0:2] == [("a", "d", "b", "c"), ("x", "new", 1, True)]


def test_rows_are_numbered():
    assert rows(petl.addrownumbers(T))[:3] == [("row", "a", "b", "c"), (1, "x", 1, True), (2, "y", 2, False)]
    assert list(petl.addrownumbers(T, start=10, step=-3, field="n")["n"]) == [10, 7, 4]


def test_values_are_converted_by_functions():
    assert list(petl.convert(T, "b", lambda value: value / 2)["b"]) == [0.5, 1.0, 1.5]
    assert rows(petl.convert(T, ("a", "b"), lambda value: value * 2))[1:] == [
        ("xx", 2, True),
        ("yy", 4, False),
        ("zz", 6, None),
    ]
    assert rows(petl.convert(T, [0, 2], str))[1:] == [("x", 1, "True"), ("y", 2, "False"), ("z", 3, "None")]


def test_values_are_converted_by_methods():
    words = [["w"], ["abc"], ["cab"]]
    assert list(petl.convert(words, "w", "upper")["w"]) == ["ABC", "CAB"]
    assert list(petl.convert(words, "w", "replace", "a", "<o>")["w"]) == ["<o>bc", "c<o>b"]


def test_values_are_converted_by_dictionaries():
    assert list(petl.convert(T, "a", {"x": "ex", "z": 26})["a"]) == ["ex", "y", 26]


def test_several_fields_are_converted_at_once():
    table = petl.convert(T, {"a": "upper", "b": lambda value: -value, "c": {None: "none"}})
    assert rows(table)[1:] == [("X", -1, True), ("Y", -2, False), ("Z", -3, "none")]


def test_some_values_are_converted():
    assert list(petl.convert(T, "b", lambda value: value * 10, where=lambda row: row.a != "y")["b"]) == [10, 2, 30]


def test_conversions_may_see_the_row():
    assert list(petl.convert(T, "b", lambda value, row: f"{row.a}{value + 40}", pass_row=True)["b"]) == [
        "x41",
        "y42",
        "z43",
    ]


def test_conversions_that_fail():
    texts = [["n"], ["17"], ["none"], ["4"]]
    assert [list(petl.convert(texts, "n", int)["n"]), list(petl.convert(texts, "n", int, errorvalue=-1)["n"])] == [
        [17, None, 4],
        [17, -1, 4],
    ]
    inline = list(petl.convert(texts, "n", int, failonerror="inline")["n"])
    assert [inline[0], type(inline[1]).__name__, inline[2]] == [17, "ValueError", 4]


def test_gaps_are_filled_from_above():
    gaps = [["a", "b", "c"], [1, "x", None], [None, None, 5], [2, None, None]]
    assert rows(petl.filldown(gaps))[1:] == [(1, "x", None), (1, "x", 5), (2, "x", 5)]
    assert rows(petl.filldown(gaps, "a", "c"))[1:] == [(1, "x", None), (1, None, 5), (2, None, 5)]
    assert list(petl.filldown([["a"], ["-"], [7], ["-"], [None]], "a", missing="-")["a"]) == ["-", 7, 7, None]
