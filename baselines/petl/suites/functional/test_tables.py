"""What a table is, and what it says about itself."""

import petl

PETS = [["name", "kind", "age"], ["Ada", "cat", 3], ["Bo", "dog", 7], ["Cy", "cat", 5]]


class Counted:
    """A table that counts how often it is iterated."""

    def __init__(self, rows):
        self.rows, self.times = rows, 0

    def __iter__(self):
        self.times += 1
        return iter(self.rows)


def rows(table):
    return [tuple(row) for row in table]


def test_dictionaries_become_rows():
    table = petl.fromdicts([{"a": 1, "b": 2}, {"b": 3, "c": 4}])
    assert rows(table) == [("a", "b", "c"), (1, 2, None), (None, 3, 4)]
    assert rows(petl.fromdicts([{"a": 1, "b": 2}, {"b": 3}], header=["b", "z"], missing="?")) == [
        ("b", "z"),
        (2, "?"),
        (3, "?"),
    ]


def test_dictionaries_may_come_from_a_generator():
    table = petl.fromdicts({"n": n, "square": n * n} for n in (2, 3, 12))
    assert [rows(table), rows(table)] == [[("n", "square"), (2, 4), (3, 9), (12, 144)]] * 2


def test_only_a_sample_decides_about_the_header():
    dicts = [{"a": 1}, {"a": 2, "b": 20}, {"c": 30}]
    assert rows(petl.fromdicts(dicts, sample=2)) == [("a", "b"), (1, None), (2, 20), (None, None)]


def test_columns_become_fields():
    assert rows(petl.fromcolumns([[1, 2], ["x", "y", "z"]], header=["n", "t"], missing=0)) == [
        ("n", "t"),
        (1, "x"),
        (2, "y"),
        (0, "z"),
    ]
    assert rows(petl.fromcolumns([[5], [6], [7]])) == [("f0", "f1", "f2"), (5, 6, 7)]


def test_headers_and_rows():
    assert [tuple(petl.header(PETS)), petl.nrows(PETS), rows(petl.data(PETS))[1:]] == [
        ("name", "kind", "age"),
        3,
        [("Bo", "dog", 7), ("Cy", "cat", 5)],
    ]


def test_values_of_fields():
    assert [list(petl.values(PETS, "age")), list(petl.values(PETS, 0))] == [[3, 7, 5], ["Ada", "Bo", "Cy"]]
    assert list(petl.values(PETS, "age", "name")) == [(3, "Ada"), (7, "Bo"), (5, "Cy")]
    assert list(petl.values([["a", "b"], [1], [2, 3]], "b", missing="-")) == ["-", 3]


def test_rows_as_dictionaries():
    assert list(petl.dicts(PETS))[1:] == [
        {"name": "Bo", "kind": "dog", "age": 7},
        {"name": "Cy", "kind": "cat", "age": 5},
    ]
    assert list(petl.dicts([["a", "b"], [1]], missing=9)) == [{"a": 1, "b": 9}]


def test_values_can_be_looked_up():
    assert petl.lookup(PETS, "kind", "name") == {"cat": ["Ada", "Cy"], "dog": ["Bo"]}
    assert petl.lookup(PETS, "kind", ("age", "name")) == {"cat": [(3, "Ada"), (5, "Cy")], "dog": [(7, "Bo")]}
    assert petl.lookup(PETS, ["kind", "age"]) == {
        ("cat", 3): [("Ada", "cat", 3)],
        ("dog", 7): [("Bo", "dog", 7)],
        ("cat", 5): [("Cy", "cat", 5)],
    }


def test_single_values_can_be_looked_up():
    assert petl.lookupone(PETS, "kind", "age") == {"cat": 3, "dog": 7}
    assert petl.lookupone(PETS, "name", strict=True) == {row[0]: tuple(row) for row in PETS[1:]}
    filled = {"old": "entry"}
    same = [
        petl.lookupone(PETS, "name", "age", dictionary=filled) is filled,
        petl.lookup(PETS, "age", "name", dictionary=filled) is filled,
    ]
    assert [same, filled] == [
        [True, True],
        {"old": "entry", "Ada": 3, "Bo": 7, "Cy": 5, 3: ["Ada"], 7: ["Bo"], 5: ["Cy"]},
    ]


