"""Choosing rows, and putting them in order."""

import petl

N = [["n"], *([n] for n in range(10, 19))]
MIXED = [["k", "v"], ["b", 2], ["a", None], [3, "x"], ["a", 1], [None, 3.5], ["b", 2]]
T = [["a", "b"], ["x", 5], ["y", 1], ["z", 3]]


def rows(table):
    return [tuple(row) for row in table]


def test_first_and_last_rows():
    assert [list(petl.head(N)["n"]), list(petl.head(N, 2)["n"]), list(petl.head(N, 99)["n"])] == [
        [10, 11, 12, 13, 14],
        [10, 11],
        [10, 11, 12, 13, 14, 15, 16, 17, 18],
    ]
    assert [list(petl.tail(N)["n"]), list(petl.tail(N, 2)["n"]), rows(petl.tail(T, 1))] == [
        [14, 15, 16, 17, 18],
        [17, 18],
        [("a", "b"), ("z", 3)],
    ]


def test_slices_of_rows():
    slices = [petl.rowslice(N, 2), petl.rowslice(N, 3, 5), petl.rowslice(N, 1, None, 3), petl.rowslice(N, 5, 99)]
    assert [list(table["n"]) for table in slices] == [[10, 11], [13, 14], [11, 14, 17], [15, 16, 17, 18]]


def test_rows_are_selected_by_functions():
    assert rows(petl.select(T, lambda row: row.b > 2 and row["a"] != "x")) == [("a", "b"), ("z", 3)]
    assert rows(petl.select(T, lambda row: row[1] < 4, complement=True)) == [("a", "b"), ("x", 5)]


def test_rows_are_selected_by_values():
    assert [
        rows(petl.select(T, "b", lambda value: value % 2 and value > 1)),
        rows(petl.select(T, 0, lambda value: value == "y")),
    ] == [
        [("a", "b"), ("x", 5), ("z", 3)],
        [("a", "b"), ("y", 1)],
    ]
    assert rows(petl.select(T, "b", lambda value: value > 1, complement=True)) == [("a", "b"), ("y", 1)]


def test_rows_are_selected_by_membership():
    assert [
        list(petl.selectin(T, "a", ["z", "x", "q"])["a"]),
        list(petl.selectin(T, "b", {1, 3}, complement=True)["b"]),
    ] == [["x", "z"], [5]]


def test_rows_are_sorted():
    assert [list(petl.sort(T, "b")["b"]), list(petl.sort(T, 0, reverse=True)["a"])] == [[1, 3, 5], ["z", "y", "x"]]
    assert rows(petl.sort([["a", "b"], [2, 1], [1, 9], [1, 3]])) == [("a", "b"), (1, 3), (1, 9), (2, 1)]


def test_values_of_all_types_have_an_order():
    assert rows(petl.sort(MIXED, "k"))[1:] == [(None, 3.5), (3, "x"), ("a", None), ("a", 1), ("b", 2), ("b", 2)]
    assert [row[1] for row in petl.sort(MIXED, "v")][1:] == [None, 1, 2, 2, 3.5, "x"]
    assert [row[1] for row in petl.sort(MIXED, "v", reverse=True)][1:] == ["x", 3.5, 2, 2, 1, None]


def test_rows_are_sorted_by_several_fields():
    table = [["a", "b", "c"], ["x", 2, 1], ["y", 1, 2], ["x", 1, 3], ["y", None, 4]]
    assert [list(petl.sort(table, ["a", "b"])["c"]), list(petl.sort(table, ("b", "a"), reverse=True)["c"])] == [
        [3, 1, 4, 2],
        [1, 2, 3, 4],
    ]


def test_rows_of_equal_keys_stay_in_order():
    table = [["k", "n"], *([number % 3, number] for number in range(12))]
    assert list(petl.sort(table, "k")["n"]) == [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]
    assert list(petl.sort(table, "k", reverse=True)["n"]) == [2, 5, 8, 11, 1, 4, 7, 10, 0, 3, 6, 9]


def test_more_rows_than_memory_shall_hold():
    table = [["k", "n"], *([number * 7 % 11, number] for number in range(40))]
    sums = [
        sum(position * n for position, n in enumerate(petl.sort(table, "k", buffersize=size, reverse=back)["n"]))
        for size in (3, 7)
        for back in (False, True)
    ]
    small = petl.sort(table, "k", buffersize=4)
    assert [sums[:2] == sums[2:], [row[0] for row in small][1:6], [row[1] for row in small][1:6]] == [
        True,
        [0, 0, 0, 0, 1],
        [0, 11, 22, 33, 8],
    ]


def test_tables_one_after_the_other():
    other = [["b", "c"], [9, 8]]
    assert rows(petl.cat(T, other)) == [("a", "b", "c"), ("x", 5, None), ("y", 1, None), ("z", 3, None), (None, 9, 8)]
    assert rows(petl.cat(T, other, other, header=["c", "a"], missing="-"))[3:] == [("-", "z"), (8, "-"), (8, "-")]


def test_distinct_rows():
    table = [["k", "v"], ["b", 2], ["a", 1], ["b", 2], ["a", 3], ["c", 9]]
    assert rows(petl.distinct(table)) == [("k", "v"), ("a", 1), ("a", 3), ("b", 2), ("c", 9)]
    assert rows(petl.distinct(table, "k", count="n")) == [("k", "v", "n"), ("a", 1, 2), ("b", 2, 2), ("c", 9, 1)]


def test_duplicate_and_unique_rows():
    table = [["k", "v"], ["b", 2], ["a", 1], ["b", 2], ["a", 3], ["c", 9]]
    assert [rows(petl.duplicates(table))[1:], rows(petl.duplicates(table, "k"))[1:]] == [
        [("b", 2), ("b", 2)],
        [("a", 1), ("a", 3), ("b", 2), ("b", 2)],
    ]
    assert [rows(petl.unique(table))[1:], rows(petl.unique(table, "k"))[1:], rows(petl.unique(table, ["v"]))[1:]] == [
        [("a", 1), ("a", 3), ("c", 9)],
        [("c", 9)],
        [("a", 1), ("a", 3), ("c", 9)],
    ]
