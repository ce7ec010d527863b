"""Several tables together."""

import petl

LEFT = [["id", "colour"], [1, "blue"], [2, "red"], [3, "pink"], [1, "navy"]]
RIGHT = [["id", "shape"], [3, "cube"], [1, "disc"], [4, "oval"], [3, "cone"]]
BOTH = [(1, "blue", "disc"), (1, "navy", "disc"), (3, "pink", "cube"), (3, "pink", "cone")]


def rows(table):
    return [tuple(row) for row in table]


def test_rows_with_equal_keys_are_joined():
    assert rows(petl.join(LEFT, RIGHT)) == [("id", "colour", "shape"), *BOTH]
    assert [rows(petl.join(LEFT, RIGHT, key="id"))[1:], rows(petl.join(RIGHT, LEFT))[2]] == [
        [(1, "blue", "disc"), (1, "navy", "disc"), (3, "pink", "cube"), (3, "pink", "cone")],
        (1, "disc", "navy"),
    ]


def test_keys_may_have_different_names():
    right = petl.rename(RIGHT, "id", "number")
    assert rows(petl.join(LEFT, right, lkey="id", rkey="number"))[2:] == [
        (1, "navy", "disc"),
        (3, "pink", "cube"),
        (3, "pink", "cone"),
    ]
    assert rows(petl.antijoin(LEFT, right, lkey="id", rkey="number")) == [("id", "colour"), (2, "red")]
    assert rows(petl.outerjoin(LEFT, right, lkey="id", rkey="number"))[-1] == (4, None, "oval")


def test_keys_may_have_several_fields():
    left = [["a", "b", "c"], [1, 2, "p"], [1, 3, "q"], [2, 2, "r"]]
    right = [["d", "b", "a"], ["s", 3, 1], ["t", 2, 2], ["u", 9, 9]]
    assert rows(petl.join(left, right)) == [("a", "b", "c", "d"), (1, 3, "q", "s"), (2, 2, "r", "t")]
    assert rows(petl.join(left, petl.cut(right, "d", "a", "b"), key=["a", "b"]))[1:] == [
        (1, 3, "q", "s"),
        (2, 2, "r", "t"),
    ]


def test_rows_without_a_partner_on_the_left():
    assert rows(petl.leftjoin(LEFT, RIGHT))[1:] == [
        (1, "blue", "disc"),
        (1, "navy", "disc"),
        (2, "red", None),
        (3, "pink", "cube"),
        (3, "pink", "cone"),
    ]
    assert rows(petl.leftjoin(LEFT, [["id", "x", "y"]], missing="?"))[3] == (2, "red", "?", "?")


def test_rows_without_a_partner_on_the_right():
    assert rows(petl.rightjoin(LEFT, RIGHT, missing="-"))[-2:] == [(3, "pink", "cone"), (4, "-", "oval")]
    assert petl.nrows(petl.rightjoin(LEFT, RIGHT)) == 5


def test_rows_without_a_partner_on_both_sides():
    assert rows(petl.outerjoin(LEFT, RIGHT, missing=0)) == [
        ("id", "colour", "shape"),
        (1, "blue", "disc"),
        (1, "navy", "disc"),
        (2, "red", 0),
        (3, "pink", "cube"),
        (3, "pink", "cone"),
        (4, 0, "oval"),
    ]


def test_only_rows_without_a_partner():
    assert [rows(petl.antijoin(LEFT, RIGHT)), rows(petl.antijoin(RIGHT, LEFT, key="id"))] == [
        [("id", "colour"), (2, "red")],
        [("id", "shape"), (4, "oval")],
    ]


def test_names_get_prefixes():
    assert tuple(petl.header(petl.join(LEFT, RIGHT, lprefix="l_", rprefix="r_"))) == ("l_id", "l_colour", "r_shape")
    assert tuple(petl.header(petl.outerjoin(LEFT, RIGHT, rprefix="r."))) == ("id", "colour", "r.shape")


def test_keys_of_mixed_types():
    left = [["k", "l"], ["x", 1], [None, 2], [5, 3], ["y", 4]]
    right = [["k", "r"], [5.0, 6], ["x", 7], [None, 8], ["z", 9]]
    assert rows(petl.join(left, right))[1:] == [(None, 2, 8), (5, 3, 6), ("x", 1, 7)]
    assert rows(petl.outerjoin(left, right))[-2:] == [("y", 4, None), ("z", None, 9)]


def test_tables_without_rows_are_joined():
    nothing = [["id", "x"]]
    assert [
        rows(petl.join(LEFT, nothing)),
        petl.nrows(petl.outerjoin(nothing, LEFT)),
        rows(petl.antijoin(nothing, LEFT)),
    ] == [
        [("id", "colour", "x")],
        4,
        [("id", "x")],
    ]


def test_rows_that_are_not_in_another_table():
    a = [["v"], [3], [1], [2], [2], [1], [2]]
    b = [["v"], [2], [1], [9]]
    assert [rows(petl.complement(a, b)), rows(petl.complement(a, b, strict=True))] == [
        [("v",), (1,), (2,), (2,), (3,)],
        [("v",), (3,)],
    ]


def test_rows_that_are_in_both_tables():
    a = [["v", "w"], [3, "c"], [1, "a"], [2, "b"], [2, "b"], [None, "d"]]
    b = [["v", "w"], [2, "b"], [None, "d"], [2, "b"], [2, "b"], [1, "x"]]
    assert rows(petl.intersection(a, b)) == [("v", "w"), (None, "d"), (2, "b"), (2, "b")]


def test_sorted_tables_need_no_sorting():
    left, right = petl.sort(LEFT, "id"), petl.sort(RIGHT, "id")
    assert rows(petl.join(left, right, presorted=True))[1:] == [
        (1, "blue", "disc"),
        (1, "navy", "disc"),
        (3, "pink", "cube"),
        (3, "pink", "cone"),
    ]
    assert [
        rows(petl.antijoin(left, right, presorted=True))[1:],
        rows(petl.aggregate(left, "id", len, presorted=True))[1:],
    ] == [[(2, "red")], [(1, 2), (2, 1), (3, 1)]]
