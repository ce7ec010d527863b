"""What is refused, and when."""

import petl
import pytest
from petl.errors import ArgumentError, DuplicateKeyError, FieldSelectionError

T = [["a", "b", "c"], ["x", 1, True], ["y", 2, False], ["x", 3, None]]


def refusals(calls, error):
    """For each call, the class of the error, or what it gave."""
    found = []
    for call in calls:
        try:
            found.append([tuple(row) for row in call()])
        except error:
            found.append(error.__name__)
    return found


def test_unknown_fields_are_refused():
    calls = [
        lambda: petl.cut(T, "none"),
        lambda: petl.cut(T, 3),
        lambda: petl.cutout(T, "a", "none"),
        lambda: petl.convert(T, "none", str),
        lambda: petl.filldown(T, "none"),
        lambda: petl.values(T, "none"),
        lambda: petl.cut(petl.head(T, 1), "c"),
    ]
    assert refusals(calls, FieldSelectionError) == ["FieldSelectionError"] * 6 + [[("c",), (True,)]]


def test_unknown_fields_of_keys_are_refused():
    calls = [
        lambda: petl.sort(T, "none"),
        lambda: petl.distinct(T, ["a", "none"]),
        lambda: petl.join(T, T, key="none"),
        lambda: petl.aggregate(T, "none", len),
        lambda: petl.aggregate(T, "a", sum, "none"),
        lambda: petl.lookup(T, "none"),
        lambda: petl.selectin(T, "none", [1]),
        lambda: petl.aggregate(T, "a", sum, "b"),
    ]
    assert refusals(calls, FieldSelectionError) == ["FieldSelectionError"] * 7 + [[("a", "value"), ("x", 4), ("y", 2)]]


def test_unknown_fields_are_not_renamed():
    with pytest.raises(FieldSelectionError, match="none"):
        list(petl.rename(T, "none", "b"))
    with pytest.raises(FieldSelectionError, match="none"):
        list(petl.rename(T, {"a": "A", "none": "b"}))
    assert tuple(petl.header(petl.rename(T, {"a": "A", "none": "b"}, strict=False))) == ("A", "b", "c")


def test_errors_wait_until_the_table_is_read():
    tables = [
        petl.cut(T, "none"),
        petl.sort(T, "none"),
        petl.fromcsv("no-such-file.csv", encoding="utf-8"),
        petl.addfield(T, "d", lambda row: row.none),
    ]
    assert refusals([lambda: tables[0], lambda: tables[1]], FieldSelectionError) == [
        "FieldSelectionError",
        "FieldSelectionError",
    ]
    assert [refusals([lambda: tables[2]], FileNotFoundError), refusals([lambda: tables[3]], AttributeError)] == [
        ["FileNotFoundError"],
        ["AttributeError"],
    ]


def test_keys_that_are_there_twice_are_refused():
    with pytest.raises(DuplicateKeyError, match="'x'"):
        petl.lookupone(T, "a", "b", strict=True)
    with pytest.raises(DuplicateKeyError):
        petl.wrap(T).lookupone("a", strict=True)
    assert petl.lookupone(T, "b", "a", strict=True) == {1: "x", 2: "y", 3: "x"}


def test_halves_of_keys_are_refused():
    calls = [
        lambda: petl.join(T, T, lkey="a"),
        lambda: petl.leftjoin(T, T, rkey="a"),
        lambda: petl.antijoin(T, T, lkey="a"),
        lambda: petl.outerjoin(T, T, rkey="b"),
    ]
    assert refusals(calls, ArgumentError) == ["ArgumentError", "ArgumentError", "ArgumentError", "ArgumentError"]


def test_converters_that_are_none_are_refused():
    calls = [
        lambda: petl.convert(T, "b", 7),
        lambda: petl.convert(T, {"a": 2.5}),
        lambda: petl.convert(T, "b", {1: "one"}).cut("b"),
    ]
    assert refusals(calls, ArgumentError) == ["ArgumentError", "ArgumentError", [("b",), ("one",), (2,), (3,)]]


def test_conversions_may_be_strict():
    with pytest.raises(ZeroDivisionError):
        list(petl.convert(T, "b", lambda value: 1 / (value - 2), failonerror=True))
    with pytest.raises(ValueError, match="invalid literal"):
        list(petl.convert(T, "a", int, failonerror=True))
    assert list(petl.convert(T, "b", lambda value: 6 / (value - 2))["b"]) == [-6.0, None, 6.0]


def test_errors_of_functions_reach_the_caller():
    calls = [
        lambda: petl.select(T, lambda row: {}[row.a]),
        lambda: petl.addfield(T, "d", lambda row: row["none"]),
        lambda: petl.aggregate(T, "a", lambda values: {}[len(list(values))], "b"),
        lambda: petl.rowreduce(T, "a", lambda key, records: {}[key], header=["a"]),
    ]
    assert refusals(calls, KeyError) == ["KeyError", "KeyError", "KeyError", "KeyError"]


def test_fields_to_melt_must_be_known():
    calls = [lambda: petl.melt(T), lambda: petl.melt(T, key=None, variables=None), lambda: petl.melt(T, key=["a", "c"])]
    assert refusals(calls, ValueError)[:2] == ["ValueError", "ValueError"]
    with pytest.raises((ArgumentError, FieldSelectionError)):
        list(petl.recast(T))
    assert [tuple(row) for row in petl.melt(T, key=["a", "c"])][1:3] == [("x", True, "b", 1), ("y", False, "b", 2)]


def test_files_that_cannot_be_read_are_refused(tmp_path):
    wrong, broken = tmp_path / "wrong.csv", tmp_path / "broken.json"
    wrong.write_bytes(b"a\n\xe9\n")
    broken.write_text('[{"a": 1}, {"a":')
    found = [
        refusals([lambda: petl.fromcsv(str(wrong), encoding="utf-8")], UnicodeDecodeError),
        refusals([lambda: petl.fromjson(str(broken))], ValueError),
        refusals([lambda: petl.fromjson(str(tmp_path / "none.json"))], FileNotFoundError),
        refusals([lambda: petl.tocsv(T, str(tmp_path / "none" / "t.csv"), encoding="utf-8")], FileNotFoundError),
        refusals([lambda: petl.fromcsv(str(wrong), encoding="latin-1")], ValueError),
    ]
    assert found == [
        ["UnicodeDecodeError"],
        ["ValueError"],
        ["FileNotFoundError"],
        ["FileNotFoundError"],
        [[("a",), ("é",)]],
    ]