def test_wrapped_tables_have_methods():
    table = petl.wrap(PETS)
    assert [len(table), tuple(table[0]), tuple(table[2]), list(table["age"])] == [
        4,
        ("name", "kind", "age"),
        ("Bo", "dog", 7),
        [3, 7, 5],
    ]
    assert [table.nrows(), tuple(table.header()), list(table.values("kind")), table.lookupone("name", "age")] == [
        3,
        ("name", "kind", "age"),
        ["cat", "dog", "cat"],
        {"Ada": 3, "Bo": 7, "Cy": 5},
    ]


def test_steps_can_be_chained():
    table = (
        petl.wrap(PETS)
        .cut("name", "age")
        .convert("age", str)
        .addfield("size", lambda row: len(row.name))
        .sort("name", reverse=True)
        .head(2)
    )
    assert [rows(table), len(table), list(table["size"])] == [
        [("name", "age", "size"), ("Cy", "5", 2), ("Bo", "7", 2)],
        3,
        [2, 2],
    ]


def test_nothing_is_computed_before_it_is_needed():
    source = Counted(PETS)
    table = petl.addfield(
        petl.select(petl.convert(source, "age", lambda age: age * 10), lambda row: row.age > 30), "x", 1
    )
    before = source.times
    first, second = rows(table), rows(table)
    assert [before, source.times, first == second, first] == [
        0,
        2,
        True,
        [("name", "kind", "age", "x"), ("Bo", "dog", 70, 1), ("Cy", "cat", 50, 1)],
    ]


def test_changes_of_the_source_are_seen():
    source = [["a"], [1], [2]]
    table = petl.convert(petl.cut(source, "a"), "a", lambda value: value + 100)
    seen = [rows(table)]
    source.append([3])
    seen.append(rows(table))
    assert seen == [[("a",), (101,), (102,)], [("a",), (101,), (102,), (103,)]]


def test_tables_that_are_given_stay_as_they_are():
    source = [["k", "v"], ["b", [1]], ["a", None], ["b", [2]]]
    for table in (
        petl.sort(source, "k"),
        petl.convert(source, "k", str.upper),
        petl.filldown(source),
        petl.melt(source, "k"),
        petl.transpose(source),
    ):
        list(table)
    assert source == [["k", "v"], ["b", [1]], ["a", None], ["b", [2]]]


def test_rows_of_odd_lengths():
    odd = [["a", "b", "c"], [1, 2], [3, 4, 5, 6]]
    assert [rows(petl.cut(odd, "c", "a", missing="-"))[1:], rows(petl.cutout(odd, "a"))[1:]] == [
        [("-", 1), (5, 3)],
        [(2, None), (4, 5)],
    ]
    assert [rows(petl.addfield(odd, "d", 9))[1:], rows(petl.cat(odd))[1:]] == [
        [(1, 2, None, 9), (3, 4, 5, 9)],
        [(1, 2, None), (3, 4, 5)],
    ]
    assert [rows(petl.convert(odd, "c", str))[1:], rows(petl.select(odd, lambda row: row["c"] is None))[1:]] == [
        [(1, 2), (3, 4, "5", 6)],
        [(1, 2)],
    ]


def test_two_readers_do_not_disturb_each_other():
    table = petl.sort([["n"], [3], [1], [2]], "n")
    first, second = iter(table), iter(table)
    seen = [tuple(next(first)), tuple(next(first)), tuple(next(second)), tuple(next(first)), tuple(next(second))]
    assert seen == [("n",), (1,), ("n",), (2,), (1,)]


def test_tables_from_dictionaries_have_methods_too():
    given = [{"a": 2, "b": "x"}, {"a": 1}]
    table = petl.fromdicts(given, missing="-")
    assert list(table.dicts()) == [{"a": 2, "b": "x"}, {"a": 1, "b": "-"}]
    assert [list(table.sort("a").values("b")), list(table["a"]), len(table)] == [["-", "x"], [2, 1], 3]
